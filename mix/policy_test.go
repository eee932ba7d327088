package mix

import (
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The sub-policies of a policy are drawn uniformly, their operations with their probabilities.
func TestAutoAugmentDistribution(t *testing.T) {
	m := &AutoAugment{Policy: "cifar10"}
	// Expected number of applications of each operation, from the policy: the mean of 25 sub-policies.
	expected := map[string]float64{}
	for _, sub := range m.subPolicies() {
		for _, o := range sub {
			expected[o.Op] += o.Prob / float64(len(m.subPolicies()))
		}
	}
	const n = 50000
	r := rng.New(12)
	var d PolicyDraw
	got, negative := map[string]int{}, map[string]int{}
	for range n {
		m.DrawTo(&d, 32, 32, r)
		for _, st := range d.Steps {
			got[st.Op]++
			if st.Value < 0 {
				negative[st.Op]++
			}
		}
	}
	for op, p := range expected {
		// At most two of an operation in a sub-policy: the variance is below 2p.
		if z := (float64(got[op]) - n*p) / math.Sqrt(2*n*p+1); math.Abs(z) > 4 {
			t.Errorf("%s is applied %d times, want %.0f", op, got[op], n*p)
		}
	}
	for _, op := range []string{"rotate", "shear_y", "translate_x", "translate_y"} {
		if z := (float64(negative[op]) - float64(got[op])/2) / math.Sqrt(float64(got[op])/4); math.Abs(z) > 4 || got[op] == 0 {
			t.Errorf("%d of %d of %s are negative", negative[op], got[op], op)
		}
	}
	if negative["brightness"] != 0 || len(got) != len(expected)-boolInt(expected["invert"] == 0) {
		t.Errorf("operations drawn: %v", got)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AutoAugment* never draws what overlaps ImageNet-C; the rest stays.
func TestAutoAugmentStar(t *testing.T) {
	r := rng.New(1)
	overlapping := func(op string) bool {
		return slices.Contains([]string{"brightness", "color", "contrast", "cutout", "sharpness"}, op)
	}
	for _, policy := range []string{"cifar10", "cifar10full", "imagenet", "svhn"} {
		full, star := mustParse(t, "autoaugment-"+policy).(*AutoAugment), mustParse(t, "autoaugment-"+policy+"-star").(*AutoAugment)
		var d PolicyDraw
		removed, kept := 0, 0
		for range 5000 {
			star.DrawTo(&d, 32, 32, r)
			for _, st := range d.Steps {
				kept++
				if overlapping(st.Op) {
					t.Fatalf("%s draws %s", star, st.Op)
				}
			}
			full.DrawTo(&d, 32, 32, r)
			for _, st := range d.Steps {
				if overlapping(st.Op) {
					removed++
				}
			}
		}
		if kept == 0 || removed == 0 {
			t.Errorf("%s: %d operations kept, %d of the full policy overlap", policy, kept, removed)
		}
	}
}

func TestRandAndTrivialDistribution(t *testing.T) {
	const n = 60000
	r := rng.New(14)
	var d PolicyDraw
	ops := map[string]int{}
	m := mustParse(t, "randaugment-n3-m9").(*RandAugment)
	for range n / 3 {
		m.DrawTo(&d, 32, 32, r)
		if len(d.Steps) != 3 {
			t.Fatalf("%d operations", len(d.Steps))
		}
		for _, st := range d.Steps {
			ops[st.Op]++
			// 9 of 30 bins: 9/30*0.3, trunc(9/30*14.5), 9, 0.3*0.9, 8 - round(1.2), 255 - 76.5.
			want := map[string]float64{
				"shear_x": 0.09, "shear_y": 0.09, "translate_x": 4, "translate_y": 4, "rotate": 9, "posterize": 7, "solarize": 179,
			}
			v := math.Abs(st.Value)
			if enhance := st.Op == "color" || st.Op == "contrast" || st.Op == "brightness" || st.Op == "sharpness"; enhance {
				v = math.Abs(st.Value - 1)
				want[st.Op] = 0.27
			}
			if math.Abs(v-want[st.Op]) > 1e-7 {
				t.Fatalf("%s has the parameter %v, want %v", st.Op, st.Value, want[st.Op])
			}
		}
	}
	chiSquare(t, "RandAugment's operations", ops, 14)
	for _, spec := range []string{"trivialaugment-wide", "trivialaugment-standard"} {
		m := mustParse(t, spec).(*TrivialAugment)
		ops, strengths := map[string]int{}, map[float64]int{}
		for range n {
			m.DrawTo(&d, 32, 32, r)
			st := d.Steps[0]
			ops[st.Op]++
			if st.Op == "shear_x" {
				strengths[math.Abs(st.Value)]++
			}
		}
		chiSquare(t, spec+"'s operations", ops, 14)
		chiSquare(t, spec+"'s strengths", strengths, 31)
		most := 0.0
		for v := range strengths {
			most = max(most, v)
		}
		if want := map[bool]float64{true: 0.3, false: 0.99}[m.Standard]; math.Abs(most-want) > 1e-7 {
			t.Errorf("%s shears up to %v", spec, most)
		}
	}
}

// Replay applies the drawn operations in their order, cutout among them.
func TestPolicyReplay(t *testing.T) {
	src := benchImages(1, 32)[0]
	m := mustParse(t, "autoaugment-cifar10full").(*AutoAugment)
	var s Scratch
	d := PolicyDraw{Steps: []PolicyStep{{Op: "invert"}, {Op: "cutout", Value: 6, X: 2, Y: 20}, {Op: "posterize", Value: 3}}}
	got, want := new(raster.Image), new(raster.Image)
	m.Replay(got, src, &d, &s)
	augment.Invert(want, src)
	for y := 17; y < 23; y++ {
		for x := range 5 {
			want.Set(x, y, augment.MeanColor)
		}
	}
	augment.Posterize(want, want, 3)
	if !raster.Equal(got, want) {
		t.Error("the three operations do not give what they should")
	}
}

func TestRandomAutoAugment(t *testing.T) {
	// With one operation it is what AugMix's step does to the image.
	src := benchImages(1, 32)[0]
	m := mustParse(t, "randomautoaugment-m5-d1")
	var s Scratch
	for seed := range uint64(50) {
		got, want := new(raster.Image), new(raster.Image)
		m.Apply(got, src, rng.New(seed), &s)
		st := drawStep(nineOps, 5, 32, 32, rng.New(seed))
		st.Op.Apply(want, src, st.Value, raster.RGB{})
		if !raster.Equal(got, want) {
			t.Fatalf("seed %d: not %s at %v", seed, st.Op.Name, st.Value)
		}
	}
}
