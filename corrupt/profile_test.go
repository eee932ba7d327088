package corrupt

import (
	"testing"

	"github.com/augmix-go/augmix/internal/corruption"
	_ "github.com/augmix-go/augmix/internal/fixedseed"

	"pgregory.net/rapid"
)

func TestTablesAreWhole(t *testing.T) {
	for _, r := range rows {
		for k, set := range r.table.Sets {
			for severity, v := range set {
				if v == (params{}) && r.name != "elastic_transform" {
					t.Errorf("%s: no parameters for side %d, severity %d", r.name, corruption.Sides[k], severity+1)
				}
				for c := len(r.table.Kinds); c < len(v); c++ {
					if v[c] != 0 {
						t.Errorf("%s: side %d, severity %d: parameter %d has no kind", r.name, corruption.Sides[k], severity+1, c)
					}
				}
			}
		}
	}
}

func TestAutoEqualsProfiles(t *testing.T) {
	for _, r := range rows {
		for side, p := range map[int]Profile{32: P32, 64: P64, 224: P224, 299: P299} {
			for severity := 1; severity <= Severities; severity++ {
				if got, want := r.table.At(Auto.Side(), severity-1, side), r.table.At(p.Side(), severity-1, 7); got != want {
					t.Errorf("%s, side %d, severity %d: %v, want %v", r.name, side, severity, got, want)
				}
			}
		}
	}
}

// Worked by hand from the published sets.
func TestAutoBetween(t *testing.T) {
	tests := []struct {
		name     string
		table    *table
		severity int
		side     int
		column   int
		want     float64
	}{
		{"halfway from 32 to 64", &gaussianNoiseTable, 2, 48, 0, .07},
		{"halfway from 64 to 224", &gaussianNoiseTable, 1, 144, 0, .06},
		{"a count, halfway: 32.5 rounds up", &jpegTable, 4, 48, 0, 45},
		{"a level below 32 stays", &gaussianNoiseTable, 1, 16, 0, .04},
		{"a length below 32 shrinks", &gaussianBlurTable, 5, 16, 0, .5},
		{"a length above 299 grows", &gaussianBlurTable, 5, 598, 0, 13},
		{"a level above 299 stays", &gaussianNoiseTable, 5, 598, 0, .40},
		{"a whole length below 32 is at least 1", &glassBlurTable, 5, 8, 1, 1},
		{"a whole length above 299 grows", &glassBlurTable, 5, 598, 1, 10},
		{"iterations above 299 stay", &glassBlurTable, 3, 598, 2, 4},
		{"mud stays mud", &spatterTable, 4, 150, 5, 1},
		{"the frost's photographs at 224 and 299", &frostTable, 1, 250, 2, 1},
	}
	for _, tt := range tests {
		if got := tt.table.At(Auto.Side(), tt.severity-1, tt.side)[tt.column]; got < tt.want-1e-12 || got > tt.want+1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Between two published sides, Auto stays between their parameters (within the rounding of counts).
func TestAutoStaysBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rows[rapid.IntRange(0, len(rows)-1).Draw(t, "row")]
		severity := rapid.IntRange(1, 5).Draw(t, "severity")
		i := rapid.IntRange(0, 2).Draw(t, "interval")
		side := rapid.IntRange(corruption.Sides[i], corruption.Sides[i+1]).Draw(t, "side")
		a, b := r.table.Sets[i][severity-1], r.table.Sets[i+1][severity-1]
		for c, v := range r.table.At(Auto.Side(), severity-1, side) {
			if v < min(a[c], b[c])-1e-12 || v > max(a[c], b[c])+1e-12 {
				t.Fatalf("%s, severity %d, side %d: parameter %d is %v, outside %v…%v", r.name, severity, side, c, v, a[c], b[c])
			}
		}
	})
}
