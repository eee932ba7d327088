package metrics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func newStability(t testing.TB, name string, difficulty int) *Stability {
	t.Helper()
	s, err := NewStability(name, difficulty)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFlipsByHand(t *testing.T) {
	video := []int{1, 1, 2, 1, 2, 2}
	for _, c := range []struct {
		name       string
		difficulty int
		want       float64
	}{
		{Rotate, 1, 3. / 5},        // 11 12 21 12 22
		{Rotate, 2, 2. / 4},        // 12 11 22 12
		{Rotate, 5, 1},             // 12
		{GaussianNoise, 1, 3. / 5}, // against 1: 1 2 1 2 2
		{GaussianNoise, 3, 3. / 5}, // the difficulty of noise is another file
	} {
		s := newStability(t, c.name, c.difficulty)
		v, err := s.AddPredictions(0, video)
		if err != nil || v.Flip != c.want {
			t.Errorf("%s, difficulty %d: %v, %v, want %v", c.name, c.difficulty, v.Flip, err, c.want)
		}
		if _, err := s.AddPredictions(1, []int{3, 3, 3, 3, 3, 3}); err != nil {
			t.Fatal(err)
		}
		near(t, "mean over videos", value(t)(s.FlipProbability()), c.want/2, 1e-15)
		if _, err := s.Top5Distance(); !errors.Is(err, ErrUndefined) {
			t.Errorf("top-5 distance of predictions: %v", err)
		}
	}
}

// logitsOf returns logits whose ranking is the given order of classes.
func logitsOf(order ...int) []float64 {
	z := make([]float64, len(order))
	for i, c := range order {
		z[c] = -float64(i)
	}
	return z
}

func TestDistancesByHand(t *testing.T) {
	a := logitsOf(0, 1, 2, 3, 4, 5, 6)
	b := logitsOf(1, 0, 2, 3, 6, 5, 4) // 0 and 1 swapped: 1+1; class 4 goes from rank 5 to 7, which counts as 6: 1
	s := newStability(t, Tilt, 1)
	s.MeasureZipf()
	v, err := AddVideo(s, 0, slices.Concat(a, b), 7)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "top-5", v.Top5, 3, 0)
	zipf := 0.5*1 + 0.5*0.5 + (1./5-1./7)/5 + (1./5-1./7)/7 // classes 0, 1, 4, 6
	near(t, "Zipf", v.Zipf, zipf, 1e-15)
	if v.Flip != 1 {
		t.Errorf("flip %v", v.Flip)
	}
	// The whole top five leaves: 5+4+3+2+1.
	c := logitsOf(5, 6, 7, 8, 9, 0, 1, 2, 3, 4)
	d := logitsOf(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	v, err = AddVideo(newStability(t, Tilt, 1), 0, slices.Concat(c, d), 10)
	if err != nil || v.Top5 != maxTop5 || !math.IsNaN(v.Zipf) {
		t.Errorf("%+v, %v", v, err)
	}
	near(t, "over both videos", value(t)(s.Top5Distance()), 3, 0)
}

// naiveDistances ranks by sorting.
func naiveDistances(ref, other []float32) (top5, zipf float64) {
	ranks := func(z []float32) []int {
		order := make([]int, len(z))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case z[a] > z[b]:
				return -1
			case z[a] < z[b]:
				return 1
			}
			return 0
		})
		r := make([]int, len(z))
		for i, c := range order {
			r[c] = i + 1
		}
		return r
	}
	a, b := ranks(ref), ranks(other)
	for c := range a {
		if a[c] <= 5 {
			top5 += math.Abs(float64(a[c] - min(b[c], 6)))
		}
		zipf += math.Abs(1/float64(a[c])-1/float64(b[c])) / float64(a[c])
	}
	return top5, zipf
}

func TestDistancesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(5, 30).Draw(t, "classes")
		frames := rapid.IntRange(4, 9).Draw(t, "frames")
		difficulty := rapid.IntRange(1, 3).Draw(t, "difficulty")
		name := rapid.SampledFrom([]string{Rotate, ShotNoise}).Draw(t, "name")
		z := make([]float32, classes*frames)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for i := range z {
			z[i] = float32(r.IntN(12)) // ties
		}
		s, err := NewStability(name, difficulty)
		if err != nil {
			t.Fatal(err)
		}
		s.MeasureZipf()
		v, err := AddVideo(s, 0, z, classes)
		if err != nil {
			t.Fatal(err)
		}
		frame := func(f int) []float32 { return z[f*classes:][:classes] }
		var top5, zipf, pairs float64
		for f := 1; f < frames; f++ {
			ref := 0
			if name == Rotate {
				if ref = f - difficulty; ref < 0 {
					continue
				}
			}
			a, b := naiveDistances(frame(ref), frame(f))
			top5, zipf, pairs = top5+a, zipf+b, pairs+1
		}
		if math.Abs(v.Top5-top5/pairs) > 1e-12 || math.Abs(v.Zipf-zipf/pairs) > 1e-12 || v.Zipf > maxZipf {
			t.Fatalf("%+v, want %v, %v", v, top5/pairs, zipf/pairs)
		}
	})
}

