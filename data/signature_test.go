package data_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// listed is a source of given samples.
type listed struct {
	classes []string
	samples []data.Sample
	cursor  data.Cursor
}

func (l *listed) Info() data.Info { return data.Info{Classes: l.classes, Len: len(l.samples)} }
func (l *listed) Len() int        { return len(l.samples) }
func (l *listed) Close() error    { return nil }

func (l *listed) Next(s *data.Sample) error { return l.cursor.Next(l, s) }

func (l *listed) Read(i int, s *data.Sample) error {
	*s = l.samples[i]
	if s.Key == "damaged" {
		return &data.SampleError{Key: s.Key, Err: io.ErrUnexpectedEOF}
	}
	return nil
}

func sample(key string, label int, content string) data.Sample {
	return data.Sample{Key: key, Label: label, Data: []byte(content)}
}

// TestSign: what the two sums tell apart.
func TestSign(t *testing.T) {
	sign := func(classes []string, samples ...data.Sample) data.Signature {
		t.Helper()
		s, err := data.Sign(t.Context(), &listed{classes: classes, samples: samples})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	names := []string{"cat", "dog"}
	a, b := sample("a", 0, "x"), sample("b", 1, "y")
	base := sign(names, a, b)
	if base.N != 2 || base != sign(names, a, b) {
		t.Errorf("%+v is not the same twice", base)
	}
	if got := sign(names, a, sample("damaged", 0, ""), b); got != base {
		t.Errorf("with a damaged sample %+v, want %+v", got, base)
	}
	if got := sign(names, sample("a", 0, "z"), b); got.Samples != base.Samples || got.Content == base.Content {
		t.Errorf("other bytes: %+v after %+v", got, base)
	}
	for what, got := range map[string]data.Signature{
		"order":       sign(names, b, a),
		"key":         sign(names, sample("c", 0, "x"), b),
		"label":       sign(names, sample("a", 1, "x"), b),
		"no label":    sign(names, sample("a", data.NoLabel, "x"), b),
		"class name":  sign([]string{"cat", "cow"}, a, b),
		"more names":  sign([]string{"cat", "dog", "cow"}, a, b),
		"no names":    sign(nil, a, b),
		"one missing": sign(names, a),
		"none":        sign(names),
	} {
		if got.Samples == base.Samples || got.Content == base.Content {
			t.Errorf("%s: %+v, as before", what, got)
		}
	}
}

// TestSumGoesOn: a sum on the way changes nothing of those after it.
func TestSumGoesOn(t *testing.T) {
	a, b := sample("a", 1, "x"), sample("b", 0, "y")
	once, twice := data.NewSigner(nil), data.NewSigner(nil)
	for _, s := range []*data.Sample{&a, &b} {
		once.Add(s)
		twice.Add(s)
		if sum := twice.Sum(); twice.Sum() != sum {
			t.Error("two sums of the same samples differ")
		}
	}
	if once.Sum() != twice.Sum() {
		t.Errorf("%+v, with a sum before it %+v", once.Sum(), twice.Sum())
	}
}

// TestMatchClasses: labels go by the names of their classes.
func TestMatchClasses(t *testing.T) {
	model := []string{"ape", "bee", "cat", "dog"}
	src := func(classes ...string) *listed {
		l := &listed{classes: classes}
		for i := range classes {
			l.samples = append(l.samples, sample(classes[i], i, ""))
		}
		return l
	}
	for _, same := range [][]string{nil, model} {
		in := src(same...)
		if got, err := data.MatchClasses(in, model); err != nil || got != data.Source(in) {
			t.Errorf("%v: %v, %v, want the source itself", same, got, err)
		}
	}
	got, err := data.MatchClasses(src("dog", "bee"), model)
	if err != nil || !slices.Equal(got.Info().Classes, model) {
		t.Fatal(got, err)
	}
	all := got.(data.Indexed)
	for i, want := range []int{3, 1} {
		var next, read data.Sample
		if err := errors.Join(got.Next(&next), all.Read(i, &read)); err != nil || next.Label != want || read.Label != want {
			t.Errorf("sample %d has labels %d and %d (%v), want %d", i, next.Label, read.Label, err, want)
		}
	}
	if _, err := data.MatchClasses(src("crane"), []string{"crane", "dog", "crane"}); !errors.Is(err, data.ErrLabel) {
		t.Errorf("a name of two classes: %v", err)
	}
	if _, err := data.MatchClasses(src("dog", "eel", "fox"), model); !errors.Is(err, data.ErrLabel) {
		t.Errorf("strange classes: %v", err)
	} else if want := `bad label: 2 of the 3 classes of the data are unknown here: "eel", "fox" (allowed: "ape", "bee", "cat", "dog")`; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = data.MatchClasses(src("cafe\u0301"), []string{"café", "müsli"})
	if want := `unknown here: "cafe\u0301" (allowed: "café", "müsli")`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
