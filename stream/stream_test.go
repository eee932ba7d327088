package stream

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

func TestPermutation(t *testing.T) {
	for _, n := range []int{1, 2, 3, 17, 64, 1000} {
		p := newPermutation(n, rng.NewKey(uint64(n)))
		seen := make([]bool, n)
		for i := range n {
			seen[p.at(i)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("%d: not every one has a place", n)
		}
	}
	// Each of the 24 orders of four is about as likely.
	count := map[string]int{}
	for seed := range uint64(4800) {
		p := newPermutation(4, rng.NewKey(seed))
		count[fmt.Sprint(p.at(0), p.at(1), p.at(2), p.at(3))]++
	}
	for order, n := range count {
		if n < 100 || n > 320 || len(count) != 24 {
			t.Errorf("%s: %d of 4800, %d orders", order, n, len(count))
		}
	}
}

var three = []string{"fog", "contrast", "snow"}

func mustNew(t testing.TB, text string, d Data) Order {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	o, err := New(s, d)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Every pass shows every sample once, and a stretch has one corruption at one severity.
func TestPasses(t *testing.T) {
	const n = 30
	d := Data{Samples: n, Corruptions: three, Labels: make([]int, n), Seed: 4}
	for i := range d.Labels {
		d.Labels[i] = i % 3
	}
	for text, severities := range map[string][]float64{"continual-s2.5": {2.5}, "gradual": {1, 2, 3, 4, 5, 4, 3, 2, 1}, "correlated-s4": {4}} {
		o := mustNew(t, text, d)
		if o.Len() != n*len(three)*len(severities) {
			t.Fatalf("%s: %d positions", text, o.Len())
		}
		var first [2][]int
		for pass := range o.Len() / n {
			want := [2]Change{{three[pass/len(severities)], severities[pass%len(severities)]}}
			var seen []int
			for i := range n {
				step := o.At(pass*n + i)
				if step.Changes != want {
					t.Fatalf("%s at %d: %v, want %v", text, pass*n+i, step.Changes, want)
				}
				seen = append(seen, step.Sample)
			}
			if pass < 2 {
				first[pass] = slices.Clone(seen)
			}
			if slices.Sort(seen); seen[0] != 0 || seen[n-1] != n-1 || len(slices.Compact(seen)) != n {
				t.Fatalf("%s, pass %d: not every sample once", text, pass)
			}
		}
		if slices.Equal(first[0], first[1]) {
			t.Errorf("%s: two passes in one order", text)
		}
	}
}

func TestMixed(t *testing.T) {
	o := mustNew(t, "mixed-s3", Data{Samples: 40, Corruptions: three})
	seen, same := map[Step]bool{}, 0
	for i := range o.Len() {
		step := o.At(i)
		seen[step] = true
		if i > 0 && step.Changes == o.At(i-1).Changes {
			same++
		}
	}
	if len(seen) != 120 || o.Len() != 120 || same < 20 || same > 60 { // a third
		t.Errorf("%d pairs at %d positions, %d as before", len(seen), o.Len(), same)
	}
}

// The smaller delta is, the more often a sample has the class of the one before.
func TestCorrelated(t *testing.T) {
	const n = 1000
	d := Data{Samples: n, Corruptions: []string{"fog"}, Labels: make([]int, n)}
	for i := range d.Labels {
		d.Labels[i] = i % 10
	}
	same := func(text string) (count int) {
		o := mustNew(t, text, d)
		for i := 1; i < o.Len(); i++ {
			if d.Labels[o.At(i).Sample] == d.Labels[o.At(i-1).Sample] {
				count++
			}
		}
		return count
	}
	if a, b, c := same("correlated-d0.01-w100"), same("correlated-d1000-w100"), same("continual"); a < 900 || b > 250 || c > 150 {
		t.Errorf("as before: %d with 0.01, %d with 1000, %d without", a, b, c)
	}
}

// A walk keeps the sum of severities, moves in quarters, and each step holds.
func TestWalk(t *testing.T) {
	o := mustNew(t, "walk-s1-l5-n200", Data{Samples: 7, Corruptions: three, Seed: 1})
	if o.Len() != 200 {
		t.Fatal(o.Len())
	}
	names := map[string]bool{}
	for i := range o.Len() {
		now := o.At(i).Changes
		if sum := now[0].Severity + now[1].Severity; sum != 1 || now[0].Corruption == now[1].Corruption {
			t.Fatalf("at %d: %v", i, now)
		}
		if i%5 > 0 && now != o.At(i-1).Changes {
			t.Fatalf("at %d: moved within a step", i)
		}
		if i%20 == 0 { // four steps from one alone to the next
			names[now[0].Corruption] = true
			if now[1] != (Change{}) || i > 0 && now[0].Corruption != o.At(i - 1).Changes[1].Corruption {
				t.Errorf("at %d: %v after %v", i, now, o.At(i-1).Changes)
			}
		}
	}
	if len(names) != 3 {
		t.Errorf("it comes to %v", names)
	}
}

// With a table a walk goes where the error is nearest to the target.
func TestWalkByErrors(t *testing.T) {
	var table strings.Builder
	table.WriteString(strings.Join(errorColumns, ",") + "\n")
	for _, pair := range [][2]string{{"fog", "snow"}, {"snow", "fog"}} {
		for a := range 6 {
			for b := range 6 {
				fmt.Fprintf(&table, "%s,%d,%s,%d,%v\n", pair[0], a, pair[1], b, float64(a+b)/15)
			}
		}
	}
	e, err := ReadErrors(strings.NewReader("\ufeff" + table.String()))
	if err != nil {
		t.Fatal(err)
	}
	path, err := e.path("fog", "snow", 4.0/15)
	if want := [][2]float64{{4, 0}, {3, 1}, {2, 2}, {1, 3}, {0, 4}}; err != nil || !slices.Equal(path, want) {
		t.Errorf("%v, %v", path, err)
	}
	// Of an error that the table reaches nearly nowhere, or nowhere, there is no way; where it reaches it in part, the rest is left out.
	if path, err := e.path("fog", "snow", 8.0/15); err != nil || !slices.Equal(path, [][2]float64{{5, 3}, {4, 4}, {3, 5}}) {
		t.Errorf("%v, %v", path, err)
	}
	for _, far := range []float64{0.72, 0.95} {
		if path, err := e.path("fog", "snow", far); !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), "0 to 0.6666666666666666") {
			t.Errorf("%v: %v, %v", far, path, err)
		}
	}
	d := Data{Samples: 4, Corruptions: []string{"fog", "snow"}, Errors: e}
	s, err := Parse("walk-e0.3-l2-n50")
	if err != nil {
		t.Fatal(err)
	}
	if o, err := New(s, d); err != nil || o.Len() != 50 {
		t.Error(err)
	}
	d.Corruptions = []string{"fog", "contrast"}
	if _, err := New(s, d); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "no way from") {
		t.Error(err)
	}
	for _, bad := range []string{"", "a,b\n", strings.Join(errorColumns, ",") + "\nfog,6,snow,1,0.5\n", strings.Join(errorColumns, ",") + "\nfog,1,snow,1,NaN\n"} {
		if _, err := ReadErrors(strings.NewReader(bad)); !errors.Is(err, ErrOrder) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"continual": "continual-s5", "gradual": "gradual", "mixed-s2.5": "mixed-s2.5", "mixed-s2.125": "mixed-s2.125", "mixed-s0.001": "mixed-s0.001", "correlated-d1-w20": "correlated-s5-d1-w20",
		"walk": "walk-s2.5-l100", "walk-s3.25-l10-n500": "walk-s3.25-l10-n500",
		"walk-e0.4-l10": "walk-l10-e0.4",
	} {
		s, err := Parse(text)
		if err != nil || s.String() != want {
			t.Errorf("%s: %s, %v", text, s, err)
		}
		if again, err := Parse(s.String()); err != nil || again != s {
			t.Errorf("%s: %+v, then %+v", text, s, again)
		}
	}
	for _, bad := range []string{"", "continuous", "continual-d1", "continual-s6", "continual-s1-s2", "walk-s0.3", "walk-l1.5", "gradual-s1", "mixed-", "mixed-sNaN", "mixed-s2.12345", "walk-e0.4-s2"} {
		if _, err := Parse(bad); !errors.Is(err, ErrOrder) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		_, _ = Parse(rapid.StringMatching(`[a-z]{0,10}(-[a-z][0-9.]{0,5}){0,3}`).Draw(t, "text"))
	})
}

