package mix

import (
	"errors"
	"image"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// flat is an image of one color.
func flat(w, h int, c raster.RGB) *raster.Image {
	m := raster.New(w, h)
	m.Fill(c)
	return m
}

// changed returns the smallest box around the pixels of m that are not c, and their number.
func changed(m *raster.Image, c raster.RGB) (b image.Rectangle, n int) {
	x0, y0, x1, y1 := m.W, m.H, 0, 0
	for y := range m.H {
		for x := range m.W {
			if m.At(x, y) != c {
				x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
				n++
			}
		}
	}
	return image.Rect(min(x0, x1), min(y0, y1), x1, y1), n
}

func TestCutoutBox(t *testing.T) {
	for _, c := range []struct {
		x, y, side int
		want       image.Rectangle
	}{
		{16, 16, 16, image.Rect(8, 8, 24, 24)},
		{0, 31, 16, image.Rect(0, 23, 8, 32)},
		{3, 4, 1, image.Rect(3, 4, 4, 5)},
		{10, 10, 5, image.Rect(8, 8, 13, 13)},
		{31, 0, 100, image.Rect(0, 0, 32, 32)},
		{5, 5, 0, image.Rect(5, 5, 5, 5)},
	} {
		if got := augment.CutoutBox(c.x, c.y, c.side, 32, 32); got != c.want {
			t.Errorf("%+v gives %+v", c, got)
		}
	}
}

func TestCutout(t *testing.T) {
	gray := raster.RGB{R: 200, G: 200, B: 200}
	src := flat(32, 32, gray)
	var s Scratch
	r := rng.New(4)
	dst, planes := new(raster.Image), make([]float32, 3*32*32)
	cx := map[int]int{}
	m := mustParse(t, "cutout-s8")
	for range 8000 {
		m.Apply(dst, src, r, &s)
		b, n := changed(dst, gray)
		if n != b.Dx()*b.Dy() || b.Dx() > 8 || b.Dy() > 8 {
			t.Fatalf("%d pixels in %+v", n, b)
		}
		if got := dst.At(b.Min.X, b.Min.Y); got != augment.MeanColor {
			t.Fatalf("the square is %v", got)
		}
		c := b.Max.X - 4 // the center: the left edge may be clipped
		if b.Dx() < 8 && b.Min.X > 0 {
			c = b.Min.X + 4
		}
		cx[c]++
	}
	chiSquare(t, "centers", cx, 32)
	// The mean of the normalization becomes 0.
	mustParse(t, "cutout-r1").ApplyPlanes(planes, src, &ImageNet, r, &s)
	zero := 0
	for _, v := range planes {
		if v == 0 {
			zero++
		}
	}
	if zero < 3*16*16 {
		t.Errorf("%d values are 0 after normalization", zero)
	}
	mustParse(t, "cutout-s32-f0a0b0c").Apply(dst, src, r, &s)
	if b, n := changed(dst, gray); n == 0 || dst.At(b.Min.X, b.Min.Y) != (raster.RGB{R: 10, G: 11, B: 12}) {
		t.Errorf("the fixed color is not there")
	}
	if (&Cutout{Ratio: 0.5}).side(224, 300) != 112 || (&Cutout{Ratio: 0.5}).side(32, 32) != 16 {
		t.Error("the ratio is not of the shorter side")
	}
}

func TestStandard(t *testing.T) {
	src := raster.New(6, 6)
	for i := range 36 {
		src.Set(i%6, i/6, raster.RGB{R: uint8(1 + i)})
	}
	m := &Standard{Pad: 4}
	var s Scratch
	r, dst := rng.New(1), new(raster.Image)
	seen := map[[3]int]int{}
	for range 30000 {
		m.Apply(dst, src, r, &s)
		// Where the pixel of number 15 (column 2, row 2 of the image) has gone tells the flip and the position.
		flip, x, y := 0, 0, 0
		for i := range 36 {
			if v := int(dst.Pix[4*i]); v > 0 {
				sx, sy := (v-1)%6, (v-1)/6
				x, y = i%6, i/6
				if right := (x < 5 && int(dst.Pix[4*i+4]) == v+1) || (x > 0 && i > 0 && int(dst.Pix[4*i-4]) == v-1); !right {
					flip, sx = 1, 5-sx
				}
				x, y = x-sx, y-sy
				break
			}
		}
		if x < -4 || x > 4 || y < -4 || y > 4 {
			t.Fatalf("shifted by %d,%d", x, y)
		}
		seen[[3]int{flip, x, y}]++
	}
	chiSquare(t, "flips and positions", seen, 2*9*9)
}

func TestNoise(t *testing.T) {
	src := flat(64, 64, raster.RGB{R: 128, G: 64, B: 128})
	var s Scratch
	r := rng.New(6)
	planes := make([]float32, 3*64*64)
	for spec, sigma := range map[string][2]float64{"gaussian-p1-s0.1": {0.1, 0.1}, "speckle-p1-s0.2": {0.2 * 128 / 255, 0.2 * 64 / 255}} {
		var sum, sq [2]float64
		const rounds = 20
		for range rounds {
			mustParse(t, spec).ApplyPlanes(planes, src, &Unit, r, &s)
			for c, v := range [2]float64{128. / 255, 64. / 255} {
				for _, x := range planes[c*4096:][:4096] {
					sum[c] += float64(x) - v
					sq[c] += (float64(x) - v) * (float64(x) - v)
				}
			}
		}
		const n = rounds * 4096
		for c := range 2 {
			// The error of a standard deviation is sd/sqrt(2n) = 0.25 %; 5 of them.
			if sd := math.Sqrt(sq[c] / n); math.Abs(sd/sigma[c]-1) > 0.0125 || math.Abs(sum[c]/n) > 5*sigma[c]/math.Sqrt(n) {
				t.Errorf("%s: channel %d has mean %v and deviation %v, want %v", spec, c, sum[c]/n, sd, sigma[c])
			}
		}
	}
	// One of five deviations, half of the images. Each is told by the deviation of the image, to 3 %.
	for name, five := range map[string][]float64{"gaussian": gaussianSigmas, "speckle": speckleSigmas} {
		dim := flat(20, 20, raster.RGB{R: 128, G: 128, B: 128})
		planes := planes[:3*400]
		m, hits := mustParse(t, name), map[int]int{}
		for range 2000 {
			m.ApplyPlanes(planes, dim, &Unit, r, &s)
			var low []float64 // the quantile of 15.9 % is a deviation below the middle, and not clipped
			for _, v := range planes {
				low = append(low, float64(v))
			}
			slices.Sort(low)
			sd := 128./255 - low[len(low)*1587/10000]
			if name == "speckle" {
				sd /= 128. / 255
			}
			best := 0
			for i, v := range append([]float64{0}, five...) {
				if math.Abs(sd-v) < math.Abs(sd-append([]float64{0}, five...)[best]) {
					best = i
				}
			}
			if best == 0 {
				hits[-1]++
			} else {
				hits[best]++
			}
		}
		if clean := hits[-1]; math.Abs(float64(clean)-1000) > 4*math.Sqrt(500) {
			t.Errorf("%s: %d of 2000 are clean", name, clean)
		}
		delete(hits, -1)
		chiSquare(t, name+"'s deviations", hits, 5)
	}
}

func TestPatch(t *testing.T) {
	const gray01 = float32(128) * float32(1.0/255)
	gray := raster.RGB{R: 128, G: 128, B: 128}
	src := flat(40, 40, gray)
	var s Scratch
	r := rng.New(8)
	planes := make([]float32, 3*1600)
	for _, spec := range []string{"patchgaussian-w10-s0.3", "patchuniform-w10-s0.3"} {
		m := mustParse(t, spec)
		var kurtosis, weight float64
		for range 2000 {
			m.ApplyPlanes(planes, src, &Unit, r, &s)
			x0, x1, y0, y1 := 40, 0, 40, 0
			var m2, m4, n float64
			for i, v := range planes[:1600] {
				if e := float64(v - gray01); e != 0 {
					x0, x1, y0, y1 = min(x0, i%40), max(x1, i%40+1), min(y0, i/40), max(y1, i/40+1)
					m2, m4, n = m2+e*e, m4+e*e*e*e, n+1
				}
			}
			if x1-x0 > 10 || y1-y0 > 10 {
				t.Fatalf("%s: noise in %d to %d, %d to %d", spec, x0, x1, y0, y1)
			}
			if n >= 90 && m2/n < 0.01 { // whole squares, nothing clipped
				kurtosis += m4 / n / (m2 / n * m2 / n)
				weight++
			}
		}
		// The kurtosis is 3 of normal and 1.8 of uniform noise; of 100 values each, its mean is a little less.
		want := map[string]float64{"patchgaussian-w10-s0.3": 2.94, "patchuniform-w10-s0.3": 1.79}[spec]
		if k := kurtosis / weight; math.Abs(k-want) > 0.07 {
			t.Errorf("%s: kurtosis %v of %v patches, want about %v", spec, k, weight, want)
		}
	}
	wide := map[int]int{}
	big, large := flat(100, 100, gray), make([]float32, 3*10000)
	m := &Patch{Width: 20, Upto: true, Sigma: 1}
	for range 1500 {
		m.ApplyPlanes(large, big, &Unit, r, &s)
		x0, x1, y0, y1 := 100, 0, 100, 0
		for i, v := range large[:10000] {
			if v != gray01 {
				x0, x1, y0, y1 = min(x0, i%100), max(x1, i%100+1), min(y0, i/100), max(y1, i/100+1)
			}
		}
		if x0 > 0 && y0 > 0 && x1 < 100 && y1 < 100 && x1-x0 > 10 { // narrow ones touch the border less often
			wide[x1-x0]++
		}
	}
	for k := range wide {
		if k > 20 {
			t.Errorf("a patch of %d pixels", k)
		}
	}
	if len(wide) != 10 {
		t.Errorf("sides are %v, want 11 to 20", wide)
	}
}

func TestRandomErasing(t *testing.T) {
	src := flat(100, 100, raster.RGB{})
	var s Scratch
	r := rng.New(9)
	m := &RandomErasing{Prob: 0.5, Low: 0.02, High: 0.4, Ratio: 0.3}
	dst := new(raster.Image)
	erased := 0
	var mean float64
	const n = 4000
	for range n {
		m.Apply(dst, src, r, &s)
		b, k := changed(dst, raster.RGB{})
		if k == 0 {
			continue
		}
		erased++
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				mean += float64(dst.At(x, y).G) / float64(k)
			}
		}
		if area, ratio := float64(b.Dx()*b.Dy())/1e4, float64(b.Dy())/float64(b.Dx()); area < 0.018 || area > 0.41 || ratio < 0.28 || ratio > 3.6 {
			t.Fatalf("%+v is erased", b)
		}
	}
	if math.Abs(float64(erased)-n/2) > 4*math.Sqrt(n/4) {
		t.Errorf("%d of %d are erased", erased, n)
	}
	if mean /= float64(erased); math.Abs(mean-127.5) > 0.5 {
		t.Errorf("the mean of the filling is %v", mean)
	}
	// Areas are uniform where every rectangle fits: no taller than the image.
	fits := &RandomErasing{Prob: 1, Low: 0.02, High: 0.2, Ratio: 0.5}
	var areas []float64
	for range 8000 {
		b := fits.box(1000, 1000, r)
		areas = append(areas, (float64(b.Dx()*b.Dy())/1e6-0.02)/0.18)
	}
	ks(t, "areas", areas, distuv.Beta{Alpha: 1, Beta: 1})
}

