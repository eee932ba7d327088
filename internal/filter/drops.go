package filter

import (
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/kernel"
)

// Drops lays drops of water over images, as the spatter of still images and of sequences does. The zero value is
// ready for use; it is not safe for concurrent use.
type Drops struct {
	canny         Canny
	edges, relief []uint8
	ints, work    []int32
}

// Canny's thresholds, and the distance in pixels beyond which the relief is level.
const (
	cannyLow, cannyHigh = 50, 150
	reliefDepth         = 20
)

// waterColor is the color of the drops, from the published code.
var waterColor = [3]float32{175 / 255.0, 238 / 255.0, 238 / 255.0}

// Water sets dst to src with drops over it; both are w by h pixels of four bytes. The drops are the bytes liquid, one a
// pixel. Their relief is made from the distance to their edges, and the product of liquid and relief, divided by its
// largest value, times strength, times the color of water is added in float32. Without a drop that is 0/0, which the
// published code stores as a black image, and so does this; at the published severities that is rare.
func (d *Drops) Water(dst, src, liquid []uint8, w, h int, strength float32) {
	d.shape(liquid, w, h)
	top := 0
	for i, v := range d.relief {
		top = max(top, int(liquid[i])*int(v))
	}
	if top == 0 {
		for i := 0; i < len(dst); i += 4 {
			copy(dst[i:], []uint8{0, 0, 0, 255})
		}
		return
	}
	kernel.Water(dst, src, liquid, d.relief, float32(top), strength, &waterColor)
}

// shape makes the relief of drops.
func (d *Drops) shape(liquid []uint8, w, h int) {
	d.edges, d.relief, d.ints = buffer.Resize(d.edges, w*h), buffer.Resize(d.relief, w*h), buffer.Resize(d.ints, w*h)
	d.Edges(d.edges, liquid, w, h)
	d.work = Distance(d.ints, d.edges, w, h, d.work)
	for i, v := range d.ints {
		d.ints[i] = min(v, reliefDepth<<16)
	}
	BoxTrunc3(d.edges, d.ints, w, h, d.work)
	EqualizeHist(d.edges)
	Emboss3(d.relief, d.edges, w, h)
	Box3(d.relief, w, h, d.work)
}

// Edges sets dst to 255 at the edges of drops and to 0 elsewhere.
func (d *Drops) Edges(dst, liquid []uint8, w, h int) {
	d.canny.Edges(dst, liquid, w, h, cannyLow, cannyHigh)
}

// Relief returns the relief of the drops that Water laid last, until it is called again.
func (d *Drops) Relief() []uint8 { return d.relief }
