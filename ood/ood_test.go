package ood

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/rng"
)

func TestGolden(t *testing.T) {
	statistics := func(name string) golden.Func {
		return func(t *testing.T, c *golden.Case) { checkStatistics(t, c, name) }
	}
	golden.Run(t, "ood", map[string]golden.Func{
		"gaussian_statistics":   statistics("gaussian"),
		"rademacher_statistics": statistics("rademacher"),
		"blobs_statistics":      statistics("blobs"),
		"blobs":                 replayBlobs,
		"ood_scores":            golden.Elsewhere("metrics"),
	})
}

// replayBlobs filters recorded fields.
func replayBlobs(t *testing.T, c *golden.Case) {
	in := c.Array(c.Inputs[0])
	n, h, w := in.Shape[0], in.Shape[1], in.Shape[2]
	fields := in.Float64s()
	got := make([]float64, 0, len(fields))
	var s Scratch
	dst := make([]float32, 3*h*w)
	for i := range n {
		s.field.Reset(w, h, 3)
		copy(s.field.Pix, fields[i*3*h*w:])
		s.blobs(dst, c.Float("sigma"))
		for _, v := range dst {
			got = append(got, float64(v))
		}
	}
	golden.CompareFloat(t, c, got, 0)
}

// checkStatistics compares as many images as the case has by z-tests on the per-image means and deviations, and by
// the histogram of all values.
func checkStatistics(t *testing.T, c *golden.Case, name string) {
	set, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	n := c.Int("images")
	var edges, fraction []float64
	perImage := map[string]struct{ Mean, SD float64 }{}
	var values map[string]json.RawMessage
	c.Decode(&values, c.Values)
	c.Decode(&edges, values["histogram_edges"])
	c.Decode(&fraction, values["histogram_fraction"])
	for _, k := range []string{"image_mean", "image_std"} {
		v := perImage[k]
		c.Decode(&v, values[k])
		perImage[k] = v
	}
	counts := make([]float64, len(fraction))
	var s Scratch
	dst := make([]float32, 3*32*32)
	var means, stds []float64
	for i := range n {
		r := rng.NewKey(11).Uint(uint64(i)).Rand()
		set.Draw(dst, 32, 32, &r, &s)
		m, sd := moments32(dst)
		means, stds = append(means, m), append(stds, sd)
		for _, v := range dst {
			for b := range counts {
				if float64(v) >= edges[b] && float64(v) < edges[b+1] {
					counts[b]++
				}
			}
		}
	}
	for b := range counts {
		got := counts[b] / float64(n*len(dst))
		golden.Compared(t, c, math.Abs(got-fraction[b]) <= 0.004, "bin %d: %v of the values, want %v", b, got, fraction[b])
	}
	for k, values := range map[string][]float64{"image_mean": means, "image_std": stds} {
		m, _ := moments(values)
		z := (m - perImage[k].Mean) / (perImage[k].SD * math.Sqrt(2/float64(n)))
		golden.Compared(t, c, math.Abs(z) <= 4.5, "%s: mean %v, want %v: z = %.2f", k, m, perImage[k].Mean, z)
	}
}

func moments32(v []float32) (mean, sd float64) {
	f := make([]float64, len(v))
	for i := range v {
		f[i] = float64(v[i])
	}
	return moments(f)
}

func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x
	}
	mean /= float64(len(v))
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / float64(len(v)))
}

func TestByName(t *testing.T) {
	if _, err := ByName("svhn"); !errors.Is(err, ErrSet) {
		t.Errorf("an unknown name gives %v", err)
	}
}

// A larger image keeps the range, and the same stream gives the same image with a used Scratch.
func TestDrawLarge(t *testing.T) {
	for i := range Sets() {
		set := &Sets()[i]
		a, b := make([]float32, 3*60*50), make([]float32, 3*60*50)
		var used Scratch
		r := rng.New(1)
		set.Draw(b[:3*9], 3, 3, r, &used)
		r = rng.New(2)
		set.Draw(a, 60, 50, r, &used)
		r = rng.New(2)
		set.Draw(b, 60, 50, r, new(Scratch))
		low, high := a[0], a[0]
		for j := range a {
			if a[j] != b[j] {
				t.Fatalf("%s: value %d is %v, then %v", set.Name, j, a[j], b[j])
			}
			low, high = min(low, a[j]), max(high, a[j])
		}
		if low != -1 || high <= 0.3 || high > 1 {
			t.Errorf("%s: values from %v to %v", set.Name, low, high)
		}
	}
}
