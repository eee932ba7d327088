package feedwire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// errEnded is why a session ends that the parent has ended: it said so, its end of standard input is closed, or nobody
// reads what is written.
var errEnded = errors.New("the parent has ended the feed")

// aliveEvery is the longest time without a message.
var aliveEvery = 2 * time.Second

// lastWait is how long the last message may take to be read by a parent that is no longer listening.
var lastWait = time.Second

// Session is the conversation with the parent: two goroutines, one that writes and one that reads. The one that reads ends
// with its reader.
type Session struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	queue  chan *message // to the goroutine that writes
	wrote  chan struct{} // closed when that ends
	state  atomic.Value  // a string, for heartbeats
	once   sync.Once     // closes queue
	out    io.Writer
	ring   *Ring // nil without one

	mu     sync.Mutex
	lent   []lease // of each slot
	free   chan int
	asking *asking // nil where batches are not answered

	work   *Work  // that is served
	memory []byte // of its slots
}

// lease is who has a slot.
type lease struct {
	out      bool // the parent
	sequence uint64
}

// message is one to the parent.
type message struct {
	header
	body    []byte
	memory  []byte // the slot of a batch
	payload bool   // the slot follows the message
}

// Start begins a conversation. Until Serve or Fail the parent is told from time to time that data is being read.
func Start(ctx context.Context, in io.Reader, out io.Writer) *Session {
	s := &Session{queue: make(chan *message, 16), wrote: make(chan struct{}), out: out}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.state.Store("reading")
	go s.write()
	go s.read(in)
	return s
}

// Context is canceled when the parent has ended the session or sent what it should not.
func (s *Session) Context() context.Context { return s.ctx }

// Ended reports whether the parent has ended the session.
func (s *Session) Ended() bool { return context.Cause(s.ctx) == errEnded }

// send puts a message into the queue.
func (s *Session) send(m *message) error {
	select {
	case s.queue <- m:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// encode makes the body of a message.
func encode(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	body, err := json.Marshal(v)
	if err == nil && len(body) > mostBody {
		err = fmt.Errorf("a message of %d bytes (allowed: up to %d)", len(body), mostBody)
	}
	return body, err
}

// write sends messages and heartbeats until the queue is closed.
func (s *Session) write() {
	defer close(s.wrote)
	var sequence uint64
	var line []byte
	timer := time.NewTimer(aliveEvery)
	defer timer.Stop()
	for {
		var m *message
		var ok bool
		select {
		case m, ok = <-s.queue:
			if !ok {
				return
			}
		case <-timer.C:
			m = &message{header: header{kind: KindAlive}}
			m.body, _ = encode(map[string]any{"state": s.state.Load()})
		}
		m.sequence = sequence
		sequence++
		if m.memory != nil {
			seal(m.memory, &m.header)
			s.lend(m)
			s.ask(m)
		}
		line = m.append(line[:0], m.body)
		_, err := s.out.Write(line)
		if err == nil && m.payload {
			_, err = s.out.Write(m.memory)
			s.free <- int(m.slot) // never blocks: there are no more slots than places
		}
		if err != nil {
			s.cancel(errEnded)
			return
		}
		timer.Reset(aliveEvery)
	}
}

// lend notes that the parent has a slot of the ring.
func (s *Session) lend(m *message) {
	if m.payload {
		return
	}
	s.mu.Lock()
	s.lent[m.slot] = lease{true, m.sequence}
	s.mu.Unlock()
}

// read takes the parent's messages until its end.
func (s *Session) read(in io.Reader) {
	r := bufio.NewReaderSize(in, 1<<12)
	for {
		c, err := ReadCommand(r)
		if err == nil {
			err = s.obey(c, r)
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, ErrProtocol): // the end, or a pipe that broke
			err = errEnded
		}
		s.cancel(err)
		return
	}
}

// obey does what a message says.
func (s *Session) obey(c Command, body io.Reader) error {
	switch c.Kind {
	case KindStop:
		return errEnded
	case KindFree:
		return s.giveBack(c)
	}
	return s.outputs(c, io.LimitReader(body, int64(c.Length)))
}

// giveBack takes a slot of the ring back.
func (s *Session) giveBack(c Command) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case int64(c.Slot) >= int64(len(s.lent)):
		return fmt.Errorf("%w: slot %d (allowed: below %d, with a ring)", ErrProtocol, c.Slot, len(s.lent))
	case !s.lent[c.Slot].out || s.lent[c.Slot].sequence != c.Sequence:
		return fmt.Errorf("%w: slot %d of message %d is given back and was not lent", ErrProtocol, c.Slot, c.Sequence)
	}
	s.lent[c.Slot] = lease{}
	s.free <- int(c.Slot)
	return nil
}

// Fail tells the parent of an error, after the batches that are made, and closes the session.
func (s *Session) Fail(code Code, text string) {
	body, err := encode(map[string]string{"code": string(code), "message": text})
	if err == nil && !s.Ended() {
		m := &message{header: header{kind: KindError}, body: body}
		select {
		case s.queue <- m:
		case <-s.late():
		case <-s.wrote:
		}
	}
	s.Close()
}

// Close lets the messages in the queue be written and ends the session. It may be called twice.
func (s *Session) Close() {
	s.once.Do(func() { close(s.queue) })
	select {
	case <-s.wrote:
		if s.ring != nil {
			_ = s.ring.Close()
			s.ring = nil
		}
	case <-s.late(): // what writes may still look at the ring
	}
	s.cancel(errEnded)
}

