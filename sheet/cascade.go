package sheet

import (
	"math"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// cascadeSteps is how many operations a cascade has: the tiles beside the original.
const cascadeSteps = perRow - 1

// cascades shows for every image how a long chain drifts off, beside what AugMix makes of the same operations.
func (p *painter) cascades() {
	for i := range p.pics {
		p.section(p.title("A long chain, and AugMix with the same operations", i),
			"Above, each operation is applied to the image before it. Below, the same operations are dealt to three chains; these "+
				"are averaged with equal weights, and the mixture is blended with the original half and half: the means of the "+
				"weights that AugMix draws. Under each image: its root mean square difference from the original, in levels of 255. "+
				"After figure 3 of the AugMix paper.")
		p.cascade(i)
	}
}

func (p *painter) cascade(pic int) {
	src, d := p.pics[pic].Image, new(mix.Draw)
	a := mix.NewAugMix()
	a.Width, a.Depth = 1, cascadeSteps
	r := p.key(pic, "cascade", 0).Rand()
	a.DrawTo(d, src.W, src.H, &r, &p.scratch)

	upper := p.y + 48
	lower := upper + p.side + 64
	p.rowLabel(margin, upper, "one chain", "step by step")
	p.rowLabel(margin, lower, "AugMix", "three chains")
	at := func(i int) int { return p.rowX() + i*(p.side+p.rowGap()) }
	p.tile(at(0), upper, p.side, src)
	p.tile(at(0), lower, p.side, src)
	p.text(at(0)+p.side/2, upper-14, "original", styleSmall, center)
	cur := src
	for i, st := range d.Steps {
		out, mixed := new(raster.Image), new(raster.Image)
		st.Op.Apply(out, cur, st.Value, a.Fill)
		a.Replay(mixed, src, dealt(d.Steps[:i+1], 3), &p.scratch)
		x := at(i + 1)
		room := p.side + p.rowGap() - 6
		if i+1 == cascadeSteps { // at the margin
			room = p.side + tileGap
		}
		p.within(x+p.side/2, upper-14, st.Op.Name, styleSmall, center, room)
		p.tile(x, upper, p.side, out)
		p.caption(x, upper, number(math.Round(difference(out, src))))
		p.tile(x, lower, p.side, mixed)
		p.caption(x, lower, number(math.Round(difference(mixed, src))))
		cur = out
	}
	p.y = lower + p.side + captionHigh
}

// dealt is the draw of AugMix in which steps go to chains in turn, with the mean of each weight: of Dirichlet(1) and of Beta(1, 1).
func dealt(steps []mix.Step, chains int) *mix.Draw {
	d := &mix.Draw{M: 0.5}
	for c := range chains {
		for j := c; j < len(steps); j += chains {
			d.Steps = append(d.Steps, steps[j])
		}
		d.Ends, d.Weights = append(d.Ends, len(d.Steps)), append(d.Weights, 1/float32(chains))
	}
	return d
}

// difference is the root mean square difference of two images of one size.
func difference(a, b *raster.Image) float64 {
	sum := 0
	for i := range a.Pix {
		d := int(a.Pix[i]) - int(b.Pix[i])
		sum += d * d
	}
	return math.Sqrt(float64(sum) / float64(3*a.W*a.H)) // the fourth bytes do not differ
}
