package cbar

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// even returns an even image.
func even(w, h int, v uint8) *raster.Image {
	m := raster.New(w, h)
	m.Fill(raster.RGB{R: v, G: v, B: v})
	return m
}

// reds checks the red channel against rows of values.
func reds(t *testing.T, m *raster.Image, want ...[]uint8) {
	t.Helper()
	for y, row := range want {
		for x, v := range row {
			if got := m.At(x, y).R; got != v {
				t.Errorf("(%d,%d) is %d, want %d", x, y, got, v)
			}
		}
	}
}

func TestSingleFrequencyByHand(t *testing.T) {
	var dst raster.Image
	// A wave of period 4 along x: sine 0 1 0 -1; along y shifted by a quarter.
	d := &SingleFrequencyDraws{FX: math.Pi / 2, FY: math.Pi / 2, Phase: 1e-9}
	SingleFrequencyGreyscale{20}.Apply(&dst, even(4, 2, 100), d, new(Scratch))
	reds(t, &dst, []uint8{100, 120, 99, 80}, []uint8{120, 99, 80, 100})
	SingleFrequencyGreyscale{200}.Apply(&dst, even(4, 2, 100), d, new(Scratch))
	reds(t, &dst, []uint8{100, 255, 99, 0})
}

func TestCocentricByHand(t *testing.T) {
	var dst raster.Image
	// Rings 4 pixels wide around (0, 0): the saw-tooth rises by a quarter a pixel from -1/2.
	d := &CocentricDraws{Ring: 4}
	CocentricSineWaves{40}.Apply(&dst, even(6, 1, 100), d, new(Scratch))
	reds(t, &dst, []uint8{80, 90, 100, 110, 80, 90})
	// To the left of the center, at x = 0, θ = atan2(-8, 0) = -π/2: sine -1 moves the ring by 2 pixels.
	d = &CocentricDraws{X: 8, Freq: 1, Amplitude: 2, Ring: 16}
	CocentricSineWaves{160}.Apply(&dst, even(1, 1, 100), d, new(Scratch))
	reds(t, &dst, []uint8{100 - 80 + 60})
}

func TestPlasmaByHand(t *testing.T) {
	var dst raster.Image
	// Nothing moves: red is sin(x), green sin((x+y)/2), blue sin(y), a quarter turn a pixel.
	d := &PlasmaDraws{Sharpness: 1, Scale: 2 / math.Pi}
	PlasmaNoise{100}.Apply(&dst, even(2, 2, 255), d, new(Scratch))
	want := map[[2]int]raster.RGB{
		{0, 0}: {R: 155, G: 155, B: 155},
		{1, 0}: {R: 254, G: 225, B: 155}, // 155 + 100·sin(π/4) = 225.7
		{0, 1}: {R: 155, G: 225, B: 254},
	}
	for at, c := range want {
		if got := dst.At(at[0], at[1]); distance(got.R, c.R) > 1 || got.G != c.G || distance(got.B, c.B) > 1 {
			t.Errorf("%v is %v, want %v", at, got, c)
		}
	}
	// One move at the origin: (cos 0, sin 0) plus three tenths of it turned by a quarter: (1, 0.3).
	d.Iterations = 1
	PlasmaNoise{255}.Apply(&dst, even(1, 1, 9), d, new(Scratch))
	if got := dst.At(0, 0); got != (raster.RGB{R: 214, G: 154, B: 75}) { // 255·sin(1), sin(0.65), sin(0.3)
		t.Errorf("after a move: %v", got)
	}
}

