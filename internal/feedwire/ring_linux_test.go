package feedwire

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
)

// memory makes an empty memory file.
func memory(t testing.TB) int {
	t.Helper()
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// ringed is a session with a ring of three slots that the parent maps too.
func ringed(t testing.TB, contents int) (*talk, *Work) {
	t.Helper()
	fd := memory(t)
	parent, err := unix.Dup(fd)
	if err != nil {
		t.Fatal(err)
	}
	k := newTalk(t, t.Context())
	w := work(50)
	w.Contents = contents
	w.Ring, err = OpenRing(fd, w.Slots*SlotBytes(w.Contents))
	if err != nil {
		t.Fatal(err)
	}
	k.Map = func(size int) []byte {
		mem, err := unix.Mmap(parent, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(mem) })
		_ = unix.Close(parent)
		return mem
	}
	return k, w
}

// TestRing: slots are written again only after they were given back, in whatever order, and no more is made than there
// are slots.
func TestRing(t *testing.T) {
	k, w := ringed(t, 100)
	made := make(chan int, 99)
	next := w.Next
	w.Next = func(ctx context.Context, contents []byte) (*Batch, error) {
		b, err := next(ctx, contents)
		if err == nil {
			made <- b.Index
		}
		return b, err
	}
	done := make(chan error, 1)
	go func() { done <- k.session.Serve(w) }()
	var held []*wiretest.Message
	batches := 0
	for {
		m, err := k.Next()
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind == 'Z' {
			break
		}
		if m.Kind != 'B' {
			continue
		}
		if batches++; int(m.Batch) != batches-1 {
			t.Fatalf("batch %d after %d", m.Batch, batches-2)
		}
		for _, h := range held {
			if h.Slot == m.Slot {
				t.Fatalf("slot %d was not given back", m.Slot)
			}
		}
		held = append(held, m)
		if len(held) < 3 {
			continue
		}
		if batches == 3 { // all slots are out: nothing is made
			time.Sleep(20 * time.Millisecond)
			if len(made) != 3 {
				t.Fatalf("%d batches were made for 3 slots", len(made))
			}
		}
		for _, h := range held {
			for _, b := range h.Memory[64:164] {
				if b != byte(h.Batch) {
					t.Fatalf("batch %d has %d", h.Batch, b)
				}
			}
		}
		which := batches % 3
		if err := k.Free(held[which]); err != nil {
			t.Fatal(err)
		}
		held = append(held[:which], held[which+1:]...)
	}
	if err := <-done; err != nil || batches != 50 {
		t.Errorf("%d batches, error %v", batches, err)
	}
}

// TestBadGiveBack: a slot that was not lent, or not for that batch, cannot be given back.
func TestBadGiveBack(t *testing.T) {
	for want, send := range map[string]func(k *talk, m *wiretest.Message) error{
		"slot 3 (allowed: below 3":        func(k *talk, _ *wiretest.Message) error { return k.Send('F', 3, 0) },
		"slot 4294967295":                 func(k *talk, _ *wiretest.Message) error { return k.Send('F', 1<<32-1, 0) },
		"of message 99 is given back and": func(k *talk, m *wiretest.Message) error { return k.Send('F', m.Slot, 99) },
		"is given back and was not lent":  func(k *talk, m *wiretest.Message) error { return errors.Join(k.Free(m), k.Free(m)) },
	} {
		k, w := ringed(t, 100)
		w.Checksum = false
		done := make(chan error, 1)
		go func() { done <- k.session.Serve(w) }()
		for {
			m, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == 'B' {
				if err := send(k, m); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if err := <-done; !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
		k.session.Fail(Usage, "x")
	}
}

// TestBadRing: a descriptor that is no empty memory file is refused, and no file is changed.
func TestBadRing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(path, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(path string) int {
		fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		return fd
	}
	readOnly, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	for want, fd := range map[string]int{
		"no empty file": open(path), "allowed: an inherited one": 1, "bad file descriptor": 9999, "empty file (": open(os.DevNull), "no empty file ": readOnly,
	} {
		if _, err := OpenRing(fd, 4096); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "content" {
		t.Errorf("the file has %q, %v", content, err)
	}
}
