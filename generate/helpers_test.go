package generate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// fakeSource yields n images of 8 by 6 pixels made from their number. Samples in unreadable fail as a broken file
// does; those in corrupt are encoded images that no decoder takes.
type fakeSource struct {
	n          int
	unreadable map[int]bool
	corrupt    map[int]bool
	unlabeled  map[int]bool
	cutShort   map[int]bool // fail with an error that wraps io.EOF
	fatalAt    int          // when positive, Next and Read fail there for good
	fatal      error        // with this; nil means errBroken
	next       int
	reads      atomic.Int64
	onRead     func(i int)
}

func (f *fakeSource) Info() data.Info {
	return data.Info{Format: "fake", Classes: []string{"cat", "dog"}, Len: f.n}
}

func (f *fakeSource) Len() int     { return f.n }
func (f *fakeSource) Close() error { return nil }

func (f *fakeSource) Next(s *data.Sample) error {
	if f.next >= f.n {
		return io.EOF
	}
	f.next++
	return f.Read(f.next-1, s)
}

var errBroken = errors.New("broken cable")

func (f *fakeSource) Read(i int, s *data.Sample) error {
	f.reads.Add(1)
	if f.onRead != nil {
		f.onRead(i)
	}
	if f.fatalAt > 0 && i == f.fatalAt {
		return cmp.Or(f.fatal, errBroken)
	}
	name := fmt.Sprintf("in/%03d.bin", i)
	if f.unreadable[i] {
		return &data.SampleError{Name: name, Key: fmt.Sprintf("k%03d", i), Err: errBroken}
	}
	if f.cutShort[i] {
		return &data.SampleError{Name: name, Key: fmt.Sprintf("k%03d", i), Err: fmt.Errorf("header: %w", io.EOF)}
	}
	*s = data.Sample{
		Key: fmt.Sprintf("k%03d", i), Index: i, Label: i % 2, Name: name, Form: data.RGB, W: 8, H: 6,
		Data: append(s.Data[:0], make([]byte, 8*6*3)...),
	}
	if f.unlabeled[i] {
		s.Label = data.NoLabel
	}
	r := rng.New(uint64(i))
	for j := range s.Data {
		s.Data[j] = uint8(r.Uint64())
	}
	if f.corrupt[i] {
		s.Form, s.Data = data.Encoded, append(s.Data[:0], "this is no image"...)
	}
	return nil
}

// streamOnly hides the random access of a source.
type streamOnly struct{ data.Source }

// endless is a stream whose length only reading to the end says.
type endless struct{ data.Source }

func (e endless) Info() data.Info {
	info := e.Source.Info()
	info.Len = -1
	return info
}

// logSink writes key, label and pixels of every item to one file, durable at checkpoints as the real formats are.
type logSink struct {
	f    *data.PartialFile
	hook func(event string) error
	puts int
}

func openLog(dir string, state []byte, hook func(string) error) (data.Sink, error) {
	path := filepath.Join(dir, "items.log")
	s := &logSink{hook: hook}
	if s.hook == nil {
		s.hook = func(string) error { return nil }
	}
	var err error
	if state == nil {
		s.f, err = data.CreatePartial(path)
	} else {
		var size int64
		if _, err := fmt.Sscan(string(state), &size); err != nil {
			return nil, err
		}
		s.f, err = data.ResumePartial(path, size)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *logSink) Put(it *data.Item) error {
	if err := s.hook("put"); err != nil {
		return err
	}
	s.puts++
	_, err := fmt.Fprintf(s.f, "%s %d %dx%d %x\n", it.Key, it.Label, it.Image.W, it.Image.H, it.Image.AppendRGB(nil))
	return err
}

func (s *logSink) Checkpoint() ([]byte, error) {
	if err := s.hook("checkpoint"); err != nil {
		return nil, err
	}
	if err := s.f.Sync(); err != nil {
		return nil, err
	}
	return []byte(fmt.Sprint(s.f.Size())), s.hook("checkpointed")
}

func (s *logSink) Close() error {
	if err := s.hook("close"); err != nil {
		return err
	}
	if err := s.f.Commit(); err != nil {
		return err
	}
	return s.hook("closed")
}

func (s *logSink) Abort() error { return s.f.Close() }

// testJob is a run over n fake samples with three views, small checkpoints and every kind of random choice.
func testJob(dir string, n int, hook func(string) error) Job {
	m, err := mix.ParseMethod("augmix", mix.Options{})
	if err != nil {
		panic(err)
	}
	plan := &transform.Pipeline{
		Crop: transform.Crop{Kind: transform.RandomCrop, N: 7, Pad: 2}, Flip: true, Mix: m, Views: 3, Epoch: 1,
	}
	return Job{
		Source: &fakeSource{n: n},
		Task: Images{Transform: plan.Transform, Views: plan.Suffixes(), Open: func(state []byte) (data.Sink, error) {
			return openLog(dir, state, hook)
		}},
		Out:     Output{Path: dir},
		Records: map[string][]byte{ArgsName: []byte("seed: 5\n")},
		Options: []Option{{"mix", m.String()}, {"seed", "5"}}, Seed: 5, Workers: 2, CheckpointEvery: 7,
	}
}

// tree returns the files below dir, without the state of an unfinished run.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t testing.TB, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		switch g, ok := got[name]; {
		case !ok:
			t.Errorf("%s is missing", name)
		case g != text:
			t.Errorf("%s differs from the undisturbed run's (%d bytes, want %d)", name, len(g), len(text))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

// undisturbed returns what a run on one worker without interruption makes.
func undisturbed(t testing.TB, n int) map[string]string {
	t.Helper()
	dir := t.TempDir()
	j := testJob(dir, n, nil)
	j.Workers, j.CheckpointEvery = 1, 1000
	mustRun(t, j)
	return tree(t, dir)
}

func mustRun(t testing.TB, j Job) Result {
	t.Helper()
	res, err := Run(t.Context(), j)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	return res
}

// copyTree copies what lies on disk at this moment: what a machine that stops now would find again.
func copyTree(t testing.TB, dst, src string) {
	t.Helper()
	if err := os.CopyFS(dst, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
}

// memorySink keeps what it is given: a stream's sink.
type memorySink struct{ bytes.Buffer }

func (s *memorySink) Put(it *data.Item) error {
	s.WriteString(it.Key)
	s.Write(it.Image.Pix)
	return nil
}

func (s *memorySink) Checkpoint() ([]byte, error) {
	return nil, errors.New("a stream has no checkpoints")
}
func (s *memorySink) Close() error { return nil }
func (s *memorySink) Abort() error { return nil }

// copying gives every view the source image.
type copying struct{}

func (copying) Apply(dst []*raster.Image, src *raster.Image, _ rng.Key) error {
	for _, d := range dst {
		d.CopyFrom(src)
	}
	return nil
}

// images returns the task of a job whose Task is Images.
func images(j Job) Images { return j.Task.(Images) }

func mustMix(t testing.TB, spec string) *mix.Method {
	t.Helper()
	m, err := mix.ParseMethod(spec, mix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
