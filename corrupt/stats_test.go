package corrupt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// repeats is how often each of the 500 images is corrupted for the statistical test.
//
// The standard error of a difference of means is sd_random·√(1/1500 + 1/(500·repeats)), with 3 repeats sd_random/27.4.
// A statistic that is off by 6.5 of them, 0.24·sd_random, passes |z| < 4.5 with a chance of 2 %, so that such errors
// are found. For the noise corruptions that is a standard deviation, λ or amount off by 0.3 to 0.5 %; for the blurs and
// weather about 1/4 of the spread between two draws of one image. The chance that a right program fails is 7e-6 for
// each of the 550 statistics, and the keys are fixed.
const repeats = 3

// statistic is one entry of the expected file.
type statistic struct {
	Mean     float64 `json:"mean"`
	SDRandom float64 `json:"sd_random"`
	Images   int     `json:"images"`
	Repeats  int     `json:"repeats"`
}

func TestStatistics(t *testing.T) {
	golden.Run(t, "stats", map[string]golden.Func{"corruption_statistics": replayStatistics})
}

func replayStatistics(t *testing.T, c *golden.Case) {
	var entries []map[string]json.RawMessage
	c.JSON(&entries, c.ExpectedFile(0))
	src := c.Images(0)
	worst, checked := 0.0, 0
	for _, e := range entries {
		var name string
		var severity int
		c.Decode(&name, e["corruption"])
		c.Decode(&severity, e["severity"])
		got := measure(t, c, src, name, severity)
		for key, raw := range e {
			if key == "corruption" || key == "severity" {
				continue
			}
			var want statistic
			c.Decode(&want, raw)
			own, ok := got[key]
			if !ok {
				t.Fatalf("%s %d: no statistic %q", name, severity, key)
			}
			se := want.SDRandom * math.Sqrt(1/float64(want.Images*want.Repeats)+1/float64(len(src)*repeats))
			z := (own - want.Mean) / se
			worst = max(worst, math.Abs(z))
			checked++
			golden.Compared(t, c, math.Abs(z) < *c.Tolerance.AbsZ, "%s, severity %d: %s is %v, want %v (z = %.1f)", name,
				severity, key, own, want.Mean, z)
		}
	}
	t.Logf("%d statistics, largest |z| %.2f", checked, worst)
}

// measure returns the means of the statistics over all images and repeats.
func measure(t *testing.T, c *golden.Case, src []*raster.Image, name string, severity int) map[string]float64 {
	t.Helper()
	op, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	var frost *FrostSet
	if op.NeedsFrost() {
		frost = reducedFrost(t, c)
	}
	total := map[string]float64{}
	var dst raster.Image
	var s Scratch
	for i, m := range src {
		for k := range repeats {
			r := rng.NewKey(2).Str(name).Uint(uint64(severity)).Uint(uint64(i)).Uint(uint64(k)).Rand()
			if frost != nil { // the photographs are scaled already
				v := frostTable.At(P32.Side(), severity-1, 32)
				f := Frost{v[0], v[1], 1}
				f.Apply(&dst, m, frost, f.Draw(frost, m.W, m.H, &r), &s)
			} else if err := op.WithProfile(P32).Apply(&dst, m, float64(severity), &r, &s); err != nil {
				t.Fatal(err)
			}
			addStatistics(total, &dst, m)
		}
	}
	for key := range total {
		total[key] /= float64(len(src) * repeats)
	}
	return total
}

// statisticNames are the names of the statistics of each channel.
var statisticNames = [3][3]string{
	{"mean_r", "std_r", "mean_change_r"}, {"mean_g", "std_g", "mean_change_g"}, {"mean_b", "std_b", "mean_change_b"},
}

// addStatistics adds the statistics of one result to total.
func addStatistics(total map[string]float64, dst, src *raster.Image) {
	var sum, squares, moved [3]int
	change := 0
	in := src.Pix
	for out := dst.Pix; len(out) >= 4 && len(in) >= 4; in, out = in[4:], out[4:] {
		for c := range 3 {
			v, d := int(out[c]), int(out[c])-int(in[c])
			sum[c] += v
			squares[c] += v * v
			moved[c] += d
			change += max(d, -d)
		}
	}
	n := float64(dst.W * dst.H)
	for c, name := range statisticNames {
		mean := float64(sum[c]) / n
		total[name[0]] += mean
		total[name[1]] += math.Sqrt(max(float64(squares[c])/n-mean*mean, 0))
		total[name[2]] += float64(moved[c]) / n
	}
	total["mean_abs_change"] += float64(change) / (3 * n)
}

// reducedFrost reads the five photographs, scaled for 32x32, from the corruptions' group beside this one.
func reducedFrost(t *testing.T, c *golden.Case) *FrostSet {
	t.Helper()
	var photos []*raster.Image
	for i := range 5 {
		path := filepath.Join(c.Dir, "..", "corrupt", "draws", fmt.Sprintf("frost_reduced_%d.png", i))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		m := new(raster.Image)
		if err := m.SetImage(img); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		photos = append(photos, m)
	}
	set, err := NewFrostSet(photos...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}
