package annotated

import (
	"image"
	"math"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
)

// Warp is an affine map of an image of W by H pixels onto one of the same size. Positions are in pixels: the pixel (x, y) covers the
// square from (x, y) to (x+1, y+1).
type Warp struct {
	W, H          int
	back, forward [6]float64 // xs = m[0]*x + m[1]*y + m[2], ys = m[3]*x + m[4]*y + m[5]; back takes the new image to the old one
}

// NewWarp returns the map that back is the inverse of: six numbers that take a position of the new image to one of the old. Its
// determinant must not be 0.
func NewWarp(back [6]float64, w, h int) Warp {
	a, b, c, d, e, f := back[0], back[1], back[2], back[3], back[4], back[5]
	det := float64(a*e) - float64(b*d)
	return Warp{W: w, H: h, back: back, forward: [6]float64{
		e / det, -b / det, (float64(b*f) - float64(c*e)) / det, -d / det, a / det, (float64(c*d) - float64(a*f)) / det,
	}}
}

func apply(m *[6]float64, x, y float64) (float64, float64) {
	return float64(m[0]*x) + float64(m[1]*y) + m[2], float64(m[3]*x) + float64(m[4]*y) + m[5]
}

// scale is by how much areas grow.
func (g *Warp) scale() float64 {
	m := &g.forward
	return math.Abs(float64(m[0]*m[4]) - float64(m[1]*m[3]))
}

// box maps the corners of a box and returns the upright box around them, cut off at the image, and which fraction of its area that is:
// 0 where nothing is left.
func (g *Warp) box(b [4]float64) (out [4]float64, visible float64) {
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range 4 {
		x, y := apply(&g.forward, b[i%2*2], b[i/2*2+1])
		lo, hi = [2]float64{min(lo[0], x), min(lo[1], y)}, [2]float64{max(hi[0], x), max(hi[1], y)}
	}
	out = [4]float64{max(lo[0], 0), max(lo[1], 0), min(hi[0], float64(g.W)), min(hi[1], float64(g.H))}
	if out[0] >= out[2] || out[1] >= out[3] {
		return out, 0
	}
	area := float64(hi[0]-lo[0]) * float64(hi[1]-lo[1])
	return out, float64(out[2]-out[0]) * float64(out[3]-out[1]) / area
}

// polygon maps the points, x and y in turn, and cuts the polygon off at the image: nil where less than a triangle is left.
func (g *Warp) polygon(points []float64) []float64 {
	var p []float64
	for i := 0; i < len(points); i += 2 {
		x, y := apply(&g.forward, points[i], points[i+1])
		p = append(p, x, y)
	}
	for axis, most := range []float64{float64(g.W), float64(g.H)} {
		p = cut(p, axis, 0, 1)
		p = cut(p, axis, most, -1)
	}
	if len(p) < 6 {
		return nil
	}
	return p
}

// cut keeps the part of a polygon where sign*(coordinate-limit) is not negative (Sutherland and Hodgman).
func cut(p []float64, axis int, limit, sign float64) (out []float64) {
	for i := 0; i < len(p); i += 2 {
		j := (i + 2) % len(p)
		a, b := sign*(p[i+axis]-limit), sign*(p[j+axis]-limit)
		if a >= 0 {
			out = append(out, p[i], p[i+1])
		}
		if (a < 0) != (b < 0) {
			t := a / (a - b)
			q := [2]float64{p[i] + float64(t*(p[j]-p[i])), p[i+1] + float64(t*(p[j+1]-p[i+1]))}
			q[axis] = limit
			out = append(out, q[0], q[1])
		}
	}
	return out
}

// area is that of a polygon.
func area(p []float64) float64 {
	sum := 0.0
	for i := 0; i < len(p); i += 2 {
		j := (i + 2) % len(p)
		sum += float64(p[i]*p[j+1]) - float64(p[j]*p[i+1])
	}
	return math.Abs(sum) / 2
}

