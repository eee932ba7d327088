package results

import "testing"

// TestParameters: what SetParameters puts into a part is found again, beside what stood there, and nowhere else.
func TestParameters(t *testing.T) {
	for _, part := range []string{"", "subtype", "a, b"} {
		v := View{Part: part}
		if got := v.Parameters(); got != "" {
			t.Errorf("%q has parameters %q", part, got)
		}
		v.SetParameters("1a2b")
		if got := v.Parameters(); got != "1a2b" {
			t.Errorf("%q: parameters %q", v.Part, got)
		}
	}
	for _, part := range []string{"parameters", "parameters 1a2b, style", "other parameters 1a2b"} {
		if got := (View{Part: part}).Parameters(); got != "" {
			t.Errorf("%q has parameters %q", part, got)
		}
	}
}
