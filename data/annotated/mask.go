package annotated

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// readMask reads a PNG file as what it holds: indices of a palette, gray of 8 or 16 bits, or colors. Gray of 1 bit is 0 and 1; that of 2
// and 4 bits is spread over 0 to 255, as other readers do.
func (t *Tree) readMask(name string) (image.Image, error) {
	file, err := data.ReadFile(nil, t.File(name), maxImage)
	if err != nil {
		return nil, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, problem(name, "", "%v", err)
	}
	if err := raster.CheckSize(c.Width, c.Height); err != nil {
		return nil, problem(name, "", "%v", err)
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, problem(name, "", "%v", err)
	}
	const depthAt = 24 // in the header, which is the first chunk
	if g, ok := m.(*image.Gray); ok && file[depthAt] == 1 {
		for i := range g.Pix {
			g.Pix[i] /= 255
		}
	}
	return m, nil
}

// checkMask looks for what is wrong with a mask of an image of w by h pixels.
func (a *Annotations) checkMask(name string, w, h int, add func(*Problem)) {
	m, err := a.tree.readMask(name)
	if err != nil {
		add(problem(name, "", "%v", reasonOf(err)))
		return
	}
	if b := m.Bounds(); b.Dx() != w || b.Dy() != h {
		add(problem(name, "", "%dx%d, and its image is %dx%d (allowed: the same)", b.Dx(), b.Dy(), w, h))
	}
	if a.ids == nil || slices.ContainsFunc([]string{"SegmentationObject/", "instance", "Instance", "panoptic"}, func(of string) bool {
		return strings.Contains(name, of)
	}) {
		return // there are no classes, or values are numbers of objects
	}
	wrong := map[int]bool{}
	each(m, func(id int) {
		if id >= len(a.ids) || !a.ids[id] {
			wrong[id] = true
		}
	})
	switch ids := slices.Sorted(maps.Keys(wrong)); {
	case len(ids) == 1:
		add(problem(name, "", "label %d, which is none of those that are allowed", ids[0]))
	case len(ids) > 1:
		add(problem(name, "", "labels %s, which are none of those that are allowed", someNumbers(ids)))
	}
}

// someNumbers lists numbers, the first ten of more.
func someNumbers(list []int) string {
	const most = 10
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(list[:min(len(list), most)]), " ", ", "), "[]")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// reasonOf is an error whose file is said already.
func reasonOf(err error) any {
	if p, ok := err.(*Problem); ok {
		return p.Reason
	}
	return err
}

// each calls do with the index or the gray value of every pixel; colors are none.
func each(m image.Image, do func(id int)) {
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			switch m := m.(type) {
			case *image.Paletted:
				do(int(m.ColorIndexAt(x, y)))
			case *image.Gray:
				do(int(m.GrayAt(x, y).Y))
			case *image.Gray16:
				do(int(m.Gray16At(x, y).Y))
			}
		}
	}
}
