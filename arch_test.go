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

// floors are the packages of the module from the top down, a floor a line. A package imports from the floors below its own.
const floors = `
cmd/augmix
experiment
recipe
train
eval  mixset
data/formats  generate  nn/onnx  tools/figures
data/cifar  data/datatest  data/folder  data/npyset  data/stats  data/wds  nn/weights  report  sheet  transform  internal/fetch  internal/fvis  internal/scenes  internal/single
corrupt/cbar  corrupt/frost  data  mix  perturb  score  internal/procedural
augment  corrupt  nn  ood  predictions  internal/imagefile  internal/records
attack  metrics  published  internal/corruption/corruptiontest  internal/filter  internal/fourier  internal/jpeg  nn/internal/winograd
models  results  rng  tools/sbom  internal/corruption  internal/fft  internal/figure  internal/golden  internal/kernel  internal/ort  internal/preprocess  metrics/internal/softmax  nn/internal/conv  nn/internal/vec  tools/wheel
.  nn/graph  python  raster  tools/notice  internal/buffer  internal/chart  internal/completion  internal/cpu  internal/detmath  internal/digest  internal/events  internal/filelock  internal/manpage  internal/mlflow  internal/npy  internal/parallel  internal/progress  internal/sbom  internal/suggest  internal/terminal
`

// packageImports is every package of the module with the packages of the module that it may import. A new package needs a
// row here and a place on a floor.
var packageImports = map[string][]string{
	"cmd/augmix": {
		"augment", "corrupt", "corrupt/cbar", "corrupt/frost", "data", "data/formats", "data/stats", "eval", "experiment",
		"generate", "internal/completion", "internal/cpu", "internal/digest", "internal/fetch", "internal/fvis",
		"internal/manpage", "internal/progress", "internal/records", "internal/sbom", "internal/terminal", "metrics", "mix",
		"mixset", "models", "nn", "nn/graph", "nn/onnx", "nn/weights", "perturb", "predictions", "published", "raster", "recipe",
		"report", "results", "score", "sheet", "train", "transform",
	},
	"experiment": {
		"attack", "augment", "corrupt", "corrupt/cbar", "corrupt/frost", "data", "data/formats", "eval", "generate",
		"internal/digest", "internal/mlflow", "internal/npy", "internal/preprocess", "internal/records", "metrics", "mix",
		"mixset", "models", "nn", "ood", "raster", "recipe", "report", "results", "rng", "sheet", "train", "transform",
	},
	"recipe": {"train"},
	"train": {
		"attack", "augment", "data", "internal/buffer", "internal/events", "internal/fvis", "internal/npy", "internal/parallel",
		"internal/preprocess", "metrics", "mix", "mixset", "models", "nn", "nn/graph", "nn/weights", "raster", "results", "rng",
		"transform",
	},
	"eval": {
		"attack", "augment", "data", "data/formats", "generate", "internal/detmath", "internal/fourier", "internal/npy",
		"internal/ort", "internal/parallel", "internal/preprocess", "internal/records", "metrics", "mix", "models", "nn",
		"nn/graph", "nn/onnx", "nn/weights", "ood", "raster", "results", "rng", "score", "transform",
	},
	"mixset":       {"augment", "data", "data/formats", "internal/parallel", "internal/procedural", "raster"},
	"data/formats": {"data", "data/cifar", "data/folder", "data/npyset", "data/wds", "internal/scenes", "internal/single"},
	"generate": {
		"data", "internal/digest", "internal/filelock", "internal/jpeg", "internal/npy", "internal/parallel", "mix", "raster",
		"rng", "transform",
	},
	"nn/onnx":         {"nn/graph", "nn/weights"},
	"tools/figures":   {"corrupt", "raster", "rng", "sheet"},
	"data/cifar":      {"data"},
	"data/datatest":   {"data", "raster"},
	"data/folder":     {"data", "internal/parallel"},
	"data/npyset":     {"data", "internal/npy", "raster"},
	"data/stats":      {"data", "internal/imagefile", "raster"},
	"data/wds":        {"data"},
	"internal/fetch":  {"data"},
	"internal/fvis":   {"data", "internal/detmath", "internal/fft", "internal/parallel", "nn", "nn/graph", "raster", "rng"},
	"internal/scenes": {"data", "internal/detmath", "raster", "rng"},
	"internal/single": {"data", "internal/imagefile"},
	"nn/weights":      {"data", "internal/npy", "nn/graph"},
	"report": {
		"internal/chart", "internal/figure", "internal/npy", "internal/records", "internal/terminal", "metrics", "published",
		"results", "score",
	},
	"sheet": {"augment", "corrupt", "corrupt/cbar", "corrupt/frost", "internal/parallel", "mix", "perturb", "raster", "rng"},
	"transform": {
		"augment", "corrupt", "corrupt/cbar", "data", "internal/corruption", "internal/suggest", "mix", "perturb", "raster",
		"rng",
	},
	"corrupt/cbar": {
		"corrupt", "internal/buffer", "internal/corruption", "internal/detmath", "internal/fft", "internal/filter", "raster",
		"rng",
	},
	"corrupt/frost":       {"internal/detmath", "internal/imagefile", "internal/parallel", "raster", "rng"},
	"data":                {"internal/imagefile", "raster"},
	"internal/procedural": {"augment", "internal/detmath", "internal/fft", "internal/suggest", "raster", "rng"},
	"mix":                 {"augment", "internal/buffer", "internal/kernel", "internal/parallel", "internal/suggest", "raster", "rng"},
	"perturb": {
		"augment", "corrupt", "internal/buffer", "internal/corruption", "internal/detmath", "internal/filter", "internal/kernel",
		"raster", "rng",
	},
	"score":   {"internal/records", "metrics", "predictions", "results", "rng"},
	"augment": {"internal/detmath", "internal/filter", "internal/kernel", "internal/suggest", "raster", "rng"},
	"corrupt": {
		"internal/buffer", "internal/corruption", "internal/filter", "internal/jpeg", "internal/kernel", "raster", "rng",
	},
	"internal/imagefile":                 {"internal/jpeg", "raster"},
	"internal/records":                   {"internal/npy", "metrics", "results"},
	"nn":                                 {"nn/graph", "nn/internal/conv", "nn/internal/vec", "nn/internal/winograd", "rng"},
	"ood":                                {"internal/filter", "internal/suggest", "rng"},
	"predictions":                        {"internal/npy", "metrics"},
	"attack":                             {"internal/parallel", "rng"},
	"internal/corruption/corruptiontest": {"internal/corruption", "raster", "rng"},
	"internal/filter":                    {"internal/buffer", "internal/detmath", "internal/kernel", "raster"},
	"internal/fourier":                   {"internal/detmath", "rng"},
	"internal/jpeg":                      {"internal/buffer", "internal/kernel", "raster"},
	"metrics":                            {"metrics/internal/softmax"},
	"nn/internal/winograd":               {"nn/internal/conv", "nn/internal/vec"},
	"published":                          {"results"},
	"internal/corruption":                {"internal/suggest", "raster"},
	"internal/fft":                       {"internal/buffer", "internal/detmath"},
	"internal/figure":                    {"internal/chart"},
	"internal/golden":                    {"internal/npy", "raster"},
	"internal/kernel":                    {"internal/cpu"},
	"internal/ort":                       {"nn/graph"},
	"internal/preprocess":                {"internal/detmath", "raster"},
	"metrics/internal/softmax":           {"internal/cpu"},
	"models":                             {"nn/graph"},
	"nn/internal/conv":                   {"internal/cpu"},
	"nn/internal/vec":                    {"internal/cpu"},
	"results":                            {"internal/filelock"},
	"rng":                                {"internal/detmath"},
	"tools/sbom":                         {"internal/sbom"},
	"tools/wheel":                        {"python"},
	".":                                  {},
	"internal/buffer":                    {},
	"internal/chart":                     {},
	"internal/completion":                {},
	"internal/cpu":                       {},
	"internal/detmath":                   {},
	"internal/digest":                    {},
	"internal/events":                    {},
	"internal/filelock":                  {},
	"internal/manpage":                   {},
	"internal/mlflow":                    {},
	"internal/npy":                       {},
	"internal/parallel":                  {},
	"internal/progress":                  {},
	"internal/sbom":                      {},
	"internal/suggest":                   {},
	"internal/terminal":                  {},
	"nn/graph":                           {},
	"python":                             {},
	"raster":                             {},
	"tools/notice":                       {},
}

