package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// blobs is a PNG file of blobs that n decides; shift makes it a little brighter.
func blobs(t *testing.T, n, side, shift int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			u, v := float64(x)/float64(side), float64(y)/float64(side)
			c := 110 + int(90*math.Sin(7*u+float64(n))*math.Cos(float64(3+n)*v+u*float64(n))) + shift
			m.Set(x, y, color.RGBA{uint8(c), uint8(c), uint8(c / 2), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A data set with two parts, of which the test set holds a training image in another size, and one that is broken.
func TestData(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		class := []string{"cat", "dog"}[i%2]
		put(t, filepath.Join(dir, "train", class, fmt.Sprintf("t%d.png", i)), blobs(t, i+1, 64, 0))
		put(t, filepath.Join(dir, "test", class, fmt.Sprintf("v%d.png", i)), blobs(t, i+11, 64, 0))
	}
	put(t, filepath.Join(dir, "test", "dog", "again.png"), blobs(t, 3, 96, 5)) // the cat t2
	put(t, filepath.Join(dir, "test", "cat", "broken.png"), []byte("no image"))
	_, do := serve(t, Options{Data: dir, Message: func(error) string { return "said" }})

	var d dataSummary
	progress := 0
	for event := range strings.SplitSeq(do("GET", "api/data", nil, nil).Body.String(), "\n\n") {
		kind, text, _ := strings.Cut(event, "\ndata: ")
		switch kind {
		case "event: progress":
			progress++
		case "event: summary":
			if err := json.Unmarshal([]byte(text), &d); err != nil {
				t.Fatal(err)
			}
		case "event: failed":
			t.Fatal(text)
		}
	}
	if progress < 2 || len(d.Parts) != 2 || d.Parts[0].Part != "test" || d.Parts[0].Samples != 8 || d.Parts[1].Samples != 6 {
		t.Fatalf("%d reports, %+v", progress, d)
	}
	if bad := d.Parts[0]; bad.Unreadable != 1 || !strings.Contains(bad.Rejected[0].Name, "broken.png") || bad.Width.Max != 96 ||
		bad.Classes[0].Count != 3 || bad.Classes[1].Count != 4 {
		t.Errorf("the test set: %+v, rejected %v", bad.Summary, bad.Rejected)
	}
	if one := d.Duplicates; len(one.Pairs) != 1 || !one.Pairs[0].Apart || !one.Pairs[0].Label || one.Total != 1 || one.Seen != 1 {
		t.Fatalf("near-duplicates: %+v", one)
	}
	pair := d.Duplicates.Pairs[0]
	if keys := pair.A.Key + " " + pair.B.Key; !strings.Contains(keys, "t2") || !strings.Contains(keys, "again") {
		t.Errorf("the pair is %s", keys)
	}
	for _, id := range []string{pair.A.ID, pair.B.ID} { // both can be opened
		if w := do("GET", "image/corrupt?size=32&crop=32&image="+id, nil, nil); w.Code != 200 {
			t.Errorf("%s: %d %s", id, w.Code, w.Body)
		}
	}
	list := func(query string) (l sampleList) {
		t.Helper()
		if err := json.Unmarshal(do("GET", "api/list?"+query, nil, nil).Body.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := list(""); len(l.Samples) != 8 || l.Next != -1 {
		t.Errorf("all: %+v", l)
	}
	if l := list("q=" + url.QueryEscape("again")); len(l.Samples) != 1 || l.Samples[0].Label != "dog" {
		t.Errorf("by key: %+v", l)
	}
	if l := list("class=0"); len(l.Samples) != 4 {
		t.Errorf("by class: %+v", l)
	}
	// The data vanishes: a message, and the server stays.
	if err := os.RemoveAll(filepath.Join(dir, "test")); err != nil {
		t.Fatal(err)
	}
	if w := do("GET", "image/corrupt?image=d0&crop=20", nil, nil); w.Code != 404 || strings.TrimSpace(w.Body.String()) != "said" {
		t.Errorf("vanished: %d %s", w.Code, w.Body)
	}
	if w := do("GET", "api/info", nil, nil); w.Code != 200 {
		t.Errorf("after that: %d", w.Code)
	}
}

// TestDataUnreadable: what cannot be decoded is listed, though its header is whole, and the counts are of the others; the saved screen says
// the same, and has no table of no classes. An image with more pixels than are shown is told too.
func TestDataUnreadable(t *testing.T) {
	dir := t.TempDir()
	whole := blobs(t, 1, 64, 0)
	put(t, filepath.Join(dir, "whole.png"), whole)
	put(t, filepath.Join(dir, "cut.png"), whole[:len(whole)/2])
	put(t, filepath.Join(dir, "text.png"), []byte("hello"))
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray16(image.Rect(0, 0, 40, 40))); err != nil { // refused without a window of values
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "gray16.png"), b.Bytes())
	b.Reset()
	if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, 6000, 6000), color.Palette{color.Black, color.White})); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "large.png"), b.Bytes())
	s, _ := serve(t, Options{Data: dir})
	d, err := s.summarize(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := d.Parts[0]
	var names []string
	for _, r := range p.Rejected {
		names = append(names, filepath.Base(r.Name))
	}
	if got := strings.Join(names, " "); got != "cut.png gray16.png text.png" || p.Samples != 5 || p.Unlabeled != 2 || p.Large != 1 || p.Width.Max != 6000 {
		t.Errorf("%s are rejected, %+v, %+v", got, p, p.Summary)
	}
	file, err := s.Export(t.Context(), "screen=data")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"5 images, of which 2 can be read, 2 of these without a label": true, "3 cannot be read": true, "compared with others: 1": true, "0 classes": false,
	} {
		if bytes.Contains(file, []byte(text)) != want {
			t.Errorf("%q is in the saved screen: %v, want %v", text, !want, want)
		}
	}
}

