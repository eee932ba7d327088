package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestPredict: single images and folders, as a table, JSON and CSV, which say the same and agree with the evaluation.
func TestPredict(t *testing.T) {
	set, dir := photos(t, 12), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "train", "--data", set, "--model", "densenet-7-2", "--crop", "16", "--batch", "4", "--epochs", "1", "-o", in("net"), "-q")
	model, image := in("net/model.safetensors"), filepath.Join(set, "cat", "0000.png")
	o := augmix(t, exitDone, "predict", model, image, filepath.Join(set, "dog", "0001.png"), "-k", "2")
	if lines := strings.Split(o.out, "\n"); len(lines) != 7 || lines[0] != image || !strings.Contains(lines[1], " %  ") {
		t.Errorf("%q", o.out)
	}
	if !strings.Contains(o.err, "as in the validation of the training: center crop 16x16") {
		t.Error(o.err)
	}

	var all []prediction
	if err := json.Unmarshal([]byte(augmix(t, exitDone, "predict", model, set, "--json", "--top", "9").out), &all); err != nil {
		t.Fatal(err)
	}
	if cats := augmix(t, exitDone, "predict", model, set, "--json", "--images", "cat/*").out; strings.Count(cats, `"image"`) != 4 {
		t.Errorf("of 4 cats: %s", cats)
	}
	lines, err := csv.NewReader(strings.NewReader(augmix(t, exitDone, "predict", model, set, "--csv").out)).ReadAll()
	if err != nil || len(all) != 12 || len(lines) != 1+12*3 {
		t.Fatalf("%d images, %d lines (%v)", len(all), len(lines), err)
	}
	wrong := 0
	for i, one := range all {
		if line := lines[1+3*i]; line[0] != one.Image || line[3] != one.Top[0].Name || len(one.Top) != 3 {
			t.Errorf("%v and %+v", line, one)
		}
		if !strings.Contains(filepath.ToSlash(one.Image), "/"+one.Top[0].Name+"/") {
			wrong++
		}
	}
	augmix(t, exitDone, "eval", model, set, "-o", in("eval"), "-q")
	if row := cleanRow(t, in("eval")); row.Value != float64(wrong)/12 {
		t.Errorf("%d of 12 wrong, eval says %v", wrong, row.Value)
	}

	// Weights that say nothing of their images: they are made to fit.
	bareWeights(t, model, in("bare.safetensors"))
	o = augmix(t, exitDone, "predict", in("bare.safetensors"), image, "--model", "densenet-7-2", "--norm", "half", "--input-size", "16")
	if !strings.Contains(o.err, "made to fit the model: shorter side to 16 pixels") || !strings.Contains(o.out, "%  2\n") {
		t.Error(o.out, o.err)
	}
	// A training on images as they were says nothing of others, and is not said to.
	whole := classFolder(t, in("whole"), 2, "cat", "dog")
	augmix(t, exitDone, "train", "--data", whole, "--model", "densenet-7-2", "--batch", "4", "--epochs", "1", "-o", in("plain"), "-q")
	o = augmix(t, exitDone, "predict", in("plain"), image)
	if strings.Contains(o.err, "validation") || !strings.Contains(o.err, "made to fit the model: shorter side to 32 pixels") {
		t.Error(o.err)
	}
	if o = augmix(t, exitFailed, "predict", model, "nowhere.png"); o.err != "augmix: error: cannot open the image: stat nowhere.png: no such file or directory\n" {
		t.Error(o.err)
	}
	for want, args := range map[string][]string{
		"allowed: one of them": {image, "--json", "--csv"}, "--top -1": {image, "--top=-1"}, "--top 0": {image, "-k", "0"}, "nowhere.png": {"nowhere.png"},
	} {
		if o := augmixIn(t.Context(), nil, append([]string{"predict", model}, args...)...); o.code == exitDone || !strings.Contains(o.err, want) {
			t.Errorf("%v: %d %s", args, o.code, o.err)
		}
	}
}
