package augmix

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/augmix-go/augmix"

// packageImports is the table of docs/architecture.md: every package of the module with the packages of the module it may import.
// A new package needs a row here; nothing imports upwards.
var packageImports = map[string][]string{
	".":                        {},
	"raster":                   {},
	"rng":                      {"internal/detmath"},
	"metrics":                  {"metrics/internal/softmax"},
	"metrics/internal/softmax": {},
	"internal/npy":             {},
	"internal/golden":          {"internal/npy", "raster"},
	"internal/detmath":         {},
	"internal/corruption":      {"raster"},
	"internal/kernel":          {},
	"internal/jpeg":            {"raster", "internal/kernel"},
	"internal/filter":          {"raster", "internal/kernel", "internal/detmath"},
	"internal/imagefile":       {"raster", "internal/jpeg"},
	"data":                     {"raster", "internal/imagefile"},
	"data/datatest":            {"data", "raster"},
	"data/folder":              {"data", "raster", "internal/imagefile"},
	"data/npyset":              {"data", "raster", "internal/npy"},
	"internal/single":          {"data", "raster", "internal/imagefile"},
	"data/cifar":               {"data", "raster"},
	"data/wds":                 {"data", "raster", "internal/imagefile"},
	"data/stats":               {"data", "raster", "internal/imagefile"},
	"internal/fetch":           {"data"},
	"data/formats":             {"data", "internal/imagefile", "data/folder", "data/npyset", "internal/single", "data/cifar", "data/wds", "internal/scenes"},
	"augment":                  {"raster", "rng", "internal/kernel", "internal/filter", "internal/detmath"},
	"mix":                      {"augment", "raster", "rng", "internal/kernel"},
	"internal/procedural":      {"raster", "rng", "augment", "internal/detmath"},
	"mixset":                   {"raster", "augment", "data", "data/formats", "internal/procedural"},
	"corrupt":                  {"raster", "rng", "internal/corruption", "internal/filter", "internal/kernel", "internal/jpeg", "internal/detmath"},
	"corrupt/frost":            {"raster", "rng", "internal/detmath", "internal/imagefile"},
	"corrupt/cbar":             {"corrupt", "internal/corruption", "raster", "rng", "internal/filter", "internal/detmath"},
	"internal/corruption/corruptiontest": {
		"internal/corruption", "raster", "rng",
	},
	"perturb": {
		"raster", "rng", "augment", "corrupt", "internal/corruption", "internal/filter", "internal/kernel", "internal/detmath",
	},
	"ood":                  {"rng", "internal/filter"},
	"nn/graph":             {},
	"nn/internal/conv":     {},
	"nn/internal/vec":      {},
	"nn/internal/winograd": {"nn/internal/conv", "nn/internal/vec"},
	"nn":                   {"nn/graph", "nn/internal/conv", "nn/internal/vec", "nn/internal/winograd", "rng"},
	"internal/scenes":      {"data", "raster", "rng", "internal/detmath"},
	"attack":               {"rng"},
	"internal/fourier":     {"rng", "internal/detmath"},
	"internal/preprocess":  {"raster", "internal/detmath"},
	"predictions":          {"internal/npy", "metrics"},
	"internal/events":      {},
	"internal/mlflow":      {},
	"results":              {},
	"internal/records":     {"internal/npy", "metrics"},
	"published":            {"results"},
	"internal/chart":       {},
	"internal/figure":      {"internal/chart"},
	"report":               {"internal/npy", "internal/chart", "internal/figure", "results", "internal/records", "metrics", "published", "rng"},
	"transform":            {"data", "internal/corruption", "raster", "rng", "augment", "mix", "corrupt", "corrupt/cbar", "perturb"},
	"generate":             {"data", "raster", "rng", "mix", "transform", "internal/jpeg", "internal/npy"},
	"sheet": {
		"raster", "rng", "augment", "mix", "corrupt", "corrupt/cbar", "corrupt/frost", "perturb", "internal/detmath",
	},
	"cmd/augmix": {
		"augment", "corrupt", "corrupt/cbar", "corrupt/frost", "data", "internal/fetch", "data/formats", "data/stats", "generate",
		"internal/imagefile", "internal/kernel", "perturb",
		"internal/progress", "mix", "mixset", "published", "raster", "sheet", "report", "rng",
		"metrics", "predictions", "results", "internal/records",
		"models", "nn", "nn/graph", "nn/onnx", "nn/weights",
		"eval", "attack", "internal/fvis", "internal/mlflow", "internal/npy", "ood", "internal/preprocess", "recipe", "train",
		"transform",
	},
	"recipe":       {},
	"models":       {"nn/graph"},
	"nn/weights":   {"nn/graph", "data", "internal/npy"},
	"nn/onnx":      {"nn/graph", "nn/weights"},
	"internal/ort": {"nn/graph"},
	"train": {
		"augment", "data", "transform", "internal/events", "metrics", "mix", "models", "nn", "nn/graph", "nn/weights", "raster",
		"results", "rng", "attack", "internal/preprocess",
	},
	"eval": {
		"augment", "data", "data/formats", "attack", "internal/fourier", "internal/ort", "generate", "transform", "internal/detmath",
		"internal/npy", "metrics", "mix", "models", "nn", "nn/graph", "nn/onnx", "nn/weights", "ood", "internal/preprocess", "raster",
		"results", "internal/records", "rng", "train",
	},
	"internal/progress": {},
	"internal/fvis":     {"nn", "nn/graph", "raster", "rng", "internal/detmath"},
}

