package transform

import (
	"errors"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
)

// TestCheckRefuses: what no image can be made by is refused before any is.
func TestCheckRefuses(t *testing.T) {
	for want, p := range map[string]Plan{
		"size -1":                                &Pipeline{Size: -1},
		"Filter(99)":                             &Pipeline{Size: 8, Filter: augment.Filter(99)},
		"views -1 (allowed: 1 to 64":             &Pipeline{Views: -1},
		"views 65":                               &Pipeline{Views: 65},
		"epoch -1":                               &Pipeline{Epoch: -1},
		"crop -3 (allowed: 1 to 16384)":          &Pipeline{Crop: Crop{Kind: CenterCrop, N: -3}},
		"crop 0":                                 &Pipeline{Crop: Crop{Kind: ResizedCrop}},
		"crop of kind 99":                        &Pipeline{Crop: Crop{Kind: 99, N: 3}},
		"a padding of -1":                        &Pipeline{Crop: Crop{Kind: RandomCrop, N: 3, Pad: -1}},
		"operation 1 of the pipeline is nil":     &Pipeline{Ops: append([]OpSpec{mustOp(t, "equalize")}, OpSpec{})},
		"shared severity 11":                     &Pipeline{Shared: 11},
		"size -4":                                &Corruptions{Names: []string{"fog"}, Size: -4},
		"crop -2 (allowed: 1 to 16384, or 0 for": &Perturbations{Names: []string{"rotate"}, Difficulties: []int{1}, Crop: -2},
	} {
		if err := p.Check(); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := (&Pipeline{Size: 8, Crop: Crop{Kind: RandomCrop, N: 3}, Views: 64, Ops: []OpSpec{mustOp(t, "rotate:3")}}).Check(); err != nil {
		t.Error(err)
	}
}

func mustOp(t *testing.T, s string) OpSpec {
	t.Helper()
	o, err := ParseOp(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
