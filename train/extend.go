package train

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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

// moved takes another path of the training set of the same name, as another machine or working folder has it. Whether it holds the same
// is told by its samples and their bytes, see restore; a checkpoint of an earlier version has no digest of these.
func (c *Checkpoint) moved(path string) {
	if c.state.Content != "" && filepath.Base(c.Config.Data) == filepath.Base(path) {
		if c.Config.Data != path {
			c.from = c.Config.Data
		}
		c.Config.Data = path
	}
}

// agree compares a checkpoint with what the run is now to be, and extends it where that is allowed.
func (r *runner) agree(last *Checkpoint) error {
	last.moved(r.config.Data)
	was, now := last.Config.Epochs, r.config.Epochs
	if r.options.Extend && now > was {
		last.extend(now)
	}
	differ := Differences(&last.Config, &r.config)
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

// extended reports whether this part of the run has more epochs than the one that wrote the checkpoint.
func (r *runner) extended(last *Checkpoint) bool {
	return last != nil && len(r.state.Extended) > last.extensions
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
