package imagefile

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/raster"
)

// testImage returns a w by h image without two equal neighbors.
func testImage(w, h int) *raster.Image {
	m := raster.New(w, h)
	for y := range h {
		for x := range w {
			m.Set(x, y, raster.RGB{R: uint8(20 * x), G: uint8(37 * y), B: uint8(11 * x * y)})
		}
	}
	return m
}

func encoded(t testing.TB, f func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// losslessFiles returns m in every lossless format that there is an encoder for.
func losslessFiles(t testing.TB, m *raster.Image) map[string][]byte {
	files := map[string][]byte{
		"png": encoded(t, func(w io.Writer) error { return png.Encode(w, m.RGBA()) }),
		"bmp": encoded(t, func(w io.Writer) error { return bmp.Encode(w, m.RGBA()) }),
	}
	for name, c := range map[string]tiff.CompressionType{"tiff": tiff.Uncompressed, "tiff, deflate": tiff.Deflate} {
		files[name] = encoded(t, func(w io.Writer) error {
			return tiff.Encode(w, m.RGBA(),
				&tiff.Options{Compression: c})
		})
	}
	return files
}

// gifFile returns a GIF file of m, which must have at most 256 colors.
func gifFile(t testing.TB, m *raster.Image) []byte {
	return encoded(t, func(w io.Writer) error { return gif.Encode(w, paletted(m), nil) })
}

func paletted(m *raster.Image) *image.Paletted {
	p := image.NewPaletted(image.Rect(0, 0, m.W, m.H), nil)
	index := map[raster.RGB]uint8{}
	for y := range m.H {
		for x := range m.W {
			c := m.At(x, y)
			if _, ok := index[c]; !ok {
				index[c] = uint8(len(p.Palette))
				p.Palette = append(p.Palette, color.RGBA{R: c.R, G: c.G, B: c.B, A: 255})
			}
			p.SetColorIndex(x, y, index[c])
		}
	}
	return p
}

func TestDecodeLossless(t *testing.T) {
	want := testImage(13, 9)
	files := losslessFiles(t, want)
	files["gif"] = gifFile(t, want)
	var m raster.Image
	for name, file := range files {
		if err := Decode(&m, file); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !raster.Equal(&m, want) {
			t.Errorf("%s: other pixels", name)
		}
		info, err := Inspect(file)
		if err != nil || info.W != 13 || info.H != 9 || !strings.HasPrefix(name, info.Format) || info.Orientation != 1 {
			t.Errorf("%s: Inspect gives %+v, %v", name, info, err)
		}
		if got := Sniff(file[:12]); got != info.Format {
			t.Errorf("%s: Sniff gives %q", name, got)
		}
	}
}

func TestDecodeJPEG(t *testing.T) {
	want := raster.New(24, 16)
	want.Fill(raster.RGB{R: 200, G: 100, B: 50})
	file, err := EncodeJPEG(nil, want, 95)
	if err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := Decode(&m, file); err != nil {
		t.Fatal(err)
	}
	near(t, &m, want, 3)
	gray := encoded(t, func(w io.Writer) error {
		g := image.NewGray(image.Rect(0, 0, 24, 16))
		for i := range g.Pix {
			g.Pix[i] = 77
		}
		return jpeg.Encode(w, g, nil)
	})
	want.Fill(raster.RGB{R: 77, G: 77, B: 77})
	if err := Decode(&m, gray); err != nil {
		t.Fatal(err)
	}
	near(t, &m, want, 1)
}

func near(t *testing.T, got, want *raster.Image, tolerance int) {
	t.Helper()
	if got.W != want.W || got.H != want.H {
		t.Fatalf("%dx%d, want %dx%d", got.W, got.H, want.W, want.H)
	}
	for i := range got.Pix {
		if d := int(got.Pix[i]) - int(want.Pix[i]); d > tolerance || -d > tolerance {
			t.Fatalf("byte %d is %d, want %d within %d", i, got.Pix[i], want.Pix[i], tolerance)
		}
	}
}

// cmykJPEG is an Adobe CMYK file of 8x8 equal pixels with the ink amounts 200, 30, 90, 40, as Pillow 9.4 writes it.
const cmykJPEG = "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB" +
	"AQEBAQEBAQEBAQEBAQEB/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAoJ/8QAFBABAAAAAAAA" +
	"AAAAAAAAAAAAAP/aAA4EQwBNAFkASwAAPwA25hClBXD/2Q=="

func TestDecodeCMYK(t *testing.T) {
	file, err := base64.StdEncoding.DecodeString(cmykJPEG)
	if err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := Decode(&m, file); err != nil {
		t.Fatal(err)
	}
	want := raster.New(8, 8)
	want.Fill(raster.RGB{R: 46, G: 190, B: 139}) // what Pillow makes of it; the inverse DCT may be one level off
	near(t, &m, want, 1)
	// Without Adobe's marker Pillow assumes Adobe's convention all the same.
	plain := append(append([]byte{}, file[:2]...), file[2+16:]...)
	if err := Decode(&m, plain); err != nil {
		t.Errorf("CMYK without Adobe's marker: %v", err)
	}
	near(t, &m, want, 1)
}

func TestDecodeDepths(t *testing.T) {
	var m raster.Image
	rgb16 := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	rgb16.SetNRGBA64(0, 0, color.NRGBA64{R: 0x12ff, G: 0x34ff, B: 0x56ff, A: 0x0001})
	clear8 := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	clear8.SetNRGBA(0, 0, color.NRGBA{R: 5, G: 6, B: 7, A: 0})
	for _, c := range []struct {
		name string
		src  image.Image
		want [][3]uint8
	}{
		{"16-bit color with alpha", rgb16, [][3]uint8{{0x12, 0x34, 0x56}}},
		{"transparent pixel", clear8, [][3]uint8{{5, 6, 7}}},
	} {
		for format, file := range map[string][]byte{
			"png":  encoded(t, func(w io.Writer) error { return png.Encode(w, c.src) }),
			"tiff": encoded(t, func(w io.Writer) error { return tiff.Encode(w, c.src, nil) }),
		} {
			if err := Decode(&m, file); err != nil {
				t.Errorf("%s %s: %v", c.name, format, err)
				continue
			}
			for x, want := range c.want {
				if got := m.At(x, 0); [3]uint8{got.R, got.G, got.B} != want {
					t.Errorf("%s %s: pixel %d is %v, want %v", c.name, format, x, got, want)
				}
			}
		}
	}
}

// TestFaxTIFF: a Group 4 strip with both meanings of zero. The code 1 says that a line is like the one above, all
// white.
func TestFaxTIFF(t *testing.T) {
	for photometric, want := range map[uint16]uint8{0: 255, 1: 0} {
		file := tiffFile([]byte{0xff, 0x00, 0x10, 0x01}, [][2]uint16{
			{256, 8}, {257, 4}, {258, 1}, {259, 4}, {262, photometric}, {273, 8}, {278, 4}, {279, 4},
		})
		var m raster.Image
		if err := Decode(&m, file); err != nil {
			t.Fatal(err)
		}
		if got := m.At(3, 2); got != (raster.RGB{R: want, G: want, B: want}) {
			t.Errorf("photometric %d: white run becomes %v, want %d", photometric, got, want)
		}
	}
}

// tiffFile builds a little-endian TIFF file from the bytes of its strip, at offset 8, and tags of type SHORT.
func tiffFile(strip []byte, tags [][2]uint16) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("II*\x00"), uint32(8+len(strip)))
	b = append(b, strip...)
	b = le.AppendUint16(b, uint16(len(tags)))
	for _, tag := range tags {
		b = le.AppendUint16(b, tag[0])
		b = le.AppendUint16(b, 3)
		b = le.AppendUint32(b, 1)
		b = le.AppendUint32(b, uint32(tag[1]))
	}
	return le.AppendUint32(b, 0)
}

