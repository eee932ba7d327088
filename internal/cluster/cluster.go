// Package cluster writes job files by which schedulers run a command of this program in parts: an array of tasks, each of which
// finds its part with --shard auto/N, retries by exit status, and the step that joins the parts.
//
// What the files do with an exit status: 0 is done; 1, a failure that may not come again, and 130, an interruption, are tried
// again, three times; 2, a wrong command line, and 3, done but for inputs that were rejected, are not.
package cluster

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// ErrJob: a job that cannot be written.
var ErrJob = errors.New("bad job")

// Retries is how often a task that failed or was interrupted is tried again.
const Retries = 3

// Job is what a scheduler is to run.
type Job struct {
	Name   string   // letters, digits and hyphens, at most 52
	Args   []string // of the program, without --shard
	Out    string   // where the parts are joined
	Tasks  int      // 1 to 10,000, which all three schedulers take; 1 is no array
	CPUs   int      // of a task
	Memory int      // of a task, MiB
	Hours  int      // limit of a task
	Image  string   // container with the program as its entry point; not for SLURM
	Shared bool     // the command names files that are not in an object store: tasks need a common disk
	// Workers says that the command takes --workers and does not have it.
	Workers bool
}

//go:embed *.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"shell": shell, "word": func(s string) string { return shell([]string{s}) }, "json": quoteJSON, "sub": func(a, b int) int { return a - b }, "line": line,
}).ParseFS(files, "*.tmpl"))

var jobName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

// Schedulers returns the names that Write takes.
func Schedulers() []string { return []string{"slurm", "k8s", "awsbatch"} }

// Write returns the job file for a scheduler. The error wraps ErrJob.
func Write(scheduler string, j Job) (string, error) {
	if err := j.check(); err != nil {
		return "", err
	}
	if !slices.Contains(Schedulers(), scheduler) {
		return "", fmt.Errorf("%w: scheduler %q (allowed: %s)", ErrJob, scheduler, strings.Join(Schedulers(), ", "))
	}
	var b strings.Builder
	err := templates.ExecuteTemplate(&b, scheduler+".tmpl", j)
	return b.String(), err
}

func (j Job) check() error {
	const most = 10000
	switch {
	case !jobName.MatchString(j.Name):
		return fmt.Errorf("%w: name %q (allowed: 1 to 52 small letters, digits and hyphens)", ErrJob, j.Name)
	case j.Tasks < 1 || j.Tasks > most:
		return fmt.Errorf("%w: %d tasks (allowed: 1 to %d)", ErrJob, j.Tasks, most)
	case j.CPUs < 1 || j.CPUs > 1024:
		return fmt.Errorf("%w: %d cores of a task (allowed: 1 to 1024)", ErrJob, j.CPUs)
	case j.Memory < 64 || j.Memory > 1<<24:
		return fmt.Errorf("%w: %d MiB of a task (allowed: 64 to %d)", ErrJob, j.Memory, 1<<24)
	case j.Hours < 1 || j.Hours > 24*365:
		return fmt.Errorf("%w: %d hours (allowed: 1 to %d)", ErrJob, j.Hours, 24*365)
	}
	return nil
}

// All returns the arguments of a task.
func (j Job) All() []string {
	if j.Tasks == 1 {
		return j.Args
	}
	return append(slices.Clone(j.Args), "--shard", fmt.Sprintf("auto/%d", j.Tasks))
}

// Join returns the arguments of the joining step.
func (j Job) Join() []string { return []string{"verify", j.Out} }

// JoinOverrides is the joining step as AWS Batch takes it.
func (j Job) JoinOverrides() (string, error) {
	return quoteJSON(map[string][]string{"command": j.Join()})
}

// Retries is [Retries], for the files.
func (j Job) Retries() int { return Retries }

// Attempts is how often a task is tried in all.
func (j Job) Attempts() int { return Retries + 1 }

// Seconds is the limit of a task.
func (j Job) Seconds() int { return j.Hours * 3600 }

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,+@%-]+$`)

// shell writes words as a POSIX shell reads them.
func shell(words []string) string {
	var out []string
	for _, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

// quoteJSON writes v as JSON, which is YAML too.
func quoteJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// line makes a comment's text one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
