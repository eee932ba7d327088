package studio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	recipes "github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// trainingRun writes a run that has done some epochs of c, 20 seconds each, the last of them at end.
func trainingRun(t *testing.T, dir string, c train.Config, done int, end time.Time) {
	t.Helper()
	var text strings.Builder
	for e := 1; e <= done; e++ {
		fmt.Fprintf(&text, `{"v":2,"model":"m","dataset":"scenes","epoch":%d,"metric":"train_loss","value":1,"n":10,"seed":1,"time":%q,"origin":"measured"}`+"\n",
			e, end.Add(time.Duration(e-done)*20*time.Second).Format(time.RFC3339Nano))
	}
	put(t, filepath.Join(dir, rowsName), []byte(text.String()))
	args, err := recipes.Marshal(&c)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "args.yaml"), args)
}

// The batch that is shown is the one that training is given.
func TestBatch(t *testing.T) {
	c := train.Default()
	c.Data, c.Model, c.Epochs, c.Batch, c.Crop, c.Seed = "scenes:n=50,size=32,seed=3,split=train", "wrn-10-1", 4, 8, "pad2:32", 9
	dir := t.TempDir()
	plain, views, mixed, gone, network := c, c, c, c, c
	plain.Mix = "pixmix-k4-b3"
	plain.Mixset = "fractals-n40"
	views.Mix, views.JSD = "augmix-m3-w3-d-1", true
	mixed.Mix = "cutmix-a1-p1"
	gone.Data = filepath.Join(dir, "not there")
	network.Mix, network.StyleWeights = "style", "x.npz"
	for name, c := range map[string]train.Config{"a": plain, "b": views, "c": mixed, "d": gone, "e": network} {
		trainingRun(t, filepath.Join(dir, name), c, 2, time.Now().Add(-time.Hour))
	}
	rows(t, filepath.Join(dir, "f"), "no training")
	_, do := serve(t, Options{Data: small, Runs: []string{dir}})
	get := func(query string) (b trainingBatch) {
		t.Helper()
		w := do("GET", "api/batch?"+query, nil, nil)
		if err := json.Unmarshal(w.Body.Bytes(), &b); err != nil {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		return b
	}
	for query, want := range map[string][6]int{ // epoch, step, steps, samples of the batch, tiles, views
		"runs=0":                {2, 6, 7, 8, 8, 1}, // a run that has ended: its last whole batch
		"runs=0&epoch=1&step=7": {1, 7, 7, 2, 2, 1},
		"runs=1&epoch=3&step=1": {3, 1, 7, 8, 8, 3},
		"runs=2&epoch=1&step=2": {1, 2, 7, 8, 8, 1},
	} {
		b := get(query)
		if got := [6]int{b.Epoch, b.Step, b.Steps, b.N, len(b.Samples), len(b.Samples[0].Views)}; got != want {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if b := get("runs=2&epoch=1&step=2"); len(b.Samples[0].Label)+len(b.Samples[1].Label)+len(b.Samples[2].Label) < 4 {
		t.Errorf("labels are not mixed: %+v", b.Samples[0].Label)
	}
	src, err := formats.Open(c.Data, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	set, err := mixset.Open(t.Context(), plain.Mixset, mixset.Options{Size: 32})
	if err != nil {
		t.Fatal(err)
	}
	p, err := train.NewPreview(t.Context(), plain, train.Options{Train: src, MixingSet: mix.MixingSet(set)}, 1, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range get("runs=0&epoch=2&step=4").Samples {
		if file, err := pngOf(p.Samples[i].Views[0]); err != nil || !bytes.Equal(file, s.Views[0]) || s.Key != p.Samples[i].Key {
			t.Errorf("sample %d is another image", i)
		}
	}
	for query, want := range map[string]string{
		"runs=3": "the training data " + gone.Data, "runs=4": "runs a network", "runs=5": "no rows of a training", "runs=6": "one run", "": "one run",
		"runs=0,1": "one run", "runs=0&epoch=5&step=1": "epoch 5, step 1, counted from 1 (allowed: 1 to 4, 1 to 7)", "runs=0&epoch=1&step=8": "step 8", "runs=0&epoch=0&step=1": "epoch 0",
	} {
		if w := do("GET", "api/batch?"+query, nil, nil); w.Code/100 != 4 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// A training that runs is at the step that the clock says.
func TestMoment(t *testing.T) {
	c, now := train.Config{Epochs: 10, Batch: 10, ValFraction: 0.2}, time.Now()
	for seconds, want := range map[int]moment{0: {4, 0}, 5: {4, 2}, 19: {4, 7}, 25: {4, 7}} {
		r := &training{Epoch: 4, Epochs: 10}
		r.time([]time.Time{now.Add(time.Duration(-20-seconds) * time.Second), now.Add(time.Duration(-seconds) * time.Second)}, now)
		if got := r.moment(100, &c, now); got != want {
			t.Errorf("after %d of 20 seconds: %v, want %v", seconds, got, want)
		}
	}
	if got := (&training{Epoch: 10, Epochs: 10}).moment(100, &c, now); got != (moment{9, 7}) {
		t.Errorf("at the end: %v", got)
	}
}
