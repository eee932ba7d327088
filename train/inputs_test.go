package train

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// plain is a mixing set of one image.
type plain struct{ image *raster.Image }

func plainSet(v uint8) mix.MixingSet {
	m := raster.New(16, 16)
	for i := range m.Pix {
		m.Pix[i] = v | 1
	}
	return plain{m}
}

func (plain) String() string            { return "plain" }
func (plain) Len() int                  { return 1 }
func (p plain) Image(int) *raster.Image { return p.image }

// TestOtherInputs: a run is not resumed where what it reads has other bytes under the same names, as far as both parts of it know them.
func TestOtherInputs(t *testing.T) {
	dir := t.TempDir()
	file := func(folder, content string) string {
		t.Helper()
		path := filepath.Join(dir, folder, "x")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, copied := file("a", "one"), file("b", "two"), file("copied", "one")
	validated := func(val data.Source) Options { return Options{Train: newImages(20, 8, 2), Val: val} }
	mixed := func(v uint8) Options { return Options{Train: newImages(20, 8, 2), MixingSet: plainSet(v)} }
	files := func(path string) Options { return Options{Train: filed{newImages(20, 8, 2), path}} }
	of := func(path string, cache int) func(*Config) {
		return func(c *Config) { c.Data, c.CacheMB = path, cache }
	}
	pixmix := func(c *Config) { c.Mix, c.Mixset = "pixmix", "some/folder" }
	none := func(*Config) {}
	from := func(folder string) func(*Config) { // everything but the training data, under the same names
		return func(c *Config) {
			c.Val, c.Labels, c.Classes = folder+"/val", folder+"/labels.csv", folder+"/map.yaml"
			c.Mix, c.Mixset = "pixmix", folder+"/set"
		}
	}
	everything := func(val data.Source, mixing uint8) Options {
		return Options{Train: newImages(20, 8, 2), Val: val, MixingSet: plainSet(mixing)}
	}
	exposed := func(folder string, cache int) func(*Config) {
		return func(c *Config) { c.Outliers, c.OutlierBatch, c.CacheMB = folder+"/out", 2, cache }
	}
	outliers := func(src data.Source) Options { return Options{Train: newImages(20, 8, 2), Outliers: src} }
	for _, x := range []struct {
		what          string
		first, second Options
		was, now      func(*Config)
		want          string // in the error; empty: there is none
	}{
		{"validation data", validated(newImages(8, 8, 2)), validated(repainted{newImages(8, 8, 2)}), none, none, "validation data"},
		{"the same validation data", validated(newImages(8, 8, 2)), validated(newImages(8, 8, 2)), none, none, ""},
		{"mixing set", mixed(10), mixed(200), pixmix, pixmix, "mixing set some/folder"},
		{"the same mixing set", mixed(10), mixed(10), pixmix, pixmix, ""},
		{"moved, then not in memory", files(a), files(b), of(a, 100), of(b, 0), "other files"},
		{"moved, then in memory", files(a), files(b), of(a, 0), of(b, 100), "other files"},
		{"copied, then not in memory", files(a), files(copied), of(a, 100), of(copied, 0), ""},
		{"moved, of no files", Options{Train: newImages(20, 8, 2)}, Options{Train: newImages(20, 8, 2)}, of(a, 100), of(b, 0), "cannot tell"},
		{"moved inputs", everything(newImages(8, 8, 2), 10), everything(newImages(8, 8, 2), 10), from("a"), from("/b"), ""},
		{
			"moved and other validation data", everything(newImages(8, 8, 2), 10), everything(repainted{newImages(8, 8, 2)}, 10), from("a"), from("b"),
			"validation data",
		},
		{"moved and another mixing set", everything(newImages(8, 8, 2), 10), everything(newImages(8, 8, 2), 20), from("a"), from("b"), "mixing set b/set"},
		{"moved outliers", outliers(newImages(8, 8, 2)), outliers(newImages(8, 8, 2)), exposed("a", 100), exposed("b", 100), ""},
		{
			"moved outliers of no files", outliers(newImages(8, 8, 2)), outliers(newImages(8, 8, 2)), exposed("a", 100), exposed("b", 0),
			"was trained with a/out, and cannot tell whether b/out",
		},
	} {
		c := small()
		c.Epochs, c.Schedule, c.Workers = 1, "constant", 1
		x.was(&c)
		x.first.Dir = t.TempDir()
		if _, err := Run(t.Context(), c, x.first); err != nil {
			t.Fatal(x.what, err)
		}
		c.Epochs = 2
		x.now(&c)
		x.second.Dir, x.second.Resume, x.second.Extend = x.first.Dir, true, true
		_, err := Run(t.Context(), c, x.second)
		if x.want == "" && err != nil || x.want != "" && (!errors.Is(err, ErrCheckpoint) || !strings.Contains(err.Error(), x.want)) {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}
