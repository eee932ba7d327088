package transform

import (
	"strconv"

	"github.com/augmix-go/augmix/raster"
)

// Variant names one of the many data sets that are made of one at a time: a corruption at a severity, or a perturbation
// at a difficulty.
type Variant struct {
	Name     string  // of the published file or folder: "fog", "gaussian_noise_2"
	Severity float64 // of a corruption: 0, or 0.001 to 5
	Sequence bool    // it is of a perturbation, which has no severity
}

// Dir returns the slash-separated folder of the variant in ImageNet-C's tree: "fog/3" or "fog/2.5", or the name of a
// sequence alone; that of the zero Variant is none.
func (v Variant) Dir() string {
	if v.Sequence || v.Name == "" {
		return v.Name
	}
	return v.Name + "/" + SeverityName(v.Severity)
}

// SeverityName is a severity as folders and files are called after it: 3, 2.5.
func SeverityName(severity float64) string { return strconv.FormatFloat(severity, 'f', -1, 64) }

// Part is one image made of a sample, or one animation.
type Part struct {
	Variant int    // index into the plan's variants
	Frame   int    // number among the images of this variant of the sample, from 0
	W, H    int    // size in pixels
	Data    []byte // as the function given to Reset encodes it
}

// Parts collects what is made of one sample. Its memory is reused from sample to sample; [Parts.Reset] comes first.
type Parts struct {
	list   []Part
	n      int
	encode func(dst []byte, m *raster.Image) ([]byte, error)
}

// Add adds an image in encoded form; m may change afterwards.
func (p *Parts) Add(variant, frame int, m *raster.Image) error {
	file, err := p.encode(p.free(), m)
	if err != nil {
		return err
	}
	p.put(Part{Variant: variant, Frame: frame, W: m.W, H: m.H, Data: file})
	return nil
}

// AddFile adds a copy of a w by h image or animation that is encoded already.
func (p *Parts) AddFile(variant, frame, w, h int, file []byte) {
	p.put(Part{Variant: variant, Frame: frame, W: w, H: h, Data: append(p.free(), file...)})
}

// free returns the memory of the part that comes next.
func (p *Parts) free() []byte {
	if p.n == len(p.list) {
		p.list = append(p.list, Part{})
	}
	return p.list[p.n].Data[:0]
}

func (p *Parts) put(one Part) {
	p.list[p.n] = one
	p.n++
}

// Reset empties p. From then on Add keeps images as encode appends them, such as a sink's files or raw pixels.
func (p *Parts) Reset(encode func(dst []byte, m *raster.Image) ([]byte, error)) {
	p.n, p.encode = 0, encode
}

// All returns the parts added since the last Reset, which share its memory.
func (p *Parts) All() []Part { return p.list[:p.n] }
