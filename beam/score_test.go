package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// testLogits makes a folder as of CIFAR-10-C, of all 15 corruptions and clean images, with rows that saturate and ties.
func testLogits(t *testing.T, images int) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	labels := make([]int64, images)
	for i := range labels {
		labels[i] = r.Int64N(10)
	}
	put := func(name string, data any, shape ...int) {
		if err := npy.WriteFile(filepath.Join(dir, name+".npy"), &npy.Array{Shape: shape, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(n int, scale float64) []float32 {
		v := make([]float32, n*10)
		for i := range n {
			for k := range 10 {
				v[i*10+k] = float32(r.NormFloat64())
			}
			v[i*10+int(labels[i%images])] += float32(scale * r.ExpFloat64())
			if i%40 == 0 {
				copy(v[i*10:][:10], v[:10])
			}
		}
		return v
	}
	put("labels", labels, images)
	put("clean", rows(images, 12), images, 10)
	profile, err := metrics.LookupProfile("cifar10-c")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range profile.Primary() {
		put(name, rows(5*images, 5), 5*images, 10)
	}
	return dir
}

// The rows are those of augmix score: the exact ones bit for bit, the others within the bounds that they state, for any number of
// parts, which give the same bytes.
func TestScore(t *testing.T) {
	in := testLogits(t, 450)
	dir := t.TempDir()
	printed := plain(t, "score", in, "--model", "net", "--reference-binning", "-o", filepath.Join(dir, "plain.jsonl"))
	_, table, _ := strings.Cut(printed, "\nCORRUPTION ")
	if strings.Count(table, "\n") < 15 {
		t.Fatal(printed)
	}
	want := map[results.Key]results.Row{}
	all, err := results.ReadFile(filepath.Join(dir, "plain.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Metric != results.SmoothECE {
			want[r.Key()] = r.Row
		}
	}
	var first []string
	for _, n := range []int{1, 3, 8} {
		out := filepath.Join(dir, strconv.Itoa(n), results.FileName)
		if err := os.Mkdir(filepath.Dir(out), 0o777); err != nil {
			t.Fatal(err)
		}
		code, said := piped(t, augmix, n, "score", in, "--model=net", "--reference-binning", "-o", out)
		if code != exitDone || !strings.Contains(said, "mCE (mean over 15, unnormalized)") || !strings.Contains(said, ": within ") ||
			!strings.HasSuffix(said, "\nCORRUPTION "+table) {
			t.Fatalf("%d: %s", code, said)
		}
		got := rows(t, filepath.Dir(out))
		if first == nil {
			first = got
			compareRows(t, out, want)
		}
		if strings.Join(got, "") != strings.Join(first, "") {
			t.Errorf("%d parts give other rows", n)
		}
	}
}

func compareRows(t *testing.T, path string, want map[results.Key]results.Row) {
	t.Helper()
	rows, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for _, r := range rows {
		w, ok := want[r.Key()]
		bound := boundOf(t, &r.Row)
		if bound == 0 {
			exact++
		}
		switch {
		case !ok || r.N != w.N:
			t.Errorf("%s: n %d, want %d (%v)", r.Key(), r.N, w.N, ok)
		case math.IsNaN(w.Value) != math.IsNaN(r.Value), math.Abs(r.Value-w.Value) > bound:
			t.Errorf("%s: %v, want %v within %v", r.Key(), r.Value, w.Value, bound)
		case bound > 0.02:
			t.Errorf("%s: a bound of %v says nothing", r.Key(), bound)
		}
	}
	if len(rows) != len(want) || exact < 500 || exact == len(rows) {
		t.Errorf("%d rows, %d of them exact, want %d", len(rows), exact, len(want))
	}
}

func boundOf(t *testing.T, r *results.Row) float64 {
	t.Helper()
	text, ok := strings.CutPrefix(r.Versions[approximate], "within ")
	if !ok {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v <= 0 {
		t.Fatal(text, err)
	}
	return v
}

// A part that is done again, or by two workers, has the same bytes, and sums survive their encoding.
func TestScoreParts(t *testing.T) {
	in := testLogits(t, 30)
	s, err := readScoring(program{Dir: t.TempDir(), Args: []string{"score", in, "-o", "out"}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	part := func(i int) map[int]*cellSums {
		cells := map[int]*cellSums{}
		if err := (&countFn{*s}).ProcessElement(t.Context(), i, nil, func(c int, v *cellSums) { cells[c] = v }); err != nil {
			t.Fatal(err)
		}
		return cells
	}
	shared := 0
	a, again, b := part(0), part(0), part(1)
	for c := range 1 + 5*15 {
		if a[c] != nil && !bytes.Equal(encoded(t, a[c]), encoded(t, again[c])) {
			t.Errorf("cell %d differs when it is done again", c)
		}
		if a[c] != nil && b[c] != nil {
			shared++
			if !bytes.Equal(encoded(t, merged(a[c], b[c])), encoded(t, merged(b[c], a[c]))) {
				t.Errorf("cell %d depends on the order", c)
			}
		}
	}
	if shared != 1 || len(a) != 26 || len(b) != 26 {
		t.Errorf("%d and %d cells, %d in both", len(a), len(b), shared)
	}
	text := encoded(t, a[0])
	if back, err := decodeSums(text); err != nil || !bytes.Equal(encoded(t, back), text) {
		t.Error(err)
	}
	for _, n := range []int{0, 20, 100, len(text) - 1} {
		if _, err := decodeSums(text[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken", n, len(text))
		}
	}
}

func encoded(t *testing.T, s *cellSums) []byte {
	t.Helper()
	text, err := s.encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The bounds hold for whatever confidences, and are tight for ties and wide apart ones.
func TestSketchBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 5000
	for name, c := range map[string]struct {
		bound float64 // at most, of AURC and RMS
		row   func(i int) (float64, bool)
	}{
		"all equal":   {2 * rounding, func(i int) (float64, bool) { return 0.7, i%3 > 0 }},
		"ties":        {2 * rounding, func(i int) (float64, bool) { return float64(i%10+1) / 10, r.Float64() < 0.6 }},
		"uniform":     {0.02, func(int) (float64, bool) { p := r.Float64(); return p, r.Float64() < p }},
		"saturated":   {0.1, func(int) (float64, bool) { p := 1 - math.Exp(-40*r.Float64()); return p, r.Float64() < p }},
		"heavy tails": {0.1, func(int) (float64, bool) { p := math.Exp(-40 * r.Float64()); return p, r.Float64() < p }},
		"ends":        {2 * rounding, func(i int) (float64, bool) { return float64(i % 2), i%5 > 0 }},
		// All in one bucket, the wrong ones first: what a histogram cannot see.
		"hidden":   {1, func(i int) (float64, bool) { return 0.3 + 1e-9*float64(i), i >= n/2 }},
		"reversed": {1, func(i int) (float64, bool) { return 0.3 + 1e-9*float64(i), i < n/2 }},
	} {
		for _, size := range []int{1, 7, 100, n} {
			var s sketch
			var exact metrics.Calibration
			for i := range n {
				conf, right := c.row(i)
				s.add(conf, right)
				if err := exact.Add(conf, right); err != nil {
					t.Fatal(err)
				}
			}
			s.sort()
			for _, skip := range []bool{false, true} {
				got := s.calibration(uint64(size), skip)
				for norm, e := range map[metrics.Norm]estimate{metrics.RMS: got.RMS, metrics.MAD: got.MAD} {
					want, err := exact.Error(norm, metrics.Adaptive{Size: size, SkipLast: skip})
					check(t, name+" "+norm.String()+" "+strconv.Itoa(size), e, want, err)
				}
				if size == 100 && got.RMS.Bound > c.bound {
					t.Errorf("%s: the bound of RMS is %v", name, got.RMS.Bound)
				}
			}
			area := s.area()
			want, err := exact.AURC()
			check(t, name+" AURC", area, want, err)
			if area.Bound > c.bound {
				t.Errorf("%s: the bound of AURC is %v", name, area.Bound)
			}
			var wrong uint64
			for _, b := range s.Buckets {
				wrong += b.N - b.Right
			}
			want, err = exact.ExcessAURC()
			check(t, name+" E-AURC", estimate{max(area.Value-best(n, wrong), 0), area.Bound + rounding}, want, err)
		}
	}
}

func check(t *testing.T, name string, e estimate, want float64, err error) {
	t.Helper()
	if err != nil || !(math.Abs(e.Value-want) <= e.Bound) {
		t.Errorf("%s: %v, want %v within %v %v", name, e.Value, want, e.Bound, err)
	}
}

// Buckets order confidences, and are as narrow as they say.
func TestBuckets(t *testing.T) {
	last, lowest := uint32(0), 0.0
	for i := range 200001 {
		conf := float64(i) / 200000
		k := keyOf(conf)
		if k < last || k >= sketchBuckets {
			t.Fatalf("%v is in bucket %d, after %d", conf, k, last)
		}
		if k > last {
			lowest = conf
		}
		if last = k; conf-lowest > 1./4096 {
			t.Fatalf("bucket %d has %v and %v", k, lowest, conf)
		}
	}
	if keyOf(0) != 0 || keyOf(1) != sketchBuckets-1 || keyOf(0.5) == keyOf(0.5001) {
		t.Error("the ends")
	}
}

// What score has not is said, and so is what is wrong with the predictions.
func TestScoreRefused(t *testing.T) {
	in := testLogits(t, 20)
	out := filepath.Join(t.TempDir(), "rows.jsonl")
	for want, args := range map[string][]string{
		"-bootstrap (allowed: --baseline":   {"score", in, "-o", out, "--bootstrap", "100"},
		"score without -o FILE":             {"score", in},
		"2 PRED (allowed: one":              {"score", in, in, "-o", out},
		"a disk that all workers share":     {"score", "s3://b/p", "-o", out},
		"-o gs://b/rows (allowed: a file":   {"score", in, "-o", "gs://b/rows"},
		"fog.npy, which is read, would be":  {"score", filepath.Join(in, "fog.npy"), "-o", filepath.Join(in, "fog.npy")},
		"no labels":                         {"score", filepath.Join(in, "fog.npy"), "-o", out},
		"--bins equal:0 (allowed":           {"score", in, "-o", out, "--bins", "equal:0"},
		"AlexNet":                           {"score", in, "-o", out, "--baseline", "alexnet"},
		"no published benchmark has 10 cla": {"score", renamed(t, in), "-o", out},
	} {
		if code, said := piped(t, augmix, 2, args...); code != exitUsage || !strings.Contains(said, want) || strings.Count(said, "\n") > 1 {
			t.Errorf("%q: %d: %s", args, code, said)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("rows were written")
		}
	}
	fog, err := npy.ReadFile(filepath.Join(in, "fog.npy"))
	if err != nil {
		t.Fatal(err)
	}
	fog.Data.([]float32)[10*71] = float32(math.NaN())
	if err := npy.WriteFile(filepath.Join(in, "fog.npy"), fog); err != nil {
		t.Fatal(err)
	}
	if code, said := piped(t, augmix, 3, "score", in, "-o", out); code != exitFailed || !strings.Contains(said, "fog.npy: ") || !strings.Contains(said, "row 71") {
		t.Errorf("%d: %s", code, said)
	}
}

// renamed returns a folder whose corruption nobody has published.
func renamed(t *testing.T, in string) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"fog": "rust", "labels": "labels"} {
		text, err := os.ReadFile(filepath.Join(in, from+".npy"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to+".npy"), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
