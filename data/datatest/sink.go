package datatest

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// runSink runs the tests of a format that is written.
func (s Suite) runSink(t *testing.T) {
	t.Run("round trip", s.testRoundTrip)
	t.Run("empty", s.testEmpty)
	t.Run("crash and resume", s.testResume)
	t.Run("damage", s.testDamage)
	t.Run("crash without checkpoint", s.testCrash)
	t.Run("abort", s.testAbort)
	t.Run("foreign state", s.testForeignState)
	t.Run("hostile keys", s.testHostileKeys)
	t.Run("no folder", s.testNoFolder)
	t.Run("read-only folder", s.testReadOnly)
	t.Run("full disk", s.testFullDisk)
	if !s.Single {
		t.Run("bad label", s.testBadLabel)
		t.Run("rejected", s.testRejected)
	}
}

// testRoundTrip: what was put comes back, with and without labels, and two runs give the same bytes.
func (s Suite) testRoundTrip(t *testing.T) {
	t.Run("labeled", func(t *testing.T) { s.roundTrip(t, s.samples(8), s.classes()) })
	if s.Unlabeled {
		t.Run("unlabeled", func(t *testing.T) { s.roundTrip(t, Samples(len(s.samples(5)), s.W, s.H, 0), nil) })
	}
}

func (s Suite) roundTrip(t *testing.T, want []Known, classes []string) {
	a, b := t.TempDir(), t.TempDir()
	s.mustWrite(t, join(a, s.target()), want, classes)
	s.mustWrite(t, join(b, s.target()), want, classes)
	sameTree(t, tree(t, b), tree(t, a))
	noTemporary(t, a)
	_, all := s.mustRead(t, join(a, s.target()))
	s.compare(t, want, classes, all)
}

// noTemporary fails the test if a temporary file is left below dir.
func noTemporary(t *testing.T, dir string) {
	t.Helper()
	for name := range tree(t, dir) {
		if strings.HasSuffix(name, storage.TempSuffix) || strings.HasPrefix(filepath.Base(name), ".") {
			t.Errorf("%s is left behind", name)
		}
	}
}

