package perturb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// chunk is a chunk of a PNG file.
type chunk struct {
	kind string
	data []byte
}

// chunks splits a PNG file and checks the signature and every check sum.
func chunks(t testing.TB, file []byte) []chunk {
	t.Helper()
	if !bytes.HasPrefix(file, []byte(pngSignature)) {
		t.Fatal("no PNG")
	}
	var all []chunk
	for file = file[8:]; len(file) > 0; {
		n := binary.BigEndian.Uint32(file)
		body := file[4 : 8+n]
		if sum := binary.BigEndian.Uint32(file[8+n:]); sum != crc32.ChecksumIEEE(body) {
			t.Fatalf("chunk %s: check sum %x, want %x", body[:4], sum, crc32.ChecksumIEEE(body))
		}
		all = append(all, chunk{string(body[:4]), body[4:]})
		file = file[12+n:]
	}
	return all
}

// decodeAPNG takes an animation apart into images and delays, by putting the data of each frame into a PNG file.
func decodeAPNG(t testing.TB, file []byte) (images []*raster.Image, delays [][2]uint16) {
	t.Helper()
	var header, data []byte
	var declared, number uint32
	end := func() {
		if len(data) == 0 {
			return
		}
		var one bytes.Buffer
		one.WriteString(pngSignature)
		a := apngWriter{w: &one}
		for _, c := range []chunk{{"IHDR", header}, {"IDAT", data}, {"IEND", nil}} {
			if err := a.chunk(c.kind, c.data); err != nil {
				t.Fatal(err)
			}
		}
		src, err := png.Decode(&one)
		if err != nil {
			t.Fatalf("frame %d: %v", len(images), err)
		}
		m := new(raster.Image)
		if err := m.SetImage(src); err != nil {
			t.Fatal(err)
		}
		images, data = append(images, m), nil
	}
	next := func(b []byte) []byte {
		if got := binary.BigEndian.Uint32(b); got != number {
			t.Fatalf("chunk number %d, want %d", got, number)
		}
		number++
		return b[4:]
	}
	all := chunks(t, file)
	for i, c := range all {
		switch c.kind {
		case "IHDR":
			header = c.data
		case "acTL":
			declared = binary.BigEndian.Uint32(c.data)
			if plays := binary.BigEndian.Uint32(c.data[4:]); plays != 0 || i != 1 {
				t.Errorf("acTL is chunk %d and asks for %d plays", i, plays)
			}
		case "fcTL":
			end()
			b := next(c.data)
			if !bytes.Equal(b[:8], header[:8]) || !bytes.Equal(b[8:16], make([]byte, 8)) || len(b) != 22 {
				t.Errorf("fcTL places the frame at % x", b)
			}
			delays = append(delays, [2]uint16{binary.BigEndian.Uint16(b[16:]), binary.BigEndian.Uint16(b[18:])})
		case "IDAT":
			if len(delays) != 1 {
				t.Error("IDAT outside frame 0")
			}
			data = append(data, c.data...)
		case "fdAT":
			data = append(data, next(c.data)...)
		case "IEND":
			end()
			if i != len(all)-1 {
				t.Error("chunks after the end")
			}
		}
	}
	if int(declared) != len(images) || len(delays) != len(images) {
		t.Errorf("%d frames declared, %d timed, %d there", declared, len(delays), len(images))
	}
	return images, delays
}

