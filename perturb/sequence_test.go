package perturb

import (
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/raster"
)

// P299 cuts 7/8 out of the middle, offsets rounded half to even, and stretches that: 20x16 gives 17x14 at (2, 1).
func TestInceptionCut(t *testing.T) {
	src := testImage(20, 16)
	part := raster.New(17, 14)
	raster.CopyRect(part, image.Point{}, src, part.Bounds().Add(image.Pt(2, 1)))
	var want raster.Image
	new(augment.Resizer).Resize(&want, part, 299, 299, augment.Bilinear)
	var s Scratch
	for _, name := range []string{"gaussian_noise", "rotate"} {
		i := map[string]int{"gaussian_noise": 0, "rotate": 15}[name]
		if got := frames(t, name, src, 1, P299, 1, &s)[i]; !raster.Equal(got, &want) {
			t.Errorf("%s: frame %d is not the cut image", name, i)
		}
	}
}

// With P64 motion blur acts on the image before it is resized, with the other profiles after.
func TestMotionBlurPlace(t *testing.T) {
	src := testImage(150, 100)
	var s Scratch
	var blurred, small, want raster.Image
	corrupt.MotionBlur{Radius: 14, Sigma: 3}.Apply(&blurred, src, -150+10*5, new(corrupt.Scratch))
	new(augment.Resizer).Resize(&small, &blurred, 96, 64, augment.Bilinear)
	augment.CenterCrop(&want, &small, 64, 64, raster.RGB{})
	if got := frames(t, "motion_blur", src, 1, P64, 1, &s)[10]; !raster.Equal(got, &want) {
		t.Error("P64: frame 10 is not blurred, then resized and cut")
	}
	new(augment.Resizer).Resize(&small, src, 384, 256, augment.Bilinear)
	augment.CenterCrop(&blurred, &small, 224, 224, raster.RGB{})
	corrupt.MotionBlur{Radius: 10, Sigma: 3}.Apply(&want, &blurred, -120+10*4, new(corrupt.Scratch))
	if got := frames(t, "motion_blur", src, 1, P224, 1, &s)[10]; !raster.Equal(got, &want) {
		t.Error("P224: frame 10 is not resized and cut, then blurred")
	}
}

// What acts around the cut brings in content from outside it: moving and tilting an all-white
// image of 3:2 leaves nothing black at the left and right of P224's frames.
func TestAroundBringsContentIn(t *testing.T) {
	src := raster.New(768, 512)
	white := raster.RGB{R: 255, G: 255, B: 255}
	src.Fill(white)
	var s Scratch
	for _, name := range []string{"translate", "tilt"} {
		for i, m := range frames(t, name, src, 1, P224, 1, &s) {
			if m.At(0, 112) != white || m.At(223, 112) != white {
				t.Errorf("%s, frame %d: black at the side", name, i)
			}
		}
	}
	if m := frames(t, "scale", src, 1, P224, 1, &s)[0]; m.At(112, 0) != (raster.RGB{}) {
		t.Error("scale, frame 0: no black above the image")
	}
}

// The cut of tilt is computed alone; it must be the cut of the whole.
func TestTiltCut(t *testing.T) {
	src := testImage(333, 256)
	var s Scratch
	for i, got := range frames(t, "tilt", src, 1, P224, 1, &s) {
		var all, want raster.Image
		Tilt{float64(i) - 15}.Apply(&all, src)
		augment.CenterCrop(&want, &all, 224, 224, raster.RGB{})
		if !raster.Equal(got, &want) {
			t.Errorf("frame %d differs", i)
		}
	}
}

// samplePixel against the formula in floating point, whose numbers are all exact.
func TestSamplePixel(t *testing.T) {
	src := testImage(5, 4)
	at := func(x, y, k int) float64 {
		if x < 0 || y < 0 || x >= src.W || y >= src.H {
			return 0
		}
		return float64(src.Pix[4*(y*src.W+x)+k])
	}
	for sy := -70; sy < 32*src.H+70; sy++ {
		for sx := -70; sx < 32*src.W+70; sx++ {
			x, y := int(math.Floor(float64(sx)/32)), int(math.Floor(float64(sy)/32))
			u, v := float64(sx)/32-float64(x), float64(sy)/32-float64(y)
			var got [4]uint8
			samplePixel(got[:], src, sx, sy)
			for k := range 3 {
				want := (1-u)*(1-v)*at(x, y, k) + u*(1-v)*at(x+1, y, k) + (1-u)*v*at(x, y+1, k) + u*v*at(x+1, y+1, k)
				if float64(got[k]) != math.Floor(want+0.5) {
					t.Fatalf("(%d, %d)/32, channel %d: %d, want %v", sx, sy, k, got[k], want)
				}
			}
			if got[3] != 255 {
				t.Fatal("not opaque")
			}
		}
	}
}