// testEmpty: a data set without samples is one, or is rejected in words.
func (s Suite) testEmpty(t *testing.T) {
	path := join(t.TempDir(), s.target())
	sink, err := s.Create(path, s.classes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = sink.Close()
	var src data.Source
	if err == nil {
		src, err = s.Open(path)
	}
	if s.NoEmpty {
		if err == nil || !strings.Contains(err.Error(), filepath.Base(path)) {
			t.Errorf("an empty data set gives error %v, want one that names the path", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := src.Info().Len; n > 0 {
		t.Errorf("Info.Len = %d of an empty data set", n)
	}
	if all, err := readAll(src); err != nil || len(all) != 0 {
		t.Errorf("%d samples and error %v from an empty data set", len(all), err)
	}
}

// testResume: however often a run is cut off after a checkpoint, resuming there leads to the bytes of a run that
// was never disturbed.
func (s Suite) testResume(t *testing.T) {
	all := s.samples(9)
	undisturbed := t.TempDir()
	s.mustWrite(t, join(undisturbed, s.target()), all, s.classes())
	want := tree(t, undisturbed)
	for _, cuts := range [][]int{{0}, {1}, {4}, {len(all)}, {2, 2, 5}, {1, 3, 8}} {
		for _, abort := range []bool{false, true} {
			t.Run(fmt.Sprintf("at %v, abort %t", cuts, abort), func(t *testing.T) {
				dir := t.TempDir()
				s.interrupted(t, join(dir, s.target()), all, cuts, abort)
				sameTree(t, tree(t, dir), want)
			})
		}
	}
}

// testDamage: a byte of an unfinished file that changes between a checkpoint and the resume is an error.
func (s Suite) testDamage(t *testing.T) {
	dir := t.TempDir()
	path := join(dir, s.target())
	sink, err := s.Create(path, s.classes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(sink, s.samples(4)); err != nil {
		t.Fatal(err)
	}
	state, err := sink.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Abort(); err != nil {
		t.Fatal(err)
	}
	for name, content := range tree(t, dir) {
		if !strings.HasSuffix(name, storage.TempSuffix) {
			continue
		}
		file := []byte(content)
		file[len(file)/2] ^= 16
		if err := os.WriteFile(join(dir, name), file, 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := s.Create(path, s.classes(), state)
		if !errors.Is(err, data.ErrFormat) {
			t.Errorf("%s was damaged: error %v, want data.ErrFormat", name, err)
		}
		if err == nil {
			_ = again.Abort()
		}
		if err := os.WriteFile(join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// interrupted writes all with a checkpoint at each cut, one more sample after it, and then a crash or an Abort.
func (s Suite) interrupted(t *testing.T, path string, all []Known, cuts []int, abort bool) {
	t.Helper()
	var state []byte
	done := 0
	for _, cut := range cuts {
		cut = min(cut, len(all))
		sink, err := s.Create(path, s.classes(), state)
		if err != nil {
			t.Fatalf("Create after %d samples: %v", done, err)
		}
		if err := put(sink, all[done:cut]); err != nil {
			t.Fatal(err)
		}
		if state, err = sink.Checkpoint(); err != nil {
			t.Fatalf("Checkpoint after %d samples: %v", cut, err)
		}
		if state == nil {
			t.Fatal("Checkpoint returned a nil state, which means a fresh start")
		}
		done = cut
		if err := put(sink, all[done:min(done+2, len(all))]); err != nil {
			t.Fatal(err)
		}
		if !s.EarlyFiles {
			s.nothingFinal(t, path)
		}
		if abort {
			if err := sink.Abort(); err != nil {
				t.Fatalf("Abort: %v", err)
			}
		}
	}
	sink, err := s.Create(path, s.classes(), state)
	if err != nil {
		t.Fatalf("Create after %d samples: %v", done, err)
	}
	if err := put(sink, all[done:]); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
}

// nothingFinal fails the test if path exists as a file, or holds a file that is not temporary.
func (s Suite) nothingFinal(t *testing.T, path string) {
	t.Helper()
	for name := range tree(t, filepath.Dir(path)) {
		if !strings.HasSuffix(name, storage.TempSuffix) {
			t.Errorf("%s has its final name before Close", name)
		}
	}
}

// testCrash: a run that ends without a word leaves no file under a final name that is not complete, and does not stand in
// the way of a run that starts anew.
func (s Suite) testCrash(t *testing.T) {
	all := s.samples(5)
	dir := t.TempDir()
	path := join(dir, s.target())
	sink, err := s.Create(path, s.classes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(sink, all[:len(all)-len(all)/2]); err != nil {
		t.Fatal(err)
	}
	if !s.EarlyFiles {
		s.nothingFinal(t, path)
		s.mustWrite(t, path, all, s.classes())
		_, got := s.mustRead(t, path)
		s.compare(t, all, s.classes(), got)
		return
	}
	src, err := s.Open(path)
	if err != nil {
		t.Fatalf("a crash left what cannot be opened: %v", err)
	}
	if _, err := readAll(src); err != nil {
		t.Errorf("a crash left what cannot be read: %v", err)
	}
}

// testAbort: Abort without a checkpoint cleans up.
func (s Suite) testAbort(t *testing.T) {
	dir := t.TempDir()
	sink, err := s.Create(join(dir, s.target()), s.classes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(sink, s.samples(3)); err != nil {
		t.Fatal(err)
	}
	if err := sink.Abort(); err != nil {
		t.Fatalf("Abort: %v", err)
	}
	noTemporary(t, dir)
	if files := tree(t, dir); !s.EarlyFiles && len(files) > 0 {
		t.Errorf("Abort left %q", names(files))
	}
}

// testForeignState: a state that is not this sink's is an error, not a panic and not a fresh start.
func (s Suite) testForeignState(t *testing.T) {
	dir := t.TempDir()
	states := []string{"", "{", "null", `{"format":"other","count":3}`, "\x00\x01\x02", `{"count":-1}`, `[]`}
	for i, state := range states {
		sink, err := s.Create(join(dir, fmt.Sprint(i), s.target()), s.classes(), []byte(state))
		if err == nil {
			sink.Abort()
			t.Errorf("state %q is accepted", state)
		}
	}
}

// testHostileKeys: whatever a key says, nothing appears outside the data set.
func (s Suite) testHostileKeys(t *testing.T) {
	for _, key := range []string{"../evil", "../../evil", "/evil", "a/../../../evil", "..", `..\evil`, "a\x00b", ""} {
		dir := t.TempDir()
		inner := join(dir, "in", "in", "in")
		if err := os.MkdirAll(inner, 0o777); err != nil {
			t.Fatal(err)
		}
		sink, err := s.Create(join(inner, s.target()), s.classes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		k := s.samples(1)
		k[0].Key = key
		err = put(sink, k)
		if err == nil {
			err = sink.Close()
		} else if e := sink.Abort(); e != nil {
			t.Errorf("Abort: %v", e)
		}
		if err != nil && !errors.Is(err, data.ErrUnsafe) {
			t.Errorf("key %q: the error does not wrap data.ErrUnsafe: %v", key, err)
		}
		for name := range tree(t, dir) {
			if !strings.HasPrefix(name, "in/in/in/") {
				t.Errorf("key %q made %s", key, name)
			}
		}
		if _, err := os.Stat("/evil"); err == nil {
			t.Errorf("key %q made /evil", key)
		}
	}
}

// attempt writes a data set where that cannot work and returns the first error.
func (s Suite) attempt(path string) error {
	sink, err := s.Create(path, s.classes(), nil)
	if err != nil {
		return err
	}
	if err := put(sink, s.samples(4)); err != nil {
		return errors.Join(err, sink.Abort())
	}
	return sink.Close()
}

// testNoFolder: a path below a file is an error that names it.
func (s Suite) testNoFolder(t *testing.T) {
	file := join(t.TempDir(), "plainfile")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := s.attempt(join(file, s.target()))
	if err == nil || !strings.Contains(err.Error(), "plainfile") {
		t.Errorf("writing below a file gives error %v, want one that names it", err)
	}
}

// testReadOnly: a folder that may not be written is an error that names the path.
func (s Suite) testReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o777)
	err := s.attempt(join(dir, s.target()))
	if !errors.Is(err, os.ErrPermission) || !strings.Contains(err.Error(), filepath.Base(dir)) {
		t.Errorf("error %v, want one that wraps fs.ErrPermission and names the path", err)
	}
}

// testFullDisk: when the disk takes no more, the error names the file and nothing half-written has a final name.
//
// The disk is a limit on the size of files. It holds for the whole process, and would hit the logs of the go command as
// well; so the test runs itself again as a child.
func (s Suite) testFullDisk(t *testing.T) {
	const inChild = "AUGMIX_DATATEST_FULL_DISK"
	if !canLimitFiles {
		t.Skip("no limit on file sizes on this system")
	}
	if os.Getenv(inChild) == "" {
		name := "^" + strings.ReplaceAll(regexp.QuoteMeta(t.Name()), "/", "$/^") + "$"
		cmd := exec.Command(os.Args[0], "-test.v", "-test.run", name)
		cmd.Env = append(os.Environ(), inChild+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const limit = 60
	dir := t.TempDir()
	var err error
	withFileLimit(t, limit, func() { err = s.attempt(join(dir, s.target())) })
	if err == nil {
		t.Fatal("no error from a full disk")
	}
	if !strings.Contains(err.Error(), dir) {
		t.Errorf("the error does not name the file: %v", err)
	}
	for name, content := range tree(t, dir) {
		if !strings.HasSuffix(name, storage.TempSuffix) && len(content) >= limit {
			t.Errorf("%s is left under a final name", name)
		}
	}
}

// testBadLabel: a label outside the classes, and one that is missing where others are there, are errors.
func (s Suite) testBadLabel(t *testing.T) {
	for _, label := range []int{len(s.classes()), -2, data.NoLabel, math.MaxInt32} {
		sink, err := s.Create(join(t.TempDir(), s.target()), s.classes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		k := s.samples(2)
		k[1].Label = label
		err = put(sink, k)
		if bad := (*data.SampleError)(nil); !errors.Is(err, data.ErrLabel) || !errors.As(err, &bad) {
			t.Errorf("label %d of %d classes after a good one: error %v, want data.ErrLabel of the sample", label,
				len(s.classes()), err)
		}
		if err := sink.Abort(); err != nil {
			t.Errorf("Abort: %v", err)
		}
	}
}

// testRejected: an item that is rejected leaves the sink as it was, at the beginning and later: the bytes are those of the
// others alone.
func (s Suite) testRejected(t *testing.T) {
	all := s.samples(4)
	want, got := t.TempDir(), t.TempDir()
	s.mustWrite(t, join(want, s.target()), all, s.classes())
	sink, err := s.Create(join(got, s.target()), s.classes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		wrong := append([]Known(nil), all[i])
		wrong[0].Key, wrong[0].Label = "wrong", len(s.classes())
		err := put(sink, wrong)
		if bad := (*data.SampleError)(nil); !errors.As(err, &bad) {
			t.Errorf("a bad label: error %v", err)
		}
		if err := put(sink, all[i:i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	sameTree(t, tree(t, got), tree(t, want))
}
