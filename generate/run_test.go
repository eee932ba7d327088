package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/transform"
)

// The bytes do not depend on the number of workers, nor on random access, nor on where checkpoints fall.
func TestSameBytesForAnyWorkers(t *testing.T) {
	const n = 150
	want := undisturbed(t, n)
	if len(want) != 3 || !strings.Contains(want["items.log"], "k149-v2 1 7x7") {
		t.Fatalf("the undisturbed run left %d files", len(want))
	}
	for _, workers := range []int{1, 2, 7} {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("workers=%d,stream=%v", workers, stream), func(t *testing.T) {
				dir := t.TempDir()
				j := testJob(dir, n, nil)
				j.Workers = workers
				if stream {
					j.Source = streamOnly{j.Source}
				}
				res := mustRun(t, j)
				sameTree(t, tree(t, dir), want)
				if res.Done != n || res.Items != 3*n || res.Resumed != 0 || len(res.Rejected) != 0 {
					t.Errorf("result %+v", res.Progress)
				}
			})
		}
	}
}

// A run that is canceled at random points and started again ends with the bytes of one that was not, and nothing is
// made twice.
func TestCancelAndResume(t *testing.T) {
	const n = 90
	want := undisturbed(t, n)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		puts, runs := 0, 0
		for done := false; !done; runs++ {
			if runs > 50 {
				t.Fatal("the run does not get on")
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			stopped := errors.New("stopped by the user")
			left := 1 + r.IntN(80)
			j := testJob(dir, n, func(event string) error {
				if event == "put" {
					if puts++; left == 0 {
						cancel(stopped)
					}
					left--
				}
				return nil
			})
			j.Workers = 1 + r.IntN(7)
			if r.IntN(2) == 0 {
				j.Source = streamOnly{j.Source}
			}
			_, err := Run(ctx, j)
			if done = err == nil; !done && !errors.Is(err, stopped) {
				t.Fatalf("seed %d: %v, want the cause of the cancellation", seed, err)
			}
			// The final name is there when all is done, or all but the manifest; then whole.
			if text, ok := tree(t, dir)["items.log"]; done && !ok || ok && text != want["items.log"] {
				t.Fatalf("seed %d: done %v, the final name is there %v, with %d bytes", seed, done, ok, len(text))
			}
			cancel(nil)
		}
		sameTree(t, tree(t, dir), want)
		if puts != 3*n {
			t.Errorf("seed %d: %d images were put in %d runs, want %d: something was done twice", seed, puts, runs, 3*n)
		}
	}
}

// A process that ends without a word, at any event, leaves a place from which the next run gets to the same bytes.
func TestCrashAndResume(t *testing.T) {
	const n = 40
	want := undisturbed(t, n)
	base := t.TempDir()
	crashes := 0
	events := map[string]int{}
	dir := filepath.Join(base, "whole")
	mustRun(t, testJob(dir, n, func(event string) error {
		if events[event]++; event != "put" || events[event]%9 == 4 {
			crashes++
			copyTree(t, filepath.Join(base, fmt.Sprint(crashes)), dir)
		}
		return nil
	}))
	if crashes < 15 || events["checkpoint"] < 5 || events["closed"] != 1 {
		t.Fatalf("%d crashes at %v", crashes, events)
	}
	for i := range crashes {
		dir := filepath.Join(base, fmt.Sprint(i+1))
		j := testJob(dir, n, nil)
		j.Workers = 1 + i%3
		mustRun(t, j)
		sameTree(t, tree(t, dir), want)
	}
}

// A crash between the sink's end and the manifest only costs the manifest.
func TestCrashAfterClose(t *testing.T) {
	const n = 20
	want := undisturbed(t, n)
	for _, when := range []string{"close", "closed"} {
		dir, crashed := t.TempDir(), filepath.Join(t.TempDir(), "crashed")
		mustRun(t, testJob(dir, n, func(event string) error {
			if event == when {
				copyTree(t, crashed, dir)
			}
			return nil
		}))
		puts := 0
		mustRun(t, testJob(crashed, n, func(event string) error {
			if event == "put" {
				puts++
			}
			return nil
		}))
		sameTree(t, tree(t, crashed), want)
		// With several files in a directory, a run cannot know how many had got their names: it starts over.
		if limit := map[string]int{"close": 0, "closed": 3 * n}[when]; puts != limit {
			t.Errorf("after a crash at %s: %d images made again, want %d", when, puts, limit)
		}
	}
}

