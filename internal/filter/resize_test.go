package filter

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

func TestResizeGolden(t *testing.T) {
	var z Resizer
	golden.RunSome(t, "ops", map[string]golden.Func{
		"resize": func(t *testing.T, c *golden.Case) {
			f, err := ParseFilter(c.Text("filter"))
			if err != nil {
				t.Fatal(err)
			}
			var got []*raster.Image
			for _, src := range c.Images(0) {
				dst := new(raster.Image)
				z.Resize(dst, src, c.Int("width"), c.Int("height"), f)
				got = append(got, dst)
			}
			golden.CompareImages(t, c, got, 0)
		},
	})
}

func noise(w, h int, seed uint64) *raster.Image {
	r := rand.New(rand.NewPCG(seed, 1))
	m := raster.New(w, h)
	for i := range m.Pix {
		if i%4 != 3 {
			m.Pix[i] = uint8(r.Uint32())
		}
	}
	return m
}

// plainResize is the definition of a resize, one value at a time.
func plainResize(src *raster.Image, w, h int, r Region, f Filter) *raster.Image {
	line := func(in int, from, to float32, out int, get func(i, c int) uint8, put func(i, c int, v uint8)) {
		base, fn := f.function()
		scale := float64(to-from) / float64(out)
		stretch := math.Max(scale, 1)
		reach := float64(base * stretch)
		for i := range out {
			center := float64(from) + float64((float64(i)+0.5)*scale)
			lo := max(0, int(center-reach+0.5))
			hi := min(in, int(center+reach+0.5))
			sum := 0.0
			for x := lo; x < hi; x++ {
				sum += fn((float64(x) - center + 0.5) * (1 / stretch))
			}
			for c := range 3 {
				total := int64(1 << 21)
				for x := lo; x < hi; x++ {
					total += int64(get(x, c)) * int64(math.Round(fn((float64(x)-center+0.5)*(1/stretch))/sum*(1<<22)))
				}
				put(i, c, uint8(min(max(total>>22, 0), 255)))
			}
		}
	}
	part := func(n int, a, b float64, to int) bool { return to != n || float32(a) != 0 || float32(b) != float32(n) }
	if part(src.W, r.Left, r.Right, w) {
		m := raster.New(w, src.H)
		for y := range src.H {
			line(src.W, float32(r.Left), float32(r.Right), w,
				func(i, c int) uint8 { return src.Pix[4*(y*src.W+i)+c] },
				func(i, c int, v uint8) { m.Pix[4*(y*w+i)+c] = v })
		}
		src = m
	}
	if part(src.H, r.Upper, r.Lower, h) {
		m := raster.New(w, h)
		for x := range w {
			line(src.H, float32(r.Upper), float32(r.Lower), h,
				func(i, c int) uint8 { return src.Pix[4*(i*w+x)+c] },
				func(i, c int, v uint8) { m.Pix[4*(i*w+x)+c] = v })
		}
		src = m
	}
	return src
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return true
}

// TestResizePlain compares with the definition for random sizes, parts and filters, always with the same Resizer.
func TestResizePlain(t *testing.T) {
	var z Resizer
	dst := new(raster.Image)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(1, 4), rapid.IntRange(1, 70))
		src := noise(size.Draw(t, "sw"), size.Draw(t, "sh"), rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "extreme") {
			for i, v := range src.Pix {
				src.Pix[i] = uint8(int8(v) >> 7)
			}
		}
		w, h := size.Draw(t, "w"), size.Draw(t, "h")
		f := Filter(rapid.IntRange(0, int(filters)-1).Draw(t, "filter"))
		z.Resize(dst, src, w, h, f)
		if !raster.Equal(dst, plainResize(src, w, h, Region{0, 0, float64(src.W), float64(src.H)}, f)) || !opaque(dst) {
			t.Fatalf("%v: %dx%d to %dx%d differs from the definition", f, src.W, src.H, w, h)
		}

		x0 := rapid.Float64Range(0, float64(src.W)-0.1).Draw(t, "left")
		y0 := rapid.Float64Range(0, float64(src.H)-0.1).Draw(t, "upper")
		r := Region{
			x0, y0, rapid.Float64Range(x0+0.05, float64(src.W)).Draw(t, "right"),
			rapid.Float64Range(y0+0.05, float64(src.H)).Draw(t, "lower"),
		}
		z.ResizeRegion(dst, src, w, h, r, f)
		if !raster.Equal(dst, plainResize(src, w, h, r, f)) || !opaque(dst) {
			t.Fatalf("%v: %v of %dx%d to %dx%d differs from the definition", f, r, src.W, src.H, w, h)
		}

		crop := image.Rect(int(x0), int(y0), int(math.Ceil(r.Right)), int(math.Ceil(r.Lower)))
		part := raster.New(crop.Dx(), crop.Dy())
		raster.CopyRect(part, image.Point{}, src, crop)
		var fresh Resizer
		want := new(raster.Image)
		fresh.Resize(want, part, w, h, f)
		z.ResizeCrop(dst, src, w, h, crop, f)
		if !raster.Equal(dst, want) || !opaque(dst) {
			t.Fatalf("%v: crop %v of %dx%d to %dx%d differs from a copy resized", f, crop, src.W, src.H, w, h)
		}
	})
}

