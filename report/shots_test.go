package report

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSample writes a sample report of synthetic runs for looking at into the folder that AUGMIX_SAMPLE names.
func TestSample(t *testing.T) {
	dir := os.Getenv("AUGMIX_SAMPLE")
	if dir == "" {
		t.Skip("AUGMIX_SAMPLE names no folder")
	}
	for _, base := range []string{"cifar10", "imagenet"} {
		rep, err := Build(t.Context(), three(t, base, 1000), Options{
			Title: "Robustness report (synthetic data)", Version: "synthetic",
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, base+".html"))
		if err != nil {
			t.Fatal(err)
		}
		if err := rep.WriteHTML(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := rep.WriteFigures(filepath.Join(dir, base), FigureOptions{Format: FigurePNG}); err != nil {
			t.Fatal(err)
		}
	}
}
