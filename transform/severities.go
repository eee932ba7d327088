package transform

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/option"
)

// thousandths is what severities are multiples of, so that each has one short name.
const thousandths = 1000

// ParseSeverities reads a list of severities from 0, the image as it is, to 5, with up to three decimals, and of ranges of
// them in steps of 1 or as said: "1-5", "1,2.5,5", "0-5:0.25". The result is ascending. The error wraps ErrOption.
func ParseSeverities(s string) ([]float64, error) {
	bad := option.Errorf(ErrOption, "{severity} %q (allowed: 0 to %d with up to three decimals, as a list or a range: 1,2.5,5 or 1-%[2]d, or "+
		"one with a step: 0-%[2]d:0.25)", s, corrupt.Severities)
	var out []float64
	for item := range strings.SplitSeq(s, ",") {
		span, by, stepped := strings.Cut(item, ":")
		lo, hi, isRange := strings.Cut(span, "-")
		if !isRange {
			hi = lo
		}
		if !stepped {
			by = "1"
		}
		a, ok1 := parseThousandths(lo)
		b, ok2 := parseThousandths(hi)
		step, ok3 := parseThousandths(by)
		if !ok1 || !ok2 || !ok3 || a > b || step == 0 || stepped && !isRange {
			return nil, bad
		}
		for ; a <= b; a += step {
			out = append(out, float64(a)/thousandths)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// parseThousandths reads a severity, or the step between two.
func parseThousandths(s string) (int, bool) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= corrupt.Severities) {
		return 0, false
	}
	n := math.Round(v * thousandths)
	return int(n), n/thousandths == v
}

// FormatSeverities is a list that ParseSeverities reads.
func FormatSeverities(severities []float64) string {
	var names []string
	for _, s := range severities {
		names = append(names, SeverityName(s))
	}
	return strings.Join(names, ",")
}