// TestStabilityZero: the zero value compares each frame with the one before.
func TestStabilityZero(t *testing.T) {
	var zero Stability
	one, err := NewStability("rotate", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Stability{&zero, one} {
		if v, err := s.AddPredictions(0, []int{1, 2, 2, 1}); err != nil || v.Flip != 2.0/3 {
			t.Errorf("%v, %v", v, err)
		}
	}
}

func TestStabilityMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	one := newStability(t, Scale, 1)
	parts := []*Stability{newStability(t, Scale, 1), newStability(t, Scale, 1), newStability(t, Scale, 1)}
	for v := range 20 {
		z := make([]float64, 6*8)
		for i := range z {
			z[i] = r.NormFloat64()
		}
		if _, err := AddVideo(one, v, z, 8); err != nil {
			t.Fatal(err)
		}
		if _, err := AddVideo(parts[v%3], v, z, 8); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(parts[2].Merge(parts[0]), parts[2].Merge(parts[1])); err != nil {
		t.Fatal(err)
	}
	get := value(t)
	if get(one.Top5Distance()) != get(parts[2].Top5Distance()) ||
		get(one.FlipProbability()) != get(parts[2].FlipProbability()) {
		t.Error("merged differs from one pass")
	}
	if one.N() != 20 || parts[2].N() != 20 {
		t.Error(one.N(), parts[2].N())
	}
	if err := one.Merge(newStability(t, Scale, 2)); !errors.Is(err, ErrOption) {
		t.Errorf("merging difficulties: %v", err)
	}
}

func TestStabilityRefuses(t *testing.T) {
	for _, flip := range []float64{math.NaN(), -0.1, 1.1} {
		func() {
			defer func() {
				if said := recover(); said != fmt.Sprintf("metrics: a video with Flip %v (allowed: 0 to 1)", flip) {
					t.Errorf("a video with Flip %v: panic %v", flip, said)
				}
			}()
			new(Stability).Add(Video{Flip: flip})
		}()
	}
	for _, d := range []int{0, -1, 1001} {
		if _, err := NewStability(Rotate, d); !errors.Is(err, ErrOption) {
			t.Errorf("difficulty %d: %v", d, err)
		}
	}
	s := newStability(t, Rotate, 2)
	if _, err := s.FlipProbability(); !errors.Is(err, ErrUndefined) {
		t.Errorf("no videos: %v", err)
	}
	if _, err := s.AddPredictions(9, []int{1, 2}); !errors.Is(err, ErrLength) ||
		!strings.Contains(err.Error(), "video 9") {
		t.Errorf("two frames at difficulty 2: %v", err)
	}
	if _, err := s.AddPredictions(9, []int{1, -1, 2}); !errors.Is(err, ErrLabel) {
		t.Errorf("class -1: %v", err)
	}
	if _, err := AddVideo(s, 9, []float32{1, 2, 3}, 2); !errors.Is(err, ErrLength) {
		t.Errorf("three logits of two classes: %v", err)
	}
	if _, err := AddVideo(s, 9, []float32{1}, 0); !errors.Is(err, ErrLength) {
		t.Errorf("no classes: %v", err)
	}
	_, err := AddVideo(s, 9, []float64{1, 2, 3, 4, 5, math.NaN()}, 2)
	var row *RowError
	if !errors.Is(err, ErrLogit) || !errors.As(err, &row) || row.Row != 2 || row.Class != 1 ||
		!strings.Contains(err.Error(), "video 9") {
		t.Errorf("NaN: %v", err)
	}
	if s.N() != 0 {
		t.Error("refused videos were counted")
	}
	if _, err := AddVideo(s, 0, []float64{1, 2, 3, 4, 5, 6}, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Top5Distance(); !errors.Is(err, ErrUndefined) {
		t.Errorf("top-5 distance of two classes: %v", err)
	}
	if _, err := s.ZipfDistance(); !errors.Is(err, ErrUndefined) {
		t.Errorf("Zipf distance that was not asked for: %v", err)
	}
}

func TestAddVideoDoesNotAllocate(t *testing.T) {
	z, _ := benchLogits(10, 100)
	s := newStability(t, Snow, 1)
	s.MeasureZipf()
	run := func() {
		if _, err := AddVideo(s, 0, z, 100); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(50, run); n > 0 {
		t.Errorf("%v allocations a video", n)
	}
}

func TestAgreement(t *testing.T) {
	one, err := NewAgreement(3)
	if err != nil {
		t.Fatal(err)
	}
	half, err := NewAgreement(3)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range [][3]int{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {2, 1, 1}, {NoLabel, 2, 0}, {
		NoLabel,
		2, 2,
	}} {
		g := one
		if i%2 == 0 {
			g = half
		}
		if err := g.Add(i, r[0], r[1], r[2]); err != nil {
			t.Fatal(err)
		}
	}
	if err := one.Merge(half); err != nil {
		t.Fatal(err)
	}
	near(t, "agreement", value(t)(one.Rate()), 3./7, 1e-15)
	if got, want := one.Right(), (Right{Both: 1, OnlyA: 1, OnlyB: 1, Neither: 2}); got != want {
		t.Errorf("right: %+v, want %+v", got, want)
	}
	if got, want := one.Flips(), []Flip{{0, 1, 3}, {2, 0, 1}}; !slices.Equal(got, want) {
		t.Errorf("flips: %v, want %v", got, want)
	}
	if got, want := one.Matrix(), []Flip{{0, 0, 1}, {0, 1, 3}, {1, 1, 1}, {2, 0, 1}, {
		2, 2,
		1,
	}}; !slices.Equal(got, want) {
		t.Errorf("matrix: %v, want %v", got, want)
	}
	if one.Count(0, 1) != 3 || one.Count(1, 0) != 0 || one.Count(-1, 5) != 0 || one.N() != 7 {
		t.Error("counts")
	}
	for _, r := range [][3]int{{3, 0, 0}, {0, 3, 0}, {0, 0, -1}, {0, -1, 0}, {-2, 0, 0}} {
		if err := one.Add(8, r[0], r[1], r[2]); !errors.Is(err, ErrLabel) || !strings.Contains(err.Error(), "row 8") {
			t.Errorf("row %v: %v", r, err)
		}
	}
	other, err := NewAgreement(4)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Merge(other); !errors.Is(err, ErrLength) {
		t.Errorf("merging 3 with 4 classes: %v", err)
	}
	if _, err := other.Rate(); !errors.Is(err, ErrUndefined) {
		t.Errorf("agreement of no rows: %v", err)
	}
	if _, err := NewAgreement(0); !errors.Is(err, ErrOption) {
		t.Errorf("no classes: %v", err)
	}
}
