package npy

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"sync/atomic"
)

// Pieces compares a stored array with the CRC-32 that the zip directory has of it while it is read at random: once every piece of it was
// read, in whatever order, the checksum follows from theirs without reading anything again. The methods may be called from several
// goroutines at once.
type Pieces struct {
	name    string
	at      io.ReaderAt
	head    int64  // where the member begins, which is with the array's header
	off     int64  // of the first piece
	end     int64  // of the member
	size, n int    // of a piece in bytes; of the pieces
	want    uint32 // what the directory has

	runs  []atomic.Pointer[run] // of pieces; memory follows what is read
	left  atomic.Int64          // pieces that were not read
	check sync.Once
	err   error
}

// run is what is known of so many pieces in a row.
type run struct {
	seen [runLength / 32]atomic.Uint32 // a bit for each
	sums [runLength]uint32
}

const runLength = 4096

// Pieces returns what compares the checksum of the array called name, which must be one that [Zip.Section] takes and hold n pieces
// of size bytes. It is nil where the directory has no checksum.
func (z *Zip) Pieces(name string, size, n int) (*Pieces, error) {
	p, err := z.place(name)
	if err != nil {
		return nil, err
	}
	f := z.files[name]
	if f.CRC32 == 0 { // as archive/zip has it: none was set
		return nil, nil
	}
	pieces := &Pieces{name: name, at: z.at, head: p.head, off: p.data, end: p.end, size: size, n: n, want: f.CRC32}
	pieces.runs = make([]atomic.Pointer[run], (n+runLength-1)/runLength)
	pieces.left.Store(int64(n))
	return pieces, nil
}

// Note takes the bytes of piece i. Of the piece that was missing last it returns what the comparison says, an error that wraps
// [ErrFormat], and from then on for every piece. It does nothing for nil.
func (p *Pieces) Note(i int, b []byte) error {
	if p == nil {
		return nil
	}
	r := p.run(i)
	word, bit, sum := &r.seen[i%runLength/32], uint32(1)<<(i%32), uint32(0)
	if word.Load()&bit == 0 {
		sum = crc32.ChecksumIEEE(b)
	}
	if word.Or(bit)&bit == 0 { // nobody else has it
		r.sums[i%runLength] = sum
		p.left.Add(-1)
	}
	return p.verdict()
}

// run returns the run of piece i.
func (p *Pieces) run(i int) *run {
	at := &p.runs[i/runLength]
	if at.Load() == nil {
		at.CompareAndSwap(nil, new(run))
	}
	return at.Load()
}

// Rest reads the pieces that were not read yet, and compares.
func (p *Pieces) Rest() error {
	if p == nil {
		return nil
	}
	b := make([]byte, p.size)
	for i := range p.n {
		if p.run(i).seen[i%runLength/32].Load()&(1<<(i%32)) != 0 {
			continue
		}
		if n, err := p.at.ReadAt(b, p.off+int64(i)*int64(p.size)); n < len(b) {
			return err
		}
		if err := p.Note(i, b); err != nil {
			return err
		}
	}
	return p.verdict()
}

// verdict is nil until all pieces were read.
func (p *Pieces) verdict() error {
	if p.left.Load() > 0 {
		return nil
	}
	p.check.Do(func() { p.err = p.compare() })
	return p.err
}

// compare puts the checksum together: of what lies before the pieces, of them, and of what lies behind.
func (p *Pieces) compare() error {
	sum, err := p.sumOf(p.head, p.off)
	if err != nil {
		return err
	}
	step := power(int64(p.size))
	for i := range p.n {
		sum = multiply(step, sum) ^ p.runs[i/runLength].Load().sums[i%runLength]
	}
	last := p.off + int64(p.n)*int64(p.size)
	tail, err := p.sumOf(last, p.end)
	if err != nil {
		return err
	}
	if multiply(power(p.end-last), sum)^tail == p.want {
		return nil
	}
	return fmt.Errorf("%w: array %q: %w", ErrFormat, p.name, zip.ErrChecksum)
}

// sumOf reads bytes of the file.
func (p *Pieces) sumOf(from, to int64) (uint32, error) {
	h := crc32.NewIEEE()
	_, err := io.Copy(h, io.NewSectionReader(p.at, from, to-from))
	return h.Sum32(), err
}

// A checksum is a polynomial over GF(2) modulo that of CRC-32; bit 31 is x^0. One of A followed by n bytes of B is that of A times
// x^8n, plus that of B.

const one = uint32(1) << 31

// multiply returns the product of two of them.
func multiply(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		product ^= b & -(a >> 31)
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}

// power returns x^8n.
func power(n int64) uint32 {
	p := one
	for square := one >> 8; n > 0; n >>= 1 {
		if n&1 != 0 {
			p = multiply(square, p)
		}
		square = multiply(square, square)
	}
	return p
}
