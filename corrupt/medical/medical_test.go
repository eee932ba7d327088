package medical

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// values are parameters of each corruption, those of a published profile.
var values = map[string]Values{
	"brightness_up":   {"factor": {1.1, 1.15, 1.2, 1.22, 1.25}},
	"brightness_down": {"factor": {0.85, 0.8, 0.75, 0.72, 0.7}},
	"contrast_up":     {"factor": {1.1, 1.2, 1.3, 1.4, 1.6}},
	"contrast_down":   {"factor": {0.8, 0.7, 0.6, 0.55, 0.5}},
	"gamma_corr_up":   {"gamma": {1.1, 1.2, 1.3, 1.4, 1.6}},
	"gamma_corr_down": {"gamma": {0.9, 0.8, 0.7, 0.6, 0.4}},
	"stain_deposit":   {"marks": {1, 2, 3, 4, 5}, "size": {30, 30, 30, 30, 40}},
	"bubble":          {"radius": {7, 10, 12, 15, 17}, "bubbles": {15, 15, 15, 20, 25}},
	"black_corner":    {"multiplier": {1.1, 1.05, 1, 0.9, 0.95}},
	"characters":      {"words": {1, 2, 3, 4, 6}, "letters": {6, 7, 8, 9, 10}, "scale": {0.14, 0.15, 0.16, 0.17, 0.18}},
}

func ops(t testing.TB) []*Op {
	t.Helper()
	var list []*Op
	for _, name := range Names() {
		op, err := New(name, values[name])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, op)
	}
	return list
}

func TestSuite(t *testing.T) { corruptiontest.Suite[corrupt.Scratch](t, ops(t)) }

// pinned are digests of all severities, and one between, on an even and an odd image: the same on every architecture.
var pinned = map[string]string{
	"brightness_up":   "22e69e2b056a069e",
	"brightness_down": "5821270637284053",
	"contrast_up":     "fd6a5c85f48ee814",
	"contrast_down":   "2ff0d8493d2d6744",
	"gamma_corr_up":   "0773f97010e80ef7",
	"gamma_corr_down": "44f30d43718a016f",
	"stain_deposit":   "fa0a279dacd4b3c1",
	"bubble":          "efc7bbece4237875",
	"black_corner":    "681782d784c68208",
	"characters":      "d53e3b6e6cf1d35a",
}

