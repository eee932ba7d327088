package annotated

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// segmentation is what COCO calls so: polygons, or a run-length encoded mask.
type segmentation struct {
	polygons [][]float64 // x and y in turn
	runs     []int       // of pixels outside and inside in turn, column by column, of a w by h mask
	packed   bool        // the runs are written as a string
}

// parseSegmentation reads the segmentation of an image of w by h pixels. reason is what is wrong with it, "" for nothing.
func parseSegmentation(raw json.RawMessage, w, h int) (s segmentation, reason string) {
	if bytes.HasPrefix(raw, []byte("[")) {
		if err := json.Unmarshal(raw, &s.polygons); err != nil {
			return s, "no lists of numbers"
		}
		for i, p := range s.polygons {
			if len(p) < 6 || len(p)%2 != 0 || !isFinite(p...) {
				return s, fmt.Sprintf("polygon %d has %d numbers (allowed: an even number from 6)", i, len(p))
			}
			for j := 0; j < len(p); j += 2 {
				if !inside(p[j], p[j+1], p[j], p[j+1], float64(w), float64(h)) {
					return s, fmt.Sprintf("polygon %d reaches to (%g, %g), outside of an image of %dx%d", i, p[j], p[j+1], w, h)
				}
			}
		}
		return s, ""
	}
	var rle struct {
		Size   []int           `json:"size"`
		Counts json.RawMessage `json:"counts"`
	}
	if err := json.Unmarshal(raw, &rle); err != nil || rle.Counts == nil {
		return s, "neither polygons nor size and counts"
	}
	if len(rle.Size) != 2 || rle.Size[0] != h || rle.Size[1] != w {
		return s, fmt.Sprintf("size %v of an image of height %d, width %d", rle.Size, h, w)
	}
	var text string
	if json.Unmarshal(rle.Counts, &text) == nil {
		s.packed, s.runs = true, unpackRuns(text)
	} else if err := json.Unmarshal(rle.Counts, &s.runs); err != nil {
		return s, "counts are neither a string nor numbers"
	}
	sum := 0
	for _, n := range s.runs {
		if n < 0 || n > w*h {
			return s, "counts hold a run that cannot be"
		}
		sum += n
	}
	if sum != w*h {
		return s, fmt.Sprintf("counts add up to %d of %d pixels", sum, w*h)
	}
	return s, ""
}

// unpackRuns reads the string form of runs: five bits a character from '0' on, a sixth for more to come, signed; from the fourth run on
// the difference to the one before the last. A string that ends early gives runs that do not add up.
func unpackRuns(text string) (runs []int) {
	for at := 0; at < len(text); {
		v, shift, more := 0, 0, true
		for more && at < len(text) && shift < 40 {
			c := int(text[at]) - '0'
			at++
			v |= (c & 31) << shift
			shift += 5
			if more = c&32 != 0; !more && c&16 != 0 {
				v |= -1 << shift
			}
		}
		if n := len(runs); n > 2 {
			v += runs[n-2]
		}
		runs = append(runs, v)
	}
	return runs
}

// packRuns is the inverse of unpackRuns.
func packRuns(runs []int) string {
	var out []byte
	for i, v := range runs {
		if i > 2 {
			v -= runs[i-2]
		}
		for more := true; more; {
			c := v & 31
			v >>= 5
			if more = v != 0 && c&16 == 0 || v != -1 && c&16 != 0; more {
				c |= 32
			}
			out = append(out, byte(c)+'0')
		}
	}
	return string(out)
}

// area is that of the polygons together, or the number of pixels inside.
func (s *segmentation) area() float64 {
	sum := 0.0
	for _, p := range s.polygons {
		sum += area(p)
	}
	for i := 1; i < len(s.runs); i += 2 {
		sum += float64(s.runs[i])
	}
	return sum
}

// warped returns the segmentation after g.
func (s *segmentation) warped(g *Warp) segmentation {
	out := segmentation{packed: s.packed}
	for _, p := range s.polygons {
		if p = g.polygon(p); p != nil {
			out.polygons = append(out.polygons, p)
		}
	}
	if s.runs == nil {
		return out
	}
	mask := make([]bool, 0, g.W*g.H) // column by column
	for i, n := range s.runs {
		for range n {
			mask = append(mask, i%2 == 1)
		}
	}
	run, inside := 0, false
	for x := range g.W {
		for y := range g.H {
			p, ok := g.source(x, y)
			if v := ok && mask[p.X*g.H+p.Y]; v != inside {
				out.runs, run, inside = append(out.runs, run), 0, v
			}
			run++
		}
	}
	out.runs = append(out.runs, run)
	return out
}

// text is the form in which a file has it, of an image of w by h pixels.
func (s *segmentation) text(w, h int) []byte {
	if s.runs == nil {
		out := []byte{'['}
		for i, p := range s.polygons {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, numbers(p)...)
		}
		return append(out, ']')
	}
	counts, _ := json.Marshal(s.runs)
	if s.packed {
		counts = strconv.AppendQuote(nil, packRuns(s.runs)) // ASCII, where Go's quotes are JSON's
	}
	return fmt.Appendf(nil, `{"size":[%d,%d],"counts":%s}`, h, w, counts)
}
