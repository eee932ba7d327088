package mix

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/raster"
)

// Kind says what follows the key of an [Option].
type Kind string

// The kinds of options.
const (
	Word    Kind = "word"    // nothing: the key is the option
	Integer Kind = "integer" // a whole number: "w3", "d-1"
	Number  Kind = "number"  // a decimal number: "m3", "a0.5"
	Range   Kind = "range"   // two whole numbers, or one for both: "s1-3", "s2"
	Color   Kind = "color"   // six hexadecimal digits: "f800000"
)

// Option is one option of a method's spec string.
type Option struct {
	Key     string `json:"key"` // what the option starts with
	Kind    Kind   `json:"kind"`
	Doc     string `json:"doc"`
	Allowed string `json:"allowed,omitempty"` // the range of a number
	Default string `json:"default,omitempty"` // the value without the option; empty for a word that is off
	Paper   string `json:"paper,omitempty"`   // published values, where they are not the default
}

// Form returns the option with a placeholder for its value: "wN", "mX", "fRRGGBB", "all".
func (o *Option) Form() string {
	return o.Key + map[Kind]string{Integer: "N", Number: "X", Range: "A-B", Color: "RRGGBB"}[o.Kind]
}

// Help returns what the option does, its range, its default and the published values, in one line.
func (o *Option) Help() string {
	s := o.Doc
	if o.Allowed != "" {
		s += ", " + o.Allowed
	}
	var notes []string
	switch {
	case o.Kind == Word && o.Default != "":
		notes = append(notes, "default")
	case o.Default != "":
		notes = append(notes, "default "+o.Default)
	}
	if o.Paper != "" {
		notes = append(notes, o.Paper)
	}
	if len(notes) > 0 {
		s += " (" + strings.Join(notes, "; ") + ")"
	}
	return s
}

// params is the table of a method whose parameters are the fields of P. The parsing of a spec, its canonical form, the
// help and the errors all come from it.
type params[P any] struct {
	name, doc, paper string
	defaults         P
	rows             []row[P]
	rule             func(p *P) error // what the rows cannot say, nil for nothing
}

// row is one option. One of the fields integer, real, ints, color and word is set, which decides the kind.
type row[P any] struct {
	key, doc, paper string
	name            string // of a number in errors; of a word: what it is one of
	allowed         span   // of a number
	always          bool   // the canonical spec has it even where it is the default

	integer func(p *P) *int
	real    func(p *P) *float64
	ints    func(p *P) (from, to *int)
	color   func(p *P) *raster.RGB
	fixed   func(p *P) *bool // of a color: whether it is given; nil: it always is
	word    *setting[P]

	absent  func(p *P) bool // the option is not in use: it is neither written nor checked
	instead func(p *P)      // takes back the options that this one replaces
	other   string          // what holds without the option, where that is no value of it
}

// setting is a word that gives a field its value.
type setting[P any] struct {
	set func(p *P)
	is  func(p *P) bool
}

// word returns the row of a word that stands for one value of a field.
func word[P any, T comparable](key, doc string, field func(p *P) *T, value T) row[P] {
	return row[P]{key: key, doc: doc, word: &setting[P]{
		set: func(p *P) { *field(p) = value },
		is:  func(p *P) bool { return *field(p) == value },
	}}
}

// span is a range of numbers.
type span struct {
	min, max float64
	above    bool      // min itself is not allowed
	also     []float64 // allowed as well
	note     string    // after the range
}

func (s span) has(v float64) bool {
	return v >= s.min && v <= s.max && !(s.above && v == s.min) || slices.Contains(s.also, v)
}

// String returns the range as errors and the help have it.
func (s span) String() string {
	text := number(s.min) + " to " + number(s.max)
	switch {
	case s.max == math.MaxFloat64:
		text = "positive numbers"
	case s.above:
		text = "more than " + number(s.min) + ", to " + number(s.max)
	}
	return text + s.note
}

// positive is the range of an alpha.
var positive = span{min: 0, max: math.MaxFloat64, above: true}

func (r *row[P]) kind() Kind {
	switch {
	case r.integer != nil:
		return Integer
	case r.real != nil:
		return Number
	case r.ints != nil:
		return Range
	case r.color != nil:
		return Color
	}
	return Word
}

// number returns the value of an option that is one.
func (r *row[P]) number(p *P) float64 {
	if r.integer != nil {
		return float64(*r.integer(p))
	}
	return *r.real(p)
}

// value returns what the spec of p has after the key.
func (r *row[P]) value(p *P) string {
	switch r.kind() {
	case Integer, Number:
		return number(r.number(p))
	case Range:
		if from, to := r.ints(p); *from != *to {
			return fmt.Sprintf("%d-%d", *from, *to)
		} else {
			return strconv.Itoa(*from)
		}
	case Color:
		c := r.color(p)
		return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
	}
	return ""
}

// writes reports whether the canonical spec of p has the option.
func (r *row[P]) writes(p, defaults *P) bool {
	switch {
	case r.absent != nil && r.absent(p):
		return false
	case r.word != nil:
		return r.word.is(p) && (r.always || !r.word.is(defaults))
	case r.fixed != nil:
		return *r.fixed(p)
	}
	return r.always || r.value(p) != r.value(defaults)
}

