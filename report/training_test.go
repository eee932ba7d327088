package report

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/results"
)

// TestTrainingOfWeights: a run is called after the options of a training while its weights are those that the numbers are of, and by how
// many epochs these had.
func TestTrainingOfWeights(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, weights string, epochs ...int) {
		t.Helper()
		var rows []results.Row
		for _, epoch := range append(epochs, 0) {
			if epoch == 0 && len(epochs) > 0 {
				break // of a training that is under way
			}
			r := results.Row{
				Model: "net", Dataset: "cifar10", Metric: results.Top1Error, Value: 0.5, N: 10, Origin: results.Measured,
				View: results.View{Epoch: epoch}, Time: time.Unix(1, 0),
			}
			if sum := sha256.Sum256([]byte(weights)); weights != "" {
				r.Versions = map[string]string{results.VersionWeights: fmt.Sprintf("sha256:%x, temperature on val", sum[:8])}
			}
			rows = append(rows, r)
		}
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := results.WriteFile(filepath.Join(dir, name, results.FileName), rows); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) *Run {
		t.Helper()
		return load(t, filepath.Join(dir, name))
	}
	put("args.yaml", "model: wrn-10-1\nmix: none\nepochs: 40\nseed: 3\n")
	write("eval", "after 40")
	const whole = "wrn-10-1, no mixing, 40 epochs, seed 3"
	if got := at("eval").Training; got != whole {
		t.Errorf("without weights there: %q", got)
	}
	put("model.safetensors", "after 40")
	put("last.safetensors", "and its state")
	if r := at("eval"); r.Training != whole || r.replaced != "" || r.settings["epochs"] != "40" {
		t.Errorf("of the weights there: %q", r.Training)
	}
	put("model.safetensors", "after 60")
	r := at("eval")
	if r.Training != "" || r.Seed != "" || r.settings != nil {
		t.Errorf("of other weights: %q", r.Training)
	}
	if text := markdown(t, build(t, r)); !strings.Contains(text, "The training of net: its numbers are of other weights than the one in "+dir+" has come to.") {
		t.Error(text)
	}
	write("", "", 1, 2)
	write("eval", "after 60")
	if r := at("eval"); r.Training != "" || r.replaced == "" {
		t.Errorf("of the end of a run that has more epochs since: %q", r.Training)
	}
	write("eval", "and its state")
	for _, name := range []string{"eval", ""} {
		if r := at(name); r.Training != "wrn-10-1, no mixing, 2 of 40 epochs, seed 3" || r.settings["epochs"] != "2" {
			t.Errorf("%q of a training that is under way: %q, %q", name, r.Training, r.settings["epochs"])
		}
	}
	write("eval", "")
	const extended = "# augmix train\n# extended after 10 steps, before which it had 2 epochs\n# extended after 90 steps, before which it had 9 epochs\n"
	put("args.yaml", extended+"model: wrn-10-1\nmix: none\nepochs: 40\nseed: 3\n")
	if r := at("eval"); r.Training != "wrn-10-1, no mixing, 40 epochs, extended from 2, 9 epochs, seed 3" || r.settings["extended-from"] != "2, 9 epochs" {
		t.Errorf("of a run that was extended: %q, %q", r.Training, r.settings["extended-from"])
	}
}
