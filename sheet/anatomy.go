package sheet

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// anatomy shows one AugMix image in the making: the original, the chains step by step, the mixture, the result.
func (p *painter) anatomy(a *mix.AugMix) {
	p.section("How AugMix makes an image",
		"Each chain applies one to three random operations to the original. The chain ends are averaged with random weights "+
			"w that sum to 1, and the mixture is blended with the original by a random weight m ("+a.String()+").")
	// Worked at the size of the two large tiles, so that these are sharp.
	src := square(p.sheet.Images[0].Image, 2*p.side)
	d := p.telling(a, src)
	l := p.anatomyLayout(len(d.Ends))

	p.tile(l.orig.x, l.orig.y, l.big, src)
	p.text(l.orig.x, l.orig.y-14, "original", styleStrong, left)
	from := 0
	for i, end := range d.Ends {
		p.chain(l, i, src, d.Steps[from:end], d.Weights[i], a.Fill)
		from = end
	}
	mixture, result := p.blends(a, src, d)
	p.tile(l.mixed.x, l.mixed.y, l.mid, mixture)
	p.text(l.mixed.x, l.mixed.y-14, "mixture", styleStrong, left)
	p.tile(l.out.x, l.out.y, l.big, result)
	p.text(l.out.x+l.big, l.out.y-14, "AugMix image", styleStrong, right) // wider than small tiles are
	p.joints(l, d)
	p.y = l.bottom + 26
}

// anatomyLayout is where the parts stand.
type anatomyLayout struct {
	orig, mixed, out cellAt
	big, mid         int
	chainX, stepWide int
	chainY, rowHigh  int
	side             int
	bottom           int // height of the line that carries the original to the result
}

type cellAt struct{ x, y int }

func (p *painter) anatomyLayout(chains int) anatomyLayout {
	l := anatomyLayout{big: 2 * p.side, mid: p.side * 3 / 2, side: p.side}
	l.rowHigh = p.side + 52
	l.chainY = p.y + 44
	high := chains*l.rowHigh - 52
	middle := l.chainY + high/2
	l.orig = cellAt{margin, middle - l.big/2}
	l.out = cellAt{p.wide - margin - l.big, middle - l.big/2}
	l.mixed = cellAt{l.out.x - 100 - l.mid, middle - l.mid/2}
	l.chainX = margin + l.big + 104
	l.stepWide = p.side + 46
	l.bottom = max(l.chainY+high, middle+l.big/2) + 40
	return l
}

func (l *anatomyLayout) row(i int) int { return l.chainY + i*l.rowHigh }

// chain draws one chain: a tile after each operation, with its name and parameter over it.
func (p *painter) chain(l anatomyLayout, i int, src *raster.Image, steps []mix.Step, weight float32, fill raster.RGB) {
	y := l.row(i)
	middle := float64(y) + float64(l.side)/2
	p.arrow(point{float64(l.orig.x+l.big) + 8, float64(l.orig.y + l.big/2)}, point{float64(l.chainX) - 6, middle}, 3, accent)
	cur, x := src, l.chainX
	for k, st := range steps {
		out := new(raster.Image)
		st.Op.Apply(out, cur, st.Value, fill)
		if k > 0 {
			p.arrow(point{float64(x-l.stepWide+l.side) + 6, middle}, point{float64(x) - 6, middle}, 3, accent)
		}
		p.tile(x, y, l.side, out)
		p.step(x+l.side/2, y-12, st.Op.Name, Parameter(st.Op, st.Value), l.stepWide-6)
		cur, x = out, x+l.stepWide
	}
	// From the chain's end to the mixture, straight as far as the longest chain reaches, then bending in.
	start := point{float64(x-l.stepWide+l.side) + 6, middle}
	longest := float64(l.chainX + 2*l.stepWide + l.side)
	turn := point{longest + 124, middle}
	if turn.x > start.x {
		p.stroke([]point{start, turn}, 3, accent)
		start = turn
	}
	target := float64(l.mixed.y) + float64(l.mid)*float64(2*i+1)/6
	p.arrow(start, point{float64(l.mixed.x) - 6, target}, 3, accent)
	label := fmt.Sprintf("w%d = %.2f", i+1, weight)
	p.text(int(turn.x)-6, int(middle)-14, label, styleSmall, right)
}

