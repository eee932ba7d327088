package mix

import (
	"slices"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// With photometric operations nothing is drawn that moves a pixel, and everything else is.
func TestPhotometric(t *testing.T) {
	for all, want := range map[bool][]string{
		false: {"autocontrast", "equalize", "posterize", "solarize"},
		true:  {"autocontrast", "brightness", "color", "contrast", "equalize", "posterize", "sharpness", "solarize"},
	} {
		a := NewAugMix()
		a.Photometric, a.AllOps = true, all
		var names []string
		var d Draw
		for seed := range uint64(100) {
			a.DrawTo(&d, 32, 32, rng.New(seed), new(Scratch))
			for _, st := range d.Steps {
				names = append(names, st.Op.Name)
			}
		}
		if slices.Sort(names); !slices.Equal(slices.Compact(names), want) {
			t.Errorf("all %v: drawn %v, want %v", all, slices.Compact(names), want)
		}
	}
}

func TestMoves(t *testing.T) {
	for spec, want := range map[string]bool{
		"none": false, "augmix-photometric": false, "augmix-photometric-all+gaussian": false, "cutout": false, "afa": false,
		"augmix": true, "augmix-all": true, "augmix-photometric+standard": true, "pixmix": true, "cutmix": true, "apr": true, "randaugment": true,
		"style-p1": true, "corrupt-fog-p1": false, "corrupt": false, "corrupt-fog-ripple": true, "corrupt-ripple-p0": false,
		"augmix-photometric+corrupt-blur": true, "mixup": true,
	} {
		s, err := ParseSpec(spec)
		if err != nil || s.Moves() != want {
			t.Errorf("%s moves: %v (%v)", spec, s.Moves(), err)
		}
	}
	s, err := ParseSpec("augmix-photometric+corrupt-blur+apr")
	if names := s.Moving(); err != nil || len(names) != 2 || names[0] != "glass_blur" || names[1][:3] != "apr" {
		t.Errorf("moving %q (%v)", names, err)
	}
}
