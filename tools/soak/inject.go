//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// Calls at which a run is killed, and at which an error is injected.
var (
	killCalls  = words("fsync renameat unlinkat ftruncate mkdirat pwrite64 write openat")
	errorCalls = words("fsync renameat unlinkat ftruncate mkdirat pwrite64 write openat close")
	errorNames = words("EIO ENOSPC")

	ofDescriptors = words("write pwrite64 close fsync ftruncate") // of which strace -y says what file they are of
)

// call is one system call of a run: the name, and the how manieth of this name in its thread.
type call struct {
	name   string
	number int
}

// canTrace says why system calls cannot be attacked here, or nothing.
func canTrace(dir string) string {
	if _, err := exec.LookPath("strace"); err != nil {
		return "strace is not installed"
	}
	cmd := exec.Command("strace", "-f", "-qq", "-o", filepath.Join(dir, "strace.probe"), "-e", "inject=fsync:error=EIO:when=1", "true")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "strace does not work: " + brief(string(out)+" "+err.Error())
	}
	return ""
}

// strace returns the command line that runs line under strace with the log in file.
func strace(file string, line []string, options ...string) []string {
	return append(append(words("strace -f -qq -y -o "+file), options...), line...)
}

// spelled is what strace calls a call; Go's renameat is another one on some machines.
func spelled(name string) string {
	if name == "renameat" {
		return "renameat,renameat2"
	}
	return name
}

var traced = regexp.MustCompile(`^(\d+) +([a-z0-9_]+)\((.*)`)

// readCalls counts the calls in a log of strace by thread. Of openat only those are returned that may write.
func readCalls(file string) ([]call, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var calls []call
	seen := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := traced.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		thread, name, args := m[1], m[2], m[3]
		seen[thread+name]++
		if name == "openat" && !strings.Contains(args, "O_CREAT") && !strings.Contains(args, "O_RDWR") && !strings.Contains(args, "O_WRONLY") {
			continue
		}
		calls = append(calls, call{strings.TrimSuffix(name, "2"), seen[thread+name]})
	}
	return calls, lines.Err()
}

// pick draws a call of one of names: first the name, so that rare ones get their turn.
func (t *trial) pick(calls []call, names []string) (call, error) {
	byName := map[string][]call{}
	for _, c := range calls {
		byName[c.name] = append(byName[c.name], c)
	}
	var present []string
	for _, name := range names {
		if len(byName[name]) > 0 {
			present = append(present, name)
		}
	}
	if len(present) == 0 {
		return call{}, fmt.Errorf("a run makes none of the calls %s", strings.Join(names, ", "))
	}
	of := byName[present[t.random.IntN(len(present))]]
	return of[t.random.IntN(len(of))], nil
}

// injected are the ways in which an injection ends.
type injected int

const (
	missed  injected = iota // no call was the drawn one: threads take turns as they like
	outside                 // it hit a stream or a descriptor of Go's runtime, about which the program can say nothing
	hit
)

// where says what an injection hit, by the log of strace. Each thread counts its own calls, so it may hit several; one of
// them a stream is enough for a program that cannot say what is wrong.
func (t *trial) where(log string) injected {
	at := missed
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "(INJECTED)") {
			continue
		}
		ours := strings.Contains(line, "<"+t.dir+"/") || strings.Contains(line, "<"+t.dir+">")
		if m := traced.FindStringSubmatch(line); m != nil && slices.Contains(ofDescriptors, m[2]) && !ours {
			return outside
		}
		at = hit
	}
	return at
}

// inject runs the command under strace with an injection at a drawn call, and says what it hit and which call
// that was.
func (t *trial) inject(names []string, checkpoint, what string) (o outcome, at injected, name string, err error) {
	calls, err := t.reference.calls(t)
	if err != nil {
		return o, missed, "", err
	}
	c, err := t.pick(calls, names)
	if err != nil {
		return o, missed, "", err
	}
	log := t.dir + ".strace"
	defer os.Remove(log) //nolint:errcheck // else it stays in the folder of trials
	rule := fmt.Sprintf("inject=%s:%s:when=%d", spelled(c.name), what, c.number)
	p, err := start(t.ctx, t.dir, strace(log, t.line(checkpoint), "-e", "trace="+spelled(c.name), "-e", rule))
	if err != nil {
		return o, missed, "", err
	}
	o = t.wait(p)
	t.notef("%s: %s: %s", rule, o.ending(), brief(o.output))
	text, err := os.ReadFile(log)
	if err != nil {
		return o, missed, "", err
	}
	at = t.where(string(text))
	if o.signal == syscall.SIGKILL {
		at = hit
	}
	if at == hit {
		t.hits++
	}
	return o, at, c.name, nil
}

// killAtCall kills one or two runs at a system call.
func (t *trial) killAtCall() error {
	checkpoint := t.checkpoint()
	for range 1 + t.random.IntN(2) {
		o, at, _, err := t.inject(killCalls, checkpoint, "signal=KILL")
		switch {
		case err != nil:
			return err
		case o.hung:
			return fmt.Errorf("it hangs: %s", brief(o.output))
		case at == missed && o.code != 0:
			return fmt.Errorf("before the kill it ends with %s: %s", o.ending(), brief(o.output))
		}
		if err := t.unfinished(); err != nil {
			return err
		}
	}
	return t.finish(checkpoint)
}

// failCall lets one system call fail. The run must either say so and fail, or make the right files in spite of it.
func (t *trial) failCall() error {
	checkpoint := t.checkpoint()
	what := "error=" + errorNames[t.random.IntN(len(errorNames))]
	o, at, call, err := t.inject(errorCalls, checkpoint, what)
	if err != nil {
		return err
	}
	if o.code == 0 {
		// A temporary file that cannot be removed is no reason to fail; the next run removes it.
		if err := t.compare(); err != nil && (call != "unlinkat" || !onlyLeftOver(err)) {
			return fmt.Errorf("exit status 0 in spite of an error: %w", err)
		}
	} else if why := o.complaint(); why != "" && at != outside {
		return fmt.Errorf("after an injected error %s: %s", why, brief(o.output))
	}
	if err := t.unfinished(); err != nil {
		return err
	}
	return t.finish(checkpoint)
}
