package augmix

import (
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const modulePath = "github.com/augmix-go/augmix"

// floors are the packages of the module from the top down, a floor a line. A package imports from the floors below its own.
const floors = `
cmd/augmix
experiment  studio
recipe  tools/simulate  internal/feedmodel
eval  feed  superres  train  internal/cluster/simulate
examples/augment  examples/corrupt  generate  stream  tools/figures  internal/dataset
corrupt/all  corrupt/tables  mixset  sheet  transform
corrupt/cbar  corrupt/medical  corrupt/styletransfer  data/formats  examples/score  examples/train  nn/onnx  perturb  report  internal/trainedon
corrupt  data/annotated  data/cifar  data/datatest  data/fetch  data/folder  data/lmdb  data/npyset  data/stats  data/svhn  data/wds  mix  mixset/fvis  nn/image2image/image2imagetest  nn/weights  robustbench  score  internal/scenes  internal/single
corrupt/frost  data  nn  nn/image2image  predictions  internal/procedural  internal/records
attack  augment  metrics  ood  published  internal/corruption/corruptiontest  internal/fourier  internal/golden  internal/imagefile  internal/torchfile  nn/internal/winograd
results  rng  tools/neon  internal/fft  internal/filter  internal/jpeg  internal/npy  nn/internal/conv
data/storage/s3  internal/figure
data/storage  models  tools/neon/conv  tools/neon/kernel  tools/neon/softmax  tools/neon/vec  tools/sbom  tools/wheel  internal/corruption  internal/chart  internal/digest  internal/kernel  internal/mlflow  internal/ort  internal/preprocess  metrics/internal/softmax  nn/internal/vec
.  data/imagenet  data/storage/storagetest  examples  nn/graph  python  raster  tools/neon/arm64  tools/notice  tools/soak  internal/buffer  internal/cluster  internal/completion  internal/cpu  internal/decimal  internal/detmath  internal/events  internal/feedwire  internal/feedwire/wiretest  internal/filelock  internal/fixedseed  internal/manpage  internal/matfile  internal/matfile/matfiletest  internal/memtemp  internal/option  internal/parallel  internal/pickle  internal/progress  internal/racedetector  internal/regular  internal/sbom  internal/suggest  internal/terminal  internal/yamltext
`

// packageImports is every package of the module with the packages of the module that it may import. A new package needs a
// row here and a place on a floor.
var packageImports = map[string][]string{
	"cmd/augmix": {
		"augment", "corrupt", "corrupt/all", "corrupt/cbar", "corrupt/frost", "corrupt/styletransfer", "corrupt/tables", "data",
		"data/annotated", "data/fetch", "data/formats", "data/imagenet", "data/stats", "data/storage", "eval", "experiment",
		"feed", "generate", "internal/cluster", "internal/completion", "internal/cpu", "internal/digest", "internal/feedmodel",
		"internal/feedwire", "internal/filelock", "internal/manpage", "internal/option", "internal/progress", "internal/sbom", "internal/suggest",
		"internal/terminal", "metrics", "mix", "mixset", "mixset/fvis", "models", "nn", "nn/graph", "nn/image2image", "nn/onnx",
		"nn/weights", "perturb", "predictions", "published", "raster", "recipe", "report", "results", "robustbench", "score",
		"sheet", "stream", "studio", "superres", "train", "transform",
	},
	"experiment": {
		"attack", "augment", "corrupt", "corrupt/all", "corrupt/cbar", "corrupt/styletransfer", "corrupt/tables", "data",
		"data/cifar", "data/folder", "data/formats", "data/imagenet", "data/storage", "eval", "generate", "internal/digest", "internal/mlflow",
		"internal/npy", "internal/option", "internal/preprocess", "internal/records", "internal/suggest", "internal/trainedon", "internal/yamltext", "metrics", "mix",
		"mixset", "models",
		"nn", "nn/image2image", "nn/weights", "ood", "raster", "recipe", "report", "results", "rng", "sheet", "train",
		"transform",
	},
	"studio": {
		"attack", "augment", "corrupt", "corrupt/all", "corrupt/cbar", "data", "data/formats", "data/stats", "data/storage", "eval",
		"internal/chart", "internal/fft", "internal/imagefile", "internal/preprocess", "internal/records", "mix", "mixset",
		"raster", "recipe", "report", "results", "rng", "sheet", "train", "transform",
	},
	"recipe":             {"data/storage", "internal/option", "internal/yamltext", "train"},
	"tools/simulate":     {"internal/cluster/simulate"},
	"internal/feedmodel": {"eval", "feed", "internal/feedwire", "mix"},
	"eval": {
		"attack", "augment", "corrupt/cbar", "corrupt/styletransfer", "data", "data/formats", "data/storage", "generate", "internal/detmath",
		"internal/fourier", "internal/npy", "internal/option", "internal/ort", "internal/parallel", "internal/preprocess", "internal/records",
		"internal/trainedon", "metrics", "mix", "models", "nn", "nn/graph", "nn/onnx", "nn/weights", "ood", "perturb", "predictions",
		"raster", "results", "rng", "score", "transform",
	},
	"feed": {
		"augment", "data", "internal/buffer", "internal/dataset", "internal/option", "internal/parallel", "mix", "raster", "rng", "transform",
	},
	"superres": {
		"augment", "data", "data/storage", "internal/dataset", "internal/filelock", "internal/option", "internal/parallel", "nn", "nn/image2image", "nn/weights",
		"raster", "rng",
	},
	"train": {
		"attack", "augment", "corrupt/all", "data", "data/formats", "data/storage", "internal/buffer", "internal/dataset", "internal/detmath",
		"internal/events", "internal/npy", "internal/option", "internal/parallel", "internal/preprocess", "internal/trainedon", "metrics", "mix", "mixset",
		"mixset/fvis", "models", "nn", "nn/graph", "nn/image2image", "nn/weights", "raster", "results", "rng", "transform",
	},
	"internal/cluster/simulate": {"generate", "internal/cluster", "rng"},
	"examples/augment":          {"augment", "data", "data/formats", "mix", "transform"},
	"examples/corrupt":          {"corrupt/all"},
	"generate": {
		"data", "data/annotated", "data/folder", "data/formats", "data/npyset", "data/storage", "data/storage/s3", "data/wds",
		"internal/digest", "internal/filelock", "internal/jpeg", "internal/npy", "internal/option", "internal/parallel", "internal/yamltext", "mix",
		"raster", "rng", "transform",
	},
	"stream":           {"corrupt", "corrupt/cbar", "data", "internal/option", "internal/terminal", "raster", "rng", "transform"},
	"tools/figures":    {"corrupt", "raster", "rng", "sheet"},
	"internal/dataset": {"data", "internal/imagefile", "internal/parallel", "internal/preprocess", "raster", "rng", "transform"},
	"corrupt/all":      {"corrupt", "corrupt/cbar", "internal/corruption", "mix", "raster", "rng"},
	"corrupt/tables":   {"corrupt", "corrupt/medical", "data", "internal/suggest", "internal/yamltext"},
	"mixset": {
		"augment", "data", "data/formats", "data/storage", "internal/parallel", "internal/procedural", "internal/regular",
		"nn/image2image", "nn/weights", "raster",
	},
	"sheet": {"augment", "corrupt", "corrupt/cbar", "internal/parallel", "mix", "perturb", "raster", "rng"},
	"transform": {
		"augment", "corrupt", "corrupt/cbar", "data", "internal/corruption", "internal/option", "internal/suggest", "metrics", "mix", "perturb", "raster",
		"rng",
	},
	"corrupt/cbar": {
		"corrupt", "internal/buffer", "internal/corruption", "internal/detmath", "internal/fft", "internal/filter",
		"internal/kernel", "raster", "rng",
	},
	"corrupt/medical": {
		"augment", "corrupt", "internal/buffer", "internal/corruption", "internal/detmath", "internal/suggest", "raster", "rng",
	},
	"corrupt/styletransfer": {
		"corrupt", "internal/buffer", "internal/corruption", "internal/kernel", "nn/image2image", "raster", "rng",
	},
	"data/formats": {
		"data", "data/annotated", "data/cifar", "data/folder", "data/lmdb", "data/npyset", "data/storage", "data/storage/s3", "data/svhn",
		"data/wds", "internal/option", "internal/scenes", "internal/single", "internal/suggest", "raster",
	},
	"examples/score": {"results", "score"},
	"examples/train": {"mix", "models", "nn", "nn/graph", "raster", "rng"},
	"nn/onnx":        {"nn/graph", "nn/weights"},
	"perturb": {
		"augment", "corrupt", "internal/buffer", "internal/corruption", "internal/detmath", "internal/filter",
		"internal/kernel", "raster", "rng",
	},
	"report": {
		"data/storage", "internal/chart", "internal/decimal", "internal/digest", "internal/figure", "internal/npy", "internal/records",
		"internal/suggest", "internal/terminal", "metrics", "mix", "predictions", "published", "results", "score",
	},
	"corrupt": {
		"corrupt/frost", "internal/buffer", "internal/corruption", "internal/filter", "internal/jpeg", "internal/kernel",
		"internal/suggest", "raster", "rng",
	},
	"data/annotated": {"data", "data/storage", "internal/imagefile", "internal/jpeg", "internal/parallel", "raster"},
	"data/cifar":     {"data", "data/storage", "internal/pickle"},
	"data/datatest":  {"data", "data/storage", "raster"},
	"data/fetch":     {"data", "data/storage"},
	"data/folder":    {"data", "data/storage", "internal/parallel"},
	"data/lmdb":      {"data", "data/storage"},
	"data/npyset":    {"data", "data/storage", "internal/npy", "raster"},
	"data/stats":     {"data", "internal/imagefile", "raster"},
	"data/svhn":      {"data", "data/storage", "internal/matfile", "raster"},
	"data/wds":       {"data", "data/storage", "internal/npy"},
	"mix": {
		"augment", "internal/buffer", "internal/corruption", "internal/detmath", "internal/fft", "internal/kernel",
		"internal/parallel", "internal/suggest", "nn/image2image", "raster", "rng",
	},
	"mixset/fvis":                    {"data", "internal/detmath", "internal/fft", "internal/parallel", "nn", "nn/graph", "raster", "rng"},
	"nn/image2image/image2imagetest": {"nn/image2image", "rng"},
	"nn/weights":                     {"data/storage", "internal/npy", "internal/pickle", "internal/torchfile", "nn/graph", "nn/image2image"},
	"robustbench":                    {"data", "data/storage", "results"},
	"score":                          {"internal/parallel", "internal/records", "internal/terminal", "metrics", "predictions", "results", "rng"},
	"internal/trainedon":             {"internal/corruption", "mix", "nn/weights", "results"},
	"internal/scenes":                {"data", "internal/detmath", "raster", "rng"},
	"internal/single":                {"data", "internal/imagefile"},
	"corrupt/frost":                  {"internal/detmath", "internal/imagefile", "internal/parallel", "internal/regular", "raster", "rng"},
	"data":                           {"data/storage", "internal/imagefile", "internal/option", "internal/regular", "raster", "rng"},
	"nn":                             {"internal/detmath", "nn/graph", "nn/internal/conv", "nn/internal/vec", "nn/internal/winograd", "rng"},
	"nn/image2image": {
		"internal/buffer", "internal/detmath", "internal/parallel", "nn/graph", "nn/internal/conv", "nn/internal/vec",
		"nn/internal/winograd", "raster", "rng",
	},
	"predictions": {"data/storage", "data/storage/s3", "internal/npy", "internal/pickle", "internal/regular", "internal/torchfile", "metrics"},
	"internal/procedural": {
		"augment", "internal/detmath", "internal/fft", "internal/kernel", "internal/suggest", "raster", "rng",
	},
	"internal/records":                   {"internal/npy", "metrics", "results"},
	"attack":                             {"internal/parallel", "rng"},
	"augment":                            {"internal/detmath", "internal/filter", "internal/kernel", "internal/suggest", "raster", "rng"},
	"metrics":                            {"internal/fft", "internal/parallel", "metrics/internal/softmax"},
	"ood":                                {"internal/filter", "internal/suggest", "rng"},
	"published":                          {"results"},
	"internal/corruption/corruptiontest": {"internal/corruption", "internal/fixedseed", "internal/racedetector", "raster", "rng"},
	"internal/fourier":                   {"internal/detmath", "rng"},
	"internal/golden":                    {"internal/npy", "raster"},
	"internal/imagefile":                 {"internal/jpeg", "raster"},
	"internal/torchfile":                 {"data/storage", "internal/npy", "internal/pickle"},
	"nn/internal/winograd":               {"nn/internal/conv", "nn/internal/vec"},
	"results":                            {"data/storage", "data/storage/s3", "internal/decimal", "internal/filelock"},
	"rng":                                {"internal/detmath", "internal/kernel"},
	"tools/neon":                         {"tools/neon/arm64", "tools/neon/conv", "tools/neon/kernel", "tools/neon/softmax", "tools/neon/vec"},
	"internal/fft":                       {"internal/buffer", "internal/detmath", "internal/kernel"},
	"internal/filter":                    {"internal/buffer", "internal/detmath", "internal/kernel", "raster"},
	"internal/jpeg":                      {"internal/buffer", "internal/kernel", "raster"},
	"internal/npy":                       {"data/storage"},
	"nn/internal/conv":                   {"internal/cpu", "internal/detmath", "nn/internal/vec"},
	"data/storage/s3":                    {"data/storage"},
	"data/storage":                       {"internal/regular"},
	"models":                             {"internal/suggest", "nn/graph"},
	"tools/neon/conv":                    {"tools/neon/arm64"},
	"tools/neon/kernel":                  {"tools/neon/arm64"},
	"tools/neon/softmax":                 {"tools/neon/arm64"},
	"tools/neon/vec":                     {"tools/neon/arm64"},
	"tools/sbom":                         {"internal/sbom"},
	"tools/wheel":                        {"python"},
	"internal/corruption":                {"internal/suggest", "raster"},
	"internal/digest":                    {"internal/regular"},
	"internal/figure":                    {"internal/chart"},
	"internal/kernel":                    {"internal/cpu"},
	"internal/ort":                       {"nn/graph"},
	"internal/preprocess":                {"internal/detmath", "raster"},
	"metrics/internal/softmax":           {"internal/cpu"},
	"nn/internal/vec":                    {"internal/cpu", "internal/detmath"},
	".":                                  {},
	"data/imagenet":                      {},
	"data/storage/storagetest":           {},
	"examples":                           {},
	"nn/graph":                           {},
	"python":                             {},
	"raster":                             {},
	"tools/neon/arm64":                   {},
	"tools/notice":                       {},
	"tools/soak":                         {},
	"internal/buffer":                    {},
	"internal/chart":                     {"internal/decimal"},
	"internal/cluster":                   {},
	"internal/completion":                {},
	"internal/cpu":                       {},
	"internal/decimal":                   {},
	"internal/detmath":                   {},
	"internal/events":                    {},
	"internal/feedwire":                  {},
	"internal/feedwire/wiretest":         {},
	"internal/filelock":                  {},
	"internal/fixedseed":                 {},
	"internal/manpage":                   {},
	"internal/matfile":                   {},
	"internal/matfile/matfiletest":       {},
	"internal/memtemp":                   {},
	"internal/mlflow":                    {"internal/regular"},
	"internal/option":                    {},
	"internal/parallel":                  {},
	"internal/pickle":                    {},
	"internal/progress":                  {},
	"internal/racedetector":              {},
	"internal/regular":                   {},
	"internal/sbom":                      {},
	"internal/suggest":                   {},
	"internal/terminal":                  {},
	"internal/yamltext":                  {},
}

// onlyIn lists libraries with the packages that alone may import them.
var onlyIn = map[string][]string{
	"codeberg.org/go-pdf/fpdf":         {"internal/figure"},
	"github.com/alecthomas/kong":       {"cmd/augmix"},
	"github.com/goccy/go-yaml":         {"cmd/augmix", "corrupt/tables", "experiment", "generate", "internal/yamltext", "recipe"},
	"github.com/minio/minio-go":        {"data/storage/s3", "data/storage/storagetest"},
	"github.com/vbauerster/mpb":        {"internal/progress"},
	"github.com/parquet-go/parquet-go": {"predictions"},
	"github.com/yalue/onnxruntime_go":  {"internal/ort"},
	"pgregory.net/rapid":               {"internal/corruption/corruptiontest", "internal/fixedseed"},
	modulePath + "/internal/fixedseed": {"internal/corruption/corruptiontest"},
	modulePath + "/internal/golden":    {}, // tests alone
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

// TestPropertySeeds: the property tests of every package see the same cases in every run.
func TestPropertySeeds(t *testing.T) {
	for dir, pkg := range packages(t) {
		imports := slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports)
		if slices.Contains(imports, "pgregory.net/rapid") && dir != "internal/fixedseed" &&
			!slices.Contains(imports, modulePath+"/internal/fixedseed") {
			t.Errorf("the tests of %s use rapid and do not import internal/fixedseed", dir)
		}
	}
}

// TestFloors: whatever the table allows points down.
// TestErrorsNameNoPackage: a person at the terminal has a command, not packages. What a program alone sees is left as it is: internal
// packages and the misuse of data/wds.
func TestErrorsNameNoPackage(t *testing.T) {
	for dir, pkg := range packages(t) {
		if strings.HasPrefix(dir, "internal/") || dir == "data/wds" {
			continue
		}
		named := regexp.MustCompile(`[^(](?:errors\.New|fmt\.Errorf)\("` + pkg.Name + `: .*`) // panics may
		for _, file := range pkg.GoFiles {
			text, err := os.ReadFile(filepath.Join(pkg.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range named.FindAll(text, -1) {
				t.Errorf("%s/%s: an error begins with the name of its package: %s", dir, file, line)
			}
		}
	}
}

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

// TestModuleIsLean: the WebAssembly module of the studio, which pages load, has none of the large libraries.
func TestModuleIsLean(t *testing.T) {
	browser := build.Default
	browser.GOOS, browser.GOARCH = "js", "wasm"
	seen, left := map[string]bool{}, []string{"studio/wasm"}
	for len(left) > 0 {
		dir := left[0]
		if left = left[1:]; seen[dir] {
			continue
		}
		seen[dir] = true
		pkg, err := browser.ImportDir(filepath.FromSlash(dir), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range pkg.Imports {
			if rel, ok := strings.CutPrefix(path, modulePath+"/"); ok {
				left = append(left, rel)
			}
			for lib := range onlyIn {
				if path == lib || strings.HasPrefix(path, lib+"/") {
					t.Errorf("%s imports %s, also for js/wasm", dir, lib)
				}
			}
		}
	}
	if !seen["corrupt"] || !seen["mixset"] || seen["eval"] || seen["report"] {
		t.Errorf("the module has the packages %v", seen)
	}
}
