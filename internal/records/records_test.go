package records

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

func outcomes(t testing.TB, n int) *Samples {
	t.Helper()
	var s Samples
	for i := range n {
		o, err := metrics.Score(i, []float64{float64(i % 3), 1.5, float64(i % 2)}, i%3)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(&o); err != nil {
			t.Fatal(err)
		}
	}
	return &s
}

func same(a, b *Samples) bool {
	return a.Classes == b.Classes && slices.Equal(a.Rank, b.Rank) && slices.Equal(a.Confidence, b.Confidence) &&
		slices.Equal(a.NLL, b.NLL) && slices.Equal(a.Brier, b.Brier)
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	cells := []Cell{
		{Model: "m", Dataset: "cifar10"},
		{Model: "m", Dataset: "cifar10-c", Corruption: "fog", Severity: 3},
		{Model: "_", Dataset: "../..", View: results.View{Part: "a/b _%5F&=, limit 4", Limit: 3, TenCrop: true}},
	}
	for i, c := range cells {
		if err := w.Add(c, outcomes(t, 10+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(cells[0], outcomes(t, 3)); err == nil {
		t.Error("a cell was written twice")
	}
	w.Abort()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Abort: %v", err)
	}
	if w, err = Create(path); err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		if err := w.Add(c, outcomes(t, 10+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Cells(); !slices.Equal(got, cells) {
		t.Errorf("%+v", got)
	}
	for i, c := range cells {
		s, err := f.Read(c)
		if err != nil || !same(s, outcomes(t, 10+i)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := f.Read(Cell{Model: "other"}); !errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
	// The metrics of what was read are those of what was scored.
	s, err := f.Read(cells[0])
	if err != nil {
		t.Fatal(err)
	}
	rec, err := s.Records()
	if err != nil {
		t.Fatal(err)
	}
	stat, err := rec.TopKError(1)
	if err != nil {
		t.Fatal(err)
	}
	v, err := metrics.Value(stat)
	sum := 0.0
	for _, w := range s.Wrong() {
		sum += w / float64(s.N())
	}
	if err != nil || v != sum || v == 0 || v == 1 {
		t.Errorf("error %v, wrong %v, %v", v, sum, err)
	}
}

func TestCellNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cell{
			Model: rapid.String().Draw(t, "model"), Dataset: rapid.String().Draw(t, "dataset"),
			Corruption: rapid.String().Draw(t, "corruption"), Severity: rapid.Float64Range(0, 5).Draw(t, "severity"),
			View: results.View{
				Part: rapid.String().Draw(t, "part"), OOD: rapid.String().Draw(t, "ood"),
				Attack: rapid.String().Draw(t, "attack"), Limit: rapid.IntRange(0, 9).Draw(t, "limit"),
				TenCrop: rapid.Bool().Draw(t, "ten crops"),
			},
		}
		c = Sequences(c, rapid.IntRange(1, 3).Draw(t, "difficulty"))
		name := c.name()
		if got, err := parseCell(name, "rank"); err != nil || got != c {
			t.Fatalf("%q: %+v, %v", name, got, err)
		}
		for _, part := range strings.Split(name, "/") {
			if part == "" || part == "." || part == ".." {
				t.Fatalf("%q", name)
			}
		}
	})
}

// Names of version 1 had the view in words; those of both versions are read.
func TestVersion1Names(t *testing.T) {
	limit := results.View{Limit: 7}
	for _, c := range []struct {
		view, array string
		want        Cell
	}{
		{"_", "rank", Cell{}},
		{"limit%207", "rank", Cell{View: limit}},
		{"pgd%2C%20limit%207", "rank", Cell{View: results.View{Attack: "pgd", Limit: 7}}},
		{"limit%207%2C%20difficulty%202", "flip_probability", Cell{View: limit, Difficulty: 2}},
		{"difficulty%203", "flip_probability", Cell{Difficulty: 3}},
		{"svhn%2C%20limit%207", OODScore, Cell{View: results.View{OOD: "svhn", Limit: 7}}},
		{"clahe-c2-t8%2C%20ten-crop", "nll", Cell{View: results.View{Preprocess: "clahe-c2-t8", TenCrop: true}}},
		{"difficulty=2&limit=7", "flip_probability", Cell{View: limit, Difficulty: 2}},
	} {
		c.want.Model, c.want.Dataset = "m", "d"
		if got, err := parseCell("m/d/_/0/"+c.view, c.array); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.view, got, err)
		}
	}
	for _, view := range []string{"limit=x", "limit=1&limit=2", "color=red", "difficulty=1", "difficulty=2000", "difficulty%20x", "%zz"} {
		if c, err := parseCell("m/d/_/0/"+view, "rank"); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %+v, %v", view, c, err)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	var s Samples
	if err := s.Add(&metrics.Outcome{Classes: 3}); !errors.Is(err, metrics.ErrLabel) {
		t.Errorf("%v", err)
	}
	if err := errors.Join(s.Add(&metrics.Outcome{Classes: 3, Rank: 1})); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(&metrics.Outcome{Classes: 4, Rank: 1}); !errors.Is(err, metrics.ErrLength) {
		t.Errorf("%v", err)
	}
	w, err := Create(filepath.Join(t.TempDir(), FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for name, change := range map[string]func(*Samples){
		"none":       func(s *Samples) { *s = Samples{Classes: 3} },
		"lengths":    func(s *Samples) { s.NLL = s.NLL[1:] },
		"classes":    func(s *Samples) { s.Classes = 0 },
		"rank 0":     func(s *Samples) { s.Rank[0] = 0 },
		"rank 9":     func(s *Samples) { s.Rank[0] = 9 },
		"confidence": func(s *Samples) { s.Confidence[1] = 1.5 },
		"loss":       func(s *Samples) { s.NLL[1] = -1 },
		"Brier":      func(s *Samples) { s.Brier[1] = 3 },
	} {
		s := outcomes(t, 4)
		change(s)
		if err := w.Add(Cell{Model: "m", Dataset: "d"}, s); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCellsRefused: a cell that would make the file unreadable is not written, and the rest of the file is.
func TestCellsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for words, change := range map[string]func(*Cell){
		"severity 7 (allowed: 0 to 5)":         func(c *Cell) { c.Severity = 7 },
		"severity -1 (allowed: 0 to 5)":        func(c *Cell) { c.Severity = -1 },
		"severity NaN (allowed: 0 to 5)":       func(c *Cell) { c.Severity = math.NaN() },
		"difficulty 1 (allowed: 2 to 1000)":    func(c *Cell) { c.Difficulty = 1 },
		"difficulty -2 (allowed: 2 to 1000)":   func(c *Cell) { c.Difficulty = -2 },
		"difficulty 2000 (allowed: 2 to 1000)": func(c *Cell) { c.Difficulty = 2000 },
		"would be read as":                     func(c *Cell) { c.Part = "\xff" },
	} {
		c := Cell{Model: "m", Dataset: "d"}
		change(&c)
		for _, err := range []error{w.Add(c, outcomes(t, 4)), w.AddSeries(Series{c, OODScore}, []float64{1})} {
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "%!") {
				t.Errorf("%s: %v", words, err)
			}
		}
	}
	c := Cell{Model: "m", Dataset: "d"}
	if err := errors.Join(w.Add(c, outcomes(t, 4)), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Cells(); len(got) != 1 || got[0] != c || len(f.Series()) != 0 {
		t.Errorf("%+v, %v", got, f.Series())
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(members map[string]*npy.Array) string {
		t.Helper()
		path := filepath.Join(dir, FileName)
		z, err := npy.CreateZip(path, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(func(yield func(string) bool) {
			for k := range members {
				if !yield(k) {
					return
				}
			}
		}) {
			if err := z.Write(name, members[name]); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := func(data any) *npy.Array { return &npy.Array{Shape: []int{1}, Data: data} }
	for _, name := range []string{"a/rank", "m/d/_/9/_/rank", "m/d/_/x/_/rank", "m/d/%zz/1/_/rank", "m/d/_/1/_/e/rank"} {
		if _, err := Open(write(map[string]*npy.Array{name: one([]uint32{1})})); !errors.Is(err, ErrFormat) ||
			!strings.Contains(err.Error(), FileName) || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := Cell{Model: "m", Dataset: "d"}
	good := func() map[string]*npy.Array {
		n := c.name()
		return map[string]*npy.Array{
			n + "/rank": one([]uint32{1}), n + "/confidence": one([]float64{0.5}), n + "/nll": one([]float64{0.5}),
			n + "/brier": one([]float64{0.5}), n + "/classes": {Data: []uint32{3}},
		}
	}
	for name, change := range map[string]func(map[string]*npy.Array){
		"":                      func(map[string]*npy.Array) {},
		"no brier":              func(m map[string]*npy.Array) { delete(m, c.name()+"/brier") },
		"confidence of float32": func(m map[string]*npy.Array) { m[c.name()+"/confidence"] = one([]float32{0.5}) },
		"two losses": func(m map[string]*npy.Array) {
			m[c.name()+"/nll"] = &npy.Array{Shape: []int{2}, Data: []float64{1, 2}}
		},
		"classes": func(m map[string]*npy.Array) { m[c.name()+"/classes"] = &npy.Array{Data: []uint32{0}} },
	} {
		m := good()
		change(m)
		f, err := Open(write(m))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Read(c)
		if (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSeries(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	fog := Cell{Model: "m", Dataset: "cifar10-p", Corruption: "brightness", View: results.View{Limit: 9}}
	flips := Series{Sequences(fog, 1), "flip_probability"}
	harder := Series{Sequences(fog, 2), "flip_probability"}
	scores := Series{Cell{Model: "m", Dataset: "cifar10"}, OODScore}
	for i, s := range []Series{flips, harder, scores} {
		if err := w.AddSeries(s, []float64{float64(i), -0.5}); err != nil {
			t.Fatal(err)
		}
	}
	for name, v := range map[string][]float64{
		"rank": {1}, "": {1}, "a/b": {1}, "Upper": {1}, "empty": nil, "not_finite": {math.NaN()}, "infinite": {math.Inf(1)},
	} {
		if err := w.AddSeries(Series{fog, name}, v); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := w.AddSeries(flips, []float64{1}); err == nil {
		t.Error("a series was written twice")
	}
	w.Abort()
	if w, err = Create(path); err != nil {
		t.Fatal(err)
	}
	// Samples and a series of one cell stand beside each other.
	err = errors.Join(w.AddSeries(flips, []float64{0.25}), w.AddSeries(harder, []float64{0.5}),
		w.AddSeries(scores, []float64{-1, -0.5}), w.Add(scores.Cell, outcomes(t, 2)), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.Series(); !slices.Equal(got, []Series{flips, harder, scores}) {
		t.Errorf("%+v", got)
	}
	if got := f.Cells(); !slices.Equal(got, []Cell{scores.Cell}) {
		t.Errorf("%+v", got)
	}
	if v, err := f.ReadSeries(scores); err != nil || !slices.Equal(v, []float64{-1, -0.5}) {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := f.ReadSeries(Series{fog, "other"}); !errors.Is(err, ErrMissing) {
		t.Errorf("%v", err)
	}
}

func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), FileName)
	w, err := Create(path)
	if err == nil {
		c := Cell{Model: "m", Dataset: "d"}
		err = errors.Join(w.Add(c, outcomes(f, 5)), w.AddSeries(Series{c, OODScore}, []float64{1, 2}), w.Close())
	}
	if err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, b []byte) {
		z, err := npy.NewZip(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		r, err := newFile(z, "fuzz")
		if err != nil {
			return
		}
		for _, c := range r.Cells() {
			if s, err := r.Read(c); err == nil && s.check() != nil {
				t.Errorf("%+v: bad samples were read", c)
			}
		}
	})
}

func ExampleWriter() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, FileName)
	var s Samples
	for i, label := range []int{0, 1, 1} {
		o, err := metrics.Score(i, []float32{2, 1}, label)
		if err == nil {
			err = s.Add(&o)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	cell := Cell{Model: "wrn", Dataset: "cifar10-c", Corruption: "fog", Severity: 1}
	w, err := Create(path)
	if err == nil {
		err = errors.Join(w.Add(cell, &s), w.Close())
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	back, err := f.Read(cell)
	fmt.Println(f.Cells()[0].Corruption, back.Wrong(), err)
	// Output:
	// fog [0 1 1] <nil>
}

// TestDirectoryDamage: no bit of the directory can change without being noticed, on opening or on reading, but for what no reader
// looks at.
func TestDirectoryDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Cell{{Model: "a", Dataset: "x"}, {Model: "b", Dataset: "x"}} {
		s := Samples{Classes: 3, Rank: []uint32{1, 2}, Confidence: []float64{0.5, 0.6}, NLL: []float64{1, 2}, Brier: []float64{0.1, 0.2}}
		if err := w.Add(c, &s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	read := func(b []byte) (cells []Cell, all []*Samples, err error) {
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			return nil, nil, err
		}
		defer f.Close()
		for _, c := range f.Cells() {
			s, err := f.Read(c)
			if err != nil {
				return nil, nil, err
			}
			cells, all = append(cells, c), append(all, s)
		}
		return cells, all, nil
	}
	cells, all, err := read(good)
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	noticed := 0
	for at := bytes.Index(good, []byte("PK\x01\x02")); at < len(good); at++ {
		bad := bytes.Clone(good)
		bad[at] ^= 1 << (at % 8)
		c, s, err := read(bad)
		if err != nil {
			noticed++
		} else if !reflect.DeepEqual(c, cells) || !reflect.DeepEqual(s, all) {
			t.Errorf("bit of byte %d: %v", at, c)
		}
	}
	if noticed < 100 {
		t.Errorf("%d of %d noticed", noticed, len(good))
	}
}
