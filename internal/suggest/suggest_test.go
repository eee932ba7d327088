package suggest

import (
	"strings"
	"testing"
)

func TestHint(t *testing.T) {
	names := []string{"none", "augmix", "pixmix", "mixup", "cutmix", "cutout", "gaussian_noise"}
	for typed, want := range map[string]string{
		"augmx":                      "augmix",
		"agumix":                     "augmix",
		"AugMix":                     "augmix",
		"gausian_noise":              "gaussian_noise",
		"cutmx":                      "cutmix",
		"zzz":                        "",
		"":                           "",
		"a":                          "",
		"mosaic":                     "",
		strings.Repeat("augmix", 99): "",
	} {
		hint := Hint(typed, names)
		if want == "" && hint != "" || want != "" && hint != `, did you mean "`+want+`"?` {
			t.Errorf("%q: %s, want %q", typed, hint, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"kitten", "sitting", 3}, {"", "abc", 3}} {
		for _, swapped := range []bool{false, true} {
			a, b := c.a, c.b
			if swapped {
				a, b = b, a
			}
			if got := distance(a, b, 99); got != c.want {
				t.Errorf("%q, %q: %d, want %d", a, b, got, c.want)
			}
		}
	}
}
