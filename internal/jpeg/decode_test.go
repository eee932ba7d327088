package jpeg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/raster"
)

// TestDecodeCrop compares parts of images of every kind with cutting them from the whole.
func TestDecodeCrop(t *testing.T) {
	names := pillowNames()
	var d Decoder
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "file")
		var whole, got raster.Image
		if err := d.Decode(&whole, pillowFiles()[name]); err != nil {
			t.Fatal(err)
		}
		x0, y0 := rapid.IntRange(0, whole.W-1).Draw(t, "x0"), rapid.IntRange(0, whole.H-1).Draw(t, "y0")
		r := image.Rect(x0, y0, rapid.IntRange(x0+1, whole.W).Draw(t, "x1"), rapid.IntRange(y0+1, whole.H).Draw(t, "y1"))
		if err := d.DecodeCrop(&got, pillowFiles()[name], r); err != nil {
			t.Fatal(err)
		}
		want := raster.New(r.Dx(), r.Dy())
		raster.CopyRect(want, image.Point{}, &whole, r)
		if !raster.Equal(&got, want) {
			t.Fatalf("%s: part %v differs", name, r)
		}
	})
}

func TestDecodeCropRefuses(t *testing.T) {
	data := pillowFiles()["enc/64x48_q75_420.jpg"]
	var m raster.Image
	for _, c := range [][4]int{
		{}, {0, 0, 65, 48}, {0, 0, 64, 49}, {-1, 0, 4, 4}, {0, -1, 4, 4}, {5, 5, 5, 6}, {5, 5, 6, 4},
	} {
		r := image.Rectangle{Min: image.Pt(c[0], c[1]), Max: image.Pt(c[2], c[3])}
		if err := DecodeCrop(&m, data, r); !errors.Is(err, raster.ErrSize) {
			t.Errorf("%v: %v", r, err)
		}
	}
	// the rows that are needed lie above the cut
	if err := DecodeCrop(&m, data[:len(data)-10], image.Rect(0, 0, 64, 16)); err != nil {
		t.Errorf("top of a truncated file: %v", err)
	}
	if err := DecodeCrop(&m, data[:len(data)-10], image.Rect(0, 40, 64, 48)); !errors.Is(err, ErrTruncated) {
		t.Errorf("bottom of a truncated file: %v", err)
	}
}

func TestDecodeConfig(t *testing.T) {
	sound := pillowFiles()["enc/17x33_q75_420.jpg"]
	exif := func(order binary.AppendByteOrder, orientation uint16) []byte {
		body := []byte("Exif\x00\x00II*\x00")
		if order.String() == "BigEndian" {
			body = []byte("Exif\x00\x00MM\x00*")
		}
		body = order.AppendUint32(body, 8)
		body = order.AppendUint16(body, 2)
		for _, tag := range [][4]uint16{{0x0100, 3, 1, 17}, {0x0112, 3, 1, orientation}} {
			body = order.AppendUint16(order.AppendUint16(body, tag[0]), tag[1])
			body = order.AppendUint32(body, uint32(tag[2]))
			body = order.AppendUint16(order.AppendUint16(body, tag[3]), 0)
		}
		head := append([]byte{0xFF, mSOI, 0xFF, mAPP1}, 0, uint8(len(body)+2))
		return append(append(head, body...), sound[2:]...)
	}
	for _, c := range []struct {
		name string
		data []byte
		want Config
	}{
		{"color", sound, Config{17, 33, 3, false, 0, 0}},
		{"gray", pillowFiles()["enc/17x33_q25_grey.jpg"], Config{17, 33, 1, false, 0, 0}},
		{"progressive", pillowFiles()["enc/17x33_q50_420_prog.jpg"], Config{17, 33, 3, true, 0, 64 * (4*6 + 2*2*3)}},
		{"orientation 6, little-endian", exif(binary.LittleEndian, 6), Config{17, 33, 3, false, 6, 0}},
		{"orientation 8, big-endian", exif(binary.BigEndian, 8), Config{17, 33, 3, false, 8, 0}},
		{"orientation out of range", exif(binary.BigEndian, 9), Config{17, 33, 3, false, 0, 0}},
	} {
		got, err := DecodeConfig(c.data)
		if err != nil || got != c.want {
			t.Errorf("%s: got %+v, %v, want %+v", c.name, got, err, c.want)
		}
		var d Decoder
		var m raster.Image
		if err := d.Decode(&m, c.data); err != nil || d.Config() != c.want {
			t.Errorf("%s, decoded: got %+v, %v, want %+v", c.name, d.Config(), err, c.want)
		}
	}
}

