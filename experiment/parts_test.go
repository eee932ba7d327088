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
