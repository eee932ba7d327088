package mix

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The mixture lies between the smallest and the largest of the original and the chain ends, value by value.
func TestMixStaysInConvexHull(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := &AugMix{
			Severity: rapid.Float64Range(0.1, 10).Draw(t, "m"),
			Width:    rapid.IntRange(1, 8).Draw(t, "w"),
			Depth:    rapid.SampledFrom([]int{-1, 1, 2, 5}).Draw(t, "d"),
			Alpha:    rapid.SampledFrom([]float64{0.01, 0.3, 1, 20}).Draw(t, "a"),
			AllOps:   rapid.Bool().Draw(t, "all"),
		}
		src := benchImages(1, rapid.IntRange(6, 40).Draw(t, "side"))[0]
		r := rng.New(rapid.Uint64().Draw(t, "seed"))
		var s Scratch
		var d Draw
		a.DrawTo(&d, src.W, src.H, r, &s)
		dst := new(raster.Image)
		a.Replay(dst, src, &d, &s)
		planes := make([]float32, 3*src.W*src.H)
		a.ReplayPlanes(planes, src, &Unit, &d, &s)
		chains := a.Chains(src, &d, &s)
		for i, v := range dst.Pix {
			lo, hi := src.Pix[i], src.Pix[i]
			for _, c := range chains {
				lo, hi = min(lo, c.Pix[i]), max(hi, c.Pix[i])
			}
			if v < lo || v > hi {
				t.Fatalf("byte %d is %d, outside %d..%d", i, v, lo, hi)
			}
			if i%4 == 3 {
				continue
			}
			f := float64(planes[i%4*src.W*src.H+i/4]) * 255
			if f < float64(lo)-1e-3 || f > float64(hi)+1e-3 || math.Abs(f-float64(v)) > 0.5001 {
				t.Fatalf("value %d is %v in planes and %d in bytes, hull %d..%d", i, f, v, lo, hi)
			}
		}
	})
}

func TestDrawDistributions(t *testing.T) {
	const n = 30000
	a := NewAugMix()
	r := rng.New(11)
	var s Scratch
	var d Draw
	depths, ops, signs := map[int]int{}, map[string]int{}, 0
	signed := 0
	var ms, ws []float64
	for range n {
		a.DrawTo(&d, 32, 32, r, &s)
		var sum float64
		for _, w := range d.Weights {
			sum += float64(w)
		}
		if math.Abs(sum-1) > 1e-6 || len(d.Weights) != 3 {
			t.Fatalf("weights %v sum to %v", d.Weights, sum)
		}
		ms, ws = append(ms, float64(d.M)), append(ws, float64(d.Weights[0]))
		from := 0
		for _, end := range d.Ends {
			depths[end-from]++
			from = end
		}
		for _, st := range d.Steps {
			ops[st.Op.Name]++
			if st.Op.Name == "shear_x" {
				signed++
				if st.Value < 0 {
					signs++
				}
				if v := math.Abs(st.Value); v < 0.003 || v >= 0.09 {
					t.Fatalf("shear %v outside [0.003, 0.09)", st.Value)
				}
			}
		}
	}
	chiSquare(t, "depths", depths, 3)
	chiSquare(t, "operations", ops, 9)
	if z := (float64(signs) - float64(signed)/2) / math.Sqrt(float64(signed)/4); math.Abs(z) > 4 {
		t.Errorf("%d of %d shears are negative, z = %.1f", signs, signed, z)
	}
	// Beta(1,1) is uniform; a component of Dirichlet(1,1,1) is Beta(1,2). The 99.9 % bound of sqrt(n)*D is 1.95.
	ks(t, "m", ms, distuv.Beta{Alpha: 1, Beta: 1})
	ks(t, "w", ws, distuv.Beta{Alpha: 1, Beta: 2})
}

func chiSquare[K comparable](t *testing.T, what string, counts map[K]int, cells int) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	var chi2 float64
	for _, c := range counts {
		e := float64(total) / float64(cells)
		chi2 += (float64(c) - e) * (float64(c) - e) / e
	}
	if bound := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.999); len(counts) != cells || chi2 > bound {
		t.Errorf("%s are not uniform over %d: %v, chi-square %.1f > %.1f", what, cells, counts, chi2, bound)
	}
}

func ks(t *testing.T, what string, xs []float64, d interface{ CDF(float64) float64 }) {
	t.Helper()
	slices.Sort(xs)
	var worst float64
	n := float64(len(xs))
	for i, x := range xs {
		c := d.CDF(x)
		worst = max(worst, math.Abs(c-float64(i)/n), math.Abs(c-float64(i+1)/n))
	}
	if s := worst * math.Sqrt(n); s > 1.95 {
		t.Errorf("%s is not %T%+v: sqrt(n)*D = %.2f", what, d, d, s)
	}
}

func TestBatchDoesNotDependOnWorkers(t *testing.T) {
	srcs := benchImages(23, 33)
	keys := make([]rng.Key, len(srcs))
	for i := range keys {
		keys[i] = rng.NewKey(9).Uint(uint64(i))
	}
	m := NewAugMix()
	var wantBytes []*raster.Image
	var wantViews []float32
	for _, workers := range []int{1, 2, 7} {
		b := Batch{Workers: workers}
		dsts := make([]*raster.Image, len(srcs))
		for i := range dsts {
			dsts[i] = new(raster.Image)
		}
		views := make([]float32, 3*len(srcs)*3*33*33)
		b.Apply(m, dsts, srcs, keys)
		b.Views(m, views, srcs, &Half, keys, 1, 3)
		if wantBytes == nil {
			wantBytes, wantViews = dsts, views
			continue
		}
		for i := range dsts {
			if !raster.Equal(dsts[i], wantBytes[i]) {
				t.Errorf("image %d differs with %d workers", i, workers)
			}
		}
		if !slices.Equal(views, wantViews) {
			t.Errorf("views differ with %d workers", workers)
		}
	}
}