// Hashing a large output takes minutes: interrupted there, a run has made all its images, and none is made again.
func TestCancelWhileHashing(t *testing.T) {
	const n = 20
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	j := testJob(dir, n, func(event string) error {
		if event == "closed" {
			cancel()
		}
		return nil
	})
	if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want the cancellation", err)
	}
	mustRun(t, testJob(dir, n, func(event string) error {
		if event == "put" {
			return errors.New("made again")
		}
		return nil
	}))
	sameTree(t, tree(t, dir), undisturbed(t, n))
}

// One file needs no such caution: when it has its name it is whole.
func TestCrashAfterCloseOfOneFile(t *testing.T) {
	base := t.TempDir()
	job := func(dir string, hook func(string) error) Job {
		j := testJob(dir, 20, hook)
		j.Out = Output{Path: filepath.Join(dir, "items.log"), File: true}
		return j
	}
	whole, crashed := filepath.Join(base, "whole"), filepath.Join(base, "crashed")
	mustRun(t, job(whole, func(event string) error {
		if event == "closed" {
			copyTree(t, crashed, whole)
		}
		return nil
	}))
	mustRun(t, job(crashed, func(event string) error {
		if event == "put" {
			return errors.New("made again")
		}
		return nil
	}))
	want := tree(t, whole)
	sameTree(t, tree(t, crashed), want)
	for _, name := range []string{"items.log", "items.log.manifest.json", "items.log.args.yaml"} {
		if want[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if d, err := Verify(t.Context(), Output{Path: filepath.Join(crashed, "items.log"), File: true}, 2); err != nil || !d.OK() || d.Files != 1 {
		t.Errorf("Verify: %+v, %v", d, err)
	}
}

// When the disk is full the run fails in words, leaves nothing under a final name, and goes on when there is room.
func TestFullDisk(t *testing.T) {
	const n = 60
	want := undisturbed(t, n)
	for _, at := range []string{"put", "checkpoint", "close"} {
		for _, after := range []int{0, 3, 50} {
			dir := t.TempDir()
			count := 0
			_, err := Run(t.Context(), testJob(dir, n, func(event string) error {
				if event == at {
					if count++; count > after {
						return fmt.Errorf("cannot write %s: %w", filepath.Join(dir, "items.log"), syscall.ENOSPC)
					}
				}
				return nil
			}))
			if at == "close" && after > 0 {
				if err != nil {
					t.Fatal(err)
				}
				continue
			}
			if at == "checkpoint" && after == 50 {
				continue // so many are never taken
			}
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "items.log") {
				t.Fatalf("full at %s %d: error %v", at, after, err)
			}
			for name := range tree(t, dir) {
				if name == "items.log" || name == ManifestName {
					t.Errorf("full at %s %d: %s is there", at, after, name)
				}
			}
			mustRun(t, testJob(dir, n, nil))
			sameTree(t, tree(t, dir), want)
		}
	}
}

func rejectingJob(dir string) Job {
	j := testJob(dir, 50, nil)
	j.Source = &fakeSource{n: 50, unreadable: map[int]bool{3: true, 20: true}, corrupt: map[int]bool{21: true, 49: true}}
	return j
}

func TestSkipLists(t *testing.T) {
	var want map[string]string
	for _, stream := range []bool{false, true} {
		dir := t.TempDir()
		j := rejectingJob(dir)
		j.OnError = Skip
		if stream {
			j.Source = streamOnly{j.Source}
		}
		res := mustRun(t, j)
		if res.Done != 50 || res.Items != 46*3 || res.Progress.Rejected != 4 || len(res.Rejected) != 4 {
			t.Fatalf("result %+v", res.Progress)
		}
		for i, index := range []int{3, 20, 21, 49} {
			f := res.Rejected[i]
			key, name := fmt.Sprintf("k%03d", index), fmt.Sprintf("in/%03d.bin", index)
			if f.Index != index || f.Key != key || f.Name != name || f.Reason == "" {
				t.Errorf("refusal %d: %+v", i, f)
			}
		}
		if res.Rejected[0].Reason != errBroken.Error() {
			t.Errorf("reason %q repeats the name or lacks the cause", res.Rejected[0].Reason)
		}
		m, err := ReadManifest(Output{Path: dir})
		if err != nil || len(m.Rejected) != 4 || m.Samples != 50 || m.Items != 138 {
			t.Errorf("manifest %+v, %v", m, err)
		}
		if want == nil {
			want = tree(t, dir)
		}
		sameTree(t, tree(t, dir), want)
		// A complete output with rejected samples says so again.
		if res := mustRun(t, j); !res.Already || len(res.Rejected) != 4 {
			t.Errorf("second run: already %v, %d rejected", res.Already, len(res.Rejected))
		}
	}
}

// Under Fail the run stops at the first bad sample, and the same output goes on under Skip with nothing done twice.
func TestFailThenSkip(t *testing.T) {
	dir := t.TempDir()
	_, err := Run(t.Context(), rejectingJob(dir))
	var bad *data.SampleError
	if !errors.As(err, &bad) || bad.Name != "in/003.bin" || !strings.Contains(err.Error(), "in/003.bin") {
		t.Fatalf("error %v, want one that names in/003.bin", err)
	}
	j := rejectingJob(dir)
	j.OnError = Skip
	res := mustRun(t, j)
	if res.Resumed != 3 || res.Progress.Rejected != 4 {
		t.Errorf("resumed at %d with %d rejected, want 3 and 4", res.Resumed, res.Progress.Rejected)
	}
	undisturbed := t.TempDir()
	j = rejectingJob(undisturbed)
	j.OnError = Skip
	mustRun(t, j)
	sameTree(t, tree(t, dir), tree(t, undisturbed))
}

// A sample or a sink that fails with io.EOF inside does not look like the end of the data set.
func TestWrappedEOFIsNotTheEnd(t *testing.T) {
	for _, stream := range []bool{false, true} {
		j := testJob(t.TempDir(), 30, nil)
		j.Source = &fakeSource{n: 30, cutShort: map[int]bool{12: true}}
		if stream {
			j.Source = streamOnly{j.Source}
		}
		if res, err := Run(t.Context(), j); err == nil || res.Done != 12 {
			t.Errorf("stream %v: %d done, error %v", stream, res.Done, err)
		}
		j = testJob(t.TempDir(), 30, func(event string) error {
			if event == "put" {
				return fmt.Errorf("pipe: %w", io.EOF)
			}
			return nil
		})
		if _, err := Run(t.Context(), j); !errors.Is(err, io.EOF) {
			t.Errorf("a failing sink: error %v", err)
		}
	}
	src := &fakeSource{n: 30, cutShort: map[int]bool{12: true}}
	if n, err := data.Scan(t.Context(), src, 2, func(int, int, *data.Sample, error) {}); n != 30 || err != nil {
		t.Errorf("Scan: %d samples, %v", n, err)
	}
}

// A failure of the whole source stops the run under either policy and keeps what was done.
func TestSourceFails(t *testing.T) {
	store := &data.SampleError{Name: "in/025.bin", Key: "k025", Err: fmt.Errorf("%w: 503", storage.ErrStore)}
	for _, failure := range []error{errBroken, store} {
		for _, stream := range []bool{false, true} {
			for _, policy := range []Policy{Fail, Skip} {
				dir := t.TempDir()
				j := testJob(dir, 40, nil)
				j.Source, j.OnError = &fakeSource{n: 40, fatalAt: 25, fatal: failure}, policy
				if stream {
					j.Source = streamOnly{j.Source}
				}
				if res, err := Run(t.Context(), j); !errors.Is(err, failure) || len(res.Rejected) > 0 {
					t.Fatalf("stream %v, policy %v: %d rejected, error %v", stream, policy, len(res.Rejected), err)
				}
				if res := mustRun(t, testJob(dir, 40, nil)); res.Resumed != 25 {
					t.Errorf("stream %v, policy %v: resumed at %d, want 25", stream, policy, res.Resumed)
				}
			}
		}
	}
}

// sealed is a source whose checksum differs: its last read says so, and Seal.
type sealed struct{ *fakeSource }

func (s sealed) Read(i int, sample *data.Sample) error {
	if err := s.fakeSource.Read(i, sample); err != nil || s.reads.Load() < int64(s.n) {
		return err
	}
	return errBroken
}

func (sealed) Seal() error { return errBroken }

// A run that resumes where the last sample of a source with a checksum was read, and found to differ, does not take it for sound.
func TestSealedAcrossResume(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		j := testJob(dir, 40, nil)
		j.Source = sealed{&fakeSource{n: 40}}
		if res, err := Run(t.Context(), j); !errors.Is(err, errBroken) {
			t.Errorf("resumed at %d, error %v", res.Resumed, err)
		}
	}
}

