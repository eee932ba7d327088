package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func noisy(seed uint64, w, h int) *raster.Image {
	m := raster.New(w, h)
	r := rng.New(seed)
	for y := range h {
		for x := range w {
			v := r.Uint64()
			m.Set(x, y, raster.RGB{R: uint8(v), G: uint8(v >> 8), B: uint8(v >> 16)})
		}
	}
	return m
}

func draw1(t testing.TB, s Sheet) *image.RGBA {
	t.Helper()
	m, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// find returns the places where the image stands in the sheet, pixel for pixel.
func find(sheet *image.RGBA, m *raster.Image) []image.Point {
	var out []image.Point
	row := m.Pix[:4*m.W]
	for y := 0; y+m.H <= sheet.Rect.Dy(); y++ {
		line := sheet.Pix[y*sheet.Stride:][:sheet.Stride]
		for x := 0; ; x++ {
			i := bytes.Index(line[4*x:], row)
			if i < 0 {
				break
			}
			if x += i / 4; i%4 == 0 && matches(sheet, m, x, y) {
				out = append(out, image.Pt(x, y))
			}
		}
	}
	return out
}

func matches(sheet *image.RGBA, m *raster.Image, x, y int) bool {
	for r := range m.H {
		if !bytes.Equal(sheet.Pix[sheet.PixOffset(x, y+r):][:4*m.W], m.Pix[4*r*m.W:][:4*m.W]) {
			return false
		}
	}
	return true
}

// The overview shows what its labels say: each operation at each level, in the order of the levels, and the samples of
// each severity from their own streams.
func TestOverviewShowsTheOperations(t *testing.T) {
	src := noisy(1, 128, 128)
	sheet := draw1(t, Sheet{Images: []Image{{"p", src}}, Seed: 4})
	for _, o := range augment.AugMixOps(true) {
		levels := []float64{1, 3, 5, 7, 9}
		if !o.HasLevel() {
			levels = levels[:1]
		}
		var places [][]image.Point // of each level
		for _, l := range levels {
			out := new(raster.Image)
			o.Apply(out, src, o.Value(l, 128, 128, false), raster.RGB{})
			places = append(places, find(sheet, out))
		}
		if !slices.ContainsFunc(places[0], func(p image.Point) bool { return follows(p, places[1:]) }) {
			t.Errorf("%s: no row shows its levels in order; they stand at %v", o.Name, places)
		}
	}
	height := 0
	for _, severity := range []float64{1, 3, 5, 10} {
		a := mix.NewAugMix()
		a.Severity = severity
		for i := range perRow {
			r := rng.NewKey(4).Str("p").Str("sheet").Str(a.String()).Uint(uint64(i)).Rand()
			out := new(raster.Image)
			a.Apply(out, src, &r, new(mix.Scratch))
			at := find(sheet, out)
			if len(at) != 1 || at[0].Y < height {
				t.Errorf("severity %v sample %d stands at %v", severity, i, at)
				continue
			}
			height = at[0].Y
		}
	}
}

// follows reports whether each of the levels stands somewhere to the right of the one before, p first, in one row. Two
// levels may give one image, and some level of several operations changes nothing, so that there are several places.
func follows(p image.Point, levels [][]image.Point) bool {
	if len(levels) == 0 {
		return true
	}
	return slices.ContainsFunc(levels[0], func(q image.Point) bool {
		return q.Y == p.Y && q.X > p.X && follows(q, levels[1:])
	})
}

// Images of a small data set are enlarged by whole factors, pixel for pixel.
func TestSmallImagesKeepTheirPixels(t *testing.T) {
	src := noisy(2, 32, 32)
	big := raster.New(128, 128)
	for y := range 128 {
		for x := range 128 {
			big.Set(x, y, src.At(x/4, y/4))
		}
	}
	m := []*mix.Method{new(mix.Method)}
	sheet := draw1(t, Sheet{Images: []Image{{"a", src}, {"b", noisy(3, 32, 32)}}, Methods: m})
	if n := len(find(sheet, big)); n != 1+perRow {
		t.Errorf("the image stands %d times on the sheet, want %d", n, 1+perRow)
	}
}

// augMix is AugMix as a method.
func augMix(t *testing.T) *mix.Method {
	t.Helper()
	m, err := mix.NewMethod(mix.NewAugMix())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSamples(t *testing.T) {
	for _, n := range []int{1, 10, 11, 25} {
		one := draw1(t, Sheet{Images: []Image{{"a", noisy(1, 128, 128)}}, Methods: []*mix.Method{new(mix.Method)}, Samples: n})
		if got := len(find(one, noisy(1, 128, 128))); got != n {
			t.Errorf("%d samples of one image: %d are shown", n, got)
		}
		two := draw1(t, Sheet{
			Images: []Image{{"a", noisy(1, 128, 128)}, {"b", noisy(2, 128, 128)}}, Methods: []*mix.Method{new(mix.Method)}, Samples: n,
		})
		for i := range uint64(2) {
			if got := len(find(two, noisy(i+1, 128, 128))); got != n+1 {
				t.Errorf("%d samples of two images: %d of number %d are shown, the original among them", n, got, i)
			}
		}
	}
}

// The same sheet for the same seed, whatever was drawn before and beside it; another for another seed.
func TestDeterministic(t *testing.T) {
	sheet := Sheet{Images: []Image{{"p", noisy(7, 40, 30)}}, Seed: 3, Version: "v1"}
	want := draw1(t, sheet)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if m, err := sheet.Draw(); err != nil || !bytes.Equal(m.Pix, want.Pix) {
				t.Errorf("another sheet (%v)", err)
			}
		})
	}
	wg.Wait()
	sheet.Seed = 4
	if bytes.Equal(draw1(t, sheet).Pix, want.Pix) {
		t.Error("the seed changes nothing")
	}
}

