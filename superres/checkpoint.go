package superres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
	"github.com/augmix-go/augmix/nn"
	"github.com/augmix-go/augmix/nn/weights"
)

// keyState is the metadata of a run in the file of its weights.
const keyState = "augmix.superres"

// state is where a run stands.
type state struct {
	Config  Config `json:"config"`
	Step    int    `json:"step"`
	Content string `json:"content"` // fingerprint of the images, as dataset.Set.Content
	// Together says that what is held out is a share of all images. Older versions took one of each class.
	Together bool `json:"together,omitempty"`
}

// file is what Options.File holds.
type file struct {
	state   state
	tensors []weights.Tensor
}

// lock keeps other runs off the file until release is called.
func (r *run) lock() (release func() error, err error) {
	dir, base := filepath.Split(r.options.File)
	release, err = filelock.Hold(filepath.Join(dir, "."+base+".lock"))
	switch {
	case errors.Is(err, filelock.ErrLocked):
		return nil, fmt.Errorf("%w: another process writes %s", ErrBusy, r.options.File)
	case err != nil:
		return nil, storage.CreateError(r.options.File, err)
	}
	return release, nil
}

// claim looks at the file. It returns what to resume, nil to begin.
func (r *run) claim() (last *file, err error) {
	path := r.options.File
	if r.written, err = os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		r.written = nil
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	ts, meta, err := weights.ReadFile(path)
	if last = (&file{tensors: ts}); err == nil && json.Unmarshal([]byte(meta[keyState]), &last.state) != nil {
		err = errors.New("it is of no run of this kind")
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %s, which cannot be resumed; name another file (%w)", ErrOccupied, path, err)
	case !r.options.Resume:
		return nil, fmt.Errorf("%w: %s; resume it or name another file", ErrOccupied, path)
	}
	s := &last.state
	if d := s.Config.differences(r.config); len(d) > 0 {
		return nil, fmt.Errorf("%w: %s is of another run: %s", ErrOccupied, path, strings.Join(d, ", "))
	}
	if s.Step < 0 || s.Step > r.config.Steps {
		return nil, fmt.Errorf("%w: %s is damaged: it stands at step %d of %d", ErrOccupied, path, s.Step, r.config.Steps)
	}
	return last, nil
}

// differences says where a configuration was another one, each as the command names it.
func (c Config) differences(now Config) (d []string) {
	for _, f := range []struct {
		name     string
		was, now any
	}{
		{"blocks", c.Network.Blocks, now.Network.Blocks},
		{"width", c.Network.Width, now.Network.Width},
		{"scale", c.Network.Scale, now.Network.Scale},
		{"patch", c.Patch, now.Patch},
		{"batch", c.Batch, now.Batch},
		{"steps", c.Steps, now.Steps},
		{"lr", c.LR, now.LR},
		{"halve", c.Halve, now.Halve},
		{"held", c.Held, now.Held},
		{"seed", c.Seed, now.Seed},
	} {
		if f.was != f.now {
			d = append(d, fmt.Sprintf("%s: was %v, now %v", f.name, f.was, f.now))
		}
	}
	return d
}

// restore gives network and optimizer their values.
func (r *run) restore(last *file, content string) error {
	if last == nil {
		return nil
	}
	if last.state.Content != content {
		return fmt.Errorf("%w: %s was trained on other images", ErrOccupied, r.options.File)
	}
	r.step = last.state.Step
	if err := weights.Fill(r.tensors(), last.tensors); err != nil {
		return fmt.Errorf("%s: %w", r.options.File, err)
	}
	r.net.Changed()
	return nil
}

// tensors returns what the file holds: of a run that is done, the network alone.
func (r *run) tensors() (all []weights.Tensor) {
	add := func(prefix string, ts []*nn.Tensor) {
		for _, t := range ts {
			all = append(all, weights.Tensor{Name: prefix + t.Name, Shape: t.Shape, Data: t.Data})
		}
	}
	add("", r.net.Tensors())
	if r.step < r.config.Steps {
		add(weights.PrefixOptimizer, r.opt.State())
	}
	return all
}

// save writes the file, unless another than this run has written it since.
func (r *run) save(content string) error {
	text, err := json.Marshal(state{r.config, r.step, content, !r.byClass})
	if err != nil {
		return err
	}
	path := r.options.File
	f, err := storage.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := weights.Write(f, r.tensors(), map[string]string{"format": "pt", keyState: string(text)}); err != nil {
		return fmt.Errorf("%w: %s", err, path)
	}
	// The lock binds only runs of this program, and not on every file system.
	there, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && !same(there, r.written) {
		return fmt.Errorf("%w: %s, which another program has written while this run trained", ErrOccupied, path)
	}
	if err := f.Commit(); err != nil {
		return err
	}
	r.written, err = os.Stat(path)
	return err
}

// same reports whether a file is the one that was there, nil for none, and has not been written since.
func same(now, was fs.FileInfo) bool {
	return was != nil && os.SameFile(now, was) && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime())
}