// edit returns the file called name with the bytes at the offset from the first occurrence of find replaced.
func edit(t *testing.T, name, find string, offset int, put ...byte) []byte {
	t.Helper()
	data := bytes.Clone(pillowFiles()[name])
	at := bytes.Index(data, []byte(find))
	if at < 0 {
		t.Fatalf("no %q in %s", find, name)
	}
	copy(data[at+offset:], put)
	return data
}

func TestRefused(t *testing.T) {
	const base, prog = "enc/64x48_q75_420.jpg", "enc/64x48_q50_420_prog.jpg"
	const sof, dht, sos, dqt = "\xff\xc0\x00\x11", "\xff\xc4", "\xff\xda", "\xff\xdb"
	whole := pillowFiles()[base]
	progressive := pillowFiles()[prog]
	lastScan := bytes.LastIndex(progressive, []byte(sos))
	for _, c := range []struct {
		name string
		data []byte
		want error
		text string
	}{
		{"empty", nil, ErrTruncated, "0 bytes"},
		{"no JPEG", []byte("\x89PNG"), ErrFormat, "start-of-image"},
		{"only SOI", whole[:2], ErrTruncated, "marker is due"},
		{"no scan", append(bytes.Clone(whole[:20]), 0xFF, mEOI), ErrFormat, "no scan"},
		{"arithmetic coding", edit(t, base, sof, 1, mSOF9), ErrUnsupported, "arithmetic"},
		{"progressive arithmetic", edit(t, base, sof, 1, mSOF10), ErrUnsupported, "arithmetic"},
		{"lossless", edit(t, base, sof, 1, 0xC3), ErrUnsupported, "lossless"},
		{"12 bits", edit(t, base, sof, 4, 12), ErrUnsupported, "12-bit"},
		{"height from DNL", edit(t, base, sof, 5, 0, 0), ErrUnsupported, "height"},
		{"no width", edit(t, base, sof, 7, 0, 0), raster.ErrSize, "0x48"},
		{"too many pixels", edit(t, base, sof, 5, 0xFF, 0xDC, 0xFF, 0xDC), raster.ErrSize, "65500x65500"},
		{"too wide", edit(t, base, sof, 5, 0, 1, 0xFF, 0xFF), raster.ErrSize, "65535x1"},
		{"much larger than its data", edit(t, base, sof, 5, 0x40, 0, 0x40, 0), ErrTruncated, "blocks"},
		{"sampling 3 to 2", edit(t, "syn/luma3x1.jpg", sof, 11, 0x31, 0, 2, 0x21), ErrUnsupported, "component 1"},
		{"sampling 0", edit(t, base, sof, 11, 0x20), ErrFormat, "sampling"},
		{"sampling 5", edit(t, base, sof, 11, 0x52), ErrFormat, "sampling"},
		{"13 blocks in an MCU", edit(t, base, sof, 11, 0x42, 0, 2, 0x22, 1, 3, 0x11), ErrFormat, "blocks in an MCU"},
		{"frame header too long", edit(t, base, sof, 9, 2), ErrFormat, "frame header"},
		{"second frame header", append(bytes.Clone(whole[:177]), whole[158:]...), ErrFormat, "second frame"},
		{"scan of component 9", edit(t, base, sos, 5, 9), ErrFormat, "component 9"},
		{"scan of a component twice", edit(t, base, sos, 7, 1), ErrFormat, "component 1"},
		{"quantization table 4", edit(t, base, dqt, 4, 4), ErrFormat, "quantization table 4"},
		{"quantization table missing", edit(t, base, dqt, 4, 2), ErrFormat, "no quantization table 0"},
		{"component with quantization table 4", edit(t, base, sof, 12, 4), ErrFormat, "no quantization table 4"},
		{"scan with DC table 4", edit(t, base, sos, 6, 0x40), ErrFormat, "above 3"},
		{"scan with AC table 4", edit(t, base, sos, 6, 0x04), ErrFormat, "above 3"},
		{"Huffman table 4", edit(t, base, dht, 4, 4), ErrFormat, "Huffman table 0x04"},
		{"Huffman codes of all ones", edit(t, base, dht, 5, 9), ErrFormat, "Huffman"},
		{"unknown marker", edit(t, base, dqt, 1, 0x3C), ErrFormat, "marker 0x3c"},
		{"second SOI", edit(t, base, dqt, 1, mSOI), ErrFormat, "second start"},
		{"marker of 1 byte", edit(t, base, dqt, 2, 0, 1), ErrFormat, "of 1 bytes"},
		{"no Huffman table, progressive", edit(t, prog, dht, 1, mCOM), ErrFormat, "no Huffman table"},
		{"progressive scan of DC and AC", edit(t, prog, sos, 12, 5), ErrFormat, "coefficients 0 to 5"},
		{
			"progressive without its last scan", append(bytes.Clone(progressive[:lastScan]), 0xFF, mEOI),
			ErrUnsupported, "scans",
		},
		{"progressive without EOI", progressive[:len(progressive)-2], ErrTruncated, "end of file"},
		{"rubbish after the scan", append(bytes.Clone(whole[:len(whole)-2]), 0xFF, 0x3C), ErrFormat, "0x3c"},
	} {
		var m raster.Image
		err := Decode(&m, c.data)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.want, c.text)
		}
	}
}

