package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// unread fails unless a command that reads the data set says that it is unfinished, and by what.
func unread(t *testing.T, path, by string) {
	t.Helper()
	o := augmix(t, exitFailed, "data", "info", path)
	if !strings.Contains(o.err, "unfinished data: ") || !strings.Contains(o.err, by+" has not come to its end") {
		t.Errorf("%s: %s", path, o.err)
	}
}

// TestUnfinishedRead: what a run has not completed is not read as a data set, nor is a part of it; it is where the run was given again, or
// where its state was removed.
func TestUnfinishedRead(t *testing.T) {
	in, dir := photos(t, 12), t.TempDir()
	bad := filepath.Join(in, "zebra", "1.png") // the last
	write(t, bad, []byte("no image"))
	for name, args := range map[string][]string{
		"folder":  {"data", "convert", in, "--output-format", "folder"},
		"wds":     {"data", "convert", in, "--output-format", "wds", "--per-shard", "4"},
		"corrupt": {"corrupt", in, "--subset", "fog", "--severity", "1,2", "--output-format", "folder"},
	} {
		out := filepath.Join(dir, name)
		augmix(t, exitFailed, append(args, "-o", out)...)
		by := "augmix corrupt " + in
		if args[0] == "data" {
			by = "augmix data convert " + in
		}
		unread(t, out, by)
		if name == "corrupt" {
			unread(t, filepath.Join(out, "fog", "1"), by)
			out = filepath.Join(out, "fog", "1")
		}
		augmix(t, exitRejected, append(args, "-o", filepath.Join(dir, name), "--on-error", "skip")...)
		augmix(t, exitDone, "data", "info", out)
	}
	remove(t, bad)
	parts := filepath.Join(dir, "parts")
	shard := func(sh string) {
		augmix(t, exitDone, "corrupt", in, "-o", parts, "--subset", "fog", "--output-format", "folder", "--shard", sh)
	}
	shard("0/2")
	unread(t, parts, "the run that writes it")
	augmix(t, exitDone, "data", "info", filepath.Join(parts, ".augmix", "shard-0-of-2", "fog", "1")) // a part is whole
	shard("1/2")
	augmix(t, exitDone, "data", "info", filepath.Join(parts, "fog", "1"))

	write(t, filepath.Join(in, ".augmix", "notes"), nil) // somebody else's
	augmix(t, exitDone, "data", "info", in)
	write(t, filepath.Join(in, ".augmix", "journal.json"), []byte("{"))
	unread(t, in, "the run that writes it")
	if err := os.RemoveAll(filepath.Join(in, ".augmix")); err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, "data", "info", in)
}

// TestRemoteUnfinishedRead is TestUnfinishedRead in a store, where an output appears file by file.
func TestRemoteUnfinishedRead(t *testing.T) {
	_, proxy := breakable(t)
	args := []string{"data", "convert", "s3://bucket/in", "-o", "s3://bucket/out", "--output-format", "folder"}
	puts := 0
	proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
		if r.Method == http.MethodPut {
			if puts++; puts > 5 {
				return storagetest.Denied
			}
		}
		return storagetest.None
	})
	augmix(t, exitFailed, args...)
	unread(t, "s3://bucket/out", "augmix data convert s3://bucket/in")
	proxy.Break(nil)
	augmix(t, exitDone, args...)
	augmix(t, exitDone, "data", "info", "s3://bucket/out")
}