// exif returns a TIFF structure that holds an orientation.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, orientation)
	return order.AppendUint32(order.AppendUint16(b, 0), 0)
}

// withEXIF puts a TIFF structure into a PNG or JPEG file.
func withEXIF(file, tiff []byte) []byte {
	if file[0] == 0xff {
		body := append([]byte("Exif\x00\x00"), tiff...)
		b := append([]byte{}, file[:2]...)
		b = append(b, 0xff, 0xe1)
		b = binary.BigEndian.AppendUint16(b, uint16(2+len(body)))
		return append(append(b, body...), file[2:]...)
	}
	const ihdrEnd = 8 + 12 + 13
	b := append([]byte{}, file[:ihdrEnd]...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(tiff)))
	chunk := append([]byte("eXIf"), tiff...)
	b = append(b, chunk...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))
	return append(b, file[ihdrEnd:]...)
}

func TestOrientation(t *testing.T) {
	m := raster.New(32, 16) // flat blocks, so that JPEG keeps them
	for y := range 16 {
		for x := range 32 {
			m.Set(x, y, raster.RGB{R: uint8(60 * (x / 16)), G: uint8(100 * (y / 8)), B: 30})
		}
	}
	jpegFile, err := EncodeJPEG(nil, m, 95)
	if err != nil {
		t.Fatal(err)
	}
	pngFile, err := EncodePNG(nil, m, LevelDefault)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{"jpeg": jpegFile, "png": pngFile} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for o := range 10 { // 0 and 9 make no sense and count as 1
				turned := withEXIF(file, exif(order, uint16(o)))
				checkOrientation(t, fmt.Sprint(name, " ", order, " ", o), file, turned, max(o%9, 1))
			}
		}
	}
	// A TIFF file holds its orientation itself.
	stored := tiffFile([]byte{1, 2, 3, 4, 5, 6}, [][2]uint16{
		{256, 3}, {257, 2}, {258, 8}, {259, 1}, {262, 1}, {273, 8}, {278, 2}, {279, 6},
	})
	turned := tiffFile([]byte{1, 2, 3, 4, 5, 6}, [][2]uint16{
		{256, 3}, {257, 2}, {258, 8}, {259, 1}, {262, 1}, {273, 8}, {274, 6}, {278, 2}, {279, 6},
	})
	checkOrientation(t, "tiff", stored, turned, 6)
}