func TestAPNG(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 40).Draw(rt, "w"), rapid.IntRange(1, 40).Draw(rt, "h")
		r := rng.New(rapid.Uint64().Draw(rt, "seed"))
		var want []*raster.Image
		for range rapid.IntRange(1, 5).Draw(rt, "frames") {
			m := raster.New(w, h)
			for i := range m.Pix {
				if i&3 != 3 {
					m.Pix[i] = uint8(r.IntN(256))
				}
			}
			want = append(want, m)
		}
		var file bytes.Buffer
		if err := WriteAPNG(&file, want, 120*time.Millisecond); err != nil {
			rt.Fatal(err)
		}
		got, delays := decodeAPNG(t, file.Bytes())
		for i := range want {
			if !raster.Equal(got[i], want[i]) || delays[i] != [2]uint16{120, 1000} {
				rt.Fatalf("frame %d differs, or its delay %v", i, delays[i])
			}
		}
		first, err := png.Decode(&file)
		if err != nil {
			rt.Fatal(err)
		}
		m := new(raster.Image)
		if err := m.SetImage(first); err != nil || !raster.Equal(m, want[0]) {
			rt.Fatal("a reader without animation sees something else than frame 0")
		}
	})
}

// A frame of more than 32 KiB of compressed data has several chunks.
func TestLargeAPNG(t *testing.T) {
	var s Scratch
	want := frames(t, "gaussian_noise", testImage(200, 160), 1, P32, 1, &s)[:3]
	var file bytes.Buffer
	if err := WriteAPNG(&file, want, time.Second); err != nil {
		t.Fatal(err)
	}
	got, _ := decodeAPNG(t, file.Bytes())
	for i := range want {
		if !raster.Equal(got[i], want[i]) {
			t.Errorf("frame %d differs", i)
		}
	}
	n := 0
	for _, c := range chunks(t, file.Bytes()) {
		if c.kind == "fdAT" {
			n++
		}
	}
	if n <= 2 {
		t.Errorf("%d chunks for two frames: the test wants larger ones", n)
	}
}

// Few colors are kept without loss.
func TestExactGIF(t *testing.T) {
	r := rng.New(3)
	var want []*raster.Image
	for range 3 {
		m := raster.New(17, 9)
		for y := range m.H {
			for x := range m.W {
				m.Set(x, y, raster.RGB{R: uint8(r.IntN(4)), G: uint8(r.IntN(8) * 30), B: uint8(r.IntN(8))})
			}
		}
		want = append(want, m)
	}
	g := encodeGIF(t, want, 70*time.Millisecond)
	for i, m := range g.Image {
		got := new(raster.Image)
		if err := got.SetImage(m); err != nil || !raster.Equal(got, want[i]) {
			t.Errorf("frame %d differs", i)
		}
	}
	if !slices.Equal(g.Delay, []int{7, 7, 7}) || g.LoopCount != 0 || len(g.Image) != 3 {
		t.Errorf("%d frames, delays %v, loop count %d", len(g.Image), g.Delay, g.LoopCount)
	}
}