func TestResizeConstant(t *testing.T) {
	sizes := [][4]int{
		{1, 1, 1, 1},
		{1, 1, 9, 5},
		{7, 1, 1, 7},
		{1, 40, 40, 1},
		{50, 40, 1, 1},
		{5000, 1, 3, 3},
		{1, 5000, 2, 1},
		{3, 3, 4000, 1},
		{2000, 2, 1, 900},
		{33, 47, 32, 48},
	}
	var z Resizer
	dst, src := new(raster.Image), new(raster.Image)
	for _, s := range sizes {
		for _, c := range []raster.RGB{{}, {R: 255, G: 255, B: 255}, {R: 1, G: 128, B: 254}} {
			src.Reset(s[0], s[1])
			src.Fill(c)
			check := func(name string) {
				t.Helper()
				if dst.W != s[2] || dst.H != s[3] {
					t.Fatalf("%s: size %dx%d, want %dx%d", name, dst.W, dst.H, s[2], s[3])
				}
				for i := 0; i < len(dst.Pix); i += 4 {
					if p := (raster.RGB{R: dst.Pix[i], G: dst.Pix[i+1], B: dst.Pix[i+2]}); p != c || dst.Pix[i+3] != 255 {
						t.Fatalf("%s: %v: pixel %d is %v, want %v", name, s, i/4, p, c)
					}
				}
			}
			for f := range filters {
				z.Resize(dst, src, s[2], s[3], f)
				check(f.String())
			}
			CVResizeBilinear(dst, src, s[2], s[3])
			check("OpenCV")
		}
	}
}

// TestResizeIdentity: the same size is a copy, and one direction left alone changes nothing in that direction.
func TestResizeIdentity(t *testing.T) {
	src := noise(31, 22, 3)
	var z Resizer
	dst, flat := new(raster.Image), new(raster.Image)
	for f := range filters {
		z.Resize(dst, src, 31, 22, f)
		if !raster.Equal(dst, src) {
			t.Errorf("%v: the same size is no copy", f)
		}
		z.Resize(dst, src, 13, 22, f)
		for y := range 22 { // each row by itself
			z.ResizeCrop(flat, src, 13, 1, image.Rect(0, y, 31, y+1), f)
			for x := range 13 {
				if flat.At(x, 0) != dst.At(x, y) {
					t.Fatalf("%v: row %d depends on other rows", f, y)
				}
			}
		}
	}
	CVResizeBilinear(dst, src, 31, 22)
	if !raster.Equal(dst, src) {
		t.Error("OpenCV: the same size is no copy")
	}
}

