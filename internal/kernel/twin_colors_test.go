package kernel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzColorTwins proves that every level gives the colors of plain Go, and as many of them.
func FuzzColorTwins(f *testing.F) {
	for n := range 40 {
		f.Add(uint64(n), uint8(n), uint8(n*3%17), float32(n)/10)
	}
	f.Add(uint64(7), uint8(100), uint8(200), float32(0.01))
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint8, reach float32) {
		if !(reach >= 0 && reach < 1000) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 12))
		w, h := 2+int(width), 2+int(height)
		pix := testImage(r, w, h)
		y := r.IntN(h)
		xs, ys := make([]int32, w), make([]int32, w)
		dx, dy := make([]float32, w), make([]float32, w)
		fx, fy := int32(r.IntN(2000)-1000), int32(y<<10+r.IntN(2000)-1000)
		for i := range xs {
			xs[i], ys[i] = int32(i<<10)+r.Int32N(20), r.Int32N(1<<10)-500
			dx[i], dy[i] = reach*(2*r.Float32()-1), reach*(2*r.Float32()-1)
			switch r.IntN(50) {
			case 0:
				dx[i] = -float32(i)
			case 1:
				dx[i] = float32(w - 1 - i)
			case 2:
				xs[i] = math.MaxInt32 - 3
			case 3:
				dy[i] = float32(r.IntN(3) - 1)
			}
		}
		var want [3][]Color
		var wantBytes []uint8
		EachLevel(func(name string) {
			src := make([]Color, w*h)
			Tones(src, pix)
			moved, displaced := make([]Color, w), make([]Color, w)
			for i := 0; i < w; i++ { // all that can be done
				i += MoveColors(moved[i:], src, w, h, xs[i:], ys[i:], fx, fy)
			}
			for i := 0; i < w; i++ {
				i += Displace(displaced[i:], src, w, h, i, y, dx[i:], dy[i:])
			}
			for _, c := range [][]Color{src, moved, displaced} {
				for i := range c {
					c[i][3] = 0
				}
			}
			back := make([]uint8, 4*w)
			for i := range displaced {
				displaced[i][i%3] *= 3 // so that bytes are cut
			}
			ColorsToBytes(back, displaced)
			if wantBytes == nil {
				want, wantBytes = [3][]Color{src, moved, displaced}, back
			}
			for k, c := range [][]Color{src, moved, displaced} {
				if !slices.Equal(c, want[k]) {
					t.Errorf("%s of %dx%d with %s", []string{"Tones", "MoveColors", "Displace"}[k], w, h, name)
				}
			}
			if !bytes.Equal(back, wantBytes) {
				t.Errorf("ColorsToBytes of %d with %s", w, name)
			}
		})
	})
}
