package augment

import (
	"errors"
	"image"
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestGoldenGeometry replays the group "geometry", made with Pillow as torchvision calls it.
func TestGoldenGeometry(t *testing.T) {
	var z Resizer
	black := raster.RGB{}
	golden.Run(t, "geometry", map[string]golden.Func{
		"flip": func(t *testing.T, c *golden.Case) { each(t, c, FlipH) },
		"crop": func(t *testing.T, c *golden.Case) {
			each(t, c, func(dst, src *raster.Image) {
				PadCrop(dst, src, 0, c.Int("left"), c.Int("top"), c.Int("width"), c.Int("height"), black)
			})
		},
		"center_crop": func(t *testing.T, c *golden.Case) {
			each(t, c, func(dst, src *raster.Image) { CenterCrop(dst, src, c.Int("width"), c.Int("height"), black) })
		},
		"pad": func(t *testing.T, c *golden.Case) {
			each(t, c, func(dst, src *raster.Image) {
				l, u := c.Int("left"), c.Int("top")
				PadCrop(dst, src, 0, -l, -u, src.W+l+c.Int("right"), src.H+u+c.Int("bottom"), fillOf(c))
			})
		},
		"resize_shorter": func(t *testing.T, c *golden.Case) {
			f, err := ParseFilter(c.Text("filter"))
			if err != nil {
				t.Fatal(err)
			}
			each(t, c, func(dst, src *raster.Image) {
				w, h := ShorterSide(src.W, src.H, c.Int("size"))
				z.Resize(dst, src, w, h, f)
			})
		},
	})
}

func TestFlipTwiceIsIdentity(t *testing.T) {
	for _, w := range []int{1, 2, 7, 32} {
		src, a, b := noise(w, 5, 1), new(raster.Image), new(raster.Image)
		FlipH(a, src)
		if a.At(0, 3) != src.At(w-1, 3) {
			t.Errorf("width %d: the first pixel is not the last", w)
		}
		if FlipH(b, a); !raster.Equal(b, src) {
			t.Errorf("width %d: two flips are no copy", w)
		}
	}
}

func TestPadCrop(t *testing.T) {
	src, dst := noise(4, 4, 1), new(raster.Image)
	fill := raster.RGB{R: 7}
	PadCrop(dst, src, 2, 0, 1, 5, 4, fill)
	for y := range 4 {
		for x := range 5 {
			want := fill
			if sx, sy := x-2, y-1; sx >= 0 && sy >= 0 && sx < 4 && sy < 4 {
				want = src.At(sx, sy)
			}
			if got := dst.At(x, y); got != want {
				t.Errorf("(%d,%d) is %v, want %v", x, y, got, want)
			}
		}
	}
}

// torchvision's offsets: Python's round goes to the even neighbor.
func TestCenterCropOffsets(t *testing.T) {
	for _, c := range []struct{ have, want, at int }{{256, 224, 16}, {5, 2, 2}, {3, 2, 0}, {7, 4, 2}, {4, 4, 0}, {2, 5, -1}} {
		if got := center(c.have, c.want); got != c.at {
			t.Errorf("cropping %d of %d starts at %d, want %d", c.want, c.have, got, c.at)
		}
	}
}

func TestShorterSide(t *testing.T) {
	for _, c := range []struct{ w, h, n, ow, oh int }{
		{500, 375, 256, 341, 256}, {375, 500, 256, 256, 341}, {256, 256, 256, 256, 256}, {1000, 1, 4, 4000, 4}, {1, 3, 1, 1, 3},
	} {
		if w, h := ShorterSide(c.w, c.h, c.n); w != c.ow || h != c.oh {
			t.Errorf("shorter side %d of %dx%d is %dx%d, want %dx%d", c.n, c.w, c.h, w, h, c.ow, c.oh)
		}
	}
}

func TestRandomPadCropReachesEveryOffset(t *testing.T) {
	src, dst := raster.New(32, 32), new(raster.Image)
	src.Set(16, 16, raster.RGB{R: 255, G: 255, B: 255})
	r := rng.New(5)
	counts := map[[2]int]int{}
	const n = 20000
	for range n {
		RandomPadCrop(dst, src, 4, 32, 32, raster.RGB{}, r)
		for i := 0; i < len(dst.Pix); i += 4 {
			if dst.Pix[i] == 255 {
				counts[[2]int{i / 4 % 32, i / 4 / 32}]++
			}
		}
	}
	if len(counts) != 81 {
		t.Fatalf("%d offsets, want 81", len(counts))
	}
	var chi2 float64 // 80 degrees of freedom; 124.8 is the 99.9 % quantile
	for _, c := range counts {
		d := float64(c) - n/81.0
		chi2 += d * d / (n / 81.0)
	}
	if chi2 > 124.8 {
		t.Errorf("offsets are not uniform: chi-square %.1f", chi2)
	}
}

func TestRandomResizedBox(t *testing.T) {
	r := rng.New(6)
	var areas float64
	const n = 5000
	for range n {
		b := RandomResizedBox(500, 375, 0.08, 1, 3./4, 4./3, r)
		if b.Empty() || !b.In(image.Rect(0, 0, 500, 375)) {
			t.Fatalf("box %+v outside the image", b)
		}
		if ratio := float64(b.Dx()) / float64(b.Dy()); ratio < 0.74 || ratio > 1.36 {
			t.Fatalf("box %+v has ratio %v", b, ratio)
		}
		areas += float64(b.Dx()*b.Dy()) / (500 * 375)
	}
	// torchvision 0.14.1 gives a mean of 0.4333 over 200,000 boxes of this image; the standard error here is 0.0036.
	// It is less than 0.54, the mean of the drawn areas, because boxes that do not fit are drawn again.
	if mean := areas / n; math.Abs(mean-0.4333) > 0.0145 {
		t.Errorf("mean area is %.4f of the image, want 0.4333", mean)
	}
	// An image too narrow for any box gets the largest central one within the ratios.
	if b := RandomResizedBox(1000, 10, 0.5, 1, 3./4, 4./3, r); b != image.Rect(493, 0, 506, 10) {
		t.Errorf("fallback box is %+v", b)
	}
}

func TestParseFilterUnknown(t *testing.T) {
	_, err := ParseFilter("nearest")
	if !errors.Is(err, ErrOp) || err.Error() != `bad operation: unknown resize filter "nearest" (allowed: ["box" "bilinear" "bicubic" "lanczos"])` {
		t.Error(err)
	}
}
