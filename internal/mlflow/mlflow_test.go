package mlflow

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// yamlOf reads "name: value" lines, which is all that the store's files have.
func yamlOf(t *testing.T, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || out[name] != "" {
			t.Fatalf("line %q", line)
		}
		out[name] = value
	}
	return out
}

func TestRun(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ml runs")
	start := time.UnixMilli(1_700_000_000_123)
	r, err := Create(root, "CIFAR-10's", "augmix: first", start)
	must(t, err)
	must(t, r.Param("batch", "128"), r.Tag("commit", "abc"), r.Metric("epoch/error", 1, 0.25, start.Add(time.Second)),
		r.Metric("epoch/error", 2, 0.125, start.Add(2*time.Second)), r.Metric("loss", 1, math.NaN(), start),
		r.Metric("loss", 2, math.Inf(-1), start))
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(r.ID()) || r.Dir() != filepath.Join(root, "0", r.ID()) {
		t.Errorf("run %s in %s", r.ID(), r.Dir())
	}
	m := yamlOf(t, read(t, r.Dir(), "meta.yaml"))
	for name, want := range map[string]string{
		"run_id": r.ID(), "run_uuid": r.ID(), "experiment_id": "'0'", "status": "1", "end_time": "null",
		"start_time": "1700000000123", "run_name": "'augmix: first'", "lifecycle_stage": "active",
	} {
		if m[name] != want {
			t.Errorf("meta.yaml: %s is %q, want %q", name, m[name], want)
		}
	}
	if !strings.HasPrefix(m["artifact_uri"], "'file:///") || !strings.Contains(m["artifact_uri"], "ml%20runs") {
		t.Error(m["artifact_uri"])
	}
	if e := yamlOf(t, read(t, root, "0", "meta.yaml")); e["name"] != "'CIFAR-10''s'" || e["experiment_id"] != "'0'" {
		t.Error(e)
	}
	if got := read(t, r.Dir(), "metrics", "epoch", "error"); got != "1700000001123 0.25 1\n1700000002123 0.125 2\n" {
		t.Errorf("points %q", got)
	}
	if got := read(t, r.Dir(), "metrics", "loss"); got != "1700000000123 nan 1\n1700000000123 -inf 2\n" {
		t.Errorf("points %q", got)
	}
	if read(t, r.Dir(), "params", "batch") != "128" || read(t, r.Dir(), "tags", "mlflow.runName") != "augmix: first" {
		t.Error("params or tags")
	}
	must(t, r.End(Finished, start.Add(time.Hour)))
	if m := yamlOf(t, read(t, r.Dir(), "meta.yaml")); m["status"] != "3" || m["end_time"] != "1700003600123" {
		t.Error(m)
	}
	if st, err := os.Stat(r.Artifacts()); err != nil || !st.IsDir() {
		t.Error(err)
	}

	// A second run of the experiment, and another experiment.
	again, err := Create(root, "CIFAR-10's", "second", start)
	must(t, err)
	other, err := Create(root, "ImageNet", "third", start)
	must(t, err)
	if filepath.Dir(again.Dir()) != filepath.Join(root, "0") || filepath.Dir(other.Dir()) != filepath.Join(root, "1") {
		t.Error(again.Dir(), other.Dir())
	}
}

// TestExperimentName: an experiment is found by its name as MLflow writes it, and as this package does.
func TestExperimentName(t *testing.T) {
	for name, written := range map[string][]string{
		"augmix": {"augmix", "'augmix'", `"augmix"`, "augmix # mine"}, "it's": {"it's", "'it''s'", `"it's"`}, "7": {"'7'"},
		"a: b": {"'a: b'", `"a: b"`},
	} {
		for _, value := range written {
			root := t.TempDir()
			dir := filepath.Join(root, "417283")
			must(t, os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "meta.yaml"),
				[]byte("artifact_location: x\nexperiment_id: '417283'\nlifecycle_stage: active\nname: "+value+"\n"), 0o666))
			r, err := Create(root, name, "run", time.Now())
			must(t, err)
			if filepath.Dir(r.Dir()) != dir {
				t.Errorf("name: %s is not %q", value, name)
			}
		}
	}
}

// TestReopen: a run that ended goes on under its id, without the points that its next part records again, and keeps the name that
// somebody gave it. One that is not there or was deleted is said.
func TestReopen(t *testing.T) {
	root, at := t.TempDir(), time.UnixMilli(1_700_000_000_000)
	r, err := Create(root, "e", "r", at)
	must(t, err)
	for step := range int64(4) {
		must(t, r.Metric("epoch/error", step, 0.5, at))
	}
	must(t, r.End(Killed, at))
	meta := filepath.Join(r.Dir(), "meta.yaml")
	must(t, os.WriteFile(meta, []byte(strings.Replace(read(t, meta), "run_name: 'r'", "run_name: mine", 1)), 0o666))
	again, err := Reopen(root, r.ID())
	must(t, err)
	if again.Status() != Killed {
		t.Errorf("status %d", again.Status())
	}
	must(t, again.Continue(1))
	m := yamlOf(t, read(t, meta))
	if m["status"] != "1" || m["end_time"] != "null" || m["run_name"] != "mine" || m["start_time"] != "1700000000000" || again.Dir() != r.Dir() {
		t.Errorf("%v in %s", m, again.Dir())
	}
	must(t, again.Metric("epoch/error", 2, 0.25, at), again.End(Finished, at))
	if got := read(t, r.Dir(), "metrics", "epoch", "error"); got != "1700000000000 0.5 0\n1700000000000 0.5 1\n1700000000000 0.25 2\n" {
		t.Errorf("points %q", got)
	}
	if m := yamlOf(t, read(t, meta)); m["status"] != "3" || m["end_time"] != "1700000000000" {
		t.Error(m)
	}
	must(t, os.WriteFile(meta, []byte(strings.Replace(read(t, meta), "stage: active", "stage: deleted", 1)), 0o666))
	for _, id := range []string{r.ID(), strings.Repeat("0", 32), "../e", ""} {
		if _, err := Reopen(root, id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("run %q: %v", id, err)
		}
	}
}

func TestBadNames(t *testing.T) {
	r, err := Create(t.TempDir(), "e", "r", time.Now())
	must(t, err)
	for _, name := range []string{"", "/a", "a/", "a//b", "../a", "a/../b", ".", "a\nb", "ä", strings.Repeat("a", 251)} {
		for _, err := range []error{r.Param(name, "1"), r.Tag(name, "1"), r.Metric(name, 1, 1, time.Now())} {
			if !errors.Is(err, ErrName) {
				t.Errorf("name %.20q: %v", name, err)
			}
		}
	}
	for _, name := range []string{"", "a\nb", "\xff"} {
		if _, err := Create(t.TempDir(), name, "r", time.Now()); !errors.Is(err, ErrName) {
			t.Errorf("experiment %q: %v", name, err)
		}
		if _, err := Create(t.TempDir(), "e", name, time.Now()); !errors.Is(err, ErrName) {
			t.Errorf("run %q: %v", name, err)
		}
	}
}

func ExampleCreate() {
	root, err := os.MkdirTemp("", "mlruns")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	at := time.UnixMilli(1_700_000_000_000)
	r, err := Create(root, "CIFAR-10", "augmix", at)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = errors.Join(r.Param("mix", "augmix-m3"), r.Metric("error", 1, 0.31, at), r.End(Finished, at))
	points, _ := os.ReadFile(filepath.Join(r.Dir(), "metrics", "error"))
	fmt.Printf("%s%v\n", points, err)
	// Output:
	// 1700000000000 0.31 1
	// <nil>
}
