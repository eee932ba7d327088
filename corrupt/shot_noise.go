package corrupt

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ShotNoise replaces every channel value by a photon count: clip(Poisson(λx)/λ) for x in 0…1. Least side 1.
type ShotNoise struct {
	Lambda float64 // mean count at white, above 0, at most 10,000
}

var shotNoiseTable = table{
	Kinds: []kind{level},
	Clean: []float64{never},
	Sets: [4]set{
		{{500}, {250}, {100}, {75}, {50}},
		{{250}, {100}, {50}, {30}, {15}},
		{{60}, {25}, {12}, {5}, {3}},
		{{50}, {20}, {10}, {5}, {3}},
	},
}

func runShotNoise(j job) error {
	c, d := ShotNoise{min(j.v[0], mostLambda)}, &j.s.draws.counts
	c.Draw(d, j.src, j.r, j.s)
	c.Apply(j.dst, j.src, *d)
	return nil
}

// mostLambda keeps counts within 16 bits; severities near 0 reach it.
const mostLambda = 10000

// Counts are Poisson counts, three a pixel, in row order.
type Counts []uint16

// Draw makes d the counts of the channel values of src, whose means are λ·v/255.
func (c ShotNoise) Draw(d *Counts, src *raster.Image, r *rng.Rand, s *Scratch) {
	t := s.poisson.get(c.Lambda)
	n := buffer.Resize(*d, 3*src.W*src.H)
	*d = n
	pix := src.Pix
	var words [drawWords]uint64
	for len(n) >= 6 { // three words of the stream for two pixels
		part := words[:min(len(n)/6*3, len(words))]
		r.Fill(part)
		for len(part) >= 3 && len(pix) >= 8 && len(n) >= 6 {
			u, v, w := part[0], part[1], part[2]
			n[0], n[1] = t.count(pix[0], uint32(u)), t.count(pix[1], uint32(u>>32))
			n[2], n[3] = t.count(pix[2], uint32(v)), t.count(pix[4], uint32(v>>32))
			n[4], n[5] = t.count(pix[5], uint32(w)), t.count(pix[6], uint32(w>>32))
			part, pix, n = part[3:], pix[8:], n[6:]
		}
	}
	for k := range n {
		n[k] = t.count(pix[k], uint32(r.Uint64()))
	}
}

// Apply makes dst the image of the counts; of src only the size matters.
func (c ShotNoise) Apply(dst, src *raster.Image, d Counts) {
	prepare(dst, src)
	mustLen("counts", len(d), 3*src.W*src.H)
	var tone [1 << 10]uint8
	last := min(int(c.Lambda), len(tone)-1) // of the counts below white that the table holds
	for k := range last + 1 {
		tone[k] = filter.Byte(float64(k) / c.Lambda)
	}
	out := dst.Pix
	for len(out) >= 4 && len(d) >= 3 {
		for k := range 3 {
			if n := int(d[k]); n <= last {
				out[k] = tone[n]
			} else {
				out[k] = filter.Byte(float64(n) / c.Lambda)
			}
		}
		out[3] = 255
		out, d = out[4:], d[3:]
	}
}

// poissonTable draws Poisson counts for the 256 means λ·v/255 by the alias method (Walker, 1977): one look-up for each
// count. Outcomes less likely than about 2^-40 of the likeliest are left out.
type poissonTable struct {
	lambda float64
	start  [257]int32 // where the outcomes of byte v begin in column
	first  [256]uint16
	column []aliasColumn
}

// aliasColumn is one of n columns of equal weight: the share cut/2^32 of it belongs to its own outcome, the rest to
// another one.
type aliasColumn struct {
	cut   uint32
	alias uint16
}

// count turns 32 random bits into the count of byte v.
func (t *poissonTable) count(v uint8, bits uint32) uint16 {
	a, b := t.start[v], t.start[int(v)+1]
	p := uint64(bits) * uint64(b-a)
	i := uint32(p >> 32)
	c := t.column[a+int32(i)]
	if uint32(p) >= c.cut {
		i = uint32(c.alias)
	}
	return t.first[v] + uint16(i)
}

// poissonCache keeps the tables of the last few λ.
type poissonCache struct {
	tables []*poissonTable
	next   int

	weights      []float64
	small, large []int32
}

// maxTables is enough for severities in steps of a quarter.
const maxTables = 24

func (p *poissonCache) get(lambda float64) *poissonTable {
	for _, t := range p.tables {
		if t.lambda == lambda {
			return t
		}
	}
	if len(p.tables) < maxTables {
		p.tables = append(p.tables, new(poissonTable))
	}
	t := p.tables[p.next%len(p.tables)]
	p.next = (p.next + 1) % maxTables
	p.build(t, lambda)
	return t
}

func (p *poissonCache) build(t *poissonTable, lambda float64) {
	if !(lambda > 0 && lambda <= mostLambda) {
		panic(fmt.Sprintf("corrupt: a mean count of %v, allowed above 0 to %d", lambda, mostLambda))
	}
	t.lambda = lambda
	t.column = t.column[:0]
	for v := range 256 {
		var first int
		p.weights, first = poissonWeights(p.weights[:0], lambda*kernel.Unit64[v])
		t.start[v], t.first[v] = int32(len(t.column)), uint16(first)
		t.column, p.small, p.large = appendAlias(t.column, p.weights, p.small[:0], p.large[:0])
	}
	t.start[256] = int32(len(t.column))
}

// poissonWeights appends the probabilities of the counts from first on, normalized. They come from the ratios of
// neighbors, p(k+1) = p(k)·mean/(k+1), so that no exponential is needed.
func poissonWeights(w []float64, mean float64) (weights []float64, first int) {
	const least = 0x1p-40
	mode := int(math.Floor(mean))
	lo, p := mode, 1.0
	for lo > 0 && p > least {
		p = float64(p * (float64(lo) / mean))
		lo--
	}
	sum := 0.0
	for k := lo; p > least || k <= mode; k++ {
		w = append(w, p)
		sum += p
		p *= mean / float64(k+1)
	}
	for i := range w {
		w[i] /= sum
	}
	return w, lo
}

// appendAlias appends the columns for outcomes of the given probabilities (Vose's construction). small and large are
// scratch space.
func appendAlias(t []aliasColumn, p []float64, small, large []int32) (columns []aliasColumn, s, l []int32) {
	n := len(p)
	base := len(t)
	for i := range p {
		t = append(t, aliasColumn{math.MaxUint32, uint16(i)})
		if p[i] = float64(p[i] * float64(n)); p[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		i, j := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t[base+int(i)] = aliasColumn{uint32(p[i] * 0x1p32), uint16(j)}
		if p[j] -= 1 - p[i]; p[j] < 1 {
			large = large[:len(large)-1]
			small = append(small, j)
		}
	}
	return t, small, large
}
