package feedwire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Kinds of messages of the parent.
const (
	KindFree    Kind = 'F'
	KindOutputs Kind = 'L'
	KindStop    Kind = 'T'
)

const commandBytes = 32

// mostCommand is the largest body of a message of the parent.
const mostCommand = 1 << 30

// Command is a message of the parent.
type Command struct {
	Kind     Kind
	Slot, N  uint32
	Sequence uint64
	Length   uint64 // of the body, in bytes
}

// ReadCommand reads the header of the next message of the parent. It returns io.EOF at the end, also within a header: the
// parent is gone then. The error wraps [ErrProtocol] where the bytes are no header.
func ReadCommand(r io.Reader) (Command, error) {
	var b [commandBytes]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		return Command{}, err
	}
	c := Command{
		Kind: Kind(b[6]), Slot: binary.LittleEndian.Uint32(b[8:]), N: binary.LittleEndian.Uint32(b[12:]),
		Sequence: binary.LittleEndian.Uint64(b[16:]), Length: binary.LittleEndian.Uint64(b[24:]),
	}
	version := binary.LittleEndian.Uint16(b[4:])
	switch {
	case string(b[:4]) != "AMXP":
		return c, fmt.Errorf("%w: it begins with %q (allowed: AMXP)", ErrProtocol, b[:4])
	case version != Version:
		return c, fmt.Errorf("%w: protocol %d (allowed: %d)", ErrProtocol, version, Version)
	case b[7] != 0:
		return c, fmt.Errorf("%w: flags %d (allowed: 0)", ErrProtocol, b[7])
	case c.Kind != KindFree && c.Kind != KindOutputs && c.Kind != KindStop:
		return c, fmt.Errorf("%w: kind %q (allowed: F, L, T)", ErrProtocol, byte(c.Kind))
	case c.Kind != KindOutputs && c.Length != 0, c.Length > mostCommand:
		return c, fmt.Errorf("%w: a body of %d bytes of kind %c (allowed: none; up to %d for L)", ErrProtocol, c.Length, c.Kind,
			mostCommand)
	}
	return c, nil
}
