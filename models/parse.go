package models

import (
	"fmt"
	"strconv"
	"strings"
)

// parser reads a spec from left to right and keeps the first mistake.
type parser struct {
	spec, rest string
	err        error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// word takes w if the rest starts with it.
func (p *parser) word(w string) bool {
	rest, ok := strings.CutPrefix(p.rest, w)
	if ok {
		p.rest = rest
	}
	return ok
}

// want takes w or fails.
func (p *parser) want(w string) {
	if !p.word(w) {
		p.fail("%q where %q is expected", p.rest, w)
	}
}

// number takes a whole number of digits, which must lie between least and most.
func (p *parser) number(what string, least, most int) int {
	n := 0
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(p.rest[:n])
	switch {
	case n == 0:
		p.fail("%q where the %s is expected", p.rest, what)
	case err != nil || v < least || v > most || p.rest[0] == '0' && n > 1:
		p.fail("the %s %s is not %d to %d", what, p.rest[:n], least, most)
	}
	p.rest = p.rest[n:]
	return v
}

// fraction takes a decimal number on [least, most].
func (p *parser) fraction(what string, least, most float64) float64 {
	n := 0
	for n < len(p.rest) && ('0' <= p.rest[n] && p.rest[n] <= '9' || p.rest[n] == '.') {
		n++
	}
	v, err := strconv.ParseFloat(p.rest[:n], 64)
	switch {
	case n == 0 || err != nil:
		p.fail("%q where the %s is expected", p.rest, what)
	case !(v >= least && v <= most):
		p.fail("the %s %s is not %v to %v", what, p.rest[:n], least, most)
	}
	p.rest = p.rest[n:]
	return v
}

// option is something that may follow the name: "-drop0.3".
type option struct {
	word string
	take func()
}

// options takes "-WORD..." until the end of the spec, each at most once.
func (p *parser) options(known ...option) {
	used := map[string]bool{}
	for p.err == nil && p.rest != "" {
		p.want("-")
		found := false
		for _, o := range known {
			if p.err == nil && p.word(o.word) {
				if used[o.word] {
					p.fail("-%s is given twice", o.word)
				}
				used[o.word], found = true, true
				o.take()
				break
			}
		}
		if !found {
			var words []string
			for _, o := range known {
				words = append(words, "-"+o.word)
			}
			switch len(words) {
			case 0:
				p.fail("nothing may follow, not %q", p.rest)
			default:
				p.fail("%q is none of %s", p.rest, strings.Join(words, ", "))
			}
		}
	}
}

// drop is the option of a dropout probability below 1.
func (p *parser) drop(v *float64) option {
	return option{"drop", func() { *v = p.fraction("dropout probability", 0, 0.99) }}
}
