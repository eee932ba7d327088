package data_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// numbers is a source of n gray images of one pixel, k000 and so on. Those in unreadable fail; fatalAt, when positive,
// ends the source with an error.
type numbers struct {
	n          int
	unreadable map[int]bool
	fatalAt    int
	hidden     bool // Info does not tell the length
	cursor     data.Cursor
}

var errBroken = errors.New("broken cable")

func (f *numbers) Info() data.Info {
	if f.hidden {
		return data.Info{Format: "numbers", Len: -1}
	}
	return data.Info{Format: "numbers", Len: f.n}
}

func (f *numbers) Len() int                  { return f.n }
func (f *numbers) Close() error              { return nil }
func (f *numbers) Next(s *data.Sample) error { return f.cursor.Next(f, s) }

func (f *numbers) Read(i int, s *data.Sample) error {
	if f.fatalAt > 0 && i == f.fatalAt {
		return errBroken
	}
	if f.unreadable[i] {
		return &data.SampleError{Name: fmt.Sprintf("in/%03d.bin", i), Key: fmt.Sprintf("k%03d", i), Err: errBroken}
	}
	*s = data.Sample{
		Key: fmt.Sprintf("k%03d", i), Index: i, Label: i % 2, Form: data.GrayForm, W: 1, H: 1,
		Data: append(s.Data[:0], byte(i)),
	}
	return nil
}

// stream hides the random access of a source.
type stream struct{ data.Source }

// keys reads src to its end; a sample that cannot be read gives an empty key.
func keys(t testing.TB, src data.Source) []string {
	t.Helper()
	var out []string
	var s data.Sample
	for i := 0; ; i++ {
		err := src.Next(&s)
		switch bad := (*data.SampleError)(nil); {
		case err == io.EOF:
			return out
		case errors.As(err, &bad):
			out = append(out, "")
		case err != nil:
			t.Fatal(err)
		case s.Index != i:
			t.Errorf("sample %d has Index %d", i, s.Index)
			fallthrough
		default:
			out = append(out, s.Key)
		}
	}
}

// A subset has the samples of its source that at names, whether these can be read in any order or not.
func TestSubset(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(r, "n")
		unreadable := map[int]bool{}
		var rows []int
		var want []string
		for i := range n {
			unreadable[i] = rapid.IntRange(0, 4).Draw(r, "unreadable") == 0
			if rapid.Bool().Draw(r, "chosen") {
				rows = append(rows, i)
				if want = append(want, fmt.Sprintf("k%03d", i)); unreadable[i] {
					want[len(want)-1] = ""
				}
			}
		}
		for _, src := range []data.Source{&numbers{n: n, unreadable: unreadable}, stream{&numbers{n: n, unreadable: unreadable}}} {
			part := data.Select(src, rows)
			_, indexed := src.(data.Indexed)
			all, ok := part.(data.Indexed)
			if part.Info().Len != len(rows) || ok != indexed {
				r.Fatalf("%d samples, indexed %v", part.Info().Len, ok)
			}
			if got := keys(t, part); !slices.Equal(got, want) {
				r.Fatalf("samples %q, want %q", got, want)
			}
			for i := len(rows) - 1; i >= 0 && ok; i-- {
				var s data.Sample
				if err := all.Read(i, &s); (err != nil) != unreadable[rows[i]] || err == nil && (s.Key != want[i] || s.Index != i) {
					r.Fatalf("sample %d: %q, index %d, %v", i, s.Key, s.Index, err)
				}
			}
		}
	})
}

func TestSlice(t *testing.T) {
	for _, s := range []data.Source{&numbers{n: 9}, stream{&numbers{n: 9, unreadable: map[int]bool{1: true}}}} {
		part := data.Slice(s, 3, 6)
		if got := keys(t, part); !slices.Equal(got, []string{"k003", "k004", "k005"}) || part.Info().Len != 3 {
			t.Errorf("samples %v of %d", got, part.Info().Len)
		}
		var sample data.Sample
		if x, ok := part.(data.Indexed); ok && (x.Read(2, &sample) != nil || sample.Key != "k005" || x.Len() != 3) {
			t.Errorf("at random: %s", sample.Key)
		}
	}
	part := data.Slice(stream{&numbers{n: 9, fatalAt: 2}}, 3, 6)
	if err := part.Next(new(data.Sample)); !errors.Is(err, errBroken) {
		t.Errorf("a source that fails: %v", err)
	}
}

func TestLimit(t *testing.T) {
	set := &numbers{n: 40}
	if got := keys(t, data.Limit(set, 8)); len(got) != 8 || got[0] != "k000" || got[1] != "k005" || got[7] != "k035" {
		t.Errorf("keys %v", got)
	}
	for _, n := range []int{0, 40, 41} {
		if data.Limit(set, n) != data.Source(set) {
			t.Errorf("a limit of %d should be the set itself", n)
		}
	}
	for _, c := range []struct {
		src       data.Source
		n, length int
		count     int
	}{
		{stream{&numbers{n: 40}}, 8, 8, 8},
		{stream{&numbers{n: 5}}, 8, 5, 5},
		{stream{&numbers{n: 5, hidden: true}}, 8, -1, 5},
		{stream{&numbers{n: 40, hidden: true}}, 8, -1, 8},
	} {
		part := data.Limit(c.src, c.n)
		if got := keys(t, part); len(got) != c.count || got[4] != "k004" || part.Info().Len != c.length {
			t.Errorf("%d of a stream: %v, length %d", c.n, got, part.Info().Len)
		}
	}
	defer func() {
		if said := fmt.Sprint(recover()); said != "data: limit of -3 samples (allowed: 1 and up, 0 for all)" {
			t.Errorf("a limit of -3: %s", said)
		}
	}()
	data.Limit(set, -3)
}

