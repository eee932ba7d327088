package data

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadClassMap reads a list of classes and what they become: a line "FROM TO" each, separated by a comma, a tab or spaces,
// where only a comma allows spaces in names; empty lines and what follows a # are left out. name is for errors, which wrap
// [ErrFilter] and name the line.
func ReadClassMap(r io.Reader, name string) (ClassMap, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxClassMap+1))
	if err != nil {
		return ClassMap{}, err
	}
	if len(text) > maxClassMap {
		return ClassMap{}, fmt.Errorf("%w: %s is longer than %d bytes", ErrFilter, name, maxClassMap)
	}
	m := ClassMap{name: name, to: map[string]string{}}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		from, to, ok := cutLine(line)
		if !ok {
			return ClassMap{}, fmt.Errorf("%w: %s:%d: %q (allowed: FROM TO, two names of classes)", ErrFilter, name, number, line)
		}
		if was, twice := m.to[from]; twice {
			return ClassMap{}, fmt.Errorf("%w: %s:%d: class %q is listed twice, first as %q", ErrFilter, name, number, from, was)
		}
		m.from, m.to[from] = append(m.from, from), to
		if !slices.Contains(m.classes, to) {
			m.classes = append(m.classes, to)
		}
	}
	if len(m.from) == 0 {
		return ClassMap{}, fmt.Errorf("%w: %s lists no class", ErrFilter, name)
	}
	return m, nil
}

// maxClassMap bounds the text of a class map: ImageNet-22K has 22,000 names.
const maxClassMap = 1 << 22

// cutLine splits a line of a class map.
func cutLine(line string) (from, to string, ok bool) {
	if from, to, ok = strings.Cut(line, ","); ok {
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		return from, to, from != "" && to != "" && !strings.Contains(to, ",")
	}
	fields := strings.Fields(line)
	if len(fields) != 2 {
		return "", "", false
	}
	return fields[0], fields[1], true
}

// ClassMap says which classes become which: fine ones broad ones, or folders' names a model's.
type ClassMap struct {
	name    string
	from    []string
	to      map[string]string
	classes []string // new names in the order in which they first come
}

// NewClassMap makes a class map of pairs of names, from and to.
func NewClassMap(name string, pairs [][2]string) ClassMap {
	m := ClassMap{name: name, to: map[string]string{}}
	for _, p := range pairs {
		m.from, m.to[p[0]] = append(m.from, p[0]), p[1]
		if !slices.Contains(m.classes, p[1]) {
			m.classes = append(m.classes, p[1])
		}
	}
	return m
}

// Classes returns the new names.
func (m ClassMap) Classes() []string { return slices.Clone(m.classes) }

// Pairs returns what the map was made of, from and to.
func (m ClassMap) Pairs() [][2]string {
	pairs := make([][2]string, len(m.from))
	for i, from := range m.from {
		pairs[i] = [2]string{from, m.to[from]}
	}
	return pairs
}

// Apply returns src with the new classes; samples of classes that the map does not list are left out. Every class of the
// map must be one of src's, but for WordNet's numbers, such as n02084071: a list of what lies below a broad class there holds more than
// any data set, and one of them is enough. The error wraps [ErrFilter]. Closing the result closes src.
func (m ClassMap) Apply(src Source) (Source, error) {
	own := src.Info().Classes
	if len(own) == 0 {
		return nil, fmt.Errorf("%w: %s maps names of classes, and the data have none", ErrFilter, m.name)
	}
	var strange []string
	there := 0
	for _, from := range m.from {
		switch {
		case slices.Contains(own, from):
			there++
		case !isWnid(from):
			strange = append(strange, strconv.Quote(from))
		}
	}
	if len(strange) == 0 && there == 0 {
		strange = quoted(m.from)
	}
	if len(strange) > 0 {
		return nil, fmt.Errorf("%w: %s: %d of its %d classes are none of the data's %d: %s (allowed: %s)", ErrFilter, m.name,
			len(strange), len(m.from), len(own), some(strange), some(quoted(own)))
	}
	mapped := matched{names: m.classes}
	var missing []string
	for _, class := range own {
		to, ok := m.to[class]
		if !ok {
			missing = append(missing, classPattern+class)
		}
		mapped.label = append(mapped.label, slices.Index(m.classes, to))
	}
	if len(missing) > 0 {
		kept, err := keepLabels(src, mapped.label)
		if err != nil {
			return nil, err
		}
		src = kept
	}
	mapped.Source = src
	return mapped.source(), nil
}

// isWnid reports whether a name is a number of a noun in WordNet.
func isWnid(name string) bool {
	digits, ok := strings.CutPrefix(name, "n")
	return ok && len(digits) == 8 && strings.Trim(digits, "0123456789") == ""
}

// keepLabels returns the samples whose label becomes one.
func keepLabels(src Source, label []int) (Source, error) {
	all, ok := src.(Indexed)
	if !ok {
		info := src.Info()
		return nil, fmt.Errorf("%w: %s, and classes are left out of files or arrays; convert it first", ErrUnsupported, info.FrontToEnd())
	}
	var rows []int
	var s Sample
	for i := range all.Len() {
		if err := Describe(all, i, &s); err != nil {
			return nil, err
		}
		if s.Label < 0 || s.Label >= len(label) || label[s.Label] >= 0 {
			rows = append(rows, i)
		}
	}
	return Select(src, rows), nil
}
