package experiment

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/sheet"
)

// gray writes a gray PNG file of a size and returns its path.
func gray(t *testing.T, path string, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))), os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSheetPart: an experiment's sheet shows images of the test set, where that is a part of a set with several, and is drawn anew when those
// change.
func TestSheetPart(t *testing.T) {
	set := t.TempDir()
	add := func(part, name string, side int) { gray(t, filepath.Join(set, part, "cat", name), side, side) }
	add("train", "a.png", 8)
	add("test", "a.png", 6)
	x, err := New(tinyRecipe(t, tiny), Options{Dir: t.TempDir(), Test: set})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(x.Stages, func(s Stage) bool { return s.Sheet != nil })
	stage, page := &x.Stages[at], sheet.Sheet{}
	s := stage.Sheet.WithDefaults()
	if err := s.images(t.Context(), &page); err != nil || len(page.Images) != 1 || page.Images[0].Image.W != 6 {
		t.Errorf("images %+v, %v; want that of 6 pixels", page.Images, err)
	}
	was := stage.reads(map[string]string{})
	add("train", "b.png", 8)
	if now := stage.reads(map[string]string{}); len(was) != 1 || len(was.differ(now)) != 0 {
		t.Errorf("%v differs from %v by a training image", now, was)
	}
	add("test", "b.png", 6)
	if now := stage.reads(map[string]string{}); len(was.differ(now)) != 1 {
		t.Errorf("%v does not differ from %v by a test image", now, was)
	}
}

// TestSheetRefuses: options that have no part in what is shown are told, and tiles of any size before they take memory.
func TestSheetRefuses(t *testing.T) {
	icons := filepath.Join(t.TempDir(), "icons")
	gray(t, filepath.Join(icons, "cat", "a_1.png"), 8, 8)
	styles := Networks{StyleFiles: StyleFiles{Styles: "mixed"}}
	groups := Sheet{In: []string{icons}, GroupBy: "(.)_"}
	with := func(s Sheet, change func(s *Sheet)) Sheet { change(&s); return s }
	for _, c := range []struct {
		sheet Sheet
		is    error
		says  string
	}{
		{Sheet{Mixset: "fractals", Severity: "1", Subset: []string{"fog"}}, ErrOption, "mixset: fractals: no augmentation"},
		{Sheet{Mixset: "fractals", Subset: []string{"fog"}}, ErrOption, "subset: it chooses"},
		{Sheet{Mixset: "fractals", Networks: styles}, ErrOption, "styles: mixed: no method takes it"},
		{with(groups, func(s *Sheet) { s.Mixset = "fractals" }), ErrOption, "mixset: fractals: no augmentation"},
		{with(groups, func(s *Sheet) { s.Subset = []string{"fog"} }), ErrOption, "subset: it chooses"},
		{with(groups, func(s *Sheet) { s.Networks = styles }), ErrOption, "styles: mixed: no method takes it"},
		{with(groups, func(s *Sheet) { s.GroupBy = "(" }), ErrOption, `group-by: bad option: groups "("`},
		{with(groups, func(s *Sheet) { s.GroupBy = "nowhere" }), ErrOption, "group-by: bad option: the key"},
		{with(groups, func(s *Sheet) { s.In, s.Mixset = nil, "fractals" }), ErrOption, "group-by: it shows one data set"},
		{Sheet{Severity: "x"}, ErrOption, `severity "x"`},
		{Sheet{Severity: "1", Subset: []string{"x"}}, ErrOption, `subset: bad option: corruption "x"`},
		{Sheet{Mix: []string{"x"}}, ErrOption, "mix: bad spec"},
		{with(groups, func(s *Sheet) { s.Tile = -3 }), sheet.ErrSheet, "tiles of -3 pixels (allowed: 64 to 256"},
		{with(groups, func(s *Sheet) { s.Tile = 20000 }), sheet.ErrSheet, "tiles of 20000 pixels"},
		{with(groups, func(s *Sheet) { s.Tile = 1 }), sheet.ErrSheet, "tiles of 1 pixels"},
	} {
		if _, err := c.sheet.Draw(t.Context()); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v, want %v that says %q", err, c.is, c.says)
		}
	}
}

