package jpeg

import (
	"math"
	"math/rand/v2"
	"testing"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"pgregory.net/rapid"
)

// TestFromYCC compares every color with the formula in plain integers.
func TestFromYCC(t *testing.T) {
	clamp := func(v int) uint8 { return uint8(min(max(v, 0), 255)) }
	var y, cb, cr [256]byte
	var out [1024]byte
	for i := range y {
		y[i] = uint8(i)
	}
	for b := range 256 {
		for r := range 256 {
			for i := range y {
				cb[i], cr[i] = uint8(b), uint8(r)
			}
			fromYCC(out[:], y[:], cb[:], cr[:])
			x, z := r-128, b-128
			for i := range y {
				want := [4]uint8{
					clamp(i + (91881*x+1<<15)>>16), clamp(i + (-22554*z-46802*x+1<<15)>>16),
					clamp(i + (116130*z+1<<15)>>16), 255,
				}
				if got := [4]uint8(out[4*i:]); got != want {
					t.Fatalf("Y %d Cb %d Cr %d: got %v, want %v", i, b, r, got, want)
				}
			}
		}
	}
}

// TestFromYCCLengths runs the rest of the row that the unrolled loop leaves.
func TestFromYCCLengths(t *testing.T) {
	row := []byte{0, 255, 130, 20, 250, 128, 3, 77, 200}
	var full [36]byte
	fromYCC(full[:], row, row, row)
	for n := range row {
		out := make([]byte, 4*n)
		fromYCC(out, row[:n], row[:n], row[:n])
		if string(out) != string(full[:4*n]) {
			t.Errorf("%d pixels: got %v, want %v", n, out, full[:4*n])
		}
	}
}

// TestToYCC compares every color with the formula of shared constants in plain integers.
func TestToYCC(t *testing.T) {
	for r := range 256 {
		for g := range 256 {
			for b := range 256 {
				y, cb, cr := toYCC(uint64(r), uint64(g), uint64(b))
				want := [3]int{
					(19595*r + 38470*g + 7471*b + 1<<15) >> 16,
					(-11059*r - 21709*g + 32768*b + 128<<16 + 1<<15 - 1) >> 16,
					(32768*r - 27439*g - 5329*b + 128<<16 + 1<<15 - 1) >> 16,
				}
				if got := [3]int{int(y), int(cb), int(cr)}; got != want {
					t.Fatalf("R %d G %d B %d: got %v, want %v", r, g, b, got, want)
				}
			}
		}
	}
}

func TestCMYK(t *testing.T) {
	// Pillow, by hand: nothing printed is white; full black is black; pure cyan ink (file value 0) leaves no red
	for _, c := range []struct{ in, want [4]byte }{
		{[4]byte{255, 255, 255, 255}, [4]byte{255, 255, 255, 255}},
		{[4]byte{255, 255, 255, 0}, [4]byte{0, 0, 0, 255}},
		{[4]byte{0, 255, 255, 255}, [4]byte{0, 255, 255, 255}},
		{[4]byte{128, 64, 255, 128}, [4]byte{64, 32, 128, 255}}, // 128 - (127*128+128)/255.. = 64; 128 - 96 = 32
	} {
		var got [4]byte
		fromCMYK(got[:], c.in[:1], c.in[1:2], c.in[2:3], c.in[3:])
		if got != c.want {
			t.Errorf("CMYK %v: got %v, want %v", c.in, got, c.want)
		}
	}
}

// TestDivide checks the reciprocals against the division they stand for, over all dividends and quantizers that occur.
func TestDivide(t *testing.T) {
	for quality := 1; quality <= 100; quality++ {
		for table := range 2 {
			var q quantTable
			q.set(table, quality)
			seen := map[int64]bool{}
			for i, v := range q.q {
				if seen[v] {
					continue
				}
				seen[v] = true
				d := 8 * v
				for x := int64(0); x < 1<<15; x += 1 + x%3 {
					want := (x + d/2) / d
					if p, n := q.divide(x, i), q.divide(-x, i); p != want || n != -want {
						t.Fatalf("%d/%d: got %d and %d for the negative, want %d", x, d, p, n, want)
					}
				}
			}
		}
	}
}

func TestScaledQuant(t *testing.T) {
	// quality 50 is the table itself, 100 all ones, 1 saturates: 16*50 = 800 > 255
	for _, c := range []struct {
		quality int
		want    uint8
	}{{50, 16}, {100, 1}, {1, 255}, {75, 8}, {25, 32}, {85, 5}} {
		if got := scaledQuant(0, c.quality)[0]; got != c.want {
			t.Errorf("quality %d: first quantizer %d, want %d", c.quality, got, c.want)
		}
	}
}

func drawBlock(t *rapid.T, limit, count int) (w block, last int) {
	last = 0
	for range rapid.IntRange(0, count).Draw(t, "n") {
		k := rapid.IntRange(0, 63).Draw(t, "k")
		v := rapid.IntRange(-limit, limit).Draw(t, "v")
		at := zigzag[k]
		lo, hi := splitPair(w[at/2], 0)
		if at&1 == 0 {
			lo = int64(v)
		} else {
			hi = int64(v)
		}
		w[at/2] = lo + hi<<32
		last = max(last, k)
	}
	return w, last
}

