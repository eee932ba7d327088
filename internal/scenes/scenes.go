// Package scenes is a data set that needs no file: labeled images of ten shapes, drawn on the spot. Every image is one
// shape with its own size, place, turn, colors, surface and shadow in front of a background of its own, so that only the
// outline is the class. A small network learns it to a few per cent of error in a minute, and loses that under
// corruptions as it does on photographs: what a first try of the robustness loop needs.
//
// An image is a function of the seed, the split and its index: the same bytes on every machine. Labels cycle through the
// classes, so every prefix is balanced.
package scenes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Scheme is what a path of such a data set starts with: "scenes:n=2000,size=32,seed=1,split=train".
const Scheme = "scenes:"

// Options choose a data set. The zero value is not valid; see Default.
type Options struct {
	N     int    // number of images, 1 to 10,000,000
	Size  int    // side in pixels, 16 to 1024
	Seed  uint64 //
	Split string // "train", "test" or any other word: each has images of its own
}

// Default is what Parse starts from.
var Default = Options{N: 2000, Size: 32, Seed: 1, Split: "train"}

// Limits of Options.
const (
	maxN    = 10_000_000
	minSize = 16
	maxSize = 1024
)

// Check returns an error that wraps data.ErrUnsupported and says what is allowed.
func (o Options) Check() error {
	switch {
	case o.N < 1 || o.N > maxN:
		return fmt.Errorf("%w: scenes: n=%d (allowed: 1 to %d)", data.ErrUnsupported, o.N, maxN)
	case o.Size < minSize || o.Size > maxSize:
		return fmt.Errorf("%w: scenes: size=%d (allowed: %d to %d)", data.ErrUnsupported, o.Size, minSize, maxSize)
	case o.Split == "" || strings.ContainsAny(o.Split, ",=/\\ "):
		return fmt.Errorf("%w: scenes: split=%q (allowed: a word such as train or test)", data.ErrUnsupported, o.Split)
	}
	return nil
}

// Parse reads a path with the Scheme. What is left out is as in Default.
func Parse(path string) (Options, error) {
	o := Default
	rest, ok := strings.CutPrefix(path, Scheme)
	if !ok {
		return o, fmt.Errorf("%w: %q does not start with %q", data.ErrUnsupported, path, Scheme)
	}
	for _, f := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' }) {
		key, value, _ := strings.Cut(f, "=")
		var err error
		switch key {
		case "n":
			o.N, err = strconv.Atoi(value)
		case "size":
			o.Size, err = strconv.Atoi(value)
		case "seed":
			o.Seed, err = strconv.ParseUint(value, 10, 64)
		case "split":
			o.Split = value
		default:
			return o, fmt.Errorf("%w: scenes has no option %q (there are: n, size, seed, split)", data.ErrUnsupported, f)
		}
		if err != nil {
			return o, fmt.Errorf("%w: scenes: %q wants an integer after '='", data.ErrUnsupported, f)
		}
	}
	return o, o.Check()
}

// String returns the path that Parse reads.
func (o Options) String() string {
	return fmt.Sprintf("%sn=%d,size=%d,seed=%d,split=%s", Scheme, o.N, o.Size, o.Seed, o.Split)
}

// Classes returns the names of the ten classes by label.
func Classes() []string {
	names := make([]string, len(shapes))
	for i := range shapes {
		names[i] = shapes[i].name
	}
	return names
}

// Source implements data.Indexed.
type Source struct {
	o      Options
	key    rng.Key
	cursor data.Cursor
}

// New returns the data set. The error is Options.Check's.
func New(o Options) (*Source, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return &Source{o: o, key: rng.NewKey(o.Seed).Str("scenes").Str(o.Split)}, nil
}

// Info implements data.Source.
func (s *Source) Info() data.Info {
	return data.Info{Format: "scenes", Classes: Classes(), Len: s.o.N}
}

// Len implements data.Indexed.
func (s *Source) Len() int { return s.o.N }

// Next implements data.Source.
func (s *Source) Next(out *data.Sample) error { return s.cursor.Next(s, out) }

// Describe implements data.Describer: nothing is drawn.
func (s *Source) Describe(i int, out *data.Sample) {
	if i < 0 || i >= s.o.N {
		panic(fmt.Sprintf("scenes: image %d of %d", i, s.o.N))
	}
	*out = data.Sample{
		Key: fmt.Sprintf("%s/%07d", s.o.Split, i), Index: i, Label: i % len(shapes), Name: s.o.String() + ": image " + strconv.Itoa(i),
		Form: data.RGB, W: s.o.Size, H: s.o.Size, Data: out.Data,
	}
}

// Read implements data.Indexed.
func (s *Source) Read(i int, out *data.Sample) error {
	s.Describe(i, out)
	var m raster.Image
	Draw(&m, s.o.Size, out.Label, s.key.Uint(uint64(i)))
	out.Data = m.AppendRGB(out.Data[:0])
	return nil
}

// Close implements data.Source.
func (s *Source) Close() error { return nil }
