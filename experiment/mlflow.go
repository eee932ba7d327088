package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/mlflow"
	"github.com/augmix-go/augmix/train"
)

// mlflowExperiment is the experiment that runs appear under.
const mlflowExperiment = "augmix"

// mlflowFile is the file in the folder of a training run that holds the id of its run in MLflow's store.
const mlflowFile = "mlflow.run"

// mlflowRun is a training run as MLflow's file store shows it. The zero value records nothing.
type mlflowRun struct {
	store, dir string // empty: there is no store
	resume     bool
	say        func(format string, args ...any)

	run *mlflow.Run // nil before begin, and where there is nothing left to train
	err error       // the first that a call of an event met
}

// begin opens the run in the store, or goes on with that of the earlier part of the training, and records the configuration, one
// parameter a key. epoch is how many epochs are done; where left says that none is to come, there is no run but one that was killed
// at its end.
func (m *mlflowRun) begin(name, version string, c *train.Config, epoch int) error {
	if m.store == "" {
		return nil
	}
	left := epoch < c.Epochs
	run, err := m.earlier()
	switch {
	case err != nil:
	case run == nil && left:
		run, err = m.create(name)
	case run != nil && !left && run.Status() == mlflow.Finished:
		return nil
	case run != nil:
		err = run.Continue(int64(epoch))
	}
	if err != nil {
		return fmt.Errorf("MLflow's store %s: %w", m.store, err)
	}
	if m.run = run; run == nil || !left {
		return nil
	}
	for key, p := range c.Fields() {
		m.keep(run.Param(key, fmt.Sprint(reflect.ValueOf(p).Elem())))
	}
	m.keep(run.Tag("augmix.version", version))
	return m.err
}

// earlier returns the run of an earlier part of the training, nil where there is none.
func (m *mlflowRun) earlier() (*mlflow.Run, error) {
	if !m.resume {
		return nil, nil
	}
	text, err := data.ReadFile(nil, filepath.Join(m.dir, mlflowFile), 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it was not recorded
	}
	if err != nil {
		return nil, err
	}
	id := strings.TrimSpace(string(text))
	run, err := mlflow.Reopen(m.store, id)
	if errors.Is(err, fs.ErrNotExist) {
		logf(m.say, "MLflow's store %s has no run %.32s, or it was deleted there: what is left is a run of its own", m.store, id)
		return nil, nil
	}
	return run, err
}

// create makes a run and keeps its id.
func (m *mlflowRun) create(name string) (*mlflow.Run, error) {
	run, err := mlflow.Create(m.store, mlflowExperiment, name, time.Now())
	if err != nil {
		return nil, err
	}
	return run, data.WriteFileAtomic(filepath.Join(m.dir, mlflowFile), []byte(run.ID()+"\n"))
}

func (m *mlflowRun) keep(err error) {
	if m.err == nil {
		m.err = err
	}
}

// epoch records the numbers of an epoch.
func (m *mlflowRun) epoch(e *train.Epoch) {
	if m.run == nil {
		return
	}
	now, step := time.Now(), int64(e.Epoch)
	m.keep(m.run.Metric("train_loss", step, e.TrainLoss, now))
	m.keep(m.run.Metric("train_error", step, e.TrainError, now))
	m.keep(m.run.Metric("lr", step, e.LR, now))
	if e.Validated {
		m.keep(m.run.Metric("loss", step, e.Loss, now))
		m.keep(m.run.Metric("error", step, e.Error, now))
	}
}

// end records how the run ended, with its folder as a tag, and returns the first error of recording.
func (m *mlflowRun) end(ctx context.Context, failed error) error {
	if m.run == nil {
		return nil
	}
	status := mlflow.Finished
	switch {
	case failed != nil && ctx.Err() != nil:
		status = mlflow.Killed
	case failed != nil:
		status = mlflow.Failed
	}
	if abs, err := filepath.Abs(m.dir); err == nil {
		m.keep(m.run.Tag("augmix.run", abs))
	}
	m.keep(m.run.End(status, time.Now()))
	if m.err != nil {
		return fmt.Errorf("recording in MLflow's store: %w", m.err)
	}
	return nil
}
