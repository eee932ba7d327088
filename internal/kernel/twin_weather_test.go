package kernel

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// FuzzWeatherTwins proves that every level gives the bytes of plain Go, elsewhere and in place.
func FuzzWeatherTwins(f *testing.F) {
	for n := range 70 {
		f.Add(uint64(n), uint16(n), float32(n)/50, float32(70-n)/40)
	}
	f.Add(uint64(100), uint16(1000), float32(0.3), float32(0.65))
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, a, b float32) {
		if !(a >= 0 && a < 4 && b >= 0 && b < 4) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 13))
		n := int(size % 2000)
		src, other := testImage(r, n, 1), testImage(r, n, 1)
		z, cloud := make([]float32, 3*n), make([]float64, n)
		for i := range z {
			z[i] = float32(r.NormFloat64())
		}
		for i := range cloud {
			cloud[i] = float64(r.IntN(9)) / 8
			if r.IntN(2) > 0 {
				cloud[i] = r.Float64()
			}
		}
		color := [3]float32{r.Float32(), a / 4, 1}
		for name, run := range map[string]func(dst, src []uint8){
			"AddNormals":    func(dst, src []uint8) { AddNormals(dst, src, z, float64(a), 0) },
			"AddNormals, %": func(dst, src []uint8) { AddNormals(dst, src, z, 0, float64(b)) },
			"Snow":          func(dst, src []uint8) { Snow(dst, src, other[:n], a/4, 1-a/4) },
			"Fog":           func(dst, src []uint8) { Fog(dst, src, cloud, float64(a), float64(b)+1.0/255) },
			"Mud":           func(dst, src []uint8) { Mud(dst, src, cloud, &color) },
			"Water":         func(dst, src []uint8) { Water(dst, src, other[:n], other[n:2*n], 1+a*1e4, b, &color) },
		} {
			var want []uint8
			EachLevel(func(level string) {
				got, place := make([]uint8, 4*n), bytes.Clone(src)
				run(got, src)
				run(place, place)
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) || !bytes.Equal(place, want) {
					t.Errorf("%s of %d pixels differs with %s", name, n, level)
				}
			})
		}
	})
}

// TestUnits: assembly has another way to divide by 255.
func TestUnits(t *testing.T) {
	src, cloud := make([]uint8, 4*256), make([]float64, 256)
	for v := range 256 {
		src[4*v], src[4*v+1], src[4*v+2], src[4*v+3] = uint8(v), uint8(255-v), uint8(v), 255
	}
	EachLevel(func(level string) {
		dst := make([]uint8, len(src))
		Fog(dst, src, cloud, 0, 1)
		for v := range 256 {
			if want := unitToByte(float64(v) / 255); dst[4*v] != want || dst[4*(255-v)+1] != want {
				t.Errorf("%s: %d becomes %d and %d, want %d", level, v, dst[4*v], dst[4*(255-v)+1], want)
			}
		}
	})
}
