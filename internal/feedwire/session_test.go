package feedwire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
)

// talk is a session with a parent in the same process.
type talk struct {
	*wiretest.Client
	session   *Session
	in, out   *os.File // the child's ends
	toChild   *os.File
	fromChild *os.File
}

func newTalk(t testing.TB, ctx context.Context) *talk {
	t.Helper()
	in, toChild, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromChild, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	k := &talk{in: in, out: out, toChild: toChild, fromChild: fromChild}
	k.Client = &wiretest.Client{In: fromChild, Out: toChild}
	k.session = Start(ctx, in, out)
	t.Cleanup(func() { k.session.Close(); k.close() })
	return k
}

func (k *talk) close() {
	for _, f := range []*os.File{k.toChild, k.in, k.out, k.fromChild} {
		_ = f.Close()
	}
}

// work makes n batches whose contents are their number, with a warning before each second one and an end after the last.
func work(n int) *Work {
	made := 0
	return &Work{
		Hello: &Hello{Samples: n}, Slots: 3, Contents: 100, Checksum: true,
		Next: func(_ context.Context, contents []byte) (*Batch, error) {
			if made == n {
				return nil, io.EOF
			}
			b := &Batch{Epoch: 1, Index: made, N: made}
			for i := range contents {
				contents[i] = byte(made)
			}
			if made%2 == 1 {
				b.Before = []Note{{Kind: KindWarn, Body: map[string]int{"index": made}}}
			}
			if made++; made == n {
				b.After = []Note{{Kind: KindEpoch, Epoch: 1, Body: map[string]int{"epoch": 1}}}
			}
			return b, nil
		},
	}
}

// kinds reads to the end and returns the kinds of the messages.
func (k *talk) kinds(t *testing.T) (kinds string, last *wiretest.Message) {
	t.Helper()
	for {
		m, err := k.Next()
		if err != nil {
			t.Fatalf("after %s: %v", kinds, err)
		}
		if m.Kind == 'S' {
			continue
		}
		kinds += string(m.Kind)
		if m.Kind == 'B' {
			for _, b := range m.Memory[64:164] {
				if b != byte(m.Batch) {
					t.Fatalf("batch %d has %d", m.Batch, b)
				}
			}
		}
		if m.Kind == 'Z' || m.Kind == 'X' {
			return kinds, m
		}
	}
}