// step writes an operation with its parameter over a tile, each on a line of its own where they are too wide for one.
func (p *painter) step(x, y int, name, value string, room int) {
	one := name
	if value != "" {
		one += " " + value
	}
	if value == "" || textWidth(one, styleSmall) <= room {
		p.within(x, y, one, styleSmall, center, room)
		return
	}
	small := styleSmall
	small.size = 18
	p.within(x, y-18, name, small, center, room)
	p.within(x, y+2, value, small, center, room)
}

// joints draws the lines from the mixture and from the original to the result.
func (p *painter) joints(l anatomyLayout, d *mix.Draw) {
	y := float64(l.out.y + l.big/2)
	p.arrow(point{float64(l.mixed.x+l.mid) + 6, y}, point{float64(l.out.x) - 6, y}, 3, accent)
	p.text((l.mixed.x+l.mid+l.out.x)/2-2, int(y)-14, fmt.Sprintf("m = %.2f", d.M), styleSmall, center)

	x0, x1 := float64(l.orig.x+l.big/2), float64(l.out.x+l.big/2)
	low := float64(l.bottom)
	const r = 18
	corner := func(a, c, b point) []point { return bezier(a, c, c, b) }
	line := []point{{x0, float64(l.orig.y+l.big) + 6}}
	line = append(line, corner(point{x0, low - r}, point{x0, low}, point{x0 + r, low})...)
	line = append(line, corner(point{x1 - r, low}, point{x1, low}, point{x1, low - r})...)
	tip := float64(l.out.y+l.big) + 8
	line = append(line, point{x1, tip + 10})
	p.stroke(line, 3, accent)
	p.fill([]point{{x1, tip}, {x1 - 7, tip + 13}, {x1 + 7, tip + 13}}, accent)
	p.text((l.orig.x+l.out.x+l.big)/2, l.bottom-12, fmt.Sprintf("1 − m = %.2f", 1-d.M), styleSmall, center)
}

// blends returns the mixture of the chains alone, and the result.
func (p *painter) blends(a *mix.AugMix, src *raster.Image, d *mix.Draw) (mixture, result *raster.Image) {
	mixture, result = new(raster.Image), new(raster.Image)
	whole := *d
	whole.M = 1
	a.Replay(mixture, src, &whole, &p.scratch)
	a.Replay(result, src, d, &p.scratch)
	return mixture, result
}

// telling returns the first draw of the seed's stream that shows what the diagram is to explain: chains of one, two and
// three operations (for three chains of random depth), no operation twice or below level 1, no weight too small to
// see. Some one in two thousand does. After many it takes the last as it is.
func (p *painter) telling(a *mix.AugMix, src *raster.Image) *mix.Draw {
	d := new(mix.Draw)
	for i := range 100000 {
		r := p.key(0, "anatomy of "+a.String(), i).Rand()
		a.DrawTo(d, src.W, src.H, &r, &p.scratch)
		if shows(a, d, src.W, src.H) {
			break
		}
	}
	return d
}

func shows(a *mix.AugMix, d *mix.Draw, w, h int) bool {
	if d.M < 0.5 || d.M > 0.8 {
		return false
	}
	for _, weight := range d.Weights {
		if weight < 0.6/float32(len(d.Weights)) {
			return false
		}
	}
	names := make(map[string]bool)
	for _, st := range d.Steps {
		weak := st.Op.Signed && math.Abs(st.Value) < st.Op.Value(1, w, h, false)
		if names[st.Op.Name] || weak || st.Op.Identity(st.Value) {
			return false
		}
		names[st.Op.Name] = true
	}
	lengths, from := make(map[int]bool), 0
	for _, end := range d.Ends {
		lengths[end-from] = true
		from = end
	}
	return a.Depth != mix.RandomDepth || len(lengths) == min(len(d.Ends), 3)
}
