package jpeg

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/augmix-go/augmix/raster"
)

// manyScans is a gray progressive file of 8*blocks a side, of one color, whose last coefficients are refined n times: each
// such scan takes a few bytes.
func manyScans(blocks, n int) []byte {
	file := []byte{0xFF, mSOI}
	segment := func(m uint8, body ...byte) {
		file = append(append(file, 0xFF, m, byte((len(body)+2)>>8), byte(len(body)+2)), body...)
	}
	side := 8 * blocks
	segment(mDQT, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(mSOF2, 8, byte(side>>8), byte(side), byte(side>>8), byte(side), 1, 1, 0x11, 0)
	oneCode := []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	segment(mDHT, append(append([]byte{0x00}, oneCode...), 0x00)...) // no difference
	segment(mDHT, append(append([]byte{0x10}, oneCode...), 0xE0)...) // a run of 2^14 blocks and more
	segment(mSOS, 1, 1, 0, 0, 0, 0)
	file = append(file, make([]byte, blocks*blocks/8+1)...)
	for i := range n {
		bits := byte(0x01) // the first scan of the band, then refinements
		if i > 0 {
			bits = 0x10
		}
		segment(mSOS, 1, 1, 0, 1, 63, bits)
		file = append(file, make([]byte, 2*(blocks*blocks>>14+1))...)
	}
	return append(file, 0xFF, mEOI)
}

// TestScansBySize: the scans of a small file may not cost minutes, whatever they are; what encoders write is far below the
// bound.
func TestScansBySize(t *testing.T) {
	var d Decoder
	var m raster.Image
	start := time.Now()
	err := d.Decode(&m, manyScans(512, 990))
	if !errors.Is(err, ErrFormat) {
		t.Errorf("990 scans of 512x512 blocks in %v: %v", time.Since(start), err)
	}
	for _, blocks := range []int{8, 512} {
		if err := d.Decode(&m, manyScans(blocks, 5)); err != nil {
			t.Errorf("6 scans of %dx%d blocks: %v", blocks, blocks, err)
		}
	}
	if err := d.Decode(&m, manyScans(8, 900)); err != nil {
		t.Errorf("901 scans of a small image: %v", err)
	}
}
