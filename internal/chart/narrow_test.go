package chart

import (
	"strings"
	"testing"
)

// TestNarrowAcross: at the width of a column of text long names leave room for the plot and stay different, and labels of ticks do not
// touch.
func TestNarrowAcross(t *testing.T) {
	names := []string{"vit_base_patch16_224.augreg_in21k_ft_in1k", "vit_base_patch16_224.augreg_in1k", "convnext_base.fb_in22k_ft_in1k_384"}
	for _, top := range []float64{0.098, 0.44, 0.9} {
		p := &Plot{
			Title: "Error", Kind: Bars, Across: true, Values: true, Width: 234, X: Axis{Categories: names}, Y: Axis{Label: "Error", Percent: true},
			Series: []Series{{Name: "error", Y: []float64{top / 2, top, top / 3}}, {Name: "clean", Tick: true, Y: []float64{top / 4, top / 5, top / 6}}},
		}
		end := -1e9
		said := map[string]bool{}
		for _, m := range p.across().Shapes {
			text, ok := m.(Text)
			switch {
			case !ok:
			case text.Class.Name == "tick":
				half := textWidth(text.S, 11) / 2
				if text.X-half <= end {
					t.Errorf("up to %v: the label %s touches the one before", top, text.S)
				}
				end = text.X + half
			case text.Class.Name == "leg" && strings.Contains(text.S, "…"):
				said[text.S] = true
				if text.X > 0.55*p.Width {
					t.Errorf("up to %v: names end at %v of %v", top, text.X, p.Width)
				}
			}
		}
		if len(said) != len(names) {
			t.Errorf("up to %v: names %v", top, said)
		}
	}
}

func TestAbridge(t *testing.T) {
	for _, s := range []string{"", "a", "resnet50", "vit_base_patch16_224.augreg_in21k_ft_in1k", "ネットワーク・ネットワーク"} {
		for w := 8.0; w < 300; w += 7 {
			got := abridge(s, 12, w)
			if got != s && textWidth(got, 12) > w && len([]rune(got)) > 2 {
				t.Errorf("%q at %v is %q", s, w, got)
			}
			if got != s && !strings.HasPrefix(s, got[:strings.Index(got, "…")]) || got != s && !strings.HasSuffix(s, got[strings.Index(got, "…")+len("…"):]) {
				t.Errorf("%q at %v is %q", s, w, got)
			}
		}
	}
}
