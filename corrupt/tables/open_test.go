package tables_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/internal/corruption/corruptiontest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// TestBuiltin: the twelve profiles of MedMNIST-C are whole, say their source, and make an image at every severity.
func TestBuiltin(t *testing.T) {
	counts := map[string]int{ // of the generator's table
		"pathmnist": 11, "bloodmnist": 11, "dermamnist": 15, "retinamnist": 8, "tissuemnist": 8, "octmnist": 6, "breastmnist": 7,
		"chestmnist": 13, "pneumoniamnist": 13, "organamnist": 13, "organcmnist": 13, "organsmnist": 13,
	}
	if n := len(tables.Builtin()); n != len(counts) {
		t.Errorf("%d profiles, want %d", n, len(counts))
	}
	src, dst, scratch := corruptiontest.Image(28, 28), new(raster.Image), new(corrupt.Scratch)
	sums := map[string]string{}
	for _, name := range tables.Builtin() {
		s, err := tables.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		short := strings.TrimPrefix(name, "medmnist-c/")
		if len(s.Names) != counts[short] || s.Profile != corrupt.P224 {
			t.Errorf("%s: %d corruptions %q over %s", name, len(s.Names), s.Names, s.Profile)
		}
		if about := tables.About(name); !strings.Contains(about, "-C, of images of 224x224. Source: MedMNIST-C") {
			t.Errorf("%s: %q", name, about)
		}
		list := s.Own()
		for _, c := range s.Names {
			if op, err := corrupt.ByName(c); err == nil {
				list = append(list, op.WithProfile(s.Profile).WithTables(s.Tables))
			}
		}
		if len(list) != len(s.Names) {
			t.Errorf("%s: %d of %d corruptions", name, len(list), len(s.Names))
		}
		for _, c := range list {
			for _, severity := range []float64{0.5, 1, 3, 5} {
				if err := c.Apply(dst, src, severity, rng.New(1), scratch); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if sums[s.Sum()] = short; s.Sum() == "" {
			t.Errorf("%s: no hash", name)
		}
	}
	if len(sums) != 10 { // the three of organs are one
		t.Errorf("%d different profiles: %v", len(sums), sums)
	}
}

func TestOpen(t *testing.T) {
	own := filepath.Join(t.TempDir(), "my.yaml")
	write := func(text string) {
		if err := os.WriteFile(own, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("base: 64\ncorruptions:\n  gamma_corr_up: {gamma: [1.1, 1.2, 1.3, 1.4, 1.5]}\n  contrast: {factor: [0.9, 0.8, 0.7, 0.6, 0.5]}\n")
	s, err := tables.Open(own)
	if err != nil {
		t.Fatal(err)
	}
	if s.Profile != corrupt.P64 || !slices.Equal(s.Names, []string{"contrast", "gamma_corr_up"}) || !s.Tables.Has("contrast") ||
		len(s.Own()) != 1 || s.Own()[0].Name() != "gamma_corr_up" {
		t.Errorf("%+v", s)
	}
	first := s.Sum()
	write("base: 64\ncorruptions:\n  gamma_corr_up: {gamma: [1.1, 1.2, 1.3, 1.4, 1.6]}\n  contrast: {factor: [0.9, 0.8, 0.7, 0.6, 0.5]}\n")
	if s, err = tables.Open(own); err != nil || s.Sum() == first {
		t.Errorf("other parameters have the same hash (%v)", err)
	}
	text := []byte("corruptions: {gamma_corr_up: {gamma: [1.1, 1.2, 1.3, 1.4, 1.6]}}")
	if _, err := tables.Parse(text); !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), "gamma_corr_up") {
		t.Errorf("where only corruptions of package corrupt are read: %v", err)
	}
	write("corruptions: {bubble: {radius: [1, 2, 3, 4, 5], bubbles: [1, 2, 3, 4, 5]}}")
	if _, err := tables.Open(own); !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), own+": ") ||
		!strings.Contains(err.Error(), "bubble: radius: 1 at severity 1") {
		t.Errorf("a parameter out of range: %v", err)
	}
	write("corruptions: {bubbles: {radius: [5, 5, 5, 5, 5]}}")
	if _, err := tables.Open(own); !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), `"bubbles", did you mean "bubble"? (allowed: gaussian_noise`) {
		t.Errorf("no corruption: %v", err)
	}
	if s, err := tables.Open("auto"); err != nil || s.Tables != nil || s.Sum() != "" {
		t.Errorf("auto: %+v, %v", s, err)
	}
	for _, name := range []string{"medmnist-c/nomnist", "../medmnist-c/pathmnist", "medmnist-c"} {
		if _, err := tables.Open(name); !errors.Is(err, corrupt.ErrTables) || !strings.Contains(err.Error(), "medmnist-c/pathmnist") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