// TestFastTransforms compares the transforms for sparse and tame blocks with the readable one that libjpeg-turbo's
// vector code defines. Blocks of any size of coefficients go through the choice between them.
func TestFastTransforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{3, 60, 500, maxTame}).Draw(t, "limit")
		w, last := drawBlock(t, limit, rapid.SampledFrom([]int{1, 4, 20, 100}).Draw(t, "count"))
		const stride = 11
		var got, want [7*stride + 8]byte
		idctSaturating(want[:], stride, &w)
		idct(got[:], stride, &w, last, false)
		if got != want {
			t.Fatalf("last %d: got\n%v, want\n%v of %v", last, got, want, w)
		}
	})
}

// TestTransformsAreDCTs compares both transforms with the definition in floating point.
func TestTransformsAreDCTs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := func(u int) float64 {
		if u == 0 {
			return math.Sqrt2 / 4
		}
		return 0.5
	}
	cos := func(x, u int) float64 { return math.Cos(float64(2*x+1) * float64(u) * math.Pi / 16) }
	for range 200 {
		var px [64]byte
		for i := range px {
			px[i] = uint8(r.IntN(256))
		}
		var w, in block
		fdct(&w, px[:], 8)
		for v := range 8 {
			for u := range 8 {
				sum := 0.0
				for y := range 8 {
					for x := range 8 {
						sum += (float64(px[8*y+x]) - 128) * cos(x, u) * cos(y, v)
					}
				}
				sum *= c(u) * c(v)
				lo, hi := splitPair(w[4*v+u/2], constBits+passBits)
				got := lo
				if u&1 == 1 {
					got = hi
				}
				if math.Abs(float64(got)/8-sum) > 0.3 {
					t.Fatalf("coefficient (%d,%d): got %d/8, want %.3f", v, u, got, sum)
				}
				in[4*v+u/2] += (got + 4) >> 3 << (32 * (u & 1))
			}
		}
		var back [64]byte
		idct(back[:], 8, &in, 63, false)
		for i := range px {
			if d := int(back[i]) - int(px[i]); d < -2 || d > 2 {
				t.Fatalf("sample %d: %d went there and came back as %d", i, px[i], back[i])
			}
		}
	}
}

// TestTriangle works the upsampling filters by hand on short rows.
func TestTriangle(t *testing.T) {
	f := frame{n: 1, planes: [4]plane{{h: 1, v: 1}}}
	p := &f.planes[0]
	*p = plane{w: 3, ht: 3, x1: 3, y1: 3, stride: 8, rows: 16, pix: make([]byte, 8*16)}
	p.wide = make([]byte, f.wideStride(p)*p.rows)
	copy(p.pix, []byte{10, 20, 40})
	copy(p.pix[8:], []byte{50, 60, 0})
	for y := range 2 {
		widen(f.wideRow(p, y), p.row(y), p)
	}
	out := make([]byte, 32)
	h2v1(out, f.wideRow(p, 0), 0, 3)
	// (3*10+20+2)/4 = 13, (3*20+10+1)/4 = 17, (3*20+40+2)/4 = 25, (3*40+20+1)/4 = 35
	if want := [6]byte{10, 13, 17, 25, 35, 40}; [6]byte(out) != want {
		t.Errorf("h2v1: got %v, want %v", out[:6], want)
	}
	h2v2(out, f.wideRow(p, 0), f.wideRow(p, 1), 0, 3)
	// sums 80, 120, 120: (4*80+8)/16, (3*80+120+7)/16, (3*120+80+8)/16, (3*120+120+7)/16, (3*120+120+8)/16,
	// (4*120+7)/16
	if want := [6]byte{20, 22, 28, 30, 30, 30}; [6]byte(out) != want {
		t.Errorf("h2v2: got %v, want %v", out[:6], want)
	}
	h1v2(out[:3], p.row(0)[:3], p.row(1)[:3], 0)
	// (30+50+1)/4, (60+60+1)/4, (120+0+1)/4; the lower row rounds with 2
	if want := [3]byte{20, 30, 30}; [3]byte(out) != want {
		t.Errorf("h1v2: got %v, want %v", out[:3], want)
	}
	h1v2(out[:3], p.row(1)[:3], p.row(0)[:3], 1)
	if want := [3]byte{40, 50, 10}; [3]byte(out) != want {
		t.Errorf("h1v2, lower row: got %v, want %v", out[:3], want)
	}
}

func TestChooseUpsampling(t *testing.T) {
	for _, c := range []struct {
		hx, vx, w int
		want      upsampling
	}{
		{1, 1, 9, upNone},
		{2, 1, 3, upH2V1},
		{2, 1, 2, upReplicate},
		{2, 2, 3, upH2V2},
		{2, 2, 2, upReplicate},
		{1, 2, 1, upH1V2},
		{4, 1, 9, upReplicate},
		{1, 4, 9, upReplicate},
		{4, 2, 9, upReplicate},
		{3, 1, 9, upReplicate},
	} {
		if got := chooseUpsampling(c.hx, c.vx, c.w); got != c.want {
			t.Errorf("%dx%d, %d samples across: got %d, want %d", c.hx, c.vx, c.w, got, c.want)
		}
	}
}
