// Package datatest is the conformance suite of data set formats: what package data promises about a Source and a Sink,
// as tests that every format passes.
//
// A format's own test fills in a [Suite] and calls Run:
//
//	datatest.Suite{
//		Create: func(path string, classes []string, state []byte) (data.Sink, error) { ... },
//		Open:   func(path string) (data.Source, error) { ... },
//		Target: "set.npy",
//	}.Run(t)
package datatest

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// Known is a sample whose content the test knows.
type Known struct {
	Key   string
	Label int
	Image *raster.Image
}

// Suite describes a format to the tests. Open is required, and at least one of Build and Create.
type Suite struct {
	// W and H are the size of every image; 0 gives each sample a size of its own.
	W, H int
	// Classes are the class names of the labeled data sets; nil means three made-up ones.
	Classes []string
	// Target is the name, within a folder, of the path that Create makes: a file or a folder. "" means "set".
	Target string

	// Open opens what Create or Build made.
	Open func(path string) (data.Source, error)
	// Create begins a data set at path, or resumes one if state is not nil. classes may be nil. It is nil for a
	// format that is only read.
	Create func(path string, classes []string, state []byte) (data.Sink, error)
	// Build writes the samples as a data set in the empty folder dir, by other means than the format's own sink, and
	// returns the path to open. nil means that Create does it.
	Build func(t testing.TB, dir string, samples []Known, classes []string) string

	// Indexed says that Open gives a data.Indexed.
	Indexed bool
	// Tolerance is the largest difference of a channel after a round trip: 0 for a lossless format.
	Tolerance int
	// Key returns the key that a source gives a sample that was put under another; nil means that keys are not kept.
	Key func(k Known, classes []string) string
	// NoClassNames says that the format keeps labels but not the names of classes.
	NoClassNames bool
	// Unlabeled says that the format can hold samples without labels.
	Unlabeled bool
	// NoEmpty says that a data set without samples cannot be, which Close of its sink or Open rejects.
	NoEmpty bool
	// Single says that the format holds exactly one sample and no label.
	Single bool
	// EarlyFiles says that finished files appear one by one under their final names, not all at the end.
	EarlyFiles bool
	// PrefixOK says that a file cut short may also read as a shorter data set, as streams without a count do.
	PrefixOK bool
	// Skip names files that cutting short may leave valid: lists of names.
	Skip func(name string) bool
}

// Samples returns n samples with distinct images of w by h pixels (of different sizes where w is 0), nested keys and
// labels that run through the given number of classes, without labels if that is 0.
func Samples(n, w, h, classes int) []Known {
	out := make([]Known, n)
	for i := range out {
		noise := uint32(i)
		sw, sh := w, h
		if w == 0 {
			sw, sh = 5+3*i%11, 4+5*i%7
		}
		m := raster.New(sw, sh)
		for y := range sh {
			for x := range sw {
				// A ramp with a little noise, so that lossy formats keep it; red is 20 levels apart between samples.
				noise = noise*1664525 + 1013904223
				n := int(noise >> 16)
				red, green, blue := 20+20*(i%10)+x/2, 90+y/2, 160-x/2
				m.Set(x, y, raster.RGB{R: uint8(red + n%4), G: uint8(green + n>>4%4), B: uint8(blue + n>>8%4)})
			}
		}
		label := data.NoLabel
		if classes > 0 {
			label = (i * 7) % classes
		}
		out[i] = Known{Key: fmt.Sprintf("part%d/s%03d", i%2, i), Label: label, Image: m}
	}
	return out
}

func (s Suite) classes() []string {
	if s.Classes != nil || s.Single {
		return s.Classes
	}
	return []string{"apple", "bird", "zebra crossing"}
}

func (s Suite) target() string {
	if s.Target == "" {
		return "set"
	}
	return s.Target
}

// samples returns n known samples with labels (one without where the format holds only that).
func (s Suite) samples(n int) []Known {
	if s.Single {
		return Samples(1, s.W, s.H, 0)
	}
	return Samples(n, s.W, s.H, len(s.classes()))
}

