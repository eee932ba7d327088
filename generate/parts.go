package generate

import (
	"fmt"
	"strconv"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Variant names one of the many data sets that are made of one at a time: a corruption at a severity, or a perturbation
// at a difficulty.
type Variant struct {
	Name     string // of the published file or folder: "fog", "gaussian_noise_2"
	Severity int    // 1 to 5 for corruptions, 0 where there is none
}

// Dir returns the slash-separated folder of the variant in ImageNet-C's tree: "fog/3", or the name alone.
func (v Variant) Dir() string {
	if v.Severity == 0 {
		return v.Name
	}
	return v.Name + "/" + strconv.Itoa(v.Severity)
}

// Expander makes the images of all variants of one input image, which is read and decoded once. Like a Maker it
// serves one worker.
type Expander interface {
	// Expand adds every image to dst, variants in order, frames of a variant in order. key is the seed narrowed by the
	// sample's key; the Expander narrows it further by what it draws for. An error refuses the sample.
	Expand(dst *Parts, src *raster.Image, key rng.Key) error
}

// PartSink takes all that was made of one sample at once. It keeps the promises of data.Sink about names, checkpoints,
// Close and Abort.
type PartSink interface {
	// AppendPart appends the image m as the sink keeps it to dst. It is safe for concurrent use and, where it can be,
	// all the work there is in an image, so that workers share it.
	AppendPart(dst []byte, m *raster.Image) ([]byte, error)
	// PutParts takes the parts of one sample, valid during the call only.
	PutParts(key string, label int, parts []Part) error
	Checkpoint() (state []byte, err error)
	Close() error
	Abort() error
}

// Part is one image made of a sample, or one animation.
type Part struct {
	Variant int    // index into the variants of the job
	Frame   int    // number among the images of this variant of the sample, from 0
	W, H    int    // size in pixels
	Data    []byte // as the sink keeps it
}

// Parts collects what is made of one sample. Its memory is reused from sample to sample.
type Parts struct {
	list   []Part
	n      int
	append func(dst []byte, m *raster.Image) ([]byte, error)
}

// Add adds an image, encoded as the sink keeps it; m may change afterwards.
func (p *Parts) Add(variant, frame int, m *raster.Image) error {
	return p.AddFile(variant, frame, m.W, m.H, func(dst []byte) ([]byte, error) { return p.append(dst, m) })
}

// AddFile adds what appendTo appends to the slice that it is given.
func (p *Parts) AddFile(variant, frame, w, h int, appendTo func(dst []byte) ([]byte, error)) error {
	if p.n == len(p.list) {
		p.list = append(p.list, Part{})
	}
	c := &p.list[p.n]
	text, err := appendTo(c.Data[:0])
	if err != nil {
		return err
	}
	*c = Part{Variant: variant, Frame: frame, W: w, H: h, Data: text}
	p.n++
	return nil
}

func (p *Parts) reset() { p.n = 0 }

// all returns the parts added since the last reset.
func (p *Parts) all() []Part { return p.list[:p.n] }

// groups returns the names of the variants in order without repetition, and for each variant the number of its name and
// its place among those of that name. It panics unless variants of one name follow each other and are equally many.
func groups(variants []Variant) (names []string, group, place []int) {
	count := map[string]int{}
	for i, v := range variants {
		if count[v.Name] == 0 {
			names = append(names, v.Name)
		} else if variants[i-1].Name != v.Name {
			panic("generate: the variants of " + v.Name + " do not follow each other")
		}
		group, place = append(group, len(names)-1), append(place, count[v.Name])
		count[v.Name]++
	}
	for _, name := range names {
		if count[name] != count[names[0]] {
			panic(fmt.Sprintf("generate: %d variants of %s, %d of %s", count[name], name, count[names[0]], names[0]))
		}
	}
	return names, group, place
}
