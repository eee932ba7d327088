package annotated

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// editObject writes a json object anew with the values that edit makes of its own; fields keep their order.
func editObject(raw []byte, edit func(key string, value []byte) ([]byte, error)) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, errors.New("no object")
	}
	out := []byte{'{'}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		key := tok.(string) // within an object there is nothing else
		if value, err = edit(key, value); err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(key)
		out = append(append(append(out, quoted...), ':'), value...)
	}
	return append(out, '}'), nil
}

// editList writes a json array anew with what edit makes of its elements; nil leaves one out.
func editList(raw []byte, edit func(element []byte) ([]byte, error)) ([]byte, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return nil, err
	}
	out := []byte{'['}
	for _, e := range elements {
		text, err := edit(e)
		if err != nil {
			return nil, err
		}
		if text != nil {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, text...)
		}
	}
	return append(out, ']'), nil
}

// pairs reads points of x and y each.
func pairs(raw []byte) (flat []float64, err error) {
	var points [][2]float64
	if err := json.Unmarshal(raw, &points); err != nil {
		return nil, err
	}
	for _, p := range points {
		flat = append(flat, p[0], p[1])
	}
	return flat, nil
}

// number writes a coordinate with at most two decimals, as COCO's are, and 0 without a sign.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100+0, 'f', -1, 64) }

func numbers(values []float64) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, number(v)...)
	}
	return append(out, ']')
}

func pairsText(flat []float64) []byte {
	out := []byte{'['}
	for i := 0; i < len(flat); i += 2 {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, numbers(flat[i:i+2])...)
	}
	return append(out, ']')
}

// Shared returns the files that are of many images and have to be rewritten with them: those of COCO's.
func (a *Annotations) Shared() []string {
	var names []string
	for _, f := range a.coco {
		names = append(names, f.name)
	}
	return names
}

// WarpShared writes the file of Shared of that name as it is after the images were warped. of returns the map of the image of that path
// and size, and false for an image that was left out: then its entry and its annotations are left out as well. Elements are read and
// written one by one; fields that are not known stay, and of those that are, bbox is the box around its mapped corners, within the
// image; segmentation the mapped polygons, cut off at the image, or the mapped mask; keypoints that leave the image are not labeled any
// more; area is that of the segmentation, and without one follows the box. iscrowd stays. Annotations of panoptic segmentation are an
// error, a [*Problem].
func (a *Annotations) WarpShared(w io.Writer, name string, o WarpOptions, of func(image string, w, h int) (Warp, bool)) error {
	var f *cocoFile
	for _, one := range a.coco {
		if one.name == name {
			f = one
		}
	}
	mark, err := markOf(a.tree.File(name))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	lead := mark + "{"
	warps := map[int64]Warp{}
	for id, m := range f.images {
		if m.path == "" {
			continue
		}
		if g, ok := of(m.path, int(m.w), int(m.h)); ok {
			warps[id] = g
		}
	}
	err = eachField(a.tree.File(name), func(field string, dec *json.Decoder) error {
		quoted, _ := json.Marshal(field)
		fmt.Fprintf(out, "%s%s:", lead, quoted)
		lead = ","
		if field != "images" && field != "annotations" {
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				return err
			}
			_, err := out.Write(value)
			return err
		}
		sep := "["
		array, err := eachElement(dec, func(i int, element json.RawMessage) error {
			var text []byte
			var err error
			if field == "images" {
				text = a.keptImage(warps, element)
			} else if text, err = a.warpAnnotation(f, i, warps, element, o); err != nil {
				return err
			}
			if text != nil {
				fmt.Fprintf(out, "%s%s", sep, text)
				sep = ","
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case !array:
			return problem(name, field, "no list")
		case sep == "[":
			out.WriteString("[")
		}
		_, err = out.WriteString("]")
		return err
	})
	if err != nil {
		return err
	}
	out.WriteString("}\n")
	return out.Flush()
}

func (a *Annotations) keptImage(warps map[int64]Warp, element json.RawMessage) []byte {
	m := parseImage(element, func(string, string) {}) // an image with a problem has no map
	if m.ID == nil {
		return nil
	}
	if _, ok := warps[*m.ID]; !ok {
		return nil
	}
	return element
}

// warpAnnotation returns the i-th annotation of f as it is after its image was warped, nil where it is left out.
func (a *Annotations) warpAnnotation(f *cocoFile, i int, warps map[int64]Warp, element json.RawMessage, o WarpOptions) ([]byte, error) {
	field := fmt.Sprintf("annotations[%d]", i)
	var wrong error
	one := parseAnnotation(element, func(name, reason string) { wrong = problem(f.name, field+name, "%s", reason) })
	if one.ImageID == nil {
		return nil, nil
	}
	g, ok := warps[*one.ImageID]
	if !ok {
		return nil, nil
	}
	if wrong != nil {
		return nil, wrong
	}
	if one.SegmentsInfo != nil {
		return nil, problem(f.name, field+".segments_info", "annotations of panoptic segmentation are not rewritten")
	}
	var box [4]float64
	visible := 1.0
	if b := one.BBox; len(b) == 4 {
		box, visible = g.box([4]float64{b[0], b[1], b[0] + b[2], b[1] + b[3]})
	}
	var shape []byte
	size := -1.0 // area of the segmentation
	if one.Segmentation != nil {
		s, reason := parseSegmentation(one.Segmentation, g.W, g.H)
		if reason != "" {
			return nil, problem(f.name, field+".segmentation", "%s", reason)
		}
		before := s.area()
		s = s.warped(&g)
		if size = s.area(); before > 0 && (size == 0 || size < o.MinVisible*before*g.scale()) {
			visible = 0
		}
		shape = s.text(g.W, g.H)
	}
	if !a.counts[COCO].add(visible >= o.MinVisible) {
		return nil, nil
	}
	labeled := g.keypoints(one.Keypoints)
	return editObject(element, func(key string, value []byte) ([]byte, error) {
		switch {
		case string(value) == "null": // as good as missing: nothing to map
			return value, nil
		case key == "bbox" && len(one.BBox) == 4:
			return numbers([]float64{box[0], box[1], box[2] - box[0], box[3] - box[1]}), nil
		case key == "segmentation" && shape != nil:
			return shape, nil
		case key == "area" && size > 0:
			return []byte(number(size)), nil
		case key == "area":
			var before float64
			if err := json.Unmarshal(value, &before); err != nil {
				return nil, problem(f.name, field+".area", "no number")
			}
			return []byte(number(before * g.scale() * visible)), nil
		case key == "keypoints":
			return numbers(one.Keypoints), nil
		case key == "num_keypoints" && one.Keypoints != nil:
			return []byte(strconv.Itoa(labeled)), nil
		}
		return value, nil
	})
}

// keypoints maps points of x, y and visibility and returns how many of them are labeled still: none that left the image.
func (g *Warp) keypoints(points []float64) (labeled int) {
	for j := 0; j+2 < len(points); j += 3 {
		if points[j+2] == 0 {
			continue
		}
		x, y := apply(&g.forward, points[j], points[j+1])
		if x < 0 || y < 0 || x > float64(g.W) || y > float64(g.H) {
			x, y, points[j+2] = 0, 0, 0
		} else {
			labeled++
		}
		points[j], points[j+1] = x, y
	}
	return labeled
}
