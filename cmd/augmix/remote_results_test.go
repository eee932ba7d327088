package main

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/storage/storagetest"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
)

// outcomes are the rows of a file as text, without their times.
func outcomes(t *testing.T, path string) map[results.Key]string {
	lines := map[results.Key]string{}
	for k, r := range byKey(t, path) {
		r.Time = time.Unix(0, 0)
		line, err := r.AppendLine(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines[k] = string(line)
	}
	return lines
}

// TestRemoteResults: an evaluation leaves in a store what it leaves on the disk, resumes from it, and is reported from it.
func TestRemoteResults(t *testing.T) {
	bucket, proxy := breakable(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	constantNet(t, in("net.safetensors"), map[int]float32{1: 1})
	classFolder(t, in("set"), 2, "n01440764", "n01443537")
	run := func(out string, code int, more ...string) outcome {
		return augmix(t, code, slices.Concat([]string{
			"eval", in("net.safetensors"), in("set"), "--model", "densenet-7-2", "--norm", "half", "--input-size", "32", "--size", "32", "--crop", "32",
			"--logits", "-o", out,
		}, more)...)
	}
	c := []string{"--suite", "clean,c", "--subset", "fog"}
	run(in("eval"), exitDone)
	run(in("eval"), exitDone, c...)
	run("s3://bucket/runs/eval", exitDone)
	there := filepath.Join(bucket, "runs", "eval")
	if clean := outcomes(t, filepath.Join(there, results.FileName)); len(clean) == 0 || len(clean) >= len(outcomes(t, in("eval/"+results.FileName))) {
		t.Errorf("%d rows of clean images", len(clean))
	}
	o := run("s3://bucket/runs/eval", exitDone, c...)
	if !strings.Contains(o.err, "s3://bucket/runs/eval has it: ") {
		t.Errorf("does not say what it had: %s", o.err)
	}
	got, want := tree(t, there), tree(t, in("eval"))
	if a, b := outcomes(t, filepath.Join(there, results.FileName)), outcomes(t, in("eval/"+results.FileName)); !maps.Equal(a, b) {
		t.Errorf("rows %v, want %v", a, b)
	}
	delete(got, results.FileName)
	delete(want, results.FileName)
	sameTree(t, got, want)
	stageEmpty(t)

	augmix(t, exitDone, "report", in("eval"), "-o", in("disk.csv"), "--title", "t")
	augmix(t, exitDone, "report", "s3://bucket/runs/eval", "-o", in("store.csv"), "--title", "t")
	augmix(t, exitDone, "report", "s3://bucket/runs/eval/results.jsonl", "-o", in("rows.md"))
	disk, err1 := os.ReadFile(in("disk.csv"))
	store, err2 := os.ReadFile(in("store.csv"))
	if err1 != nil || err2 != nil || len(disk) == 0 || strings.ReplaceAll(string(store), "runs", filepath.Base(dir)) != string(disk) {
		t.Errorf("reports differ: %v, %v\n%s\n%s", err1, err2, store, disk)
	}
	if o := augmix(t, exitFailed, "report", "s3://bucket/none", "-o", in("x.md")); !strings.Contains(o.err, "s3://bucket/none") {
		t.Error(o.err)
	}

	// Another evaluation of the same folder that did not end keeps this one out, and it goes on itself.
	proxy.Break(func(_ int, r *http.Request) storagetest.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/"+results.FileName) {
			return storagetest.Denied
		}
		return storagetest.None
	})
	more := []string{"--suite", "clean,c", "--subset", "pixelate"}
	if o := run("s3://bucket/runs/eval", exitFailed, more...); !strings.Contains(o.err, "these keys may not do that") {
		t.Error(o.err)
	}
	proxy.Break(nil)
	if o := run("s3://bucket/runs/eval", exitFailed, c...); !strings.Contains(o.err, "is unfinished and was") || !strings.Contains(o.err, "subset: was [pixelate], now [fog]") {
		t.Error(o.err)
	}
	o = run("s3://bucket/runs/eval", exitDone, more...)
	if n := len(outcomes(t, filepath.Join(there, results.FileName))); !strings.Contains(o.err, "c") || n <= len(outcomes(t, in("eval/"+results.FileName))) {
		t.Errorf("%d rows; %s", n, o.err)
	}
	stageEmpty(t)
}

