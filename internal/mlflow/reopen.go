package mlflow

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var isID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Reopen opens the run of an id. The error wraps [fs.ErrNotExist] where the store has no such run, or where it was deleted.
func Reopen(root, id string) (*Run, error) {
	gone := fmt.Errorf("mlflow: run %.32q in %s: %w", id, root, fs.ErrNotExist)
	if !isID.MatchString(id) {
		return nil, gone
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, wrap(err)
	}
	experiments, err := os.ReadDir(root)
	if err != nil {
		return nil, wrap(err)
	}
	for _, e := range experiments {
		r := &Run{id: id, dir: filepath.Join(root, e.Name(), id)}
		if r.meta, err = readMeta(filepath.Join(r.dir, "meta.yaml")); err != nil {
			continue
		}
		if field(r.meta, "lifecycle_stage") == "deleted" {
			return nil, gone
		}
		return r, nil
	}
	return nil, gone
}

// Status returns how the run is, 0 where its meta.yaml does not say.
func (r *Run) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, _ := strconv.Atoi(field(r.meta, "status"))
	return Status(s)
}

// Continue makes a run that was opened again one that has not ended. Points of metrics after a step are removed: a part of the run that
// was killed had recorded them and not kept what they are of.
func (r *Run) Continue(step int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.state(Running, time.Time{}); err != nil {
		return err
	}
	return wrap(filepath.WalkDir(filepath.Join(r.dir, "metrics"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if kept := upTo(string(text), step); kept != string(text) {
			return writeFile(path, kept)
		}
		return nil
	}))
}

// upTo returns the lines whose step, which is their last word, is at most step.
func upTo(points string, step int64) string {
	var b strings.Builder
	for line := range strings.Lines(points) {
		words := strings.Fields(line)
		if len(words) < 3 || !strings.HasSuffix(line, "\n") {
			continue // cut off when the machine stopped
		}
		if at, err := strconv.ParseInt(words[2], 10, 64); err == nil && at <= step {
			b.WriteString(line)
		}
	}
	return b.String()
}