func TestCount(t *testing.T) {
	src := stream{&numbers{n: 9, unreadable: map[int]bool{2: true}, hidden: true}}
	if n, err := data.Count(src); n != 9 || err != nil {
		t.Errorf("Count: %d, %v", n, err)
	}
	if _, err := data.Count(stream{&numbers{n: 9, fatalAt: 4, hidden: true}}); !errors.Is(err, errBroken) {
		t.Errorf("a source that fails: %v", err)
	}
}

func TestFirstSize(t *testing.T) {
	src := &numbers{n: 9, unreadable: map[int]bool{0: true, 1: true}}
	if w, h, err := data.FirstSize(src); w != 1 || h != 1 || err != nil {
		t.Errorf("%dx%d, %v", w, h, err)
	}
	var s data.Sample
	for range 3 { // two of which cannot be read
		_ = src.Next(&s)
	}
	if s.Index != 2 {
		t.Errorf("FirstSize took samples: Next came to %d, want 2", s.Index)
	}
	if _, _, err := data.FirstSize(&numbers{}); !errors.Is(err, data.ErrFormat) {
		t.Errorf("an empty set: %v", err)
	}
	if _, _, err := data.FirstSize(&numbers{n: 2, fatalAt: 1, unreadable: map[int]bool{0: true}}); !errors.Is(err, errBroken) {
		t.Errorf("a source that fails: %v", err)
	}
}

// Positions that a set does not have are found where a part of it is asked for, not where that is read.
func TestSubsetRange(t *testing.T) {
	src := &numbers{n: 9}
	for what, ask := range map[string]func(){
		"slice -1 to 3 of 9": func() { data.Slice(src, -1, 3) },
		"slice 5 to 3 of 9":  func() { data.Slice(src, 5, 3) },
		"slice 0 to 10 of 9": func() { data.Slice(src, 0, 10) },
		"sample 9 of 9":      func() { data.Select(src, []int{0, 9}) },
		"sample -1 of 9":     func() { data.Select(src, []int{-1}) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, what) {
					t.Errorf("%s: panic %s", what, said)
				}
			}()
			ask()
		}()
	}
	data.Slice(src, 9, 9)
	data.Slice(stream{src}, 0, 100)
}

func TestCheck(t *testing.T) {
	for _, src := range []data.Source{
		&numbers{n: 50, unreadable: map[int]bool{40: true, 3: true}}, stream{&numbers{n: 50, unreadable: map[int]bool{40: true, 3: true}}},
	} {
		reports := 0
		n, bad, err := data.Check(t.Context(), src, 3, func(done, _ int) { reports = done })
		if n != 50 || reports != 50 || err != nil || len(bad) != 2 {
			t.Fatalf("%d samples, %d reported, %v, %v", n, reports, bad, err)
		}
		if want := (data.Rejected{Index: 3, Key: "k003", Name: "in/003.bin", Reason: "broken cable"}); bad[0] != want || bad[1].Index != 40 {
			t.Errorf("%+v", bad)
		}
	}
}

// halfLabeled is a source of which some samples have no label.
type halfLabeled struct {
	*numbers
	labeled func(i int) bool
}

func (h halfLabeled) Read(i int, s *data.Sample) error {
	err := h.numbers.Read(i, s)
	if !h.labeled(i) {
		s.Label = data.NoLabel
	}
	return err
}

// Labels of some samples alone are found, as no sink takes them.
func TestCheckLabels(t *testing.T) {
	for _, test := range []struct {
		labeled func(i int) bool
		reason  string
	}{
		{func(i int) bool { return i != 7 && i != 9 }, `bad label: sample "k007" has no label, the samples before it have`},
		{func(i int) bool { return i == 7 }, `bad label: sample "k007" has label 1, the samples before it have none`},
		{func(int) bool { return false }, ""},
	} {
		n, bad, err := data.Check(t.Context(), halfLabeled{&numbers{n: 20}, test.labeled}, 3, nil)
		if n != 20 || err != nil || len(bad) != min(len(test.reason), 1) {
			t.Fatalf("%d samples, %v, %v", n, bad, err)
		}
		if len(bad) > 0 && (bad[0] != data.Rejected{Index: 7, Key: "k007", Reason: test.reason}) {
			t.Errorf("%+v, want %s", bad[0], test.reason)
		}
	}
}

// Every third sample of a data set, evenly spread.
func ExampleSubset() {
	src := data.Subset(&numbers{n: 10}, 3, func(i int) int { return 3 * i })
	var s data.Sample
	var m raster.Image
	for src.Next(&s) == nil {
		if err := s.Decode(&m); err != nil {
			panic(err)
		}
		fmt.Println(s.Index, s.Key, m.At(0, 0).R)
	}
	// Output:
	// 0 k000 0
	// 1 k003 3
	// 2 k006 6
}
