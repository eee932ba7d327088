package superres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

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

// claim looks at the file. It returns what to resume, nil to begin.
func (r *run) claim() (*file, error) {
	path := r.options.File
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if !r.options.Resume {
		return nil, fmt.Errorf("%w: %s; resume it or name another file", ErrOccupied, path)
	}
	ts, meta, err := weights.ReadFile(path)
	if err != nil {
		return nil, err
	}
	last := &file{tensors: ts}
	if err := json.Unmarshal([]byte(meta[keyState]), &last.state); err != nil {
		return nil, fmt.Errorf("%w: %s is of no run of this kind", ErrOccupied, path)
	}
	if s := &last.state; s.Config != r.config || s.Step < 0 || s.Step > r.config.Steps {
		return nil, fmt.Errorf("%w: %s is of another run: %+v at step %d, now %+v", ErrOccupied, path, s.Config, s.Step, r.config)
	}
	return last, nil
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

func (r *run) save(content string) error {
	text, err := json.Marshal(state{r.config, r.step, content, !r.byClass})
	if err != nil {
		return err
	}
	return weights.WriteFile(r.options.File, r.tensors(), map[string]string{"format": "pt", keyState: string(text)})
}
