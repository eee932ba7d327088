package annotated

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// vocBox is a bndbox of Pascal VOC: the corners of a box whose pixels are counted from 1, both included.
type vocBox struct {
	field      string // "object[2].bndbox"
	from, to   int    // the element that has the box, object or part, in bytes of the file
	sides      [4]float64
	at         [4][2]int // where each side is written
	inner      bool      // of a part of an object
	had        int       // sides found
	whole      bool      // all sides are whole numbers
	unreadable string
}

// maxNesting is how deep elements of an annotation may lie in each other; those of Pascal VOC lie five deep.
const maxNesting = 64

// vocSides are the names of the sides of a box, in the order of vocBox.
var vocSides = []string{"xmin", "ymin", "xmax", "ymax"}

// parseVOC reads the boxes of an annotation, and the size of its image, 0 where it is not said. reason is what is wrong with it, ""
// for nothing.
func parseVOC(text []byte) (boxes []vocBox, w, h int, reason string) {
	dec := xml.NewDecoder(bytes.NewReader(text))
	var path []string
	var open []int // where the elements of path begin
	objects, box := -1, (*vocBox)(nil)
	for {
		before := int(dec.InputOffset())
		tok, err := dec.Token()
		if err != nil {
			if len(path) > 0 || err.Error() != "EOF" {
				reason = err.Error()
			}
			return boxes, w, h, reason
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(path) == maxNesting {
				return boxes, w, h, fmt.Sprintf("<%s> lies in %d elements (allowed: fewer)", tok.Name.Local, maxNesting)
			}
			path, open = append(path, tok.Name.Local), append(open, before)
			if tok.Name.Local == "object" && len(path) == 2 {
				objects++
			}
			if tok.Name.Local == "bndbox" && len(path) >= 3 && path[1] == "object" {
				box = &vocBox{field: fmt.Sprintf("object[%d].%s", objects, strings.Join(path[2:], ".")), from: open[len(open)-2], inner: len(path) > 3, whole: true}
			}
		case xml.CharData:
			value := strings.TrimSpace(string(tok))
			if box != nil {
				box.set(path[len(path)-1], value, before, int(dec.InputOffset()))
			} else if len(path) == 3 && path[1] == "size" && path[2] == "width" {
				w, _ = strconv.Atoi(value)
			} else if len(path) == 3 && path[1] == "size" && path[2] == "height" {
				h, _ = strconv.Atoi(value)
			}
		case xml.EndElement:
			name := path[len(path)-1]
			if name == "bndbox" && box != nil {
				boxes, box = append(boxes, *box), nil
			}
			if name == "object" || name == "part" {
				endBoxes(boxes, open[len(open)-1], int(dec.InputOffset()))
			}
			path, open = path[:len(path)-1], open[:len(open)-1]
		}
	}
}

// endBoxes says where the element from byte from ends to the boxes that it has. They are the last: those of elements before it
// have begun before it.
func endBoxes(boxes []vocBox, from, to int) {
	for i := len(boxes) - 1; i >= 0 && boxes[i].from >= from; i-- {
		if boxes[i].from == from {
			boxes[i].to = to
		}
	}
}

// set takes the text of an element of the box.
func (b *vocBox) set(name, value string, from, to int) {
	for i, side := range vocSides {
		if side != name || value == "" {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !isFinite(v) {
			b.unreadable = fmt.Sprintf("%s %q is no number", side, value)
		}
		b.sides[i], b.at[i] = v, [2]int{from, to}
		b.whole = b.whole && !strings.Contains(value, ".")
		b.had++
	}
}

// check says what is wrong with a box of an image of w by h pixels, "" for nothing.
func (b *vocBox) check(w, h int) string {
	switch s := b.sides; {
	case b.unreadable != "":
		return b.unreadable
	case b.had != len(vocSides) || b.to == 0:
		return "it lacks one of xmin, ymin, xmax, ymax, or has one twice"
	case s[0] > s[2] || s[1] > s[3] || !inside(s[0]-1, s[1]-1, s[2], s[3], float64(w), float64(h)):
		return fmt.Sprintf("%v of an image of %dx%d (allowed: a box within the image)", s, w, h)
	}
	return ""
}

// readVOC reads the annotation of an image of w by h pixels and adds what is wrong with it.
func (t *Tree) readVOC(name string, w, h int, add func(*Problem)) (text []byte, boxes []vocBox) {
	text, err := data.ReadFile(nil, t.File(name), maxText)
	if err != nil {
		add(problem(name, "", "%v", err))
		return nil, nil
	}
	boxes, saidW, saidH, reason := parseVOC(text)
	if reason != "" {
		add(problem(name, "", "%s", reason))
	}
	if saidW != 0 && saidH != 0 && (saidW != w || saidH != h) {
		add(problem(name, "size", "%dx%d, and its image is %dx%d", saidW, saidH, w, h))
	}
	for i := range boxes {
		if reason := boxes[i].check(w, h); reason != "" {
			add(problem(name, boxes[i].field, "%s", reason))
		}
	}
	return text, boxes
}

// checkVOC looks for what is wrong with an annotation of Pascal VOC.
func (a *Annotations) checkVOC(name string, w, h int, add func(*Problem)) {
	a.tree.readVOC(name, w, h, add)
}