func checkOrientation(t *testing.T, name string, stored, turned []byte, o int) {
	t.Helper()
	var raw, kept, upright, want raster.Image
	if err := Decode(&raw, stored); err != nil {
		t.Fatal(err)
	}
	if err := (Options{KeepOrientation: true}).Decode(&kept, turned); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if err := Decode(&upright, turned); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	orient(&want, &raw, o)
	if !raster.Equal(&kept, &raw) {
		t.Errorf("%s: KeepOrientation changes pixels", name)
	}
	if !raster.Equal(&upright, &want) {
		t.Errorf("%s: not upright", name)
	}
	if info, err := Inspect(turned); err != nil || info.Orientation != o || info.W != raw.W {
		t.Errorf("%s: Inspect gives %+v, %v", name, info, err)
	}
}

// TestGIFFrames: only the first frame counts, it may be smaller than the image, and transparency keeps its color.
func TestGIFFrames(t *testing.T) {
	red, green := color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}
	frame := func(r image.Rectangle, p color.Palette, index uint8) *image.Paletted {
		f := image.NewPaletted(r, p)
		for i := range f.Pix {
			f.Pix[i] = index
		}
		return f
	}
	palette := color.Palette{red, green}
	all := encoded(t, func(w io.Writer) error {
		return gif.EncodeAll(w, &gif.GIF{
			Image: []*image.Paletted{
				frame(image.Rect(2, 1, 4, 3), palette, 1),
				frame(image.Rect(0, 0, 5, 4), palette, 0),
			},
			Delay:  []int{1, 1},
			Config: image.Config{ColorModel: palette, Width: 5, Height: 4},
		})
	})
	var m raster.Image
	first := bytes.LastIndex(all, []byte{0x2c, 0, 0, 0, 0}) // the second frame's descriptor
	for name, file := range map[string][]byte{"whole": all, "second frame cut off": all[:first+3]} {
		if err := Decode(&m, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if m.W != 5 || m.H != 4 || m.At(2, 1) != (raster.RGB{G: 255}) || m.At(3, 2) != (raster.RGB{G: 255}) ||
			m.At(0, 0) != (raster.RGB{R: 255}) || m.At(4, 3) != (raster.RGB{R: 255}) {
			t.Errorf("%s: %dx%d %v", name, m.W, m.H, m.Pix)
		}
	}
	// Mark color 1 transparent: it stays what it is, and becomes the ground.
	at := bytes.Index(all, []byte{0x21, 0xf9, 4})
	if at < 0 {
		t.Fatal("no graphic control extension")
	}
	clear1 := bytes.Clone(all)
	clear1[at+3] |= 1
	clear1[at+6] = 1
	if err := Decode(&m, clear1); err != nil {
		t.Fatal(err)
	}
	if m.At(2, 1) != (raster.RGB{G: 255}) || m.At(0, 0) != (raster.RGB{G: 255}) {
		t.Errorf("transparent: %v on %v", m.At(2, 1), m.At(0, 0))
	}
}