func encodeGIF(t testing.TB, frames []*raster.Image, delay time.Duration) *gif.GIF {
	t.Helper()
	var file bytes.Buffer
	if err := WriteGIF(&file, frames, delay); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Many colors: the palette is full and shared, single values are off by the coarseness of the palette, means over
// 8x8 pixels hardly, since errors are passed on.
func TestDitheredGIF(t *testing.T) {
	var s Scratch
	want := frames(t, "rotate", testImage(96, 96), 1, P32, 1, &s)
	g := encodeGIF(t, want, time.Second/10)
	p, ok := g.Config.ColorModel.(color.Palette)
	if !ok || len(p) != 256 {
		t.Fatalf("no global palette of 256 colors")
	}
	worst, total, n := 0.0, 0.0, 0
	for i, m := range g.Image {
		if len(m.Palette) != 256 || m.Palette[7] != p[7] {
			t.Fatalf("frame %d has a palette of its own", i)
		}
		got := new(raster.Image)
		if err := got.SetImage(m); err != nil {
			t.Fatal(err)
		}
		for y := 0; y+8 <= got.H; y += 8 {
			for x := 0; x+8 <= got.W; x += 8 {
				for k := range 3 {
					d := math.Abs(blockMean(got, x, y, k) - blockMean(want[i], x, y, k))
					worst, total, n = max(worst, d), total+d, n+1
				}
			}
		}
	}
	if mean := total / float64(n); worst > 16 || mean > 2 {
		t.Errorf("means of blocks are off by %.2f, at most %.2f gray levels", mean, worst)
	}
}

func blockMean(m *raster.Image, x, y, k int) float64 {
	sum := 0
	for j := range 8 {
		for i := range 8 {
			sum += int(m.Pix[4*((y+j)*m.W+x+i)+k])
		}
	}
	return float64(sum) / 64
}

// The colors of clearly separate groups are found, whatever their numbers of pixels.
func TestMedianCut(t *testing.T) {
	m := raster.New(30, 10)
	for i := range 300 {
		c := raster.RGB{R: uint8(10 + i%3), G: 20, B: 30}
		if i < 5 {
			c = raster.RGB{R: 250, G: 240, B: uint8(100 + i%2)}
		}
		m.Set(i%30, i/30, c)
	}
	got := medianCut(histogram([]*raster.Image{m}), 2)
	want := []raster.RGB{{R: 11, G: 20, B: 30}, {R: 250, G: 240, B: 100}}
	if !slices.Equal(got, want) {
		t.Errorf("colors %v, want %v", got, want)
	}
	if got = medianCut(histogram([]*raster.Image{m}), 256); len(got) != 2 { // no box can be cut any more
		t.Errorf("colors %v, want one for each of two bins", got)
	}
}

func TestBadAnimations(t *testing.T) {
	a, b := testImage(4, 4), testImage(5, 4)
	tests := map[string]struct {
		frames []*raster.Image
		delay  time.Duration
	}{
		"none":     {nil, time.Second},
		"sizes":    {[]*raster.Image{a, b}, time.Second},
		"empty":    {[]*raster.Image{{}}, time.Second},
		"negative": {[]*raster.Image{a}, -1},
		"long":     {[]*raster.Image{a}, 20 * time.Minute},
	}
	for name, c := range tests {
		var file bytes.Buffer
		if err := WriteAPNG(&file, c.frames, c.delay); !errors.Is(err, ErrFrames) || file.Len() > 0 {
			t.Errorf("APNG, %s: %v, %d bytes", name, err, file.Len())
		}
		if err := WriteGIF(&file, c.frames, c.delay); !errors.Is(err, ErrFrames) || file.Len() > 0 {
			t.Errorf("GIF, %s: %v, %d bytes", name, err, file.Len())
		}
	}
	clear(a.Pix)
	if err := WriteAPNG(io.Discard, []*raster.Image{b, b, a}[1:], time.Second); !errors.Is(err, ErrFrames) {
		t.Errorf("APNG, transparent: %v", err)
	}
	wide := raster.New(maxGIFSide+1, 1)
	if err := WriteGIF(io.Discard, []*raster.Image{wide}, 0); !errors.Is(err, ErrFrames) {
		t.Errorf("GIF, wide: %v", err)
	}
}

func TestTicks(t *testing.T) {
	for delay, want := range map[time.Duration]uint16{
		0: 0, 4 * time.Millisecond: 0, 5 * time.Millisecond: 1, 655350 * time.Millisecond: 65535,
	} {
		if got, err := ticks(delay, 100); got != want || err != nil {
			t.Errorf("%v: %d, %v", delay, got, err)
		}
	}
}

// errFull is what fullWriter returns.
var errFull = errors.New("full")

// fullWriter takes a number of bytes, then fails.
type fullWriter struct{ room int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	images := []*raster.Image{testImage(5, 5), testImage(5, 5)}
	write := map[string]func(io.Writer, []*raster.Image, time.Duration) error{"APNG": WriteAPNG, "GIF": WriteGIF}
	for name, f := range write {
		var file bytes.Buffer
		if err := f(&file, images, 0); err != nil {
			t.Fatal(err)
		}
		for room := range file.Len() {
			if err := f(&fullWriter{room}, images, 0); !errors.Is(err, errFull) {
				t.Fatalf("%s, %d bytes of %d: %v", name, room, file.Len(), err)
			}
		}
	}
}