func TestCheckerboardByHand(t *testing.T) {
	var dst raster.Image
	d := &CheckerboardDraws{Cell: 2, Cells: make(Uniforms, 64)} // all cells of one color
	CheckerboardCutout{0.5}.Apply(&dst, even(4, 4, 9), d, new(Scratch))
	reds(t, &dst, []uint8{128, 128, 9, 9}, []uint8{128, 128, 9, 9}, []uint8{9, 9, 128, 128}, []uint8{9, 9, 128, 128})
	for i := range d.Cells {
		d.Cells[i] = 0.5
	}
	CheckerboardCutout{0.5}.Apply(&dst, even(4, 4, 9), d, new(Scratch))
	reds(t, &dst, []uint8{9, 9, 9, 9}, []uint8{9, 9, 9, 9})
	d.Cells[8+1] = 0 // row 1, column 1
	CheckerboardCutout{0.5}.Apply(&dst, even(4, 4, 9), d, new(Scratch))
	reds(t, &dst, []uint8{9, 9, 9, 9}, []uint8{9, 9, 9, 9}, []uint8{9, 9, 128, 128}, []uint8{9, 9, 128, 128})
}

// Coordinates truncated towards zero; negative cells count from the end; colors by the floor.
func TestCell(t *testing.T) {
	tests := []struct {
		v            float64
		index, color int
	}{
		{0, 0, 0},
		{.9, 0, 0},
		{1, 1, 1},
		{-.5, 0, 1},
		{-1, 7, 1},
		{-1.5, 7, 0},
		{-2, 6, 0},
		{7.5, 7, 1},
		{9.5, 1, 1},
		{-17, 7, 1},
	}
	for _, tt := range tests {
		if i, c := cell(tt.v, 8); i != tt.index || c != tt.color {
			t.Errorf("cell(%v) is %d, %d, want %d, %d", tt.v, i, c, tt.index, tt.color)
		}
	}
}

func TestPerlinByHand(t *testing.T) {
	var dst raster.Image
	d := new(PerlinDraws)
	for i := range d.Permutation {
		d.Permutation[i] = uint8(i)
		d.Gradients[i] = [2]float64{0, 1}
	}
	// A side of 7 pixels has a cell a pixel: at nodes the noise is 0 and the gray half white.
	PerlinNoise{1}.Apply(&dst, even(7, 7, 9), d, new(Scratch))
	reds(t, &dst, []uint8{127, 127, 127, 127, 127, 127, 127}, []uint8{127})
	// With 14 pixels the odd columns lie halfway between nodes of the first octave; gradients along the row that rise
	// to the left node and fall to the right one meet at 1/2·1/2 - 1/2·1/2 = 0.
	PerlinNoise{1}.Apply(&dst, even(14, 14, 9), d, new(Scratch))
	reds(t, &dst, []uint8{127, 127, 127})
	// Gradients that alternate from column to column add up to 1/2, times 1.5: half of that above half white.
	for i := range d.Gradients {
		d.Gradients[i] = [2]float64{0, 1 - 2*float64(i%2)}
	}
	PerlinNoise{1}.Apply(&dst, even(14, 14, 9), d, new(Scratch))
	reds(t, &dst, []uint8{127, 223, 127, 223}) // 255·(0.75/2 + 0.5) = 223.1
	PerlinNoise{0.5}.Apply(&dst, even(14, 14, 100), d, new(Scratch))
	reds(t, &dst, []uint8{113, 161}) // 50 + 63.75 and 50 + 111.6
}

// Four rays of 2 pixels: along an axis, on a ray, the light is 3/4·2²/d².
func TestSparklesByHand(t *testing.T) {
	star := Star{Point{Row: 4, Col: 4}, make(Normals, 4)}
	far := Star{Point{Row: 1e6, Col: 1e6}, make(Normals, 4)}
	var dst raster.Image
	Sparkles{2}.Apply(&dst, even(9, 9, 0), &SparklesDraws{star, far, far, far, far}, new(Scratch))
	reds(t, &dst, nil, nil, nil, nil, []uint8{47, 84, 191, 255, 255, 255, 191, 84, 47}) // 255·0.75·4/(16, 9, 4)
	Sparkles{2}.Apply(&dst, even(9, 9, 0), &SparklesDraws{star, star, far, far, far}, new(Scratch))
	reds(t, &dst, nil, nil, nil, nil, []uint8{86}) // 255·(1 - (1-0.1875)²)
	InverseSparkles{2, 1}.Apply(&dst, even(9, 9, 0), &star, new(Scratch))
	reds(t, &dst, nil, nil, nil, nil, []uint8{207, 170, 63, 0, 0, 0, 63, 170, 207})
	InverseSparkles{2, 0.5}.Apply(&dst, even(9, 9, 55), &star, new(Scratch))
	reds(t, &dst, nil, nil, nil, nil, []uint8{180, 155, 105}) // 255 - 200·0.75·2/d
}

