package filter

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
)

// naiveMotion is the definition in 16-bit samples, with package math's functions.
func naiveMotion(src []uint8, w, h int, radius, sigma, degrees float64, truncate bool) []uint8 {
	n := 2*int(math.Ceil(radius)) + 1
	sum := 0.0
	k := make([]float64, n)
	for i := range k {
		k[i] = math.Exp(-float64(i*i) / (2 * sigma * sigma))
		sum += k[i]
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	out := make([]uint8, w*h)
	for at := range out {
		total := 0.0
		for i := range k {
			x := Nearest.At(at%w+int(math.Ceil(float64(i)*cos-0.5)), w)
			y := Nearest.At(at/w+int(math.Ceil(float64(i)*sin-0.5)), h)
			total += k[i] / sum * 257 * float64(src[y*w+x])
		}
		q := int(total + 0.5)
		if out[at] = uint8(math.Round(float64(q) / 257)); truncate {
			out[at] = uint8(q / 257)
		}
	}
	return out
}

func TestMotionAgainstDefinition(t *testing.T) {
	var m Motion
	rapid.Check(t, func(t *rapid.T) {
		src, w, h := drawGray(t, 12)
		radius := rapid.Float64Range(0, 8).Draw(t, "radius")
		sigma := rapid.Float64Range(0.5, 9).Draw(t, "sigma")
		degrees := rapid.Float64Range(-180, 180).Draw(t, "degrees")
		m.Truncate = rapid.Bool().Draw(t, "truncate")
		m.Set(radius, sigma, degrees)
		got := make([]uint8, w*h)
		m.Gray(got, src, w, h)
		want := naiveMotion(src, w, h, radius, sigma, degrees, m.Truncate)
		differ := 0
		for i := range got {
			if got[i] != want[i] { // only where the sum lies on a half
				differ++
			}
		}
		if differ > 1 {
			t.Fatalf("%d of %d pixels differ", differ, w*h)
		}
	})
}

// The color form is the gray form of each channel.
func TestMotionImage(t *testing.T) {
	var m Motion
	m.Set(5, 2, 30)
	src, dst := raster.New(9, 7), new(raster.Image)
	for i := range src.Pix {
		src.Pix[i] = uint8(i * i)
	}
	m.Image(dst, src)
	for c := range 3 {
		gray := make([]uint8, 9*7)
		for i := range gray {
			gray[i] = src.Pix[4*i+c]
		}
		want := make([]uint8, len(gray))
		m.Gray(want, gray, 9, 7)
		for i := range want {
			if dst.Pix[4*i+c] != want[i] || dst.Pix[4*i+3] != 255 {
				t.Fatalf("pixel %d, channel %d is %d, want %d", i, c, dst.Pix[4*i+c], want[i])
			}
		}
	}
}

// The published convention: angle 0 draws on pixels to the right, 90 degrees on those below.
func TestMotionDirection(t *testing.T) {
	src := []uint8{0, 0, 0, 0, 255, 0, 0, 0, 0} // 3x3, center
	for degrees, from := range map[float64]int{0: 3, 90: 1, 180: 5, -90: 7} {
		var m Motion
		m.Set(1, 1, degrees)
		dst := make([]uint8, 9)
		m.Gray(dst, src, 3, 3)
		var lit []int
		for i, v := range dst {
			if v > 0 {
				lit = append(lit, i)
			}
		}
		want := []int{4, from}
		slices.Sort(want)
		if !slices.Equal(lit, want) {
			t.Errorf("%v degrees: pixels %v are lit, want %v", degrees, lit, want)
		}
	}
}

// At -150 and -30 degrees the second tap lies half-way between two rows. ImageMagick's formula, with its detour over the
// point n samples away, puts it into row 0 for 21 samples and into row -1 for 29.
func TestMotionTies(t *testing.T) {
	for radius, row := range map[float64]int{10: 0, 14: -1} {
		for _, degrees := range []float64{-150, -30} {
			var m Motion
			m.Set(radius, 3, degrees)
			if m.dy[1] != row {
				t.Errorf("radius %v, %v degrees: row %d, want %d", radius, degrees, m.dy[1], row)
			}
		}
	}
}
