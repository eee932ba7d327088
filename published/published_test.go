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
		{Query{Paper: ImageNetC, Architecture: "ResNet-18", Metric: "relative_mce"}, "", 1.039, .0005, "ImageNet-C paper"},
		{Query{Paper: ImageNetC, Metric: "ce", Corruption: "brightness"}, "", .57, .005, "ImageNet-C paper"},
		{Query{Table: "assembled-cnn", Corruption: "tilt"}, "", .0705, 5e-6, "ImageNet-C, assembled-cnn"},
	} {
		e := one(t, c.q, c.view)
		if math.Abs(e.Value()-c.want) > 1e-12 || math.Abs(e.Rounding()-c.rounded) > 1e-12 || e.Source() != c.source {
			t.Errorf("%+v: %v, rounding %v, %s", c.q, e.Value(), e.Rounding(), e.Source())
		}
	}
}

// TestMeans recomputes printed means from printed parts. The parts are off by at most their rounding, so their mean is
// off by at most the mean of that, and the printed mean by its own.
func TestMeans(t *testing.T) {
	type mean struct {
		whole Entry
		parts []Entry
	}
	var means []mean
	for _, method := range []string{"Baseline", "PixMix"} {
		means = append(means, mean{
			one(t, Query{Paper: PixMix, Table: "9", Method: method, Dataset: "imagenet-c-bar", Metric: "error"}, ""),
			Find(Query{Paper: PixMix, Table: "16", Method: method}),
		})
	}
	for _, method := range []string{"Baseline", "Outlier Exposure", "PixMix"} {
		parts := Find(Query{Paper: PixMix, Table: "13", Method: method, Metric: "auroc"})
		i := slices.IndexFunc(parts, func(e Entry) bool { return e.OOD == "" })
		whole := parts[i]
		means = append(means, mean{whole, slices.Delete(parts, i, i+1)})
	}
	for _, m := range means {
		want := map[string]int{"9": 10, "13": 7}[m.whole.Table]
		if len(m.parts) != want {
			t.Fatalf("%s: %d parts, want %d", m.whole.Source(), len(m.parts), want)
		}
		var sum, slack float64
		for _, e := range m.parts {
			sum += e.Value() / float64(want)
			slack += e.Rounding() / float64(want)
		}
		slack += m.whole.Rounding() + 1e-12
		if d := math.Abs(sum - m.whole.Value()); d > slack {
			t.Errorf("%s, %s: printed %v, recomputed %v: apart by more than rounding, %v", m.whole.Source(), m.whole.Method,
				m.whole.Value(), sum, slack)
		} else if m.whole.Metric == "error" && d > 0.002 {
			t.Errorf("%s: %v is within rounding, but the doc says less", m.whole.Method, d)
		}
	}
}

// TestDisagreements names every place where a paper contradicts itself.
func TestDisagreements(t *testing.T) {
	want := []string{
		"pixmix: Outlier Exposure cifar100-c error: 51.5 in table 2, 50.3 in table 7",
		"pixmix: Outlier Exposure cifar100-c rms_calibration: 15.2 in table 2, 13.8 in table 7",
		"pixmix: Outlier Exposure cifar100 error pgd: 97.2 in table 2, 97.0 in table 7",
		"pixmix: Baseline cifar100 error pgd: 96.5 in table 1, 96.8 in table 7",
	}
	var got []string
	for _, d := range Disagreements() {
		e := d.A
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s: %s %s %s %s", e.Paper, e.Method, e.Dataset, e.Metric, e.View().Text()))+
			fmt.Sprintf(": %s in table %s, %s in table %s", d.A.Printed, d.A.Table, d.B.Printed, d.B.Table))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// The known disagreement between a table and the text around it is in the note.
	if e := one(t, Query{Table: "2", Method: "SIN", Metric: "mce"}, ""); !strings.Contains(e.Note, "64.1") {
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
	}{{AugMix, 54}, {PixMix, 228}, {ImageNetC, 177}} {
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
	// AugMix without JSD 12.4 percent
	// Outlier Exposure 25.1 percent
	// PixMix 9.5 percent
}
