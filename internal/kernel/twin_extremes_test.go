package kernel

import (
	"math"
	"slices"
	"testing"
)

// extremes are numbers that a vector may treat in another way than plain Go: results of these loops are defined for all of them.
var extremes = []float64{
	0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32,
	math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.SmallestNonzeroFloat32, 0x1p-127, 0x1p-126, 0x1p-1022, 0x1p-1023,
	0x1.000001p0, 0x1.000003p0, 0x1.fffffep127, 0x1.ffffffp127, 0x1.8p-150, 0x1p-150, 255, 0x1p63, -0x1p63, 0x1p52 + 0.5,
}

// TestExtremeTwins: infinities, what is no number, denormal numbers, halves, from each place on, so that each is in each lane.
func TestExtremeTwins(t *testing.T) {
	const n = 70
	for shift := range extremes {
		doubles, floats := make([]float64, n+2), make([]float32, n+2)
		for i := range doubles {
			doubles[i] = extremes[(i+shift)%len(extremes)]
			floats[i] = float32(doubles[i])
		}
		doubles, floats = doubles[shift%3:], floats[shift%2:] // not at a multiple of sixteen bytes
		scale := extremes[shift]
		var want [][]uint64
		EachLevel(func(level string) {
			sums, rounded, added := make([]float64, n), make([]float32, n), make([]float64, n)
			ScaleAdd(sums, floats[:n], scale, 1)
			Round32(rounded, doubles[:n], 1)
			words := make([]uint64, n)
			for i := range words {
				words[i] = uint64(i) * 0x9e3779b97f4a7c15
				added[i] = doubles[i]
			}
			AddBits(added, words, 12, 52, 0x1p971)
			AddBits(added, words, 63, 1, scale)
			got := [][]uint64{bitsOf(sums), bitsOf(rounded), bitsOf(added)}
			if want == nil {
				want = got
			}
			for k, name := range []string{"ScaleAdd", "Round32", "AddBits"} {
				if !slices.Equal(got[k], want[k]) {
					t.Errorf("%s by %v with %s: %x, want %x", name, scale, level, got[k], want[k])
				}
			}
		})
	}
}

// bitsOf are the bits of numbers; those of what is no number are all one.
func bitsOf[F float32 | float64](v []F) []uint64 {
	all := make([]uint64, len(v))
	for i, x := range v {
		if all[i] = math.Float64bits(float64(x)); x != x {
			all[i] = math.MaxUint64
		}
	}
	return all
}

// TestDisplacedFar: a place that is no number, or beyond the image, ends what Displace does, in each lane.
func TestDisplacedFar(t *testing.T) {
	const n = 9
	src := make([]Color, n*n)
	for i := range src {
		src[i] = Color{float32(i), float32(i * i), -float32(i)}
	}
	for at := range n - 1 {
		for _, far := range extremes {
			dx, dy := make([]float32, n-1), make([]float32, n-1)
			dx[at], dy[n-2-at] = float32(far), float32(-far)
			var want []Color
			var count int
			EachLevel(func(level string) {
				got := make([]Color, n-1)
				done := Displace(got, src, n, n, 0, 2, dx, dy)
				for i := range got {
					if got[i][3] = 0; i >= done {
						got[i] = Color{}
					}
				}
				if want == nil {
					want, count = got, done
				}
				if done != count || !slices.Equal(got, want) {
					t.Errorf("%s with %v at %d: %d are %v, want %d, %v", level, far, at, done, got, count, want)
				}
			})
		}
	}
}

// TestTonesOfAllBytes: assembly has another way to divide by 255.
func TestTonesOfAllBytes(t *testing.T) {
	src := make([]uint8, 4*256)
	for i := range src {
		src[i] = uint8(i / 4)
	}
	EachLevel(func(level string) {
		colors, planes, numbers := make([]Color, 256), make([]float64, 3*256), make([]float64, 3*256)
		Tones(colors, src)
		TonePlanes(planes, src)
		BytesToNumbers(numbers, src, 255)
		for v := range 256 {
			tone, unit := float32(v)/255, float64(v)/255
			if colors[v] != (Color{tone, tone, tone, tone}) || planes[v] != float64(tone) || planes[512+v] != float64(tone) || numbers[3*v] != unit {
				t.Errorf("%s: %d is %v, %v, %v", level, v, colors[v], planes[v], numbers[3*v])
			}
		}
	})
}
