package annotated

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// warpYOLO rewrites the lines of labels. Empty lines stay.
func (a *Annotations) warpYOLO(name string, g *Warp, o WarpOptions) ([]byte, error) {
	mark, text, err := a.tree.readText(name)
	if err != nil {
		return nil, err
	}
	if a.pose {
		return nil, problem(name, "", "labels with keypoints (kpt_shape) are not rewritten")
	}
	w, h := float64(g.W), float64(g.H)
	var out bytes.Buffer
	out.Write(mark)
	for i, line := range data.DecodeLines(text) {
		if strings.TrimSpace(line) == "" {
			fmt.Fprintln(&out)
			continue
		}
		l, reason := parseYOLO(line)
		if reason != "" {
			return nil, problem(name, fmt.Sprintf("line %d", i+1), "%s", reason)
		}
		if l.box != nil {
			x, y, bw, bh := float64(l.box[0]*w), float64(l.box[1]*h), float64(l.box[2]*w), float64(l.box[3]*h)
			b, visible := g.box([4]float64{x - bw/2, y - bh/2, x + bw/2, y + bh/2})
			if a.counts[YOLO].add(visible >= o.MinVisible) {
				fmt.Fprintf(&out, "%s %.6f %.6f %.6f %.6f%s\n", l.class, (b[0]+b[2])/(2*w), (b[1]+b[3])/(2*h), (b[2]-b[0])/w, (b[3]-b[1])/h, l.rest)
			}
			continue
		}
		p := slices.Clone(l.points)
		for j := range p {
			p[j] *= []float64{w, h}[j%2]
		}
		whole := area(p) * g.scale()
		if p = g.polygon(p); a.counts[YOLO].add(p != nil && area(p) >= o.MinVisible*whole) {
			out.WriteString(l.class)
			for j, v := range p {
				fmt.Fprintf(&out, " %.6f", v/[]float64{w, h}[j%2])
			}
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

// notRewritten are elements of objects, such as those of VOC 2012's actions, whose coordinates would not follow the image.
var notRewritten = regexp.MustCompile(`<(point|polygon)\b`)

// warpVOC rewrites the boxes of objects and parts; those that are lost go as a whole. Every other byte stays.
func (a *Annotations) warpVOC(name string, g *Warp, o WarpOptions) (text []byte, err error) {
	text, boxes := a.tree.readVOC(name, g.W, g.H, func(p *Problem) {
		if err == nil {
			err = p
		}
	})
	if err != nil {
		return nil, err
	}
	if still := notRewritten.Find(text); still != nil {
		return nil, problem(name, "", "objects with a %s are not rewritten", still[1:])
	}
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	for i := range boxes {
		b := &boxes[i]
		s, visible := g.box([4]float64{b.sides[0] - 1, b.sides[1] - 1, b.sides[2], b.sides[3]})
		kept := visible >= o.MinVisible
		if !b.inner {
			a.counts[VOC].add(kept)
		}
		if !kept {
			from := len(bytes.TrimRight(text[:b.from], " \t"))
			if from > 0 && text[from-1] == '\n' {
				from-- // the line of its own goes
			}
			edits = append(edits, edit{from, b.to, ""})
			continue
		}
		s[0], s[1] = s[0]+1, s[1]+1 // pixels are counted from 1
		for j, v := range s {
			out := strconv.FormatFloat(v, 'f', 2, 64)
			if b.whole {
				s[j] = min(max(math.Round(v), 1), float64([]int{g.W, g.H}[j%2]))
				if j >= 2 {
					s[j] = max(s[j], s[j-2])
				}
				out = strconv.Itoa(int(s[j]))
			}
			edits = append(edits, edit{b.at[j][0], b.at[j][1], out})
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		if e.from < at {
			continue // within an object that is lost
		}
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...), nil
}

// warpPolygons rewrites the polygons of Cityscapes; other fields stay as they are.
func (a *Annotations) warpPolygons(name string, g *Warp, o WarpOptions) ([]byte, error) {
	mark, text, err := a.tree.readText(name)
	if err != nil {
		return nil, err
	}
	out, err := editObject(text, func(key string, value []byte) ([]byte, error) {
		if key != "objects" {
			return value, nil
		}
		return editList(value, func(object []byte) ([]byte, error) {
			kept := true
			object, err := editObject(object, func(key string, value []byte) ([]byte, error) {
				if key != "polygon" {
					return value, nil
				}
				points, err := pairs(value)
				if err != nil {
					return nil, err
				}
				p := g.polygon(points)
				kept = a.counts[Cityscapes].add(p != nil && area(p) >= o.MinVisible*area(points)*g.scale())
				return pairsText(p), nil
			})
			if !kept {
				return nil, err
			}
			return object, err
		})
	})
	if err != nil {
		return nil, problem(name, "objects", "%v", err)
	}
	return append(mark, out...), nil
}

// checkPolygons looks for what is wrong with the polygons of an image of w by h pixels. Polygons may reach out of it, as published ones do.
func (a *Annotations) checkPolygons(name string, w, h int, add func(*Problem)) {
	var said struct {
		W       int `json:"imgWidth"`
		H       int `json:"imgHeight"`
		Objects []struct {
			Polygon [][2]float64 `json:"polygon"`
		} `json:"objects"`
	}
	_, text, err := a.tree.readText(name)
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		add(problem(name, "", "%v", reasonOf(err)))
	} else if (said.W != w || said.H != h) && said.W != 0 && said.H != 0 {
		add(problem(name, "imgWidth, imgHeight", "%dx%d, and its image is %dx%d", said.W, said.H, w, h))
	}
}

// maskFill is the value of what comes from outside of the image in a mask: the chosen one, and with -1 that which training leaves out, 255,
// and 0 in Cityscapes, but for its masks of training ids. Where values are numbers of objects it is that of no object, whatever class is
// chosen: 0, and 255 where such a mask has that for what training leaves out.
func (t *Tree) maskFill(name string, chosen int) int {
	objects := numbersObjects(name)
	switch {
	case chosen == 0, chosen > 0 && !objects:
		return chosen
	case t.Layout == VOC, t.Layout == Cityscapes && strings.Contains(path.Base(name), "TrainIds"), t.Layout != Cityscapes && !objects:
		return 255
	}
	return 0
}

// warpMask maps a mask by the nearest pixel. Indices, palettes and values of 8 and 16 bits are those of the file.
func (a *Annotations) warpMask(name string, g *Warp, o WarpOptions) ([]byte, error) {
	m, err := a.tree.readMask(name)
	if err != nil {
		return nil, err
	}
	fill := a.tree.maskFill(name, o.MaskFill)
	var pix, src []uint8
	var size, stride int
	lacks := func(most int) error {
		return problem(name, "", "it cannot hold the value %d for what comes from outside of the image (allowed: 0 to %d)", fill, most)
	}
	value := []uint8{uint8(fill)}
	switch m := m.(type) {
	case *image.Paletted:
		if fill >= len(m.Palette) {
			return nil, lacks(len(m.Palette) - 1)
		}
		src, size, stride = m.Pix, 1, m.Stride
	case *image.Gray:
		if fill > 255 {
			return nil, lacks(255)
		}
		if fill == 255 && o.MaskFill < 0 && a.tree.Layout != Cityscapes && a.marking(name, m) == marksObjects {
			return nil, problem(name, "", "its values are 0 and 255, or 0 beside masks of 0 and 255, and what comes from outside of the image gets 255: "+
				"that would be of the object (allowed: another mask-fill, such as 0, or 255 where it is meant so)")
		}
		src, size, stride = m.Pix, 1, m.Stride
	case *image.Gray16:
		src, size, stride, value = m.Pix, 2, m.Stride, []uint8{uint8(fill >> 8), uint8(fill)}
	case *image.RGBA:
		src, size, stride, value = m.Pix, 4, m.Stride, []uint8{0, 0, 0, 255}
	case *image.NRGBA:
		src, size, stride, value = m.Pix, 4, m.Stride, []uint8{0, 0, 0, 255}
	default:
		return nil, problem(name, "", "pixels of %s (allowed: indices, gray of 8 or 16 bits, color of 8)", strings.TrimPrefix(fmt.Sprintf("%T", m), "*image."))
	}
	for y := range g.H {
		for x := range g.W {
			if p, ok := g.source(x, y); ok {
				pix = append(pix, src[p.Y*stride+p.X*size:][:size]...)
			} else {
				pix = append(pix, value...)
			}
		}
	}
	r := image.Rect(0, 0, g.W, g.H)
	var out image.Image
	switch m := m.(type) {
	case *image.Paletted:
		out = &image.Paletted{Pix: pix, Stride: g.W, Rect: r, Palette: slices.Clone(m.Palette)}
	case *image.Gray:
		out = &image.Gray{Pix: pix, Stride: g.W, Rect: r}
	case *image.Gray16:
		out = &image.Gray16{Pix: pix, Stride: 2 * g.W, Rect: r}
	case *image.RGBA:
		out = &image.RGBA{Pix: pix, Stride: 4 * g.W, Rect: r}
	case *image.NRGBA:
		out = translucent{&image.NRGBA{Pix: pix, Stride: 4 * g.W, Rect: r}}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, out); err != nil {
		return nil, problem(name, "", "%v", err)
	}
	return b.Bytes(), nil
}

// translucent is a mask whose alpha channel is written even where all of it is opaque, as in the file that it is made of.
type translucent struct{ *image.NRGBA }

// Opaque tells the encoder.
func (translucent) Opaque() bool { return false }
