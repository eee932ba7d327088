package figure

import (
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/chart"
)

// TestLooksAreTheStyleSheet: every class that chart.CSS styles looks the same here, in the light form.
func TestLooksAreTheStyleSheet(t *testing.T) {
	root := chart.CSS[:strings.Index(chart.CSS, "@media")]
	vars := map[string]color.NRGBA{}
	for _, m := range regexp.MustCompile(`--(ch[-\w]*):(#[0-9a-f]+)`).FindAllStringSubmatch(root, -1) {
		vars["var(--"+m[1]+")"] = hex(t, m[2])
	}
	for i, c := range palette {
		if vars["var(--ch"+strconv.Itoa(i)+")"] != c {
			t.Errorf("color %d is %v", i, c)
		}
	}
	rules := 0
	for _, m := range regexp.MustCompile(`(?m)^(\.chart .*)\{([^}]*)\}$`).FindAllStringSubmatch(chart.CSS, -1) {
		for _, selector := range strings.Split(m[1], ",") {
			names := strings.Split(strings.TrimPrefix(selector, ".chart ."), ".")
			if !strings.HasPrefix(selector, ".chart .") || names[0] == "cells" || names[0] == "gap" {
				continue
			}
			class := chart.Class{Name: names[0], Color: 2}
			class.Published = strings.Contains(selector, ".pub")
			vars["var(--c)"] = palette[2]
			sameLook(t, selector, m[2], lookOf(class), vars)
			rules++
		}
	}
	if rules < 20 {
		t.Errorf("only %d rules were compared", rules)
	}
}

// sameLook compares a look with the declarations of a rule.
func sameLook(t *testing.T, selector, rule string, l look, vars map[string]color.NRGBA) {
	for _, d := range strings.Split(rule, ";") {
		property, value, _ := strings.Cut(d, ":")
		ok := true
		switch property {
		case "fill":
			ok = value == "none" && l.fill.A == 0 || opaque(l.fill) == vars[value]
		case "fill-opacity":
			ok = l.fill.A == uint8(255*number(t, "0"+value)+0.5)
		case "stroke":
			ok = l.stroke == vars[value]
		case "stroke-width":
			ok = l.width == number(t, strings.TrimSuffix(value, "px"))
		case "stroke-dasharray":
			on, off, _ := strings.Cut(value, " ")
			ok = len(l.dash) == 2 && l.dash[0] == number(t, on) && l.dash[1] == number(t, off)
		case "stroke-linecap":
			ok = l.round
		case "font-size":
			ok = l.size == number(t, strings.TrimSuffix(value, "px"))
		}
		if !ok {
			t.Errorf("%s {%s}: the look is %+v", selector, d, l)
		}
	}
}

// TestEveryClassHasALook: nothing of a drawing is invisible.
func TestEveryClassHasALook(t *testing.T) {
	p := rows(chart.Bars)
	p.Series[0].Colors = []int{1, 2, 3}
	charts := &chart.Panels{Title: "t", Heads: true, Charts: []chart.Figure{p, rows(chart.Points), half(3)}}
	for _, f := range append(kinds(), charts) {
		for _, part := range f.Alone(true).Parts {
			for _, s := range part.Drawing.Shapes {
				class, filled := classOf(s)
				if l := lookOf(class); !filled && l.fill.A == 0 && l.stroke.A == 0 {
					t.Errorf("%T of class %q has no look", s, class)
				}
			}
		}
	}
}

// classOf returns the class of a shape, or that it brings its own colors.
func classOf(s chart.Shape) (c chart.Class, filled bool) {
	switch s := s.(type) {
	case chart.Line:
		return s.Class, false
	case chart.Path:
		return s.Class, false
	case chart.Mark:
		return s.Class, false
	case chart.Rect:
		return s.Class, s.Fill.A > 0
	case chart.Text:
		return s.Class, s.Fill.A > 0
	}
	return chart.Class{}, true
}

func opaque(c color.NRGBA) color.NRGBA {
	c.A = 255
	return c
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func hex(t *testing.T, s string) color.NRGBA {
	t.Helper()
	if len(s) == 4 {
		s = "#" + strings.Repeat(s[1:2], 2) + strings.Repeat(s[2:3], 2) + strings.Repeat(s[3:4], 2)
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}
