package procedural

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestSurvey compares images with those of which every point is iterated.
func TestSurvey(t *testing.T) {
	k, err := ByName("escape")
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{24, 36, 65, 130} {
		var g Generator
		var z augment.Resizer
		var got, want raster.Image
		for index := range 6 {
			g.Generate(&got, k, 4, index, side)
			e := g.painters["escape"].(*escape)
			all := raster.New(k.work(side), k.work(side))
			e.survey(all.W, 1)
			e.finish(all)
			z.Resize(&want, all, side, side, augment.Box)
			sum, far := 0.0, 0
			for i, v := range got.Pix {
				d := math.Abs(float64(v) - float64(want.Pix[i]))
				sum += d * d
				if d > 32 {
					far++
				}
			}
			if rms := math.Sqrt(sum / float64(len(got.Pix))); rms > 2.5 || far > len(got.Pix)/400 {
				t.Errorf("side %d, image %d: a root mean square of %.2f gray levels, %d of %d beyond 32", side, index, rms, far, len(got.Pix))
			}
		}
	}
}

// TestRefine: what lies between points that are alike is exact for a count that is a parabola, up to the last row and
// column, which are iterated; a point that is unlike the others is not lost, nor are those next to it.
func TestRefine(t *testing.T) {
	const n = 37
	at := func(x, y int) float32 { return 40 + float32(x*x-x*y+2*y*y)/1000 }
	var m tints
	m.reset(n)
	var list []spot
	for y := 0; y < n; y += 4 {
		for x := 0; x < n; x += 4 {
			list = append(list, spot{int16(x), int16(y)})
		}
	}
	iterated := 0
	set := func() {
		iterated += len(list)
		for _, p := range list {
			c := rgb{0.5, 0.25, float32(p.x) / n}.tint()
			if p.x == 16 && p.y == 20 {
				c = 0
			}
			m.set(int(p.x), int(p.y), at(int(p.x), int(p.y)), c)
		}
	}
	set()
	for _, step := range []int{2, 1} {
		m.settle(2 * step)
		list = m.refine(list[:0], step)
		set()
	}
	for y := range n {
		for x := range n {
			inner := min(x, y) >= 6 && max(x, y) < n-6
			c := m.tint[y*n+x]
			d := math.Abs(float64(m.counts[y*n+x] - at(x, y)))
			if d > 0.02 || inner && d > 1e-4 {
				t.Errorf("the count of %d,%d misses by %v", x, y, d)
			}
			want := rgb{0.5, 0.25, float32(x) / n}.tint()
			if x == 16 && y == 20 {
				want = 0
			}
			if d := int(c>>32&0xffff) - int(want>>32); d < -2 || d > 2 || (c^want)&0xffff_ffff != 0 {
				t.Errorf("the color of %d,%d is %x, want %x", x, y, c, want)
			}
		}
	}
	if iterated > n*n/2 {
		t.Errorf("%d of %d points are iterated", iterated, n*n)
	}
}

// TestEdge: the probe is that of all its points one by one, however it was looked at, and hopeless windows are not good.
func TestEdge(t *testing.T) {
	e := new(escape)
	r := rng.New(11)
	e.look(r)
	good, hopeless := 0, 0
	for range 60 {
		e.choose(r)
		q, ok := e.edge(true)
		if !ok {
			t.Fatal("the probe is refused although it was asked for")
		}
		for i := 0; i < len(e.probes); i += 37 {
			c, r := e.column[i%probeSide], e.row[i/probeSide]
			if want := e.m.run(c[0]-r[0], c[1]+r[1], e.limit, &e.trap); e.probes[i] != want {
				t.Fatalf("point %d is %+v, want %+v", i, e.probes[i], want)
			}
		}
		again, ok := e.edge(false)
		if ok && again != q {
			t.Errorf("%+v, and when it was asked for %+v", again, q)
		}
		if q.good() {
			good++
		}
		if !ok {
			hopeless++
			if q.good() {
				t.Logf("a good window is lost: %+v", q)
			}
		}
	}
	if good < 5 || hopeless < 5 {
		t.Errorf("%d of 60 windows are good, %d hopeless", good, hopeless)
	}
}

// TestTint: colors go through lanes and back, and lanes keep apart.
func TestTint(t *testing.T) {
	r := rng.New(3)
	for range 1000 {
		var b, got [4]uint8
		for i := range b {
			b[i] = uint8(r.IntN(256))
		}
		b[3] = 255
		c := load(b[:]).tint()
		c.counted(float32(r.Uniform(0.1, 900))).store(got[:])
		if got != b {
			t.Fatalf("%v became %v", b, got)
		}
		if d := c.luma() - load(b[:]).luma(); math.Abs(float64(d)) > 1e-4 {
			t.Fatalf("the luma of %v is off by %v", b, d)
		}
		if c.lit(1e-9) != c || c.lit(-1e-9) != c || c.times(1) != c {
			t.Fatalf("light of no strength changes %x", c)
		}
		if !c.alike(c) || c.mean(c) != c || c.counted(0).alike(c.counted(700)) || c.counted(10).alike(c.counted(12)) {
			t.Fatalf("%x is not alike as it should be", c)
		}
		if up := min(c&0xffff+19*64, tintFull); !c.alike(c&^0xffff|up) || !(c&^0xffff | up).alike(c) {
			t.Fatalf("%x is unlike %x in red", c, up)
		}
		if far := (c&0xffff + 30*64) % tintFull; c.alike(c&^0xffff | far) {
			t.Fatalf("%x is like %x in red", c, far)
		}
	}
}

// TestRanks: the share of counts below one, rising, and between levels in proportion.
func TestRanks(t *testing.T) {
	r := rng.New(5)
	counts := make([]float32, 1000)
	c := float32(0.1)
	for i := range counts {
		c *= float32(r.Uniform(1, 1.018))
		counts[i] = c
	}
	var l ranks
	l.set(counts)
	last := float32(0)
	for i, c := range counts {
		got := l.rank(c)
		if want := float32(i) / 999; got < last || math.Abs(float64(got-want)) > 0.02 {
			t.Fatalf("number %d of 1000, %v, has rank %v after %v", i, c, got, last)
		}
		last = got
	}
	if l.rank(0.01) != 0 || l.rank(counts[0]) != 0 || l.rank(counts[999]) != 1 || l.rank(4000) != 1 {
		t.Error("counts beyond those of the probe are not at the ends")
	}
	l.set([]float32{7})
	if l.rank(6.9) != 0 || l.rank(7) != 0 || l.rank(7.1) != 1 {
		t.Error("a single count does not divide the others")
	}
}

// TestLn: nine digits.
func TestLn(t *testing.T) {
	r := rng.New(6)
	for range 10000 {
		x := math.Ldexp(r.Uniform(1, 2), r.IntN(1200)-600)
		if want := detmath.Log(x); math.Abs(ln(x)-want) > 1e-9*max(1, math.Abs(want)) {
			t.Fatalf("ln(%v) = %v, want %v", x, ln(x), want)
		}
	}
	if ln(1) != 0 {
		t.Errorf("ln(1) = %v", ln(1))
	}
}