func TestSubpixel(t *testing.T) {
	tests := map[float64]int{
		0.5: 0, 1.5: 2, -0.5: 0, -1.5: -2, 2.4999: 2, 1e300: math.MaxInt32, -1e300: math.MinInt32,
	}
	for v, want := range tests {
		if got := subpixel(v); got != want {
			t.Errorf("subpixel(%v) is %d, want %d", v, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1<<40, 1<<40).Draw(t, "v")
		want := math.RoundToEven(min(max(v, math.MinInt32), math.MaxInt32))
		if got := subpixel(v); float64(got) != want {
			t.Fatalf("subpixel(%v) is %d, want %v", v, got, want)
		}
	})
}

// A matrix times its inverse is the identity, and a tilted corner goes where the trigonometry says.
func TestTiltMatrix(t *testing.T) {
	m := Tilt{30}.matrix(60, 80) // the diagonal is 100
	inv := m.inverse()
	for i := range 3 {
		for j := range 3 {
			sum := 0.0
			for k := range 3 {
				sum += m[3*i+k] * inv[3*k+j]
			}
			if want := map[bool]float64{true: 1}[i == j]; math.Abs(sum-want) > 1e-9 {
				t.Errorf("element %d,%d of the product is %v", i, j, sum)
			}
		}
	}
	// The middle of the image, (30, 40), is the point (0, 0, 1): turned about y it is (-sin, 0, cos), then about x
	// (-sin, -cos·sin, cos²), 100 further away and seen with focal length 100.
	sin, cos := 0.5, math.Sqrt(3)/2
	z := cos*cos + 100
	wantX, wantY := 30+100*-sin/z, 40+100*-cos*sin/z
	w := m[6]*30 + m[7]*40 + m[8]
	x, y := (m[0]*30+m[1]*40+m[2])/w, (m[3]*30+m[4]*40+m[5])/w
	if math.Abs(x-wantX) > 1e-9 || math.Abs(y-wantY) > 1e-9 {
		t.Errorf("the middle goes to (%v, %v), want (%v, %v)", x, y, wantX, wantY)
	}
}

// Drops run down as the convolutions of the published code, worked by hand.
func TestDrip(t *testing.T) {
	src := filter.Field{W: 1, H: 5, C: 1, Pix: []float64{0, 1, 0, 0, 2}}
	var dst filter.Field
	drip(&dst, &src, &[4]float64{.05, .1, .15, .7})
	for y, want := range []float64{.05, .1, .15, .7 + 2*.05, 2 * .1} {
		if math.Abs(dst.Pix[y]-want) > 1e-15 {
			t.Errorf("row %d: %v, want %v", y, dst.Pix[y], want)
		}
	}
	drip(&dst, &src, &[4]float64{0, .2, .8, 0})
	for y, want := range []float64{0, .2, .8, 0, .4} {
		if dst.Pix[y] != want {
			t.Errorf("two parts, row %d: %v, want %v", y, dst.Pix[y], want)
		}
	}
}

// Without drops all frames of spatter are black, as published.
func TestSpatterWithoutDrops(t *testing.T) {
	src := testImage(8, 8)
	var s Scratch
	q, err := mustByName("spatter").open(src, 1, P32, &s)
	if err != nil {
		t.Fatal(err)
	}
	s.normals = make(corrupt.Normals, 64)
	q.start()
	var dst raster.Image
	if !q.Next(&dst) || !raster.Equal(&dst, raster.New(8, 8)) || !opaque(&dst) {
		t.Error("a frame without drops is not black")
	}
}

// zoom_blur is the running mean of enlargements, here recomputed from the start for one frame.
func TestZoomBlur(t *testing.T) {
	src := testImage(40, 40)
	var s Scratch
	got := frames(t, "zoom_blur", src, 1, P32, 1, &s)[12]
	want, part := make([]float64, len(src.Pix)), new(raster.Image)
	for j := range 13 {
		Affine{Scale: 1 + .004*float64(j)}.Apply(part, src)
		for i, v := range part.Pix {
			want[i] += float64(v)
		}
	}
	for i, v := range got.Pix {
		if d := want[i]/13 - float64(v); d < -1e-3 || d > 1+1e-3 {
			t.Fatalf("value %d: %d, want %v truncated", i, v, want[i]/13)
		}
	}
}
