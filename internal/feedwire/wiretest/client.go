// Package wiretest reads the protocol of docs/feed.md as a parent does, for tests: it goes by the document and shares no code
// with package feedwire.
package wiretest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// Message is a message of the child.
type Message struct {
	Kind         byte
	Slot, N      uint32
	Epoch, Batch uint64
	Sequence     uint64
	Body         []byte
	Memory       []byte // the slot of a batch: a copy from the pipe, or the ring's own
	Checksum     uint32
}

// Field is an array in a slot.
type Field struct {
	Name   string
	DType  string
	Shape  []int
	Axis   int
	Offset int
}

// Hello is what the child says of its batches.
type Hello struct {
	Protocol    int
	Transport   string
	Slots       int
	SlotBytes   int `json:"slot_bytes"`
	Fields      []Field
	Samples     int
	Batches     int
	Batch       int
	Views       int
	Classes     []string
	Forms       []struct{ Name string }
	Fingerprint string
	Epoch       int
	Position    int
}

// Client reads one child's messages.
type Client struct {
	In    io.Reader             // what the child writes
	Out   io.Writer             // what it reads
	Map   func(size int) []byte // maps the ring once its size is known; nil with a pipe
	Hello Hello
	ring  []byte
	next  uint64
}

// Next reads a message and checks whatever the protocol promises of it. At the end it returns io.EOF.
func (c *Client) Next() (*Message, error) {
	var h [64]byte
	if _, err := io.ReadFull(c.In, h[:]); err != nil {
		return nil, err
	}
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(h[at:]) }
	m := &Message{
		Kind: h[6], Slot: u32(8), N: u32(12), Epoch: u64(16), Batch: u64(24), Sequence: u64(32), Checksum: u32(56),
		Body: make([]byte, u64(40)),
	}
	if string(h[:4]) != "AMXF" || binary.LittleEndian.Uint16(h[4:]) != 1 || h[7] != 0 {
		return nil, fmt.Errorf("header %q", h[:8])
	}
	if m.Sequence != c.next {
		return nil, fmt.Errorf("message %d after %d", m.Sequence, c.next)
	}
	c.next++
	if _, err := io.ReadFull(c.In, m.Body); err != nil {
		return nil, err
	}
	if got := crc32.Update(crc32.ChecksumIEEE(h[:60]), crc32.IEEETable, m.Body); got != u32(60) {
		return nil, fmt.Errorf("check %x of message %c, want %x", got, m.Kind, u32(60))
	}
	if len(m.Body) == 0 {
		m.Body = nil
	} else if !json.Valid(m.Body) {
		return nil, fmt.Errorf("body %q", m.Body)
	}
	return m, c.take(m, u64(48))
}

// take looks at what a message brings.
func (c *Client) take(m *Message, payload uint64) error {
	switch {
	case m.Kind == 'H':
		if err := json.Unmarshal(m.Body, &c.Hello); err != nil {
			return err
		}
		if c.Map != nil {
			c.ring = c.Map(c.Hello.Slots * c.Hello.SlotBytes)
		}
		return nil
	case m.Kind != 'B':
		return nil
	case c.ring != nil:
		m.Memory = c.ring[int(m.Slot)*c.Hello.SlotBytes:][:c.Hello.SlotBytes]
	case payload != uint64(c.Hello.SlotBytes):
		return fmt.Errorf("a payload of %d bytes", payload)
	default:
		m.Memory = make([]byte, payload)
		if _, err := io.ReadFull(c.In, m.Memory); err != nil {
			return err
		}
	}
	return m.check()
}

// check compares the header and the guard of a slot with the message.
func (m *Message) check() error {
	s := m.Memory
	if string(s[:4]) != "AMXS" || binary.LittleEndian.Uint16(s[4:]) != 1 || binary.LittleEndian.Uint32(s[8:]) != m.Slot ||
		binary.LittleEndian.Uint32(s[12:]) != m.N || binary.LittleEndian.Uint64(s[16:]) != m.Epoch ||
		binary.LittleEndian.Uint64(s[24:]) != m.Batch || binary.LittleEndian.Uint64(s[32:]) != m.Sequence ||
		binary.LittleEndian.Uint64(s[len(s)-8:]) != m.Sequence {
		return fmt.Errorf("the slot of message %d begins with %q", m.Sequence, s[:40])
	}
	if m.Checksum != 0 && crc32.ChecksumIEEE(s[64:len(s)-8]) != m.Checksum {
		return fmt.Errorf("the slot of message %d has another checksum", m.Sequence)
	}
	return nil
}

// Array returns a field of a batch.
func (c *Client) Array(m *Message, name string) []byte {
	for _, f := range c.Hello.Fields {
		if f.Name != name {
			continue
		}
		size := map[string]int{"uint8": 1, "int64": 8, "float32": 4, "float16": 2, "bfloat16": 2}[f.DType] * int(m.N)
		for i, d := range f.Shape {
			if i != f.Axis {
				size *= d
			}
		}
		return m.Memory[f.Offset:][:size]
	}
	return nil
}

// Send sends a message without a body.
func (c *Client) Send(kind byte, slot uint32, sequence uint64) error {
	_, err := c.Out.Write(Command(kind, slot, sequence, 0))
	return err
}

// Free gives the slot of a batch back.
func (c *Client) Free(m *Message) error { return c.Send('F', m.Slot, m.Sequence) }

// Answer sends the outputs of a model for a batch.
func (c *Client) Answer(m *Message, outputs []float32) error {
	b := Command('L', 0, m.Sequence, uint64(4*len(outputs)))
	binary.LittleEndian.PutUint32(b[12:], m.N)
	for _, v := range outputs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	_, err := c.Out.Write(b)
	return err
}

// Command returns the header of a message of the parent.
func Command(kind byte, slot uint32, sequence, length uint64) []byte {
	b := append([]byte("AMXP"), 1, 0, kind, 0)
	b = binary.LittleEndian.AppendUint32(b, slot)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, sequence)
	return binary.LittleEndian.AppendUint64(b, length)
}
