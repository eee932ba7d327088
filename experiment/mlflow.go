package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"github.com/augmix-go/augmix/internal/mlflow"
	"github.com/augmix-go/augmix/train"
)

// mlflowExperiment is the experiment that runs appear under.
const mlflowExperiment = "augmix"

// mlflowRun is a training run as MLflow's file store shows it. The zero value records nothing.
type mlflowRun struct {
	run *mlflow.Run
	err error // the first that a call of an event met
}

// openMLflow begins a run in the store and records the configuration, one parameter a key.
func openMLflow(store, name, version string, c *train.Config) (*mlflowRun, error) {
	if store == "" {
		return &mlflowRun{}, nil
	}
	run, err := mlflow.Create(store, mlflowExperiment, name, time.Now())
	if err != nil {
		return nil, fmt.Errorf("MLflow's store %s: %w", store, err)
	}
	m := &mlflowRun{run: run}
	for key, p := range c.Fields() {
		m.keep(run.Param(key, fmt.Sprint(reflect.ValueOf(p).Elem())))
	}
	m.keep(run.Tag("augmix.version", version))
	return m, m.err
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
func (m *mlflowRun) end(ctx context.Context, dir string, failed error) error {
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
	if abs, err := filepath.Abs(dir); err == nil {
		m.keep(m.run.Tag("augmix.run", abs))
	}
	m.keep(m.run.End(status, time.Now()))
	if m.err != nil {
		return fmt.Errorf("recording in MLflow's store: %w", m.err)
	}
	return nil
}