// TestSheetOut: a sheet without a file is not drawn.
func TestSheetOut(t *testing.T) {
	if err := (Sheet{In: []string{"nowhere.png"}}).Run(t.Context()); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), `out: ""`) {
		t.Error(err)
	}
}

// TestSheetCanceled: who cancels a sheet does not wait for it. No data set is opened and no image read after that.
func TestSheetCanceled(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	src := &canceling{cancel: func() { cancel(cause) }}
	if images, err := take(ctx, src, 5); !errors.Is(err, cause) || src.read != 1 {
		t.Errorf("%d images, %v after %d were read", len(images), err, src.read)
	}
	if _, err := (Sheet{In: []string{"nowhere.png"}}).Draw(ctx); !errors.Is(err, cause) {
		t.Errorf("canceled before: %v", err)
	}
}

// canceling is a data set that cancels while its first image is read.
type canceling struct {
	data.Source
	cancel func()
	read   int
}

func (c *canceling) Next(s *data.Sample) error {
	c.cancel()
	c.read++
	*s = data.Sample{Key: "a", Form: data.GrayForm, W: 1, H: 1, Data: []byte{0}}
	return nil
}

// TestSheetProfiles: every image has the corruptions of C-bar that its own size has, whichever comes first, and where these differ the sheet
// says which.
func TestSheetProfiles(t *testing.T) {
	dir := t.TempDir()
	small, large := gray(t, filepath.Join(dir, "small.png"), 33, 31), gray(t, filepath.Join(dir, "large.png"), 99, 80)
	fill := func(subset string, in ...string) (*sheet.Sheet, error) {
		s := Sheet{In: in, Severity: "1", Subset: []string{subset}, Tile: 64, Count: 1}
		var page sheet.Sheet
		_, err := s.fill(t.Context(), &page, nil)
		return &page, err
	}
	names := func(list sheet.Tests) (names []string) {
		for _, c := range list.Corruptions {
			names = append(names, c.Name())
		}
		return names
	}
	for _, in := range [][]string{{small, large}, {large, small}} {
		page, err := fill("cbar", in...)
		if err != nil || len(page.PerImage) != 2 {
			t.Fatal(page, err)
		}
		for i, path := range in {
			profile, says := cbar.CIFAR, "CIFAR-10-C-bar"
			if path == large {
				profile, says = cbar.ImageNet, "ImageNet-C-bar"
			}
			want, err := cbar.Names(profile)
			if err != nil || strings.Join(names(page.PerImage[i]), " ") != strings.Join(want, " ") || !strings.Contains(page.PerImage[i].Doc, says) {
				t.Errorf("%s among %v: %v, %q", path, in, names(page.PerImage[i]), page.PerImage[i].Doc)
			}
		}
		if page, err := fill("fog", in...); err != nil || page.PerImage[0].Doc != "" {
			t.Errorf("fog is of no such profile: %+v, %v", page.PerImage, err)
		}
		if _, err := fill("plasma_noise", in...); err == nil || !strings.HasPrefix(err.Error(), "small.png: ") {
			t.Errorf("what one image has not: %v", err)
		}
	}
	if page, err := fill("cbar", small, small); err != nil || page.PerImage != nil || len(page.AtSeverities) != 10 {
		t.Errorf("two of one size: %+v, %v", page, err)
	}
}

// TestSmallGallery: the images of a mixing set that are smaller than a tile are shown as they are.
func TestSmallGallery(t *testing.T) {
	set := filepath.Join(t.TempDir(), "set")
	gray(t, filepath.Join(set, "0.png"), 36, 36)
	gray(t, filepath.Join(set, "1.png"), 300, 200)
	s, page := Sheet{Mixset: set, Tile: 64, MixsetCache: t.TempDir()}, sheet.Sheet{}
	opened, err := s.fill(t.Context(), &page, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	if a, b := opened.Image(0), opened.Image(1); a.W != 36 || a.H != 36 || b.H >= 200 || b.H < 64 {
		t.Errorf("%dx%d, %dx%d", a.W, a.H, b.W, b.H)
	}
}