// Rays of sparkles have at least a pixel, those of inverse_sparkles may be of any length; each runs over to the next.
func TestRays(t *testing.T) {
	var p rays
	p.set(Normals{0, 4, -8}, 4, 1)
	want := rays{{4, 4}, {8, -7}, {1, 3}}
	for i := range want {
		if p[i] != want[i] {
			t.Errorf("ray %d is %v, want %v", i, p[i], want[i])
		}
	}
	if p.set(Normals{-8}, 4, math.Inf(-1)); p[0].length != -4 {
		t.Errorf("a ray of %v, want -4", p[0].length)
	}
}

// The closed form against the angles and vectors of the definition.
func TestBend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dy := rapid.Float64Range(-1, 1).Draw(t, "dy")
		dx := rapid.Float64Range(-1, 1).Draw(t, "dx")
		vy, vx := CausticRefraction{Lens: 100}.bend(dy, dx)
		norm := math.Sqrt(dy*dy + dx*dx + 1)
		n := [3]float64{dy / norm, dx / norm, 1 / norm}
		var wy, wx float64
		if n[2] < 1-1e-3 {
			out := math.Asin(math.Sin(math.Acos(n[2])) / 4)
			flat := math.Hypot(n[0], n[1])
			s := [3]float64{-n[1] / flat, n[0] / flat, 0} // k × n
			o := [2]float64{n[1]*s[2] - n[2]*s[1], n[2]*s[0] - n[0]*s[2]}
			wy = 100 * (math.Cos(out)*n[0] + math.Sin(out)*o[0])
			wx = 100 * (math.Cos(out)*n[1] + math.Sin(out)*o[1])
		}
		if math.Abs(vy-wy) > 6e-4 || math.Abs(vx-wx) > 6e-4 { // rounded to 0.001
			t.Fatalf("slope (%v, %v): (%v, %v), want (%v, %v)", dy, dx, vy, vx, wy, wx)
		}
		if vy*1000 != math.Round(vy*1000) && math.Abs(vy*1000-math.Round(vy*1000)) > 1e-9 {
			t.Fatalf("%v is not in thousandths", vy)
		}
	})
}

// The light net against its definition, with all sines and cosines as written there.
func TestCausticNet(t *testing.T) {
	const w, h = 9, 7
	d := &CausticDraws{Time: 1.3, Size: 8}
	got := make([]float64, w*h)
	d.net(got, w, h, new(Scratch))
	for y := range h {
		for x := range w {
			place := func(k int) float64 { return math.Mod(float64(k)/8, 1)*6.28318530718 - 250 }
			p := [2]float64{place(y), place(x)}
			i, c := p, 1.0
			for n := range 5 {
				t := d.Time * (1 - 3.5/float64(n+1))
				i = [2]float64{
					p[0] + math.Cos(t-i[0]) + math.Sin(t+i[1]),
					p[1] + math.Sin(t-i[1]) + math.Cos(t+i[0]),
				}
				c += 1 / math.Hypot(p[0]/(math.Sin(i[0]+t)/.005), p[1]/(math.Cos(i[1]+t)/.005))
			}
			want := min(math.Pow(math.Abs(1.17-math.Pow(c/5, 1.4)), 8), 1)
			if math.Abs(got[y*w+x]-want) > 1e-9 {
				t.Errorf("(%d,%d) is %v, want %v", x, y, got[y*w+x], want)
			}
		}
	}
}

// Without lens and light the water is clear.
func TestClearWater(t *testing.T) {
	src, dst := testImage(20, 17), new(raster.Image)
	CausticRefraction{}.Apply(dst, src, &CausticDraws{Time: 1, Size: 20}, new(Scratch))
	nearly(t, dst, src)
}