// A complete output of fewer samples than there are now is not that of the input.
func TestCompleteInputChanged(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, testJob(dir, 4, nil))
	_, err := Run(t.Context(), testJob(dir, 5, nil))
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), dir+" was made") || !strings.Contains(err.Error(), "samples: were 4, now 5") {
		t.Error(err)
	}
	j := testJob(dir, 4, nil)
	j.Source = endless{j.Source} // it does not know how many
	if res := mustRun(t, j); !res.Already {
		t.Error("made again")
	}
	j = testJob(dir, 5, nil)
	j.Force = true
	if res := mustRun(t, j); res.Done != 5 {
		t.Errorf("%+v", res.Progress)
	}
}

func TestOptionsDiffer(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	half := testJob(dir, 30, func(event string) error {
		if event == "checkpointed" {
			cancel()
		}
		return nil
	})
	if _, err := Run(ctx, half); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	other := func() Job {
		j := testJob(dir, 30, nil)
		j.Options = []Option{{"mix", "none"}, {"crop", "7"}}
		j.Seed = 6
		return j
	}
	check := func(what string) {
		t.Helper()
		before := tree(t, dir)
		_, err := Run(t.Context(), other())
		if !errors.Is(err, ErrDiffers) {
			t.Fatalf("%s: error %v, want ErrDiffers", what, err)
		}
		// What only one of them has follows from what differs, and is said where nothing else is.
		if text := err.Error(); !strings.Contains(text, "mix: was augmix-m3-w3-d-1, now none") || strings.Contains(text, "not set") {
			t.Errorf("%s: %v", what, err)
		}
		var in *DiffersError
		if !errors.As(err, &in) || in.Path != dir || in.State != what || !in.Has("mix") || in.Has("crop") {
			t.Errorf("%s: in %+v", what, in)
		}
		same := other()
		same.Options[0].Value = "augmix-m3-w3-d-1"
		_, err = Run(t.Context(), same)
		for _, line := range []string{"crop: was not set, now 7", "seed: was 5, now not set"} {
			if !errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), line) {
				t.Errorf("%s: %v\nlacks %q", what, err, line)
			}
		}
		sameTree(t, tree(t, dir), before)
	}
	check("unfinished")
	mustRun(t, testJob(dir, 30, nil))
	check("complete")
	before := tree(t, dir)
	if res := mustRun(t, testJob(dir, 30, nil)); !res.Already || res.Done != 30 || res.Items != 90 {
		t.Errorf("a complete output was not seen as that: %+v", res)
	}
	sameTree(t, tree(t, dir), before)

	j := other()
	j.Force = true
	mustRun(t, j)
	fresh := t.TempDir()
	j = other()
	j.Out.Path, j.Task = fresh, testJob(fresh, 30, nil).Task
	mustRun(t, j)
	sameTree(t, tree(t, dir), tree(t, fresh))
}

