package data_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// named is an indexed source of samples without images. It counts what is read.
type named struct {
	keys    []string
	labels  []int
	classes []string
	reads   int
	next    int
}

func (s *named) Info() data.Info {
	return data.Info{Format: "named", Classes: s.classes, Len: len(s.keys)}
}
func (s *named) Len() int     { return len(s.keys) }
func (s *named) Close() error { return nil }

func (s *named) Read(i int, m *data.Sample) error {
	s.reads++
	m.Key, m.Index, m.Label, m.Data = s.keys[i], i, s.labels[i], []byte(s.keys[i])
	return nil
}

func (s *named) Next(m *data.Sample) error {
	if s.next == len(s.keys) {
		return io.EOF
	}
	s.next++
	return s.Read(s.next-1, m)
}

// described is a named source that tells keys and labels without reading.
type described struct{ named }

func (s *described) Describe(i int, m *data.Sample) { m.Key, m.Label = s.keys[i], s.labels[i] }

// unindexed hides that a source is indexed.
type unindexed struct{ data.Source }

func icons() named {
	return named{
		keys: []string{
			"cat/apple_0_cat", "cat/microsoft_1_cat", "cat/microsoft_2_lion", "dog/apple_2_dog", "dog/emoji_one_1_dog", "fox/microsoft_0_fox",
		},
		labels:  []int{0, 0, 0, 1, 1, 2},
		classes: []string{"cat", "dog", "fox"},
	}
}

func keysOf(t *testing.T, src data.Source) (keys []string, labels []int) {
	t.Helper()
	var s data.Sample
	for {
		err := src.Next(&s)
		if err == io.EOF {
			return keys, labels
		}
		if err != nil {
			t.Fatal(err)
		}
		if s.Index != len(keys) || string(s.Data) != s.Key {
			t.Errorf("sample %q at %d, position %d", s.Key, s.Index, len(keys))
		}
		keys, labels = append(keys, s.Key), append(labels, s.Label)
	}
}

func TestFilter(t *testing.T) {
	all := icons().keys
	for _, c := range []struct {
		f    data.Filter
		want []string
		text string
	}{
		{data.Filter{}, all, ""},
		{data.Filter{Only: []string{"microsoft"}}, []string{all[1], all[2], all[5]}, "only microsoft"},
		{data.Filter{Without: []string{"microsoft"}}, []string{all[0], all[3], all[4]}, "without microsoft"},
		{data.Filter{Without: []string{"_2"}}, []string{all[0], all[1], all[4], all[5]}, "without _2"},
		{data.Filter{Only: []string{"*_cat", "fox/*"}}, []string{all[0], all[1], all[5]}, "only *_cat, fox/*"},
		{data.Filter{Only: []string{"cat/????????????_*"}}, []string{}, ""},
		{data.Filter{Only: []string{"class:cat"}, Without: []string{"lion"}}, []string{all[0], all[1]}, "only class:cat, without lion"},
		{data.Filter{Only: []string{"class:?o?"}}, []string{all[3], all[4], all[5]}, "only class:?o?"},
	} {
		plain, quick := icons(), described{icons()}
		for _, src := range []data.Source{&plain, &quick} {
			got, err := c.f.Apply(src)
			if len(c.want) == 0 {
				if !errors.Is(err, data.ErrFilter) {
					t.Errorf("%s: %v", c.f, err)
				}
				continue
			}
			if err != nil {
				t.Error(err)
				continue
			}
			if src == data.Source(&quick) && quick.reads > 0 {
				t.Errorf("%s: %d images read to choose", c.f, quick.reads)
			}
			keys, _ := keysOf(t, got)
			if !slices.Equal(keys, c.want) || c.f.String() != c.text || !slices.Equal(got.Info().Classes, plain.classes) || got.Info().Len != len(keys) {
				t.Errorf("%+v, %q: %q", c.f, c.f, keys)
			}
		}
	}
}

func TestFilterErrors(t *testing.T) {
	for _, c := range []struct {
		f    data.Filter
		says string
	}{
		{data.Filter{Only: []string{"microsoft", "google"}}, `no sample is like "google" (6 samples; the first: "cat/apple_0_cat")`},
		{data.Filter{Without: []string{"class:wolf"}}, `there is no class "wolf" (allowed: "cat", "dog", "fox")`},
		{data.Filter{Only: []string{""}}, `pattern ""`},
		{data.Filter{Only: []string{"class:"}}, `pattern "class:"`},
		{data.Filter{Without: []string{"_"}}, "of 6 samples none is left by without _"},
	} {
		src := icons()
		if _, err := c.f.Apply(&src); !errors.Is(err, data.ErrFilter) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.f, err, c.says)
		}
	}
	src := icons()
	if _, err := (data.Filter{Only: []string{"cat"}}).Apply(unindexed{&src}); !errors.Is(err, data.ErrUnsupported) {
		t.Error(err)
	}
}

