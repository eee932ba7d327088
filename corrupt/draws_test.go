package corrupt

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// chi2 returns Pearson's statistic in standard deviations from its mean: (Σ(n-np)²/np - k)/√2k for k degrees of
// freedom.
func chi2(counts []int, p []float64) float64 {
	n, stat := 0, 0.0
	for _, c := range counts {
		n += c
	}
	for i, c := range counts {
		e := float64(n) * p[i]
		stat += (float64(c) - e) * (float64(c) - e) / e
	}
	k := float64(len(counts) - 1)
	return (stat - k) / math.Sqrt(2*k)
}

// Counts of 200,000 draws against the Poisson distribution, by log-gamma: for each λ of the published sets and some
// bytes. The seed is fixed; 4.5 standard deviations of the χ² statistic leave a chance of error near 1e-5 for each.
func TestPoissonCounts(t *testing.T) {
	r := rng.New(11)
	var cache poissonCache
	for _, lambda := range []float64{500, 100, 60, 12, 3, 2.7} {
		table := cache.get(lambda)
		for _, v := range []uint8{1, 20, 128, 255} {
			mean := lambda * float64(v) / 255
			const draws = 200000
			hist := map[int]int{}
			for range draws / 2 {
				u := r.Uint64()
				hist[int(table.count(v, uint32(u)))]++
				hist[int(table.count(v, uint32(u>>32)))]++
			}
			var counts []int
			var p []float64
			rest, restP := draws, 1.0
			for k := range 1000 {
				lg, _ := math.Lgamma(float64(k) + 1)
				pk := math.Exp(float64(k)*math.Log(mean) - mean - lg)
				if pk*draws < 10 {
					continue
				}
				counts, p = append(counts, hist[k]), append(p, pk)
				rest, restP = rest-hist[k], restP-pk
			}
			counts, p = append(counts, rest), append(p, max(restP, 1e-9))
			if z := chi2(counts, p); z > 4.5 {
				t.Errorf("λ %v, byte %d: χ² is %.1f standard deviations high", lambda, v, z)
			}
		}
		if n := table.count(0, 1<<31); n != 0 {
			t.Errorf("λ %v: black gets the count %d", lambda, n)
		}
	}
}

// The cache holds the tables it should: a table that was pushed out is built anew, with the same columns.
func TestPoissonCache(t *testing.T) {
	var c poissonCache
	first := slices.Clone(c.get(3).column)
	for i := range 3 * maxTables {
		if got := c.get(float64(10 + i)); got.lambda != float64(10+i) {
			t.Fatalf("table for λ %v, want %v", got.lambda, 10+i)
		}
	}
	if len(c.tables) != maxTables {
		t.Errorf("%d tables kept, want %d", len(c.tables), maxTables)
	}
	if !slices.Equal(c.get(3).column, first) {
		t.Error("a table changed when it was built again")
	}
}

func TestImpulseRates(t *testing.T) {
	r := rng.New(12)
	var d Impulses
	for _, amount := range []float64{0, .01, .27, 1} {
		ImpulseNoise{amount}.Draw(&d, 301, 333, r)
		var n [3]int
		for _, v := range d {
			n[v]++
		}
		total := float64(len(d))
		for v, want := range []float64{1 - amount, amount / 2, amount / 2} {
			sd := math.Sqrt(total * want * (1 - want))
			if math.Abs(float64(n[v])-total*want) > 4.5*sd+1e-3 {
				t.Errorf("amount %v: %d of kind %d, want about %v", amount, n[v], v, total*want)
			}
		}
	}
}

func TestGlassOffsets(t *testing.T) {
	r := rng.New(13)
	var d Offsets
	for _, delta := range []int{1, 3, 5, 128} {
		GlassBlur{1, delta, 1}.Draw(&d, 300+2*delta, 300+2*delta, r)
		if len(d) != 300*300 {
			t.Fatalf("δ %d: %d offsets", delta, len(d))
		}
		for axis := range 2 {
			counts, p := make([]int, 2*delta), make([]float64, 2*delta)
			for _, o := range d {
				counts[int([2]int8{o.DX, o.DY}[axis])+delta]++
			}
			for i := range p {
				p[i] = 1 / float64(2*delta)
			}
			if z := chi2(counts, p); z > 4.5 {
				t.Errorf("δ %d, axis %d: χ² is %.1f standard deviations high", delta, axis, z)
			}
		}
	}
}