// nearly allows for values that fall below an integer before truncation.
func nearly(t *testing.T, got, want *raster.Image) {
	t.Helper()
	for i := range want.Pix {
		if d := distance(got.Pix[i], want.Pix[i]); d > 1 {
			t.Fatalf("byte %d is %d, want %d", i, got.Pix[i], want.Pix[i])
		}
	}
}

func TestBilinear(t *testing.T) {
	m := raster.New(2, 2)
	m.Set(1, 0, raster.RGB{R: 51})
	m.Set(0, 1, raster.RGB{R: 102})
	m.Set(1, 1, raster.RGB{R: 255})
	tests := []struct{ row, col, want float64 }{
		{0, 0, 0},
		{0, 1, .2},
		{1, 0, .4},
		{1, 1, 1},
		{.5, .5, .4},
		{0, .25, .05},
		{.75, 0, .3},
		{1.5, 1, .5},
		{1, 1.25, .75},
		{-.5, 1, .1},
		{-1, 1, 0},
		{2, 2, 0},
		{1.5, -.5, .1},
		{-40, 70, 0},
	}
	for _, tt := range tests {
		if got := bilinear(m, &kernel.Unit64, tt.row, tt.col)[0]; math.Abs(got-tt.want) > 1e-15 {
			t.Errorf("(%v,%v) is %v, want %v", tt.row, tt.col, got, tt.want)
		}
	}
}

func TestRippleByHand(t *testing.T) {
	src, dst := raster.New(1, 4), new(raster.Image)
	for y := range 4 {
		src.Set(0, y, raster.RGB{R: uint8(50 * (y + 1))})
	}
	// A wave of 4 rows, a pixel high: rows are read at 0, 2, 2 and 2; columns are not moved.
	d := &RippleDraws{Wavelength: [2]float64{4, 1}}
	Ripple{1}.Apply(dst, src, d, new(Scratch))
	want := []uint8{50, 150, 150, 150}
	for y, v := range want {
		if got := dst.At(0, y).R; distance(got, v) > 1 {
			t.Errorf("row %d is %d, want %d", y, got, v)
		}
	}
	Ripple{0}.Apply(dst, src, d, new(Scratch))
	nearly(t, dst, src)
}

func TestPinchByHand(t *testing.T) {
	src, dst := testImage(33, 32), new(raster.Image)
	c := PinchAndTwirl{Blocks: 3}
	block, nx, ny := c.grid(33, 32)
	if block != 10 || nx != 3 || ny != 3 {
		t.Fatalf("blocks of %d, %d by %d", block, nx, ny)
	}
	still := make(Twirls, 9)
	c.Apply(dst, src, still, new(Scratch))
	nearly(t, dst, src)
	// A quarter turn in the middle, almost a quarter near it; outside the discs nothing moves.
	c.Angle = math.Pi / 2
	c.Apply(dst, src, still, new(Scratch))
	for _, at := range [][2]int{{0, 0}, {9, 0}, {1, 0}, {20, 20}, {31, 31}, {30, 5}, {32, 0}, {5, 5}, {15, 25}} {
		if got, want := dst.At(at[0], at[1]), src.At(at[0], at[1]); got != want {
			t.Errorf("%v moved", at)
		}
	}
	var p [100]shift
	c.plan(p[:], 10)
	// One pixel below the middle: turned by π/2·(4/5)² from (1, 0).
	a := math.Pi / 2 * 16 / 25
	s := p[6*10+5]
	if got := (Point{s.cos.Row + s.sin.Row, s.cos.Col + s.sin.Col}); math.Abs(got.Row-math.Cos(a)) > 1e-12 ||
		math.Abs(got.Col-math.Sin(a)) > 1e-12 {
		t.Errorf("the pixel below the middle shows %v", got)
	}
	// Pinched: at 2 of 5 pixels the factor is sin(π/5)^-0.5.
	PinchAndTwirl{Blocks: 3, Amount: 0.5}.plan(p[:], 10)
	if got, want := p[5*10+7].cos, 2/math.Sqrt(math.Sin(math.Pi/5)); math.Abs(got.Col-want) > 1e-12 || got.Row != 0 {
		t.Errorf("two pixels right of the middle shows %v, want 0, %v", got, want)
	}
	if !p[0].still || !p[55].still || p[54].still {
		t.Error("the corner and the middle must be still, the pixel beside the middle not")
	}
}