// Operations in a chain are in their order, and fractions pass between stages that keep them.
func TestChainOrderAndFractions(t *testing.T) {
	src := benchImages(1, 20)[0]
	var s, s2 Scratch
	for seed := range uint64(30) {
		ab, ba := make([]float32, 1200), make([]float32, 1200)
		mustParse(t, "cutout-s10+gaussian-p1").ApplyPlanes(ab, src, &Half, rng.New(seed), &s)
		mustParse(t, "gaussian-p1+cutout-s10").ApplyPlanes(ba, src, &Half, rng.New(seed), &s)
		flatIn := func(v []float32) (n int) {
			for _, x := range v {
				if x == 0 {
					n++
				}
			}
			return n
		}
		if flatIn(ab) > 20 || flatIn(ba) < 3*25 {
			t.Fatalf("seed %d: %d and %d values are flat; noise after a cutout covers it, before it does not", seed, flatIn(ab), flatIn(ba))
		}
		// PixMix and noise without a rounding between them: the sum of the two in floats.
		chain := mustParse(t, "pixmix+gaussian-p1-s0.1")
		got, want := make([]float32, 1200), make([]float32, 1200)
		chain.ApplyPlanes(got, src, &Unit, rng.New(seed), &s)
		r := rng.New(seed)
		stages := stagesOf(chain)
		stages[0].one.ApplyPlanes(want, src, &Unit, r, &s2)
		stages[1].one.(refiner).refine(want, 20, 20, &Unit, r, &s2)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: fractions are lost between stages", seed)
		}
		// An 8-bit stage after it sees rounded values.
		chain = mustParse(t, "pixmix+randaugment")
		dst, mid := new(raster.Image), new(raster.Image)
		chain.Apply(dst, src, rng.New(seed), &s)
		r = rng.New(seed)
		stagesOf(chain)[0].one.Apply(mid, src, r, &s2)
		end := new(raster.Image)
		stagesOf(chain)[1].one.Apply(end, mid, r, &s2)
		if !raster.Equal(dst, end) {
			t.Fatalf("seed %d: pixmix+randaugment is not the one after the other", seed)
		}
	}
}