func TestListPages(t *testing.T) {
	_, do := serve(t, Options{Data: "scenes:n=130,size=16"})
	seen := map[string]bool{}
	for from := 0; from >= 0; {
		var l sampleList
		if err := json.Unmarshal(do("GET", fmt.Sprintf("api/list?from=%d", from), nil, nil).Body.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for _, s := range l.Samples {
			if seen[s.ID] {
				t.Errorf("%s comes twice", s.ID)
			}
			seen[s.ID] = true
		}
		from = l.Next
	}
	if len(seen) != 130 {
		t.Errorf("%d of 130", len(seen))
	}
}

// The banded search finds exactly the pairs that comparing all with all finds, each once.
func TestCandidatesAgainstAll(t *testing.T) {
	var all []hashed
	state := uint64(1)
	for i := range 300 {
		state = state*6364136223846793005 + 1442695040888963407
		h := state
		for k := range i % 14 { // like the one before, but for some bits
			if k == 0 {
				h = all[i-1].hash
			}
			state = state*6364136223846793005 + 1442695040888963407
			h ^= 1 << (state >> 58)
		}
		all = append(all, hashed{part: i % 2, hash: h, ok: i != 7})
	}
	want := map[[2]int]int{}
	for i := range all {
		for j := range i {
			if n := onesCount(all[i].hash ^ all[j].hash); n <= hashDistance && all[i].ok && all[j].ok {
				want[[2]int{j, i}] = 1
			}
		}
	}
	got := map[[2]int]int{}
	err := candidates(t.Context(), all, func(j, i int) bool { got[[2]int{j, i}]++; return true })
	if err != nil || len(want) < 200 || !maps.Equal(got, want) {
		t.Errorf("%d pairs, want %d, %v", len(got), len(want), err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := duplicates(stopped, all); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// What makes two images alike, and what does not.
func TestAlike(t *testing.T) {
	of := func(f func(i int) int) *hashed {
		h := new(hashed)
		for i := range h.look {
			h.look[i] = uint8(f(i))
		}
		return h
	}
	wave := func(i int) int { return 60 + 50*((i/3)%2) + i%64 }
	base := of(wave)
	for name, test := range map[string]struct {
		other    *hashed
		low, top float64
	}{
		"itself":   {of(wave), 1, 1},
		"brighter": {of(func(i int) int { return wave(i) + 30 }), 0.999, 1},
		"tinted":   {of(func(i int) int { return wave(i) + 40*(i/64) }), 0.999, 1},
		"flatter":  {of(func(i int) int { return 60 + wave(i)/2 }), 0.99, 1},
		"negative": {of(func(i int) int { return 255 - wave(i) }), -1, -0.99},
		"another":  {of(func(i int) int { return 60 + 50*((i/5)%2) }), -0.5, 0.5},
		"nothing":  {of(func(int) int { return 9 }), 0, 0},
	} {
		if r := alike(base, test.other); r < test.low-1e-9 || r > test.top+1e-9 {
			t.Errorf("%s: %v, want %v to %v", name, r, test.low, test.top)
		}
	}
}

func onesCount(h uint64) (n int) {
	for ; h != 0; h &= h - 1 {
		n++
	}
	return n
}