func TestTooSmall(t *testing.T) {
	for text, d := range map[string]Data{
		"continual":      {Corruptions: three},
		"mixed":          {Samples: 3},
		"walk":           {Samples: 3, Corruptions: three[:1]},
		"correlated":     {Samples: 3, Corruptions: three, Labels: []int{0, 0, 0}},
		"correlated-w9":  {Samples: 3, Corruptions: three, Labels: []int{0, 1, 0}},
		"correlated-w1":  {Samples: 2, Corruptions: three, Labels: []int{0, -1}},
		"walk-e0.3":      {Samples: 3, Corruptions: three},
		"walk-s2.5-n100": {Samples: 3, Corruptions: three, Errors: new(Errors)},
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(s, d); !errors.Is(err, ErrOrder) {
			t.Errorf("%s of %+v: %v", text, d, err)
		}
	}
}

// TestBadSpec: a spec that no text can be is refused too.
func TestBadSpec(t *testing.T) {
	d := Data{Samples: 3, Corruptions: three, Labels: []int{0, 1, 0}}
	for want, s := range map[string]Spec{
		`"other" (allowed: continual,`:               {Kind: "other"},
		"walk: option l-1 (allowed: l1 to l1e+09":    {Kind: Walk, Hold: -1},
		"mixed: option s99 (allowed: s0.001 to s5":   {Kind: Mixed, Severity: 99},
		"walk: option s0.3 (allowed: s0.25 to s5":    {Kind: Walk, Severity: 0.3},
		"mixed: option dNaN, which it does not have": {Kind: Mixed, Delta: math.NaN()},
		"gradual: option s3, which it does not have": {Kind: Gradual, Severity: 3},
	} {
		if _, err := New(s, d); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", s, err, want)
		}
	}
}