// TestRemotePredictions: predictions are scored in a store as on the disk, in every format and layout.
func TestRemotePredictions(t *testing.T) {
	bucket, proxy := breakable(t)
	logits := &npy.Array{Shape: []int{4, 3}, Data: []float32{1, 0, 0, 0, 2, 1, 0, 0, 3, 1, 2, 0}}
	labels := &npy.Array{Shape: []int{4}, Data: []int64{0, 1, 2, 0}}
	in := func(name string) string { return filepath.Join(bucket, "pred", name) }
	write(t, in("a.csv"), []byte("logit_0,logit_1,label\n1,0,0\n0,2,1\n1,0,1\n"))
	write(t, in("b.jsonl"), []byte("{\"logits\":[1,0],\"label\":0}\n{\"logits\":[0,1],\"label\":1}\n"))
	if err := npy.WriteFile(in("c.npy"), logits); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*npy.Array{"c.labels.npy": labels, "labels.npy": labels} {
		if err := npy.WriteFile(in(name), a); err != nil {
			t.Fatal(err)
		}
	}
	z, err := npy.CreateZip(in("d.npz"), true)
	if err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]*npy.Array{"logits": logits, "labels": labels} {
		if err := z.Write(name, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, corruption := range []string{"fog", "snow"} {
		all := &npy.Array{Shape: []int{20, 3}}
		var five []float32
		for range 5 {
			five = append(five, logits.Data.([]float32)...)
		}
		all.Data = five
		write(t, filepath.Join(bucket, "set", ".keep"), nil)
		if err := npy.WriteFile(filepath.Join(bucket, "set", corruption+".npy"), all); err != nil {
			t.Fatal(err)
		}
	}
	if err := npy.WriteFile(filepath.Join(bucket, "set", "labels.npy"), labels); err != nil {
		t.Fatal(err)
	}
	proxy.Break(func(n int, _ *http.Request) storagetest.Fault { // a store that is busy now and then
		if n%7 == 3 {
			return storagetest.Busy
		}
		return storagetest.None
	})
	for _, args := range [][]string{
		{"pred/a.csv"}, {"pred/b.jsonl"}, {"pred/c.npy"}, {"pred/d.npz"}, {"set", "--dataset", "mine"},
	} {
		local := augmix(t, exitDone, append([]string{"score", filepath.Join(bucket, args[0]), "--all"}, args[1:]...)...)
		away := augmix(t, exitDone, append([]string{"score", "s3://bucket/" + args[0], "--all"}, args[1:]...)...)
		if want := strings.ReplaceAll(local.out, bucket, "s3://bucket"); want == "" || away.out != want {
			t.Errorf("%s: %s\nwant %s", args[0], away.out, want)
		}
	}
	if o := augmix(t, exitFailed, "score", "s3://bucket/pred/none.npy"); !strings.Contains(o.err, "s3://bucket/pred/none.npy") {
		t.Error(o.err)
	}
}

// TestRemoteRecipe: a recipe with its base, and a mixing set, in a store.
func TestRemoteRecipe(t *testing.T) {
	bucket := remote(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, filepath.Join(bucket, "recipes", "base.yaml"), []byte("base: quickstart\nabout: Ours\n"))
	write(t, filepath.Join(bucket, "recipes", "mine.yaml"), []byte("base: base.yaml\nseed: 5\n"))
	if o := augmix(t, exitDone, "run", "s3://bucket/recipes/mine.yaml", "-o", in("run"), "--plan"); !strings.HasPrefix(o.out, "Ours\n") {
		t.Errorf("the plan:\n%s%s", o.out, o.err)
	}
	augmix(t, exitDone, "mixset", "fractals", "-n", "4", "--size", "36", "-o", filepath.Join(bucket, "set.npy"))
	for name, set := range map[string]string{"disk": filepath.Join(bucket, "set.npy"), "store": "s3://bucket/set.npy"} {
		augmix(t, exitDone, "augment", "s3://bucket/in", "--mix", "pixmix", "--mixset", set, "--size", "36", "--crop", "32", "-o", in(name), "-q")
	}
	got, want := tree(t, in("store")), tree(t, in("disk"))
	for _, name := range []string{"manifest.json", "args.yaml"} { // which name the set
		delete(got, name)
		delete(want, name)
	}
	if len(want) == 0 {
		t.Error("nothing was made")
	}
	sameTree(t, got, want)
}
