package conv

import (
	"regexp"
	"strings"
	"testing"
)

// TestInnerLoops counts the instructions of the loops that do nearly all work: those with the most multiply-adds.
func TestInnerLoops(t *testing.T) {
	most := map[string]float64{"tileNEON": 1.2, "outerNEON": 1.34} // instructions for a multiply-add of a vector
	for _, text := range strings.Split(string(Generate().Assembly()), "TEXT ·")[1:] {
		name, body, _ := strings.Cut(text, "(SB)")
		fused, all := 0, 0
		for _, m := range regexp.MustCompile(`(?m)^(l\d+):\n`).FindAllStringSubmatchIndex(body, -1) {
			label, rest := body[m[2]:m[3]], body[m[1]:]
			loop, _, ends := strings.Cut(rest, "\tBGE "+label+"\n")
			if !ends || strings.Contains(loop, ":\n") { // not the innermost
				continue
			}
			if n := strings.Count(loop, "// fmla "); n > fused {
				fused, all = n, strings.Count(loop, "\n")+1
			}
		}
		per := float64(all) / float64(fused)
		t.Logf("%s: %d instructions for %d multiply-adds of four, %.3f for each", name, all, fused, per/4)
		if !(per <= most[name]) {
			t.Errorf("%s: %d instructions for %d multiply-adds of vectors, at most %.2f for one are allowed", name, all, fused, most[name])
		}
	}
}