// set is a data set of small images in memory.
type set struct {
	n      int
	cursor data.Cursor
}

func (s *set) Info() data.Info {
	return data.Info{Format: "set", Classes: []string{"a", "b"}, Len: s.n}
}
func (s *set) Len() int                    { return s.n }
func (s *set) Close() error                { return nil }
func (s *set) Next(dst *data.Sample) error { return s.cursor.Next(s, dst) }
func (s *set) Read(i int, dst *data.Sample) error {
	r := rng.New(uint64(i))
	*dst = data.Sample{Key: fmt.Sprintf("=k,%d", i), Index: i, Label: i % 2, Form: data.RGB, W: 20, H: 16, Data: make([]byte, 20*16*3)}
	for p := range dst.Data {
		dst.Data[p] = byte(r.Uint64())
	}
	return nil
}

// The images of a stream are those of the corruptions by themselves, and its manifest gives it again.
func TestSource(t *testing.T) {
	src := &set{n: 9}
	samples, err := Describe(src)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"walk-s1-l2-n60", "gradual", "correlated", "mixed", "continual"} {
		order := mustNew(t, text, Data{Samples: 9, Labels: samples.Labels, Corruptions: three, Seed: 3})
		plan := &transform.Corruptions{Names: three, Crop: 16}
		s, err := NewSource(src, order, plan, 3)
		if err != nil {
			t.Fatal(err)
		}
		var manifest bytes.Buffer
		if err := WriteManifest(&manifest, order, samples, 3, Settings{"crop": "16"}); err != nil {
			t.Fatal(err)
		}
		again, err := ReadManifest(strings.NewReader("\ufeff"+manifest.String()), samples) // as a spreadsheet program saves it
		if err != nil || again.Seed != 3 || again.Len() != order.Len() || again.Settings["crop"] != "16" {
			t.Fatal(err)
		}
		for i := range order.Len() {
			if again.At(i) != order.At(i) {
				t.Fatalf("%s at %d: %v, replayed %v", text, i, order.At(i), again.At(i))
			}
			if i%7 == 0 {
				checkImage(t, s, src, order.At(i), i)
			}
		}
	}
}

