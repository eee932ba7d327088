package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// TestMethodsInSmall trains and evaluates the rows of recipes that need more than a mix, as small as it goes. What is used of them
// has neither auxiliary batch norms nor generators of noise.
func TestMethodsInSmall(t *testing.T) {
	for method, name := range map[string]string{
		"prime": "cifar10-after-pixmix", "afa": "cifar10-after-pixmix", "noisymix": "cifar10-after-pixmix",
		"augmax": "cifar10-after-pixmix", "validation-corruptions": "cifar10-after-pixmix",
		"ant": "cifar10-finetune", "speckle": "imagenet-resnet50-noise", "noise2net": "imagenet-resnet50-noise",
	} {
		r, err := recipe.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Method(method)
		if err != nil {
			t.Fatal(err)
		}
		c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Crop, c.Workers = "scenes:n=30,size=16", NoValidation, "wrn-10-1", 1, 16, "pad2:16", 1
		c.Weights, c.Size, c.ANTAlone = "", 0, min(c.ANTAlone, 3)
		dir := filepath.Join(t.TempDir(), method)
		if _, err := (&Train{Config: c, Dir: dir}).Run(t.Context()); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		for _, name := range []string{train.ModelName, train.LastName} {
			e := Eval{File: filepath.Join(dir, name), In: "scenes:n=20,size=16,split=test", Suites: []string{"clean"}, Workers: 1, NoRecords: true}
			if rows, err := e.Run(t.Context()); err != nil || len(rows) == 0 {
				t.Errorf("%s, %s: %d rows, %v", method, name, len(rows), err)
			}
		}
		ts, _, err := weights.ReadFile(filepath.Join(dir, train.ModelName))
		if err != nil || slices.ContainsFunc(ts, func(x weights.Tensor) bool {
			return strings.Contains(x.Name, "aux") || strings.Contains(x.Name, "noise")
		}) {
			t.Errorf("%s: more than the network among the weights, or %v", method, err)
		}
	}
}

// TestBroadClasses: weights of ten classes learn three that join them, by a list, and are measured on these.
func TestBroadClasses(t *testing.T) {
	dir := t.TempDir()
	c := train.Default()
	c.Data, c.Val, c.Model, c.Epochs, c.Batch, c.Crop, c.Workers = "scenes:n=30,size=16", NoValidation, "wrn-10-1", 1, 16, "pad2:16", 1
	if _, err := (&Train{Config: c, Dir: filepath.Join(dir, "ten")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := recipe.Read("imagenet22k-broad")
	if err != nil {
		t.Fatal(err)
	}
	broad, err := r.Method("standard")
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(dir, "broad.txt")
	if err := os.WriteFile(list, []byte("disc round\nring round\nsquare angular\ntriangle angular\ncross crossed\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	broad.Data, broad.Val, broad.Model, broad.Crop, broad.Classes = "scenes:n=60,size=16", NoValidation, "wrn-10-1", "pad2:16", list
	broad.Weights, broad.ValSize, broad.Batch, broad.Workers = filepath.Join(dir, "ten", train.ModelName), 0, 16, 1
	if _, err := (&Train{Config: broad, Dir: filepath.Join(dir, "broad")}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := Eval{
		File: filepath.Join(dir, "broad", train.ModelName), In: "scenes:n=40,size=16,split=test", Suites: []string{"clean"}, Workers: 1, NoRecords: true,
	}
	e.Classes = list
	if rows, err := e.Run(t.Context()); err != nil || len(rows) == 0 || rows[0].N != 20 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