// No sample of a block reaches pixels that an earlier block changed: samples stay within the disc.
func TestPinchStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := rapid.IntRange(1, 40).Draw(t, "block")
		c := PinchAndTwirl{3, rapid.Float64Range(0, 2).Draw(t, "angle"), rapid.Float64Range(0, 0.5).Draw(t, "amount")}
		p := make([]shift, block*block)
		c.plan(p, block)
		for k, s := range p {
			for _, sign := range []float64{-1, 1} {
				d := math.Hypot(s.cos.Row+sign*s.sin.Row, s.cos.Col+sign*s.sin.Col)
				if !s.still && d > float64(block)/2*(1+1e-12) {
					t.Fatalf("pixel %d of a block of %d looks %v from the middle", k, block, d)
				}
			}
		}
	})
}

func TestCircularByHand(t *testing.T) {
	src, dst := testImage(21, 14), new(raster.Image)
	CircularMotionBlur{0}.Apply(dst, src, new(Scratch))
	nearly(t, dst, src)
	// The middle of a radial image stays; a corner of a white one loses what turns in from outside.
	white := even(15, 15, 255)
	CircularMotionBlur{9}.Apply(dst, white, new(Scratch))
	if got := dst.At(7, 7).R; got < 254 {
		t.Errorf("the middle is %d", got)
	}
	// Only the rotation by 0 leaves a corner within the image: its weight is 1 of Σ exp(-2t²).
	total := 0.0
	for k := range 21 {
		t := float64(k)/10 - 1
		total += math.Exp(-2 * t * t)
	}
	if got, want := dst.At(0, 0).R, uint8(255/total); distance(got, want) > 1 {
		t.Errorf("the corner is %d, want %d", got, want)
	}
}

func TestLinesByHand(t *testing.T) {
	var dst raster.Image
	// cos 0 = 1: a line along the rows from (-3, 2) to (5, 2): one column.
	d := &LinesDraws{Numbers: Uniforms{0.25, 0.5, 0.5}}
	Lines{1, 4}.Apply(&dst, even(4, 4, 0), d, new(Scratch))
	reds(t, &dst, []uint8{0, 0, 128, 0}, []uint8{0, 0, 128, 0}, []uint8{0, 0, 128, 0}, []uint8{0, 0, 128, 0})
	// The same line once more moves nothing that is 128 already; on 28 it goes to 128 at once.
	d.Numbers = append(d.Numbers, d.Numbers...)
	Lines{2, 4}.Apply(&dst, even(4, 4, 28), d, new(Scratch))
	reds(t, &dst, []uint8{28, 28, 128, 28})
	// The diagonal: full on it, 1 - 3/sqrt(18) = 0.29289 on either side: trunc(0.29289·128) = 37.
	m := even(5, 5, 0)
	var s strokes
	s.reset(m)
	s.line(0, 0, 3, 3)
	s.paint()
	reds(t, m, []uint8{128, 37, 0, 0}, []uint8{37, 128, 37, 0}, []uint8{0, 37, 128, 37}, []uint8{0, 0, 37, 128})
	// A point.
	m = even(2, 1, 0)
	s.reset(m)
	s.line(0, 1, 0, 1)
	s.paint()
	reds(t, m, []uint8{0, 128})
}