// source returns the pixel of the old image that lies in the middle of a pixel of the new one, and whether there is one.
func (g *Warp) source(x, y int) (image.Point, bool) {
	sx, sy := apply(&g.back, float64(x)+0.5, float64(y)+0.5)
	p := image.Pt(int(math.Floor(sx)), int(math.Floor(sy)))
	return p, sx >= 0 && sy >= 0 && p.X < g.W && p.Y < g.H
}

// WarpOptions say what becomes of annotations when images are warped.
type WarpOptions struct {
	// MinVisible is the fraction of the warped box that must lie within the image, above 0: objects of less are dropped.
	MinVisible float64
	// MaskFill is the value of the pixels of masks that come from outside of the image, -1 for what training leaves out: 0 in Cityscapes,
	// 255 elsewhere and in its masks of training ids. Masks of colors get 0, and those of numbers of objects, which are no classes, 0 or, with
	// another value than 0 in Pascal VOC and masks of training ids, 255. With -1 a gray mask that marks objects by 255 is an error.
	MaskFill int
}

// Counts are objects that were warped and are kept, or dropped, in files of one kind.
type Counts struct{ Kept, Dropped atomic.Int64 }

func (c *Counts) add(kept bool) bool {
	if kept {
		c.Kept.Add(1)
	} else {
		c.Dropped.Add(1)
	}
	return kept
}

// File is a file of one image.
type File struct {
	Name string // below the root
	Data []byte
}

// Files returns the files that say something of the image of that path alone.
func (a *Annotations) Files(name string) []string { return a.about(name).files() }

// About returns all files that say something of one image, of images that are not there too.
func (a *Annotations) About() (files []string) {
	for _, m := range a.of {
		files = append(files, m.files()...)
	}
	return files
}

// Unknown returns the files that are named after an image, as annotations are, and that none of the known annotations is: they do not
// follow an image that is warped.
func (a *Annotations) Unknown() (names []string) {
	images, known := map[string]bool{}, map[string]bool{}
	for _, name := range a.tree.Images {
		images[path.Base(Stem(name))] = true
	}
	for _, name := range slices.Concat(a.About(), a.lists) {
		known[name] = true
	}
	for _, name := range a.tree.Others {
		base := path.Base(name)
		for at := len(base); at > 0 && !known[name]; at = strings.LastIndexAny(base[:at], "._") {
			if images[base[:at]] {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// Warped returns the files of [Annotations.Files] as they are after g, which the image of that path and file goes through. The first
// problem of the annotations is the error: see [Annotations.Check].
func (a *Annotations) Warped(name string, file []byte, g Warp, o WarpOptions) ([]File, error) {
	if found := a.Check(name, file); len(found) > 0 {
		return nil, found[0]
	}
	if info, err := imagefile.Inspect(file); err != nil || info.Orientation != 1 {
		return nil, problem(name, "", "an EXIF orientation leaves open what annotations are of (allowed: images stored upright)")
	}
	var files []File
	for _, one := range a.Files(name) {
		var text []byte
		var err error
		switch m := a.about(name); one {
		case m.labels:
			text, err = a.warpYOLO(one, &g, o)
		case m.voc:
			text, err = a.warpVOC(one, &g, o)
		case m.polys:
			text, err = a.warpPolygons(one, &g, o)
		default:
			text, err = a.warpMask(one, &g, o)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, File{one, text})
	}
	return files, nil
}

// Tally says how many objects were kept and dropped, by kinds of files: "yolo: 17 kept, 2 dropped", "" for no objects at all.
func (a *Annotations) Tally() string {
	var parts []string
	for _, kind := range []string{COCO, YOLO, VOC, Cityscapes} {
		if c := a.counts[kind]; c != nil && c.Kept.Load()+c.Dropped.Load() > 0 {
			parts = append(parts, problem(kind, "", "%d kept, %d dropped", c.Kept.Load(), c.Dropped.Load()).Error())
		}
	}
	return strings.Join(parts, "; ")
}

// readText reads a text file and returns the mark that it begins with, which may be empty, and the rest.
func (t *Tree) readText(name string) (mark, text []byte, err error) {
	if text, err = data.ReadFile(nil, t.File(name), maxText); err != nil {
		return nil, nil, problem(name, "", "%v", err)
	}
	mark, text = cutMark(text)
	return mark, text, nil
}
