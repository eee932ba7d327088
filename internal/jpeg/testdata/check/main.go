// Command check answers requests on its standard input with package jpeg, for check.py, which compares the answers
// with Pillow's.
//
// A request is a letter and its parameters, numbers being 32-bit little-endian; an answer is a byte, 0 for success,
// and the result:
//
//	d len data              decode     -> w h rgb, or 1 len message
//	c x0 y0 x1 y1 len data  crop       -> w h rgb, or 1 len message
//	e q sub opt w h rgb     encode     -> len data
//	r q w h rgb             round trip -> w h rgb
package main

import (
	"bufio"
	"encoding/binary"
	"image"
	"io"
	"log"
	"os"

	"github.com/augmix-go/augmix/internal/jpeg"
	"github.com/augmix-go/augmix/raster"
)

var (
	in  = bufio.NewReaderSize(os.Stdin, 1<<20)
	out = bufio.NewWriterSize(os.Stdout, 1<<20)
)

func main() {
	log.SetFlags(0)
	var (
		d        jpeg.Decoder
		e        jpeg.Encoder
		src, dst raster.Image
	)
	for {
		op, err := in.ReadByte()
		if err == io.EOF {
			return
		}
		switch op {
		case 'd':
			answer(&dst, d.Decode(&dst, bytes(number())))
		case 'c':
			r := image.Rectangle{Min: image.Pt(number(), number()), Max: image.Pt(number(), number())}
			answer(&dst, d.DecodeCrop(&dst, bytes(number()), r))
		case 'e':
			o := jpeg.Options{Quality: number(), Subsampling: jpeg.Subsampling(number()), Optimize: number() != 0}
			image(&src)
			out.WriteByte(0)
			put(e.Encode(nil, &src, o))
		case 'r':
			q := number()
			image(&src)
			e.RoundTrip(&dst, &src, q)
			answer(&dst, nil)
		default:
			log.Fatalf("request %q", op)
		}
		if err := out.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}

func number() int { return int(binary.LittleEndian.Uint32(bytes(4))) }

func bytes(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(in, b); err != nil {
		log.Fatal(err)
	}
	return b
}

func image(m *raster.Image) {
	w, h := number(), number()
	m.SetRGB(w, h, bytes(3*w*h))
}

func put(b []byte) {
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
	out.Write(b)
}

func answer(m *raster.Image, err error) {
	if err != nil {
		out.WriteByte(1)
		put([]byte(err.Error()))
		return
	}
	out.WriteByte(0)
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(m.W)))
	out.Write(binary.LittleEndian.AppendUint32(nil, uint32(m.H)))
	out.Write(m.AppendRGB(nil))
}
