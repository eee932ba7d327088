package results

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// line1 is a line as version 1 wrote it.
func line1(dataset, corruption, view, metric string) string {
	return fmt.Sprintf(`{"v":1,"model":"m","dataset":%q,"corruption":%q,"view":%q,"metric":%q,"value":0.5,"n":10,`+
		`"time":"2024-05-01T12:00:00Z","origin":"measured"}`, dataset, corruption, view, metric)
}

// TestVersion1 reads every kind of view that version 1 wrote, and says it back in its words.
func TestVersion1(t *testing.T) {
	for _, c := range []struct {
		dataset, corruption, view, metric string
		want                              View
		wantMetric                        string
	}{
		{"d", "", "", "error", View{}, "error"},
		{"d", "", "pgd", "error", View{Attack: "pgd"}, "error"},
		{
			"d", "", "pgd-linf-eps4/255-step1/255-n10, clahe-c2-t8, limit 1000", "error",
			View{Attack: "pgd-linf-eps4/255-step1/255-n10", Preprocess: "clahe-c2-t8", Limit: 1000},
			"error",
		},
		{"d", "", "not preprocessed, ten-crop, limit 7", "nll", View{Preprocess: PreprocessNone, TenCrop: true, Limit: 7}, "nll"},
		{"d-c", "", "noise, ten-crop", "error", View{Group: "noise", TenCrop: true}, "error"},
		{"d", "", "svhn, limit 7", "auroc", View{OOD: "svhn", Limit: 7}, "auroc"},
		{"d", "", "noise", "aupr", View{OOD: "noise"}, "aupr"},
		{"d", "", "svhn", "auroc_max_logit", View{OOD: "svhn", Score: "max_logit"}, "auroc"},
		{"d", "", "a, b", "fpr95_xent_uniform", View{OOD: "a, b", Score: "xent_uniform"}, "fpr95"},
		{"d", "", "", "rms_calibration_skip_last", View{SkipLast: true}, "rms_calibration"},
		{"d", "", "ten-crop; bin 3 of 15", "bin_accuracy", View{TenCrop: true, Bin: 3, Bins: 15}, "bin_accuracy"},
		{"d", "", "pgd, limit 40; bin 3 of 15", "bin_accuracy", View{Attack: "pgd", Limit: 40, Bin: 3, Bins: 15}, "bin_accuracy"},
		{"d", "", "bin 15 of 15", "bin_confidence", View{Bin: 15, Bins: 15}, "bin_confidence"},
		{"d", "", "fourier, limit 9", "error", View{Fourier: true, Limit: 9}, "error"},
		{"d", "", "epoch 12", "train_loss", View{Epoch: 12}, "train_loss"},
		{"d", "", "minus other; odd", "error_difference", View{Against: "other; odd"}, "error"},
		{"d-c", "", "blur; minus other", "error_difference", View{Group: "blur", Against: "other"}, "error"},
		{"d", "", "svhn; minus other", "auroc_energy_difference", View{OOD: "svhn", Score: "energy", Against: "other"}, "auroc"},
		{"d", "", "held-out subtypes", "error", View{Part: "held-out subtypes"}, "error"},
		{"d", "", "epoch 012", "error", View{Part: "epoch 012"}, "error"},
		{"d", "", "limit 0", "error", View{Part: "limit 0"}, "error"},
		{"d", "fog", "noise", "error", View{Part: "noise"}, "error"},
	} {
		r, err := ParseLine([]byte(line1(c.dataset, c.corruption, c.view, c.metric)))
		if err != nil || r.View != c.want || r.Metric != c.wantMetric || r.Dataset != c.dataset {
			t.Errorf("%q of %s: %+v of %s, %v", c.view, c.metric, r.View, r.Metric, err)
		}
		if r.Text() != c.view {
			t.Errorf("%q is %q", c.view, r.Text())
		}
		name := r.MetricName(r.Metric)
		if r.Against != "" {
			name += suffixDifference
		}
		if name != c.metric {
			t.Errorf("%s is %s", c.metric, name)
		}
		var back Row
		text, err := r.AppendLine(nil)
		if err == nil {
			back, err = ParseLine(text)
		}
		if err != nil || !back.Equal(&r) {
			t.Errorf("%q of %s: %v", c.view, c.metric, err)
		}
	}
	for _, view := range []string{"limit", "limit x", "limit -3", "unlimited 4", "limit 4, pgd", "limit 99999999999999999999"} {
		if r, err := ParseLine([]byte(line1("d", "", view, "error"))); err != nil || r.View != (View{Part: view}) {
			t.Errorf("%q: %+v, %v", view, r.View, err)
		}
	}
	agreement, err := ParseLine([]byte(line1("d", "", "b, limit 5", "agreement")))
	if err != nil || agreement.View != (View{Against: "b, limit 5"}) {
		t.Errorf("%+v, %v", agreement, err)
	}
	clean, err := ParseLine([]byte(line1("cifar10-c", "", "clean", "error")))
	if err != nil || clean.View != (View{}) || clean.Dataset != "cifar10" {
		t.Errorf("%+v, %v", clean, err)
	}
}

func TestVersion1Refuses(t *testing.T) {
	for _, c := range [][2]string{
		{"", "bin_accuracy"},
		{"bin 0 of 2", "bin_accuracy"},
		{"bin 3 of 2", "bin_confidence"},
		{"pgd", "bin_accuracy"},
		{"bin 3 of 99999999", "bin_accuracy"},
		{"", "agreement"},
		{"m", "agreement"},
		{"minus m", "error_difference"},
	} {
		text := line1("d", "", c[0], c[1]) + "\n"
		if _, err := Read(strings.NewReader(text), "old.jsonl"); !errors.Is(err, ErrFormat) ||
			!strings.HasPrefix(err.Error(), "old.jsonl:1: ") {
			t.Errorf("%q of %s: %v", c[0], c[1], err)
		}
	}
}

// Lines of both versions stand in one file, which grows by the newer one.
func TestBothVersions(t *testing.T) {
	text := strings.Replace(sampleLine, `"v":2`, `"v":1`, 1) + sampleLine
	rows, err := Read(strings.NewReader(text), "f")
	if err != nil || len(rows) != 2 || !rows[0].Row.Equal(&rows[1].Row) {
		t.Errorf("%+v, %v", rows, err)
	}
	if merged, err := Merge(rows); err != nil || len(merged) != 1 {
		t.Errorf("%d rows, %v", len(merged), err)
	}
}

// FuzzVersions: what a line of either version says is written by version 2 and read back the same.
func FuzzVersions(f *testing.F) {
	f.Add([]byte(sampleLine))
	for _, c := range [][2]string{
		{"pgd, ten-crop, limit 5", "error"},
		{"a; minus b", "error_difference"},
		{"x; bin 1 of 2", "bin_accuracy"},
		{"svhn", "auroc_energy"},
		{"b", "agreement"},
		{"clean", "error"},
		{"epoch 3", "nll"},
		{"noise", "error"},
	} {
		f.Add([]byte(line1("d-c", "", c[0], c[1])))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseLine(text)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		line, err := r.AppendLine(nil)
		if err != nil {
			return // longer than the line was
		}
		back, err := ParseLine(line)
		if err != nil || !back.Equal(&r) {
			t.Errorf("%q is %+v and then %+v (%v)", text, r, back, err)
		}
	})
}