func TestClassMap(t *testing.T) {
	if _, err := data.ReadClassMap(strings.NewReader("# two of three\nfox\twild animal\nfox2,x\n"), "list"); err == nil {
		t.Error("a name with a space and no comma")
	}
	m, err := data.ReadClassMap(strings.NewReader("# two of three\n\nfox,wild animal # red\ndog  pet\n"), "list")
	if err != nil {
		t.Fatal(err)
	}
	src := described{icons()}
	got, err := m.Apply(&src)
	if err != nil {
		t.Fatal(err)
	}
	if src.reads > 0 {
		t.Errorf("%d images read to choose", src.reads)
	}
	keys, labels := keysOf(t, got)
	if !slices.Equal(got.Info().Classes, []string{"wild animal", "pet"}) || !slices.Equal(labels, []int{1, 1, 0}) ||
		!slices.Equal(keys, src.keys[3:]) {
		t.Errorf("%q, %v, %q", got.Info().Classes, labels, keys)
	}
	// All classes kept: a stream will do.
	all := data.NewClassMap("pairs", [][2]string{{"cat", "pet"}, {"dog", "pet"}, {"fox", "wild"}})
	plain := icons()
	if got, err = all.Apply(unindexed{&plain}); err != nil {
		t.Fatal(err)
	}
	if _, labels := keysOf(t, got); !slices.Equal(labels, []int{0, 0, 0, 0, 0, 1}) {
		t.Errorf("%v", labels)
	}
	// WordNet's numbers may be more than the data have.
	wide := data.NewClassMap("wide", [][2]string{{"n02084071", "dog"}, {"cat", "pet"}, {"n02121620", "pet"}})
	some := icons()
	if got, err = wide.Apply(&some); err != nil || got.Info().Len == 0 {
		t.Errorf("numbers that the data lack: %v", err)
	}
	if got := wide.Pairs(); len(got) != 3 || got[2] != [2]string{"n02121620", "pet"} {
		t.Errorf("pairs %q", got)
	}
	for text, says := range map[string]string{
		"n02084071 a\n":       `1 of its 1 classes are none of the data's 3: "n02084071"`,
		"n0208407 a\ncat b\n": `1 of its 2 classes are none of the data's 3: "n0208407"`,
		"":                    "list lists no class",
		"a b c\n":             `list:1: "a b c" (allowed: FROM TO`,
		"cat,\n":              "list:1",
		"cat a\n\ncat b\n":    `list:3: class "cat" is listed twice, first as "a"`,
		"wolf a\ncat b\n":     `1 of its 2 classes are none of the data's 3: "wolf" (allowed: "cat", "dog", "fox")`,
	} {
		m, err := data.ReadClassMap(strings.NewReader(text), "list")
		if err == nil {
			src := icons()
			_, err = m.Apply(&src)
		}
		if !errors.Is(err, data.ErrFilter) || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// A test set without one vendor's icons, and the classes that a model knows by other names.
func ExampleFilter() {
	src := icons()
	some, err := data.Filter{Without: []string{"microsoft"}}.Apply(&src)
	if err != nil {
		panic(err)
	}
	pets := data.NewClassMap("pets", [][2]string{{"dog", "pet"}, {"cat", "pet"}})
	if some, err = pets.Apply(some); err != nil {
		panic(err)
	}
	fmt.Println(some.Info().Len, some.Info().Classes)
	// Output:
	// 3 [pet]
}

// A question mark is a character, however many bytes that has.
func TestLikeCharacters(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"caf?", "café", true}, {"caf??", "café", false}, {"?/*", "é/1", true}, {"*?é", "aéé", true}, {"*??é", "éé", false}, {"*??", "€", false}, {"*??", "a€", true}, {"?", "\xff", true},
	} {
		if data.Like(c.pattern, c.text) != c.want {
			t.Errorf("%q like %q: want %v", c.text, c.pattern, c.want)
		}
	}
}