func TestTooManyScans(t *testing.T) {
	data := pillowFiles()["enc/1x1_q50_420_prog.jpg"]
	at := bytes.LastIndex(data, []byte("\xff\xda"))
	scan := data[at : len(data)-2]
	long := append(bytes.Clone(data[:at]), bytes.Repeat(scan, 1100)...)
	var m raster.Image
	err := Decode(&m, append(long, 0xFF, mEOI))
	if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "1000 scans") {
		t.Errorf("got %v", err)
	}
}

// TestTruncated cuts sound files everywhere: nothing but the end-of-image marker of a sequential file may be missing.
func TestTruncated(t *testing.T) {
	for _, name := range []string{"enc/17x33_q75_420.jpg", "enc/17x33_q95_444_prog.jpg", "syn/luma2x2-restart.jpg"} {
		data := pillowFiles()[name]
		var d Decoder
		var m raster.Image
		for n := range data {
			err := d.Decode(&m, data[:n])
			if n >= len(data)-2 && !strings.Contains(name, "prog") {
				if err != nil {
					t.Errorf("%s without its last %d bytes: %v", name, len(data)-n, err)
				}
				mustEqual(t, name, &m, decoded(t, name))
			} else if !errors.Is(err, ErrTruncated) {
				t.Errorf("%s, first %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
}

// TestBytesLeft: bytes that are left at the end of any scan are counted, and the pixels are those of the whole file.
func TestBytesLeft(t *testing.T) {
	for _, name := range []string{"enc/64x48_q100_444.jpg", "enc/17x33_q50_420_prog.jpg", "enc/64x48_q95_444_prog.jpg"} {
		data, scans := pillowFiles()[name], 0
		for at := bytes.Index(data, []byte{0xFF, mSOS}); at >= 0 && at < len(data)-2; {
			end := at + 2 + int(data[at+2])<<8 + int(data[at+3])
			for data[end] != 0xFF || data[end+1] == 0 || data[end+1]&0xF8 == mRST0 {
				end++
			}
			var d Decoder
			var m raster.Image
			if err := d.Decode(&m, slices.Insert(bytes.Clone(data), end, 0x12, 0x34)); err != nil || d.Warnings() != 1 {
				t.Errorf("%s, scan %d: %d warnings, %v", name, scans, d.Warnings(), err)
			}
			mustEqual(t, name, &m, decoded(t, name))
			scans++
			next := bytes.Index(data[end:], []byte{0xFF, mSOS})
			if next < 0 {
				break
			}
			at = end + next
		}
		if progressive := strings.Contains(name, "prog"); progressive && scans < 6 || !progressive && scans != 1 {
			t.Errorf("%s: %d scans", name, scans)
		}
	}
}

// TestCutByMarker ends a file in the middle with a marker: what is missing is gray, and counted.
func TestCutByMarker(t *testing.T) {
	data := pillowFiles()["enc/64x48_q100_444.jpg"]
	cut := append(bytes.Clone(data[:len(data)/2]), 0xFF, mEOI)
	var d Decoder
	var m, whole raster.Image
	if err := d.Decode(&m, cut); err != nil {
		t.Fatal(err)
	}
	if d.Warnings() != 1 {
		t.Errorf("%d warnings, want 1", d.Warnings())
	}
	if err := d.Decode(&whole, data); err != nil {
		t.Fatal(err)
	}
	if d.Warnings() != 0 {
		t.Errorf("%d warnings on the whole file", d.Warnings())
	}
	if m.At(63, 47) != (raster.RGB{R: 128, G: 128, B: 128}) || m.At(5, 5) != whole.At(5, 5) {
		t.Errorf("corner %v, start %v, want gray and %v", m.At(63, 47), m.At(5, 5), whole.At(5, 5))
	}
}

// TestResync goes through every restart marker where marker 3 is due, followed by marker 3 of the next round.
func TestResync(t *testing.T) {
	const want, later = 3, mRST0 + 3
	for m, expect := range map[uint8]struct {
		got uint8 // the marker to leave for later, 0 to go on with the data
		pos int   // how far the file is read
	}{
		mRST0 + 1: {0, 4}, mRST0 + 2: {0, 4}, // behind: skipped, and what follows is the one that is due
		mRST0 + 3: {0, 0}, mRST0 + 6: {0, 0}, mRST0 + 7: {0, 0}, mRST0: {0, 0}, // due, or too far away to tell
		mRST0 + 4: {mRST0 + 4, 0}, mRST0 + 5: {mRST0 + 5, 0}, // ahead: this one is lost
		mEOI: {mEOI, 0}, mSOS: {mSOS, 0}, 0x02: {0, 4},
	} {
		d := Decoder{data: []byte{9, 9, 0xFF, later, 1, 2, 3}}
		got, err := d.resync(m, want)
		if err != nil || got != expect.got || d.pos != expect.pos {
			t.Errorf("marker %#x: got %#x at %d (%v), want %#x at %d", m, got, d.pos, err, expect.got, expect.pos)
		}
	}
	var d Decoder
	if _, err := d.resync(mRST0+2, want); !errors.Is(err, ErrTruncated) {
		t.Errorf("end of file: %v", err)
	}
}

// TestMotionJPEG leaves out the example tables, as frames of Motion JPEG do.
func TestMotionJPEG(t *testing.T) {
	const name = "enc/64x48_q85_420.jpg"
	data := bytes.Clone(pillowFiles()[name])
	for {
		at := bytes.Index(data, []byte{0xFF, mDHT})
		if at < 0 {
			break
		}
		n := 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		data = append(data[:at], data[at+n:]...)
	}
	var m raster.Image
	if err := Decode(&m, data); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, name, &m, decoded(t, name))
}

// TestHostileSizes decodes small files that declare large images with a fresh decoder and counts what is allocated.
func TestHostileSizes(t *testing.T) {
	for _, name := range []string{"enc/64x48_q75_420.jpg", "enc/64x48_q50_420_prog.jpg", "enc/64x48_q25_grey.jpg"} {
		for _, size := range [][4]byte{
			{0x3F, 0xFF, 0x3F, 0xFF}, {0xFF, 0xFF, 0xFF, 0xFF}, {0, 1, 0xFF, 0xDC}, {0x10, 0, 0x10, 0},
		} {
			data := bytes.Clone(pillowFiles()[name])
			at := bytes.Index(data, []byte("\xff\xc0\x00"))
			if at < 0 {
				at = bytes.Index(data, []byte("\xff\xc2\x00"))
			}
			copy(data[at+5:], size[:])
			allocatesAtMost(t, len(data), func() {
				var d Decoder
				var m raster.Image
				_ = d.Decode(&m, data)
			})
		}
	}
}

// allocatesAtMost fails if f allocates more than what decoding n bytes justifies: one byte holds eight blocks in the
// extreme (one bit each, for a DC difference of zero), and a block has 64 coefficients of two bytes and up to 128
// pixels of four.
func allocatesAtMost(t testing.TB, n int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+8*(64*2+128*4)*n); got > limit {
		t.Fatalf("%d bytes of input made %d bytes of memory, limit %d", n, got, limit)
	}
}

// TestNoAllocation runs every method twice on the same input; the second run takes no memory.
func TestNoAllocation(t *testing.T) {
	var d Decoder
	var e Encoder
	var m, n raster.Image
	src := readPNG(t, "src/64x48.png")
	out := make([]byte, 0, 1<<16)
	for name, f := range map[string]func(){
		"Decode":             func() { _ = d.Decode(&m, pillowFiles()["enc/64x48_q75_420.jpg"]) },
		"Decode progressive": func() { _ = d.Decode(&m, pillowFiles()["enc/64x48_q95_444_prog.jpg"]) },
		"Decode restart":     func() { _ = d.Decode(&m, pillowFiles()["syn/luma2x2-restart.jpg"]) },
		"Decode CMYK":        func() { _ = d.Decode(&m, pillowFiles()["syn/ycck.jpg"]) },
		"DecodeCrop": func() {
			_ = d.DecodeCrop(&m, pillowFiles()["enc/64x48_q75_420.jpg"], image.Rect(3, 5, 50, 40))
		},
		"Encode":          func() { out = e.Encode(out[:0], src, Options{Quality: 85}) },
		"Encode 4:4:4":    func() { out = e.Encode(out[:0], src, Options{Quality: 85, Subsampling: S444}) },
		"Encode optimize": func() { out = e.Encode(out[:0], src, Options{Quality: 85, Optimize: true}) },
		"RoundTrip":       func() { e.RoundTrip(&n, src, 20) },
	} {
		f()
		if got := testing.AllocsPerRun(20, f); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
}

// TestReuse decodes and encodes many kinds in random order with one decoder and one encoder.
func TestReuse(t *testing.T) {
	names := pillowNames()
	rapid.Check(t, func(t *rapid.T) {
		var d Decoder
		var m raster.Image
		for range 8 {
			name := rapid.SampledFrom(names).Draw(t, "file")
			data := pillowFiles()[name]
			if rapid.IntRange(0, 3).Draw(t, "cut") == 0 {
				_ = d.Decode(&m, data[:rapid.IntRange(0, len(data)).Draw(t, "length")])
				continue
			}
			var want raster.Image
			if err := new(Decoder).Decode(&want, data); err != nil {
				t.Fatal(err)
			}
			if err := d.Decode(&m, data); err != nil || !raster.Equal(&m, &want) {
				t.Fatalf("%s: differs after other files (%v)", name, err)
			}
		}
	})
}

// TestConcurrent uses the pooled functions from several goroutines.
func TestConcurrent(t *testing.T) {
	src := readPNG(t, "src/64x48.png")
	file := pillowFiles()["enc/64x48_q85_420.jpg"]
	want := decoded(t, "enc/64x48_q85_420.jpg")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				var m, n, c raster.Image
				if err := Decode(&m, file); err != nil || !raster.Equal(&m, want) {
					t.Errorf("Decode: %v", err)
				}
				RoundTrip(&n, src, 85)
				if !raster.Equal(&n, want) || !bytes.Equal(Encode(nil, src, Options{Quality: 85}), file) {
					t.Error("RoundTrip or Encode differs")
				}
				if err := DecodeCrop(&c, file, image.Rect(1, 2, 3, 4)); err != nil || c.At(0, 0) != want.At(1, 2) {
					t.Errorf("DecodeCrop: %v", err)
				}
			}
		})
	}
	wg.Wait()
}
