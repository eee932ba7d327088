package attack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/rng"
)

// slope is the gradient of a linear function with the given coefficients, the same for each image.
func slope(coefficients ...float32) Gradient {
	return func(dst, x []float32, labels []int) error {
		for i := range dst {
			dst[i] = coefficients[i%len(coefficients)]
		}
		return nil
	}
}

func keys(n int) []rng.Key {
	k := make([]rng.Key, n)
	for i := range k {
		k[i] = rng.NewKey(1).Uint(uint64(i))
	}
	return k
}

// On a linear function the best change is known: Eps in the direction of each sign, cut at the pixel range.
func TestLinear(t *testing.T) {
	p := PGD{Norm: LInf, Eps: 0.1, Step: 0.03, Steps: 20, Start: true}
	x := []float32{0.5, 0.5, 0.5, 0.95, 0.5, 0.02}
	dst := make([]float32, 6)
	if err := p.Attack(dst, x, []int{0, 0}, keys(2), slope(2, -0.001, 0), new(Scratch)); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]float32{0: 0.6, 1: 0.4, 3: 1, 4: 0.4} {
		if d := math.Abs(float64(dst[i] - want)); d > 1e-6 {
			t.Errorf("value %d: %v, want %v", i, dst[i], want)
		}
	}
	// A coefficient of 0 leaves the random start, which lies within the ball and the range.
	for _, i := range []int{2, 5} {
		if d := math.Abs(float64(dst[i] - x[i])); d == 0 || d > 0.1+1e-6 || dst[i] < 0 {
			t.Errorf("value %d: %v from %v", i, dst[i], x[i])
		}
	}
}

// Steps by hand: from 0.5 without a random start, up 0.04 three times, held at 0.6.
func TestSteps(t *testing.T) {
	for steps, want := range []float32{1: 0.54, 2: 0.58, 3: 0.6} {
		if steps == 0 {
			continue
		}
		p := PGD{Eps: 0.1, Step: 0.04, Steps: steps}
		dst := make([]float32, 1)
		if err := p.Attack(dst, []float32{0.5}, []int{0}, keys(1), slope(1), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(dst[0]-want)) > 1e-6 {
			t.Errorf("%d steps: %v, want %v", steps, dst[0], want)
		}
	}
}

// The gradient (3, 4) has the direction (0.6, 0.8).
func TestL2(t *testing.T) {
	p := PGD{Norm: L2, Eps: 0.1, Step: 0.05, Steps: 5}
	dst := make([]float32, 2)
	if err := p.Attack(dst, []float32{0.5, 0.5}, []int{0}, keys(1), slope(3, 4), new(Scratch)); err != nil {
		t.Fatal(err)
	}
	if math.Abs(float64(dst[0])-0.56) > 1e-6 || math.Abs(float64(dst[1])-0.58) > 1e-6 {
		t.Errorf("%v, want 0.56 0.58", dst)
	}
}

// A network that is nearly sure has gradients whose length is below what float32 divides by.
func TestL2NearlySure(t *testing.T) {
	p := PGD{Norm: L2, Eps: 0.1, Step: 0.05, Steps: 5}
	for _, c := range []struct{ gradient, want []float32 }{
		{[]float32{3e-42, 0}, []float32{0.6, 0.5}},
		{[]float32{0, -3e-39}, []float32{0.5, 0.4}},
		{[]float32{0, 0}, []float32{0.5, 0.5}},
	} {
		dst := make([]float32, 2)
		if err := p.Attack(dst, []float32{0.5, 0.5}, []int{0}, keys(1), slope(c.gradient...), new(Scratch)); err != nil {
			t.Fatal(err)
		}
		for i, want := range c.want {
			if !(math.Abs(float64(dst[i]-want)) <= 1e-6) {
				t.Errorf("a gradient of %v: %v, want %v", c.gradient, dst, c.want)
				break
			}
		}
	}
}

// The published code's ball lies around the start: changes beyond Eps come out, none beyond 2 Eps.
func TestCentered(t *testing.T) {
	p := PixMix()
	p.Centered = true
	const n = 400
	x, dst, labels := make([]float32, n), make([]float32, n), make([]int, n)
	for i := range x {
		x[i] = 0.5
	}
	if err := p.Attack(dst, x, labels, keys(n), slope(1), new(Scratch)); err != nil {
		t.Fatal(err)
	}
	beyond := 0
	for _, v := range dst {
		d := float64(v) - 0.5
		if d > 2*p.Eps+1e-6 || d < 0 {
			t.Fatalf("a change of %v/255", d*255)
		}
		if d > p.Eps+1e-6 {
			beyond++
		}
	}
	// The start is uniform on +-Eps: half of the changes go beyond Eps.
	if beyond < 160 || beyond > 240 {
		t.Errorf("%d of %d changes beyond the radius, want about half", beyond, n)
	}
}

