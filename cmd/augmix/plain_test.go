package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSentinels: no exported error begins with the name of its package: a program has the value, and the person at the
// terminal has a command, not packages.
func TestSentinels(t *testing.T) {
	sentinel := regexp.MustCompile(`(?m)^(?:var)?\s+(Err\w+)\s*=\s*errors\.New\("([^"]*)"\)`)
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || strings.HasPrefix(d.Name(), "_")) {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range sentinel.FindAllStringSubmatch(string(text), -1) {
			if found++; strings.HasPrefix(m[2], filepath.Base(filepath.Dir(path))+": ") {
				t.Errorf("%s: %s, %q, begins with the package's name", path, m[1], m[2])
			}
		}
		return err
	})
	if err != nil || found < 60 {
		t.Errorf("%d sentinels found, %v", found, err)
	}
}

// TestMistakes: what people mistype is told in one line without names of packages.
func TestMistakes(t *testing.T) {
	set, dir := photos(t, 3), t.TempDir()
	out := filepath.Join(dir, "out")
	table := filepath.Join(dir, "table.csv")
	write(t, table, []byte("logit_0,logit_1\n1,2\n"))
	net, one, other, flat := trainedNet(t, photos(t, 12)), classFolder(t, filepath.Join(dir, "one"), 2, "cat"), photos(t, 3), filepath.Join(dir, "flat")
	classFolder(t, other, 1, "ape")
	write(t, filepath.Join(flat, "a.png"), testImage(t, 1, 32, 32))
	recipe := filepath.Join(dir, "recipe.yaml")
	write(t, recipe, []byte("data: "+set+"\nmodel: resnet20\nlr: -1\n"))
	folder, _, _ := cifarC(t, 10)
	methods := filepath.Join(dir, "methods")
	write(t, filepath.Join(methods, "standard", "model.safetensors"), []byte("x"))
	write(t, filepath.Join(methods, "standard", "results.jsonl"), []byte(""))
	write(t, filepath.Join(methods, "standard", "eval", "results.jsonl"), []byte(""))
	models := "error: MODEL: " + methods + ", which holds several models (allowed: " + filepath.Join(methods, "standard") + ")"
	runs := "error: " + methods + " is no run, and holds some (allowed: " + filepath.Join(methods, "standard", "eval") + ")"
	begun := filepath.Join(dir, "begun") // a run that has not ended
	last := filepath.Join(begun, "last.safetensors")
	write(t, last, []byte("x"))
	notYet := "the run has not come to its end: " + begun + " has no model.safetensors yet (allowed: " + last + ", its weights so far)"
	pieces := filepath.Join(dir, "pieces")
	piece := filepath.Join(pieces, "a.safetensors")
	write(t, piece, []byte("x"))
	bare := filepath.Join(dir, "results.jsonl")
	write(t, bare, []byte("x\n"))
	for want, args := range map[string][]string{
		`error: --mix: bad spec: no method "augmx", did you mean "augmix"?`: {"augment", set, "-o", out, "--mix", "augmx"},
		`error: --crop "foo" (`:                                                         {"augment", set, "-o", out, "--crop", "foo"},
		`error: bad operation: no operation "nope"`:                                     {"augment", set, "-o", out, "--op", "nope"},
		`error: bad option: corruption "fogg", did you mean "fog"?`:                     {"corrupt", set, "-o", out, "--subset", "fogg"},
		`error: --mixset: nope: bad spec: "nope" is neither`:                            {"augment", set, "-o", out, "--mix", "pixmix", "--mixset", "nope"},
		`error: no such network: "resnet21"`:                                            {"train", "--data", set, "--model", "resnet21", "-o", out},
		`error: --mix: bad spec: no method "x"`:                                         {"train", "--data", set, "--model", "resnet20", "--mix", "x", "-o", out},
		`error: --mix: bad spec: no method "z"`:                                         {"feed", set, "--mix", "z"},
		`error: --mix: bad spec: no method "w"`:                                         {"sheet", set, "--mix", "w", "-o", out + ".png"},
		`error: --preprocess: bad spec: no method "x"`:                                  {"train", "--data", set, "--model", "resnet20", "--preprocess", "x", "-o", out},
		`error: not a file of weights: `:                                                {"export", table, "-o", out + ".onnx"},
		"error: stat " + out + ": no such file":                                         {"export", out, "-o", out + ".onnx"},
		"error: " + bare + ":1: bad row: ":                                              {"report", bare, "-o", out + ".html"},
		"error: " + out + " is no run: stat " + out + ": no such file":                  {"report", out, "-o", out + ".html"},
		"error: no labels: " + table + " has none":                                      {"score", table},
		"error: bad layout: " + table + " is a file of one array; layout cifar-c is a ": {"score", table, "--layout", "cifar-c"},

		// Options by their flags, and arguments by their names.
		"error: --pgd-eps: without --suite pgd, which alone looks at it": {"eval", net, set, "--pgd-eps", "4"},
		"error: --among: data, where ":                                   {"eval", net, one, "-q"},
		"error: MODEL: " + dir + " is a folder without":                  {"eval", dir, set},
		"error: MODEL: " + notYet:                                        {"eval", begun, set},
		"(the run has not ended; " + last + " has the weights so far)":   {"predict", filepath.Join(begun, "model.safetensors"), filepath.Join(flat, "a.png")},
		"error: " + notYet:                                               {"export", begun, "-o", out + ".onnx"},
		"error: not a file of weights: " + pieces + " is a folder (allowed: a file, here " + piece + ")": {"export", pieces, "-o", out + ".onnx"},
		"error: not a file of weights: " + flat + " is a folder (allowed: a file)":                       {"export", flat, "-o", out + ".onnx"},
		"--weights: " + notYet: {"train", "--data", "scenes:n=20", "--model", "wrn-10-1", "--weights", begun, "-o", out},
		models:                 {"eval", methods, set},
		runs:                   {"report", methods, "-o", out + ".html"},
		"error: IN: " + other + " has other classes than the model": {"eval", net, other, "-q"},
		"or a list, --labels)":                               {"eval", net, flat, "-q"},
		"error: --views 4 has no effect (it needs --jsd)":    {"train", "--data", set, "--model", "resnet20", "--views", "4", "-o", out},
		"error: configuration: lr: ":                         {"train", recipe, "-o", out},
		"error: --zipf with layout single (allowed: with p)": {"score", table, "--zipf"},
		"samples make no --batch of 4000 (allowed: smaller":  {"feed", set, "--batch", "4000"},
		"error: --baseline alexnet: ":                        {"score", folder, "--baseline", "alexnet"},
	} {
		if o := augmixIn(t.Context(), nil, args...); o.code == exitDone || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: %d %q, want %q", args, o.code, o.err, want)
		}
	}
}