// pngHeader returns a PNG file that declares a size and holds next to nothing.
func pngHeader(w, h uint32) []byte {
	chunk := []byte("IHDR")
	chunk = binary.BigEndian.AppendUint32(chunk, w)
	chunk = binary.BigEndian.AppendUint32(chunk, h)
	chunk = append(chunk, 8, 2, 0, 0, 0)
	b := binary.BigEndian.AppendUint32([]byte("\x89PNG\r\n\x1a\n"), 13)
	b = append(b, chunk...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(chunk))
	idat := append([]byte("IDAT"), make([]byte, 100)...)
	b = binary.BigEndian.AppendUint32(b, 100)
	b = append(b, idat...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(idat))
}

func bmpHeader(t testing.TB, w, h int32) []byte {
	b := encoded(t, func(out io.Writer) error { return bmp.Encode(out, testImage(2, 2).RGBA()) })
	binary.LittleEndian.PutUint32(b[18:], uint32(w))
	binary.LittleEndian.PutUint32(b[22:], uint32(h))
	return b
}

func gifHeaderFile(t testing.TB, w, h uint16) []byte {
	b := gifFile(t, testImage(2, 2))
	binary.LittleEndian.PutUint16(b[6:], w)
	binary.LittleEndian.PutUint16(b[8:], h)
	return b
}

func jpegHeader(t testing.TB, w, h uint16) []byte {
	b, err := EncodeJPEG(nil, testImage(8, 8), 50)
	if err != nil {
		t.Fatal(err)
	}
	sof := bytes.Index(b, []byte{0xff, 0xc0})
	binary.BigEndian.PutUint16(b[sof+5:], h)
	binary.BigEndian.PutUint16(b[sof+7:], w)
	return b
}

func webpHeader(t testing.TB, w, h uint32) []byte {
	b := fromBase64(t, turnedWebP)
	at := bytes.Index(b, []byte("VP8X")) + 8
	b[at+4], b[at+5], b[at+6] = uint8(w-1), uint8((w-1)>>8), uint8((w-1)>>16)
	b[at+7], b[at+8], b[at+9] = uint8(h-1), uint8((h-1)>>8), uint8((h-1)>>16)
	return b
}

