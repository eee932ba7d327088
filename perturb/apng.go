package perturb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"math"
	"time"

	"github.com/augmix-go/augmix/raster"
)

// WriteAPNG writes frames as an animated PNG that repeats for ever (PNG, third edition, "Animation information"):
// 8-bit RGB, without loss. Readers without animation show the first frame. delay is the time that each frame is shown,
// rounded to milliseconds, at most 65.535 s. Frames must have one size; otherwise, or if there is none, the error wraps
// [ErrFrames] and nothing is written.
func WriteAPNG(w io.Writer, frames []*raster.Image, delay time.Duration) error {
	if err := checkFrames(frames, math.MaxInt32); err != nil {
		return fmt.Errorf("APNG: %w", err)
	}
	ms, err := ticks(delay, 1000)
	if err != nil {
		return fmt.Errorf("APNG: %w", err)
	}
	a := apngWriter{w: w, ms: ms, total: len(frames)}
	for i, m := range frames {
		if err := a.add(i, m); err != nil {
			return fmt.Errorf("APNG: frame %d: %w", i, err)
		}
	}
	if err := a.chunk("IEND"); err != nil {
		return fmt.Errorf("APNG: %w", err)
	}
	return nil
}

// apngWriter writes an animation frame by frame: each is encoded as a PNG file of its own, whose compressed data are
// then put into chunks of the animation.
type apngWriter struct {
	w      io.Writer
	ms     uint16 // delay
	total  int    // frames
	number uint32 // of the next chunk of the animation
	header []byte // IHDR of the first frame
	file   bytes.Buffer
	pool   encoderBuffer
}

// encoderBuffer lets the PNG encoder keep its memory from frame to frame.
type encoderBuffer struct{ b *png.EncoderBuffer }

func (p *encoderBuffer) Get() *png.EncoderBuffer  { return p.b }
func (p *encoderBuffer) Put(b *png.EncoderBuffer) { p.b = b }

const pngSignature = "\x89PNG\r\n\x1a\n"

// add writes frame i, and before the first one the beginning of the file.
func (a *apngWriter) add(i int, m *raster.Image) error {
	a.file.Reset()
	enc := png.Encoder{BufferPool: &a.pool}
	if err := enc.Encode(&a.file, m.RGBA()); err != nil {
		return err
	}
	rest := a.file.Bytes()[len(pngSignature):]
	for len(rest) > 0 {
		n := binary.BigEndian.Uint32(rest)
		kind, data := string(rest[4:8]), rest[8:8+n]
		rest = rest[12+n:]
		var err error
		switch {
		case kind == "IHDR":
			err = a.begin(i, m, data)
		case kind == "IDAT" && i == 0:
			err = a.chunk("IDAT", data)
		case kind == "IDAT":
			err = a.chunk("fdAT", a.next(), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin writes what comes before the data of frame i, whose header as a PNG file is given.
func (a *apngWriter) begin(i int, m *raster.Image, header []byte) error {
	if i == 0 {
		a.header = bytes.Clone(header)
		if _, err := io.WriteString(a.w, pngSignature); err != nil {
			return err
		}
		if err := a.chunk("IHDR", header); err != nil {
			return err
		}
		if err := a.chunk("acTL", uints(uint32(a.total), 0)); err != nil { // 0: repeat for ever
			return err
		}
	}
	if !bytes.Equal(header, a.header) {
		return fmt.Errorf("%w: pixels are not opaque", ErrFrames) // against the contract of raster.Image
	}
	place := uints(uint32(m.W), uint32(m.H), 0, 0)
	timing := []byte{byte(a.ms >> 8), byte(a.ms), 1000 >> 8, 1000 & 0xff, 0, 0} // keep the frame, replace all pixels
	return a.chunk("fcTL", a.next(), place, timing)
}

// next returns the number of the next chunk of the animation.
func (a *apngWriter) next() []byte {
	a.number++
	return uints(a.number - 1)
}

func uints(v ...uint32) []byte {
	var b []byte
	for _, u := range v {
		b = binary.BigEndian.AppendUint32(b, u)
	}
	return b
}

// chunk writes a chunk: length, kind, data, check sum of the last two.
func (a *apngWriter) chunk(kind string, parts ...[]byte) error {
	data := bytes.Join(parts, nil)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data)
	for _, b := range [][]byte{uints(uint32(len(data))), []byte(kind), data, uints(sum)} {
		if _, err := a.w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
