package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// watched is the journal of a run that is to be stopped at a moment of its work, however fast the machine is.
type watched struct {
	path string
	last os.FileInfo
}

func watch(path string) *watched {
	w := &watched{path: path}
	w.changed()
	return w
}

// changed says whether the journal has been replaced since the last call.
func (w *watched) changed() bool {
	now, err := os.Stat(w.path)
	if err != nil || w.last != nil && os.SameFile(now, w.last) && now.ModTime().Equal(w.last.ModTime()) {
		return false
	}
	w.last = now
	return true
}

// await returns when the journal has been replaced n times, or has one of the words in it, or ctx is done.
func (w *watched) await(ctx context.Context, n int, words ...string) {
	for n > 0 && ctx.Err() == nil {
		if !w.changed() {
			time.Sleep(100 * time.Microsecond)
			continue
		}
		n--
		text, _ := os.ReadFile(w.path)
		for _, word := range words {
			if bytes.Contains(text, []byte(word)) {
				return
			}
		}
	}
}

// killedAtJournals runs the program with these arguments until it is done, and kills it at once, then when it has written its
// journal once, twice, four times and so on, and in each of the phases of its end.
func killedAtJournals(t *testing.T, path string, args ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ends := []string{`"phase":"closing"`, `"phase":"named"`, `"phase":"closed"`}
	amidst := 0 // kills that left a journal behind
	for n := 0; ; n = max(1, 2*n) {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "AUGMIX_TEST_MAIN=1")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		journal := watch(path)
		ctx, done := context.WithCancel(t.Context())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func(words []string) {
			journal.await(ctx, n, words...)
			_ = cmd.Process.Kill()
		}(slices.Clone(ends))
		_ = cmd.Wait()
		done()
		switch code := cmd.ProcessState.ExitCode(); code {
		case exitDone:
			if amidst == 0 {
				t.Error("it was done before it could be killed at work")
			}
			return
		case -1:
		default:
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		left, err := os.ReadFile(path)
		if err == nil {
			amidst++
		}
		// Each phase once: the next run gets further.
		ends = slices.DeleteFunc(ends, func(word string) bool { return bytes.Contains(left, []byte(word)) })
	}
}
