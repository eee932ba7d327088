package filter

import (
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
)

// Filter is the weight function of a resize that averages (Pillow's resampling filters). When an image shrinks, the
// function is stretched by the factor, so that every source pixel counts.
type Filter uint8

// The filters of [Resizer]. Between brackets the half-width in source pixels, times the factor when shrinking.
const (
	Box      Filter = iota // all pixels of the cell alike [1/2]
	Bilinear               // a triangle [1]
	Bicubic                // the cubic of Keys with a = -1/2 [2]
	Lanczos                // sinc(x) sinc(x/3) [3]
	filters
)

var filterNames = [filters]string{"box", "bilinear", "bicubic", "lanczos"}

// ErrFilter is returned for a name that no filter has.
var ErrFilter = errors.New("unknown resize filter")

// String returns the name of f: box, bilinear, bicubic or lanczos.
func (f Filter) String() string {
	if f >= filters {
		return fmt.Sprintf("Filter(%d)", uint8(f))
	}
	return filterNames[f]
}

// ParseFilter returns the filter of a name, or an error that wraps [ErrFilter] and lists the names.
func ParseFilter(name string) (Filter, error) {
	for f, n := range filterNames {
		if n == name {
			return Filter(f), nil
		}
	}
	return 0, fmt.Errorf("%w %q (allowed: %q)", ErrFilter, name, filterNames[:])
}

// Region is a rectangle of an image in pixels, which may begin and end between pixel borders: the box argument of
// Pillow's resize. Edges are rounded to float32 first, as there.
type Region struct{ Left, Upper, Right, Lower float64 }

// Resizer resizes images with the arithmetic of Pillow (Resample.c, the same from version 7.0 on; before, only Box
// differed, and only for centers that lie exactly on a cell border). Parity class: exact; TestResizeGolden replays
// Pillow's own results.
//
// The columns are resized first, to 8 bits a channel, then the rows of that; a direction that keeps its size and is
// not cropped is skipped. A new value is the weighted mean of those within the filter's half-width around its center,
// the weights having 22 fractional bits and the sum being rounded half up and clipped to 0 to 255. The weights are
// computed by exactly defined operations (the sine of Lanczos by package detmath), so that all architectures give the
// same bytes.
//
// A Resizer keeps the weights of the last call and its temporary memory; with images of similar size it soon
// allocates nothing. The zero Resizer is ready for use. It is not safe for concurrent use.
type Resizer struct {
	horizontal, vertical weights
	tmp                  []uint8
	split, sums          []uint64
}

// Resize makes dst the image src in the size w by h: Pillow's src.resize((w, h), f). It panics if w or h is not
// positive or if dst is src.
func (z *Resizer) Resize(dst, src *raster.Image, w, h int, f Filter) {
	z.ResizeCrop(dst, src, w, h, image.Rect(0, 0, src.W, src.H), f)
}

// ResizeCrop makes dst the part crop of src in the size w by h: Pillow's src.crop(crop).resize((w, h), f), without the
// copy. Pixels outside the part have no influence, as in torchvision's random resized crop. It panics as Resize does,
// and if crop is empty or not within src.
func (z *Resizer) ResizeCrop(dst, src *raster.Image, w, h int, crop image.Rectangle, f Filter) {
	if crop.Empty() || !crop.In(image.Rect(0, 0, src.W, src.H)) {
		panic(fmt.Sprintf("filter: crop %v is empty or not within an image of %dx%d", crop, src.W, src.H))
	}
	p := view{src.Pix[4*(crop.Min.Y*src.W+crop.Min.X):], 4 * src.W, crop.Dx(), crop.Dy()}
	z.resize(dst, src, p, w, h, Region{0, 0, float64(p.w), float64(p.h)}, f)
}

// ResizeRegion makes dst the part r of src in the size w by h: Pillow's src.resize((w, h), f, box=r). Pixels outside
// the part have influence where the filter reaches them. It panics as Resize does, and if r is empty or not within
// src.
func (z *Resizer) ResizeRegion(dst, src *raster.Image, w, h int, r Region, f Filter) {
	ok := r.Left >= 0 && r.Left < r.Right && r.Right <= float64(src.W) &&
		r.Upper >= 0 && r.Upper < r.Lower && r.Lower <= float64(src.H)
	if !ok || float32(r.Left) == float32(r.Right) || float32(r.Upper) == float32(r.Lower) {
		panic(fmt.Sprintf("filter: region %v is empty or not within an image of %dx%d", r, src.W, src.H))
	}
	z.resize(dst, src, view{src.Pix, 4 * src.W, src.W, src.H}, w, h, r, f)
}

// view is a rectangle of w by h pixels that starts with pix and has stride bytes from row to row.
type view struct {
	pix          []uint8
	stride, w, h int
}

func (v view) row(y int) []uint8 { return v.pix[y*v.stride:][:4*v.w] }

func (z *Resizer) resize(dst, src *raster.Image, p view, w, h int, r Region, f Filter) {
	if dst == src {
		panic("filter: Resize onto the source")
	}
	dst.Reset(w, h)
	x0, y0, x1, y1 := float32(r.Left), float32(r.Upper), float32(r.Right), float32(r.Lower)
	columns := w != p.w || x0 != 0 || x1 != float32(p.w)
	rows := h != p.h || y0 != 0 || y1 != float32(p.h)
	out := view{dst.Pix, 4 * w, w, h}
	if rows && z.vertical.set(p.h, y0, y1, h, f) {
		z.vertical.narrowRows()
	}
	if columns && z.horizontal.set(p.w, x0, x1, w, f) {
		z.horizontal.narrowColumns()
	}
	switch {
	case columns && rows:
		first, last := z.vertical.used()
		z.tmp = buffer.Resize(z.tmp, 4*w*(last-first))
		tmp := view{z.tmp, 4 * w, w, last - first}
		p.pix, p.h = p.pix[first*p.stride:], last-first
		z.columns(tmp, p)
		z.rows(out, tmp, first)
	case columns:
		z.columns(out, p)
	case rows:
		z.rows(out, p, 0)
	default:
		for y := range h {
			copy(out.row(y), p.row(y))
		}
	}
}

// ShortSide returns the size to which torchvision's Resize(n) brings an image of w by h: the shorter side n, the
// longer one in proportion, the fraction cut off.
func ShortSide(w, h, n int) (int, int) {
	if w <= h {
		return n, int(math.Trunc(float64(n) * float64(h) / float64(w)))
	}
	return int(math.Trunc(float64(n) * float64(w) / float64(h))), n
}
