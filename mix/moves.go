package mix

import "github.com/augmix-go/augmix/internal/corruption"

// Moves reports whether the method may show in a place of the image what was in another, or in another image: then boxes and masks do
// not hold. What only covers, as Cutout does, moves nothing.
func (s Spec) Moves() bool { return len(s.Moving()) > 0 }

// Moving returns what Moves goes by: the operations of AugMix and the corruptions of Corrupt that move pixels, and the specs of other
// stages that do.
func (s Spec) Moving() (names []string) {
	for _, p := range s.parts {
		switch one := p.stage.one.(type) {
		case *AugMix:
			for _, op := range nineOps {
				if op.Moves && !one.Photometric {
					names = append(names, op.Name)
				}
			}
			continue
		case *None, *Cutout, *RandomErasing, *Patch, *Noise, *AFA:
			continue
		}
		corrupt, ok := p.needy.(CorruptParams)
		if !ok {
			names = append(names, p.String())
			continue
		}
		for _, c := range corrupt.drawn() {
			if corruption.Moves[c.Name] != "" {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
