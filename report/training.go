package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/results"
)

// The weights of a training in its folder: those of its end, the best ones, and the ones so far.
const (
	modelName = "model.safetensors"
	bestName  = "best.safetensors"
	lastName  = "last.safetensors"
)

// readTraining finds out what a run's model is from the options of its training: those of the run, or of the folder that "augmix run" made
// its evaluation in. The files are this program's own, a line for each option; what is not there is left out.
func (r *Run) readTraining(dir string) {
	if r.settings = trainingSettings(r.Args); r.settings != nil {
		r.sayTraining(topLevel(r.Args), dir)
		return
	}
	abs, err := filepath.Abs(dir)
	if err != nil || filepath.Base(abs) != evalDir {
		return
	}
	parent := filepath.Dir(abs)
	text, err := storage.ReadFile(filepath.Join(parent, argsName), maxArgs)
	if err != nil {
		return // the report is whole without it
	}
	args := strings.ToValidUTF8(string(text), "\ufffd")
	if r.settings = trainingSettings(args); r.settings != nil {
		r.sayTraining(topLevel(args), parent)
	}
}

// sayTraining says what the training in a folder was, unless the run's numbers are of other weights than those that it has come to: the
// options are then those of a later training, or of more epochs.
func (r *Run) sayTraining(opt map[string]string, dir string) {
	file, known := r.weightsIn(dir)
	done := r.epochsDone(dir, file)
	all := strconv.Itoa(done) == opt["epochs"] || done == 0
	if known && file == "" || file == modelName && !all {
		r.settings, r.replaced = nil, dir
		return
	}
	epochs := plural(opt["epochs"], "epoch")
	if !all {
		r.settings["epochs"], epochs = strconv.Itoa(done), fmt.Sprintf("%d of %s", done, epochs)
	}
	if from := r.settings["extended-from"]; from != "" {
		epochs += ", extended from " + from
	}
	mix := opt["mix"]
	if mix == "" || mix == "none" {
		mix = "no mixing"
	}
	if opt["jsd"] == "true" {
		mix += " with the consistency loss"
	}
	parts := []string{opt["model"], mix, epochs}
	if r.Seed = opt["seed"]; r.Seed != "" {
		parts = append(parts, "seed "+r.Seed)
	}
	r.Training = strings.Join(parts, ", ")
}

// weightsIn returns which file of weights in a folder the run's numbers are of, "" for none of them. It is not known where rows do not say
// their weights, or no weights are there.
func (r *Run) weightsIn(dir string) (name string, known bool) {
	i := slices.IndexFunc(r.Rows, func(l results.Located) bool {
		return l.Origin == results.Measured && l.Versions[results.VersionWeights] != ""
	})
	if i < 0 {
		return "", false
	}
	want, _, _ := strings.Cut(r.Rows[i].Versions[results.VersionWeights], ", ")
	for _, name := range []string{modelName, bestName, lastName} {
		sum, _, err := digest.File(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", false
		}
		if known = true; sum.Short() == want {
			return name, true
		}
	}
	return "", known
}

// epochsDone counts the epochs that a training has done, of which the run's numbers or its own rows are; 0 where it is not known.
func (r *Run) epochsDone(dir, file string) int {
	rows := r.Rows
	if file != "" {
		var err error
		if rows, err = results.ReadFile(filepath.Join(dir, results.FileName)); err != nil {
			return 0
		}
	}
	done := 0
	for i := range rows {
		done = max(done, rows[i].Epoch)
	}
	return done
}