// onlyIn lists libraries that one package alone may import.
var onlyIn = map[string]string{
	"github.com/alecthomas/kong":                  "cmd/augmix",
	"github.com/goccy/go-yaml":                    "cmd/augmix",
	"github.com/vbauerster/mpb":                   "internal/progress",
	"github.com/nlpodyssey/gopickle":              "data/cifar",
	"github.com/parquet-go/parquet-go":            "predictions",
	"gonum.org/v1/plot":                           "internal/figure",
	"github.com/yalue/onnxruntime_go":             "internal/ort",
	"github.com/augmix-go/augmix/internal/golden": "tests",
}

func TestImports(t *testing.T) {
	for dir, pkg := range packages(t) {
		allowed, known := packageImports[dir]
		if !known {
			t.Errorf("package %s is not in the table of imports", dir)
			continue
		}
		for _, path := range pkg.Imports {
			if rel, ok := strings.CutPrefix(path, modulePath+"/"); ok && !slices.Contains(allowed, rel) {
				t.Errorf("package %s imports %s, which the table does not allow", dir, rel)
			}
			for lib, owner := range onlyIn {
				if (path == lib || strings.HasPrefix(path, lib+"/")) && dir != owner {
					t.Errorf("package %s imports %s, which only %s may", dir, path, owner)
				}
			}
		}
	}
	for dir := range packageImports {
		if _, err := os.Stat(filepath.FromSlash(dir)); err != nil {
			t.Errorf("the table of imports lists %s, which does not exist", dir)
		}
	}
}

func TestEveryPackageHasADoc(t *testing.T) {
	for dir, pkg := range packages(t) {
		if pkg.Doc == "" && !hasDoc(t, pkg) {
			t.Errorf("package %s has no doc comment", dir)
		}
	}
}

// hasDoc looks at all files: go/build reports the first file's comment only.
func hasDoc(t *testing.T, pkg *build.Package) bool {
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		if f.Doc != nil {
			return true
		}
	}
	return false
}

// packages finds the module's packages by folder, as the go command does: nested modules, testdata and names with a
// leading '_' or '.' are left out.
func packages(t *testing.T) map[string]*build.Package {
	found := map[string]*build.Package{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if path != "." {
			if name := d.Name(); name == "testdata" || name[0] == '_' || name[0] == '.' {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		pkg, err := build.ImportDir(path, build.ImportComment)
		if _, none := err.(*build.NoGoError); none {
			return nil
		}
		if err != nil {
			return err
		}
		found[filepath.ToSlash(path)] = pkg
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
