package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/storage/storagetest"
)

// claimed is the command of the tests of claims, to an output in the bucket.
func claimed(out string, more ...string) []string {
	return append([]string{
		"corrupt", "s3://bucket/in", "-o", out, "--subset", "fog,pixelate", "--severity", "1", "--output-format", "folder",
	}, more...)
}

// wholeOf is what the command makes on the disk.
func wholeOf(t *testing.T, more ...string) map[string]string {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "out")
	augmix(t, exitDone, claimed(whole, more...)...)
	return tree(t, whole)
}

// TestRemoteForceOverShards: what --force makes in the place of parts, some or all of which were complete, is not replaced by them.
func TestRemoteForceOverShards(t *testing.T) {
	bucket, proxy := breakable(t)
	want := wholeOf(t, "--seed", "4")
	for _, parts := range []string{"one", "all"} {
		out := "s3://bucket/" + parts
		augmix(t, exitDone, claimed(out, "--seed", "3", "--shard", "0/2")...)
		if parts == "all" { // the last task is cut off between its part and the end of all
			over := false
			proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
				if over {
					return storagetest.Denied
				}
				over = r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "shard-1-of-2/manifest.json")
				return storagetest.None
			})
			augmix(t, exitFailed, claimed(out, "--seed", "3", "--shard", "1/2")...)
			proxy.Break(nil)
		}
		augmix(t, exitDone, claimed(out, "--seed", "4", "--force")...)
		sameTree(t, tree(t, filepath.Join(bucket, parts)), want) // no part is left
		augmix(t, exitDone, "verify", out)
		sameTree(t, tree(t, filepath.Join(bucket, parts)), want)
	}
	stageEmpty(t)
}

// TestRemoteStaleShards: parts that an earlier version of this program left beside a complete output are not joined.
func TestRemoteStaleShards(t *testing.T) {
	bucket := remote(t)
	augmix(t, exitDone, claimed("s3://bucket/old", "--seed", "3", "--shard", "0/2")...)
	augmix(t, exitDone, claimed("s3://bucket/out", "--seed", "4")...)
	stale := filepath.Join(".augmix", "shard-0-of-2")
	if err := os.MkdirAll(filepath.Join(bucket, "out", ".augmix"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(bucket, "old", stale), filepath.Join(bucket, "out", stale)); err != nil {
		t.Fatal(err)
	}
	augmix(t, exitDone, "verify", "s3://bucket/out")
	sameTree(t, tree(t, filepath.Join(bucket, "out")), wholeOf(t, "--seed", "4"))
}

// start begins a command in a process of its own, with a stage and a way to the store of its own.
func start(t *testing.T, endpoint string, args ...string) (cmd *exec.Cmd, said *strings.Builder) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said = &strings.Builder{}
	cmd = exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "AUGMIX_TEST_MAIN=1", "AUGMIX_STAGE="+t.TempDir(), "AWS_ENDPOINT_URL="+endpoint)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, said
}

// TestRemoteTaken: a run over whose output another has started over ends with an error that says so, and publishes no more: where it has
// not published anything, where it has published a part, and where the other has come to its end.
func TestRemoteTaken(t *testing.T) {
	bucket, proxy := breakable(t)
	want := wholeOf(t, "--seed", "2")
	for name, last := range map[string]func(r *http.Request) bool{
		"making": func(r *http.Request) bool {
			return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "0011.png")
		},
		"publishing": func(r *http.Request) bool {
			return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/pixelate/")
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := "s3://bucket/taken-" + name
			slow := storagetest.NewProxy(t, proxy.URL)
			reached, goOn := make(chan struct{}), make(chan struct{})
			stopped := false
			slow.Break(func(_ int, r *http.Request) storagetest.Fault {
				if !stopped && last(r) {
					stopped = true
					close(reached)
					<-goOn
				}
				return storagetest.None
			})
			first, said := start(t, slow.URL, claimed(out, "--seed", "1", "-j", "1")...)
			<-reached
			var done atomic.Bool
			if name == "publishing" { // the other is at work when the first goes on
				proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
					if !done.Load() && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "taken-publishing/manifest.json") {
						done.Store(true)
						close(goOn)
						time.Sleep(10 * time.Millisecond)
					}
					return storagetest.None
				})
			}
			t.Setenv("AUGMIX_STAGE", t.TempDir())
			augmix(t, exitDone, claimed(out, "--seed", "2", "--force")...)
			proxy.Break(nil)
			if name == "making" {
				close(goOn)
			}
			err := first.Wait()
			if err == nil || !strings.Contains(said.String(), "taken over") || !strings.Contains(said.String(), "seed: was 1, now 2") {
				t.Errorf("%v: %s", err, said)
			}
			if name == "making" {
				sameTree(t, tree(t, filepath.Join(bucket, "taken-"+name)), want)
				augmix(t, exitDone, "verify", out)
			}
			if got := tree(t, filepath.Join(bucket, "taken-"+name))["manifest.json"]; got != want["manifest.json"] {
				t.Error("the manifest is not the other's")
			}
		})
	}
}

// TestRemoteChangedBetweenShards: parts of different inputs are not joined, and the part in the store that the message names can be
// removed and made again, also where the parts were fetched before.
func TestRemoteChangedBetweenShards(t *testing.T) {
	bucket := remote(t)
	out := "s3://bucket/out"
	shard := func(want int, sh string) outcome { return augmix(t, want, claimed(out, "--shard", sh)...) }
	shard(exitDone, "0/2")
	image := filepath.Join(bucket, "in", "cat", "0000.png")
	remove(t, image)
	write(t, image, testImage(t, 77, 50, 50))
	o := shard(exitFailed, "1/2")
	name := "s3://bucket/out/.augmix/shard-I-of-2/manifest.json"
	if !strings.Contains(o.err, name) || strings.Contains(o.err, os.Getenv("AUGMIX_STAGE")) {
		t.Errorf("the remedy does not name %s: %s", name, o.err)
	}
	augmix(t, exitFailed, "verify", out)
	remove(t, filepath.Join(bucket, "out", ".augmix", "shard-0-of-2", "manifest.json"))
	shard(exitDone, "0/2")
	augmix(t, exitDone, "verify", out)
	sameTree(t, tree(t, filepath.Join(bucket, "out")), wholeOf(t))
	stageEmpty(t)
}

// TestRemoteNothingBegun: a run that cannot begin leaves no claim, so that one with other options may.
func TestRemoteNothingBegun(t *testing.T) {
	bucket := remote(t)
	stage := os.Getenv("AUGMIX_STAGE")
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, nil)
	write(t, filepath.Join(bucket, "bad", "cat", "1.png"), []byte("no image"))
	for name, args := range map[string][]string{
		"stage":    claimed("s3://bucket/out-stage"),
		"shard":    claimed("s3://bucket/out-shard", "--shard", "0/2"),
		"rejected": {"data", "convert", "s3://bucket/bad", "-o", "s3://bucket/out-rejected", "--output-format", "wds"},
	} {
		t.Setenv("AUGMIX_STAGE", stage)
		if name != "rejected" {
			t.Setenv("AUGMIX_STAGE", filepath.Join(blocked, "stage"))
		}
		augmix(t, exitFailed, args...)
		if claim := filepath.Join(bucket, "out-"+name, ".augmix", "claim.json"); exists(claim) {
			t.Errorf("%s: left %s", name, claim)
		}
		t.Setenv("AUGMIX_STAGE", stage)
		augmix(t, exitDone, claimed("s3://bucket/out-"+name, "--seed", "5")...)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