// Nothing is drawn into the margins, and every pixel is opaque.
func TestMargins(t *testing.T) {
	for _, s := range []Sheet{
		{Images: []Image{{"p", noisy(1, 300, 200)}}, Version: strings.Repeat("v", 20)},
		{Images: []Image{{strings.Repeat("a long name ", 40), noisy(1, 30, 200)}, {"", noisy(2, 1, 1)}}},
		{Images: []Image{{"p", noisy(1, 64, 64)}}, Methods: []*mix.Method{augMix(t)}, Side: 64, Samples: 3},
		{Images: []Image{{"p", noisy(1, 640, 640)}}, Side: 256},
		{
			Images: []Image{{"p", noisy(1, 64, 64)}, {"q", noisy(2, 64, 64)}}, Methods: []*mix.Method{augMix(t)}, Side: 64, Samples: 2,
			Seed: math.MaxUint64, Version: strings.Repeat("v1.2.3-", 30),
		},
		{Images: slices.Repeat([]Image{{"a photograph", noisy(1, 64, 64)}}, swapMost), ColorSwap: true, Side: 64},
		{Images: []Image{{"p", noisy(1, 64, 64)}}, Cascade: true, Side: 64},
		{Images: []Image{{"p", noisy(1, 64, 64)}}, Side: 64},
	} {
		m := draw1(t, s)
		b := m.Bounds()
		for y := range b.Dy() {
			for x := range b.Dx() {
				c := m.RGBAAt(x, y)
				if c.A != 255 {
					t.Fatalf("pixel (%d,%d) is not opaque", x, y)
				}
				edge := x < margin-4 || x >= b.Dx()-margin+4 || y < 20 || y >= b.Dy()-20
				if edge && c != paper {
					t.Fatalf("%d images, side %d: pixel (%d,%d) of %v in the margin is %v", len(s.Images), s.Side, x, y, b.Max, c)
				}
			}
		}
	}
}

func TestSheetCheck(t *testing.T) {
	pic := []Image{{"p", noisy(1, 4, 4)}}
	for i, s := range []Sheet{
		{},
		{Images: make([]Image, maxImages+1)},
		{Images: append(pic, Image{Name: "nothing"})},
		{Images: pic, Samples: -1},
		{Images: pic, Samples: maxSamples + 1},
		{Images: pic, Side: 63},
		{Images: pic, Side: 257},
		{Images: pic, Own: tests("fog")},
		{Images: pic, Own: tests("fog"), Bar: true},
		{Images: pic, AtSeverities: tests("fog")},
		{Images: pic, PerImage: []Tests{{tests("fog"), ""}}},
		{Images: pic, Severities: []float64{1}},
	} {
		if _, err := s.Draw(); !errors.Is(err, ErrSheet) || !strings.Contains(err.Error(), "allowed") {
			t.Errorf("sheet %d: %v", i, err)
		}
	}
}

