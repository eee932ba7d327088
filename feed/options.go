package feed

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// ErrOption is wrapped by errors about [Options]. The error names the option and says what is allowed.
var ErrOption = errors.New("bad option")

// Options say what batches are made of. The zero value makes batches of [DefaultBatch] images as they are in the data,
// uint8 [n, 3, H, W], in a random order, without end.
type Options struct {
	// Images: resize, crop, flip, mix, in this order.

	Size   int            // shorter side after the resize, pixels; 0: no resize
	Filter augment.Filter // of the resizes; the zero value is augment.Box, train's is augment.Bilinear
	Crop   transform.Crop
	Flip   bool        // horizontal flip with probability 1/2
	Mix    *mix.Method // nil: none
	Views  int         // images of a sample; from 2 on the clean one comes first. 0 means 1

	// Corruptions and Perturbations, at most one of them, give every form of an image in place of views. They prepare
	// images by themselves: Size, Crop, Flip, Mix and Views stay zero.
	Corruptions   *transform.Corruptions
	Perturbations *transform.Perturbations

	// Batches.

	Batch     int      // samples of a batch of one rank; 0 means [DefaultBatch]
	Epochs    int      // epochs 0 to Epochs-1 are made; 0: without end
	From      Position // where to begin
	InOrder   bool     // in the order of the data instead of a random one
	Rank      int      // 0 to WorldSize-1
	WorldSize int      // 0 means 1
	Tail      Tail     // what becomes of the last samples of an epoch
	Seed      uint64   // of every random choice

	// Memory.

	DType  DType
	Layout Layout
	Norm   *mix.Normalization // of float types; nil means [mix.Half]

	// Running. What is made does not depend on it, but that Skip replaces what cannot be read.

	Skip    bool  // a sample that cannot be read is replaced by another; else it is an error
	Cache   int64 // decoded images are kept in memory where all seem to fit in this many bytes
	Workers int   // goroutines; 0 means as many as there are cores

	// Depends is what else the images depend on, as parts of the fingerprint: the name of Mix's mixing set, how the data is read
	// (formats.Options.HowRead), where frost's photographs and corruptions of one's own come from.
	Depends []string
}

// DefaultBatch is the number of samples of a batch that Options.Batch 0 asks for: AugMix's for CIFAR.
const DefaultBatch = 128

// Position is a place in the run: an epoch, from 0, and how many of its samples all ranks together have been given.
type Position struct {
	Epoch   int `json:"epoch"`
	Samples int `json:"position"`
}

// ParsePosition reads "EPOCH:SAMPLES". The error wraps [ErrOption].
func ParsePosition(s string) (Position, error) {
	var p Position
	var rest string
	if n, _ := fmt.Sscanf(s+" .", "%d:%d %s", &p.Epoch, &p.Samples, &rest); n != 3 || rest != "." || p.Epoch < 0 || p.Samples < 0 ||
		p.Epoch > mostEpochs {
		return Position{}, option.Errorf(ErrOption, "{from} %q (allowed: EPOCH:SAMPLES, both from 0)", s)
	}
	return p, nil
}

// String returns the text form.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Epoch, p.Samples) }

// Tail says what becomes of the samples at the end of an epoch that make no whole batch for every rank.
type Tail uint8

// The tails.
const (
	Drop  Tail = iota // they are left out, other ones in every epoch
	Short             // the last batch is smaller; for one rank
	Pad               // the batch is filled from the beginning of the epoch's order; rows that fill have index -1
)

// DType is the type of the numbers of an image.
type DType uint8

// The types. Floats are normalized.
const (
	Uint8 DType = iota
	Float32
	Float16
	BFloat16
)

// Layout is the order of the axes of an image.
type Layout uint8

// The layouts.
const (
	NCHW Layout = iota // [n, 3, H, W]
	NHWC               // [n, H, W, 3]
)

var (
	tails   = []string{"drop", "short", "pad"}
	dtypes  = []string{"uint8", "float32", "float16", "bfloat16"}
	layouts = []string{"nchw", "nhwc"}
)

func (t Tail) String() string   { return nameOf(tails, t) }
func (d DType) String() string  { return nameOf(dtypes, d) }
func (l Layout) String() string { return nameOf(layouts, l) }

