// Package feedwire is the protocol of docs/feed.md, on the side of the process that makes batches: messages with headers
// and checksums, slots of memory in a ring that both processes see or sent down a pipe, heartbeats, and the end of either
// side. It does not know what is in a batch.
package feedwire

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// Version is that of the protocol.
const Version = 1

// ErrProtocol is wrapped by errors about what the other process sends.
var ErrProtocol = errors.New("bad message on standard input")

// Kind is a kind of message.
type Kind byte

// Kinds of messages to the parent.
const (
	KindHello Kind = 'H'
	KindBatch Kind = 'B'
	KindEpoch Kind = 'E'
	KindWarn  Kind = 'W'
	KindAlive Kind = 'S'
	KindError Kind = 'X'
	KindRows  Kind = 'R'
	KindDone  Kind = 'Z'
)

// Lengths in bytes.
const (
	headerBytes     = 64 // of a message
	slotHeaderBytes = 64
	guardBytes      = 8
	pageBytes       = 4096
	mostBody        = 16 << 20
)

// header is the header of a message to the parent.
type header struct {
	kind     Kind
	slot, n  uint32
	epoch    uint64
	batch    uint64
	sequence uint64
	payload  uint64
	checksum uint32
}

// append appends the header of a message with the given body, and the body.
func (h *header) append(dst, body []byte) []byte {
	start := len(dst)
	dst = append(dst, "AMXF"...)
	dst = binary.LittleEndian.AppendUint16(dst, Version)
	dst = append(dst, byte(h.kind), 0)
	dst = binary.LittleEndian.AppendUint32(dst, h.slot)
	dst = binary.LittleEndian.AppendUint32(dst, h.n)
	for _, v := range []uint64{h.epoch, h.batch, h.sequence, uint64(len(body)), h.payload} {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	dst = binary.LittleEndian.AppendUint32(dst, h.checksum)
	check := crc32.Update(crc32.ChecksumIEEE(dst[start:]), crc32.IEEETable, body)
	dst = binary.LittleEndian.AppendUint32(dst, check)
	return append(dst, body...)
}

// SlotBytes returns the length of a slot for contents of n bytes.
func SlotBytes(n int) int {
	return (slotHeaderBytes + n + guardBytes + pageBytes - 1) &^ (pageBytes - 1)
}

// ContentsOffset is where the contents of a slot begin.
const ContentsOffset = slotHeaderBytes

// seal writes the header and the guard of a slot.
func seal(slot []byte, h *header) {
	s := append(slot[:0], "AMXS"...)
	s = binary.LittleEndian.AppendUint16(s, Version)
	s = append(s, 0, 0)
	s = binary.LittleEndian.AppendUint32(s, h.slot)
	s = binary.LittleEndian.AppendUint32(s, h.n)
	for _, v := range []uint64{h.epoch, h.batch, h.sequence} {
		s = binary.LittleEndian.AppendUint64(s, v)
	}
	clear(slot[len(s):slotHeaderBytes])
	binary.LittleEndian.PutUint64(slot[len(slot)-guardBytes:], h.sequence)
}

// Hello is the body of the first message. Offsets of fields are within a slot.
type Hello struct {
	Protocol    int       `json:"protocol"`
	Version     string    `json:"version"` // of the program
	Transport   string    `json:"transport"`
	Slots       int       `json:"slots"`
	SlotBytes   int       `json:"slot_bytes"`
	Fields      []Field   `json:"fields"`
	Samples     int       `json:"samples"`
	Batches     int       `json:"batches"`
	Classes     []string  `json:"classes"`
	Rank        int       `json:"rank"`
	WorldSize   int       `json:"world_size"`
	Batch       int       `json:"batch"`
	Views       int       `json:"views"`
	Forms       any       `json:"forms,omitempty"`
	Tail        string    `json:"tail"`
	Epochs      int       `json:"epochs"`
	Epoch       int       `json:"epoch"`
	Position    int       `json:"position"`
	Seed        uint64    `json:"seed"`
	Layout      string    `json:"layout"`
	Mean        []float32 `json:"mean"`
	Std         []float32 `json:"std"`
	Fingerprint string    `json:"fingerprint"`
	Outputs     int       `json:"outputs,omitempty"` // numbers that each image is answered with
}

// Field is an array in a slot.
type Field struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Axis   int    `json:"axis"`
	Offset int    `json:"offset"`
}

// Code is what an error is about.
type Code string

// The codes.
const (
	Usage    Code = "usage"
	Input    Code = "input"
	IO       Code = "io"
	Internal Code = "internal"
)