// TestResizeWeights shows what the packed sums rely on, and that one unit in the last place of the sine does not
// matter.
func TestResizeWeights(t *testing.T) {
	var c weights
	r := rand.New(rand.NewPCG(8, 8))
	check := func(in int, from, to float32, out int, f Filter) {
		c.set(in, from, to, out, f)
		for i := range out {
			low, high, sum := 0., 0., 0.
			for _, w := range c.w[i*c.taps:][:c.taps] {
				v := float64(int64(w)) / (1 << fractionBits)
				low, high, sum = low+min(v, 0), high+max(v, 0), sum+v
			}
			switch {
			case low*255 < -127 || high*255 > 700:
				t.Fatalf("%v %+v: sample %d: weights sum to %v below 0 and %v above", f, c.of, i, low, high)
			case math.Abs(sum-1) > float64(c.taps)/(1<<fractionBits):
				t.Fatalf("%v %+v: sample %d: weights sum to %v", f, c.of, i, sum)
			case c.positive && (low < 0 || sum*255+0.5 >= 256):
				t.Fatalf("%v %+v: sample %d: not positive", f, c.of, i)
			case c.start[i] < 0 || c.start[i]+c.taps > in:
				t.Fatalf("%v %+v: sample %d: taps %d to %d", f, c.of, i, c.start[i], c.start[i]+c.taps)
			}
		}
	}
	size := func() int { return 1 + int(math.Exp(r.Float64()*7)) }
	for range 4000 {
		in, out := size(), size()
		a, b := r.Float32()*float32(in), r.Float32()*float32(in)
		for f := range filters {
			check(in, 0, float32(in), out, f)
			if min(a, b) < max(a, b) {
				check(in, min(a, b), max(a, b), out, f)
			}
		}
	}
	for range 200000 {
		x := 6*r.Float64() - 3
		other := 1.0
		if x != 0 {
			other = math.Sin(x*math.Pi) / (x * math.Pi) * math.Sin(x/3*math.Pi) / (x / 3 * math.Pi)
		}
		if fixedWeight(lanczosWeight(x)) != fixedWeight(other) {
			t.Errorf("the weight at %v depends on the last bits of the sine", x)
		}
	}
}

func TestResizeSteadyState(t *testing.T) {
	var z Resizer
	src, dst := noise(120, 90, 5), new(raster.Image)
	for f := range filters {
		if n := testing.AllocsPerRun(5, func() {
			z.Resize(dst, src, 64, 48, f)
			z.ResizeCrop(dst, src, 41, 40, image.Rect(3, 5, 93, 77), f)
			z.ResizeRegion(dst, src, 150, 100, Region{1.5, 2, 80.25, 77}, f)
			CVResizeBilinear(dst, src, 63, 100)
		}); n != 0 {
			t.Errorf("%v: %v allocations in steady state", f, n)
		}
	}
}

func TestResizePanics(t *testing.T) {
	src, dst := noise(10, 8, 6), new(raster.Image)
	var z Resizer
	nan := math.NaN()
	calls := map[string]func(){
		"onto the source":       func() { z.Resize(src, src, 3, 3, Box) },
		"width 0":               func() { z.Resize(dst, src, 0, 3, Box) },
		"height -1":             func() { z.Resize(dst, src, 3, -1, Box) },
		"filter":                func() { z.Resize(dst, src, 3, 3, filters) },
		"empty crop":            func() { z.ResizeCrop(dst, src, 3, 3, image.Rect(2, 2, 2, 5), Box) },
		"crop too far":          func() { z.ResizeCrop(dst, src, 3, 3, image.Rect(2, 2, 11, 5), Box) },
		"crop before":           func() { z.ResizeCrop(dst, src, 3, 3, image.Rect(-1, 2, 9, 5), Box) },
		"empty region":          func() { z.ResizeRegion(dst, src, 3, 3, Region{2, 2, 2, 5}, Box) },
		"region empty, float32": func() { z.ResizeRegion(dst, src, 3, 3, Region{2, 2, 2 + 1e-12, 5}, Box) },
		"region too far":        func() { z.ResizeRegion(dst, src, 3, 3, Region{0, 0, 10, 8.5}, Box) },
		"region before":         func() { z.ResizeRegion(dst, src, 3, 3, Region{-0.5, 0, 10, 8}, Box) },
		"region NaN":            func() { z.ResizeRegion(dst, src, 3, 3, Region{nan, 0, 10, 8}, Box) },
		"OpenCV onto source":    func() { CVResizeBilinear(src, src, 3, 3) },
		"OpenCV width 0":        func() { CVResizeBilinear(dst, src, 0, 3) },
		"OpenCV factor 0":       func() { CVScaleBilinear(dst, src, 0, 1) },
		"OpenCV factor NaN":     func() { CVScaleBilinear(dst, src, 1, nan) },
	}
	for name, f := range calls {
		func() {
			defer func() {
				s := fmt.Sprint(recover())
				if !strings.HasPrefix(s, "filter: ") && !strings.HasPrefix(s, "raster: ") {
					t.Errorf("%s: recovered %q", name, s)
				}
			}()
			f()
		}()
	}
}

