package generate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/storage"
)

// TestJoinChecksFiles: a part that lost bytes on its way is refused with the file's name, and nothing is moved or removed: with the file as
// it was the parts are joined to what one run makes.
func TestJoinChecksFiles(t *testing.T) {
	const n, count = 17, 3
	for _, form := range []string{"arrays", "tree", "fan"} {
		dir := t.TempDir()
		mustRun(t, shardJob(form, dir, n))
		want := tree(t, dir)
		out := Output{Path: t.TempDir()}
		for i := range count {
			apart := t.TempDir()
			runShards(t, form, apart, n, []int{i}, count, false)
			if err := os.CopyFS(out.Path, os.DirFS(apart)); err != nil {
				t.Fatal(err)
			}
		}
		part := Output{Path: out.shard(Shard{2, count})}
		m, err := ReadManifest(part)
		if err != nil {
			t.Fatal(err)
		}
		name := m.Files[len(m.Files)-1].Path
		file := filepath.Join(part.Path, filepath.FromSlash(name))
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		other := append([]byte{}, good...)
		other[len(other)-1]++
		for what, damaged := range map[string][]byte{"cut off": good[:len(good)-3], "overwritten": other, "missing": nil} {
			if err := os.WriteFile(file, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
			if damaged == nil {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			before := tree(t, part.Path)
			_, _, err := Join(t.Context(), out, 2)
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), storage.Join(part.Path, name)) {
				t.Errorf("%s, %s %s: %v", form, name, what, err)
			}
			sameTree(t, tree(t, part.Path), before)
		}
		if err := os.WriteFile(file, good, 0o644); err != nil {
			t.Fatal(err)
		}
		if m, _, err := Join(t.Context(), out, 2); err != nil || m == nil {
			t.Errorf("%s: %v", form, err)
			continue
		}
		sameTree(t, tree(t, out.Path), want)
	}
}

// TestJoinKnowsParts: a part that was copied under another's name is not joined twice.
func TestJoinKnowsParts(t *testing.T) {
	const n, count = 17, 3
	out := Output{Path: t.TempDir()}
	runShards(t, "arrays", out.Path, n, []int{0, 1}, count, false)
	copyTree(t, out.shard(Shard{2, count}), out.shard(Shard{1, count}))
	before := tree(t, out.shard(Shard{2, count}))
	_, _, err := Join(t.Context(), out, 1)
	if !errors.Is(err, ErrShards) || !strings.Contains(err.Error(), out.shard(Shard{2, count})+" holds shard 1/3") {
		t.Errorf("%v", err)
	}
	sameTree(t, tree(t, out.shard(Shard{2, count})), before)
}

// TestJoinOldParts: parts of earlier versions, whose manifests do not say which they are, are joined to what one run makes.
func TestJoinOldParts(t *testing.T) {
	const n, count = 17, 3
	dir := t.TempDir()
	mustRun(t, shardJob("tree", dir, n))
	out := Output{Path: t.TempDir()}
	for i := range count {
		apart := t.TempDir()
		runShards(t, "tree", apart, n, []int{i}, count, false)
		part := Output{Path: Output{Path: apart}.shard(Shard{i, count})}
		m, err := ReadManifest(part)
		if err != nil || m.Shard != (Shard{i, count}).String() {
			t.Fatalf("shard %q, %v", m.Shard, err)
		}
		m.Shard = ""
		if err := m.write(part); err != nil {
			t.Fatal(err)
		}
		copyTree(t, out.Path, apart)
	}
	if m, _, err := Join(t.Context(), out, 1); err != nil || m == nil {
		t.Fatal(err)
	}
	sameTree(t, tree(t, out.Path), tree(t, dir))
}
