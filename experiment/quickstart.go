package experiment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/yamltext"
	"github.com/augmix-go/augmix/recipe"
)

// Quickstart is the built-in recipe quickstart, on images of one's own where Data is not empty.
type Quickstart struct {
	Dir  string // folder that the recipe is written to
	Data string // labeled images: a CIFAR set, or a folder that holds train and test, or val, or both; empty: drawn shapes
	Test string // test set, where Data does not hold it

	Log func(format string, args ...any) // is told what was found; nil: nobody listens
}

// quickRecipe is what the recipe holds beside its base.
type quickRecipe struct {
	Base      string    `yaml:"base"`
	About     string    `yaml:"about,omitempty"`
	Data      string    `yaml:"data,omitempty"`
	Val       string    `yaml:"val,omitempty"`
	Size      int       `yaml:"size,omitempty"`
	ValSize   int       `yaml:"val-size,omitempty"`
	Crop      string    `yaml:"crop,omitempty"`
	Epochs    int       `yaml:"epochs,omitempty"`
	EvalEvery int       `yaml:"eval-every,omitempty"`
	Run       *quickRun `yaml:"run,omitempty"`
}

type quickRun struct {
	recipe.Run `yaml:",inline"`
	Eval       map[string]int `yaml:"eval,omitempty"`
}

const (
	quickTests  = 500    // test images of one's own that are measured at most
	quickSide   = 32     // side of one's own images as the small network takes them
	quickImages = 48_000 // images that a training of one's own sees, but
	leastEpochs = 16     // each image as often as this at least,
	mostEpochs  = 200    // and as this at most
)

// quickHead is the first line of the recipe, which no other file may have that it takes the place of.
const quickHead = "# augmix quickstart; its base is a built-in recipe\n"

// Recipe returns the text of the recipe, for [Options], and the path that WriteRecipe writes it to. The error wraps [ErrOption], also
// where a file is there that no Quickstart has written, or is that of opening the data.
func (q *Quickstart) Recipe() (path string, text []byte, err error) {
	r := quickRecipe{Base: "quickstart.yaml"}
	if q.Test != "" && q.Data == "" {
		return "", nil, option.Errorf(ErrOption, "{test} needs {data}")
	}
	if q.Data != "" {
		if err := q.own(&r); err != nil {
			return "", nil, err
		}
	}
	body, err := yamltext.Marshal(&r)
	if err != nil {
		return "", nil, err
	}
	if err := storage.CheckLocal(q.Dir); err != nil {
		return "", nil, err
	}
	path = filepath.Join(q.Dir, "recipe.yaml")
	old, err := os.ReadFile(path)
	if err == nil && !bytes.HasPrefix(old, []byte(quickHead)) {
		err = badOption("out", path+" is not of a quick start, and would be replaced", "a folder without it")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	return path, append([]byte(quickHead), body...), nil
}

// WriteRecipe writes the recipe, for [New], and returns its path. The error is that of Recipe, or of writing.
func (q *Quickstart) WriteRecipe() (path string, err error) {
	path, text, err := q.Recipe()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(q.Dir, 0o777); err != nil {
		return "", err
	}
	return path, data.WriteFileAtomic(path, text)
}

// parts finds what the recipe trains on and validates on, and returns what it is measured on. What is called val validates, and the
// test set does so only where there is no val.
func (q *Quickstart) parts(r *quickRecipe) (test string) {
	folder := func(names ...string) string {
		for _, name := range names {
			if dir := filepath.Join(q.Data, name); isDir(dir) {
				return dir
			}
		}
		return ""
	}
	r.Data, r.Val = q.Data, q.Test
	train, val := folder("train"), folder("val", "valid", "validation")
	test = cmp.Or(q.Test, folder("test"), val)
	if train != "" && test != "" && (q.Test == "" || val != "" && hasParts(q.Data)) {
		r.Data, r.Val = train, cmp.Or(val, test)
	}
	return cmp.Or(test, r.Val)
}

// own sets the recipe to the user's images.
func (q *Quickstart) own(r *quickRecipe) error {
	test := q.parts(r)
	src, _, err := formats.OpenSplit(r.Data, formats.Options{}, "train")
	if err != nil {
		return err
	}
	defer src.Close()
	info := src.Info()
	cifar := info.Format == "cifar10" || info.Format == "cifar100"
	if r.Val == "" && !cifar {
		return option.Errorf(ErrOption, "{data}: %s has no test set (allowed: a CIFAR set, a folder with train and test in it, or test "+
			"beside data)", q.Data)
	}
	if r.Val == "" {
		r.Val, test = q.Data, q.Data
	}
	if len(info.Classes) < 2 {
		return option.Errorf(ErrOption, "{data}: %s has %d classes (allowed: 2 and up)", q.Data, len(info.Classes))
	}
	r.About = fmt.Sprintf("Quick start: the papers' tables in miniature, on %s", q.Data)
	r.Run = &quickRun{Run: recipe.Run{
		Methods: []string{"standard", "augmix", "pixmix"}, Test: test, Suites: []string{"clean", "c", "calibration", "ood"},
	}}
	// Rows of a part of a set say so, and reports do not compare them: a set that is small enough is measured whole.
	if n := countSamples(test, formats.Options{}, "test"); n == 0 || n > quickTests {
		r.Run.Eval = map[string]int{"limit": quickTests}
	}
	r.Epochs = leastEpochs
	if n := countSamples(r.Data, formats.Options{}, "train"); n > 0 {
		r.Epochs = min(max(quickImages/n, leastEpochs), mostEpochs)
	}
	r.EvalEvery, r.Crop = r.Epochs/10, fmt.Sprintf("pad4:%d", quickSide)
	if cifar {
		r.Run.TestSplit = "test"
		return nil
	}
	w, h, err := data.FirstSize(src)
	if err != nil {
		return err
	}
	if w != quickSide || h != quickSide {
		r.Size, r.ValSize, r.Crop = quickSide*9/8, quickSide, fmt.Sprintf("random:%d", quickSide)
	}
	logf(q.Log, "images are %dx%d, the network takes %dx%[3]d", w, h, quickSide)
	return nil
}