// checkImage compares position i with the corruptions applied one after the other.
func checkImage(t *testing.T, s *Source, src *set, step Step, i int) {
	t.Helper()
	var got, original data.Sample
	if err := s.Read(i, &got); err != nil {
		t.Fatal(err)
	}
	if err := src.Read(step.Sample, &original); err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := original.Decode(&m); err != nil {
		t.Fatal(err)
	}
	key := transform.SampleKey(rng.NewKey(3), original.Key)
	cut := raster.New(16, 16)
	if err := transform.Prepared(0, 0, 16).Transform().Apply([]*raster.Image{cut}, &m, key); err != nil {
		t.Fatal(err)
	}
	for _, c := range step.Changes {
		if c.Corruption == "" {
			continue
		}
		op, err := corrupt.ByName(c.Corruption)
		if err != nil {
			t.Fatal(err)
		}
		r, out := transform.CorruptionKey(key, c.Corruption, c.Severity).Rand(), new(raster.Image)
		if err := op.Apply(out, cut, c.Severity, &r, new(corrupt.Scratch)); err != nil {
			t.Fatal(err)
		}
		cut = out
	}
	if !bytes.Equal(got.Data, cut.AppendRGB(nil)) || got.Label != original.Label || got.Key != KeyOf(i) || got.W != 16 {
		t.Errorf("at %d (%v): another image", i, step)
	}
	var about data.Sample
	if s.Describe(i, &about); about.Key != got.Key || about.Label != got.Label {
		t.Errorf("at %d: described as %s, label %d", i, about.Key, about.Label)
	}
}

func TestBadManifests(t *testing.T) {
	samples := Samples{[]string{"a", "b", "d", "d"}, []int{0, 1, 0, 0}}
	head := strings.Join(columns[:8], ",") + "\n"
	for text, want := range map[string]string{
		"":                             "first line",
		"position,key\n":               "first line",
		head:                           "no positions",
		head + "1,a,0,fog,3,,,7\n":     "row 1: position",
		head + "0,c,0,fog,3,,,7\n":     "row 1: key",
		head + "0,d,0,fog,3,,,7\n":     "row 1: key \"d\" (allowed: a key that one sample alone",
		head + "0,a,1,fog,3,,,7\n":     "row 1: label",
		head + "0,a,0,fog,6,,,7\n":     "row 1: severity",
		head + "0,a,0,,3,,,7\n":        "row 1: severity",
		head + "0,a,0,fog,3,snow,,7\n": "row 1: severity2",
		head + "0,a,0,fog,3,,,7\n1,b,1,fog,3,,,8\n": "row 2: seed",
		head + "0,a,0\n": "",
		strings.Join(columns, ",") + "\n0,a,0,fog,3,,,7,size\n": "row 1: images \"size\"",
	} {
		if _, err := ReadManifest(strings.NewReader(text), samples); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func ExampleNew() {
	spec, err := Parse("walk-s0.5-l1-n4")
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := New(spec, Data{Samples: 10, Corruptions: []string{"fog", "snow"}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range order.Len() {
		step := order.At(i)
		fmt.Println(step.Changes[0], step.Changes[1])
	}
	// Output:
	// {fog 0.5} { 0}
	// {fog 0.25} {snow 0.25}
	// {snow 0.5} { 0}
	// {snow 0.25} {fog 0.25}
}

// Manifests are known by their first line, those of earlier versions and those that a spreadsheet saved too.
func TestIsManifest(t *testing.T) {
	head := strings.Join(columns, ",")
	for text, want := range map[string]bool{
		head + "\n0,a,0,fog,5,,,0,size 32\n":       true,
		"\ufeff" + head + "\r\n":                   true,
		strings.TrimSuffix(head, ",images") + "\n": true,
		"":                false,
		head[:40] + "\n":  false,
		"a" + head + "\n": false,
		"mine\n" + head + "\n" + strings.Repeat("more", 99): false,
	} {
		if IsManifest([]byte(text)) != want {
			t.Errorf("%.60q: %v", text, !want)
		}
	}
}

// Corruptions of a plan come as they are asked for, each once.
func TestNames(t *testing.T) {
	names, err := Names([]string{"snow", "blur", "fog", "zoom_blur"}, cbar.CIFAR)
	if want := []string{"snow", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur", "gaussian_blur", "fog"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v", names, err)
	}
	for _, bad := range [][]string{nil, {"snow", "hail"}} {
		if names, err := Names(bad, cbar.CIFAR); !errors.Is(err, transform.ErrOption) {
			t.Errorf("%v, %v", names, err)
		}
	}
}