// A single pixel of 144 under the weights 1 4 1 over 6 along both axes; the second channel is enlarged by 2.
func TestChromaticByHand(t *testing.T) {
	src, dst := raster.New(5, 5), new(raster.Image)
	src.Set(2, 2, raster.RGB{R: 144, G: 144, B: 144})
	src.Set(0, 4, raster.RGB{R: 36})
	TransverseChromaticAbberation{0}.Apply(dst, src, Order{0, 1, 2}, new(Scratch))
	reds(t, dst, []uint8{0, 0, 0, 0, 0}, []uint8{0, 4, 16, 4, 0}, []uint8{0, 16, 64, 16, 0}, []uint8{4, 5, 16, 4, 0},
		// The corner: (4/6)² of 36 and no more: its mirror images are the neighbors inside.
		[]uint8{16, 4, 0, 0, 0})
	// Twice as large, 10 pixels: those at 2…6 are seen, at places 2·4/9 to 6·4/9.
	TransverseChromaticAbberation{1}.Apply(dst, src, Order{0, 2, 1}, new(Scratch))
	for k := range 5 {
		y := math.Abs(float64(k+2)*4/9 - 2)
		w := 2./3 - y*y + y*y*y/2
		if y >= 1 {
			w = math.Pow(2-y, 3) / 6
		}
		mid := math.Abs(4*4./9 - 2)
		want := uint8(144*w*(2./3-mid*mid+mid*mid*mid/2) + 0.5)
		if got := dst.At(k, 2).G; got != want {
			t.Errorf("column %d of the enlarged channel is %d, want %d", k, got, want)
		}
	}
}

// The noises have the deviation they claim, and blue noise blackens the share of pixels below its threshold.
func TestNoiseStatistics(t *testing.T) {
	const n = 96
	var dst raster.Image
	var d Uniforms
	s, r := new(Scratch), rng.New(5)
	for _, intensity := range []float64{5, 20} {
		c := BrownishNoise{intensity}
		c.Draw(&d, n, n, r)
		c.Apply(&dst, even(n, n, 128), d, s)
		for k := range 3 {
			v := make([]float64, n*n)
			for i := range v {
				v[i] = float64(dst.Pix[4*i+k])
			}
			if got := standardDeviation(v); math.Abs(got-intensity) > 0.1*intensity {
				t.Errorf("channel %d: deviation %v, want about %v", k, got, intensity)
			}
		}
	}
	// Blue noise is a sum of many waves: normal.
	for _, threshold := range []float64{-1, 0, 1.5} {
		c := BlueNoiseSample{threshold}
		c.Draw(&d, n, n, r)
		c.Apply(&dst, even(n, n, 255), d, s)
		black := 0
		for i := 0; i < len(dst.Pix); i += 4 {
			if dst.Pix[i] == 0 {
				black++
			}
		}
		want := 0.5 * math.Erfc(-threshold/math.Sqrt2)
		if got := float64(black) / (n * n); math.Abs(got-want) > 0.02 {
			t.Errorf("threshold %v: a share of %v is black, want about %v", threshold, got, want)
		}
	}
}

// Without intensity, fraction or alpha the image stays as it is.
func TestNothing(t *testing.T) {
	const w, h = 24, 31
	src, dst, s, r := testImage(w, h), new(raster.Image), new(Scratch), rng.New(9)
	d := &s.draws
	same := func(name string) {
		if !raster.Equal(dst, src) {
			t.Errorf("%s of no strength changes the image", name)
		}
	}
	BrownishNoise{}.Draw(&d.phases, w, h, r)
	BrownishNoise{}.Apply(dst, src, d.phases, s)
	same("brownish_noise")
	CheckerboardCutout{}.Draw(&d.board, w, h, r)
	CheckerboardCutout{}.Apply(dst, src, &d.board, s)
	same("checkerboard_cutout")
	SingleFrequencyGreyscale{}.Draw(&d.wave, r)
	SingleFrequencyGreyscale{}.Apply(dst, src, &d.wave, s)
	same("single_frequency_greyscale")
	CocentricSineWaves{}.Draw(&d.rings, w, h, r)
	CocentricSineWaves{}.Apply(dst, src, &d.rings, s)
	same("cocentric_sine_waves")
	PlasmaNoise{}.Draw(&d.plasma, w, h, r)
	PlasmaNoise{}.Apply(dst, src, &d.plasma, s)
	same("plasma_noise")
	PerlinNoise{}.Draw(&d.perlin, r)
	PerlinNoise{}.Apply(dst, src, &d.perlin, s)
	same("perlin_noise")
	Lines{}.Apply(dst, src, &d.lines, s)
	same("lines")
}
