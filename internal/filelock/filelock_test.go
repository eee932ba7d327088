package filelock

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func needLocks(t *testing.T) {
	t.Helper()
	if !supported {
		t.Skip("this operating system has no locks that end with the process")
	}
}

// free reports whether the lock of a file can be had.
func free(t *testing.T, path string) bool {
	t.Helper()
	f, err := Open(path)
	if err == nil {
		return f.Close() == nil
	}
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Fatalf("error %v, want ErrLocked with the name of the file", err)
	}
	return false
}

func TestOneProcess(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if free(t, path) {
		t.Error("a second open gets the lock too")
	}
	if _, err := f.WriteString("content"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "content" {
		t.Errorf("reading a locked file gives %q, %v", text, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if !free(t, path) {
		t.Error("a closed file is still locked")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "content" {
		t.Errorf("opening has changed the content to %q, %v", text, err)
	}
}

// A locked file can be removed with its folder; the name is then free for another file with a lock of its own.
func TestRemoved(t *testing.T) {
	needLocks(t)
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "lock")
	for range 2 {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close() // after the next one is opened
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoSuchFolder(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none", "lock")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// holder starts this program again as a process that locks a file, and returns when that has it.
func holder(t *testing.T, path string) (process *exec.Cmd, in io.WriteCloser) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), holds+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd, in
}

const holds = "FILELOCK_TEST_HOLDS"

// TestHolder is the other process: it holds a lock until its input ends.
func TestHolder(t *testing.T) {
	path := os.Getenv(holds)
	if path == "" {
		return // the other tests start it with a path
	}
	if _, err := Open(path); err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdout.WriteString("locked\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without closing the file
}

func TestTwoProcesses(t *testing.T) {
	needLocks(t)
	for name, end := range map[string]func(p *exec.Cmd, in io.Closer) error{
		"ends":   func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"killed": func(p *exec.Cmd, _ io.Closer) error { return p.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			process, in := holder(t, path)
			if free(t, path) {
				t.Error("two processes have the lock")
			}
			if err := end(process, in); err != nil {
				t.Fatal(err)
			}
			if err := process.Wait(); (err == nil) != (name == "ends") {
				t.Errorf("the other process: %v", err)
			}
			if !free(t, path) {
				t.Error("the lock outlives its process")
			}
		})
	}
}

// A process that is locked out finds the file free once the other lets go.
func TestOtherProcessWaitsItsTurn(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), holds+"="+path)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), ErrLocked.Error()) {
		t.Errorf("a second process: %v\n%s", err, out)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	process, in := holder(t, path)
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := process.Wait(); err != nil {
		t.Error(err)
	}
}

// TestHold: of many that want a place one at a time has it, and the last leaves no file.
func TestHold(t *testing.T) {
	needLocks(t)
	path := filepath.Join(t.TempDir(), "lock")
	var inside, had atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for had.Load() < 50 {
				release, err := Hold(path)
				if errors.Is(err, ErrLocked) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if inside.Add(1) > 1 {
					t.Error("two have the lock")
				}
				had.Add(1)
				inside.Add(-1)
				if err := release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file is left: ", err)
	}
}
