//go:build unix

package main

import (
	"fmt"
	"syscall"
	"time"
)

// kill kills one to three runs at random moments.
func (t *trial) kill() error {
	checkpoint := t.checkpoint()
	for range 1 + t.random.IntN(3) {
		moment := t.moment()
		p, err := t.start(checkpoint)
		if err != nil {
			return err
		}
		if p.running(moment) {
			p.signalGroup(syscall.SIGKILL)
		}
		o := t.wait(p)
		t.notef("killed after %v: %s", moment, o.ending())
		switch {
		case o.hung:
			return fmt.Errorf("it hangs: %s", brief(o.output))
		case o.signal == syscall.SIGKILL:
			t.hits++
			if err := t.unfinished(); err != nil {
				return err
			}
		case o.code != 0:
			return fmt.Errorf("before the kill it ends with %s: %s", o.ending(), brief(o.output))
		}
	}
	return t.finish(checkpoint)
}

// ending says how a process ended.
func (o outcome) ending() string {
	if o.signal != 0 {
		return o.signal.String()
	}
	return fmt.Sprintf("exit status %d", o.code)
}

// way is a sequence of signals with the pause before each but the first.
type way struct {
	name    string
	signals []syscall.Signal
	pause   time.Duration
}

var ways = []way{
	{"INT", []syscall.Signal{syscall.SIGINT}, 0},
	{"TERM", []syscall.Signal{syscall.SIGTERM}, 0},
	{"INT twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 10 * time.Millisecond},
	{"STOP and CONT", []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT}, 100 * time.Millisecond},
	{"HUP", []syscall.Signal{syscall.SIGHUP}, 0},
	{"QUIT", []syscall.Signal{syscall.SIGQUIT}, 0},
}

// signals sends signals at a random moment. INT and TERM must end in status 130 or, where the work was done already, 0.
func (t *trial) signals() error {
	checkpoint, w, moment := t.checkpoint(), ways[t.random.IntN(len(ways))], t.moment()
	p, err := t.start(checkpoint)
	if err != nil {
		return err
	}
	if p.running(moment) {
		t.hits++
		for i, s := range w.signals {
			if i == 0 || p.running(w.pause) {
				p.signalGroup(s)
			}
		}
	}
	o := t.wait(p)
	t.notef("%s after %v: %s: %s", w.name, moment, o.ending(), brief(o.output))
	if o.hung {
		return fmt.Errorf("%s: it hangs: %s", w.name, brief(o.output))
	}
	switch w.name {
	case "INT", "TERM":
		// Before the handler is in place the signal itself ends the process.
		if o.code != 130 && o.code != 0 && o.signal != w.signals[0] {
			return fmt.Errorf("%s: %s: %s", w.name, o.ending(), brief(o.output))
		}
	case "STOP and CONT":
		if o.code != 0 {
			return fmt.Errorf("%s: %s: %s", w.name, o.ending(), brief(o.output))
		}
		return t.compare()
	}
	if o.code == 0 {
		if err := t.compare(); err != nil {
			return err
		}
	}
	return t.finish(checkpoint)
}

// writers starts two or four runs into one output. One does the work; another is told so or finds it done.
func (t *trial) writers() error {
	var running []*process
	n := 2 + 2*t.random.IntN(2)
	for range n {
		p, err := t.start("10s")
		if err != nil {
			return err
		}
		running = append(running, p)
		time.Sleep(time.Duration(t.random.Int64N(int64(t.reference.took) / int64(n))))
	}
	done := 0
	for i, p := range running {
		o := t.wait(p)
		t.notef("writer %d: %s: %s", i+1, o.ending(), brief(o.output))
		if o.code == 0 {
			done++
		} else if why := o.complaint(); why != "" {
			return fmt.Errorf("one of %d writers: %s: %s", n, why, brief(o.output))
		}
	}
	if done == 0 {
		return fmt.Errorf("none of %d writers did the work", n)
	}
	t.hits += n - done
	return t.compare()
}