func TestPipe(t *testing.T) {
	k := newTalk(t, t.Context())
	done := make(chan error, 1)
	go func() {
		err := k.session.Serve(work(5))
		k.session.Close()
		done <- err
	}()
	if kinds, _ := k.kinds(t); kinds != "HBWBBWBBEZ" {
		t.Errorf("messages %s", kinds)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if h := k.Hello; h.Transport != "pipe" || h.Protocol != 1 || h.Slots != 3 || h.SlotBytes != 4096 || h.Samples != 5 {
		t.Errorf("hello %+v", h)
	}
}

// TestFail: errors are said before and after the hello, and the text is kept.
func TestFail(t *testing.T) {
	for _, after := range []bool{false, true} {
		k := newTalk(t, t.Context())
		want := "X"
		if after {
			w := work(5)
			next := w.Next
			w.Next = func(ctx context.Context, contents []byte) (*Batch, error) {
				b, err := next(ctx, contents)
				if err == nil && b.Index == 2 {
					err = errors.New("broken")
				}
				return b, err
			}
			if err := k.session.Serve(w); err == nil || err.Error() != "broken" {
				t.Errorf("error %v", err)
			}
			want = "HBWBX"
		}
		k.session.Fail(Input, "broken \"file\"\nhere")
		kinds, last := k.kinds(t)
		var x struct{ Code, Message string }
		if err := json.Unmarshal(last.Body, &x); err != nil || kinds != want || x.Code != "input" || x.Message != "broken \"file\"\nhere" {
			t.Errorf("%s: %s, %v", kinds, last.Body, err)
		}
	}
}

// shortWait lets the test's sessions end without waiting for a parent that reads no more.
func shortWait(t *testing.T) {
	old := lastWait
	lastWait = time.Millisecond
	t.Cleanup(func() { lastWait = old }) // after the sessions have ended
}

// TestSlowReader: a parent that is busy for long gets every batch that was made before an error, and the error.
func TestSlowReader(t *testing.T) {
	shortWait(t)
	k := newTalk(t, t.Context())
	w := work(3)
	w.Contents = 3 << 20 // more than a pipe holds
	next := w.Next
	w.Next = func(ctx context.Context, contents []byte) (*Batch, error) {
		b, err := next(ctx, contents)
		if err == io.EOF {
			err = errors.New("broken")
		}
		return b, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.session.Fail(Input, k.session.Serve(w).Error())
	}()
	time.Sleep(50 * time.Millisecond)
	if kinds, last := k.kinds(t); kinds != "HBWBBEX" || !strings.Contains(string(last.Body), "broken") {
		t.Errorf("messages %s, %s", kinds, last.Body)
	}
	<-done
}

// TestParentEnds: the end of standard input, an order to stop and a reader that is gone all end a session that waits for
// a slot, makes a batch or writes.
func TestParentEnds(t *testing.T) {
	shortWait(t)
	for name, end := range map[string]func(k *talk) error{
		"the end of the input": func(k *talk) error { return k.toChild.Close() },
		"half a message": func(k *talk) error {
			_, err := k.toChild.WriteString("AMXP")
			return errors.Join(err, k.toChild.Close())
		},
		"stop":      func(k *talk) error { return k.Send('T', 0, 0) },
		"no reader": func(k *talk) error { return k.fromChild.Close() },
	} {
		for _, slow := range []bool{false, true} {
			t.Run(fmt.Sprint(name, slow), func(t *testing.T) {
				k := newTalk(t, t.Context())
				w := work(1 << 30)
				w.Contents = 1 << 16 // more than the pipe holds: it waits for its reader
				if slow {
					w.Next = func(ctx context.Context, _ []byte) (*Batch, error) { <-ctx.Done(); return nil, ctx.Err() }
				}
				if name == "no reader" && slow {
					t.Skip("nothing is written in the meantime; the next heartbeat would tell")
				}
				done := make(chan error, 1)
				go func() { err := k.session.Serve(w); k.session.Close(); done <- err }()
				if m, err := k.Next(); err != nil || m.Kind != 'H' {
					t.Fatal(err)
				}
				if err := end(k); err != nil {
					t.Fatal(err)
				}
				select {
				case err := <-done:
					if err != nil || !k.session.Ended() {
						t.Errorf("error %v", err)
					}
				case <-time.After(10 * time.Second):
					t.Fatal("the session has not ended")
				}
			})
		}
	}
}

// TestBadMessages: what is no message, or not to be said now, ends the session with an error that the parent is told.
func TestBadMessages(t *testing.T) {
	change := func(at int, b byte) []byte {
		m := wiretest.Command('F', 0, 0, 0)
		m[at] = b
		return m
	}
	for want, message := range map[string][]byte{
		`it begins with "XMXP"`:        change(0, 'X'),
		"protocol 2 (allowed: 1)":      change(4, 2),
		`kind 'Q' (allowed: F, L, T)`:  change(6, 'Q'),
		"flags 1":                      change(7, 1),
		"a body of 7 bytes of kind F":  wiretest.Command('F', 0, 0, 7),
		"of kind L (allowed: none; up": wiretest.Command('L', 0, 0, 1<<30+1),
		"none were asked for":          wiretest.Command('L', 0, 0, 8),
		"slot 0 (allowed: below 0":     wiretest.Command('F', 0, 0, 0), // there is no ring
	} {
		k := newTalk(t, t.Context())
		done := make(chan error, 1)
		go func() {
			err := k.session.Serve(work(1 << 30))
			k.session.Fail(Usage, err.Error())
			done <- err
		}()
		if _, err := k.toChild.Write(message); err != nil {
			t.Fatal(err)
		}
		_, last := k.kinds(t)
		if err := <-done; !errors.Is(err, ErrProtocol) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
		var x struct{ Message string }
		if json.Unmarshal(last.Body, &x) != nil || !strings.Contains(x.Message, want) {
			t.Errorf("%s: said %s", want, last.Body)
		}
	}
}

// TestAlive: a parent that waits hears that the child lives, and what it does, before and after the hello.
func TestAlive(t *testing.T) {
	old := aliveEvery
	aliveEvery = 5 * time.Millisecond
	t.Cleanup(func() { aliveEvery = old }) // after the session has ended
	k := newTalk(t, t.Context())
	hear := func(want string) {
		t.Helper()
		for {
			m, err := k.Next()
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind == 'S' && string(m.Body) == `{"state":"`+want+`"}` {
				return
			}
		}
	}
	hear("reading")
	w := work(9)
	w.Next = func(ctx context.Context, _ []byte) (*Batch, error) { <-ctx.Done(); return nil, context.Cause(ctx) }
	done := make(chan error, 1)
	go func() { done <- k.session.Serve(w) }()
	hear("making")
	if err := k.Send('T', 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestNothingLeft: no goroutine outlives a session whose ends are closed.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 20 {
		k := newTalk(t, t.Context())
		if i%2 == 0 {
			go func() { _, _ = io.Copy(io.Discard, k.fromChild) }()
			if err := k.session.Serve(work(3)); err != nil {
				t.Fatal(err)
			}
		} else {
			k.session.Fail(IO, "x")
		}
		k.session.Close()
		k.close()
	}
	for try := 0; runtime.NumGoroutine() > before; try++ {
		if try == 200 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func FuzzReadCommand(f *testing.F) {
	f.Add(wiretest.Command('F', 1, 2, 0))
	f.Add(wiretest.Command('L', 1, 2, 1<<20))
	f.Add(append(wiretest.Command('T', 0, 0, 0), "AMXP"...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			c, err := ReadCommand(r)
			if err == io.EOF {
				if r.Len() != 0 {
					t.Fatalf("%d bytes are left", r.Len())
				}
				return
			}
			if err != nil {
				if !errors.Is(err, ErrProtocol) {
					t.Fatalf("error %v", err)
				}
				return
			}
			again := wiretest.Command(byte(c.Kind), c.Slot, c.Sequence, c.Length)
			at := len(b) - r.Len() - commandBytes
			copy(again[12:16], b[at+12:]) // n
			if !bytes.Equal(again, b[at:][:commandBytes]) {
				t.Fatalf("%+v of %x", c, b[at:][:commandBytes])
			}
		}
	})
}
