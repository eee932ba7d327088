package examples

import (
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run builds and runs a program.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name+".exe")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

func TestAugment(t *testing.T) {
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "views")
	for _, class := range []string{"cat", "dog"} {
		if err := os.Mkdir(filepath.Join(in, class), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(in, class, "a.png"))
		if err == nil {
			err = png.Encode(f, image.NewRGBA(image.Rect(0, 0, 40, 30)))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run(t, "augment", in, out)
	for _, name := range []string{"cat_a-v0.png", "cat_a-v2.png", "dog_a-v1.png"} {
		f, err := os.Open(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if c, err := png.DecodeConfig(f); err != nil || c.Width != 224 || c.Height != 224 {
			t.Errorf("%s: %dx%d, error %v", name, c.Width, c.Height, err)
		}
	}
}

func TestCorrupt(t *testing.T) {
	if out := run(t, "corrupt"); strings.Count(out, "\n") != 34 || !strings.Contains(out, "frost {") {
		t.Errorf("it printed %s", out)
	}
}

func TestScore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte("pred,label\n1,1\n0,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := run(t, "score", path); out != "Error 50.00 %\n" {
		t.Errorf("it printed %s", out)
	}
}

func TestTrain(t *testing.T) {
	if out := run(t, "train"); strings.Count(out, "step ") != 5 {
		t.Errorf("it printed %s", out)
	}
}