func TestViews(t *testing.T) {
	srcs := benchImages(2, 8)
	keys := []rng.Key{rng.NewKey(1), rng.NewKey(2)}
	const size = 3 * 8 * 8
	var b Batch
	m := NewAugMix()
	views := make([]float32, 3*2*size)
	b.Views(m, views, srcs, &Half, keys, 1, 3)
	at := func(v, i int) []float32 { return views[(v*2+i)*size:][:size] }
	clean := make([]float32, size)
	var s Scratch
	for i, src := range srcs {
		None{}.ApplyPlanes(clean, src, &Half, nil, &s)
		if !slices.Equal(at(0, i), clean) {
			t.Errorf("view 0 of image %d is not clean", i)
		}
		if slices.Equal(at(1, i), at(2, i)) || slices.Equal(at(1, i), clean) {
			t.Errorf("the views of image %d are not independent mixtures", i)
		}
		one := make([]float32, size)
		r := keys[i].Uint(2).Rand()
		m.ApplyPlanes(one, src, &Half, &r, &s)
		if !slices.Equal(at(2, i), one) {
			t.Errorf("view 2 of image %d does not use the stream of its key and view", i)
		}
	}
	// Clean values: a byte v becomes 2v/255 - 1.
	if want := 2*float64(srcs[0].Pix[1])/255 - 1; math.Abs(float64(at(0, 0)[64])-want) > 1e-6 {
		t.Errorf("clean green value is %v, want %v", at(0, 0)[64], want)
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	specs := []string{"augmix-all-m10-w5", "pixmix-k8-all", "standard+pixmix+gaussian-p1+cutout", "autoaugment-cifar10full+randaugment"}
	for _, e := range Table() {
		specs = append(specs, e.Spec)
	}
	for _, spec := range specs {
		if mustMethod(t, spec).NeedsPartner() {
			continue // see below
		}
		m, sides := mustParse(t, spec), []int{32, 48}
		if p, err := ParseSpec(spec); err == nil && (p.NeedsStyles() || p.NeedsNetwork() || strings.Contains(spec, "noise2net")) {
			sides = []int{8, 12} // networks are slow
		}
		for _, side := range sides {
			srcs := benchImages(4, side)
			var s Scratch
			dst := new(raster.Image)
			planes := make([]float32, 3*side*side)
			r := rng.New(1)
			i := 0
			run := func() {
				m.Apply(dst, srcs[i%4], r, &s)
				m.ApplyPlanes(planes, srcs[i%4], &Half, r, &s)
				i++
			}
			for range 50 {
				run()
			}
			if n := testing.AllocsPerRun(50, run); n != 0 {
				t.Errorf("%s at %d allocates %v times an image", spec, side, n)
			}
		}
	}
}

// Neither do samples with partners, nor training steps but for a few values of the batch's bookkeeping.
func TestSteadyStateOfBatchMixesDoesNotAllocate(t *testing.T) {
	list := benchImages(4, 32)
	var s Scratch
	for _, spec := range []string{"mixup", "cutmix", "pixmix+cutmix", "augmix+mixup+cutmix"} {
		m := mustMethod(t, spec)
		dst, planes := new(raster.Image), make([]float32, 3*32*32)
		in := Sample{Image: list[0], Label: 1, Partner: partnerFrom(list)}
		var target Target
		i := uint64(0)
		run := func() {
			in.Key = rng.NewKey(i)
			i++
			var err, err2 error
			target, err = m.Apply(dst, &in, target, &s)
			target, err2 = m.ApplyPlanes(planes, &in, &Half, target, &s)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
		}
		for range 50 {
			run()
		}
		if n := testing.AllocsPerRun(100, run); n != 0 {
			t.Errorf("%s allocates %v times an image", spec, n)
		}
		step, size := trainStep(64, 32, 10)
		batch, out, targets := Batch{Workers: 1}, make([]float32, 64*size), make([]float32, 640)
		train := func() { batch.Train(m, out, targets, step) }
		train()
		if n := testing.AllocsPerRun(3, train); n > 16 {
			t.Errorf("a step of 64 images by %s allocates %v times", spec, n)
		}
	}
}

// Apply and ApplyPlanes make the same draws.
func TestApplyAndPlanesAgree(t *testing.T) {
	src := benchImages(1, 24)[0]
	var s Scratch
	m := NewAugMix()
	for seed := range uint64(50) {
		dst, planes := new(raster.Image), make([]float32, 3*24*24)
		m.Apply(dst, src, rng.New(seed), &s)
		m.ApplyPlanes(planes, src, &Unit, rng.New(seed), &s)
		for i := range 24 * 24 {
			if d := math.Abs(float64(planes[i])*255 - float64(dst.Pix[4*i])); d > 0.5001 {
				t.Fatalf("seed %d: pixel %d differs by %v", seed, i, d)
			}
		}
	}
}
