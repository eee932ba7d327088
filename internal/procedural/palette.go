package procedural

import (
	"math"
	"sync"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// rgb is a color in sRGB values, 0 to 1 a channel.
type rgb struct{ r, g, b float32 }

// blend returns a + t*(b-a).
func blend(a, b rgb, t float32) rgb {
	return rgb{
		a.r + float32(t*(b.r-a.r)),
		a.g + float32(t*(b.g-a.g)),
		a.b + float32(t*(b.b-a.b)),
	}
}

// luma returns the brightness by the weights of ITU-R BT.601.
func (c rgb) luma() float32 {
	return float32(0.299*c.r) + float32(0.587*c.g) + float32(0.114*c.b)
}

// lab is a color of Oklab (Björn Ottosson, A perceptual color space for image processing, 2020): lightness 0 to 1 and
// two opponent axes. Steps of equal length look equal, so that ramps drawn in it have no dull or glaring stretches.
type lab struct{ l, a, b float64 }

// oklch returns the color of a lightness, a chroma and a hue in turns, with the chroma reduced to what sRGB can show.
func oklch(l, chroma, hue float64) lab {
	sin, cos := detmath.Sin(2*math.Pi*hue), detmath.Cos(2*math.Pi*hue)
	lo, hi := 0.0, 1.0
	full := lab{l, float64(chroma * cos), float64(chroma * sin)}
	if full.inGamut() {
		return full
	}
	for range 10 {
		mid := (lo + hi) / 2
		if (lab{l, float64(mid * full.a), float64(mid * full.b)}).inGamut() {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lab{l, float64(lo * full.a), float64(lo * full.b)}
}

// linear returns linear-light sRGB; the matrices are Ottosson's.
func (c lab) linear() (r, g, b float64) {
	cube := func(x float64) float64 { return float64(float64(x*x) * x) }
	l := cube(c.l + float64(0.3963377774*c.a) + float64(0.2158037573*c.b))
	m := cube(c.l - float64(0.1055613458*c.a) - float64(0.0638541728*c.b))
	s := cube(c.l - float64(0.0894841775*c.a) - float64(1.2914855480*c.b))
	r = float64(4.0767416621*l) - float64(3.3077115913*m) + float64(0.2309699292*s)
	g = float64(-1.2684380046*l) + float64(2.6097574011*m) - float64(0.3413193965*s)
	b = float64(-0.0041960863*l) - float64(0.7034186147*m) + float64(1.7076147010*s)
	return r, g, b
}

func (c lab) inGamut() bool {
	const eps = 1e-4
	r, g, b := c.linear()
	return min(r, g, b) >= -eps && max(r, g, b) <= 1+eps
}

func (c lab) rgb() rgb {
	r, g, b := c.linear()
	return rgb{encode(r), encode(g), encode(b)}
}

const encodeSteps = 4096

// encodeTable holds the sRGB transfer curve (IEC 61966-2-1) at encodeSteps+1 values of the square root of its argument,
// where the curve is nearly straight.
var encodeTable = sync.OnceValue(func() *[encodeSteps + 2]float32 {
	t := new([encodeSteps + 2]float32)
	for i := range t {
		q := float64(i) / encodeSteps
		x := float64(q * q)
		if x <= 0.0031308 {
			t[i] = float32(12.92 * x)
		} else {
			t[i] = float32(float64(1.055*detmath.Pow(x, 1/2.4)) - 0.055)
		}
	}
	return t
})

// encode returns the sRGB value of linear light, clamped to 0 to 1.
func encode(x float64) float32 {
	x = min(max(x, 0), 1)
	return encodeTable()[int(float64(encodeSteps*math.Sqrt(x))+0.5)]
}

// paletteSize is the number of colors of a palette; the last is followed by the first.
const paletteSize = 256

// palette is a closed ramp of colors.
type palette [paletteSize]rgb

// scheme is a rule of color harmony: the hues that a palette takes its colors from, in turns relative to its base.
type scheme struct {
	hues   []float64
	spread float64 // how far a color may stray from its hue
}

// schemes are the rules of the color wheel that painters use, the last one all of it.
var schemes = []scheme{
	{[]float64{0, 0.1, 0.2, -0.1, -0.2}, 0.02},     // neighbors
	{[]float64{0, 0.5}, 0.045},                     // opposites
	{[]float64{0, 0.05, 0.5, 0.55}, 0.025},         // opposites with neighbors
	{[]float64{0, 0.42, 0.58}, 0.025},              // split opposites
	{[]float64{0, 0.3333, 0.6667}, 0.03},           // triad
	{[]float64{0, 0.25, 0.5, 0.75}, 0.03},          // square
	{[]float64{0, 0.12, 0.24, 0.36, 0.48}, 0.03},   // a long walk
	{[]float64{0, 0.17, 0.33, 0.5, 0.67, 0.83}, 0}, // the wheel
}

// tones are how light and how colorful the colors of a palette are.
type tones struct{ dark, light, dull, vivid float64 }

var (
	glowing = tones{0.34, 0.93, 0.09, 0.27} // for what shines on a darker ground
	deep    = tones{0.12, 0.47, 0.04, 0.15} // for a ground
	pale    = tones{0.78, 0.97, 0.01, 0.09} // for a light ground
	full    = tones{0.16, 0.96, 0.08, 0.28} // for images that are all palette
)

// draw fills p with 4 to 7 colors of one scheme, joined by a closed curve through Oklab. Lightness goes up and down
// along it, so that neighbors in the ramp differ in more than hue. base is the hue to start from, in turns.
func (p *palette) draw(r *rng.Rand, base float64, t tones) {
	s := &schemes[r.IntN(len(schemes))]
	n := 4 + r.IntN(4)
	var knots [8]lab
	up := r.IntN(2)
	for i := range n {
		hue := base + s.hues[r.IntN(len(s.hues))] + r.Uniform(-s.spread, s.spread)
		if s.spread == 0 {
			hue = base + float64(i)/float64(n)
		}
		v := r.Float64()
		if (i+up)%2 == 0 {
			v = float64(v * 0.45)
		} else {
			v = 1 - float64(v*0.45)
		}
		if h := hue - math.Floor(hue); h > 0.13 && h < 0.36 && t.light > 0.8 {
			v = max(v, 0.6) // dark yellows are browns and olives, which the eye takes for dirt
		}
		knots[i] = oklch(t.dark+float64((t.light-t.dark)*v), r.Uniform(t.dull, t.vivid), hue)
	}
	for i := range p {
		at := float64(i) / paletteSize * float64(n)
		k := int(at)
		p[i] = catmull(knots[(k+n-1)%n], knots[k], knots[(k+1)%n], knots[(k+2)%n], at-float64(k)).rgb()
	}
}

// catmull is the Catmull-Rom curve from b to c at 0 <= t <= 1.
func catmull(a, b, c, d lab, t float64) lab {
	t2 := float64(t * t)
	t3 := float64(t2 * t)
	wa := float64(-0.5*t3) + t2 - float64(0.5*t)
	wb := float64(1.5*t3) - float64(2.5*t2) + 1
	wc := float64(-1.5*t3) + float64(2*t2) + float64(0.5*t)
	wd := float64(0.5*t3) - float64(0.5*t2)
	mix := func(a, b, c, d float64) float64 {
		return float64(wa*a) + float64(wb*b) + float64(wc*c) + float64(wd*d)
	}
	return lab{mix(a.l, b.l, c.l, d.l), mix(a.a, b.a, c.a, d.a), mix(a.b, b.b, c.b, d.b)}
}

// at returns the color at a position of the closed ramp, in turns, between the two nearest.
func (p *palette) at(x float64) rgb {
	x = float64((x - math.Floor(x)) * paletteSize)
	i := int(x)
	return blend(p[i&(paletteSize-1)], p[(i+1)&(paletteSize-1)], float32(x-float64(i)))
}

// byteOf returns the gray level of a value, 0 to 1, clamped and rounded.
func byteOf(v float32) uint8 {
	return uint8(float32(min(max(v, 0), 1)*255) + 0.5)
}