// What other programs put somewhere is never overwritten, Force or not.
func TestOccupied(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(mine, []byte("years of work"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, force := range []bool{false, true} {
		for _, out := range []Output{{Path: dir}, {Path: mine, File: true}} {
			j := testJob(dir, 5, nil)
			j.Out, j.Force = out, force
			if _, err := Run(t.Context(), j); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), "thesis.tex") {
				t.Errorf("force %v, %v: error %v", force, out, err)
			}
		}
	}
	sameTree(t, tree(t, dir), map[string]string{"thesis.tex": "years of work"})

	// Nor is a file that joined a finished output.
	own := t.TempDir()
	mustRun(t, testJob(own, 5, nil))
	extra := filepath.Join(own, "notes.txt")
	if err := os.WriteFile(extra, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	j := testJob(own, 5, nil)
	j.Force = true
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), "notes.txt") {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(extra); string(text) != "mine" {
		t.Error("the user's file is gone")
	}
}

// TestSinkWithoutOverwrite: a sink that asks for an empty folder finds the run's own files there, and the error says what to set.
func TestSinkWithoutOverwrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	j := testJob(dir, 3, nil)
	j.Task = PipelineTask(new(transform.Pipeline), 0, func(state []byte) (data.Sink, error) {
		return folder.Create(dir, nil, folder.SinkOptions{}, state)
	})
	if _, err := Run(t.Context(), j); !errors.Is(err, os.ErrExist) || !strings.Contains(err.Error(), "SinkOptions.Overwrite") {
		t.Errorf("error %v", err)
	}
}

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	j := testJob(dir, 30, func(event string) error {
		if event == "close" {
			if _, err := Run(t.Context(), testJob(dir, 30, nil)); !errors.Is(err, ErrBusy) {
				t.Errorf("a second run at the same place: error %v, want ErrBusy", err)
			}
		}
		return nil
	})
	mustRun(t, j)
}