// nameOf returns the name of a value, which is checked only by [New].
func nameOf[T ~uint8](names []string, v T) string {
	if int(v) >= len(names) {
		return strconv.Itoa(int(v))
	}
	return names[v]
}

// size returns the bytes of a number.
func (d DType) size() int { return []int{1, 4, 2, 2}[d] }

// ParseTail reads drop, short or pad. The error wraps [ErrOption].
func ParseTail(s string) (Tail, error) { return parse[Tail]("tail", s, tails) }

// ParseDType reads uint8, float32, float16 or bfloat16. The error wraps [ErrOption].
func ParseDType(s string) (DType, error) { return parse[DType]("dtype", s, dtypes) }

// ParseLayout reads nchw or nhwc. The error wraps [ErrOption].
func ParseLayout(s string) (Layout, error) { return parse[Layout]("output-layout", s, layouts) }

func parse[T ~uint8](what option.Key, s string, names []string) (T, error) {
	for i, name := range names {
		if s == name {
			return T(i), nil
		}
	}
	return 0, option.Errorf(ErrOption, "%v %q (allowed: %s)", what, s, strings.Join(names, ", "))
}

// Limits of options that could otherwise ask for absurd amounts of memory, or overflow.
const (
	mostBatch   = 1 << 16
	mostViews   = 64
	mostEpochs  = 1 << 30
	mostWorld   = 1 << 16
	mostSide    = 1 << 14
	mostWorkers = 1 << 12
)

// resolve fills in defaults and returns an error that wraps ErrOption where options are out of range or do not go together.
func (o *Options) resolve() error {
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	o.Views, o.WorldSize = cmp.Or(o.Views, 1), cmp.Or(o.WorldSize, 1)
	if o.Norm == nil {
		half := mix.Half
		o.Norm = &half
	}
	if o.Mix == nil {
		o.Mix = new(mix.Method)
	}
	for _, r := range []struct {
		name      string
		v, lo, hi int
	}{
		{"{batch}", o.Batch, 1, mostBatch},
		{"{views}", o.Views, 1, mostViews},
		{"{epochs}", o.Epochs, 0, mostEpochs},
		{"epoch of {from}", o.From.Epoch, 0, mostEpochs},
		{"samples of {from}", o.From.Samples, 0, math.MaxInt},
		{"{world-size}", o.WorldSize, 1, mostWorld},
		{"{rank}", o.Rank, 0, o.WorldSize - 1},
		{"{size}", o.Size, 0, mostSide},
		{"{workers}", o.Workers, 0, mostWorkers},
		{"{tail}", int(o.Tail), 0, len(tails) - 1},
		{"{dtype}", int(o.DType), 0, len(dtypes) - 1},
		{"{output-layout}", int(o.Layout), 0, len(layouts) - 1},
	} {
		if r.v < r.lo || r.v > r.hi {
			return option.Errorf(ErrOption, r.name+" %d (allowed: %d to %d)", r.v, r.lo, r.hi)
		}
	}
	if err := o.Norm.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	if err := (&transform.Pipeline{Size: o.Size, Filter: o.Filter, Crop: o.Crop}).Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	if o.Tail == Short && o.WorldSize > 1 {
		return option.Errorf(ErrOption, "{tail} short with a {world-size} of %d (allowed: drop, pad; with short, ranks would get other numbers "+
			"of batches)", o.WorldSize)
	}
	return o.checkForms()
}

// checkForms checks what goes with corruptions and perturbations.
func (o *Options) checkForms() error {
	switch {
	case o.Corruptions == nil && o.Perturbations == nil:
	case o.Corruptions != nil && o.Perturbations != nil:
		return fmt.Errorf("%w: corruptions and perturbations (allowed: one of them)", ErrOption)
	case len(o.Mix.Stages()) > 0 || o.Views > 1 || o.Size > 0 || o.Crop.Kind != transform.NoCrop || o.Flip:
		return option.Errorf(ErrOption, "corruptions and perturbations are of the images of a test set: no {mix}, {views} or {flip}, and size "+
			"and crop are theirs")
	}
	return nil
}
