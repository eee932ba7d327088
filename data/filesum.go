package data

import (
	"hash/crc32"
	"io"
)

// FileSum is what a sink knows of a file that it has given its final name: enough to see later that it is the same.
type FileSum struct {
	Path string // the final name
	Size int64
	CRC  uint32 // CRC-32C of the bytes
}

// Finisher is a [Sink] that gives files their final names before Close.
type Finisher interface {
	// Finished returns the files that got their final names since it was called last.
	Finished() []FileSum
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// UpdateCRC returns the CRC-32C of bytes of which those before p have sum.
func UpdateCRC(sum uint32, p []byte) uint32 { return crc32.Update(sum, castagnoli, p) }

// ReadCRC returns the CRC-32C of what is left of r.
func ReadCRC(r io.Reader) (uint32, error) {
	h := crc32.New(castagnoli)
	_, err := io.Copy(h, r)
	return h.Sum32(), err
}