func TestDamagedOutputIsNotComplete(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, testJob(dir, 5, nil))
	if err := os.Truncate(filepath.Join(dir, "items.log"), 10); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), testJob(dir, 5, nil)); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "items.log") {
		t.Errorf("error %v", err)
	}
	j := testJob(dir, 5, nil)
	j.Force = true
	mustRun(t, j)
	if d, err := Verify(t.Context(), Output{Path: dir}, 1); err != nil || !d.OK() {
		t.Errorf("after --force: %+v, %v", d, err)
	}
}

// TestDeletedFile: who deleted the file of an output and asks for another is told that it is gone, not that it is complete.
func TestDeletedFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "items.log")
	j := testJob(dir, 5, nil)
	j.Out = Output{Path: file, File: true}
	mustRun(t, j)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	j.Options = []Option{{"seed", "6"}}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrDamaged) || errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), "items.log is missing") {
		t.Errorf("error %v", err)
	}
	j.Force = true
	mustRun(t, j)
}

func TestDamagedJournal(t *testing.T) {
	for _, text := range []string{"", "{", `{"version":9}`, `{"version":1,"next":-1,"phase":"writing"}`, `{"version":1,"phase":"x"}`} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, stateDir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, stateDir, journalName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(t.Context(), testJob(dir, 5, nil)); !errors.Is(err, ErrDamaged) || !errors.Is(err, ErrRecord) {
			t.Errorf("journal %q: error %v", text, err)
		}
		j := testJob(dir, 5, nil)
		j.Force = true
		mustRun(t, j)
	}
}

// The input must be the one the journal speaks of.
func TestShrunkInput(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	j := testJob(dir, 60, func(event string) error {
		if event == "put" {
			if n++; n == 100 {
				cancel()
			}
		}
		return nil
	})
	j.Source = endless{j.Source}
	if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	j = testJob(dir, 10, nil)
	j.Source = endless{j.Source}
	if _, err := Run(t.Context(), j); !errors.Is(err, errShrunk) || !errors.Is(err, ErrChanged) {
		t.Errorf("error %v", err)
	}
}

