package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/results"
)

// TestEvalExamples: a run keeps the same example images whether the form is made on the fly or read, a complete run
// leaves its folder as it is, and the report shows the images.
func TestEvalExamples(t *testing.T) {
	set := cifarFolder(t, 60)
	net := trainedNet(t, set, "--model", "wrn-10-1") // learns more in as few epochs
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "corrupt", set, "-o", in("c"), "--subset", "fog,contrast,snow", "--seed", "7", "-q")
	common := []string{
		"eval", net, set, "--suite", "clean,c", "--subset", "fog,contrast,snow", "--seed", "7", "--examples", "2", "-q",
	}
	way := slices.Concat(common, []string{"-o", in("way")})
	disk := slices.Concat(common, []string{"-o", in("disk"), "--c", in("c")})
	augmix(t, exitDone, way...)
	augmix(t, exitDone, disk...)
	folder := filesIn(t, filepath.Join(in("way"), "examples"))
	if other := filesIn(t, filepath.Join(in("disk"), "examples")); !equalFiles(folder, other) {
		t.Error("other examples of the form on disk than of the same one made on the fly")
	}
	list, err := results.ReadExamples(in("way"))
	if err != nil || len(list) < 2 {
		t.Fatalf("%d examples, %v", len(list), err)
	}
	for _, e := range list {
		if e.CleanPred != e.Label || e.Pred == e.Label || e.Severity != 3 || e.Label == "" || e.Label[0] < 'a' ||
			folder[e.Image] == "" || folder[e.Clean] == "" || e.Dataset != "cifar10-c" {
			t.Errorf("%+v", e)
		}
	}
	whole := filesIn(t, in("way"))
	augmix(t, exitDone, way...)
	if !equalFiles(whole, filesIn(t, in("way"))) {
		t.Error("the second run changes the folder")
	}
	// args.yaml holds all of it, the map of --ood too.
	x, y := photos(t, 2), photos(t, 3)
	augmix(t, exitDone, slices.Concat(way, []string{"--suite", "ood", "--ood", "a=" + x + ";b=" + y})...)
	if text, err := os.ReadFile(in("way/args.yaml")); err != nil || !strings.Contains(string(text), "a: "+x) {
		t.Errorf("args.yaml without --ood: %v\n%s", err, text)
	}
	augmix(t, exitDone, "eval", net, set, "--config", in("way/args.yaml"), "-o", in("configured"), "-q")
	if !equalFiles(folder, filesIn(t, filepath.Join(in("configured"), "examples"))) {
		t.Error("other examples with the options of args.yaml")
	}
	page := in("report.html")
	augmix(t, exitDone, "report", in("way"), "-o", page, "-q")
	text, err := os.ReadFile(page)
	if n := strings.Count(string(text), `src="data:image/png;base64,`); err != nil || n != 2*len(list) {
		t.Errorf("%d images in the report, %v", n, err)
	}
	for _, flags := range [][]string{{"--examples", "0"}, {"--no-records"}} {
		none := t.TempDir()
		augmix(t, exitDone, slices.Concat(common, flags, []string{"-o", none})...)
		if _, err := os.Stat(filepath.Join(none, "examples")); !os.IsNotExist(err) {
			t.Errorf("%v: %v", flags, err)
		}
	}
}

func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			for name, text := range filesIn(t, filepath.Join(dir, e.Name())) {
				out[e.Name()+"/"+name] = text
			}
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

func equalFiles(a, b map[string]string) bool {
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return len(a) == len(b)
}

// TestEvalTenCrop: rows, logits and examples of ten crops go by a view and a name of their own, beside the plain ones.
func TestEvalTenCrop(t *testing.T) {
	set := cifarFolder(t, 60)
	net := trainedNet(t, set)
	dir := t.TempDir()
	common := []string{
		"eval", net, set, "--size", "36", "--suite", "clean,c,p,calibration", "--subset", "fog", "--severity", "3",
		"--perturbation", "translate", "--logits", "-o", dir, "-q", "--limit", "12",
	}
	augmix(t, exitDone, append(slices.Clone(common), "--crop", "32")...)
	augmix(t, exitDone, append(slices.Clone(common), "--ten-crop")...)
	rows := byKey(t, filepath.Join(dir, results.FileName))
	plain, ten := 0, 0
	for k, r := range rows {
		if k.TenCrop {
			ten++
			k.TenCrop = false
			if _, ok := rows[k]; !ok && r.Metric != results.BinAccuracy && r.Metric != results.BinConfidence {
				t.Errorf("%v has no plain row beside it", k)
			}
		} else {
			plain++
		}
	}
	if ten < 20 || plain < 20 {
		t.Errorf("%d plain rows, %d of ten crops", plain, ten)
	}
	for _, name := range []string{"net", "net-ten-crop"} {
		if _, err := os.Stat(filepath.Join(dir, "logits", name, "cifar10-c", "fog_3.npy")); err != nil {
			t.Error(err)
		}
	}
	// The saved logits of averages are scored to the same numbers.
	scored := filepath.Join(t.TempDir(), "scored.jsonl")
	logits := filepath.Join(dir, "logits", "net-ten-crop", "cifar10.npy")
	augmix(t, exitDone, "score", logits, "--model", "net", "--out", scored, "-q")
	compared := 0
	for k, s := range byKey(t, scored) {
		k.TenCrop, k.Limit = true, 12
		m, ok := rows[k]
		if ok {
			compared++
		}
		if ok && m.Value != s.Value && m.Value == m.Value {
			t.Errorf("%v: eval %v, score %v", k, m.Value, s.Value)
		}
	}
	if compared == 0 {
		t.Error("no number of augmix score is among those of augmix eval")
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "--ten-crop with --suite pgd", []string{"--suite", "clean,pgd"}},
		{exitUsage, "--ten-crop with --suite ood", []string{"--suite", "ood"}},
		{exitUsage, "--ten-crop with --suite fourier", []string{"--suite", "fourier"}},
		{exitUsage, "more than the model's 32", []string{"--size", "32"}},
		{exitUsage, "more than the model's 32", []string{"--size", "40", "--crop", "32"}},
		{exitFailed, "--size 36 makes it so", nil},
		{exitUsage, "--examples", []string{"--size", "36", "--examples", "-1"}},
	} {
		o := augmixIn(t.Context(), nil, append([]string{"eval", net, set, "--ten-crop"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.err, c.says) {
			t.Errorf("%v: exit code %d, want %d that says %q\n%s", c.args, o.code, c.code, c.says, o.err)
		}
	}
}
