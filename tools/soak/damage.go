//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// damage interrupts a run, damages a file of what it has left, and gives the command again. That must either be refused
// with a line that says so, after which a new start makes the right files, or make the right files at once.
func (t *trial) damage() error {
	files, err := t.interrupt()
	if err != nil {
		return err
	}
	if len(files) == 0 {
		t.notef("never interrupted where it has something to damage")
		return t.finish("1ms")
	}
	name := files[t.random.IntN(len(files))]
	what, err := t.harm(filepath.Join(t.dir, name))
	if err != nil {
		return err
	}
	t.hits++
	t.notef("%s: %s", name, what)
	o, err := t.ran(t.line("1ms"))
	if err != nil {
		return err
	}
	t.notef("again: %s: %s", o.ending(), brief(o.output))
	if o.code == 0 {
		if err := t.compare(); err != nil {
			return fmt.Errorf("exit status 0 after damage (%s: %s): %w", name, what, err)
		}
		return nil
	}
	if why := o.complaint(); why != "" {
		return fmt.Errorf("after damage (%s: %s): %s: %s", name, what, why, brief(o.output))
	}
	t.verdict = refused
	return t.startOver()
}

// interrupt ends a run in the middle and returns the files that the next one builds on: the records of its state three
// times as often as what it has written so far. None if the run was done each time.
func (t *trial) interrupt() ([]string, error) {
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGKILL}
	for range 8 {
		if err := removeAll(t.dir); err != nil {
			return nil, err
		}
		moment, s := t.moment(), signals[t.random.IntN(2)]
		p, err := t.start("1ms")
		if err != nil {
			return nil, err
		}
		if p.running(moment) {
			p.signalGroup(s)
		}
		if o := t.wait(p); o.code == 0 {
			continue
		}
		state, rest, err := t.left()
		if err != nil {
			return nil, err
		}
		if len(state) == 0 {
			continue
		}
		t.notef("%v after %v", s, moment)
		if len(rest) == 0 || t.random.IntN(4) > 0 {
			return state, nil
		}
		return rest, nil
	}
	return nil, nil
}

// left lists the files in which a run keeps its state, and the files that it has written so far, by their path in t.dir.
func (t *trial) left() (state, rest []string, err error) {
	var roots []string // what the paths of the files of unfinished outputs begin with
	err = filepath.WalkDir(t.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(t.dir, path)
		if err != nil {
			return err
		}
		switch {
		case t.isState(name):
			state = append(state, name)
			if root, ok := writing(path, name); ok {
				roots = append(roots, root)
			}
		case t.durable && filepath.Base(name) != "lock" && !strings.HasSuffix(name, "args.yaml"):
			rest = append(rest, name)
		}
		return nil
	})
	rest = slices.DeleteFunc(rest, func(name string) bool {
		return !slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(name, root) })
	})
	slices.Sort(state)
	slices.Sort(rest)
	return state, rest, err
}

func (t *trial) isState(name string) bool {
	base := filepath.Base(name)
	switch t.args[0] {
	case "train":
		return base == "last.safetensors"
	case "eval":
		return base == "records.npz"
	}
	return base == "journal.json"
}

// writing returns what the files of the output to which a journal belongs begin with, if the journal says that samples are
// left. Afterwards files get their final names, and only the manifest, the next thing to be written, has their checksums.
func writing(path, name string) (root string, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"phase":"writing"`) {
		return "", false
	}
	dir := filepath.Dir(name)
	if root, ok := strings.CutSuffix(dir, ".augmix-state"); ok {
		return root, true
	}
	return filepath.Dir(dir) + "/", true
}

// harm damages a file in one of several ways and says how.
func (t *trial) harm(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	what := "empty already, removed"
	remove := len(text) == 0
	if !remove {
		text, what, remove = t.spoil(text)
	}
	if remove {
		return what, os.Remove(path)
	}
	return what, os.WriteFile(path, text, 0o644)
}

func (t *trial) spoil(text []byte) (spoiled []byte, what string, remove bool) {
	within := len(text)
	if directory := bytes.Index(text, []byte("PK\x01\x02")); directory > 0 {
		within = directory // the directory of a zip file has no checksum
	}
	at := t.random.IntN(within)
	switch t.random.IntN(8) {
	case 0, 1:
		return text[:at], fmt.Sprintf("cut to %d of %d bytes", at, len(text)), false
	case 2:
		return append(text, make([]byte, 1+t.random.IntN(64))...), "zeros at its end", false
	case 3:
		end := min(within, at+1+t.random.IntN(512))
		clear(text[at:end])
		return text, fmt.Sprintf("bytes %d to %d zero", at, end), false
	case 4:
		if digits := digitsOf(text[:within]); len(digits) > 0 {
			at = digits[t.random.IntN(len(digits))]
			old := text[at]
			text[at] = '0' + (old-'0'+byte(1+t.random.IntN(9)))%10
			return text, fmt.Sprintf("digit %c at %d made %c", old, at, text[at]), false
		}
	case 5:
		if t.random.IntN(3) == 0 && t.args[0] != "train" {
			return nil, "removed", true
		}
	}
	bit := t.random.IntN(8)
	text[at] ^= 1 << bit
	return text, fmt.Sprintf("bit %d of byte %d flipped", bit, at), false
}

func digitsOf(text []byte) []int {
	var at []int
	for i, b := range text {
		if b >= '0' && b <= '9' {
			at = append(at, i)
		}
	}
	return at
}

// startOver does what a user does about a refusal: --force where there is such a flag, and where that is refused too, as
// for files of which no record is left that they are the program's, remove them and start anew.
func (t *trial) startOver() error {
	if t.durable {
		o, err := t.ran(append(t.line("10s"), "--force"))
		if err != nil {
			return err
		}
		t.notef("--force: %s: %s", o.ending(), brief(o.output))
		if o.code == 0 {
			return t.compare()
		}
		if why := o.complaint(); why != "" {
			return fmt.Errorf("--force after a refusal: %s: %s", why, brief(o.output))
		}
	}
	if err := removeAll(t.dir); err != nil {
		return err
	}
	return t.finish("10s")
}
