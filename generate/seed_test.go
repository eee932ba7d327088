package generate

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/transform"
)

// otherwise runs the job and checks that it is refused because of what says, both values named.
func otherwise(t testing.TB, j Job, says string) {
	t.Helper()
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want ErrDiffers and %q", err, says)
	}
}

// stopped runs the job until it has put some images and is canceled.
func stopped(t testing.TB, make func(hook func(string) error) Job) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	puts := 0
	_, err := Run(ctx, make(func(event string) error {
		if puts++; event == "put" && puts > 20 {
			cancel()
		}
		return nil
	}))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want a canceled run", err)
	}
}

// brightness is a benchmark of two severities at most of one corruption.
func brightness(severities ...float64) *Benchmark {
	return &Benchmark{
		Forms:  &transform.Corruptions{Names: []string{"brightness", "fog"}, Severities: severities},
		Format: "folder", Encoding: data.Encoding{JPEG: true, Quality: 85},
	}
}

// benchmarkJob is a job without options of a caller.
func benchmarkJob(b *Benchmark, dir string) Job {
	j := b.Job(&fakeSource{n: 4}, Output{Path: dir}, 4)
	j.Seed = 1
	return j
}

// Another seed is another output, though the caller names no options: a complete one, one that gets more parts, and one to resume.
func TestSeedIsCompared(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, benchmarkJob(brightness(1), dir))
	for _, severities := range [][]float64{{1}, {1, 2}} {
		j := benchmarkJob(brightness(severities...), dir)
		j.Seed = 2
		otherwise(t, j, "seed: was 1, now 2")
	}
	if res := mustRun(t, benchmarkJob(brightness(1, 2), dir)); res.Manifest.Seed != 1 || len(res.Manifest.Parts) != 4 {
		t.Errorf("manifest %+v", res.Manifest)
	}
	cut := t.TempDir()
	plain := func(hook func(string) error) Job {
		j := testJob(cut, 30, hook)
		j.Options = nil
		return j
	}
	stopped(t, plain)
	j := plain(nil)
	j.Seed = 6
	otherwise(t, j, "seed: was 5, now 6")
	mustRun(t, plain(nil))
}

// A seed among the caller's options is named once.
func TestSeedIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, testJob(dir, 3, nil))
	j := testJob(dir, 3, nil)
	j.Seed, j.Options = 6, []Option{j.Options[0], {"seed", "6"}}
	_, err := Run(t.Context(), j)
	if !errors.Is(err, ErrDiffers) || strings.Count(err.Error(), "seed: ") != 1 {
		t.Errorf("error %v", err)
	}
}

// A journal of an earlier version says no seed, and is resumed.
func TestSeedOfEarlierJournal(t *testing.T) {
	dir := t.TempDir()
	stopped(t, func(hook func(string) error) Job { return testJob(dir, 30, hook) })
	old, err := readJournal(Output{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	old.Seed = nil
	if err := old.write(Output{Path: dir}); err != nil {
		t.Fatal(err)
	}
	if res := mustRun(t, testJob(dir, 30, nil)); res.Resumed == 0 {
		t.Error("nothing was resumed")
	}
	sameTree(t, tree(t, dir), undisturbed(t, 30))
}

// Shards of different seeds are not joined where each was made on a machine of its own.
func TestSeedOfShards(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		b := brightness(1)
		j := benchmarkJob(b, dir)
		j.Seed = uint64(i)
		if _, _, err := RunShard(t.Context(), j, Shard{i, 2}, 4, b.Task); err != nil {
			t.Fatal(err)
		}
	}
	part := func(dir string) string { return Output{Path: dir}.shard(Shard{1, 2}) }
	if err := os.Rename(part(dirs[1]), part(dirs[0])); err != nil {
		t.Fatal(err)
	}
	_, _, err := Join(t.Context(), Output{Path: dirs[0]}, 0)
	if !errors.Is(err, ErrShards) || !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "seed: was 0, now 1") {
		t.Errorf("error %v", err)
	}
}
