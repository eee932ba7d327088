package generate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestForceOverShards: a run that starts over from parts clears them away before its own files come, so that it resumes where it was cut
// off, and nothing joins them meanwhile.
func TestForceOverShards(t *testing.T) {
	const n = 17
	dir := filepath.Join(t.TempDir(), "out")
	if _, _, err := RunShard(t.Context(), shardJob("tree", dir, n), Shard{0, 2}, n, shardTask("tree")); err != nil {
		t.Fatal(err)
	}
	j := shardJob("tree", dir, n)
	j.OnError, j.Force = Fail, true // at the fourth sample
	if _, err := Run(t.Context(), j); err == nil {
		t.Fatal("no sample was rejected")
	}
	if m, missing, err := Join(t.Context(), j.Out, 1); m != nil || missing != nil || err != nil {
		t.Errorf("%v, %v, %v", m, missing, err)
	}
	j.OnError, j.Force = Skip, false
	mustRun(t, j)
	other := shardJob("tree", filepath.Join(t.TempDir(), "out"), n)
	mustRun(t, other)
	sameTree(t, tree(t, dir), tree(t, other.Out.Path))
}

// TestShardsBesideComplete: what a Join that was cut off at its very end leaves is not joined again.
func TestShardsBesideComplete(t *testing.T) {
	const n = 17
	dir := filepath.Join(t.TempDir(), "out")
	out := Output{Path: dir}
	if _, _, err := RunShard(t.Context(), shardJob("tree", dir, n), Shard{0, 2}, n, shardTask("tree")); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(t.TempDir(), "part")
	copyTree(t, part, out.shard(Shard{0, 2}))
	if _, _, err := RunShard(t.Context(), shardJob("tree", dir, n), Shard{1, 2}, n, shardTask("tree")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	copyTree(t, out.shard(Shard{0, 2}), part)
	copyTree(t, out.shard(Shard{1, 2}), part)
	if m, missing, err := Join(t.Context(), out, 1); m != nil || missing != nil || err != nil {
		t.Errorf("%v, %v, %v", m, missing, err)
	}
	sameTree(t, tree(t, dir), before)
	if _, err := os.Stat(out.state()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
}
