package train

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/transform"
)

func TestDefault(t *testing.T) {
	r := Default()
	if r.LR != 0.1 || r.Batch != 128 || r.Momentum != 0.9 || !r.Nesterov || r.WeightDecay != 5e-4 || r.MinLR != 1e-6 ||
		r.Lambda != 12 || r.Views != 3 || !reflect.DeepEqual(r.Mean, []float64{.5, .5, .5}) || r.Mix != "none" {
		t.Errorf("%+v", r)
	}
	if err := r.Check(); err == nil {
		t.Error("a configuration without data and model")
	}
	r.Data, r.Model = "x", "wrn-40-2"
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}

// TestFields: every field has a key of its own, and JSON keeps all but what belongs to the machine.
func TestFields(t *testing.T) {
	seen := map[string]bool{}
	c := Default()
	for key, p := range c.Fields() {
		if key == "" || seen[key] {
			t.Errorf("key %q", key)
		}
		seen[key] = true
		switch v := p.(type) {
		case *string:
			*v = key
		case *bool:
			*v = !*v
		case *int:
			*v += 3
		case *uint64:
			*v += 3
		case *float64:
			*v += 0.5
		case *[]float64:
			*v = []float64{1, 2}
		case *[]int:
			*v = []int{3}
		case *[]string:
			*v = []string{key, "b"}
		default:
			t.Errorf("%s is of type %T", key, p)
		}
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	back := Default()
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	back.CacheMB, back.Workers = c.CacheMB, c.Workers
	if !reflect.DeepEqual(back, c) || strings.Contains(string(text), "workers") || strings.Contains(string(text), "cache-mb") {
		t.Errorf("%s\ngives\n%+v", text, back)
	}
}

// TestEmptyList: the checkpoint of a resumed run has the bytes of one that was never stopped.
func TestEmptyList(t *testing.T) {
	a, b := Default(), Default()
	a.LRMilestones, b.LRMilestones = nil, []int{} // of flags, and of args.yaml
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if y, err := json.Marshal(b); err != nil || string(x) != string(y) {
		t.Errorf("%s, %v, want %s", y, err, x)
	}
}

// TestSchedules checks rates against the papers' formulas, by hand.
func TestSchedules(t *testing.T) {
	r := Default()
	r.Epochs = 2
	const perEpoch = 50
	for _, c := range []struct {
		change func()
		at     int
		want   float64
	}{
		{func() {}, 0, 0.1},
		{func() {}, 50, 1e-6 + (0.1-1e-6)*0.5},
		{func() {}, 99, 1e-6 + (0.1-1e-6)*0.5*(1+math.Cos(math.Pi*99/100))},
		{func() { r.Schedule, r.LRMilestones, r.LRGamma, r.Epochs = "step", []int{30, 60}, 0.1, 90 }, 30*perEpoch - 1, 0.1},
		{func() {}, 30 * perEpoch, 0.01},
		{func() {}, 89 * perEpoch, 0.001},
		{func() { r.Warmup = 5 }, 0, 0.1 / 250},
		{func() {}, 249, 0.1},
		{func() { r.Schedule, r.LRMilestones, r.Warmup = "constant", nil, 0 }, 4000, 0.1},
		{func() { r.Batch, r.LRBatch = 512, 256 }, 4000, 0.2}, // linear scaling
		{func() { r.Warmup = 5 }, 0, 0.2 / 250},
		{func() { r.Batch, r.Warmup = 64, 0 }, 4000, 0.025},
	} {
		c.change()
		if got := r.schedule(perEpoch).At(c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s, warm-up %v, step %d: %v, want %v", r.Schedule, r.Warmup, c.at, got, c.want)
		}
	}
}

func TestValidGeometry(t *testing.T) {
	for _, c := range []struct {
		crop          string
		size, valSize int
		want          string
		wantSize      int
	}{
		{"pad4:32", 0, 0, "32", 0},
		{"rrc:224", 0, 256, "224", 256},
		{"", 0, 0, "", 0},
		{"random:24", 28, 0, "24", 28},
	} {
		r := Default()
		r.Crop, r.Size, r.ValSize = c.crop, c.size, c.valSize
		g := r.valGeometry()
		if g.Crop.String() != c.want || g.Size != c.wantSize || g.Flip || g.Crop.Kind != transform.NoCrop &&
			g.Crop.Kind != transform.CenterCrop {
			t.Errorf("%+v: %+v", c, g)
		}
	}
}

func TestDifferences(t *testing.T) {
	a, b := Default(), Default()
	b.Seed, b.CacheMB, b.Workers, b.Mixset = 2, 1, 7, "fractals"
	got := Differences(&a, &b)
	if want := []string{`mixset was "", now fractals`, "seed was 0, now 2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	a, b = Default(), Default()
	a.Only, b.Only, b.Without = []string{"a b"}, []string{"a", "b"}, []string{}
	got = Differences(&a, &b)
	if want := []string{`only was ["a b"], now ["a","b"]`}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func ExampleDefault() {
	r := Default()
	r.Data, r.Model = "cifar-10-batches-bin", "wrn-40-2"
	r.Mix, r.JSD = "augmix-m3-w3-d-1", true
	fmt.Println(r.Check())
	r.Views = 1
	fmt.Println(r.Check())
	// Output:
	// <nil>
	// configuration: views: 1 (allowed: 2 to 16)
}