// TestDeclaredSizes: sizes that cannot be are refused before anything of that size is allocated.
func TestDeclaredSizes(t *testing.T) {
	big := func(w, h uint16) []byte {
		return tiffFile(make([]byte, 6), [][2]uint16{
			{256, w}, {257, h}, {258, 8}, {259, 1}, {262, 1}, {273, 8}, {278, h}, {279, 6},
		})
	}
	for _, c := range []struct {
		name string
		file []byte
		size bool // the error is about the size
	}{
		{"png 100000x100000", pngHeader(100000, 100000), true},
		{"png 2^32-1", pngHeader(1<<32-1, 1<<32-1), true},
		{"png 16384x16384 in 160 bytes", pngHeader(16384, 16384), true},
		{"png 0x0", pngHeader(0, 0), true},
		{"png 0x5", pngHeader(0, 5), true},
		{"gif 65535x65535", gifHeaderFile(t, 65535, 65535), true},
		{"gif 16000x16000", gifHeaderFile(t, 16000, 16000), true},
		{"gif 0x9", gifHeaderFile(t, 0, 9), true},
		{"bmp 100000x100000", bmpHeader(t, 100000, 100000), true},
		{"bmp 10000x-10000", bmpHeader(t, 10000, -10000), true},
		{"bmp 0x0", bmpHeader(t, 0, 0), true},
		{"jpeg 65500x65500", jpegHeader(t, 65500, 65500), true},
		{"jpeg 16000x16000", jpegHeader(t, 16000, 16000), true},
		{"jpeg 0x9", jpegHeader(t, 0, 9), false},
		{"tiff 65535x65535", big(65535, 65535), true},
		{"tiff 16000x16000", big(16000, 16000), true},
		{"tiff 0x9", big(0, 9), false},
		{"webp 16777216x100", webpHeader(t, 1<<24, 100), true},
		{"webp 16384x16384", webpHeader(t, 16384, 16384), true},
	} {
		var m raster.Image
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := Decode(&m, c.file)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s is accepted", c.name)
			continue
		}
		if !errors.Is(err, ErrFormat) && (c.size || !errors.Is(err, ErrUnsupported)) {
			t.Errorf("%s: %v wraps no sentinel", c.name, err)
		}
		if c.size && !errors.Is(err, raster.ErrSize) {
			t.Errorf("%s: %v does not wrap raster.ErrSize", c.name, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes allocated", c.name, n)
		}
	}
}

// TestLegitimateRatios: the bounds on what a file can hold do not refuse the most compressible images there are.
func TestLegitimateRatios(t *testing.T) {
	const w, h = 3000, 2000 // above the size that is always tried
	m := raster.New(w, h)
	m.Fill(raster.RGB{R: 9, G: 9, B: 9})
	one := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	best := png.Encoder{CompressionLevel: png.BestCompression}
	jpg, err := EncodeJPEG(nil, m, 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"png":          encoded(t, func(w io.Writer) error { return best.Encode(w, m.RGBA()) }),
		"png, one bit": encoded(t, func(w io.Writer) error { return best.Encode(w, one) }),
		"gif":          encoded(t, func(w io.Writer) error { return gif.Encode(w, one, nil) }),
		"tiff, deflate": encoded(t, func(w io.Writer) error {
			return tiff.Encode(w, m.RGBA(),
				&tiff.Options{Compression: tiff.Deflate})
		}),
		"bmp":  encoded(t, func(w io.Writer) error { return bmp.Encode(w, one) }),
		"jpeg": jpg,
	} {
		info, err := Inspect(file)
		if err != nil {
			t.Errorf("%s of one color, %d bytes: %v", name, len(file), err)
		}
		if info.W != w || info.H != h {
			t.Errorf("%s: %dx%d", name, info.W, info.H)
		}
	}
}

func TestMaxPixels(t *testing.T) {
	file, err := EncodePNG(nil, testImage(5, 4), LevelNone)
	if err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := (Options{MaxPixels: 20}).Decode(&m, file); err != nil {
		t.Error(err)
	}
	if err := (Options{MaxPixels: 19}).Decode(&m, file); !errors.Is(err, raster.ErrSize) {
		t.Errorf("20 pixels with a limit of 19: %v", err)
	}
}

