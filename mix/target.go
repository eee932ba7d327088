package mix

import "fmt"

// Share is the weight of one class in a [Target].
type Share struct {
	Class  int     `json:"class"`
	Weight float32 `json:"weight"`
}

// Target is a soft label: what classes an image shows, and how much of each. The weights are positive and sum to 1
// within rounding. A class may appear more than once. Without labels a Target is empty.
type Target []Share

// Hard makes t the label of one class; a negative class, as data.NoLabel is, gives none.
func (t Target) Hard(class int) Target {
	t = t[:0]
	if class < 0 {
		return t
	}
	return append(t, Share{class, 1})
}

// Blend makes t the mixture of w times t and 1-w times other, classes that both have summed.
func (t Target) Blend(other Target, w float32) Target {
	if len(t) == 0 || len(other) == 0 {
		return t[:0] // half a label is none
	}
	for i := range t {
		t[i].Weight = float32(t[i].Weight * w)
	}
	for _, o := range other {
		t = t.add(o.Class, float32(o.Weight*(1-w)))
	}
	// A class of no weight is not in the image.
	kept := t[:0]
	for _, s := range t {
		if s.Weight > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

func (t Target) add(class int, w float32) Target {
	for i := range t {
		if t[i].Class == class {
			t[i].Weight += w
			return t
		}
	}
	return append(t, Share{class, w})
}

// Dense writes t as one weight for each class, as a cross-entropy takes it. It panics if t has a class outside dst.
func (t Target) Dense(dst []float32) {
	clear(dst)
	for _, s := range t {
		if s.Class >= len(dst) {
			panic(fmt.Sprintf("mix: a target of class %d of %d", s.Class, len(dst)))
		}
		dst[s.Class] += s.Weight
	}
}