// onlyIn lists libraries with the packages that alone may import them.
var onlyIn = map[string][]string{
	"github.com/alecthomas/kong":                  {"cmd/augmix"},
	"github.com/goccy/go-yaml":                    {"cmd/augmix", "experiment", "recipe"},
	"github.com/vbauerster/mpb":                   {"internal/progress"},
	"github.com/parquet-go/parquet-go":            {"predictions"},
	"github.com/yalue/onnxruntime_go":             {"internal/ort"},
	"github.com/augmix-go/augmix/internal/golden": {}, // tests alone
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
			for lib, owners := range onlyIn {
				if (path == lib || strings.HasPrefix(path, lib+"/")) && !slices.Contains(owners, dir) {
					t.Errorf("package %s imports %s, which only %v may", dir, path, owners)
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

// TestFloors: whatever the table allows points down.
func TestFloors(t *testing.T) {
	floor := map[string]int{}
	for i, line := range strings.Split(floors, "\n") {
		for _, dir := range strings.Fields(line) {
			if _, twice := floor[dir]; twice {
				t.Errorf("%s is on two floors", dir)
			}
			floor[dir] = i
		}
	}
	for dir, imports := range packageImports {
		at, ok := floor[dir]
		if !ok {
			t.Errorf("%s is on no floor", dir)
		}
		for _, other := range imports {
			if floor[other] <= at {
				t.Errorf("%s imports %s, which is not below it", dir, other)
			}
		}
	}
	if len(floor) != len(packageImports) {
		t.Errorf("%d packages on floors, %d in the table of imports", len(floor), len(packageImports))
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
