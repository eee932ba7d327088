package npyset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
)

// verifyNamed reads back what a run has completed that ended before its journal said so: size bytes of images, or an archive, which
// has checksums of its own. The error wraps data.ErrFormat where that is not what was written.
func (s *Sink) verifyNamed(size int64) error {
	if s.format == NameNPZ {
		return wrap(npy.VerifyZip(s.path))
	}
	f, err := data.OpenFile(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	images := io.NewSectionReader(f, int64(s.header), size-int64(s.header))
	// The checksum is of a file whose header is not there yet.
	sum, err := data.ReadCRC(io.MultiReader(bytes.NewReader(make([]byte, s.header)), images))
	if err != nil {
		return err
	}
	if st, err := f.Stat(); err != nil || st.Size() != size || sum != s.st.ImagesCRC {
		return fmt.Errorf("%w: %s is not what was written", data.ErrFormat, s.path)
	}
	if !s.st.Labels.Labeled {
		return nil
	}
	path := beside(s.path, labelsFile)
	if _, err := os.Stat(path[0]); err != nil {
		return VerifyLabels(path[1], 1, s.st.LabelsCRC)
	}
	return VerifyLabels(path[0], 1, s.st.LabelsCRC)
}

// VerifyLabels reads the array of labels at path and compares the CRC-32C of each of its blocks, which are of equal length, as 64-bit
// little-endian integers, with that of what was written. The error wraps data.ErrFormat where one differs.
func VerifyLabels(path string, blocks int, crc uint32) error {
	a, err := readLabels(path)
	if err != nil {
		return wrap(err)
	}
	labels, err := toLabels(a, path)
	if err != nil {
		return err
	}
	for b := range blocks {
		sum, word := uint32(0), []byte{}
		for _, label := range labels[b*len(labels)/blocks : (b+1)*len(labels)/blocks] {
			word = binary.LittleEndian.AppendUint64(word[:0], uint64(int64(label)))
			sum = data.UpdateCRC(sum, word)
		}
		if sum != crc {
			return fmt.Errorf("%w: %s is not what was written", data.ErrFormat, path)
		}
	}
	return nil
}
