package image2image

import (
	"fmt"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// TestFilters checks what each transformation does to a filter of two 3x3 kernels.
func TestFilters(t *testing.T) {
	kernel := []float32{1, 2, 3, 4, 5, 6, 7, 8, -9}
	one := append(slices.Clone(kernel), kernel...)
	want := map[int][]float32{
		0:  {-1, -2, -3, -4, -5, -6, -7, -8, 9},
		1:  make([]float32, 9),
		3:  {3, 2, 1, 6, 5, 4, -9, 8, 7},
		4:  {7, 8, -9, 4, 5, 6, 1, 2, 3},
		5:  {7, 4, 1, 8, 5, 2, -9, 6, 3},
		10: {0, 0, 0, 0, 0, 0, 0, 0, -9},
	}
	sum := func(w []float32) (all float32) {
		for _, v := range w {
			all += v
		}
		return all
	}
	for i, f := range filters {
		w := slices.Clone(one)
		f(w, 3, rng.New(3))
		if slices.Equal(w, one) {
			t.Errorf("transformation %d changes nothing", i)
		}
		if expect, ok := want[i]; ok && (!slices.Equal(w[:9], expect) || !slices.Equal(w[9:], expect)) {
			t.Errorf("transformation %d gives %v, want twice %v", i, w, expect)
		}
		if d := sum(w[9:]) - sum(kernel); i == 11 && max(d, -d) > 1e-4 || i == 6 && d != 0 {
			t.Errorf("transformation %d: the sum of a kernel changed by %v", i, d)
		}
		point := []float32{2, -3}
		f(point, 1, rng.New(1)) // of a 1x1 convolution
	}
}

// TestDistort: equal streams give equal images, others other ones; the network is as it was afterwards.
func TestDistort(t *testing.T) {
	n, err := New([]Tensor{ // three layers, of which the middle one can be distorted
		randomTensor("model.0.weight", 64, 1, 3, 3), randomTensor("model.0.bias", 64),
		randomTensor("model.2.weight", 64, 64, 3, 3), randomTensor("model.2.bias", 64),
		randomTensor("model.4.weight", 1, 64, 3, 3), randomTensor("model.4.bias", 1),
	})
	if err != nil || len(n.body) != 1 {
		t.Fatal(err, len(n.body))
	}
	var s Scratch
	clean := pattern(12, 10)
	n.Apply(clean, 12, 10, &s)
	looks := map[string]bool{fmt.Sprint(clean): true}
	for seed := range 40 {
		var v [2][]float32
		for i, scratch := range []*Scratch{&s, new(Scratch)} {
			v[i] = pattern(12, 10)
			n.Distort(v[i], 12, 10, 2, rng.New(uint64(seed)), scratch)
		}
		if !slices.Equal(v[0], v[1]) {
			t.Errorf("seed %d: two results", seed)
		}
		looks[fmt.Sprint(v[0])] = true
	}
	if len(looks) < 38 {
		t.Errorf("%d looks of 40 images", len(looks))
	}
	again := pattern(12, 10)
	if n.Apply(again, 12, 10, &s); !slices.Equal(again, clean) {
		t.Error("the network is distorted for good")
	}
}

func randomTensor(name string, shape ...int) Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	x := Tensor{name, shape, make([]float32, n)}
	r := rng.NewKey(1).Str(name).Rand()
	for i := range x.Data {
		x.Data[i] = float32(r.Uniform(-0.05, 0.05))
	}
	return x
}

func TestActivations(t *testing.T) {
	for i, f := range activations {
		var s Scratch
		x := s.load(pattern(5, 4), 5, 4)
		x = s.concat(x, x)
		for k := range x.v {
			x.v[k] -= 0.5
		}
		was := slices.Clone(x.v)
		if f(&s, x); slices.Equal(x.v, was) {
			t.Errorf("distortion %d changes nothing", i)
		}
	}
}

// TestDilated compares a convolution with gaps with its sum.
func TestDilated(t *testing.T) {
	l := newNoise2Net().split[0][1]
	l.draw(rng.New(1))
	const w, h = 11, 7
	for gap := 1; gap <= 3; gap++ {
		var s Scratch
		x := s.new(h, w, noiseWidth)
		r := rng.New(2)
		for i := range x.v {
			x.v[i] = float32(r.Float64())
		}
		src := slices.Clone(x.v)
		y := s.dilated(x, l, gap)
		for p := range h * w {
			for o := range l.out {
				sum := 0.0
				for tap := range 9 {
					row, col := p/w+(tap/3-1)*gap, p%w+(tap%3-1)*gap
					if row < 0 || row >= h || col < 0 || col >= w {
						continue
					}
					for c := range l.in {
						sum += float64(src[(row*w+col)*l.in+c]) * float64(l.w[(o*l.in+c)*9+tap])
					}
				}
				if d := float64(y.v[p*l.out+o]) - sum; max(d, -d) > 1e-5 {
					t.Fatalf("gap %d: pixel %d, channel %d is %v from the sum", gap, p, o, d)
				}
			}
		}
	}
}

// TestNoise2Net: equal streams give equal images of any size, others other ones; what comes out differs from the image by about
// as much as eps says.
func TestNoise2Net(t *testing.T) {
	var s Scratch
	mean, std := [3]float32{0.5, 0.5, 0.5}, [3]float32{0.25, 0.25, 0.25}
	for _, size := range [][2]int{{1, 1}, {2, 5}, {17, 12}} {
		w, h := size[0], size[1]
		looks := map[string]bool{}
		for seed := range 8 {
			a, b := pattern(w, h), pattern(w, h)
			Noise2Net(a, w, h, mean, std, rng.New(uint64(seed)), &s)
			Noise2Net(b, w, h, mean, std, rng.New(uint64(seed)), new(Scratch))
			if !slices.Equal(a, b) {
				t.Errorf("%v, seed %d: two results", size, seed)
			}
			looks[fmt.Sprint(a)] = true
			far := 0.0
			for i, v := range pattern(w, h) {
				far += float64(max(a[i]-v, v-a[i]))
			}
			if far /= float64(len(a)); w > 2 && (far < 0.05 || far > 0.4) {
				t.Errorf("%v, seed %d: the mean change is %.2f", size, seed, far)
			}
		}
		if w > 1 && len(looks) != 8 {
			t.Errorf("%v: %d looks of 8 images", size, len(looks))
		}
	}
	v := pattern(16, 16)
	r := rng.New(1)
	for range 60 { // all kernels
		Noise2Net(v, 16, 16, mean, std, r, &s)
	}
	if n := testing.AllocsPerRun(5, func() { Noise2Net(v, 16, 16, mean, std, r, &s) }); n > 0 {
		t.Errorf("%v allocations an image", n)
	}
}
