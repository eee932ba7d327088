package generate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
)

// filedSource is a source of which a file is known.
type filedSource struct {
	data.Indexed
	file string
}

func (f filedSource) Files() []string { return []string{f.file} }

// Shards of different versions of an input are not joined; the message names them. Where the input lies and when it was copied
// there does not matter.
func TestShardsOfDifferentInputs(t *testing.T) {
	const n, count = 9, 3
	dir := filepath.Join(t.TempDir(), "out")
	file := filepath.Join(t.TempDir(), "set.bin")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	shard := func(i int) (*Manifest, error) {
		j := shardJob("tree", dir, n)
		j.Source = filedSource{j.Source.(*fakeSource), file}
		res, _, err := RunShard(t.Context(), j, Shard{i, count}, n, shardTask("tree"))
		return res.Manifest, err
	}
	write("first")
	if _, err := shard(0); err != nil {
		t.Fatal(err)
	}
	if _, err := shard(1); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	for text, want := range map[string]string{"another version": "files: other sizes", "tsrif": "files: other contents"} {
		write(text)
		_, err := shard(2)
		if !errors.Is(err, ErrShards) || !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "0/3 and 2/3 were made from different ones") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err := os.RemoveAll(Output{Path: dir}.shard(Shard{2, count})); err != nil {
			t.Fatal(err)
		}
	}
	for name := range before {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Error(err) // nothing was moved
		}
	}
	// Made again from a copy of the first version, which lies elsewhere now.
	file = filepath.Join(t.TempDir(), "elsewhere", "set.bin")
	write("first")
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(file, long, long); err != nil {
		t.Fatal(err)
	}
	m, err := shard(2)
	if err != nil || m.Samples != n || m.Input != nil || m.PerShard != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