// The anatomy's draw shows what it is chosen for.
func TestTelling(t *testing.T) {
	for seed := range uint64(5) {
		p := &painter{sheet: &Sheet{Seed: seed}, pics: []Image{{"p", nil}}}
		d := p.telling(mix.NewAugMix(), noisy(1, 256, 256))
		lengths := map[int]bool{}
		for i, end := range d.Ends {
			from := 0
			if i > 0 {
				from = d.Ends[i-1]
			}
			lengths[end-from] = true
		}
		if len(lengths) != 3 || d.M < 0.5 || d.M > 0.8 {
			t.Errorf("seed %d: chains of %v operations, m %v", seed, lengths, d.M)
		}
	}
}

func TestScene(t *testing.T) {
	m := Scene(96, 64)
	if m.W != 96 || m.H != 64 || !raster.Equal(m, Scene(96, 64)) {
		t.Fatal("not the same image twice")
	}
	// The sky is blue at the top, the meadow green at the bottom, the sun light on the left: it has an orientation.
	if c := m.At(60, 1); c.B < c.R+40 {
		t.Errorf("the sky is %v", c)
	}
	green := 0
	for x := range 96 {
		if c := m.At(x, 56); c.G > c.R && c.G > c.B {
			green++
		}
	}
	if green < 50 {
		t.Errorf("%d of 96 pixels of the meadow are green", green)
	}
	if c := m.At(19, 11); c.R < 230 || c.G < 220 {
		t.Errorf("the sun is %v", c)
	}
	// Rich in values: it is to show what histograms and thresholds do.
	used := map[raster.RGB]bool{}
	for y := range 64 {
		for x := range 96 {
			used[m.At(x, y)] = true
		}
	}
	if len(used) < 3000 {
		t.Errorf("only %d colors", len(used))
	}
	for _, size := range [][2]int{{1, 1}, {1, 50}, {50, 1}, {3, 200}} {
		if m := Scene(size[0], size[1]); m.W != size[0] || m.H != size[1] {
			t.Errorf("size %v", size)
		}
	}
}

func TestText(t *testing.T) {
	if got := fit("rotate", styleSmall, 1000); got != "rotate" {
		t.Errorf("%q", got)
	}
	got := fit("a very long name of an image", styleSmall, 120)
	if !strings.HasSuffix(got, "…") || textWidth(got, styleSmall) > 120 || len(got) < 5 {
		t.Errorf("%q", got)
	}
	for v, want := range map[float64]string{-10: "−10", 0.04500001: "0.05", 1: "1", -0.001: "0"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
	c := newCanvas(300, 400)
	if y := c.paragraph(10, 30, 250, strings.Repeat("word ", 40), styleSmall); y < 30+5*int(styleSmall.size) {
		t.Errorf("forty words end at %d", y)
	}
	for y := range 400 {
		for x := 262; x < 300; x++ {
			if c.RGBAAt(x, y) != paper {
				t.Fatalf("text at (%d,%d), right of its column", x, y)
			}
		}
	}
}

// TestShrunk: a text that is too wide becomes smaller before it is cut.
func TestShrunk(t *testing.T) {
	for text, want := range map[string]string{"rotate": "rotate", "autocontrast": "autocontrast", strings.Repeat("long ", 9): "long long lo…"} {
		got, st := shrunk(text, styleSmall, 90)
		if got != want || textWidth(got, st) > 90 || st.size < leastSize || (text == "rotate") != (st == styleSmall) {
			t.Errorf("%q of size %v", got, st.size)
		}
	}
}

// TestNarrow: what does not fit beside each other in the first and the last line of a narrow sheet stands below each other.
func TestNarrow(t *testing.T) {
	s := Sheet{Images: []Image{{"p", noisy(1, 64, 64)}, {"q", noisy(2, 64, 64)}}, Methods: []*mix.Method{augMix(t)}, Side: 64, Samples: 2}
	high := draw1(t, s).Rect.Dy()
	if s.Seed = math.MaxUint64; draw1(t, s).Rect.Dy() <= high {
		t.Error("a long seed stands beside the version")
	}
	s.Seed, s.Samples = 0, 11
	if wide := draw1(t, s).Rect.Dy(); wide >= high {
		t.Errorf("a wide sheet is %d high, the narrow one %d", wide, high)
	}
}

func TestReduction(t *testing.T) {
	flat := raster.New(300, 300)
	flat.Fill(raster.RGB{R: 10, G: 200, B: 90})
	c := newCanvas(50, 50)
	place(c.RGBA, image.Rect(5, 5, 45, 45), flat)
	for _, p := range []image.Point{{5, 5}, {44, 44}, {20, 30}} {
		if got := c.RGBAAt(p.X, p.Y); got != (color.RGBA{10, 200, 90, 255}) {
			t.Errorf("%v is %v", p, got)
		}
	}
	if c.RGBAAt(4, 20) != paper || c.RGBAAt(45, 20) != paper {
		t.Error("drawn beside its place")
	}
}

func ExampleSheet() {
	s := Sheet{
		Images: []Image{{Name: "the built-in image", Image: Scene(256, 256)}},
		Seed:   1,
	}
	m, err := s.Draw()
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Bounds().Dx() > 1000, m.Bounds().Dy() > 1000)
	// Output: true true
}

