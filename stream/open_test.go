package stream

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/transform"
)

// A manifest gives the same images as the order that it was written of, whatever else the options ask for.
func TestOpenManifest(t *testing.T) {
	src := &set{n: 6}
	made, err := Open(src, &transform.Corruptions{Names: []string{"fog", "brightness"}}, Options{Order: "mixed-s2.5", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := made.WriteManifest(&text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "order.csv")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := Open(src, &transform.Corruptions{Names: []string{"snow"}}, Options{Order: "gradual", Seed: 9, Manifest: file})
	if err != nil {
		t.Fatal(err)
	}
	names := again.Corruptions()
	slices.Sort(names)
	if made.Spec() != "mixed-s2.5" || again.Spec() != "" || again.Seed() != 3 || !slices.Equal(names, []string{"brightness", "fog"}) {
		t.Errorf("%q, then %q, seed %d, %v", made.Spec(), again.Spec(), again.Seed(), names)
	}
	for i := range made.Len() {
		var a, b data.Sample
		if err := errors.Join(made.Read(i, &a), again.Read(i, &b)); err != nil {
			t.Fatal(err)
		}
		if a.Label != b.Label || !bytes.Equal(a.Data, b.Data) {
			t.Errorf("position %d differs", i)
		}
	}
}

// Complete sees the names of the stream, of a manifest too, and a copy of the plan.
func TestOpenComplete(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.csv")
	if err := os.WriteFile(file, []byte(strings.Join(columns[:8], ",")+"\n0,\"'=k,0\",0,ripple,3,,,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var seen []string
	complete := func(p *transform.Corruptions) (Settings, error) {
		seen = append(seen, p.Names...)
		p.Bar = cbar.CIFAR
		return nil, nil
	}
	plan := &transform.Corruptions{Names: []string{"fog"}}
	for _, o := range []Options{{Complete: complete}, {Complete: complete, Manifest: file}} {
		s, err := Open(&set{n: 2}, plan, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Read(0, new(data.Sample)); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(seen, []string{"fog", "ripple"}) || plan.Bar == cbar.CIFAR {
		t.Errorf("saw %q, the plan now has profile %v", seen, plan.Bar)
	}
	fails := Options{Complete: func(*transform.Corruptions) (Settings, error) { return nil, os.ErrNotExist }}
	if _, err := Open(&set{n: 2}, plan, fails); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// A manifest is refused where other images were to be made of it, and read where it is of a version that did not say how they were.
func TestOpenOtherSettings(t *testing.T) {
	plan := transform.Corruptions{Names: []string{"fog", "sparkles"}, Profile: corrupt.P64, Crop: 12}
	other := plan
	other.Profile, other.Crop, other.Size, other.Bar = corrupt.Auto, 0, 14, cbar.CIFAR
	frost := func(name string) func(*transform.Corruptions) (Settings, error) {
		return func(*transform.Corruptions) (Settings, error) { return Settings{"frost": name, "parameters": ""}, nil }
	}
	made, err := Open(&set{n: 3}, &plan, Options{Complete: frost("generated")})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := made.WriteManifest(&text); err != nil {
		t.Fatal(err)
	}
	file, old := filepath.Join(t.TempDir(), "order.csv"), filepath.Join(t.TempDir(), "old.csv")
	rows, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil || rows[1][8] != "bar-profile imagenet; crop 12; frost generated; profile 64" || rows[2][8] != "" {
		t.Fatalf("%q, %v", rows[:3], err)
	}
	before := new(bytes.Buffer)
	for w := csv.NewWriter(before); len(rows) > 0; rows = rows[1:] {
		_ = w.Write(rows[0][:8])
		w.Flush()
	}
	if err := errors.Join(os.WriteFile(file, text.Bytes(), 0o666), os.WriteFile(old, before.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	_, err = Open(&set{n: 3}, &other, Options{Manifest: file, Complete: frost("12ab")})
	want := file + ": bad order: the images of the manifest have bar-profile imagenet, crop 12, no filter, frost generated, profile 64, no size, " +
		"and those asked for bar-profile cifar, no crop, filter box, frost 12ab, profile auto, size 14"
	if !errors.Is(err, ErrOrder) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for name, p := range map[string]*transform.Corruptions{file: &plan, old: &other} {
		if _, err := Open(&set{n: 3}, p, Options{Manifest: name, Complete: frost("generated")}); err != nil {
			t.Error(err)
		}
	}
}

// A walk that is over before it comes to frost is replayed from its manifest: its images do not depend on textures, nor on which
// corruptions package cbar has.
func TestReplayOfPart(t *testing.T) {
	bars, frosts := 0, 0
	complete := func(p *transform.Corruptions) (Settings, error) {
		if transform.AsksBar(p.Names) {
			bars++
			p.Bar = cbar.CIFAR
		}
		if !slices.Contains(p.Names, "frost") {
			return nil, nil
		}
		frosts++
		return Settings{"frost": "generated"}, nil
	}
	bar, err := cbar.Names(cbar.CIFAR)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"fog", "gaussian_noise", "frost", bar[0]}
	s, err := Open(&set{n: 4}, &transform.Corruptions{Names: names}, Options{Order: "walk-l100", Complete: complete})
	if err != nil {
		t.Fatal(err)
	}
	if bars != 1 || frosts != 1 {
		t.Fatalf("%d, %d; this walk was to come to neither frost nor C-bar", bars, frosts)
	}
	if !slices.Equal(s.Corruptions(), names) {
		t.Errorf("%q", s.Corruptions())
	}
	var text, again bytes.Buffer
	file := filepath.Join(t.TempDir(), "order.csv")
	if err := errors.Join(s.WriteManifest(&text), os.WriteFile(file, text.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	r, err := Open(&set{n: 4}, new(transform.Corruptions), Options{Manifest: file, Complete: complete})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteManifest(&again); err != nil || again.String() != text.String() {
		t.Errorf("%v\n%s\nwas\n%s", err, &again, &text)
	}
}

// serial is a data set that can only be read from front to end.
type serial struct {
	data.Source
	packed bool
}

func (s serial) Info() data.Info {
	info := s.Source.Info()
	info.Packed = s.packed
	return info
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "order.csv")
	if err := os.WriteFile(file, []byte("a,b\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	bogus := filepath.Join(t.TempDir(), "bogus.csv")
	if err := os.WriteFile(bogus, []byte(strings.Join(columns[:8], ",")+"\n0,\"'=k,0\",0,fog,3,,,1\n1,\"'=k,1\",1,fogg,3,,,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	plan := &transform.Corruptions{Names: []string{"fog"}}
	for want, open := range map[string]func() (*Source, error){
		"of format set can only be read from front to end": func() (*Source, error) { return Open(serial{Source: &set{n: 2}}, plan, Options{}) },
		"set, which is compressed, can only be read":       func() (*Source, error) { return Open(serial{&set{n: 2}, true}, plan, Options{}) },
		"bad order: \"fast\"":                              func() (*Source, error) { return Open(&set{n: 2}, plan, Options{Order: "fast"}) },
		"of 0 corruptions":                                 func() (*Source, error) { return Open(&set{n: 2}, &transform.Corruptions{}, Options{}) },
		file + ": bad order: the first line":               func() (*Source, error) { return Open(&set{n: 2}, plan, Options{Manifest: file}) },
		bogus + ": bad order: row 2: ":                     func() (*Source, error) { return Open(&set{n: 2}, plan, Options{Manifest: bogus}) },
		"continual with a table of errors":                 func() (*Source, error) { return Open(&set{n: 2}, plan, Options{Errors: &Errors{}}) },
		"the source of the stream is nil":                  func() (*Source, error) { return Open(nil, plan, Options{}) },
		"the plan is nil":                                  func() (*Source, error) { return Open(&set{n: 2}, nil, Options{}) },
		"bad order: the order is nil":                      func() (*Source, error) { return NewSource(&set{n: 2}, nil, plan, 0) },
		"no such file":                                     func() (*Source, error) { return Open(&set{n: 2}, plan, Options{Manifest: file + "x"}) },
	} {
		if s, err := open(); err == nil || s != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v (want %s)", err, want)
		}
	}
}

// A position that a stream does not have is no other one, and ends at once.
func TestSourceRange(t *testing.T) {
	for _, order := range []string{"mixed", "continual", "gradual"} {
		s, err := Open(&set{n: 2}, &transform.Corruptions{Names: []string{"fog", "brightness"}}, Options{Order: order})
		if err != nil {
			t.Fatal(err)
		}
		var one data.Sample
		for what, ask := range map[string]func(i int){
			"Read": func(i int) { _ = s.Read(i, &one) }, "Describe": func(i int) { s.Describe(i, &one) }, "At": func(i int) { s.Order().At(i) },
		} {
			for _, i := range []int{-1, s.Len(), s.Len() + 1000} {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s: %s(%d) of %d does not panic", order, what, i, s.Len())
						}
					}()
					ask(i)
				}()
			}
		}
	}
}