// got is what a source gave for one sample.
type got struct {
	sample data.Sample // with a Data of its own
	image  *raster.Image
}

// readAll reads a source to its end, decodes everything and closes it. Errors of single samples do not end it.
func readAll(src data.Source) ([]got, error) {
	var all []got
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for {
		var g got
		err := src.Next(&g.sample)
		if err == io.EOF {
			break
		}
		if err != nil {
			keep(err)
			if se := (*data.SampleError)(nil); errors.As(err, &se) {
				continue
			}
			break
		}
		g.image = new(raster.Image)
		if err := g.sample.Decode(g.image); err != nil {
			keep(err)
			continue
		}
		all = append(all, g)
	}
	if err := src.Close(); err != nil {
		keep(err)
	}
	return all, first
}

// mustRead opens path and reads everything.
func (s Suite) mustRead(t testing.TB, path string) (data.Info, []got) {
	t.Helper()
	src, err := s.Open(path)
	if err != nil {
		t.Fatalf("Open(%s): %v", path, err)
	}
	info := src.Info()
	all, err := readAll(src)
	if err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
	return info, all
}

// put puts samples into a sink, all through one buffer: a sink must not keep the image.
func put(sink data.Sink, samples []Known) error {
	var buf raster.Image
	for _, k := range samples {
		buf.CopyFrom(k.Image)
		if err := sink.Put(&data.Item{Key: k.Key, Label: k.Label, Image: &buf}); err != nil {
			return err
		}
		buf.Fill(raster.RGB{R: 1, G: 2, B: 3})
	}
	return nil
}

// mustWrite makes a data set through the sink.
func (s Suite) mustWrite(t testing.TB, path string, samples []Known, classes []string) {
	t.Helper()
	sink, err := s.Create(path, classes, nil)
	if err != nil {
		t.Fatalf("Create(%s): %v", path, err)
	}
	if err := put(sink, samples); err != nil {
		t.Fatalf("Put: %v", err)
	}
	if err := sink.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// build makes a data set in a fresh folder by Build, or by Create where there is none.
func (s Suite) build(t testing.TB, samples []Known, classes []string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	if s.Build != nil {
		return dir, s.Build(t, dir, samples, classes)
	}
	path = join(dir, s.target())
	s.mustWrite(t, path, samples, classes)
	return dir, path
}

// compare holds what a source gave against what is known, matched by order, or by image where the format orders
// samples by itself.
func (s Suite) compare(t testing.TB, want []Known, classes []string, all []got) {
	t.Helper()
	if len(all) != len(want) {
		t.Fatalf("%d samples, want %d", len(all), len(want))
	}
	used := make([]bool, len(want))
	for i, g := range all {
		j := s.find(want, used, i, g)
		if j < 0 {
			t.Errorf("sample %d (%s): its image is none of those that were put", i, g.sample.Name)
			continue
		}
		used[j] = true
		if g.sample.Label != want[j].Label {
			t.Errorf("sample %d (%s): label %d, want %d", i, g.sample.Name, g.sample.Label, want[j].Label)
		}
		if s.Key != nil && g.sample.Key != s.Key(want[j], classes) {
			t.Errorf("sample %d (%s): key %q, want %q", i, g.sample.Name, g.sample.Key, s.Key(want[j], classes))
		}
	}
}

// find returns the known sample with the image of g, the i-th first.
func (s Suite) find(want []Known, used []bool, i int, g got) int {
	if !used[i] && s.same(want[i].Image, g.image) {
		return i
	}
	for j := range want {
		if !used[j] && s.same(want[j].Image, g.image) {
			return j
		}
	}
	return -1
}

// same compares two images within the tolerance.
func (s Suite) same(a, b *raster.Image) bool {
	if a.W != b.W || a.H != b.H {
		return false
	}
	for i := range a.Pix {
		if d := int(a.Pix[i]) - int(b.Pix[i]); d > s.Tolerance || -d > s.Tolerance {
			return false
		}
	}
	return true
}