func TestNewMethodRefuses(t *testing.T) {
	for _, spec := range []string{
		"mixup+mixup+mixup", "none+none+none+none+none+none+none+none+none", "+", "none+", "+none", "none++none", "none+augmx",
	} {
		if m, err := ParseSpec(spec); !errors.Is(err, ErrSpec) {
			t.Errorf("%s gives %v, %v", spec, m, err)
		}
	}
	for name, stages := range map[string][]Stage{
		"nothing":           {},
		"nine":              slices.Repeat([]Stage{None{}}, 9),
		"three BatchMixes":  {&Mixup{Alpha: 1}, &Mixup{Alpha: 1}, &Mixup{Alpha: 1}},
		"a bad parameter":   {None{}, &Cutout{Ratio: 2}},
		"no policy":         {&AutoAugment{Policy: "mnist"}},
		"neither":           {spec("cutout")},
		"nil":               {nil},
		"stages of methods": {mustMethod(t, "none+none+none+none+none"), mustMethod(t, "none+none+none+none")},
	} {
		if m, err := NewMethod(stages...); !errors.Is(err, ErrSpec) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	m, err := NewMethod(mustParse(t, "none+cutout"), mustMethod(t, "standard"), &Mixup{Alpha: 1})
	if err != nil || m.String() != "none+cutout-r0.5+standard-p4+mixup-a1" || len(m.Stages()) != 4 {
		t.Errorf("a method of methods is %v, %v", m, err)
	}
	if a, err := m.Augmentation(); !errors.Is(err, ErrPartner) {
		t.Errorf("mixup as an augmentation: %v, %v", a, err)
	}
}

// spec has a spec, but does nothing.
type spec string

func (s spec) String() string { return string(s) }

// The zero values leave images as they are.
func TestZeroMethod(t *testing.T) {
	src, dst := benchImages(1, 12)[0], new(raster.Image)
	m, err := Spec{}.With(Options{})
	if err != nil || m.String() != "none" || (Spec{}).String() != "none" || new(Method).String() != "none" {
		t.Fatalf("%v, %v", m, err)
	}
	target, err := new(Method).Apply(dst, &Sample{Image: src, Label: 2}, nil, new(Scratch))
	if err != nil || !raster.Equal(dst, src) || !slices.Equal(target, Target{{2, 1}}) {
		t.Errorf("a sample: %v, %v", target, err)
	}
	a, err := m.Augmentation()
	if err != nil || a != (None{}) {
		t.Errorf("as an augmentation: %v, %v", a, err)
	}
}
