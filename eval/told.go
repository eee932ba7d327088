package eval

import (
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/nn/weights"
)

// told is what the caller said of a model, as [Told] returns it.
type told struct {
	text      string
	described bool
}

// toldOf compares the normalization with what a file says, which has no Model where it says nothing.
func toldOf(own *weights.Info, norm mix.Normalization) told {
	t := told{described: own.Model != ""}
	if was, err := normOf(own, nil); err != nil || was != norm {
		t.add(NormText(norm))
	}
	return t
}

func (t *told) add(text string) {
	if t.text != "" {
		t.text += ", "
	}
	t.text += text
}

// NormText writes a normalization as rows say it: "norm R,G,B/R,G,B", means and standard deviations of values in [0, 1].
func NormText(n mix.Normalization) string {
	triple := func(v [3]float32) string {
		var s [3]string
		for c, x := range v {
			s[c] = strconv.FormatFloat(float64(x), 'g', -1, 32)
		}
		return strings.Join(s[:], ",")
	}
	return "norm " + triple(n.Mean) + "/" + triple(n.Std)
}
