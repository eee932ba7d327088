package annotated

import (
	"bytes"
	"encoding/json"
	"fmt"
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