// check returns an error unless the number is in its range.
func (r *row[P]) check(method string, p *P) error {
	switch r.kind() {
	case Word, Color:
		return nil
	case Range:
		from, to := r.ints(p)
		if *from > *to {
			return fmt.Errorf("%w: %s %s %s%s (allowed: A-B with A at most B, each %s)", ErrSpec, method, r.name, r.key, r.value(p), r.allowed)
		}
		if r.allowed.has(float64(*from)) && r.allowed.has(float64(*to)) {
			return nil
		}
	default:
		if r.allowed.has(r.number(p)) {
			return nil
		}
	}
	return fmt.Errorf("%w: %s %s %s%s (allowed: %s)", ErrSpec, method, r.name, r.key, r.value(p), r.allowed)
}

// matches reports whether a is this option, with a value that may be wrong.
func (r *row[P]) matches(a arg) bool {
	if r.kind() == Color { // its digits above nine are letters and so part of the key
		_, err := strconv.ParseUint(strings.TrimPrefix(a.String(), r.key), 16, 32)
		return strings.HasPrefix(a.String(), r.key) && len(a.String()) == len(r.key)+6 && err == nil
	}
	return a.key == r.key || a.String() == r.key
}

// read gives p the value of a, which is this option.
func (r *row[P]) read(method string, p *P, a arg) (err error) {
	switch r.kind() {
	case Integer:
		*r.integer(p), err = a.int()
	case Number:
		*r.real(p), err = a.float()
	case Range:
		from, to := r.ints(p)
		*from, *to, err = a.ints()
	case Color:
		v, _ := strconv.ParseUint(strings.TrimPrefix(a.String(), r.key), 16, 32)
		*r.color(p) = raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}
		if r.fixed != nil {
			*r.fixed(p) = true
		}
	default:
		if a.String() != r.key {
			return fmt.Errorf("%w: option %q takes no value", ErrSpec, a)
		}
		r.word.set(p)
	}
	if err == nil && r.instead != nil {
		r.instead(p)
	}
	if err == nil {
		err = r.check(method, p)
	}
	return err
}

// option returns the row as it is shown.
func (r *row[P]) option(defaults *P) Option {
	o := Option{Key: r.key, Kind: r.kind(), Doc: r.doc, Paper: r.paper, Default: r.other}
	switch {
	case o.Kind == Word:
		if r.word.is(defaults) {
			o.Default = r.key
		}
		return o
	case o.Default == "" && (r.absent == nil || !r.absent(defaults)):
		o.Default = r.value(defaults)
	}
	if o.Kind != Color {
		o.Allowed = r.allowed.String()
	}
	return o
}

// parse returns the parameters that args describe.
func (t *params[P]) parse(args []arg) (*P, error) {
	p, given := t.defaults, make([]arg, len(t.rows))
	for _, a := range args {
		i := slices.IndexFunc(t.rows, func(r row[P]) bool { return r.matches(a) })
		if i < 0 {
			return nil, t.unknown(a)
		}
		if before := given[i]; before != (arg{}) {
			return nil, fmt.Errorf("%w: %s has option %s twice, as %q and as %q", ErrSpec, t.name, t.rows[i].key, before, a)
		}
		given[i] = a
		if err := t.rows[i].read(t.name, &p, a); err != nil {
			return nil, err
		}
	}
	return &p, t.check(&p)
}

// unknown is the error of an option that the method does not have. Words of one kind are listed together.
func (t *params[P]) unknown(a arg) error {
	if len(t.rows) == 0 {
		return fmt.Errorf("%w: %s takes no options, got %q", ErrSpec, t.name, a)
	}
	var forms, kinds []string
	for i := range t.rows {
		r := &t.rows[i]
		form := r.key
		if r.kind() == Color {
			form += "RRGGBB"
		}
		if r.word != nil && r.name != "" {
			kinds = append(kinds, form)
			continue
		}
		forms = append(forms, form)
	}
	if len(kinds) > 0 {
		return fmt.Errorf("%w: %s has no option %q; it takes a %s (there are: %s) and %s", ErrSpec, t.name, a,
			t.rows[0].name, strings.Join(kinds, ", "), strings.Join(forms, ", "))
	}
	return fmt.Errorf("%w: %s has no option %q (there are: %s)", ErrSpec, t.name, a, strings.Join(forms, ", "))
}

// check returns an error that wraps ErrSpec, names the parameter and says what is allowed.
func (t *params[P]) check(p *P) error {
	for i := range t.rows {
		r := &t.rows[i]
		if r.absent != nil && r.absent(p) {
			continue
		}
		if err := r.check(t.name, p); err != nil {
			return err
		}
	}
	if t.rule != nil {
		return t.rule(p)
	}
	return nil
}

// spec returns the canonical spec string.
func (t *params[P]) spec(p *P) string {
	var b strings.Builder
	b.WriteString(t.name)
	for i := range t.rows {
		if r := &t.rows[i]; r.writes(p, &t.defaults) {
			b.WriteString("-" + r.key + r.value(p))
		}
	}
	return b.String()
}

// entry returns the table as a row of [Table]. build makes a part of the parameters of a spec.
func (t *params[P]) entry(build func(p *P) part) Entry {
	e := Entry{Name: t.name, Doc: t.doc, Spec: t.spec(&t.defaults), Paper: t.paper}
	for i := range t.rows {
		e.Options = append(e.Options, t.rows[i].option(&t.defaults))
	}
	e.parse = func(args []arg) (part, error) {
		p, err := t.parse(args)
		if err != nil {
			return part{}, err
		}
		return build(p), nil
	}
	return e
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
