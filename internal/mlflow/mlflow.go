// Package mlflow writes runs into MLflow's file store: the folder mlruns that "mlflow ui" shows. A run is a folder of
// small text files:
//
//	mlruns/EXPERIMENT/meta.yaml
//	mlruns/EXPERIMENT/RUN/meta.yaml        times, status, name
//	mlruns/EXPERIMENT/RUN/params/NAME      the value
//	mlruns/EXPERIMENT/RUN/tags/NAME        the value
//	mlruns/EXPERIMENT/RUN/metrics/NAME     a line a point: time in milliseconds, value, step
//	mlruns/EXPERIMENT/RUN/artifacts/       anything
//
// EXPERIMENT is a number, and RUN 32 hexadecimal digits.
package mlflow

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrName: a name of a metric, parameter or tag that MLflow does not take, or a text that its files cannot hold.
var ErrName = errors.New("mlflow: bad name")

// Status is how a run ended.
type Status int

// The statuses, by MLflow's numbers.
const (
	Running  Status = 1
	Finished Status = 3
	Failed   Status = 4
	Killed   Status = 5
)

// Run is a run in the store. It is safe for concurrent use.
type Run struct {
	mu   sync.Mutex
	dir  string
	id   string
	meta string // the text of meta.yaml
}

// Create begins a run in the store at root, a folder usually called mlruns, in the experiment of a name, which is made
// if it is not there.
func Create(root, experiment, name string, start time.Time) (*Run, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("mlflow: %w", err)
	}
	if err := checkText(experiment, name); err != nil {
		return nil, err
	}
	dir, err := findExperiment(root, experiment, start)
	if err != nil {
		return nil, fmt.Errorf("mlflow: %w", err)
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	r := &Run{id: hex.EncodeToString(id[:])}
	r.dir = filepath.Join(dir, r.id)
	r.meta = yaml(
		"artifact_uri", quote(fileURL(r.Artifacts())), "end_time", "null", "entry_point_name", "''",
		"experiment_id", quote(filepath.Base(dir)), "lifecycle_stage", "active", "run_id", r.id, "run_name", quote(name),
		"run_uuid", r.id, "source_name", "''", "source_type", "4", "source_version", "''", "start_time", millis(start),
		"status", "1", "tags", "[]", "user_id", "''")
	for _, sub := range []string{"metrics", "params", "tags", "artifacts"} {
		if err := os.MkdirAll(filepath.Join(r.dir, sub), 0o777); err != nil {
			return nil, fmt.Errorf("mlflow: %w", err)
		}
	}
	if err := r.state(Running, time.Time{}); err != nil {
		return nil, err
	}
	return r, r.Tag("mlflow.runName", name)
}

// findExperiment returns the folder of an experiment.
func findExperiment(root, name string, now time.Time) (string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, e := range entries {
		text, err := readMeta(filepath.Join(root, e.Name(), "meta.yaml"))
		if err == nil && field(text, "name") == name {
			return filepath.Join(root, e.Name()), nil
		}
	}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return "", err
	}
	for id := 0; ; id++ {
		dir := filepath.Join(root, strconv.Itoa(id))
		err := os.Mkdir(dir, 0o777)
		if errors.Is(err, os.ErrExist) {
			continue // another process may have made it
		}
		if err != nil {
			return "", err
		}
		return dir, writeFile(filepath.Join(dir, "meta.yaml"), yaml(
			"artifact_location", quote(fileURL(dir)), "creation_time", millis(now), "experiment_id", quote(strconv.Itoa(id)),
			"last_update_time", millis(now), "lifecycle_stage", "active", "name", quote(name)))
	}
}

// state writes into meta.yaml how the run is, and when it ended. Its other lines may be those of whoever gave the run another name.
func (r *Run) state(s Status, end time.Time) error {
	ended := "null"
	if !end.IsZero() {
		ended = millis(end)
	}
	r.meta = setField(setField(r.meta, "status", strconv.Itoa(int(s))), "end_time", ended)
	return wrap(writeFile(filepath.Join(r.dir, "meta.yaml"), r.meta))
}

// ID returns the run's 32 digits, Dir its folder, and Artifacts the folder for files of its own.
func (r *Run) ID() string { return r.id }

// Dir returns the run's folder.
func (r *Run) Dir() string { return r.dir }

// Artifacts returns the folder for the run's own files.
func (r *Run) Artifacts() string { return filepath.Join(r.dir, "artifacts") }

// Param records an option. MLflow wants it only once.
func (r *Run) Param(name, value string) error { return r.text("params", name, value) }

// Tag records a tag.
func (r *Run) Tag(name, value string) error { return r.text("tags", name, value) }

func (r *Run) text(kind, name, value string) error {
	path, err := r.path(kind, name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return wrap(writeFile(path, value))
}

// Metric adds a point to a metric. A NaN and infinities are written as MLflow reads them.
func (r *Run) Metric(name string, step int64, value float64, at time.Time) error {
	path, err := r.path("metrics", name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return wrap(err)
	}
	_, err = fmt.Fprintf(f, "%s %s %d\n", millis(at), float(value), step)
	return wrap(errors.Join(err, f.Close()))
}

func float(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// End writes how and when the run ended.
func (r *Run) End(s Status, at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state(s, at)
}

// allowed are MLflow's rules for names, which become files: a slash makes a folder.
var allowed = regexp.MustCompile(`^[-\w. :]+(/[-\w. :]+)*$`)

func (r *Run) path(kind, name string) (string, error) {
	if !allowed.MatchString(name) || len(name) > 250 || name != pathClean(name) {
		return "", fmt.Errorf("%w: %.80q (allowed: letters, digits, - _ . space : and single slashes, 250 at most)", ErrName,
			name)
	}
	path := filepath.Join(r.dir, kind, filepath.FromSlash(name))
	return path, wrap(os.MkdirAll(filepath.Dir(path), 0o777))
}

// pathClean returns a name without "." and ".." as parts, which are refused.
func pathClean(name string) string {
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if p == "." || p == ".." {
			return ""
		}
	}
	return name
}

func checkText(texts ...string) error {
	for _, t := range texts {
		if t == "" || strings.ContainsFunc(t, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd }) {
			return fmt.Errorf("%w: %.80q (allowed: text of one line, not empty)", ErrName, t)
		}
	}
	return nil
}

func wrap(err error) error {
	if err != nil {
		return fmt.Errorf("mlflow: %w", err)
	}
	return nil
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

func fileURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// writeFile writes a small file whole.
func writeFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
