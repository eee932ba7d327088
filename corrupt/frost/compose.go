package frost

import "github.com/augmix-go/augmix/rng"

// pane is an image in the making: what light comes from each pixel.
type pane struct {
	w, h  int
	light *plane
	grain *plane // fine noise of standard deviation about 1/2, for surfaces and droplets
	blurrer
	r *rng.Rand
}

// newPane returns glass through which soft shapes are seen: brightness base, standard deviation amount, about pitch pixels big.
func newPane(w, h int, base, amount, pitch float64, r *rng.Rand) *pane {
	light := clouds(w, h, pitch, .5, 3, r)
	light.level()
	for i, v := range light.v {
		light.v[i] = float32(base) + float32(v*float32(amount))
	}
	grain := newPlane(w, h)
	grain.addNoise(1.2, 1.5, 1.5, r)
	grain.addNoise(.7, 3.5, 3.5, r)
	return &pane{w: w, h: h, light: light, grain: grain, r: r}
}

// look is how a layer of crystals is seen.
type look struct {
	body   float32 // brightness of the ice in the shade
	shine  float32 // what faces turned to the light add
	relief float32 // what slopes towards the light add
	grain  float32 // amount of the roughness of the surface
	fill   int     // radius over which ice closes the space between branches; 0 for none
	dense  float32 // how soon ice is opaque
	shadow float32 // darkening of what lies below, next to the crystals
	film   float32 // brightness of the thin ice around the crystals
}

// lay puts the crystals of g on the pane.
func (p *pane) lay(g *garden, k look) {
	height, shade := newPlane(p.w, p.h), newPlane(p.w, p.h)
	g.raise(height, shade)
	near := height.clone()
	p.blur(near, 5, 2)
	cover := height
	if k.fill > 0 {
		cover = height.clone()
		p.blur(cover, k.fill, 1)
		p.blur(shade, k.fill, 1)
	}
	ice := newPlane(p.w, p.h)
	ice.addRelief(height, float32(g.lightX), float32(g.lightY), k.relief)
	for i, v := range p.light.v {
		a := min(max(float32(cover.v[i]*k.dense)-.1, 0), 1)
		n := near.v[i]
		v += float32(n * (k.film - float32(k.shadow*v)))
		c := k.body + float32(k.shine*shade.v[i]) + float32(k.grain*p.grain.v[i]) + ice.v[i]
		p.light.v[i] = v + float32(a*(c-v))
	}
}

// soften moves the light by the given share towards its mean over 3 by 3 pixels, as a lens does.
func (p *pane) soften(share float32) {
	soft := p.light.clone()
	p.blur(soft, 1, 1)
	for i, v := range p.light.v {
		p.light.v[i] = v + float32(share*(soft.v[i]-v))
	}
}

// mist lays fine droplets over the pane, in soft patches that hide at most the given share of what is below.
func (p *pane) mist(most float32, pitch float64, bright, grain float32) {
	veil := clouds(p.w, p.h, pitch, .5, 3, p.r)
	veil.level()
	soft := p.light.clone()
	p.blur(soft, 4, 2)
	for i, v := range p.light.v {
		m := float32(min(max(veil.v[i]*.5, 0), 1) * most)
		below := v + float32(.5*(soft.v[i]-v))
		fog := float32(.4*below) + float32(.6*bright)
		v += float32(m * (fog - v))
		p.light.v[i] = v + float32(float32(p.grain.v[i]*grain)*(.25+m))
	}
}

// illuminate lights the pane unevenly from behind: after it the light has mean 0 and, to the given amount over the
// standard deviation of what was there, soft variation of the given pitch.
func (p *pane) illuminate(amount float32, pitch float64) {
	sky := clouds(p.w, p.h, pitch, .5, 2, p.r)
	sky.level()
	p.light.level()
	for i, v := range p.light.v {
		s := sky.v[i]
		p.light.v[i] = v + float32(amount*s) + float32(.25*amount*float32(s*v))
	}
}