func TestPinnedBytes(t *testing.T) {
	for _, c := range ops(t) {
		h := sha256.New()
		var s corrupt.Scratch
		var dst raster.Image
		for _, size := range [][2]int{{224, 224}, {45, 33}} {
			src := corruptiontest.Image(size[0], size[1])
			for _, severity := range []float64{0.5, 1, 2, 2.5, 3, 4, 5} {
				r := rng.NewKey(1).Str(c.Name()).Number(severity).Rand()
				if err := c.Apply(&dst, src, severity, &r, &s); err != nil {
					t.Fatal(err)
				}
				h.Write(dst.Pix)
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != pinned[c.Name()] {
			t.Errorf("%q: %q, pinned %q", c.Name(), got, pinned[c.Name()])
		}
	}
}

// level applies the corruption to an even image and returns the value of its middle.
func level(t *testing.T, name string, params Values, in uint8) uint8 {
	t.Helper()
	c, err := New(name, params)
	if err != nil {
		t.Fatal(err)
	}
	src, dst := raster.New(3, 3), new(raster.Image)
	src.Fill(raster.RGB{R: in, G: in, B: in})
	src.Set(0, 0, raster.RGB{}) // for the mean
	if err := c.Apply(dst, src, 1, rng.New(1), new(corrupt.Scratch)); err != nil {
		t.Fatal(err)
	}
	return dst.At(1, 1).G
}

func same(v float64) []float64 { return []float64{v, v, v, v, v} }

// TestLevels holds values that torchvision 0.14 and Pillow 9.4 give, and hand-worked ones.
func TestLevels(t *testing.T) {
	for v, want := range map[uint8]uint8{0: 0, 1: 27, 2: 36, 100: 176, 200: 232, 254: 255, 255: 255} {
		if got := level(t, "gamma_corr_down", Values{"gamma": same(0.4)}, v); got != want {
			t.Errorf("gamma 0.4 of %d: %d, want %d", v, got, want)
		}
	}
	for v, want := range map[uint8]uint8{0: 0, 2: 0, 100: 39, 200: 157, 254: 253, 255: 255} {
		if got := level(t, "gamma_corr_up", Values{"gamma": same(2)}, v); got != want {
			t.Errorf("gamma 2 of %d: %d, want %d", v, got, want)
		}
	}
	if got := level(t, "brightness_up", Values{"factor": same(1.5)}, 200); got != 255 {
		t.Errorf("1.5 times 200: %d", got)
	}
	if got := level(t, "brightness_down", Values{"factor": same(0.5)}, 201); got != 100 {
		t.Errorf("half of 201: %d", got)
	}
	// The mean of eight times 90 and once 0 is 80: 80 + (90-80)*2, 80 + (90-80)/2.
	if up, down := level(t, "contrast_up", Values{"factor": same(2)}, 90), level(t, "contrast_down", Values{"factor": same(0.5)}, 90); up != 100 || down != 85 {
		t.Errorf("contrast of 90 around 80: %d and %d", up, down)
	}
}

// TestBlackCorner: of 7x5 pixels, the middle (3, 2), half the shorter side 2.
func TestBlackCorner(t *testing.T) {
	c, err := New("black_corner", Values{"multiplier": same(1)})
	if err != nil {
		t.Fatal(err)
	}
	src, dst := raster.New(7, 5), new(raster.Image)
	src.Fill(raster.RGB{R: 9, G: 9, B: 9})
	if err := c.Apply(dst, src, 3, nil, nil); err != nil {
		t.Fatal(err)
	}
	want := "...#...\n" +
		"..###..\n" +
		".#####.\n" +
		"..###..\n" +
		"...#...\n"
	got := ""
	for y := range dst.H {
		for x := range dst.W {
			got += map[uint8]string{0: ".", 9: "#"}[dst.At(x, y).G]
		}
		got += "\n"
	}
	if got != want {
		t.Errorf("a circle of\n%swant\n%s", got, want)
	}
}

// TestBlackCornerFades: below severity 1 the circle goes to the whole image, whatever its form.
func TestBlackCornerFades(t *testing.T) {
	for _, size := range [][2]int{{224, 224}, {45, 33}, {5, 2000}, {2000, 5}, {7, 4}, {1, 40}, {40, 1}, {1, 1}} {
		src, dst := raster.New(size[0], size[1]), new(raster.Image)
		src.Fill(raster.RGB{R: 9, G: 9, B: 9})
		for _, multiplier := range []float64{0, 0.9, 1.4, 3} {
			c, err := New("black_corner", Values{"multiplier": same(multiplier)})
			if err != nil {
				t.Fatal(err)
			}
			before := 0
			for _, severity := range []float64{0.001, 0.002, 0.2, 0.5, 0.9, 0.999, 1} {
				if err := c.Apply(dst, src, severity, nil, nil); err != nil {
					t.Fatal(err)
				}
				black := 0
				for y := range dst.H {
					for x := range dst.W {
						if dst.At(x, y).G == 0 {
							black++
						}
					}
				}
				if severity <= 0.002 && black > 0 || black < before {
					t.Errorf("%v, multiplier %v, severity %v: %d black pixels after %d", size, multiplier, severity, black, before)
				}
				before = black
			}
		}
	}
}

// changed applies a corruption to an even gray image of 224x224 with several keys, and calls look with every pixel that differs.
func changed(t *testing.T, name string, severity float64, look func(x, y int, c raster.RGB)) (pixels int) {
	t.Helper()
	c, err := New(name, values[name])
	if err != nil {
		t.Fatal(err)
	}
	src, dst := raster.New(224, 224), new(raster.Image)
	src.Fill(raster.RGB{R: 100, G: 100, B: 100})
	for seed := range uint64(20) {
		if err := c.Apply(dst, src, severity, rng.New(seed), new(corrupt.Scratch)); err != nil {
			t.Fatal(err)
		}
		for y := range dst.H {
			for x := range dst.W {
				if got := dst.At(x, y); got != src.At(x, y) {
					look(x, y, got)
					pixels++
				}
			}
		}
	}
	return pixels
}

// TestBubble: inside of a bubble lies 100 of 255 of white, on its border 130: 100 + 155*100/255 = 160.8, 100 + 155*130/255 = 179.02.
func TestBubble(t *testing.T) {
	seen := map[raster.RGB]int{}
	changed(t, "bubble", 5, func(_, _ int, c raster.RGB) { seen[c]++ })
	inside, border := raster.RGB{R: 161, G: 161, B: 161}, raster.RGB{R: 179, G: 179, B: 179}
	if len(seen) != 2 || seen[inside] == 0 || seen[border] == 0 {
		t.Errorf("colors %v", seen)
	}
	var m whites
	m.share = make([]uint8, 5*5)
	m.disc(5, 5, 2, 2, 1.5, 7) // the middle and its eight neighbors but none farther: 2 > 1.5, 1.41 < 1.5
	if got := strings.Count(string(m.share), "\x07"); got != 9 || m.share[2*5+4] != 0 {
		t.Errorf("a disc of %d pixels", got)
	}
}

// TestStain: marks darken, keep off the border and cover more at higher severities.
func TestStain(t *testing.T) {
	was := 0
	for _, severity := range []float64{1, 3, 5} {
		n := changed(t, "stain_deposit", severity, func(x, y int, c raster.RGB) {
			if c.G >= 100 || c.R != c.G || c.B != c.G || min(x, y) < 10-4 || max(x, y) >= 214+4 {
				t.Fatalf("pixel (%d,%d) is %v", x, y, c)
			}
		})
		if n <= was {
			t.Errorf("severity %v: %d pixels, after %d", severity, n, was)
		}
		was = n
	}
}

// TestCharacters: words are small, each in one color, and within the image.
func TestCharacters(t *testing.T) {
	n := changed(t, "characters", 1, func(x, y int, _ raster.RGB) {
		if x < 9 || y < 6 || y > 215 {
			t.Errorf("a letter at (%d,%d)", x, y)
		}
	})
	// 20 images of one word of 3 to 6 letters of about 2x3 pixels each.
	if n < 20*3*4 || n > 20*6*20 {
		t.Errorf("%d pixels of letters", n)
	}
	m := raster.New(9, 9)
	dot(m, 4.5, 3, 0.5, raster.RGB{R: 255, G: 200, B: 100}) // a pixel wide, half in each of two rows
	for y, want := range []raster.RGB{2: {R: 128, G: 100, B: 50}, 3: {R: 128, G: 100, B: 50}, 4: {}} {
		if got := m.At(4, y); got != want {
			t.Errorf("row %d is %v, want %v", y, got, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		name   string
		values Values
		says   string
	}{
		{"bubbles", nil, `"bubbles", did you mean "bubble"? (allowed: brightness_up`},
		{"bubble", Values{"radius": same(5)}, "bubble: bubbles: 0 values (allowed: 5"},
		{"bubble", Values{"radius": same(2), "bubbles": same(9)}, "bubble: radius: 2 at severity 1 (allowed: 3 to 100)"},
		{"bubble", Values{"radius": same(5), "bubbles": {1, 2, 3, 4.5, 5}}, "bubble: bubbles: 4.5 at severity 4 (allowed: whole numbers, 0 to 1000)"},
		{"brightness_up", Values{"factor": same(1), "add": same(1)}, `brightness_up: parameter "add"`},
	} {
		if _, err := New(c.name, c.values); !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

func Example() {
	darker, err := New("brightness_down", Values{"factor": {0.9, 0.8, 0.7, 0.6, 0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	src, dst := raster.New(32, 32), new(raster.Image)
	src.Fill(raster.RGB{R: 200, G: 100, B: 50})
	if err := darker.Apply(dst, src, 5, rng.New(1), new(corrupt.Scratch)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst.At(0, 0))
	// Output: {100 50 25}
}

func BenchmarkApply(b *testing.B) {
	for _, c := range ops(b) {
		b.Run(c.Name(), func(b *testing.B) {
			corruptiontest.Benchmark[corrupt.Scratch](b, []*Op{c}, corruptiontest.Image(224, 224))
		})
	}
}