// TestTruncated cuts a file of each format at every byte. The error says so; a GIF may lack what follows its first
// frame, and a BMP, TIFF or WebP the padding at its end.
func TestTruncated(t *testing.T) {
	want := testImage(13, 9)
	files := losslessFiles(t, want)
	files["gif"] = gifFile(t, want)
	for _, f := range webpFiles {
		files["webp, "+f.name] = fromBase64(t, f.file)
	}
	jpg, err := EncodeJPEG(nil, want, 90)
	if err != nil {
		t.Fatal(err)
	}
	files["jpeg"] = jpg
	for name, file := range files {
		var whole, m raster.Image
		if err := Decode(&whole, file); err != nil {
			t.Fatal(err)
		}
		for n := range len(file) {
			err := Decode(&m, file[:n:n])
			if err == nil && !raster.Equal(&m, &whole) {
				t.Errorf("%s cut to %d of %d bytes gives other pixels", name, n, len(file))
			}
			if err == nil && n < len(file)-16 {
				t.Errorf("%s cut to %d of %d bytes is accepted", name, n, len(file))
			}
			if err != nil && !errors.Is(err, ErrFormat) && (n > 64 || !errors.Is(err, ErrUnsupported)) {
				t.Errorf("%s cut to %d bytes: %v does not wrap ErrFormat", name, n, err)
			}
			if errors.Is(err, io.EOF) {
				t.Errorf("%s cut to %d bytes: the error is io.EOF, which means the end of a data set", name, n)
			}
		}
	}
}

func TestUnknown(t *testing.T) {
	var m raster.Image
	for _, c := range []struct {
		file, word string
		want       error
	}{
		{"", "empty", ErrFormat},
		{"hello, world", "68 65", ErrFormat},
		{"\x00\x00\x00\x20ftypavif", "AVIF", ErrUnsupported},
		{"\x00\x00\x00\x20ftypheic", "HEIF", ErrUnsupported},
		{"8BPS\x00\x01", "Photoshop", ErrUnsupported},
		{"P6 2 2 255", "PPM", ErrUnsupported},
	} {
		err := Decode(&m, []byte(c.file))
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.word) ||
			!strings.Contains(err.Error(), "JPEG") &&
				c.file != "" {
			t.Errorf("%q: %v, want %v with %q in it", c.file, err, c.want, c.word)
		}
	}
}

// TestReuse: an image decoded into memory that held another is the same, and memory that suffices is kept.
func TestReuse(t *testing.T) {
	large, err := EncodePNG(nil, testImage(40, 30), LevelNone)
	if err != nil {
		t.Fatal(err)
	}
	want := testImage(7, 5)
	small, err := EncodePNG(nil, want, LevelNone)
	if err != nil {
		t.Fatal(err)
	}
	var m raster.Image
	if err := Decode(&m, large); err != nil {
		t.Fatal(err)
	}
	first := &m.Pix[0]
	if err := Decode(&m, small); err != nil {
		t.Fatal(err)
	}
	if &m.Pix[0] != first || !raster.Equal(&m, want) {
		t.Error("memory is not reused, or shows through")
	}
}

func TestEncodePNG(t *testing.T) {
	want := testImage(31, 17)
	var m raster.Image
	for level := LevelDefault; level <= LevelBest; level++ {
		file, err := EncodePNG([]byte("prefix"), want, level)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(file, []byte("prefix")) {
			t.Errorf("level %d does not append", level)
		}
		if err := Decode(&m, file[6:]); err != nil || !raster.Equal(&m, want) {
			t.Errorf("level %d: %v, or other pixels", level, err)
		}
		again, err := EncodePNG(nil, want, level)
		if err != nil || !bytes.Equal(again, file[6:]) {
			t.Errorf("level %d: other bytes the second time (%v)", level, err)
		}
	}
	if _, err := EncodePNG(nil, want, LevelBest+1); err == nil {
		t.Error("a level beyond the last is accepted")
	}
	if _, err := EncodePNG(nil, &raster.Image{}, LevelDefault); !errors.Is(err, raster.ErrSize) {
		t.Errorf("empty image: %v", err)
	}
}

