package results

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/storage"
)

// TestBounds: a fraction that is in percent, or below zero, is no row; numbers that are none may be anything, differences below zero.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		metric, against string
		value           float64
		bad             bool
	}{
		{Top1Error, "", 1, false},
		{Top1Error, "", 10.5, true},
		{Top1Error, "", -0.1, true},
		{Top1Error, "", 1 + 1e-12, false},
		{Top1Error, "", math.NaN(), false},
		{Top1Error, "b", -0.1, false},
		{Top1Error, "b", -1.1, true},
		{Agreement, "b", 0.9, false},
		{Agreement, "b", -0.1, true},
		{AUROC, "", 97.5, true},
		{MeanCE, "", 1.3, false},
		{RelativeCE, "", -0.2, false},
		{NLL, "", 17, false},
		{"of the user's own", "", -5, false},
	} {
		r := Row{Model: "m", Dataset: "d", Metric: c.metric, Value: c.value, Origin: Measured, Time: time.Unix(1, 0)}
		r.Against = c.against
		err := r.Validate()
		if (err != nil) != c.bad {
			t.Errorf("%v of %s against %q: %v", c.value, c.metric, c.against, err)
		}
		if c.bad && (!errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "value") || !strings.Contains(err.Error(), c.metric)) {
			t.Errorf("%v of %s: says %v", c.value, c.metric, err)
		}
	}
}

// TestWriteNowhere: the error of a file that cannot be made names it, and no temporary one.
func TestWriteNowhere(t *testing.T) {
	path := t.TempDir() + "/none/x.jsonl"
	if err := WriteFile(path, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path+": ") || strings.Contains(err.Error(), storage.TempSuffix) {
		t.Error(err)
	}
}

// TestTypeErrors: a field of another type is named, and no type of Go.
func TestTypeErrors(t *testing.T) {
	line := `{"v":2,"model":"m","dataset":"d","metric":"error","value":0.5,"n":4,"origin":"measured","time":"2026-01-01T00:00:00Z"}`
	for _, c := range []struct{ old, replacement, want string }{
		{`0.5`, `"0.5"`, "value is of the type string (allowed: a number)"},
		{`"m"`, `7`, "model is of the type number (allowed: text)"},
		{`4`, `4.5`, "n is of the type number 4.5 (allowed: a whole number)"},
		{`"v":2`, `"v":"2"`, "v is of the type string (allowed: a whole number)"},
	} {
		_, err := ParseLine([]byte(strings.Replace(line, c.old, c.replacement, 1)))
		if !errors.Is(err, ErrFormat) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: says %v, want %s", c.replacement, err, c.want)
		}
	}
}