func TestParseFilter(t *testing.T) {
	for f := range filters {
		if g, err := ParseFilter(f.String()); g != f || err != nil {
			t.Errorf("ParseFilter(%q) = %v, %v", f.String(), g, err)
		}
	}
	for _, name := range []string{"", "Box", "nearest", "Filter(9)"} {
		if _, err := ParseFilter(name); !errors.Is(err, ErrFilter) || !strings.Contains(err.Error(), "lanczos") {
			t.Errorf("ParseFilter(%q): %v", name, err)
		}
	}
	if s := Filter(9).String(); s != "Filter(9)" {
		t.Errorf("Filter(9) is called %q", s)
	}
}

func TestShortSide(t *testing.T) {
	for _, c := range [][5]int{ // w, h, n and the result
		{500, 375, 256, 341, 256},
		{375, 500, 256, 256, 341},
		{32, 32, 36, 36, 36},
		{100, 300, 64, 64, 192},
		{300, 100, 64, 192, 64},
		{1, 9, 4, 4, 36},
		{333, 500, 224, 224, 336},
		{640, 480, 256, 341, 256},
	} {
		if w, h := ShortSide(c[0], c[1], c[2]); w != c[3] || h != c[4] {
			t.Errorf("ShortSide(%d, %d, %d) = %d, %d, want %d, %d", c[0], c[1], c[2], w, h, c[3], c[4])
		}
	}
}

func FuzzResize(f *testing.F) {
	f.Add(uint16(10), uint16(8), uint16(3), uint16(20), uint8(1), 0.5, 0.25, 9.5, 7.75)
	f.Add(uint16(1), uint16(300), uint16(7), uint16(1), uint8(3), 0.0, 0.0, 1.0, 300.0)
	f.Fuzz(func(t *testing.T, sw, sh, w, h uint16, kind uint8, left, upper, right, lower float64) {
		src := noise(1+int(sw)%300, 1+int(sh)%300, 9)
		dw, dh, k := 1+int(w)%400, 1+int(h)%400, Filter(kind)%filters
		var z Resizer
		dst := new(raster.Image)
		z.Resize(dst, src, dw, dh, k)
		ok := left >= 0 && upper >= 0 && right <= float64(src.W) && lower <= float64(src.H) &&
			float32(left) < float32(right) && float32(upper) < float32(lower)
		if ok {
			z.ResizeRegion(dst, src, dw, dh, Region{left, upper, right, lower}, k)
			if !raster.Equal(dst, plainResize(src, dw, dh, Region{left, upper, right, lower}, k)) {
				t.Errorf("differs from the definition")
			}
		}
		CVResizeBilinear(dst, src, dw, dh)
		if dst.W != dw || dst.H != dh || !opaque(dst) {
			t.Errorf("OpenCV: %dx%d, want %dx%d opaque", dst.W, dst.H, dw, dh)
		}
	})
}

func ExampleResizer() {
	var z Resizer
	src, dst := raster.New(500, 375), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 100, B: 50})
	w, h := ShortSide(src.W, src.H, 256)
	z.Resize(dst, src, w, h, Bilinear)
	fmt.Println(dst.W, dst.H, dst.At(0, 0))

	z.ResizeCrop(dst, src, 224, 224, image.Rect(100, 50, 300, 250), Bicubic)
	fmt.Println(dst.W, dst.H, dst.At(223, 223))
	// Output:
	// 341 256 {200 100 50}
	// 224 224 {200 100 50}
}

func BenchmarkResize(b *testing.B) {
	for _, f := range []Filter{Box, Bilinear, Bicubic, Lanczos} {
		for _, c := range []struct {
			name   string
			sw, sh int
			crop   image.Rectangle
			w, h   int
		}{
			{"500x375_to_341x256", 500, 375, image.Rect(0, 0, 500, 375), 341, 256},
			{"500x375_crop_to_224", 500, 375, image.Rect(50, 40, 430, 340), 224, 224},
			{"256x340_to_224_short", 256, 340, image.Rect(0, 0, 256, 340), 224, 297},
			{"256x340_up_to_512", 256, 340, image.Rect(0, 0, 256, 340), 512, 680},
		} {
			b.Run(fmt.Sprint(f, "/", c.name), func(b *testing.B) {
				var z Resizer
				src, dst := noise(c.sw, c.sh, 1), new(raster.Image)
				b.ReportAllocs()
				for b.Loop() {
					z.ResizeCrop(dst, src, c.w, c.h, c.crop, f)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