// An image's result depends on its own key alone.
func TestDeterminism(t *testing.T) {
	p := PixMix()
	x := []float32{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	a, b := make([]float32, 6), make([]float32, 3)
	if err := p.Attack(a, x, []int{0, 0}, keys(2), slope(0), new(Scratch)); err != nil {
		t.Fatal(err)
	}
	if err := p.Attack(b, x[3:], []int{0}, keys(2)[1:], slope(0), new(Scratch)); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		if a[3+i] != b[i] {
			t.Errorf("value %d: %v in a batch, %v alone", i, a[3+i], b[i])
		}
	}
}

func TestErrors(t *testing.T) {
	for _, p := range []PGD{
		{},
		{Eps: 0.1, Step: 0.1},
		{Eps: math.NaN(), Step: 0.1, Steps: 1},
		{Eps: 0.1, Step: math.Inf(1), Steps: 1},
		{Eps: 1e39, Step: 0.1, Steps: 1, Norm: L2, Start: true},
		{Eps: 0.1, Step: 1e39, Steps: 1},
		{Eps: 0.1, Step: 0.1, Steps: 1, Norm: 2},
		{Eps: 0.1, Step: 0.1, Steps: 1, Centered: true},
		{Eps: 0.1, Step: 0.1, Steps: 1, Centered: true, Start: true, Norm: L2},
	} {
		if err := p.Check(); !errors.Is(err, ErrOption) {
			t.Errorf("%+v: %v", p, err)
		}
		if err := p.Attack(make([]float32, 1), []float32{0}, []int{0}, keys(1), slope(1), new(Scratch)); !errors.Is(err, ErrOption) {
			t.Errorf("an attack with %+v: %v", p, err)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		norm     Norm
		gradient float32
	}{{LInf, nan}, {L2, nan}, {L2, inf}} {
		p := PGD{Norm: c.norm, Eps: 0.1, Step: 0.1, Steps: 1}
		err := p.Attack(make([]float32, 1), []float32{0}, []int{0}, keys(1), slope(c.gradient), new(Scratch))
		if !errors.Is(err, ErrOption) {
			t.Errorf("%v: a gradient of %v gives %v", c.norm, c.gradient, err)
		}
	}
	if err := PixMix().Attack(make([]float32, 1), []float32{0}, []int{0}, keys(1), nil, new(Scratch)); !errors.Is(err, ErrOption) {
		t.Errorf("no gradient: %v", err)
	}
	own := errors.New("own")
	fails := func(_, _ []float32, _ []int) error { return own }
	if err := PixMix().Attack(make([]float32, 1), []float32{0}, []int{0}, keys(1), fails, new(Scratch)); !errors.Is(err, own) {
		t.Errorf("%v", err)
	}
}

func ExamplePGD_Attack() {
	// A "network" whose loss grows with the first value and falls with the second.
	grad := func(dst, x []float32, labels []int) error {
		copy(dst, []float32{1, -1})
		return nil
	}
	p := PGD{Eps: 0.25, Step: 0.125, Steps: 4}
	dst := make([]float32, 2)
	if err := p.Attack(dst, []float32{0.5, 0.125}, []int{0}, make([]rng.Key, 1), grad, new(Scratch)); err != nil {
		panic(err)
	}
	fmt.Println(dst)
	// Output: [0.75 0]
}

// TestWorkers: the number of goroutines changes nothing, and with one the images are gone through in order.
func TestWorkers(t *testing.T) {
	const n = 50
	x, labels := make([]float32, n), make([]int, n)
	var got [2][]float32
	for i, workers := range []int{0, 1} {
		got[i] = make([]float32, n)
		if err := PixMix().Attack(got[i], x, labels, keys(n), slope(1), &Scratch{Workers: workers}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got[0], got[1]) {
		t.Error("other images with one worker")
	}
	err := PixMix().Attack(got[0], x, labels, keys(n), slope(float32(math.NaN())), &Scratch{Workers: 1})
	if !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "image 0 ") {
		t.Error(err)
	}
}