// Uniform numbers lie in [0, 1), on the grid of 2^-24, with the right mean.
func TestUniforms(t *testing.T) {
	r := rng.New(14)
	var u Uniforms
	u.draw(100001, r)
	sum := 0.0
	for _, v := range u {
		if v < 0 || v >= 1 || v*(1<<24) != float32(math.Trunc(float64(v)*(1<<24))) {
			t.Fatalf("uniform number %v", v)
		}
		sum += float64(v)
	}
	n := float64(len(u))
	if z := (sum/n - 0.5) * math.Sqrt(12*n); math.Abs(z) > 4.5 {
		t.Errorf("mean %v, %.1f standard errors off", sum/n, z)
	}
}

// scaleWhole scales a whole photograph as OpenCV's bilinear resize does, pixel by pixel from the definition.
func scaleWhole(photo *raster.Image, f float64, w, h int) *raster.Image {
	m := raster.New(w, h)
	for y := range h {
		ry, wy := scaleTap(y, f)
		for x := range w {
			rx, wx := scaleTap(x, f)
			if rx < 0 {
				rx, wx = 0, [2]int32{2048, 0}
			}
			if rx >= photo.W-1 {
				rx, wx = photo.W-1, [2]int32{2048, 0}
			}
			sample := func(dy int) (v [3]int32) {
				sy := filter.Nearest.At(ry+dy, photo.H)
				a, b := photo.At(rx, sy), photo.At(min(rx+1, photo.W-1), sy)
				return [3]int32{
					int32(a.R)*wx[0] + int32(b.R)*wx[1], int32(a.G)*wx[0] + int32(b.G)*wx[1],
					int32(a.B)*wx[0] + int32(b.B)*wx[1],
				}
			}
			up, down := sample(0), sample(1)
			var v [3]uint8
			for c := range v {
				v[c] = uint8(((wy[0]*(up[c]>>4))>>16 + (wy[1]*(down[c]>>4))>>16 + 2) >> 2)
			}
			m.Set(x, y, raster.RGB{R: v[0], G: v[1], B: v[2]})
		}
	}
	return m
}

// A part of a scaled photograph is the same as the part of the whole scaled photograph, for shrinking and enlarging.
func TestFrostCrop(t *testing.T) {
	var z frostScaler
	photo := testImage(90, 61)
	for _, f := range []float64{.2, .3, .77, 1.5, 2.1} {
		w, h := int(90*f), int(61*f)
		whole := scaleWhole(photo, f, w, h)
		for _, at := range [][2]int{{0, 0}, {3, 2}, {w - 9, h - 7}} {
			got, want := raster.New(9, 7), raster.New(9, 7)
			z.crop(got, photo, f, at[0], at[1])
			raster.CopyRect(want, image.Point{}, whole, want.Bounds().Add(image.Pt(at[0], at[1])))
			if !raster.Equal(got, want) {
				t.Errorf("scale %v, part at %v differs from the whole", f, at)
			}
		}
	}
}

// Every part that Draw can choose lies inside the scaled photograph, which is enlarged where it must be.
func TestFrostDraw(t *testing.T) {
	r := rng.New(15)
	photo := raster.New(40, 30)
	set, err := NewFrostSet(photo, raster.New(500, 400))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, size := range [][2]int{{8, 6}, {40, 30}, {100, 20}, {7, 90}} {
		c := Frost{1, 1, .2}
		for range 100 {
			d := c.Draw(set, size[0], size[1], r)
			_, w, h := c.scaled(set.photos[d.Photo], size[0], size[1])
			if d.Row < 0 || d.Col < 0 || d.Row+size[1] >= h || d.Col+size[0] >= w {
				t.Fatalf("size %v: part at %+v of %dx%d", size, d, w, h)
			}
			seen[d.Photo] = true
		}
	}
	if len(seen) != 2 {
		t.Error("not all photographs were drawn")
	}
}

// An image of the generated set is generated when frost draws it, and no other.
func TestGeneratedFrostIsLazy(t *testing.T) {
	set, loaded := GeneratedFrost(), 0
	for i := range set.photos {
		load := set.photos[i].load
		set.photos[i].load = func() *raster.Image { loaded++; return load() }
	}
	src, dst := raster.New(8, 8), new(raster.Image)
	c := Frost{1, .4, .2}
	d := c.Draw(set, 8, 8, rng.New(1))
	if loaded != 0 {
		t.Errorf("drawing has loaded %d images", loaded)
	}
	c.Apply(dst, src, set, d, new(Scratch))
	if m := set.photos[d.Photo].load(); loaded != 2 || m.W != set.photos[d.Photo].w || m.H != set.photos[d.Photo].h {
		t.Errorf("%d images loaded; that of %dx%d is %dx%d", loaded, set.photos[d.Photo].w, set.photos[d.Photo].h, m.W, m.H)
	}
}
