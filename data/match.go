package data

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MatchClasses returns src with the labels of the given class names, such as those of a model: a label goes by the name of
// its class. src may have the names in another order, or only some of them. src itself is returned where names is nil,
// where src has no class names, and where both are the same. The error wraps [ErrLabel] and names what src has and names
// has not, or what names has twice: ImageNet's "crane" is a bird and a machine. Closing the result closes src.
func MatchClasses(src Source, names []string) (Source, error) {
	own := src.Info().Classes
	if len(own) == 0 || len(names) == 0 || slices.Equal(own, names) {
		return src, nil
	}
	at := make(map[string]int, len(names))
	twice := map[string]bool{}
	for i, name := range names {
		_, twice[name] = at[name]
		at[name] = i
	}
	m := matched{Source: src, names: names}
	var strange []string
	for _, name := range own {
		i, ok := at[name]
		if twice[name] {
			return nil, fmt.Errorf("%w: class %q is the name of %d and of another class (allowed: names that tell classes apart)",
				ErrLabel, name, i)
		}
		if !ok {
			strange = append(strange, quote(name))
		}
		m.label = append(m.label, i)
	}
	if len(strange) > 0 {
		return nil, fmt.Errorf("%w: %d of the %d classes of the data are unknown here: %s (allowed: %s)", ErrLabel,
			len(strange), len(own), some(strange), some(quoted(names)))
	}
	return m.source(), nil
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quote(name)
	}
	return out
}

// quote is strconv.Quote, with accents that are characters of their own as escapes: an "é" of one character is another name than one of two,
// as macOS wrote it once, and looks the same.
func quote(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x300 && r < 0x370 }) {
		return strconv.QuoteToASCII(name)
	}
	return strconv.Quote(name)
}

// some lists the first few words and says how many more there are.
func some(words []string) string {
	const most = 5
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
}

// matched is a source whose labels are numbers of other class names.
type matched struct {
	Source
	names []string
	label []int // by the source's own
}

// source returns m as what its source is: Indexed, a Describer.
func (m *matched) source() Source {
	all, ok := m.Source.(Indexed)
	if !ok {
		return m
	}
	part := indexedMatched{matched: *m, all: all}
	if d, ok := all.(Describer); ok {
		return &describedMatched{part, d}
	}
	return &part
}

func (m *matched) Info() Info {
	info := m.Source.Info()
	info.Classes = m.names
	return info
}

// Files returns those of the source.
func (m *matched) Files() []string { return Files(m.Source) }

// Seal implements [Sealed].
func (m *matched) Seal() error { return Seal(m.Source) }

// renumber gives a sample its new label. Labels outside the source's own classes stay what they are.
func (m *matched) renumber(s *Sample, err error) error {
	if err == nil && s.Label >= 0 && s.Label < len(m.label) {
		s.Label = m.label[s.Label]
	}
	return err
}

func (m *matched) Next(s *Sample) error { return m.renumber(s, m.Source.Next(s)) }

// indexedMatched is a matched source that is Indexed.
type indexedMatched struct {
	matched
	all Indexed
}

func (m *indexedMatched) Len() int { return m.all.Len() }

func (m *indexedMatched) Read(i int, s *Sample) error { return m.renumber(s, m.all.Read(i, s)) }

// describedMatched is a matched source that is a Describer.
type describedMatched struct {
	indexedMatched
	described Describer
}

// Describe implements [Describer].
func (m *describedMatched) Describe(i int, s *Sample) {
	m.described.Describe(i, s)
	_ = m.renumber(s, nil)
}
