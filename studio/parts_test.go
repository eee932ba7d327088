package studio

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
)

// What is shown is what the options of the input leave, in every part that has some of it.
func TestInput(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		class := []string{"cat", "dog", "fish"}[i%3]
		put(t, filepath.Join(dir, "sets", "test", class, fmt.Sprintf("%d.png", i)), blobs(t, i+1, 16, 0))
		put(t, filepath.Join(dir, "flat", fmt.Sprintf("%d.png", i)), blobs(t, i+1, 16, 0))
		if i != 2 && i != 5 { // no fish to train on
			put(t, filepath.Join(dir, "sets", "train", class, fmt.Sprintf("t%d.png", i)), blobs(t, i+9, 16, 0))
		}
	}
	put(t, filepath.Join(dir, "labels.csv"), []byte("0.png,ape\n1.png,bee\n2.png,ape\n3.png,bee\n4.png,ape\n5.png,ape\n"))
	put(t, filepath.Join(dir, "classes.txt"), []byte("cat pet\ndog pet\n"))
	for name, test := range map[string]struct {
		data string
		o    formats.Options
		want string // parts, samples of the first, and its first label
	}{
		"all":     {"sets", formats.Options{}, "test train 6 cat"},
		"train":   {"sets", formats.Options{Split: "train"}, "train test 4 cat"},
		"only":    {"sets", formats.Options{Only: []string{"class:dog"}}, "test train 2 dog"},
		"fish":    {"sets", formats.Options{Only: []string{"class:fish"}}, "test 2 fish"},
		"classes": {"sets", formats.Options{Classes: filepath.Join(dir, "classes.txt")}, "test train 4 pet"},
		"labels":  {"flat", formats.Options{Labels: filepath.Join(dir, "labels.csv"), Without: []string{"0"}}, " 5 bee"},
	} {
		s, do := serve(t, Options{Data: filepath.Join(dir, test.data), Input: test.o})
		got := ""
		for _, p := range s.parts {
			got += p.name + " "
		}
		var l sampleList
		if err := json.Unmarshal(do("GET", "api/list", nil, nil).Body.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		if got += fmt.Sprint(len(l.Samples), " ", l.Samples[0].Label); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	// What is chosen of it is still told without reading or drawing images, on which the time of a copy depends.
	s, _ := serve(t, Options{Data: "scenes:n=40,size=64", Input: formats.Options{Only: []string{"class:star"}}})
	describer, ok := s.parts[0].source.(data.Describer)
	if !ok || describer.Len() != 4 {
		t.Fatal("a choice of scenes is not described")
	}
	var described, read data.Sample
	describer.Describe(3, &described)
	if err := describer.Read(3, &read); err != nil || described.Key != read.Key || described.Index != 3 || described.Label != read.Label || described.Data != nil {
		t.Errorf("described as %s, read as %s", described.Key, read.Key)
	}
	_, err := New(Options{Data: filepath.Join(dir, "sets"), Input: formats.Options{Only: []string{"whale"}}})
	if !errors.Is(err, data.ErrFilter) || !strings.Contains(err.Error(), "whale") {
		t.Errorf("nothing is left: %v", err)
	}
	// A mixing set of one's own is named by a word alone.
	_, do := serve(t, Options{Data: small, Mixset: filepath.Join(dir, "flat")})
	if w := do("GET", "image/mix?spec=pixmix&set=own", nil, nil); w.Code != 422 || !strings.Contains(w.Body.String(), "flat") { // its images are too small
		t.Errorf("a set of small images: %d %s", w.Code, w.Body)
	}
	if w := do("GET", "api/info", nil, nil); !strings.Contains(w.Body.String(), `"sets":[{"name":"own"`) {
		t.Error("the page does not know the set")
	}
	_, do = serve(t, Options{Data: small})
	if w := do("GET", "image/mix?spec=pixmix&set=own", nil, nil); w.Code != 400 || !strings.Contains(w.Body.String(), "--mixset") {
		t.Errorf("no set of one's own: %d %s", w.Code, w.Body)
	}
}
