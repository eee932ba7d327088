package generate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestJoinAll: the parts of every epoch are put together to what one run makes; an epoch that lacks parts is named, and is unfinished, and
// does not keep another from it.
func TestJoinAll(t *testing.T) {
	const n = 17
	whole := Output{Path: filepath.Join(t.TempDir(), "out")}
	out := Output{Path: filepath.Join(t.TempDir(), "out")}
	part := func(epoch, i int) {
		t.Helper()
		apart := filepath.Join(t.TempDir(), "out")
		runShards(t, "tree", apart, n, []int{i}, 2, false)
		copyTree(t, out.Epoch(epoch).Path, apart)
	}
	var joined []string
	all := func() error {
		joined = nil
		return JoinAll(t.Context(), out.Path, 1, func(p Output, m *Manifest) {
			if m.Samples != n {
				t.Errorf("%s: %d samples", p.Path, m.Samples)
			}
			joined = append(joined, filepath.Base(p.Path))
		})
	}
	mustRun(t, shardJob("tree", whole.Path, n))
	want := tree(t, whole.Path)
	for _, e := range []int{1, 2} {
		part(e, 0)
	}
	part(2, 1)
	if err := all(); !errors.Is(err, ErrShards) || !strings.Contains(err.Error(), out.Epoch(1).Path+" is shards incomplete: parts that are not done: 1/2") ||
		!slices.Equal(joined, []string{"epoch-002"}) {
		t.Errorf("joined %v, %v", joined, err)
	}
	if left := Unfinished(out.Path); len(left) != 1 || left[0].Path != out.Epoch(1).Path {
		t.Errorf("unfinished: %v", left)
	}
	part(1, 1)
	if err := all(); err != nil || !slices.Equal(joined, []string{"epoch-001"}) {
		t.Errorf("joined %v, %v", joined, err)
	}
	for _, e := range []int{1, 2} {
		sameTree(t, tree(t, out.Epoch(e).Path), want)
	}
	file := filepath.Join(t.TempDir(), "out.npy")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{out.Path, file, file + ".gone"} { // nothing is left to do
		if err := JoinAll(t.Context(), none, 1, nil); err != nil || len(Unfinished(none)) != 0 {
			t.Errorf("%s: %v", none, err)
		}
	}
}