func TestEncodeJPEG(t *testing.T) {
	want := testImage(31, 17)
	for _, q := range []int{0, 101, -1} {
		if _, err := EncodeJPEG(nil, want, q); err == nil {
			t.Errorf("quality %d is accepted", q)
		}
	}
	file, err := EncodeJPEG([]byte("prefix"), want, 100)
	if err != nil || !bytes.HasPrefix(file, []byte("prefix\xff\xd8")) {
		t.Errorf("does not append (%v)", err)
	}
	if _, err := EncodeJPEG(nil, raster.New(65536, 1), 50); err == nil {
		t.Error("a width of 65536 is accepted")
	}
	if _, err := EncodeJPEG(nil, &raster.Image{}, 50); !errors.Is(err, raster.ErrSize) {
		t.Errorf("empty image: %v", err)
	}
}

// TestAllocations: encoding into a buffer of its own allocates a fixed handful, however large the image is.
func TestAllocations(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector allocates")
	}
	m := testImage(224, 224)
	var buf []byte
	encode := func() {
		var err error
		if buf, err = EncodePNG(buf[:0], m, LevelDefault); err != nil {
			t.Fatal(err)
		}
	}
	encode()
	if n := testing.AllocsPerRun(10, encode); n > 8 {
		t.Errorf("EncodePNG allocates %v times", n)
	}
}

func FuzzDecode(f *testing.F) {
	m := testImage(5, 4)
	for _, file := range losslessFiles(f, m) {
		f.Add(file)
	}
	f.Add(gifFile(f, m))
	for _, w := range webpFiles {
		f.Add(fromBase64(f, w.file))
	}
	f.Add(fromBase64(f, turnedWebP))
	f.Add(fromBase64(f, animatedWebP))
	f.Add(fromBase64(f, cmykJPEG))
	jpg, err := EncodeJPEG(nil, m, 50)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(jpg)
	f.Add(withEXIF(jpg, exif(binary.BigEndian, 6)))
	f.Add(tiffFile([]byte{0xff, 0x00, 0x10, 0x01}, [][2]uint16{
		{256, 8}, {257, 4}, {258, 1}, {259, 4}, {262, 1}, {273, 8}, {278, 4}, {279, 4},
	}))
	var dst, again raster.Image
	f.Fuzz(func(t *testing.T, file []byte) {
		o := Options{MaxPixels: 1 << 20}
		err := o.Decode(&dst, file)
		if err != nil {
			// A file of 16 bits of gray has no window here.
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrWindow) {
				t.Fatalf("%v wraps no sentinel", err)
			}
			return
		}
		if len(dst.Pix) != 4*dst.W*dst.H {
			t.Fatalf("%d bytes for %dx%d", len(dst.Pix), dst.W, dst.H)
		}
		for i := 3; i < len(dst.Pix); i += 4 {
			if dst.Pix[i] != 255 {
				t.Fatalf("pixel %d is not opaque", i/4)
			}
		}
		if err := o.Decode(&again, file); err != nil || !raster.Equal(&dst, &again) {
			t.Fatalf("another result the second time: %v", err)
		}
	})
}

// photo is an image with the statistics of a photograph as far as encoders care: smooth shapes, edges and some noise.
func photo(w, h int) *raster.Image {
	m := raster.New(w, h)
	noise := uint32(1)
	for y := range h {
		for x := range w {
			noise = noise*1664525 + 1013904223
			v := (x*x/97 + y*y/61 + x*y/83) % 200
			if (x/40+y/56)%2 == 0 {
				v = 220 - v
			}
			v += int(noise>>28) % 9
			m.Set(x, y, raster.RGB{R: uint8(v), G: uint8(v * 3 / 4), B: uint8(240 - v)})
		}
	}
	return m
}

