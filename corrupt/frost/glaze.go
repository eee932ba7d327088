package frost

import "github.com/augmix-go/augmix/rng"

// glaze crumples a thin clear sheet: folds of several sizes, displaced by a turbulent field, in a grazing light, before
// blue and gray shapes far behind the pane.
func glaze(w, h int, r *rng.Rand) (light, tint *plane) {
	const margin = 32 // the folds are looked up at displaced places
	dx, dy := clouds(w, h, 70, .6, 5, r), clouds(w, h, 70, .6, 5, r)
	height := newPlane(w+2*margin, h+2*margin)
	fold := newPlane(height.w, height.h)
	for pitch, amount := 30.0, 1.0; pitch > 1.5; pitch, amount = pitch*.55, amount*.86 {
		clear(fold.v)
		fold.addNoise(amount, 1.3*pitch, pitch, r)
		for i, v := range fold.v {
			height.v[i] += max(v, -v)
		}
	}
	height = height.warped(dx, dy, 16, margin)
	tint = clouds(w+2*margin, h+2*margin, 230, .6, 4, r).warped(dx, dy, 24, margin)
	tint.level()
	p := newPane(w, h, 0, 1, 230, r)
	relief := newPlane(w, h)
	relief.addRelief(height, .6, .8, 1)
	relief.level()
	rough := clouds(w, h, 110, .6, 3, r)
	rough.level()
	salt := r.Uint64()
	for i := range p.light.v {
		s := float32(relief.v[i] * (1 + float32(.4*max(min(rough.v[i], 2), -2))))
		if s > 0 { // slopes towards the light glint
			s += float32(.3 * float32(s*s))
		}
		p.light.v[i] = s + float32(.6*p.grain.v[i]) + float32(.6*fraction(hash(salt+uint64(i))))
		tint.v[i] = min(max(tint.v[i], -1.6), 1.1)
	}
	p.illuminate(1, 200)
	return p.light, tint
}
