package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/sheet"
	"github.com/augmix-go/augmix/train"
)

// partedFolder makes a folder of images with these parts, of two classes each.
func partedFolder(t *testing.T, parts ...string) string {
	t.Helper()
	root := t.TempDir()
	png, err := (data.Encoding{}).Append(nil, raster.New(8, 8))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		for _, class := range []string{"cat", "dog"} {
			dir := filepath.Join(root, part, class)
			if err := os.MkdirAll(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "0.png"), png, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

// TestValidationOfParts: what is called val validates, test only where there is no val, and which it was is said and recorded.
func TestValidationOfParts(t *testing.T) {
	three, other := partedFolder(t, "train", "val", "test"), partedFolder(t, "train", "test", "valid")
	for _, c := range []struct {
		data, val, asked, want string
	}{
		{three, "", "", "val"},
		{three, "", "test", "test"},
		{partedFolder(t, "train", "val"), "", "", "val"},
		{partedFolder(t, "train", "test"), "", "", "test"},
		{other, "", "", "val"},
		{other, three, "", "val"},
		{other, three, "test", "test"},
		{three, partedFolder(t, "train", "test"), "", "test"},
	} {
		config := train.Default()
		config.Data, config.Val, config.ValSplit, config.Model = c.data, c.val, c.asked, "wrn-10-1"
		said := ""
		stage := &Train{Config: config, Say: func(format string, args ...any) { said += fmt.Sprintf(format, args...) + "\n" }}
		got, err := stage.Resolve(t.Context())
		if err != nil || got.ValSplit != c.want {
			t.Errorf("%+v: validates on %q, %v", c, got.ValSplit, err)
		}
		want := "validating on the " + c.want + " part\n"
		if c.want == "test" {
			want = "validating on the test part: best.safetensors is chosen by it"
		}
		if !strings.Contains(said, want) {
			t.Errorf("%+v: said %q", c, said)
		}
	}
}

// TestQuickstartParts: the quick start validates on val and measures on test where both are there.
func TestQuickstartParts(t *testing.T) {
	three, outside := partedFolder(t, "train", "val", "test"), partedFolder(t, "")
	for _, c := range []struct {
		data, test, wantVal, wantTest string
	}{
		{three, "", filepath.Join(three, "val"), filepath.Join(three, "test")},
		{three, outside, filepath.Join(three, "val"), outside},
		{outside, three, three, three},
	} {
		path, err := (&Quickstart{Dir: t.TempDir(), Data: c.data, Test: c.test}).WriteRecipe()
		if err != nil {
			t.Fatal(err)
		}
		r, err := recipe.Read(path)
		if err != nil || r.Config.Val != c.wantVal || r.Run.Test != c.wantTest {
			t.Errorf("%s, %s: validates on %s, measures %s: %v", c.data, c.test, r.Config.Val, r.Run.Test, err)
		}
	}
}

// TestMiddleOfLargerImages: validation of the middle of larger images alone is said.
func TestMiddleOfLargerImages(t *testing.T) {
	set := partedFolder(t, "train", "val") // of 8x8 pixels
	for _, c := range []struct {
		change func(c *train.Config)
		says   bool
	}{
		{func(c *train.Config) { c.Crop = "rrc:6" }, true},
		{func(c *train.Config) { c.Crop, c.ValFraction = "6", 0.5 }, true},
		{func(c *train.Config) { c.Crop, c.ValSize = "rrc:6", 7 }, false},
		{func(c *train.Config) { c.Crop, c.Size = "6", 7 }, false},
		{func(c *train.Config) { c.Crop = "pad4:8" }, false},
		{func(c *train.Config) { c.Crop, c.Val = "rrc:6", NoValidation }, false},
	} {
		config := train.Default()
		config.Data, config.Model = set, "wrn-10-1"
		c.change(&config)
		said := ""
		stage := &Train{Config: config, Say: func(format string, args ...any) { said += fmt.Sprintf(format, args...) + "\n" }}
		if _, err := stage.Resolve(t.Context()); err != nil {
			t.Error(err)
		}
		if want := "validation takes the middle 6x6 pixels of images of 8x8"; strings.Contains(said, want) != c.says {
			t.Errorf("crop %s, size %d, %d, val %s: said %q", config.Crop, config.Size, config.ValSize, config.Val, said)
		}
	}
}

// TestSheetOfClasses: the images of a folder are of all its classes.
func TestSheetOfClasses(t *testing.T) {
	s := Sheet{In: []string{partedFolder(t, "a", "b", "c")}, Count: 3} // two images of each class
	var page sheet.Sheet
	if err := s.images(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, m := range page.Images {
		names += m.Name[:1]
	}
	if names != "abc" {
		t.Errorf("images of the classes %s", names)
	}
}
