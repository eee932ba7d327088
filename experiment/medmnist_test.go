package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/medical"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/metrics"
)

func TestChosen(t *testing.T) {
	if !slices.Equal(metrics.MedMNISTC(), medical.Names()) {
		t.Errorf("package metrics knows %v, package medical %v", metrics.MedMNISTC(), medical.Names())
	}
	dir := t.TempDir()
	for _, name := range []string{"bubble.npz", "manifest.json", "fog.npy", "fog_labels.npy", "labels.npy"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "contrast"), 0o777); err != nil {
		t.Fatal(err)
	}
	plain, octmnist := &tables.Set{}, func() *tables.Set {
		s, err := tables.Open("medmnist-c/octmnist")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}()
	for _, c := range []struct {
		subset  []string
		dir     string
		profile *tables.Set
		want    []string // nil: an error
	}{
		{[]string{"common"}, dir, plain, []string{"fog", "contrast", "bubble"}},
		{[]string{"all"}, dir, plain, []string{"fog", "contrast", "bubble"}},
		{[]string{"bubble", "bubble"}, dir, plain, []string{"bubble"}},
		{nil, dir, plain, nil},
		{[]string{"characters", "digital"}, dir, plain, []string{"contrast", "elastic_transform", "pixelate", "jpeg_compression", "saturate", "characters"}},
		{[]string{"bubbles"}, dir, plain, nil},
		{[]string{"weather"}, t.TempDir(), plain, []string{"snow", "frost", "fog", "brightness", "spatter"}},
		{[]string{"weather"}, "", octmnist, []string{"snow", "frost", "fog", "brightness", "spatter"}},
		{[]string{"contrast_down"}, "", octmnist, []string{"contrast_down"}},
		{[]string{"contrast_down"}, "", plain, nil},
	} {
		got, err := chosen(c.subset, c.dir, c.profile, cbar.CIFAR)
		if !slices.Equal(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%v of %q: %v (%v), want %v", c.subset, c.dir, got, err, c.want)
		}
	}
	got, err := chosen([]string{"common"}, "", octmnist, cbar.CIFAR)
	slices.Sort(got)
	if err != nil || !slices.Equal(got, octmnist.Names) {
		t.Errorf("a profile's own list: %v (%v), want %v", got, err, octmnist.Names)
	}
}
