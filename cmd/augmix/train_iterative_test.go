package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/train"
)

// fvisTraining draws in epochs 0 and 2 of 3, images of the least size.
func fvisTraining(out string, more ...string) []string {
	args := []string{
		"train", "--data", "scenes:n=24,size=16,seed=1", "--val", "none", "--model", "densenet-7-2", "--crop", "14",
		"--mix", "pixmix-k4-b3", "--mixset", "iterative-fvis-n3", "--mixset-every", "2", "--epochs", "3", "--batch", "8",
		"-j", "2", "-o", out,
	}
	return append(args, more...)
}

// TestIterativeFVis trains with images of the network in training, at once and in parts: stopped while it draws, then
// in the epoch for which nothing is drawn.
func TestIterativeFVis(t *testing.T) {
	whole, dir := filepath.Join(t.TempDir(), "run"), filepath.Join(t.TempDir(), "run")
	o := augmix(t, exitDone, fvisTraining(whole)...)
	for _, want := range []string{"epoch 1/3: 3 feature visualizations", "epoch 3/3: 3 feature visualizations"} {
		if !strings.Contains(o.err, want) {
			t.Errorf("no %q in\n%s", want, o.err)
		}
	}
	if strings.Contains(o.err, "epoch 2/3: 3 feature") {
		t.Errorf("drawn in the second epoch\n%s", o.err)
	}

	// What the last epoch mixed in can be looked at, and is a mixing set.
	set, err := mixset.Open(t.Context(), filepath.Join(whole, train.MixsetName), mixset.Options{Size: 14})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	content, err := os.ReadFile(filepath.Join(whole, train.MixsetName))
	if err != nil {
		t.Fatal(err)
	}
	array, err := npy.Read(bytes.NewReader(content))
	if err != nil || !slices.Equal(array.Shape, []int{3, 16, 16, 3}) || set.Len() != 3 {
		t.Fatalf("%v, an array of %v, a set of %d images", err, array.Shape, set.Len())
	}
	for i := range 3 {
		if m := set.Image(i); m.W != 16 || m.H != 16 || !bytes.Equal(m.AppendRGB(nil), array.Data.([]byte)[i*768:][:768]) {
			t.Errorf("image %d of %dx%d is not that of the file", i, m.W, m.H)
		}
		if reflect.DeepEqual(set.Image(i), set.Image((i+1)%3)) {
			t.Errorf("image %d comes twice", i)
		}
	}

	stopped := func(file string, args ...string) { // as soon as the file has content
		t.Helper()
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			for ctx.Err() == nil {
				if b, _ := os.ReadFile(filepath.Join(dir, file)); len(b) > 0 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			cancel(errInterrupted)
		}()
		if o := augmixIn(ctx, nil, args...); o.code != exitInterrupted {
			t.Fatalf("exit code %d\n%s", o.code, o.err)
		}
	}
	stopped(generate.ArgsName, fvisTraining(dir, "-q")...) // which is there before the first set is drawn
	stopped(train.ResultsName, "train", "--resume", "-o", dir, "-q")
	augmix(t, exitDone, "train", "--resume", "-o", dir, "-q")
	for _, name := range []string{train.LastName, train.ModelName, train.MixsetName} {
		a, err1 := os.ReadFile(filepath.Join(whole, name))
		b, err2 := os.ReadFile(filepath.Join(dir, name))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs from that of an undisturbed run (%v, %v)", name, err1, err2)
		}
	}
}

func TestIterativeFVisUsage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct{ flags, says string }{
		{"--mix none", "mix none mixes no images in (pixmix and ipmix do)"},
		{"--mixset-every 0", "mixset-every: 0 (allowed: 1 to"},
		{"--mixset-every=-2", "mixset-every: -2 (allowed: 1 to"},
		{"--mixset fractals", `mixset "fractals" is not made anew (only iterative-fvis is)`},
		{"--mixset iterative-fvis-n0", `"iterative-fvis-n0" (allowed: iterative-fvis, or iterative-fvis-nN`},
		{"--mixset iterative-fvis-none", "iterative-fvis-nN"},
		{"--crop 460", "images of side 526 for training images of 460 (allowed: up to 512"},
	} {
		o := augmix(t, exitUsage, fvisTraining(out, strings.Fields(c.flags)...)...)
		if !strings.Contains(o.err, c.says) {
			t.Errorf("%s: %q lacks %q", c.flags, o.err, c.says)
		}
	}
	o := augmix(t, exitDone, fvisTraining(out, "--mixset", "iterative-fvis", "--plan")...)
	for _, want := range []string{"mixset: iterative-fvis-n256\n", "mixset-every: 2\n"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("no %q in\n%s", want, o.out)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// TestIterativeFVisPlan: augmix run counts the time of drawing, and its sheet does without the images of the run.
func TestIterativeFVisPlan(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "both.yaml")
	write(t, path, []byte(`data: "scenes:n=24,size=16,seed=1"
model: wrn-10-1
crop: "14"
epochs: 3
mix: pixmix
methods:
  drawn: {mixset: iterative-fvis-n60000, mixset-every: 2}
  generated: {mixset: fractals}
run: {test: "scenes:n=10,size=16,seed=1,split=test", suites: [clean], methods: [drawn, generated]}
`))
	var plan []plannedStage
	o := augmix(t, exitDone, "run", path, "-o", filepath.Join(dir, "out"), "--plan", "--json")
	if err := json.Unmarshal([]byte(o.out), &plan); err != nil {
		t.Fatal(err)
	}
	took := map[string]float64{}
	for _, s := range plan {
		took[s.Stage] = s.Seconds
		if s.Stage == "sheet.png" && slices.ContainsFunc(s.Args, func(a string) bool { return strings.Contains(a, "fvis") }) {
			t.Errorf("the sheet is to be made with %q", s.Args)
		}
	}
	if drawn, generated := took["train drawn"], took["train generated"]; generated <= 0 || drawn < generated+60 {
		t.Errorf("drawing 120 000 images: about %v s, without %v s", drawn, generated)
	}
}
