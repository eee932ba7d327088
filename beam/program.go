package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/results"
)

// errUsage: augmix says that its command line is wrong.
var errUsage = errors.New("augmix refuses the command line")

// The counters of a pipeline.
const (
	namespace    = "augmix"
	partsName    = "parts"    // that are done
	samplesName  = "samples"  // of the output
	imagesName   = "images"   // of the output
	rejectedName = "rejected" // samples
	retriesName  = "retries"  // of parts, after a failure
)

var (
	partsDone = beam.NewCounter(namespace, partsName)
	samples   = beam.NewCounter(namespace, samplesName)
	images    = beam.NewCounter(namespace, imagesName)
	refused   = beam.NewCounter(namespace, rejectedName)
	retries   = beam.NewCounter(namespace, retriesName)
	seconds   = beam.NewDistribution(namespace, "part_seconds")
)

// program is augmix with a command line, as a worker runs it.
type program struct {
	Path  string   // "": beside this program, else on PATH
	Dir   string   // the working directory of the pipeline's owner, for workers that have it
	Args  []string // the command and its flags
	Tries int
}

// summary is what augmix says of an output with --json.
type summary struct {
	Out      string          `json:"out"`
	Samples  int             `json:"samples"`
	Rejected []data.Rejected `json:"rejected"`
	Waiting  []string        `json:"waiting"`
}

// part does part i of n, as often as it takes, and returns what augmix says of each output.
func (p program) part(ctx context.Context, i, n int) ([]summary, error) {
	args := append([]string{p.Args[0], fmt.Sprintf("--shard=%d/%d", i, n), "--json"}, p.Args[1:]...)
	text, err := p.run(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("part %d/%d: %w", i, n, err)
	}
	var all []summary
	if text = bytes.TrimSpace(text); bytes.HasPrefix(text, []byte("{")) {
		text = append(append([]byte("["), text...), ']')
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("part %d/%d: augmix printed no JSON: %w", i, n, err)
	}
	for k := range all {
		if out := &all[k].Out; !storage.Remote(*out) && !filepath.IsAbs(*out) {
			*out = filepath.Join(p.Dir, *out)
		}
	}
	return all, nil
}

// run runs augmix until it comes to its end, at most p.Tries times, and returns what it prints. A failure of the worker is one of
// the machine or the store, and may be gone the next time; augmix resumes what it had begun.
func (p program) run(ctx context.Context, args []string) ([]byte, error) {
	wait := 250 * time.Millisecond
	for try := 1; ; try++ {
		text, said, err := p.once(ctx, args)
		var exit *exec.ExitError
		switch {
		case err == nil:
			return text, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.As(err, &exit):
			return nil, err
		case exit.ExitCode() == exitRejected:
			return text, nil
		case exit.ExitCode() == exitUsage:
			return nil, fmt.Errorf("%w: %s", errUsage, said)
		case strings.Contains(said, generate.ErrBusy.Error()) || strings.Contains(said, results.ErrBusy.Error()): // a twin of this part is at work, and this one finds it done
			try--
		case try == p.Tries:
			return nil, fmt.Errorf("given up after %d tries: %w: %s", try, err, said)
		default:
			log.Infof(ctx, "try %d of augmix %s: %v: %s", try, strings.Join(args, " "), err, said)
			retries.Inc(ctx, 1)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, 10*time.Second)
	}
}

// once runs augmix and returns what it prints and the last of what it says.
func (p program) once(ctx context.Context, args []string) (text []byte, said string, err error) {
	cmd, err := p.command(ctx, args)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	var talk tail
	cmd.Stdout, cmd.Stderr = &out, &talk
	runtime.LockOSThread() // which a child ends with, see endWithParent
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	return out.Bytes(), talk.last(), err
}

// command returns augmix ready to run.
func (p program) command(ctx context.Context, args []string) (*exec.Cmd, error) {
	path := p.Path
	if path == "" {
		path = "augmix"
		if own, err := os.Executable(); err == nil {
			if beside := filepath.Join(filepath.Dir(own), path); regular(beside) {
				path = beside
			}
		}
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("no augmix here (--augmix says where it is on the workers): %w", err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	if st, err := os.Stat(p.Dir); err == nil && st.IsDir() {
		cmd.Dir = p.Dir
	}
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 30 * time.Second
	endWithParent(cmd)
	return cmd, nil
}

func regular(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// tail keeps the last of what is written to it.
type tail []byte

// mostTalk is how much of what augmix says is kept, in bytes.
const mostTalk = 4096

// Write implements [io.Writer].
func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	*t = (*t)[max(0, len(*t)-mostTalk):]
	return len(b), nil
}

// last is the error that was said, else all that is kept.
func (t tail) last() string {
	s := string(t)
	if _, after, ok := strings.Cut(s, "augmix: error: "); ok {
		s = after
	}
	return strings.TrimSpace(s)
}
