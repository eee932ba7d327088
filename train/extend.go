package train

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

// Extension is one time that a run was given more epochs than it began with.
type Extension struct {
	From int `json:"from"` // epochs that the run had
	At   int `json:"at"`   // steps done at that moment
}

// extend makes a checkpoint one of a run with more epochs. The learning rate of the steps that are left is that of a run
// which has had so many epochs from its beginning: with schedule constant, and with step, whose milestones stay, the
// weights at the end are that run's too. With cosine they are not: the rate rises to where the longer curve stands, and
// the steps done keep the shorter one's. Extended remembers that.
func (c *Checkpoint) extend(epochs int) {
	c.state.Extended = append(c.state.Extended, Extension{From: c.Config.Epochs, At: c.state.Steps})
	c.Config.Epochs = epochs
}

// namedPath is a path in a configuration, by its key.
type namedPath struct {
	key  string
	path *string
}

// movable are the paths of what a checkpoint has fingerprints of, see knowsMoved.
func (c *Config) movable() []namedPath {
	return []namedPath{
		{"data", &c.Data},
		{"labels", &c.Labels},
		{"classes", &c.Classes},
		{"val", &c.Val},
		{"val-labels", &c.ValLabels},
		{"outliers", &c.Outliers},
		{"mixset", &c.Mixset},
		{"style-weights", &c.StyleWeights},
		{"network", &c.Network},
	}
}

// moved takes other paths of the same name for what a run reads, as another machine or working folder has them, or another spelling.
// Whether they hold the same is told by fingerprints, see restore.
func (c *Checkpoint) moved(now *Config) {
	c.from = map[string]string{}
	paths := now.movable()
	for i, was := range c.Config.movable() {
		path := *paths[i].path
		if *was.path != path && *was.path != "" && path != "" && filepath.Base(*was.path) == filepath.Base(path) {
			c.from[was.key], *was.path = *was.path, path
		}
	}
}

// agree compares a checkpoint with what the run is now to be, and extends it where that is allowed.
func (r *runner) agree(last *Checkpoint) error {
	last.moved(&r.config)
	was, now := last.Config.Epochs, r.config.Epochs
	if r.options.Extend && now > was {
		last.extend(now)
	}
	differ := Differences(&last.Config, &r.config)
	called, err := r.called()
	if err != nil {
		return err
	}
	if name := r.options.Name; bothKnown(called, name) && called != name {
		differ = append(differ, fmt.Sprintf("name was %s, now %s", called, name))
	}
	r.options.Name = cmp.Or(called, r.options.Name)
	if len(differ) == 0 {
		return nil
	}
	hint := ""
	if r.options.Extend {
		hint = " (only epochs can be changed, and only upwards)"
	}
	return fmt.Errorf("%w: the run in %s was configured otherwise: %s%s", ErrOccupied, r.options.Dir,
		strings.Join(differ, ", "), hint)
}

// called is what the rows of the run's epochs call its model, whatever its folder was called then; "" where there are none yet.
func (r *runner) called() (string, error) {
	rows, err := results.ReadFile(filepath.Join(r.options.Dir, ResultsName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for i := range slices.Backward(rows) {
		if rows[i].Epoch > 0 {
			return rows[i].Model, nil
		}
	}
	return "", err
}

// extended reports whether this part of the run has more epochs than the one that wrote the checkpoint.
func (r *runner) extended(last *Checkpoint) bool {
	return last != nil && len(r.state.Extended) > last.extensions
}

// Outdated says in words why a file is not what its run has come to: the weights after the last epoch of a run that was given more epochs
// since and has not done all of them. It is "" for any other file.
func Outdated(path string) string {
	if filepath.Base(path) != ModelName {
		return ""
	}
	last := filepath.Join(filepath.Dir(path), LastName)
	meta, err := weights.ReadMetadata(last)
	if err != nil { // the file alone was kept
		return ""
	}
	c, err := parseCheckpoint(last, meta)
	if err != nil || c.state.Epoch >= c.Config.Epochs { // of a run without an end there is no such file
		return ""
	}
	return fmt.Sprintf("the run was given more epochs since, of which %d of %d are done; %s has their weights", c.state.Epoch, c.Config.Epochs, last)
}

// reopen opens the rows of a run's folder, without those that drop names, and returns the others. The caller has the folder to itself.
func reopen(rows *results.Appender, dir string, drop func(*results.Row) bool) (*results.Appender, []results.Located, error) {
	path := filepath.Join(dir, ResultsName)
	located, err := results.ReadFile(path)
	if err := errors.Join(err, rows.Close()); err != nil {
		return nil, nil, err
	}
	located = slices.DeleteFunc(located, func(r results.Located) bool { return drop(&r.Row) })
	if err := results.WriteFile(path, results.Rows(located)); err != nil {
		return nil, nil, err
	}
	rows, err = results.OpenAppend(path)
	return rows, located, err
}
