package predictions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// folder makes a folder of small files.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		a := &npy.Array{Shape: []int{2, 2}, Data: []float32{1, 2, 3, 4}}
		if strings.HasPrefix(name, "rotate") {
			a = &npy.Array{Shape: []int{1, 2, 2}, Data: []float32{1, 2, 3, 4}}
		}
		if err := npy.WriteFile(path, a); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func severities(format string) (names []string) {
	for _, s := range []string{"1", "2", "3", "4", "5"} {
		names = append(names, strings.ReplaceAll(format, "S", s))
	}
	return names
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name   string
		dir    string
		want   Layout
		parts  []string // NAME/SEVERITY
		labels bool
	}{
		{
			"CIFAR-C", folder(t, "fog.npy", "clean.npy", "labels.npy", "snow.npy", "notes.md", ".hidden.npy"), CIFARC,
			[]string{"/0", "fog/0", "snow/0"},
			true,
		},
		{"labels beside", folder(t, "fog.npy", "fog.labels.npy"), CIFARC, []string{"fog/0"}, false},
		{
			"ImageNet-C, files", folder(t, append(severities("fog/S.npy"), "labels.npy", "clean.npy")...), ImageNetC,
			[]string{"/0", "fog/1", "fog/2", "fog/3", "fog/4", "fog/5"},
			true,
		},
		{
			"ImageNet-C, folders", folder(t, severities("fog/S/out.npy")...), ImageNetC,
			[]string{"fog/1", "fog/2", "fog/3", "fog/4", "fog/5"},
			false,
		},
		{
			"ImageNet-C, names", folder(t, severities("jpeg_compression_S.npy")...), ImageNetC,
			severities("jpeg_compression/S"),
			false,
		},
		{"P", folder(t, "rotate.npy"), P, []string{"rotate/0"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, layout := range []Layout{Auto, c.want} {
				s, err := Find(c.dir, layout)
				if err != nil {
					t.Fatal(err)
				}
				var parts []string
				for _, p := range s.Parts {
					parts = append(parts, p.Name+"/"+string(rune('0'+p.Severity)))
				}
				if s.Layout != c.want || !slices.Equal(parts, c.parts) || (s.Labels != "") != c.labels {
					t.Errorf("%s %v labels %q", s.Layout, parts, s.Labels)
				}
				if c.name == "labels beside" && filepath.Base(s.Parts[0].Labels) != "fog.labels.npy" {
					t.Errorf("labels %q", s.Parts[0].Labels)
				}
			}
		})
	}
	s, err := Find(filepath.Join(folder(t, "a.npy", "a.labels.npy"), "a.npy"), Auto)
	if err != nil || s.Layout != Single || len(s.Parts) != 1 || s.Parts[0].Labels == "" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestFindRefuses(t *testing.T) {
	one := folder(t, "fog.npy")
	for _, c := range []struct {
		name, path string
		layout     Layout
		says       string
	}{
		{"no files", folder(t), Auto, "no file"},
		{"only clean", folder(t, "clean.npy"), Auto, "corruption"},
		{"a missing severity", folder(t, "fog/1.npy", "fog/3.npy", "snow_1.npy"), Auto, "severities [1 3] of fog and [1] of snow (allowed: the same of all)"},
		{"severity 6", folder(t, append(severities("fog/S.npy"), "fog/6.npy")...), Auto, "severity 6"},
		{"severity 0", folder(t, append(severities("fog/S.npy"), "snow.npy")...), Auto, "snow.npy is of no severity"},
		{"severity 0.5", folder(t, append(severities("fog/S.npy"), "fog_0.5.npy")...), Auto, "fog_0.5.npy is of no severity"},
		{"twice", folder(t, append(severities("fog/S.npy"), "fog_2.npy")...), Auto, "one corruption and severity"},
		{"a severity in CIFAR-C", folder(t, "fog_2.npy"), CIFARC, "all of them"},
		{"two files of a severity", folder(t, append(severities("fog/S/a.npy"), "fog/2/b.npy")...), Auto, "a.npy and b.npy"},
		{"a folder as a file", one, Single, "folder"},
		{"a file as a folder", filepath.Join(one, "fog.npy"), CIFARC, "file"},
		{"unknown", one, "tar", "allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Find(c.path, c.layout); !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v does not say %q", err, c.says)
			}
		})
	}
	if _, err := Find(filepath.Join(one, "none"), Auto); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestDifficulties: files of sequences may be named after their difficulty, and one is chosen.
func TestDifficulties(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"gaussian_noise.npy", "gaussian_noise_2.npy", "shot_noise_2.npy", "shot_noise_3.npy", "tilt.npy"} {
		videos := &npy.Array{Shape: []int{2, 3, 6}, Data: make([]float32, 36)}
		if err := npy.WriteFile(filepath.Join(dir, name), videos); err != nil {
			t.Fatal(err)
		}
	}
	for difficulty, want := range map[int][]string{
		1: nil, // shot_noise is not of it
		2: {"gaussian_noise_2.npy", "shot_noise_2.npy", "tilt.npy"},
		3: nil, // gaussian_noise is not
	} {
		s, err := Find(dir, Auto)
		if err != nil || s.Layout != P || len(s.Parts) != 5 {
			t.Fatalf("%+v, %v", s, err)
		}
		err = s.Choose(difficulty)
		if want == nil {
			if !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), fmt.Sprintf("difficulty %d", difficulty)) {
				t.Errorf("difficulty %d: %v", difficulty, err)
			}
			continue
		}
		var got []string
		for _, p := range s.Parts {
			got = append(got, filepath.Base(p.Path))
			if p.Severity != 0 {
				t.Errorf("%s has severity %d", &p, p.Severity)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("difficulty %d: %v, %v", difficulty, got, err)
		}
	}
}

// TestIntegersOfTwoAxes: beside labels they may be logits, and are taken for class numbers of sequences where that is said alone.
func TestIntegersOfTwoAxes(t *testing.T) {
	logits := func() *npy.Array { return &npy.Array{Shape: []int{10, 2}, Data: make([]int64, 20)} }
	labels := func(n int) *npy.Array { return &npy.Array{Shape: []int{n}, Data: make([]int64, n)} }
	save := func(files map[string]*npy.Array) string {
		t.Helper()
		dir := t.TempDir()
		for name, a := range files {
			if err := npy.WriteFile(filepath.Join(dir, name), a); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	inFile := t.TempDir()
	if err := os.Rename(archive(t, map[string]*npy.Array{"arr_0": logits(), "labels": labels(20)}), filepath.Join(inFile, "snow.npz")); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"of the folder": save(map[string]*npy.Array{"snow.npy": logits(), "labels.npy": labels(2)}),
		"beside":        save(map[string]*npy.Array{"snow.npy": logits(), "snow.labels.npy": labels(10)}),
		"in the file":   inFile,
		"in an archive": archive(t, map[string]*npy.Array{"snow": logits(), "motion_blur": logits(), "labels": labels(2)}),
	} {
		if _, err := Find(path, Auto); !errors.Is(err, ErrLayout) || !strings.Contains(err.Error(), "logits as floats") {
			t.Errorf("labels %s: %v", name, err)
		}
		if s, err := Find(path, P); err != nil || s.Layout != P {
			t.Errorf("labels %s, layout p: %v", name, err)
		}
	}
	s, err := Find(save(map[string]*npy.Array{"snow.npy": logits()}), Auto)
	if err != nil || s.Layout != P {
		t.Errorf("without labels: %v", err)
	}
}
