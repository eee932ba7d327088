package frost

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/rng"
)

// TestNoise checks the range of the noise, that it is smooth (no step above what the spline's slope allows), and that
// it is not flat.
func TestNoise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 60).Draw(t, "h")
		pitch := rapid.Float64Range(1, 80).Draw(t, "pitch")
		p := newPlane(w, h)
		p.addNoise(2, pitch, pitch, rng.New(rapid.Uint64().Draw(t, "seed")))
		for y := range h {
			for x, v := range p.row(y) {
				if v < -2.0001 || v > 2.0001 {
					t.Fatalf("noise of amount 2 is %v at %d, %d", v, x, y)
				}
				// A cubic B-spline of numbers within 2 has a slope of at most 4 a lattice step.
				if x > 0 && math.Abs(float64(v-p.row(y)[x-1])) > 4/pitch+.001 {
					t.Fatalf("step at %d, %d for pitch %v", x, y, pitch)
				}
			}
		}
	})
	p := clouds(64, 64, 8, .5, 3, rng.New(1))
	if mean, square := p.mean(); square-mean*mean < .01 {
		t.Errorf("noise of deviation %v", math.Sqrt(square-mean*mean))
	}
}

// TestSplinePartition checks that the weights are those of a B-spline: positive, sum 1, first moment at the place.
func TestSplinePartition(t *testing.T) {
	s := newSpline(100, 7.3)
	for i, w := range s.weight {
		var sum, moment float64
		for k, v := range w {
			if v < 0 {
				t.Fatalf("weight %v", w)
			}
			sum += float64(v)
			moment += float64(v) * float64(int(s.index[i])+k-1)
		}
		if math.Abs(sum-1) > 1e-6 || math.Abs(moment-float64(i)/7.3) > 1e-5 {
			t.Fatalf("place %d: sum %v, moment %v", i, sum, moment)
		}
	}
}

// TestBlur compares one pass with the mean computed directly.
func TestBlur(t *testing.T) {
	const w, h, radius = 13, 9, 2
	p := newPlane(w, h)
	p.addNoise(1, 1.5, 1.5, rng.New(2))
	want := newPlane(w, h)
	for y := range h {
		for x := range w {
			var sum float64
			for j := -radius; j <= radius; j++ {
				for i := -radius; i <= radius; i++ {
					sum += float64(p.row(min(max(y+j, 0), h-1))[min(max(x+i, 0), w-1)])
				}
			}
			want.row(y)[x] = float32(sum / 25)
		}
	}
	var z blurrer
	z.blur(p, radius, 1)
	for i, v := range p.v {
		if math.Abs(float64(v-want.v[i])) > 1e-5 {
			t.Fatalf("value %d is %v, want %v", i, v, want.v[i])
		}
	}
}

func TestLevel(t *testing.T) {
	p := clouds(40, 30, 9, .5, 2, rng.New(3))
	p.level()
	if mean, square := p.mean(); math.Abs(mean) > 1e-5 || math.Abs(square-1) > 1e-4 {
		t.Errorf("mean %v, square %v", mean, square)
	}
	flat := newPlane(5, 5)
	for i := range flat.v {
		flat.v[i] = 7
	}
	flat.level()
	for _, v := range flat.v {
		if v != 0 {
			t.Fatalf("a constant plane becomes %v", v)
		}
	}
}

// TestRelief checks the sign and the size of the light on a slope: height grows to the right, light comes from there
// too, so that the slope lies in the shade.
func TestRelief(t *testing.T) {
	height, p := newPlane(6, 4), newPlane(6, 4)
	for y := range 4 {
		for x := range 6 {
			height.row(y)[x] = .5 * float32(x)
		}
	}
	p.addRelief(height, 1, 0, 2)
	if v := p.row(2)[3]; v != -1 {
		t.Errorf("slope of 1/2 away from the light gives %v, want -1", v)
	}
	if v := p.row(2)[0]; v != -.5 {
		t.Errorf("the border, repeated, gives %v, want -1/2", v)
	}
}

func TestSampleAndMiddle(t *testing.T) {
	p := newPlane(4, 3)
	for y := range 3 {
		for x := range 4 {
			p.row(y)[x] = float32(10*y + x)
		}
	}
	for _, c := range [][3]float32{{0, 0, 0}, {1.5, 1, 11.5}, {2, .25, 4.5}, {-3, 9, 20}, {9, 9, 23}} {
		if v := p.sample(c[0], c[1]); v != c[2] {
			t.Errorf("(%v, %v) is %v, want %v", c[0], c[1], v, c[2])
		}
	}
	if m := p.middle(2, 1); m.v[0] != 11 || m.v[1] != 12 {
		t.Errorf("middle %v", m.v)
	}
}

// TestPaint checks that a blade stays within its outline and covers its inside.
func TestPaint(t *testing.T) {
	r := rng.New(4)
	for range 50 {
		b := blade{
			x: 30, y: 30, angle: r.Uniform(0, 2*math.Pi), length: r.Uniform(8, 25), half: r.Uniform(1.5, 5),
			faces: [2]float32{1, 1}, cover: 1,
		}
		p := newPlane(60, 60)
		p.paint(b, r)
		c, s := math.Cos(b.angle), math.Sin(b.angle)
		for y := range 60 {
			for x, v := range p.row(y) {
				dx, dy := float64(x)+.5-b.x, float64(y)+.5-b.y
				along, side := dx*c+dy*s, math.Abs(dy*c-dx*s)
				if v != 0 && (along < -.01 || along > b.length+.01 || side > b.half+.51) {
					t.Fatalf("blade %+v covers %d, %d", b, x, y)
				}
				if along > .4*b.length && along < .6*b.length && side < .5 && v < .9 {
					t.Fatalf("blade %+v is %v at %d, %d", b, v, x, y)
				}
			}
		}
	}
}
