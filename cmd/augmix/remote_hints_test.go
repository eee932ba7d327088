package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a store does not have is said with what there is to do: patterns, a bucket that a plan would write to, folders of tar files.
func TestRemoteHints(t *testing.T) {
	bucket := remote(t)
	augmix(t, exitDone, "data", "convert", "s3://bucket/in", "-o", "s3://bucket/wds/a", "--output-format", "wds")
	write(t, filepath.Join(bucket, "wds", "b", "other.tar"), []byte(tree(t, filepath.Join(bucket, "wds", "a"))["data-000000.tar"]))
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailed, "only braces are expanded (allowed: the folder that holds the files, s3://bucket/wds/a/, or tar files as data-{000..146}.tar)", []string{"data", "info", "s3://bucket/wds/a/*.tar"}},
		{exitDone, "such as a/data-000000.tar: name the folder that they lie in, s3://bucket/wds/a,", []string{"data", "info", "s3://bucket/wds"}},
		{exitDone, "", []string{"data", "info", "s3://bucket/wds/a::s3://bucket/wds/b", "--shard-keys"}},
		{exitDone, "s3://nothing: there is no such bucket", []string{"corrupt", "s3://bucket/in", "-o", "s3://nothing/x", "--subset", "fog", "--plan"}},
		{exitDone, "s3://nothing: there is no such bucket", []string{"augment", "s3://bucket/in", "-o", "s3://nothing/x", "--plan"}},
	} {
		if o := augmix(t, c.code, c.args...); !strings.Contains(o.err, c.want) || c.want == "" && o.err != "" {
			t.Errorf("%q: %q, want %q", c.args, o.err, c.want)
		}
	}
	if o := augmix(t, exitDone, "corrupt", "s3://bucket/in", "-o", "s3://bucket/x", "--subset", "fog", "--plan"); o.err != "" {
		t.Errorf("a plan for a bucket that is there: %q", o.err)
	}
}

// Shards that share keys are an error that names the flag, and of train, which does not have it, the command that has.
func TestSharedKeys(t *testing.T) {
	dir := t.TempDir()
	augmix(t, exitDone, "data", "convert", photos(t, 4), "-o", filepath.Join(dir, "a"), "--output-format", "wds")
	shard := tree(t, filepath.Join(dir, "a"))["data-000000.tar"]
	in := filepath.Join(dir, "in")
	write(t, filepath.Join(in, "a.tar"), []byte(shard))
	write(t, filepath.Join(in, "b.tar"), []byte(shard))
	for want, args := range map[string][]string{
		"(--shard-keys puts the shard's name": {"data", "info", in},
		"(augmix data convert --shard-keys":   {"train", "--data", in, "--model", "resnet20", "-o", filepath.Join(dir, "run")},
	} {
		if o := augmix(t, exitFailed, args...); !strings.Contains(o.err, want) {
			t.Errorf("%q: %s", args, o.err)
		}
	}
	augmix(t, exitDone, "data", "info", in, "--shard-keys")
	once := filepath.Join(dir, "once.tar")
	write(t, once, []byte(shard[:len(shard)-1024]+shard))
	for _, path := range []string{once, in} { // one shard, and the first of two
		write(t, filepath.Join(in, "a.tar"), []byte(shard[:len(shard)-1024]+shard))
		o := augmix(t, exitFailed, "data", "info", path)
		if !strings.Contains(o.err, "its entries must follow each other") || strings.Contains(o.err, "shard-keys") || strings.Contains(o.err, "ShardKeys") {
			t.Errorf("a key twice in one shard: %s", o.err)
		}
	}
	write(t, filepath.Join(in, "a.tar"), []byte(shard))
	write(t, filepath.Join(in, "b.tar"), []byte(shard[:len(shard)-1024]+shard))
	if o := augmix(t, exitFailed, "data", "info", in, "--shard-keys"); strings.Contains(o.err, "(--shard-keys") {
		t.Errorf("keys of one shard: %s", o.err)
	}
}