func BenchmarkDecode(b *testing.B) {
	m := photo(224, 224)
	jpg, err := EncodeJPEG(nil, m, 90)
	if err != nil {
		b.Fatal(err)
	}
	files := losslessFiles(b, m)
	files["jpeg"] = jpg
	for _, name := range []string{"jpeg", "png", "bmp", "tiff"} {
		b.Run(name, func(b *testing.B) {
			var dst raster.Image
			b.ReportAllocs()
			for b.Loop() {
				if err := Decode(&dst, files[name]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkEncodePNG(b *testing.B) {
	m := photo(224, 224)
	for _, c := range []struct {
		name  string
		level Level
	}{{"none", LevelNone}, {"fast", LevelFast}, {"medium", LevelMedium}, {"best", LevelBest}} {
		b.Run(c.name, func(b *testing.B) {
			var buf []byte
			var err error
			b.ReportAllocs()
			for b.Loop() {
				if buf, err = EncodePNG(buf[:0], m, c.level); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
}

func BenchmarkEncodeJPEG(b *testing.B) {
	m := photo(224, 224)
	var buf []byte
	var err error
	b.ReportAllocs()
	for b.Loop() {
		if buf, err = EncodeJPEG(buf[:0], m, 95); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

func ExampleDecode() {
	m := raster.New(3, 2)
	m.Fill(raster.RGB{R: 10, G: 20, B: 30})
	file, err := EncodePNG(nil, m, LevelDefault)
	if err != nil {
		fmt.Println(err)
		return
	}
	var got raster.Image
	if err := Decode(&got, file); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(got.W, got.H, got.At(2, 1))
	// Output: 3 2 {10 20 30}
}

func ExampleInspect() {
	file, err := EncodeJPEG(nil, raster.New(30, 20), 90)
	if err != nil {
		fmt.Println(err)
		return
	}
	info, err := Inspect(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Format, info.W, info.H)
	// Output: jpeg 30 20
}

// TestDecodePart: a part is what cutting the whole gives, for JPEG with and without a turn, and for other formats.
func TestDecodePart(t *testing.T) {
	m := raster.New(61, 45)
	for i := range m.Pix {
		if i%4 != 3 {
			m.Pix[i] = uint8(i*i>>5 + i)
		}
	}
	jpegFile, err := EncodeJPEG(nil, m, 90)
	if err != nil {
		t.Fatal(err)
	}
	pngFile, err := EncodePNG(nil, m, LevelFast)
	if err != nil {
		t.Fatal(err)
	}
	// An Exif segment behind the start marker: little endian, one entry, orientation 6.
	exif := "\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	turned := append([]byte(jpegFile[:2:2]), append([]byte(exif), jpegFile[2:]...)...)
	for name, file := range map[string][]byte{"jpeg": jpegFile, "png": pngFile, "turned": turned} {
		var whole, part raster.Image
		if err := Decode(&whole, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if name == "turned" && whole.W != 45 {
			t.Fatalf("the image is not turned: %dx%d", whole.W, whole.H)
		}
		o := Options{Part: func(w, h int) image.Rectangle {
			if w != whole.W || h != whole.H {
				t.Errorf("%s: asked for a part of %dx%d, want %dx%d", name, w, h, whole.W, whole.H)
			}
			return image.Rect(7, 11, w-13, h-4)
		}}
		if err := o.Decode(&part, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := raster.New(whole.W-20, whole.H-15)
		raster.CopyRect(want, image.Point{}, &whole, want.Bounds().Add(image.Pt(7, 11)))
		if !raster.Equal(&part, want) {
			t.Errorf("%s: the part differs from the whole", name)
		}
		if name != "png" { // a truncated file is found out whatever the part is
			if err := o.Decode(&part, file[:len(file)-40]); !errors.Is(err, ErrFormat) {
				t.Errorf("%s, truncated: %v", name, err)
			}
		}
	}
}
