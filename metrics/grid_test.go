package metrics

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func profile(t testing.TB, name string) *Profile {
	t.Helper()
	p, err := LookupProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// alexMeans are the means over severities as the authors give them beside the values by severity.
var alexMeans = map[string]float64{
	GaussianNoise: .886428, ShotNoise: .894468, ImpulseNoise: .922640, DefocusBlur: .819880, GlassBlur: .826268,
	MotionBlur: .785948, ZoomBlur: .798360, Snow: .866816, Frost: .826572, Fog: .819324, Brightness: .564592,
	Contrast: .853204, ElasticTransform: .646056, Pixelate: .717840, JPEGCompression: .606500,
	SpeckleNoise: .845388, GaussianBlur: .787108, Spatter: .717512, Saturate: .658248,
}

func TestAlexNetTable(t *testing.T) {
	b := AlexNetErrors()
	if len(b.Values) != 19 || len(alexMeans) != 19 {
		t.Fatal(len(b.Values), len(alexMeans))
	}
	for name, want := range alexMeans {
		var sum float64
		for _, v := range b.Values[name] {
			sum += v
		}
		near(t, name, sum/5, want, 1e-12)
	}
	if n := len(AlexNetFlips().Values); n != 14 {
		t.Errorf("%d flip probabilities", n)
	}
}

// TestProfilesAreCopies: what a caller does to one stays with that caller.
func TestProfilesAreCopies(t *testing.T) {
	looked, err := LookupProfile("imagenet-c")
	if err != nil {
		t.Fatal(err)
	}
	want := looked.Corruptions[0].Name
	for _, p := range append(Profiles(), looked) {
		p.Name, p.Corruptions[0].Name = "x", "y"
	}
	again, err := LookupProfile("imagenet-c")
	if err != nil || again.Corruptions[0].Name != want {
		t.Errorf("%+v, %v: want %s first", again, err, want)
	}
}

func TestProfiles(t *testing.T) {
	for _, p := range Profiles() {
		want, all := 15, 19
		switch {
		case p.Kind == PerturbationKind:
			want, all = 10, 14
		case strings.HasSuffix(p.Name, "-bar"):
			want, all = 10, 10
		}
		if len(p.Primary()) != want || len(p.Corruptions) != all {
			t.Errorf("%s: %d primary of %d, want %d of %d", p.Name, len(p.Primary()), len(p.Corruptions), want, all)
		}
		names := map[string]bool{}
		for _, c := range p.Corruptions {
			if names[c.Name] {
				t.Errorf("%s: %s twice", p.Name, c.Name)
			}
			names[c.Name] = true
		}
	}
	c := profile(t, "imagenet-c")
	if got := c.Members(Weather); !slices.Equal(got, []string{Snow, Frost, Fog, Brightness}) {
		t.Errorf("weather: %v", got)
	}
	total := 0
	for _, g := range Groups() {
		total += len(c.Members(g))
	}
	if total != 15 {
		t.Errorf("groups hold %d corruptions", total)
	}
	if len(profile(t, "cifar10-c-bar").Members("")) != 0 {
		t.Error("C-bar has a group")
	}
	if _, err := LookupProfile("imagenet"); !errors.Is(err, ErrName) || !strings.Contains(err.Error(), "cifar10-c") {
		t.Errorf("unknown benchmark: %v", err)
	}
	if !IsNoise(ShotNoise) || IsNoise(MotionBlur) {
		t.Error("IsNoise")
	}
	for _, name := range CIFARPScript() {
		if _, err := profile(t, "cifar10-p").index(name); err != nil {
			t.Error(err)
		}
	}
}

// small is a benchmark that can be worked out by hand: two corruptions in a mean, one beside it.
func small() (*Profile, *Baseline) {
	p := OwnProfile("small", CorruptionKind, Corruption{"a", Noise, false}, Corruption{"b", Blur, false},
		Corruption{"c", Blur, true})
	return p, &Baseline{
		Model: "ref", Profile: "small", Quantity: ErrorRate, Clean: 0.25, HasClean: true,
		Values: map[string][]float64{
			"a": {0.5, 0.5, 0.5, 0.75, 0.75}, "b": {0.3, 0.4, 0.5, 0.6, 0.7}, "c": {1, 1, 1, 1, 1},
		},
	}
}

func fill(t *testing.T, g *Grid, name string, v ...float64) {
	t.Helper()
	for s, x := range v {
		if err := g.Set(name, s+1, x); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGridByHand(t *testing.T) {
	p, base := small()
	g := NewGrid(p, ErrorRate)
	if err := g.SetClean(0.1); err != nil {
		t.Fatal(err)
	}
	fill(t, g, "a", 0.1, 0.2, 0.3, 0.4, 0.5)
	fill(t, g, "b", 0.2, 0.2, 0.2, 0.2, 0.2)
	for _, c := range []struct {
		a    Aggregate
		want float64
	}{
		{UCE("a"), 0.3},
		{MeanAll(), 0.25},
		{SeverityMean(5), 0.35},
		{GroupMean(Blur), 0.2},
		{CE("a", base), 1.5 / 3},
		{CE("b", base), 1 / 2.5},
		{MeanCE(base), (0.5 + 0.4) / 2},
		{RelativeCE("a", base), (1.5 - 0.5) / (3 - 1.25)},
		{RelativeCE("b", base), (1 - 0.5) / (2.5 - 1.25)},
		{RelativeMeanCE(base), (1/1.75 + 0.5/1.25) / 2},
		{MeanOver("a", "b"), 0.25},
	} {
		near(t, c.a.Name, value(t)(g.Value(c.a)), c.want, 1e-14)
	}
}

func TestFlipRatesByHand(t *testing.T) {
	p := OwnProfile("seq", PerturbationKind, Corruption{Name: "u"}, Corruption{Name: "v"})
	base := &Baseline{
		Model: "ref", Profile: "seq", Quantity: Top5Distance, Difficulty: 2,
		Values: map[string][]float64{"u": {2}, "v": {4}},
	}
	g := NewSequenceGrid(p, Top5Distance, 2)
	fill(t, g, "u", 1)
	fill(t, g, "v", 3)
	near(t, "mean", value(t)(g.Value(MeanAll())), 2, 1e-15)
	near(t, "T5D", value(t)(g.Value(Rate("u", base))), 0.5, 1e-15)
	near(t, "mT5D", value(t)(g.Value(MeanRate(base))), (0.5+0.75)/2, 1e-15)
	if err := g.Set("u", 2, 1); !errors.Is(err, ErrOption) {
		t.Errorf("severity 2 of a sequence: %v", err)
	}
}

func TestGridRefuses(t *testing.T) {
	p, base := small()
	g := NewGrid(p, ErrorRate)
	fill(t, g, "a", 0.1, 0.2, 0.3, 0.4, 0.5)
	check := func(want error, words string, err error) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %v with %q", err, want, words)
		}
	}
	fails := func(want error, words string, g *Grid, a Aggregate) {
		t.Helper()
		_, err := g.Value(a)
		check(want, words, err)
	}
	check(ErrDuplicate, "a, severity 1: 0.1 and then 0.2", g.Set("a", 1, 0.2))
	check(ErrScore, "23.9", g.Set("b", 1, 23.9))
	check(ErrScore, "NaN", g.Set("b", 1, math.NaN()))
	check(ErrScore, "-0.1", g.SetClean(-0.1))
	check(ErrOption, "severity 6", g.Set("b", 6, 0.1))
	check(ErrName, "allowed: a, b, c", g.Set("d", 1, 0.1))
	check(ErrName, CocentricSineWaves, NewGrid(profile(t, "imagenet-c-bar"),
		ErrorRate).Set("concentric_sine_waves", 1, 0))
	fails(ErrMissing, "b/1, b/2, b/3, b/4, b/5", g, MeanCE(base))
	fails(ErrMissing, "clean", g, RelativeCE("a", base))
	fails(ErrOption, "severity 0", g, SeverityMean(0))
	fails(ErrNotComputable, "weather", g, GroupMean(Weather))
	fails(ErrOption, "baseline", g, MeanCE(nil))
	fails(ErrOption, "no corruptions", g, MeanOver())

	cifar := NewGrid(profile(t, "cifar10-c"), ErrorRate)
	fails(ErrNotComputable, "CIFAR papers report the plain mean", cifar, MeanCE(AlexNetErrors()))
	fails(ErrNotComputable, "small", cifar, MeanCE(base))
	fails(ErrNotComputable, "C-bar", NewGrid(profile(t, "imagenet-c-bar"), ErrorRate), CE(Sparkles, AlexNetErrors()))
	fails(ErrNotComputable, "224x224", g, MeanCE(AlexNetErrors()))
	fails(ErrNotComputable, "224x224", NewGrid(OwnProfile("imagenet-c", CorruptionKind), ErrorRate), MeanCE(AlexNetErrors()))
	fails(ErrNotComputable, "224x224", NewSequenceGrid(OwnProfile("imagenet-p", PerturbationKind), FlipProbability, 1),
		MeanRate(AlexNetFlips()))
	ownAlexNet := &Baseline{Model: "alexnet", Profile: "imagenet-c", Quantity: ErrorRate, Values: AlexNetErrors().Values}
	fails(ErrMissing, "and 67 more", NewGrid(OwnProfile("imagenet-c", CorruptionKind), ErrorRate), MeanCE(ownAlexNet)) // of the grid
	imagenet := NewGrid(profile(t, "imagenet-c"), ErrorRate)
	fails(ErrMissing, "and 67 more", imagenet, MeanCE(AlexNetErrors()))
	fails(ErrNotComputable, "still images", imagenet, MeanRate(AlexNetFlips()))
	fails(ErrNotComputable, "same data", imagenet, MeanCE(AlexNetFlips()))
	fails(ErrNotComputable, "other", NewGrid(profile(t, "imagenet-c"), Other), MeanCE(AlexNetErrors()))
	seq := profile(t, "imagenet-p")
	fails(ErrNotComputable, "perturbations", NewSequenceGrid(seq, FlipProbability, 1), MeanCE(AlexNetErrors()))
	fails(ErrNotComputable, "difficulty 2", NewSequenceGrid(seq, FlipProbability, 2), MeanRate(AlexNetFlips()))
	fails(ErrNotComputable, "top5_distance", NewSequenceGrid(seq, Top5Distance, 1), MeanRate(AlexNetFlips()))
	fails(ErrNotComputable, "plain mean", NewSequenceGrid(profile(t, "cifar10-p"), FlipProbability, 1),
		MeanRate(AlexNetFlips()))

	bad := func(change func(*Baseline), want error, words string, a func(*Baseline) Aggregate) {
		t.Helper()
		_, b := small()
		change(b)
		full := NewGrid(p, ErrorRate)
		fills := []float64{0.1, 0.1, 0.1, 0.1, 0.1}
		fill(t, full, "a", fills...)
		fill(t, full, "b", fills...)
		if err := full.SetClean(0.1); err != nil {
			t.Fatal(err)
		}
		fails(want, words, full, a(b))
	}
	bad(func(b *Baseline) { delete(b.Values, "b") }, ErrMissing, "ref has no error for b", MeanCE)
	bad(func(b *Baseline) { b.Values["b"] = []float64{0.1} }, ErrLength, "1 values for b", MeanCE)
	bad(func(b *Baseline) { b.Values["b"][2] = 50 }, ErrScore, "severity 3: 50", MeanCE)
	bad(func(b *Baseline) { b.Values["b"] = make([]float64, 5) }, ErrUndefined, "b", MeanCE)
	bad(func(b *Baseline) { b.Clean = 0.9 }, ErrUndefined, "not positive", RelativeMeanCE)
	// The sum is 0 but for what rounding leaves of it.
	bad(func(b *Baseline) { b.Clean, b.Values["b"] = 0.3, []float64{0.2, 0.4, 0.3, 0.3, 0.3} }, ErrUndefined, "not positive", RelativeMeanCE)
	bad(func(b *Baseline) { b.HasClean = false }, ErrMissing, "clean", RelativeMeanCE)
	bad(func(b *Baseline) { b.Clean = 43.5 }, ErrMissing, "clean", RelativeMeanCE)
}

func TestImageGridEqualsGrid(t *testing.T) {
	p, base := small()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		ig, g := NewImageGrid(p, ErrorRate, 0, n), NewGrid(p, ErrorRate)
		cell := func() ([]float64, float64) {
			v, sum := make([]float64, n), 0.0
			for i := range v {
				v[i] = float64(rapid.IntRange(0, 1).Draw(t, "wrong"))
				sum += v[i]
			}
			return v, sum / float64(n)
		}
		v, mean := cell()
		if err := errors.Join(ig.SetClean(v), g.SetClean(mean)); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			for s := 1; s <= 5; s++ {
				v, mean := cell()
				if err := errors.Join(ig.Set(name, s, v), g.Set(name, s, mean)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, a := range []Aggregate{MeanAll(), SeverityMean(2), MeanCE(base), RelativeMeanCE(base), UCE("b")} {
			s, err := ig.Statistic(a)
			if err != nil {
				t.Fatal(err)
			}
			got, errA := Value(s)
			want, errB := g.Value(a)
			if errA != nil || errB != nil || math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s: %v, %v, want %v, %v", a.Name, got, errA, want, errB)
			}
		}
	})
}

