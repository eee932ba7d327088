package mix

import (
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func TestMixupArithmetic(t *testing.T) {
	m := &Mixup{Alpha: 1}
	a, b := one(100, 0, 255), one(0, 200, 255)
	d := PairDraw{Weight: 0.25}
	dst := new(raster.Image)
	m.ApplyPair(dst, a, b, &d)
	if got, want := dst.At(0, 0), (raster.RGB{R: 25, G: 150, B: 255}); got != want {
		t.Errorf("bytes are %v, want %v", got, want)
	}
	planes := []float32{-1, 0.5, 2}
	m.ApplyPairPlanes(planes, planes, []float32{1, 0.5, -2}, 1, 1, &d)
	if want := []float32{0.5, 0.5, -1}; !slices.Equal(planes, want) {
		t.Errorf("planes are %v, want %v", planes, want)
	}
}

// Boxes worked by hand: the side is trunc(sqrt(1-lambda)*side), halved by integer division on both sides of the center.
func TestCutMixBox(t *testing.T) {
	for _, c := range []struct {
		lambda     float64
		x, y, w, h int
		want       image.Rectangle
		weight     float64
	}{
		{0.75, 16, 16, 32, 32, image.Rect(8, 8, 24, 24), 0.75},
		{0.75, 0, 31, 32, 32, image.Rect(0, 23, 8, 32), 1 - 72./1024},
		{0, 16, 16, 32, 32, image.Rect(0, 0, 32, 32), 0},
		{0, 0, 0, 32, 32, image.Rect(0, 0, 16, 16), 0.75},
		{1, 5, 5, 32, 32, image.Rect(5, 5, 5, 5), 1},
		{0.5, 3, 2, 10, 6, image.Rect(0, 0, 6, 4), 1 - 24./60}, // 7.07 and 4.24: 7 and 4, 3 and 2 on each side
	} {
		d := cutMixDraw(c.lambda, c.x, c.y, c.w, c.h)
		if d.Box != c.want || math.Abs(float64(d.Weight)-c.weight) > 1e-6 {
			t.Errorf("lambda %v at %d,%d of %dx%d: %+v, want %+v with weight %v", c.lambda, c.x, c.y, c.w, c.h, d, c.want, c.weight)
		}
	}
	a, b := raster.New(5, 4), raster.New(5, 4)
	b.Fill(raster.RGB{R: 9, G: 8, B: 7})
	d := PairDraw{Weight: 0.7, Box: image.Rect(1, 2, 4, 4)}
	dst, planes := new(raster.Image), make([]float32, 60)
	ones := slices.Repeat([]float32{1}, 60)
	m := &CutMix{Alpha: 1, Prob: 1}
	m.ApplyPair(dst, a, b, &d)
	m.ApplyPairPlanes(planes, planes, ones, 5, 4, &d)
	for i := range 20 {
		in := i%5 >= 1 && i%5 < 4 && i/5 >= 2
		if (dst.At(i%5, i/5).R == 9) != in || (planes[20+i] == 1) != in {
			t.Errorf("pixel %d,%d: in the box %v, byte %v, plane %v", i%5, i/5, in, dst.At(i%5, i/5), planes[20+i])
		}
	}
}

func TestPairDistributions(t *testing.T) {
	const n = 20000
	r := rng.New(2)
	var weights, inner []float64
	always := &CutMix{Alpha: 1, Prob: 1}
	xs, applied := map[int]int{}, map[bool]int{}
	mixup, cut := &Mixup{Alpha: 0.5}, &CutMix{Alpha: 1, Prob: 0.5}
	for range n {
		weights = append(weights, float64(mixup.DrawPair(8, 8, r).Weight))
		applied[cut.DrawPair(1000, 1000, r).Weight < 1]++
		// In the middle of a huge image, what is left is lambda.
		if d := always.DrawPair(1<<14, 1<<14, r); d.Box.Min.X > 0 && d.Box.Min.Y > 0 && d.Box.Max.X < 1<<14 && d.Box.Max.Y < 1<<14 {
			inner = append(inner, 1-float64(d.Weight))
		}
	}
	ks(t, "mixup's weight", weights, distuv.Beta{Alpha: 0.5, Beta: 0.5})
	// A box with the share a of the area lies within with probability (1-sqrt(a))^2, and a is uniform: so the density
	// of those that do is 6(1-sqrt(a))^2, and sqrt(a) is Beta(2, 3).
	for i := range inner {
		inner[i] = math.Sqrt(inner[i])
	}
	ks(t, "the side of unclipped boxes", inner, distuv.Beta{Alpha: 2, Beta: 3})
	if share := float64(applied[true]) / n; share < 0.48 || share > 0.51 {
		t.Errorf("a share of %v is cut, want a half", share)
	}
	// The center is uniform: so is the middle of the boxes that no border clips, in a wide image.
	for range n {
		if d := always.DrawPair(1000, 1000, r); d.Box.Dx() > 0 && d.Box.Dx() < 200 && d.Box.Min.X > 0 && d.Box.Max.X < 1000 {
			if c := d.Box.Min.X + d.Box.Dx()/2; c >= 100 && c < 900 {
				xs[(c-100)/100]++
			}
		}
	}
	chiSquare(t, "centers", xs, 8)
}

// trainStep is a batch of n images of side pixels with labels i%classes.
func trainStep(n, side, classes int) (*TrainStep, int) {
	in := &TrainStep{Images: benchImages(n, side), Classes: classes, Norm: &Half, Key: rng.NewKey(77)}
	for i := range n {
		in.Labels = append(in.Labels, i%classes)
		in.Keys = append(in.Keys, rng.NewKey(5).Uint(uint64(i)))
	}
	return in, 3 * side * side
}

// mustMethod returns a method with a mixing set.
func mustMethod(t testing.TB, spec string) *Method {
	t.Helper()
	m, err := ParseMethod(spec, Options{MixingSet: imageList(benchImages(7, 48)), Styles: testStyles(t), Network: testNetwork(t), Corruptions: findInvert})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mustParse returns a method that needs no partner, with a mixing set.
func mustParse(t testing.TB, spec string) Augmentation {
	t.Helper()
	a, err := mustMethod(t, spec).Augmentation()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// chained are specs that take every path from one stage to the next.
var chained = []string{
	"standard+augmix", "pixmix-k4-b3+cutmix", "augmix-m3-w3-d-1+mixup-a1", "standard-p4+cutout-s8", "mixup-a1+cutmix-p0.5",
	"standard+mixup-a0.2-each+autoaugment-svhn+cutmix-each", "pixmix+gaussian-p1+cutout-s4", "randaugment+none+trivialaugment",
	"cutout+pixmix", "gaussian-p1+standard+speckle-p1", "mixup+gaussian-p1-s0.1+randaugment", "patchgaussian+patchuniform+randomerasing-p1",
}

// Where no stage needs a partner, Train is Views with one-hot targets.
func TestTrainWithoutPartners(t *testing.T) {
	in, size := trainStep(5, 12, 3)
	m := mustParse(t, "standard+augmix+cutout-s4")
	var b Batch
	for _, views := range []int{1, 3} {
		in.Views, in.Clean = views, views/3
		dst, want, targets := make([]float32, views*5*size), make([]float32, views*5*size), make([]float32, 15)
		b.Train(mustMethod(t, m.String()), dst, targets, in)
		b.Views(m, want, in.Images, in.Norm, in.Keys, in.Clean, views)
		if !slices.Equal(dst, want) {
			t.Errorf("%d views differ from those of Views", views)
		}
		for i, w := range []float32{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0} {
			if targets[i] != w {
				t.Fatalf("target %d is %v", i, targets[i])
			}
		}
	}
	in.Views, in.Clean = 0, 0
	dst, want, targets := make([]float32, 5*size), make([]float32, 5*size), make([]float32, 15)
	b.Train(mustMethod(t, m.String()), dst, targets, in)
	b.ApplyPlanes(m, want, in.Images, in.Norm, in.Keys)
	if !slices.Equal(dst, want) {
		t.Error("one view differs from that of ApplyPlanes")
	}
}

// The reference semantics of Mixup: one weight and one permutation for the batch, for pixels and labels alike.
func TestTrainMixup(t *testing.T) {
	const n, classes = 6, 4
	in, size := trainStep(n, 9, classes)
	for _, each := range []bool{false, true} {
		m, err := NewMethod(&Mixup{Alpha: 1, Each: each})
		if err != nil {
			t.Fatal(err)
		}
		var b Batch
		dst, targets := make([]float32, n*size), make([]float32, n*classes)
		b.Train(m, dst, targets, in)
		r := in.Key.Str("pair").Uint(0).Rand()
		perm := make([]int, n)
		r.Perm(perm)
		clean := make([]float32, n*size)
		b.ApplyPlanes(None{}, clean, in.Images, in.Norm, in.Keys)
		lambda := float32(r.Beta(1, 1))
		for i := range n {
			if each && i > 0 {
				lambda = float32(r.Beta(1, 1))
			}
			for k := range size {
				want := float64(lambda)*float64(clean[i*size+k]) + (1-float64(lambda))*float64(clean[perm[i]*size+k])
				if math.Abs(float64(dst[i*size+k])-want) > 1e-6 {
					t.Fatalf("value %d of image %d is %v, want %v", k, i, dst[i*size+k], want)
				}
			}
			want := make([]float32, classes)
			want[i%classes] += lambda
			want[perm[i]%classes] += 1 - lambda
			var sum float32
			for k, w := range want {
				sum += targets[i*classes+k]
				if math.Abs(float64(targets[i*classes+k]-w)) > 1e-6 {
					t.Fatalf("targets of image %d are %v, want %v", i, targets[i*classes:][:classes], want)
				}
			}
			if math.Abs(float64(sum)-1) > 1e-6 {
				t.Fatalf("targets of image %d sum to %v", i, sum)
			}
		}
	}
}

// Views of a step are mixed with the same partners in the same way, the clean one too.
func TestTrainViewsShareTargets(t *testing.T) {
	const n = 4
	in, size := trainStep(n, 10, n)
	in.Views, in.Clean = 3, 1
	var b Batch
	dst, targets := make([]float32, 3*n*size), make([]float32, n*n)
	b.Train(mustMethod(t, "none+cutmix"), dst, targets, in)
	for v := 1; v < 3; v++ {
		if !slices.Equal(dst[:n*size], dst[v*n*size:][:n*size]) {
			t.Errorf("view %d of none+cutmix is not view 0", v)
		}
	}
	b.Train(mustMethod(t, "augmix+cutmix"), dst, targets, in)
	plain := make([]float32, 3*n*size)
	b.Views(NewAugMix(), plain, in.Images, in.Norm, in.Keys, 1, 3)
	for i := range n { // outside the box a view is what it is without a partner
		own := targets[i*n+i]
		for v := range 3 {
			same := 0
			for k := range size {
				if math.Abs(float64(dst[(v*n+i)*size+k]-plain[(v*n+i)*size+k])) < 1e-5 {
					same++
				}
			}
			if got := float32(same) / float32(size); got < own-1e-6 {
				t.Errorf("view %d of image %d keeps a share of %v, its label %v", v, i, got, own)
			}
		}
	}
}

// The output does not depend on the number of workers, and order matters.
func TestTrainDoesNotDependOnWorkers(t *testing.T) {
	const n = 11
	for _, spec := range chained {
		m := mustMethod(t, spec)
		in, size := trainStep(n, 17, 3)
		in.Views, in.Clean = 3, 1
		var want, wantTargets []float32
		for _, workers := range []int{1, 2, 7} {
			b := Batch{Workers: workers}
			dst, targets := make([]float32, 3*n*size), make([]float32, 3*n)
			b.Train(m, dst, targets, in)
			again, targets2 := make([]float32, 3*n*size), make([]float32, 3*n)
			b.Train(m, again, targets2, in)
			if !slices.Equal(dst, again) || !slices.Equal(targets, targets2) {
				t.Errorf("%s: the same step twice differs", spec)
			}
			if want == nil {
				want, wantTargets = dst, targets
			} else if !slices.Equal(dst, want) || !slices.Equal(targets, wantTargets) {
				t.Errorf("%s: %d workers give something else", spec, workers)
			}
		}
		for i := range n {
			var sum float64
			for _, v := range wantTargets[3*i:][:3] {
				sum += float64(v)
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("%s: targets of image %d sum to %v", spec, i, sum)
			}
		}
		if slices.ContainsFunc(want, func(v float32) bool { return !(v >= -1.0001 && v <= 1.0001) }) {
			t.Errorf("%s: values outside the range of the normalization", spec)
		}
	}
}

// partnerFrom fetches from a list, by key alone.
func partnerFrom(list []*raster.Image) func(*raster.Image, rng.Key) (int, error) {
	return func(dst *raster.Image, key rng.Key) (int, error) {
		r := key.Str("which").Rand()
		i := r.IntN(len(list))
		dst.CopyFrom(list[i])
		return i, nil
	}
}

func TestApplySample(t *testing.T) {
	list := benchImages(5, 16)
	var s Scratch
	for _, spec := range chained {
		m := mustMethod(t, spec)
		for seed := range uint64(20) {
			in := Sample{Image: list[1], Label: 1, Key: rng.NewKey(seed), Partner: partnerFrom(list)}
			dst, planes := new(raster.Image), make([]float32, 3*16*16)
			target, err := m.Apply(dst, &in, nil, &s)
			if err != nil {
				t.Fatal(err)
			}
			targetAgain, err := m.ApplyPlanes(planes, &in, &Unit, nil, &s)
			if err != nil || !slices.Equal(target, targetAgain) {
				t.Fatalf("%s: targets %v and %v (%v)", spec, target, targetAgain, err)
			}
			var sum float64
			for _, sh := range target {
				sum += float64(sh.Weight)
			}
			if math.Abs(sum-1) > 1e-5 || len(target) == 0 {
				t.Errorf("%s: target %v", spec, target)
			}
			if !m.NeedsPartner() {
				alone, r := new(raster.Image), in.Key.Rand()
				mustParse(t, spec).Apply(alone, in.Image, &r, &s)
				if !raster.Equal(alone, dst) {
					t.Errorf("%s: Apply of a sample is not that of the method", spec)
				}
			}
			if !strings.Contains(spec, "cutout") && !strings.Contains(spec, "rand") { // whose fill or rounding differ
				mustRound(t, dst, planes)
			}
		}
	}
	if _, err := mustMethod(t, "cutmix").Apply(new(raster.Image), &Sample{Image: list[0]}, nil, &s); !errors.Is(err, ErrPartner) {
		t.Errorf("without a partner: %v", err)
	}
	in := Sample{Image: list[0], Partner: partnerFrom(benchImages(1, 20))}
	if _, err := mustMethod(t, "mixup").Apply(new(raster.Image), &in, nil, &s); !errors.Is(err, ErrPartner) ||
		!strings.Contains(err.Error(), "16x16 and one of 20x20") {
		t.Errorf("a partner of another size: %v", err)
	}
}

func TestTarget(t *testing.T) {
	a := Target(nil).Hard(3)
	got := a.Blend(Target{{1, 0.5}, {3, 0.5}}, 0.5)
	if want := (Target{{3, 0.75}, {1, 0.25}}); !slices.Equal(got, want) {
		t.Errorf("blend is %v, want %v", got, want)
	}
	dense := make([]float32, 5)
	got.Dense(dense)
	if want := []float32{0, 0.25, 0, 0.75, 0}; !slices.Equal(dense, want) {
		t.Errorf("dense is %v, want %v", dense, want)
	}
	if got := (Target{}).Hard(2).Blend(Target{{4, 1}}, 1); !slices.Equal(got, Target{{2, 1}}) {
		t.Errorf("all of the own label is %v", got)
	}
	if got := (Target{}).Hard(2).Blend(nil, 0.5); len(got) != 0 {
		t.Errorf("half of no label is %v", got)
	}
	if len(Target(nil).Hard(-1)) != 0 {
		t.Error("no label is not empty")
	}
}