// late is closed when the parent has had enough time to read what is left: without an end while all is well, as it may be
// busy with a batch; else a moment.
func (s *Session) late() <-chan struct{} {
	over, moment := make(chan struct{}), lastWait
	context.AfterFunc(s.ctx, func() { time.AfterFunc(moment, func() { close(over) }) })
	return over
}

// Note is a message beside batches.
type Note struct {
	Kind  Kind
	Epoch int
	Body  any // made JSON
}

// Batch is what was made in a slot.
type Batch struct {
	Epoch, Index, N int
	Body            any    // made JSON; nil for nothing
	Before, After   []Note // messages that come before and after the batch's
}

// Work is what a session serves.
type Work struct {
	Hello    *Hello // Slots, SlotBytes and Transport are filled in
	Slots    int
	Contents int   // bytes of a slot's contents
	Ring     *Ring // closed with the session; nil: slots go down the pipe
	Checksum bool
	// Next makes the next batch in the contents of a slot, which begin at a multiple of 64. At the end it returns io.EOF.
	Next func(ctx context.Context, contents []byte) (*Batch, error)
}

// Serve says hello and hands over batches until there are none or the parent ends the session, both of which return nil:
// then Close is to be called. After an error, which is Next's, ErrProtocol's or the cause of the context, Fail.
func (s *Session) Serve(w *Work) error {
	err := s.Greet(w)
	for err == nil {
		err = s.Put(w.Next)
	}
	if err == io.EOF {
		err = s.Finish()
	}
	return s.verdict(err)
}

// Greet says hello. Whoever has batches that come by themselves calls it, Put for each and Finish, instead of Serve: w's Next is not
// used then. Errors are not nil where the parent has ended the session.
func (s *Session) Greet(w *Work) error {
	s.prepare(w)
	return s.note(Note{Kind: KindHello, Body: w.Hello})
}

// Finish says that all is done, after what the notes say. Close is to be called then.
func (s *Session) Finish(notes ...Note) error {
	for _, n := range append(notes, Note{Kind: KindDone}) {
		if err := s.note(n); err != nil {
			return err
		}
	}
	return nil
}

// mostRows is about how many bytes of rows one message holds, so that any number of them can be sent.
const mostRows = 1 << 20

// RowNotes are the messages of an evaluation's result: out is the folder that has the rows too.
func RowNotes[R json.Marshaler](out string, rows []R) ([]Note, error) {
	type part struct {
		Out  string            `json:"out"`
		Rows []json.RawMessage `json:"rows"`
		More bool              `json:"more"`
	}
	var parts []part
	now, size := part{Out: out, Rows: []json.RawMessage{}}, 0
	for _, row := range rows {
		line, err := row.MarshalJSON()
		if err != nil {
			return nil, err
		}
		if size += len(line); size > mostRows && len(now.Rows) > 0 {
			now.More = true
			parts, now, size = append(parts, now), part{Out: out}, len(line)
		}
		now.Rows = append(now.Rows, line)
	}
	var notes []Note
	for _, p := range append(parts, now) {
		notes = append(notes, Note{Kind: KindRows, Body: p})
	}
	return notes, nil
}

// prepare lays out the slots.
func (s *Session) prepare(w *Work) {
	size := SlotBytes(w.Contents)
	w.Hello.Protocol, w.Hello.Slots, w.Hello.SlotBytes, w.Hello.Transport = Version, w.Slots, size, "pipe"
	free := make(chan int, w.Slots)
	for i := range w.Slots {
		free <- i
	}
	s.mu.Lock()
	s.free = free
	var memory []byte
	if w.Ring != nil {
		w.Hello.Transport, memory, s.lent, s.ring = "ring", w.Ring.Bytes(), make([]lease, w.Slots), w.Ring
	} else {
		memory = make([]byte, w.Slots*size)
		widen(s.out)
	}
	s.mu.Unlock()
	s.work, s.memory = w, memory
}

// verdict turns the end that the parent wants into nil.
func (s *Session) verdict(err error) error {
	if cause := context.Cause(s.ctx); err != nil && cause != nil {
		err = cause
	}
	if err == errEnded {
		return nil
	}
	return err
}

func (s *Session) note(n Note) error {
	body, err := encode(n.Body)
	if err != nil {
		return err
	}
	return s.send(&message{header: header{kind: n.Kind, epoch: uint64(n.Epoch)}, body: body})
}

// Put waits for a slot, has a batch made in its contents, which begin at a multiple of 64, and sends it. An error of fill is
// returned as it is.
func (s *Session) Put(fill func(ctx context.Context, contents []byte) (*Batch, error)) error {
	w := s.work
	s.state.Store("waiting for a slot")
	var slot int
	select {
	case slot = <-s.free:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	s.state.Store("making")
	size := SlotBytes(w.Contents)
	mine := s.memory[slot*size:][:size:size]
	b, err := fill(s.ctx, mine[slotHeaderBytes:][:w.Contents:w.Contents])
	if err != nil {
		return err
	}
	for _, n := range b.Before {
		if err := s.note(n); err != nil {
			return err
		}
	}
	m := &message{memory: mine, payload: w.Ring == nil}
	m.header = header{kind: KindBatch, slot: uint32(slot), n: uint32(b.N), epoch: uint64(b.Epoch), batch: uint64(b.Index)}
	if m.payload {
		m.header.payload = uint64(size)
	}
	if w.Checksum {
		m.checksum = crc32.ChecksumIEEE(mine[slotHeaderBytes : size-guardBytes])
	}
	if m.body, err = encode(b.Body); err != nil {
		return err
	}
	if err := s.send(m); err != nil {
		return err
	}
	for _, n := range b.After {
		if err := s.note(n); err != nil {
			return err
		}
	}
	return nil
}
