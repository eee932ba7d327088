package feedwire

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// asking is what a session expects of a parent that answers batches with the outputs of a model.
type asking struct {
	classes int
	due     []due // batches without an answer, in the order of their messages; under the session's mutex
	answers chan []float32
	spare   chan []float32
	raw     []byte // of an answer
}

// due is a batch without an answer.
type due struct {
	sequence uint64
	n        int
}

// Expect makes the session one whose batches are answered: the parent sends float32 [n, classes] for each, in the order of the
// batches. It comes before Greet. As many batches as there are slots may be without an answer at once.
func (s *Session) Expect(classes, slots int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = &asking{classes: classes, answers: make(chan []float32, slots), spare: make(chan []float32, slots+1)}
}

// Answer waits for the outputs of the earliest batch without an answer and copies them to dst. The error is the cause of the
// session's end.
func (s *Session) Answer(dst []float32) error {
	s.state.Store("waiting for outputs")
	select {
	case got := <-s.asking.answers:
		if len(got) != len(dst) {
			return fmt.Errorf("feedwire: an answer of %d numbers is taken for one of %d", len(got), len(dst))
		}
		copy(dst, got)
		select {
		case s.asking.spare <- got:
		default:
		}
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// ask notes that a batch is to be answered. The message is not sent yet.
func (s *Session) ask(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking != nil {
		s.asking.due = append(s.asking.due, due{m.sequence, int(m.n)})
	}
}

// outputs takes the answer to a batch, and nothing else than that.
func (s *Session) outputs(c Command, body io.Reader) error {
	s.mu.Lock()
	a := s.asking
	var next due
	some := a != nil && len(a.due) > 0
	if some {
		next = a.due[0]
		a.due = a.due[1:]
	}
	s.mu.Unlock()
	switch {
	case a == nil:
		return fmt.Errorf("%w: outputs of a model, and none were asked for", ErrProtocol)
	case !some:
		return fmt.Errorf("%w: outputs for message %d, and no batch waits for any", ErrProtocol, c.Sequence)
	case c.Sequence != next.sequence:
		return fmt.Errorf("%w: outputs for message %d (allowed: %d, the earliest batch without any)", ErrProtocol, c.Sequence, next.sequence)
	case int64(c.N) != int64(next.n):
		return fmt.Errorf("%w: outputs for %d images (allowed: %d, the batch's)", ErrProtocol, c.N, next.n)
	case c.Length != uint64(next.n)*uint64(a.classes)*4:
		return fmt.Errorf("%w: outputs of %d bytes for %d images (allowed: %d, float32 [%[3]d, %[5]d], a number for each class)",
			ErrProtocol, c.Length, next.n, next.n*a.classes*4, a.classes)
	}
	return s.take(a, next.n, body)
}

// take reads outputs.
func (s *Session) take(a *asking, n int, body io.Reader) error {
	size := n * a.classes
	var got []float32
	select {
	case got = <-a.spare:
	default:
	}
	if cap(got) < size {
		got = make([]float32, size)
	}
	if cap(a.raw) < 4*size {
		a.raw = make([]byte, 4*size)
	}
	got, a.raw = got[:size], a.raw[:4*size]
	if _, err := io.ReadFull(body, a.raw); err != nil {
		return err // the parent is gone
	}
	for i := range got {
		v := math.Float32frombits(binary.LittleEndian.Uint32(a.raw[4*i:]))
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("%w: the output of class %d for image %d of the batch is %v (allowed: finite numbers)", ErrProtocol,
				i%a.classes, i/a.classes, v)
		}
		got[i] = v
	}
	a.answers <- got // never blocks: no more batches are out than there are places
	return nil
}
