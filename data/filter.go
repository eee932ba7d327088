package data

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Describer is an Indexed source that knows what a sample is without reading its image.
type Describer interface {
	Indexed
	// Describe fills in all of s but Data.
	Describe(i int, s *Sample)
}

// Filter says which samples of a data set are taken, by patterns. A pattern is
//
//	TEXT         a sample whose key holds TEXT: "microsoft"
//	PATTERN      with * (any text, slashes too) or ? (one character): a sample whose whole key is like it: "cat/*_2"
//	class:NAME   a sample of the class NAME, or of the classes that a pattern is like: "class:beaver"
//
// The classes keep their names and numbers, so that a network that never saw some of them can still be told of all.
type Filter struct {
	Only    []string // a sample is taken if it is like one of these; none: all are
	Without []string // and like none of these
}

// classPattern begins a pattern that is of class names.
const classPattern = "class:"

// IsZero reports whether the filter takes everything.
func (f Filter) IsZero() bool { return len(f.Only) == 0 && len(f.Without) == 0 }

// String says what is taken, in words.
func (f Filter) String() string {
	var parts []string
	if len(f.Only) > 0 {
		parts = append(parts, "only "+some(f.Only))
	}
	if len(f.Without) > 0 {
		parts = append(parts, "without "+some(f.Without))
	}
	return strings.Join(parts, ", ")
}

// Apply returns the samples of src that the filter takes, in their order, as [Select] does. The keys and labels of all
// samples are looked at first; where src cannot tell them without, its images are read for that. The error wraps
// [ErrFilter] where a pattern is like nothing, or nothing is left. Closing the result closes src.
func (f Filter) Apply(src Source) (Source, error) {
	if f.IsZero() {
		return src, nil
	}
	all, ok := src.(Indexed)
	if !ok {
		info := src.Info()
		return nil, fmt.Errorf("%w: %s, and samples are picked from files or arrays; convert it first", ErrUnsupported, info.FrontToEnd())
	}
	p := picker{classes: src.Info().Classes}
	var err error
	if p.only, err = p.parse(f.Only); err != nil {
		return nil, err
	}
	if p.without, err = p.parse(f.Without); err != nil {
		return nil, err
	}
	var rows []int
	var s Sample
	for i := range all.Len() {
		if err := Describe(all, i, &s); err != nil {
			return nil, err
		}
		if p.takes(&s) {
			rows = append(rows, i)
		}
	}
	for _, list := range [][]*pattern{p.only, p.without} {
		for _, one := range list {
			if !one.seen {
				return nil, fmt.Errorf("%w: no sample is like %q (%s; the first: %q)", ErrFilter, one.text, count(all.Len()), firstKey(all))
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%w: of %s none is left by %s", ErrFilter, count(all.Len()), f)
	}
	return Select(src, rows), nil
}

func count(samples int) string {
	if samples == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", samples)
}

// Describe fills in what s is, without its image where src knows it without. A sample that cannot be read keeps its key and has
// no label.
func Describe(src Indexed, i int, s *Sample) error {
	if d, ok := src.(Describer); ok {
		d.Describe(i, s)
		return nil
	}
	err := src.Read(i, s)
	if bad := (*SampleError)(nil); errors.As(err, &bad) {
		s.Key, s.Label = bad.Key, NoLabel
		return nil
	}
	return err
}

func firstKey(src Indexed) string {
	var s Sample
	if src.Len() == 0 || Describe(src, 0, &s) != nil {
		return ""
	}
	return s.Key
}

// picker is a filter that has been parsed.
type picker struct {
	classes       []string
	only, without []*pattern
}

// pattern is one pattern.
type pattern struct {
	text    string
	labels  []int  // of a pattern of classes, ascending
	glob    string // of keys; "" for a part of the key
	part    string
	byClass bool
	seen    bool // a sample was like it
}

func (p *picker) parse(texts []string) ([]*pattern, error) {
	var list []*pattern
	for _, text := range texts {
		one := &pattern{text: text}
		name, byClass := strings.CutPrefix(text, classPattern)
		switch {
		case name == "":
			return nil, fmt.Errorf("%w: pattern %q (allowed: part of a key, a key with * or ?, class:NAME)", ErrFilter, text)
		case byClass:
			one.byClass = true
			for label, class := range p.classes {
				if class == name || Like(name, class) {
					one.labels = append(one.labels, label)
				}
			}
			if len(one.labels) == 0 {
				return nil, fmt.Errorf("%w: there is no class %q (allowed: %s)", ErrFilter, name, some(quoted(p.classes)))
			}
		case strings.ContainsAny(name, "*?"):
			one.glob = name
		default:
			one.part = name
		}
		list = append(list, one)
	}
	return list, nil
}

// takes reports whether the filter takes a sample, and marks the patterns that it is like.
func (p *picker) takes(s *Sample) bool {
	taken := len(p.only) == 0
	for _, one := range p.only {
		if one.matches(s) {
			taken = true
		}
	}
	for _, one := range p.without {
		if one.matches(s) {
			taken = false
		}
	}
	return taken
}

func (p *pattern) matches(s *Sample) bool {
	var ok bool
	switch {
	case p.byClass:
		_, ok = slices.BinarySearch(p.labels, s.Label)
	case p.glob != "":
		ok = Like(p.glob, s.Key)
	default:
		ok = strings.Contains(s.Key, p.part)
	}
	p.seen = p.seen || ok
	return ok
}

// Like reports whether text is like a pattern of * (any text) and ? (one character). Its time is at most the product of the
// lengths.
func Like(pattern, text string) bool {
	star, back, at := -1, 0, 0 // the last star, and where in text to try again after it
	i := 0
	for at < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, back = i, at
			i++
		case i < len(pattern) && pattern[i] == '?':
			_, size := utf8.DecodeRuneInString(text[at:])
			i, at = i+1, at+size
		case i < len(pattern) && pattern[i] == text[at]:
			i, at = i+1, at+1
		case star >= 0:
			_, size := utf8.DecodeRuneInString(text[back:])
			back += size
			i, at = star+1, back
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
