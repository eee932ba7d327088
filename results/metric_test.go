package results

import (
	"math"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		metric string
		value  float64
		want   string
	}{
		{Top1Error, 0.1234567, "12.35 %"},
		{MeanCE, 1, "100.00 %"},
		{NLL, 12.34567, "12.3457"},
		{Top1Error, math.NaN(), "-"},
		{NLL, math.NaN(), "-"},
		{"mine", 0.5, "0.5000"},
		{Top5Distance, 0.8372, "0.8372"},
		{Top1Error, -0.01, "-1.00 %"},
	} {
		if got := Metric(c.metric).Format(c.value); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.metric, c.value, got, c.want)
		}
	}
	if got := Metric(Top1Error).FormatInterval(0.5, &Interval{Lo: 0.25, Hi: 0.75}); got != "50.00 % [25.00, 75.00]" {
		t.Errorf("%q", got)
	}
	seen := map[string]bool{}
	for _, m := range Metrics() {
		if m.Name == "" || m.Label == "" || m.Digits < 1 || seen[m.Name] || seen[m.Label] {
			t.Errorf("%+v", m)
		}
		seen[m.Name], seen[m.Label] = true, true
	}
	Metrics()[0].Label = "changed"
	if Metric(Top1Error).Label != "Error" {
		t.Error("the registry can be changed")
	}
}
