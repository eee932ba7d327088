package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
)

// feedParentVariable makes this test binary a parent of a feed, see [feedParent].
const feedParentVariable = "AUGMIX_TEST_FEED_PARENT"

// killsVariable is how many processes [TestFeedKilled] kills of each kind.
const killsVariable = "AUGMIX_TEST_FEED_KILLS"

var (
	endlessFeed    = []string{"scenes:n=64,size=16,seed=1", "--batch", "16", "--mix", "augmix", "--views", "3"}
	longEvaluation = []string{"scenes:n=4096,size=16,seed=1", "--batch", "16", "--suite", "clean,c,cbar"}
)

// child is a feed in a process of its own.
type child struct {
	wiretest.Client
	cmd  *exec.Cmd
	in   io.WriteCloser
	errs bytes.Buffer

	memory *os.File // the ring's
	mapped []byte
}

// startFeed starts a feed, with a ring or without.
func startFeed(ring bool, args ...string) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(program, append([]string{"feed"}, args...)...)}
	if ring {
		fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, err
		}
		c.memory = os.NewFile(uintptr(fd), "ring")
		c.cmd.Args, c.cmd.ExtraFiles = append(c.cmd.Args, "--ring-fd", "3"), []*os.File{c.memory}
		c.Map = func(size int) []byte {
			if c.mapped, err = unix.Mmap(fd, 0, size, unix.PROT_READ, unix.MAP_SHARED); err != nil {
				panic(err)
			}
			return c.mapped
		}
	}
	c.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, feedParentVariable) }), "AUGMIX_TEST_MAIN=1")
	c.cmd.Stderr = &c.errs
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.In, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	c.Out = c.in
	return c, c.cmd.Start()
}

// end ends the messages to the feed, waits for it and lets the ring go.
func (c *child) end() error {
	err := errors.Join(c.in.Close(), c.cmd.Wait())
	if c.memory != nil {
		err = errors.Join(err, c.memory.Close())
	}
	if c.mapped != nil {
		err = errors.Join(err, unix.Munmap(c.mapped))
	}
	return err
}

// batch reads until a batch has come and gives its slot back.
func (c *child) batch() error {
	for {
		m, err := c.Next()
		if err != nil {
			return err
		}
		if m.Kind != 'B' {
			continue
		}
		if c.Map != nil {
			err = c.Free(m)
		}
		if m.Body != nil { // of an evaluation
			err = errors.Join(err, c.Answer(m, make([]float32, int(m.N)*len(c.Hello.Classes))))
		}
		return err
	}
}

// feedParent is a process that starts a feed or, with "evaluation", has a model measured, says which process that is, and takes batches until it is killed.
func feedParent() {
	how, args := os.Getenv(feedParentVariable), endlessFeed
	if strings.HasSuffix(how, "evaluation") {
		args = longEvaluation
	}
	c, err := startFeed(strings.HasPrefix(how, "ring"), args...)
	if err == nil {
		fmt.Println(c.cmd.Process.Pid)
	}
	for err == nil {
		err = c.batch()
	}
	fmt.Println(err, c.errs.String())
	os.Exit(1)
}

// gone reports whether a process has ended; one that nobody has waited for yet has.
func gone(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "X")
}

// shared lists what lies in /dev/shm and in the folder of temporary files.
func shared(t *testing.T) (names []string) {
	for _, dir := range []string{"/dev/shm", os.TempDir()} {
		found, _ := filepath.Glob(filepath.Join(dir, "*augmix*"))
		names = append(names, found...)
	}
	return names
}

// TestFeedKilled: a feed or an evaluation whose parent is killed ends, a parent whose feed is killed is told at once, and neither leaves
// anything behind.
func TestFeedKilled(t *testing.T) {
	kills := 5
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	}
	t.Setenv("TMPDIR", t.TempDir())
	before := shared(t)
	descriptors := openDescriptors(t)
	var slowest time.Duration
	for i := range kills {
		for _, ring := range []string{"ring", "pipe"} {
			slowest = max(slowest, killParent(t, ring, i), killParent(t, ring+" evaluation", i), killChild(t, ring, i))
		}
	}
	if after := shared(t); !slices.Equal(before, after) {
		t.Errorf("left behind: %v, before %v", after, before)
	}
	if now := openDescriptors(t); now > descriptors {
		t.Errorf("%d open files, %d before", now, descriptors)
	}
	t.Logf("%d parents and %d feeds killed; the slowest end took %v", 4*kills, 2*kills, slowest)
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// killParent kills a parent after a while and returns how long its feed took to end.
func killParent(t *testing.T, ring string, i int) time.Duration {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(program)
	parent.Env = append(os.Environ(), feedParentVariable+"="+ring)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Duration(i%10) * 15 * time.Millisecond)
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	return wait(t, func() bool { return gone(pid) })
}

// killChild kills a feed after a few batches and returns how long its parent took to notice.
func killChild(t *testing.T, ring string, i int) time.Duration {
	t.Helper()
	c, err := startFeed(ring == "ring", endlessFeed...)
	if err != nil {
		t.Fatal(err)
	}
	for range i % 7 {
		if err := c.batch(); err != nil {
			t.Fatal(err, c.errs.String())
		}
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for err == nil {
		err = c.batch()
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, unix.EPIPE) {
		t.Errorf("a killed feed: %v", err)
	}
	took := time.Since(begun)
	_ = c.end()
	return took
}

// wait waits until something is so, and returns how long that took.
func wait(t *testing.T, done func() bool) time.Duration {
	t.Helper()
	begun := time.Now()
	for !done() {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("the process has not ended after 10 s")
		}
		time.Sleep(time.Millisecond)
	}
	return time.Since(begun)
}

// TestFeedWaits: a reader that stops costs the feed neither time nor memory, and a feed needs no more memory after many
// epochs.
func TestFeedWaits(t *testing.T) {
	for _, ring := range []bool{true, false} {
		c, err := startFeed(ring, endlessFeed...)
		if err != nil {
			t.Fatal(err)
		}
		take := func(n int) {
			t.Helper()
			for range n {
				if err := c.batch(); err != nil {
					t.Fatal(err, c.errs.String())
				}
			}
		}
		take(4 * 10)
		time.Sleep(50 * time.Millisecond)
		memory, busy := usage(t, c.cmd.Process.Pid)
		time.Sleep(200 * time.Millisecond) // nobody reads
		waited, idle := usage(t, c.cmd.Process.Pid)
		take(4 * 100)
		later, _ := usage(t, c.cmd.Process.Pid)
		t.Logf("ring %v: %d KB after 10 epochs, %d after a wait, %d after 100 more; %d ticks in the wait", ring, memory, waited, later, idle-busy)
		if waited > memory+memory/10 || later > memory+memory/2 {
			t.Errorf("ring %v: %d KB after 10 epochs, %d after a wait, %d after 100 more", ring, memory, waited, later)
		}
		if err := c.end(); err != nil || c.errs.Len() > 0 {
			t.Errorf("the end: %v, %s", err, &c.errs)
		}
	}
}

// usage returns the resident memory of a process in KB and the ticks of processor time that it has used.
func usage(t testing.TB, pid int) (kilobytes, ticks int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ = strings.Cut(string(stat), ") ")
	for _, i := range []int{11, 12} {
		n, _ := strconv.Atoi(strings.Fields(rest)[i])
		ticks += n
	}
	return kilobytes, ticks
}
