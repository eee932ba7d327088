//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// hangs is how long a command may run before it counts as hung; undisturbed ones take a second on an idle machine.
const hangs = 5 * time.Minute

func lookPath(name string) (string, error) { return exec.LookPath(name) }

// process is a running command in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	done   chan struct{}
	hung   atomic.Bool
}

// outcome is how a process ended.
type outcome struct {
	code   int            // exit status, -1 after a signal
	signal syscall.Signal // 0 without
	output string
	hung   bool
}

// start runs a command line in the folder dir. When ctx ends, it is killed.
func start(ctx context.Context, dir string, line []string) (*process, error) {
	p := &process{cmd: exec.Command(line[0], line[1:]...), done: make(chan struct{})}
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait() //nolint:errcheck // the state says it
		close(p.done)
	}()
	go func() {
		select {
		case <-p.done:
		case <-ctx.Done():
			p.signalGroup(syscall.SIGKILL)
		case <-time.After(hangs):
			p.hung.Store(true)
			p.signalGroup(syscall.SIGQUIT) // says where it hangs
			time.Sleep(2 * time.Second)
			p.signalGroup(syscall.SIGKILL)
		}
	}()
	return p, nil
}

func (p *process) signalGroup(s syscall.Signal) { syscall.Kill(-p.cmd.Process.Pid, s) } //nolint:errcheck // it may have ended

// running waits for the time d and says whether the process still runs after it.
func (p *process) running(d time.Duration) bool {
	select {
	case <-p.done:
		return false
	case <-time.After(d):
		return true
	}
}

// wait returns how the process ended.
func (p *process) wait() outcome {
	<-p.done
	o := outcome{code: p.cmd.ProcessState.ExitCode(), output: p.output.String(), hung: p.hung.Load()}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.signal = status.Signal()
	}
	return o
}

// complaint says what is wrong with the way in which a process that failed said so: nothing, or no clear line.
func (o outcome) complaint() string {
	switch {
	case o.hung:
		return "it hangs"
	case strings.Contains(o.output, "panic:") || strings.Contains(o.output, "goroutine "):
		return "it panics"
	case !strings.Contains(o.output, "augmix: error: "):
		return "it fails without an error line"
	}
	return ""
}

// removeAll empties the folder dir.
func removeAll(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755))
}
