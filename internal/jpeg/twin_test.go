package jpeg

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/augmix-go/augmix/internal/kernel"
	"github.com/augmix-go/augmix/raster"
)

// FuzzTwins compares the assembly with the plain code: encoding, decoding and the round trip.
func FuzzTwins(f *testing.F) {
	f.Add(uint64(1), uint16(40), uint16(33), uint8(50), uint8(255))
	f.Add(uint64(2), uint16(300), uint16(17), uint8(1), uint8(255))
	f.Add(uint64(3), uint16(129), uint16(64), uint8(100), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, w, h uint16, quality, contrast uint8) {
		src := raster.New(1+int(w%500), 1+int(h%100))
		r := rand.New(rand.NewPCG(seed, 0))
		for i := range src.Pix {
			if i%4 != 3 {
				src.Pix[i] = uint8(i/4%src.W) + uint8(r.Uint32())&contrast
			}
		}
		q := 1 + int(quality)%100
		type result struct{ file, decoded, tripped []byte }
		run := func() (res result) {
			m := new(raster.Image)
			for _, sub := range []Subsampling{S420, S444} {
				file := Encode(nil, src, Options{Quality: q, Subsampling: sub})
				if err := Decode(m, file); err != nil {
					t.Fatal(err)
				}
				res.file, res.decoded = append(res.file, file...), append(res.decoded, m.Pix...)
			}
			RoundTrip(m, src, q)
			res.tripped = m.Pix
			return res
		}
		var want *result
		kernel.EachLevel(func(level string) {
			got := run()
			if want == nil {
				want = &got
			}
			if !bytes.Equal(got.file, want.file) || !bytes.Equal(got.decoded, want.decoded) || !bytes.Equal(got.tripped, want.tripped) {
				t.Fatalf("%dx%d at quality %d: %s and plain code differ", src.W, src.H, q, level)
			}
		})
	})
}

// TestTwinsOfExtremes: black and white in stripes and squares, which give the largest coefficients.
func TestTwinsOfExtremes(t *testing.T) {
	for kind := range 64 {
		src := raster.New(40, 16)
		for i := range src.W * src.H {
			x, y := i%src.W, i/src.W
			v := uint8(255 * ((x>>(kind&3)*(kind>>4&1) + y>>(kind>>2&3)*(kind>>5) + kind) & 1))
			copy(src.Pix[4*i:], []uint8{v, v, v, 255})
		}
		for _, quality := range []int{1, 10, 50, 100} {
			var want []byte
			kernel.EachLevel(func(level string) {
				m := new(raster.Image)
				RoundTrip(m, src, quality)
				if want == nil {
					want = m.Pix
				}
				if !bytes.Equal(m.Pix, want) {
					t.Errorf("image %d at quality %d: %s and plain code differ", kind, quality, level)
				}
			})
		}
	}
}