func TestImageGridRefuses(t *testing.T) {
	p, base := small()
	g := NewImageGrid(p, ErrorRate, 0, 2)
	if err := g.Set("a", 1, []float64{0}); !errors.Is(err, ErrLength) {
		t.Errorf("one value for two images: %v", err)
	}
	if err := g.Set("a", 1, []float64{0, 2}); !errors.Is(err, ErrScore) || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("an error of 2: %v", err)
	}
	if err := errors.Join(g.Set("a", 1, []float64{0, 1})); err != nil {
		t.Fatal(err)
	}
	if err := g.Set("a", 1, []float64{0, 1}); !errors.Is(err, ErrDuplicate) {
		t.Errorf("set twice: %v", err)
	}
	if err := g.Set("z", 1, []float64{0, 1}); !errors.Is(err, ErrName) {
		t.Errorf("unknown corruption: %v", err)
	}
	if err := g.Set("a", 0, []float64{0, 1}); !errors.Is(err, ErrOption) {
		t.Errorf("severity 0: %v", err)
	}
	if _, err := g.Statistic(CE("a", base)); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "a/2") {
		t.Errorf("missing severities: %v", err)
	}
	if _, err := g.Statistic(RelativeCE("a", nil)); !errors.Is(err, ErrOption) {
		t.Errorf("no baseline: %v", err)
	}
	for _, n := range []int{0, -2} {
		if _, err := NewImageGrid(p, ErrorRate, 0, n).Statistic(MeanAll()); !errors.Is(err, ErrUndefined) {
			t.Errorf("%d images: %v", n, err)
		}
	}
}
