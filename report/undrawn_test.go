package report

import (
	"slices"
	"strings"
	"testing"
)

// TestUndrawn: names of letters that a format does not have are told, Greek ones are commands of LaTeX, and what is built in is shown.
func TestUndrawn(t *testing.T) {
	rep := build(t, runOf(t, "a", errorsOf("模型", 0.2)...), runOf(t, "b", errorsOf("β≤1 é", 0.1)...))
	for format, want := range map[string]bool{FormatLaTeX: true, FigurePDF: true, FigurePNG: true, FigureSVG: false, "html": false} {
		texts := rep.Undrawn(format)
		if slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "模型") }) != want {
			t.Errorf("%s: %q", format, texts)
		}
		if i := slices.IndexFunc(texts, func(s string) bool { return !strings.Contains(s, "模型") }); i >= 0 {
			t.Errorf("%s: %q", format, texts[i])
		}
	}
	text := latex(t, rep, "cifar10-c-error", LaTeX{})
	for _, want := range []string{"\n% Needs XeLaTeX or LuaLaTeX with a font for: 模型", `\ensuremath{\beta}\ensuremath{\le}1 é`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if texts := rep.Undrawn(FormatLaTeX); len(texts) != 1 {
		t.Errorf("a name is told again in a title: %q", texts)
	}
	plain := build(t, runOf(t, "a", errorsOf("one", 0.2)...), runOf(t, "b", errorsOf("two", 0.1)...))
	for _, format := range []string{FormatLaTeX, FigurePDF} {
		if texts := plain.Undrawn(format); len(texts) > 0 {
			t.Errorf("%s: %q", format, texts)
		}
	}
}
