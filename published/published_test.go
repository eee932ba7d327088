package published

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

func one(t *testing.T, q Query, view string) Entry {
	t.Helper()
	var found []Entry
	for _, e := range Find(q) {
		if e.View().Text() == view && e.Severity == 0 && e.Corruption == q.Corruption {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%+v, view %q: %d entries", q, view, len(found))
	}
	return found[0]
}

// TestHandPicked reads figures that every reader of the papers knows through the whole of the package.
func TestHandPicked(t *testing.T) {
	for _, c := range []struct {
		q       Query
		view    string
		want    float64
		rounded float64
		source  string
	}{
		{
			Query{Paper: AugMix, Table: "1", Method: "AugMix", Architecture: "WRN", Dataset: "cifar10-c"},
			"", .112, .0005,
			"AugMix, table 1",
		},
		{Query{Paper: AugMix, Table: "2", Method: "AugMix + SIN", Metric: "mce"}, "", .649, .0005, "AugMix, table 2"},
		{
			Query{Paper: PixMix, Table: "8", Method: "pixmix", Metric: "error", Dataset: "cifar10-c"},
			"", .095, .0005,
			"PixMix, table 8",
		},
		{
			Query{Paper: PixMix, Table: "7", Method: "Baseline", Metric: "error", Dataset: "cifar100"},
			"pgd", .968, .0005,
			"PixMix, table 7",
		},
		{Query{Paper: PixMix, Table: "8", Method: "PixMix", Metric: "top5_distance"}, "", 1, .05, "PixMix, table 8"},
		{Query{Paper: PixMix, Table: "9", Method: "PixMix", Metric: "mt5d"}, "", .691, .0005, "PixMix, table 9"},
		{Query{Paper: PixMix, Table: "13", Method: "PixMix", Metric: "auroc"}, "svhn", .995, .0005, "PixMix, table 13"},
		{
			Query{Paper: PixMix, Table: "14", Method: "k = 4, beta = 3", Dataset: "cifar100-c"},
			"", .305, .0005,
			"PixMix, table 14",
		},
		{Query{Paper: ImageNetC, Architecture: "ResNet-18", Metric: "relative_mce"}, "", 1.039, .0005, "ImageNet-C, table 2"},
		{
			Query{Paper: ImageNetC, Architecture: "ResNet-50", Metric: "ce", Corruption: "brightness"},
			"", .57, .005,
			"ImageNet-C, table 1",
		},
		{Query{Table: "assembled-cnn", Corruption: "tilt"}, "", .0705, 5e-6, "ImageNet-C, assembled-cnn"},
	} {
		e := one(t, c.q, c.view)
		if math.Abs(e.Value()-c.want) > 1e-12 || math.Abs(e.Rounding()-c.rounded) > 1e-12 || e.Source() != c.source {
			t.Errorf("%+v: %v, rounding %v, %s", c.q, e.Value(), e.Rounding(), e.Source())
		}
	}
}

// TestMeans recomputes every printed mean from its printed parts, wherever a table prints both. The parts are off by at
// most their rounding, so their mean is off by at most the mean of that, and the printed mean by its own.
func TestMeans(t *testing.T) {
	wholes := map[string]string{"mce": "ce", "mfr": "flip_rate", "relative_mce": "relative_ce", "auroc": "auroc", "error": "error"}
	n := 0
	for _, whole := range All() {
		metric, ok := wholes[whole.Metric]
		if !ok || whole.Corruption != "" || whole.OOD != "" || whole.Severity > 0 {
			continue
		}
		parts := slices.DeleteFunc(Find(Query{Paper: whole.Paper, Table: whole.Table, Dataset: whole.Dataset, Metric: metric}),
			func(e Entry) bool {
				return e.Method != whole.Method || e.Architecture != whole.Architecture || e.Corruption == "" && e.OOD == "" || e.Severity > 0
			})
		if len(parts) < 2 {
			continue
		}
		if n++; len(parts) != 15 && len(parts) != 10 && len(parts) != 7 {
			t.Errorf("%s, %s, %s: a mean over %d parts", whole.Source(), whole.Model(), whole.Metric, len(parts))
		}
		var sum, slack float64
		for _, e := range parts {
			sum += e.Value() / float64(len(parts))
			slack += e.Rounding() / float64(len(parts))
		}
		slack += whole.Rounding() + 1e-12
		if math.Abs(sum-whole.Value()) > slack {
			t.Errorf("%s, %s, %s: printed %v, recomputed %v, rounding %v", whole.Source(), whole.Model(), whole.Metric,
				whole.Value(), sum, slack)
		}
	}
	if n != 56 {
		t.Errorf("%d means recomputed", n)
	}
}

// TestDisagreements names every place where a paper contradicts itself.
func TestDisagreements(t *testing.T) {
	want := []string{
		"tables 1 and 2: Baseline, WRN-40-4, cifar100 error pgd: 96.5 and 96.8",
		"tables 1 and 7: Baseline, WRN-40-4, cifar100 error pgd: 96.5 and 96.8",
		"tables 2 and 7: Outlier Exposure, WRN-40-4, cifar100 error pgd: 97.2 and 97.0",
		"tables 2 and 7: Outlier Exposure, WRN-40-4, cifar100-c error: 51.5 and 50.3",
		"tables 2 and 7: Outlier Exposure, WRN-40-4, cifar100-c rms_calibration: 15.2 and 13.8",
	}
	var got []string
	others := 0
	for _, d := range Disagreements() {
		if d.A == nil {
			others++
			continue
		}
		got = append(got, d.Where+": "+d.What)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) || others != len(beyondCells) {
		t.Errorf("%d others, got\n%s\nwant\n%s", others, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBeyondCells recomputes what the remarks say of the tables.
func TestBeyondCells(t *testing.T) {
	for _, c := range []struct{ dataset, method, mean string }{
		{"cifar10-c", "Standard", "29.0"},
		{"cifar10-c", "AugMix", "12.5"},
		{"cifar100-c", "Standard", "55.6"},
		{"cifar100-c", "AugMix", "38.3"},
	} {
		var sum float64
		n := 0
		for _, e := range Find(Query{Paper: AugMix, Table: "1", Dataset: c.dataset, Metric: "error"}) {
			if e.Method == c.method {
				sum, n = sum+100*e.Value(), n+1
			}
		}
		// The paper rounds halves up, so that a mean of 12.45 is 12.5.
		if got := fmt.Sprintf("%.1f", sum/float64(n)+1e-9); n != 4 || got != c.mean {
			t.Errorf("%s, %s: %s over %d networks", c.dataset, c.method, got, n)
		}
	}
	var ces [2][]string
	for i, method := range []string{"Baseline", "CutMix"} {
		for _, e := range Find(Query{Paper: PixMix, Table: "15", Metric: "ce"}) {
			if e.Method == method {
				ces[i] = append(ces[i], e.Printed)
			}
		}
	}
	if len(ces[0]) != 15 || !slices.Equal(ces[0], ces[1]) {
		t.Errorf("table 15: %v and %v", ces[0], ces[1])
	}
	for _, method := range []string{"ANT", "Speckle", "Noise2Net"} {
		bar := one(t, Query{Paper: PixMix, Table: "11", Method: method, Dataset: "imagenet-c-bar", Metric: "error"}, "")
		r := one(t, Query{Paper: PixMix, Table: "11", Method: method, Dataset: "imagenet-r", Metric: "error"}, "")
		if math.Abs(bar.Value()-r.Value()) > 0.0011 {
			t.Errorf("table 11, %s: %s and %s", method, bar.Printed, r.Printed)
		}
	}
	if e := one(t, Query{Table: "2", Method: "AugMix + SIN", Metric: "mce"}, ""); e.Printed != "64.9" || !strings.Contains(e.Note, "64.1") {
		t.Errorf("%+v", e)
	}
}

// TestSameQuantityOfTwoTables: the last rows of the ablations are the model of table 7.
func TestSameQuantityOfTwoTables(t *testing.T) {
	for _, q := range []Query{
		{Metric: "error", Dataset: "cifar100"},
		{Metric: "error", Dataset: "cifar100-c"},
		{Metric: "flip_probability"},
		{Metric: "rms_calibration", Dataset: "cifar100-c"},
		{Metric: "auroc"},
	} {
		q.Paper, q.Table, q.Method = PixMix, "7", "PixMix"
		want := one(t, q, "")
		q.Table, q.Method = "4", "Fractals + FVis"
		if got := one(t, q, ""); got.Printed != want.Printed {
			t.Errorf("%+v: %s, table 7 %s", q, got.Printed, want.Printed)
		}
	}
	for _, net := range []string{"cifar10-c", "cifar100-c"} {
		for _, method := range []string{"Standard", "AugMix"} {
			var v []string
			for _, table := range []string{"1", "4"} {
				for _, e := range Find(Query{Paper: AugMix, Table: table, Architecture: "WRN", Dataset: net}) {
					if e.Method == method {
						v = append(v, e.Printed)
					}
				}
			}
			if len(v) != 2 || v[0] != v[1] {
				t.Errorf("%s, %s: %v", method, net, v)
			}
		}
	}
}

// TestAlexNet: the figures that metrics divides by are the published ones.
func TestAlexNet(t *testing.T) {
	for _, c := range []struct {
		b    *metrics.Baseline
		from string
	}{{metrics.AlexNetErrors(), "authors"}, {metrics.AlexNetFlips(), "assembled-cnn"}} {
		n := 0
		for _, e := range Find(Query{Paper: ImageNetC, Table: c.from}) {
			values := c.b.Values[e.Corruption]
			if e.Severity == 0 && len(values) > 1 { // the mean over severities, rounded by itself
				var sum float64
				for _, v := range values {
					sum += v / float64(len(values))
				}
				if math.Abs(sum-e.Value()) > 2*e.Rounding() {
					t.Errorf("%s: mean %v, recomputed %v", e.Corruption, e.Value(), sum)
				}
				continue
			}
			n++
			if got := values[max(e.Severity, 1)-1]; got != e.Value() {
				t.Errorf("%s %d: %v, metrics has %v", e.Corruption, e.Severity, e.Value(), got)
			}
		}
		want := 0
		for _, v := range c.b.Values {
			want += len(v)
		}
		if n != want {
			t.Errorf("%s: %d figures, metrics has %d", c.from, n, want)
		}
	}
}

func TestEveryEntry(t *testing.T) {
	keys := map[results.Key]string{}
	for _, e := range All() {
		r := e.Row()
		if err := r.Validate(); err != nil {
			t.Errorf("%+v: %v", e, err)
		}
		if was, twice := keys[r.Key()]; twice {
			t.Errorf("%s twice: %s and %s", r.Key(), was, e.Printed)
		}
		keys[r.Key()] = e.Printed
		if Title(e.Paper) == "" || e.Architecture == "" {
			t.Errorf("%+v", e)
		}
		if p, err := metrics.LookupProfile(e.Dataset); err == nil && e.Corruption != "" {
			if !slices.ContainsFunc(p.Corruptions, func(c metrics.Corruption) bool { return c.Name == e.Corruption }) {
				t.Errorf("%s is not in %s", e.Corruption, e.Dataset)
			}
		}
	}
	for _, c := range []struct {
		paper string
		n     int
	}{{AugMix, 414}, {PixMix, 1092}, {ImageNetC, 405}} {
		if n := len(Find(Query{Paper: c.paper})); n != c.n {
			t.Errorf("%s: %d entries, want %d", c.paper, n, c.n)
		}
	}
	if len(Find(Query{Paper: "nobody"})) != 0 || Title("nobody") != "" {
		t.Error("a paper that there is not")
	}
}

func TestParseRefuses(t *testing.T) {
	head := strings.Join(columns, ",") + "\n"
	for text, words := range map[string]string{
		"":      "head",
		"a,b\n": "head",
		head + "1,m,a,d,error,,9,,,,3,percent,\n":  "severity",
		head + "1,m,a,d,error,,,,,,x,percent,\n":   "value",
		head + "1,m,a,d,error,,,,,,NaN,percent,\n": "value",
		head + "1,m,a,d,error,,,,,,3,fraction,\n":  "fraction",
		head + "1,m,a,d,error,,,,,,3,furlong,\n":   "unit",
		head + "1,,a,d,error,,,,,,3,percent,\n":    "entry 1: no method",
		head + "1,m\n":                             "wrong number of fields",
	} {
		_, err := parse(fstest.MapFS{"augmix.csv": {Data: []byte(text)}}, AugMix)
		if !errors.Is(err, errFormat) || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := parse(fstest.MapFS{}, AugMix); err == nil {
		t.Error("no file")
	}
}

func ExampleFind() {
	for _, e := range Find(Query{Paper: "pixmix", Table: "8", Metric: "error", Dataset: "cifar10-c"}) {
		fmt.Println(e.Method, e.Printed, e.Unit)
	}
	// Output:
	// Baseline 26.4 percent
	// Cutout 25.9 percent
	// Mixup 21.0 percent
	// CutMix 26.5 percent
	// AutoAugment 22.2 percent
	// AugMix without JSD 12.4 percent
	// Outlier Exposure 25.1 percent
	// PixMix 9.5 percent
}
