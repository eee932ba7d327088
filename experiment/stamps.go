package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/digest"
)

// stampsVersion is the version of the form of [StagesName]. Another is not read: every stage finds out itself what is left
// to do.
const stampsVersion = 2

// stampsFile is the content of [StagesName].
type stampsFile struct {
	Version int              `json:"version"`
	Stages  map[string]stamp `json:"stages"`
}

// stamp is what is kept of a stage that is done; of one that was begun, what it read.
type stamp struct {
	Digest  string          `json:"digest"` // of the options and the inputs
	Options json.RawMessage `json:"options"`
	Data    glances         `json:"data,omitempty"` // of the data sets, and other files
	Seconds float64         `json:"seconds"`
}

// ErrStages is wrapped by the error about a damaged [StagesName].
var ErrStages = errors.New("not a record of stages")

// readStamps reads what is done.
func readStamps(path string) (map[string]stamp, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]stamp{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what is done: %w", err)
	}
	f := stampsFile{}
	if err := json.Unmarshal(b, &f); err != nil {
		return nil, fmt.Errorf("%w: %s is damaged (%w); remove it, and every stage finds out itself what is left to do",
			ErrStages, path, err)
	}
	if f.Version != stampsVersion || f.Stages == nil {
		return map[string]stamp{}, nil
	}
	return f.Stages, nil
}

func (x *Experiment) writeStamps() error {
	b, err := json.MarshalIndent(stampsFile{stampsVersion, x.stamps}, "", "  ")
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(filepath.Join(x.options.Dir, StagesName), append(b, '\n'))
}

// encode returns the options that the result of a stage depends on.
func (s *Stage) encode() (json.RawMessage, error) {
	switch {
	case s.Train != nil:
		return json.Marshal(s.Train)
	case s.Eval != nil:
		return json.Marshal(s.Eval)
	case s.Sheet != nil:
		return json.Marshal(s.Sheet)
	}
	return json.Marshal(s.Report)
}

// stamp returns what a stage depends on. It fails where an input is not there yet.
func (s *Stage) stamp() (stamp, error) {
	options, err := s.encode()
	if err != nil {
		return stamp{}, err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", s.Name, options)
	for _, path := range s.inputs {
		sum, _, err := digest.File(path)
		if err != nil {
			return stamp{}, err
		}
		h.Write(sum[:])
	}
	return stamp{Digest: hex.EncodeToString(h.Sum(nil))[:32], Options: options}, nil
}

// done reports whether a stage need not be run. seen is as for reads.
func (x *Experiment) done(s *Stage, seen map[string]string) bool {
	now, err := s.stamp()
	was := x.stamps[s.Name]
	if err != nil || was.Digest != now.Digest || len(was.Data.differ(s.reads(seen))) > 0 {
		return false
	}
	for _, path := range s.outputs {
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}

// StageError is the error of a stage.
type StageError struct {
	Stage string
	Err   error
}

// Error names the stage.
func (e *StageError) Error() string { return fmt.Sprintf("stage %q: %v", e.Stage, e.Err) }

// Unwrap returns the error of the stage.
func (e *StageError) Unwrap() error { return e.Err }

// Run runs the stages that are left. A stage whose options, inputs and data are those of the last time is not run again; one
// that was stopped resumes from its last checkpoint or measurement. One whose data sets hold other files than when it was begun,
// or whose model, weights, classes, mixing sets and the like are others, is done anew, and what it had made is kept under another
// name, see Stage.Kept. A training whose options are others is refused, see [train.ErrOccupied]. The error of a stage is a
// [*StageError] that wraps it, or the cause of ctx when that was canceled: another Run resumes there. Others are of the folder of
// the experiment or of [StagesName], which could not be written.
func (x *Experiment) Run(ctx context.Context) error {
	seen := map[string]string{}
	if err := x.checkFiles(seen); err != nil {
		return err
	}
	if err := os.MkdirAll(x.options.Dir, 0o777); err != nil {
		return err
	}
	err := data.RemoveTemporaries(x.options.Dir, func(name string) bool { return name == StagesName }) // of a killed Run
	if err != nil {
		return err
	}
	for i := range x.Stages {
		s := &x.Stages[i]
		if x.done(s, seen) {
			continue
		}
		reads := s.reads(seen)
		if err := x.renew(s, reads); err != nil {
			return &StageError{s.Name, err}
		}
		if i+1 < len(x.Stages) && x.Stages[i+1].joins { // which may have lost its rows
			delete(x.stamps, x.Stages[i+1].Name)
		}
		if x.options.Before != nil {
			x.options.Before(s)
		}
		start := time.Now()
		if err := s.run(ctx); err != nil {
			return &StageError{s.Name, err}
		}
		now, err := s.stamp()
		if err != nil {
			return &StageError{s.Name, err}
		}
		now.Data, now.Seconds = reads, time.Since(start).Seconds()
		x.stamps[s.Name] = now
		if err := x.writeStamps(); err != nil {
			return err
		}
	}
	return nil
}

// renew sets aside what a stage has made of other files than there are now, and keeps which it is now begun with.
func (x *Experiment) renew(s *Stage, now glances) error {
	was := x.stamps[s.Name]
	if len(was.Data.differ(now)) > 0 {
		if !s.joins { // else the stage before it has done so, and made it anew
			if err := s.setAside(); err != nil {
				return err
			}
		}
		was = stamp{} // it is not done
	}
	was.Data = now
	x.stamps[s.Name] = was
	return x.writeStamps()
}
