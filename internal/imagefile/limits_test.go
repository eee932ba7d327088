package imagefile

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/raster"
)

// zeros deflates n zero bytes.
func zeros(t testing.TB, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, 1<<16)
	for ; n > 0; n -= len(chunk) {
		if _, err := w.Write(chunk[:min(n, len(chunk))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zeroPNG is a black PNG file of side by side pixels; side is a multiple of 8.
func zeroPNG(t testing.TB, side, depth, color, bits int, interlaced bool) []byte {
	t.Helper()
	file := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, body []byte) {
		file = binary.BigEndian.AppendUint32(file, uint32(len(body)))
		at := len(file)
		file = append(append(file, name...), body...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(file[at:]))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(side))
	head = binary.BigEndian.AppendUint32(head, uint32(side))
	head = append(head, byte(depth), byte(color), 0, 0, 0)
	n := side * (1 + side*bits/8)
	if interlaced {
		head[12], n = 1, 0
		for _, step := range [][2]int{{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}} { // across, down
			n += side / step[1] * (1 + side/step[0]*bits/8)
		}
	}
	chunk("IHDR", head)
	chunk("IDAT", zeros(t, n))
	chunk("IEND", nil)
	return file
}

// zeroTIFF is a black TIFF file of one strip, 8-bit gray, deflated.
func zeroTIFF(t testing.TB, side int) []byte {
	t.Helper()
	body := zeros(t, side*side)
	return tiffLong(body, [][2]uint32{
		{256, uint32(side)},
		{257, uint32(side)},
		{258, 8},
		{259, 8},
		{262, 1},
		{273, 8},
		{278, uint32(side)},
		{279, uint32(len(body))},
	})
}

// tiffLong is a TIFF file whose values are all LONG.
func tiffLong(body []byte, entries [][2]uint32) []byte {
	file := binary.LittleEndian.AppendUint32([]byte("II*\x00"), uint32(8+len(body)))
	file = append(file, body...)
	file = binary.LittleEndian.AppendUint16(file, uint16(len(entries)))
	for _, e := range entries {
		file = binary.LittleEndian.AppendUint16(file, uint16(e[0]))
		file = binary.LittleEndian.AppendUint16(file, 4)
		file = binary.LittleEndian.AppendUint32(file, 1)
		file = binary.LittleEndian.AppendUint32(file, e[1])
	}
	return binary.LittleEndian.AppendUint32(file, 0)
}

// deflated is the TIFF file of m, one strip.
func deflated(t testing.TB, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tiff.Encode(&b, m, &tiff.Options{Compression: tiff.Deflate}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestEstimates: decoding allocates no more than the header is taken to say, but for what a doubled buffer leaves behind.
func TestEstimates(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	const side = 1024
	r := image.Rect(0, 0, side, side)
	var pal bytes.Buffer
	if err := png.Encode(&pal, image.NewPaletted(r, onePalette)); err != nil {
		t.Fatal(err)
	}
	jpg, err := EncodeJPEG(nil, testImage(side, side), 50)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"png gray 1":            zeroPNG(t, side, 1, 0, 1, false),
		"png gray 8":            zeroPNG(t, side, 8, 0, 8, false),
		"png gray 16":           zeroPNG(t, side, 16, 0, 16, false),
		"png RGB 8":             zeroPNG(t, side, 8, 2, 24, false),
		"png RGB 16":            zeroPNG(t, side, 16, 2, 48, false),
		"png RGBA 16":           zeroPNG(t, side, 16, 6, 64, false),
		"png RGBA 16 in passes": zeroPNG(t, side, 16, 6, 64, true),
		"png gray 8 in passes":  zeroPNG(t, side, 8, 0, 8, true),
		"png palette":           pal.Bytes(),
		"tiff gray 8":           zeroTIFF(t, side),
		"tiff RGBA 8":           deflated(t, image.NewNRGBA(r)),
		"tiff RGBA 16":          deflated(t, image.NewNRGBA64(r)),
		"jpeg":                  jpg,
	} {
		info, err := Inspect(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var m raster.Image
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = Options{Window: &Window{0, 65535}}.Decode(&m, file)
		runtime.ReadMemStats(&after)
		got := int64(after.TotalAlloc - before.TotalAlloc)
		if most := info.memory + info.memory/3 + 1<<20; err != nil || got > most {
			t.Errorf("%s: %v; allocated %d bytes, at most %d were estimated", name, err, got, info.memory)
		}
	}
}

var onePalette = onePixel[len(onePixel)-1].src.(*image.Paletted).Palette

// within sets limits for a test.
func within(t testing.TB, l Limits) {
	t.Helper()
	old := CurrentLimits()
	if err := SetLimits(l); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := SetLimits(old); err != nil {
			t.Error(err)
		}
	})
}

// TestBombs: small files that declare large images are refused from their headers, in no time and memory.
func TestBombs(t *testing.T) {
	const side = 8192
	within(t, Limits{MaxPixels: DefaultLimits.MaxPixels, MaxMemory: 512 << 20})
	for name, file := range map[string][]byte{
		"tiff gray 8, one strip": zeroTIFF(t, side),
		"png RGBA 16":            zeroPNG(t, side, 16, 6, 64, false),
		"png RGBA 16 in passes":  zeroPNG(t, side, 16, 6, 64, true),
	} {
		var m raster.Image
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Decode(&m, file)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrLimit) || !errors.Is(err, ErrFormat) || !errors.Is(err, raster.ErrSize) {
			t.Errorf("%s: %v", name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

// TestLimitInForce: an image above every limit is told of the one that holds.
func TestLimitInForce(t *testing.T) {
	file, err := EncodePNG(nil, testImage(5, 4), LevelNone)
	if err != nil {
		t.Fatal(err)
	}
	binary.BigEndian.PutUint32(file[16:], 60000)
	binary.BigEndian.PutUint32(file[20:], 60000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	var m raster.Image
	err = Decode(&m, file)
	want := fmt.Sprintf("60000x60000 (allowed: at most %d pixels)", DefaultLimits.MaxPixels)
	if !errors.Is(err, ErrLimit) || !errors.Is(err, raster.ErrSize) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestLimits(t *testing.T) {
	for _, l := range []Limits{{0, 1}, {raster.MaxPixels + 1, 1}, {1, 0}, {1, -1}} {
		if err := SetLimits(l); !errors.Is(err, ErrLimit) {
			t.Errorf("%+v: %v", l, err)
		}
	}
	if CurrentLimits() != DefaultLimits {
		t.Errorf("refused limits hold: %+v", CurrentLimits())
	}
	file := zeroPNG(t, 64, 8, 2, 24, false)
	within(t, Limits{MaxPixels: 64*64 - 1, MaxMemory: 1 << 30})
	if _, err := Inspect(file); !errors.Is(err, ErrLimit) {
		t.Errorf("a pixel more than allowed: %v", err)
	}
}

// TestBudgetIsShared: however many goroutines decode, what they hold together stays within the limit, and all get their
// turn.
func TestBudgetIsShared(t *testing.T) {
	b := &budget{limits: Limits{MaxPixels: 1, MaxMemory: 100}}
	var mu sync.Mutex
	held, most := int64(0), int64(0)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			n := int64(1 + 7*i%100)
			err := b.decode(t.Context(), nil, Info{}, n, nil, func() error {
				mu.Lock()
				held += n
				most = max(most, held)
				mu.Unlock()
				time.Sleep(10 * time.Microsecond)
				mu.Lock()
				held -= n
				mu.Unlock()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most > 100 || most < 50 || b.used != 0 || len(b.urgent) != 0 {
		t.Errorf("at most %d were held, %d are, %d wait", most, b.used, len(b.urgent))
	}
	if err := b.decode(t.Context(), nil, Info{}, 101, nil, nil); !errors.Is(err, ErrLimit) {
		t.Errorf("more than the whole: %v", err)
	}
}

// TestHeldImagesCount: what goroutines hold after decoding stays within the limit too, though each needs a second image for a
// while, and all get their turn.
func TestHeldImagesCount(t *testing.T) {
	const side = 64
	file := zeroPNG(t, side, 8, 2, 24, false)
	info, err := Inspect(file)
	if err != nil {
		t.Fatal(err)
	}
	most := 2*info.memory + 3*4*side*side // two in decoding and some held
	within(t, Limits{MaxPixels: side * side, MaxMemory: most})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var h Hold
			var first, second raster.Image
			for range 20 {
				if err := (Options{}).DecodeHeld(t.Context(), &h, &first, file); err != nil {
					t.Error(err)
				}
				memory.mu.Lock()
				if memory.held > most {
					t.Errorf("%d bytes are held, at most %d are allowed", memory.held, most)
				}
				memory.mu.Unlock()
				if err := Decode(&second, file); err != nil {
					t.Error(err)
				}
				h.Release(&first)
			}
		})
	}
	wg.Wait()
	if memory.used != 0 || memory.held != 0 || len(memory.urgent)+len(memory.waiting) != 0 {
		t.Errorf("%d in decoding, %d held, %d wait", memory.used, memory.held, len(memory.urgent)+len(memory.waiting))
	}
}

// TestWaitEnds: who waits for memory gets it when a held image is released, or stops when the context ends, and leaves
// nothing behind.
func TestWaitEnds(t *testing.T) {
	b := &budget{limits: Limits{MaxPixels: 1, MaxMemory: 100}}
	m := &raster.Image{Pix: make([]uint8, 80)}
	var h Hold
	if err := b.decode(t.Context(), &h, Info{}, 90, m, func() error { return nil }); err != nil || b.held != 80 || b.used != 0 {
		t.Fatalf("%v; %d held, %d used", err, b.held, b.used)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	ended := make(chan error)
	wait := func(ctx context.Context) {
		var h Hold
		ended <- b.decode(ctx, &h, Info{}, 50, m, func() error { return nil })
		b.release(&h)
	}
	go wait(ctx)
	go wait(t.Context())
	for waits := 0; waits < 2; {
		b.mu.Lock()
		waits = len(b.waiting)
		b.mu.Unlock()
	}
	cancel(stop)
	if err := <-ended; !errors.Is(err, stop) {
		t.Errorf("canceled: %v", err)
	}
	b.release(&h)
	if err := <-ended; err != nil {
		t.Errorf("released: %v", err)
	}
	// The image of a goroutine that holds the whole does not keep a second one from being decoded.
	if err := b.decode(t.Context(), &h, Info{}, 100, m, func() error {
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := b.decode(t.Context(), nil, Info{}, 100, m, func() error { return nil }); err != nil {
		t.Error(err)
	}
	if len(b.waiting) != 0 || b.used != 0 {
		t.Errorf("%d wait, %d used", len(b.waiting), b.used)
	}
}

// TestWorkCounts: what the caller takes to work on an image counts until the image is released: goroutines wait for each other, and an
// image that never fits is refused with what it takes and what is allowed.
func TestWorkCounts(t *testing.T) {
	const side, work = 64, 3 << 20
	file := zeroPNG(t, side, 8, 2, 24, false)
	within(t, Limits{MaxPixels: side * side, MaxMemory: 2*work + 1<<20})
	o := Options{Work: func(w, h int) int64 {
		if w != side || h != side {
			t.Errorf("work on %dx%d", w, h)
		}
		return work
	}}
	var mu sync.Mutex
	at, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		at += by
		most = max(most, at)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var h Hold
			var m raster.Image
			for range 10 {
				if err := o.DecodeHeld(t.Context(), &h, &m, file); err != nil {
					t.Error(err)
				}
				count(1)
				time.Sleep(100 * time.Microsecond)
				count(-1)
				h.Release(&m)
			}
		})
	}
	wg.Wait()
	if most > 2 || memory.held != 0 || memory.used != 0 {
		t.Errorf("%d at work at a time, %d bytes held, %d in use", most, memory.held, memory.used)
	}
	within(t, Limits{MaxPixels: side * side, MaxMemory: work})
	var h Hold
	err := o.DecodeHeld(t.Context(), &h, new(raster.Image), file)
	const says = "64x64 takes 4 MiB to decode and to work on (allowed: at most 3 MiB)"
	if !errors.Is(err, ErrLimit) || !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %q", err, says)
	}
}

// TestRelease: a goroutine keeps a buffer for its next image that is small beside the memory of all, so that many of them keep little.
func TestRelease(t *testing.T) {
	for _, c := range []struct {
		memory int64
		bytes  int
		kept   bool
	}{{6 << 30, 64 << 20, true}, {6 << 30, 64<<20 + 1, false}, {200 << 20, 3 << 20, true}, {200 << 20, 4 << 20, false}} {
		within(t, Limits{MaxPixels: 1, MaxMemory: c.memory})
		m := &raster.Image{Pix: make([]uint8, c.bytes)}
		new(Hold).Release(m)
		if kept := m.Pix != nil; kept != c.kept {
			t.Errorf("%d bytes of %d: kept %v", c.bytes, c.memory, kept)
		}
	}
}