func BenchmarkOverview(b *testing.B) {
	s := Sheet{Images: []Image{{"p", noisy(1, 256, 256)}}}
	for b.Loop() {
		if _, err := s.Draw(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func BenchmarkScene256(b *testing.B) {
	for b.Loop() {
		Scene(256, 256)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

// fewImages is a mixing set of plain images.
type fewImages []*raster.Image

func (f fewImages) String() string            { return "few" }
func (f fewImages) Len() int                  { return len(f) }
func (f fewImages) Image(i int) *raster.Image { return f[i] }

// A gallery shows as many images as there are, or as were asked for, and needs no others.
func TestGallery(t *testing.T) {
	var set fewImages
	for i := range 20 {
		m := raster.New(70, 64)
		m.Fill(raster.RGB{R: uint8(10 * i), G: 200, B: 3})
		set = append(set, m)
	}
	count := func(samples int) int {
		s := &Sheet{Gallery: &Gallery{Images: set}, Side: 64, Samples: samples}
		m, err := s.Draw()
		if err != nil {
			t.Fatal(err)
		}
		shades := map[uint8]bool{}
		for i := 0; i < len(m.Pix); i += 4 {
			if m.Pix[i+1] == 200 && m.Pix[i+2] == 3 {
				shades[m.Pix[i]] = true
			}
		}
		return len(shades)
	}
	if n := count(0); n != 20 {
		t.Errorf("%d of 20 images shown", n)
	}
	if n := count(7); n != 7 {
		t.Errorf("%d images shown, want 7", n)
	}
}

// TestFewSamples: a sheet of fewer samples than a row holds is as wide as its rows, not as wide as the largest.
func TestFewSamples(t *testing.T) {
	wide := func(samples int) int {
		pics := []Image{{"a", noisy(1, 64, 64)}, {"b", noisy(2, 64, 64)}}
		m, err := (&Sheet{Images: pics, Methods: []*mix.Method{augMix(t)}, Side: 64, Samples: samples}).Draw()
		if err != nil {
			t.Fatal(err)
		}
		return m.Rect.Dx()
	}
	if a, b, full := wide(6), wide(8), wide(11); a >= b || b >= full || wide(30) != full || wide(1) != wide(5) {
		t.Errorf("6 samples: %d pixels, 8: %d, 11: %d", a, b, full)
	}
}

// TestLargeTiles: the original stands clear of the first sample, whatever the size of the tiles.
func TestLargeTiles(t *testing.T) {
	for _, side := range []int{128, 160, 256} {
		pics := []Image{{"a", noisy(1, 256, 256)}, {"b", noisy(2, 256, 256)}}
		m, err := (&Sheet{Images: pics, Methods: []*mix.Method{augMix(t)}, Side: side, Samples: 3}).Draw()
		if err != nil {
			t.Fatal(err)
		}
		clear := false // a column of paper right of the originals, from the first to the last row of a tile
		y := m.Rect.Dy() - 2*side
		for x := margin + side; x < margin+side+2*tileGap; x++ {
			n := 0
			for ; n < side && m.RGBAAt(x, y+n) == paper; n++ {
			}
			clear = clear || n == side
		}
		if !clear {
			t.Errorf("tiles of %d: the first sample begins on the original", side)
		}
	}
}
