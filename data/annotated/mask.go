package annotated

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// Where the header of a PNG file, its first chunk, says the bits of a value and what values are, and where it ends.
const (
	depthAt   = 24
	colorAt   = 25
	headerEnd = 33
)

// readMask reads a PNG file as what it holds: indices of a palette, gray of 8 or 16 bits, or colors. Gray of 1 bit is 0 and 1; that of 2
// and 4 bits is spread over 0 to 255, as other readers do. That a value of gray is to be transparent is not read.
func (t *Tree) readMask(name string) (image.Image, error) {
	file, err := data.ReadFile(nil, t.File(name), maxImage)
	if err != nil {
		return nil, err
	}
	c, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, problem(name, "", "%v", err)
	}
	if err := data.CheckSize(c.Width, c.Height); err != nil {
		return nil, problem(name, "", "%v", err)
	}
	m, err := png.Decode(bytes.NewReader(withoutKey(file)))
	if err != nil {
		return nil, problem(name, "", "%v", err)
	}
	if g, ok := m.(*image.Gray); ok && file[depthAt] == 1 {
		for i := range g.Pix {
			g.Pix[i] /= 255
		}
	}
	return m, nil
}

// withoutKey cuts the chunk from a PNG file of gray that makes one value transparent: it would be decoded as colors.
func withoutKey(file []byte) []byte {
	for at := headerEnd; file[colorAt] == 0 && at+8 <= len(file); {
		size := 12 + int64(binary.BigEndian.Uint32(file[at:])) // with length, name and checksum
		switch name := string(file[at+4 : at+8]); {
		case name == "IDAT" || size > int64(len(file)-at):
			return file
		case name == "tRNS":
			return slices.Delete(file, at, at+int(size))
		}
		at += int(size)
	}
	return file
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
	if a.ids == nil || numbersObjects(name) {
		return // there are no classes
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

// numbersObjects reports whether the values of a mask are numbers of objects, and not classes.
func numbersObjects(name string) bool {
	return slices.ContainsFunc([]string{"SegmentationObject/", "instance", "Instance", "panoptic"}, func(of string) bool {
		return strings.Contains(name, of)
	})
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

// marking is what the values of a mask are, as far as they show it.
type marking uint8

const (
	marksNothing marking = iota // 0 alone
	marksObjects                // an object is 255 and all else 0
	marksValues                 // others, beside which 255 is what training leaves out
)

func markingOf(m image.Image) marking {
	gray, ok := m.(*image.Gray)
	if !ok {
		return marksValues
	}
	marks := marksNothing
	for y := range gray.Rect.Dy() {
		for _, v := range gray.Pix[y*gray.Stride:][:gray.Rect.Dx()] {
			if v == 255 {
				marks = marksObjects
			} else if v != 0 {
				return marksValues
			}
		}
	}
	return marks
}

// marking returns that of a mask. One of 0 alone has that of the first mask of its folder that shows more; of one that cannot be read its
// own image tells.
func (a *Annotations) marking(name string, m image.Image) marking {
	if marks := markingOf(m); marks != marksNothing {
		return marks
	}
	folder := path.Dir(name)
	a.mu.Lock()
	defer a.mu.Unlock()
	marks, known := a.markings[folder]
	for i := 0; i < len(a.tree.Masks) && !known && marks == marksNothing; i++ {
		if other := a.tree.Masks[i]; path.Dir(other) == folder {
			if m, err := a.tree.readMask(other); err == nil {
				marks = markingOf(m)
			}
		}
	}
	a.markings[folder] = marks
	return marks
}