func TestStream(t *testing.T) {
	var want string
	for _, workers := range []int{1, 7} {
		sink := new(memorySink)
		res, err := Run(t.Context(), Job{
			Source: streamOnly{&fakeSource{n: 33}},
			Task: Images{
				Open:      func([]byte) (data.Sink, error) { return sink, nil },
				Transform: func() transform.Transform { return copying{} },
			},
			Workers: workers, CheckpointEvery: 1, CheckpointAfter: 1,
		})
		if err != nil || res.Items != 33 || res.Manifest != nil {
			t.Fatalf("%+v, %v", res, err)
		}
		if want == "" {
			want = sink.String()
		}
		if sink.String() != want {
			t.Error("the stream depends on the number of workers")
		}
	}
}

func TestReport(t *testing.T) {
	var last Progress
	calls := 0
	j := testJob(t.TempDir(), 40, nil)
	j.Report = func(p Progress) {
		if p.Done < last.Done || p.Total != 40 {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		calls++
	}
	mustRun(t, j)
	if calls == 0 || last.Done != 40 || last.Items != 120 {
		t.Errorf("%d reports, the last %+v", calls, last)
	}
}

// Only a bounded number of samples is in memory however slow the sink is.
func TestBoundedMemory(t *testing.T) {
	const workers = 2
	src := &fakeSource{n: 100000}
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	j := testJob(dir, 0, func(event string) error {
		if event == "put" {
			time.Sleep(300 * time.Millisecond) // time for the workers to fill every slot there is
			cancel()
		}
		return nil
	})
	j.Source, j.Workers = src, workers
	if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got, limit := src.reads.Load(), int64((2*workers+1)*maxBatch); got > limit {
		t.Errorf("%d samples read ahead of a sink that takes none, want at most %d", got, limit)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, testJob(dir, 5, nil))
	place := Output{Path: dir}
	path := filepath.Join(dir, "items.log")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(want Damage) {
		t.Helper()
		got, err := Verify(t.Context(), place, 3)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Missing, got.Changed, got.Extra) != fmt.Sprint(want.Missing, want.Changed, want.Extra) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	check(Damage{})
	flipped := []byte(string(text))
	flipped[len(flipped)/2] ^= 1
	for _, c := range []struct {
		do   func() error
		want Damage
	}{
		{func() error { return os.WriteFile(path, flipped, 0o644) }, Damage{Changed: []string{"items.log"}}},
		{func() error { return os.Remove(path) }, Damage{Missing: []string{"items.log"}}},
		{func() error { return os.WriteFile(path, text, 0o644) }, Damage{}},
		{func() error { return os.WriteFile(filepath.Join(dir, "a"), nil, 0o644) }, Damage{Extra: []string{"a"}}},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		check(c.want)
	}
	if _, err := Verify(t.Context(), Output{Path: t.TempDir()}, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a manifest: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Verify(ctx, place, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// Only a run's own temporary files are swept away, never a neighbor.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	p := Output{Path: filepath.Join(dir, "x.npz"), File: true, Beside: []string{"classes.txt"}}
	gone := []string{
		"x.npz.partial", "x.npz.images.partial", ".x.npz.77-0.partial", "x.npz.tmp123", ".x_classes.txt.7-0.partial",
		".x.npz.manifest.json.9-1.partial", ".classes.txt.42-0.partial",
	}
	stay := []string{"x.npz", "x.npz.gz", "x.npz.tmp", "x.npz.tmpl1", "y.npz.partial", "xx.npz.partial", "labels.npy.partial", ".classes.txt.43-0.partial"}
	for _, name := range slices.Concat(gone, stay) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.sweep([]int{41, 42}); err != nil {
		t.Fatal(err)
	}
	for _, name := range gone {
		if exists(filepath.Join(dir, name)) {
			t.Errorf("%s is left", name)
		}
	}
	for _, name := range stay {
		if !exists(filepath.Join(dir, name)) {
			t.Errorf("%s is gone", name)
		}
	}
}

// TestSweepAfterDamage: what a killed run left half written beside the output is swept although its journal is damaged and
// another output's is not.
func TestSweepAfterDamage(t *testing.T) {
	dir := t.TempDir()
	job := func() Job {
		j := testJob(dir, 5, nil)
		j.Out = Output{Path: filepath.Join(dir, "items.log"), File: true, Beside: []string{"labels.npy"}}
		return j
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, job()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	journal := job().Out.journal()
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	mine, other := filepath.Join(dir, fmt.Sprintf(".labels.npy.%d-0.partial", os.Getpid())), filepath.Join(dir, ".labels.npy.1-0.partial")
	for path, content := range map[string][]byte{
		mine: nil, other: nil, journal: bytes.Replace(text, []byte("options"), []byte("optionz"), 1),
	} {
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Run(t.Context(), job()); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	j := job()
	j.Force = true
	mustRun(t, j)
	if exists(mine) || !exists(other) {
		t.Errorf("this run's is left: %v, another's is left: %v", exists(mine), exists(other))
	}
}

// A crash after the first journal and before the records are laid down costs nothing either.
func TestCrashBeforeRecords(t *testing.T) {
	want := undisturbed(t, 10)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, testJob(dir, 10, nil)); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, ArgsName)); err != nil {
		t.Fatal(err)
	}
	mustRun(t, testJob(dir, 10, nil))
	sameTree(t, tree(t, dir), want)
}

// Options may change freely as long as nothing is done.
func TestOptionsBeforeTheFirstSample(t *testing.T) {
	dir := t.TempDir()
	j := testJob(dir, 10, nil)
	j.Options = []Option{{"mix", "wrong"}}
	j.Task = Images{
		Open:      func([]byte) (data.Sink, error) { return nil, errors.New("no such thing") },
		Transform: images(j).Transform,
	}
	if _, err := Run(t.Context(), j); err == nil {
		t.Fatal("no error")
	}
	mustRun(t, testJob(dir, 10, nil))
	sameTree(t, tree(t, dir), undisturbed(t, 10))
}

// Of many processes at one place exactly one works at a time, and those that come late find it complete.
func TestManyAtOnce(t *testing.T) {
	want := undisturbed(t, 20)
	dir := t.TempDir()
	var wg sync.WaitGroup
	var puts atomic.Int64
	for range 8 {
		wg.Go(func() {
			for {
				_, err := Run(t.Context(), testJob(dir, 20, func(event string) error {
					if event == "put" {
						puts.Add(1)
					}
					return nil
				}))
				if err == nil {
					return
				}
				if !errors.Is(err, ErrBusy) {
					t.Error(err)
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
	sameTree(t, tree(t, dir), want)
	if puts.Load() != 60 {
		t.Errorf("%d images made, want 60", puts.Load())
	}
}

// What a sink rejects is left out and listed as what cannot be read is; the bytes are the same however often the run is
// interrupted, and under the policy Fail the run resumes at that sample.
func TestSinkRejects(t *testing.T) {
	job := func(dir string, policy Policy) Job {
		j := testJob(dir, 20, nil)
		j.OnError, j.CheckpointEvery = policy, 3
		j.Source = &fakeSource{n: 20, unlabeled: map[int]bool{7: true, 15: true}}
		task := images(j)
		task.Open = func(state []byte) (data.Sink, error) {
			return folder.Create(dir, []string{"cat", "dog"}, folder.SinkOptions{Overwrite: true}, state)
		}
		j.Task = task
		return j
	}
	dir := t.TempDir()
	res := mustRun(t, job(dir, Skip))
	if len(res.Rejected) != 2 || res.Rejected[0].Index != 7 || res.Rejected[0].Name != "in/007.bin" || res.Items != 54 {
		t.Errorf("result %+v", res)
	}
	again := t.TempDir()
	var bad *data.SampleError
	res, err := Run(t.Context(), job(again, Fail))
	if !errors.As(err, &bad) || !errors.Is(err, data.ErrLabel) || bad.Name != "in/007.bin" || res.Done != 7 {
		t.Errorf("under Fail: %+v, %v", res, err)
	}
	mustRun(t, job(again, Skip))
	sameTree(t, tree(t, again), tree(t, dir))
}

// twin gives the last sample the key of the first.
type twin struct{ *fakeSource }

func (s twin) Read(i int, sample *data.Sample) error {
	err := s.fakeSource.Read(i, sample)
	if i == s.n-1 {
		sample.Key = "k000"
	}
	return err
}

// Two samples of one file are an error also where the run was interrupted between them and the sink has forgotten the first.
func TestTwinsAcrossResume(t *testing.T) {
	for name, task := range map[string]func(dir string) Task{
		"folder": func(dir string) Task {
			return Images{Transform: func() transform.Transform { return copying{} }, Open: func(state []byte) (data.Sink, error) {
				return folder.Create(dir, nil, folder.SinkOptions{Overwrite: true}, state)
			}}
		},
		"tree": func(dir string) Task { return shardTask("tree")(dir, 11) },
	} {
		dir := t.TempDir()
		j := expandJob("tree", dir, 11, nil)
		j.Task, j.CheckpointEvery = task(dir), 3
		j.Source = &fakeSource{n: 11, fatalAt: 8}
		if _, err := Run(t.Context(), j); !errors.Is(err, errBroken) {
			t.Fatal(err)
		}
		j.Source = twin{&fakeSource{n: 11}}
		if _, err := Run(t.Context(), j); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "k000") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run is not resumed on another input than the one that it was begun with; nothing is touched, and a run that starts over
// takes the new one.
func TestInputChanged(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	j := testJob(dir, 40, func(event string) error {
		if event == "checkpointed" {
			cancel()
		}
		return nil
	})
	if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	before := tree(t, dir)
	j = testJob(dir, 38, nil)
	_, err := Run(t.Context(), j)
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "samples: were 40, now 38") {
		t.Errorf("error %v", err)
	}
	sameTree(t, tree(t, dir), before)
	j.Force = true
	mustRun(t, j)
	sameTree(t, tree(t, dir), undisturbed(t, 38))
}

// A file that has its name and is lost, damaged or cut before the run is complete is found: no manifest vouches for it.
func TestDamageBeforeTheEnd(t *testing.T) {
	job := func(dir string) Job {
		j := testJob(dir, 20, nil)
		task := images(j)
		task.Open = func(state []byte) (data.Sink, error) {
			return folder.Create(dir, []string{"cat", "dog"}, folder.SinkOptions{Overwrite: true}, state)
		}
		j.Task = task
		return j
	}
	victim := filepath.Join("cat", "k002-v1.png")
	for name, damage := range map[string]func(path string, text []byte) error{
		"none":    func(string, []byte) error { return nil },
		"lost":    func(path string, _ []byte) error { return os.Remove(path) },
		"changed": func(path string, text []byte) error { text[len(text)/2] ^= 4; return os.WriteFile(path, text, 0o644) },
		"cut":     func(path string, text []byte) error { return os.WriteFile(path, text[:len(text)-1], 0o644) },
	} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		j := job(dir)
		j.Report = func(p Progress) {
			if p.Done >= 14 {
				cancel()
			}
		}
		if _, err := Run(ctx, j); !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: error %v", name, err)
		}
		path := filepath.Join(dir, victim)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := damage(path, text); err != nil {
			t.Fatal(err)
		}
		_, err = Run(t.Context(), job(dir))
		if name == "none" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), victim) {
			t.Errorf("%s: error %v", name, err)
		}
		if exists(filepath.Join(dir, ManifestName)) {
			t.Errorf("%s: a manifest vouches for it", name)
		}
		again := job(dir)
		again.Force = true
		mustRun(t, again)
	}
}

// A run over nothing is an error that leaves nothing behind, unless it is a shard of more.
func TestEmptyInput(t *testing.T) {
	for _, stream := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "out")
		j := testJob(dir, 0, nil)
		if stream {
			j.Source = endless{j.Source}
		}
		j.In = "the/input"
		for range 2 {
			_, err := Run(t.Context(), j)
			if !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), dir) || !strings.HasPrefix(err.Error(), j.In+": ") {
				t.Errorf("stream %t: error %v", stream, err)
			}
		}
		if exists(filepath.Join(dir, ManifestName)) || !stream && exists(dir) {
			t.Errorf("stream %t: something is left", stream)
		}
	}
	j := testJob("", 0, nil)
	j.Out = Output{}
	if _, err := Run(t.Context(), j); !errors.Is(err, ErrEmpty) {
		t.Errorf("to a stream: error %v", err)
	}
}
