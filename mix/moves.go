package mix

// Moves reports whether the method may show in a place of the image what was in another, or in another image: then boxes and masks do
// not hold. What only covers, as Cutout does, moves nothing.
func (s Spec) Moves() bool {
	for _, p := range s.parts {
		switch one := p.stage.one.(type) {
		case *AugMix:
			if !one.Photometric {
				return true
			}
		case *None, *Cutout, *RandomErasing, *Patch, *Noise, *AFA:
		default:
			return true
		}
	}
	return false
}
