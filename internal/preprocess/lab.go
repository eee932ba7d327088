package preprocess

import (
	"math"
	"sync"

	"github.com/augmix-go/augmix/internal/detmath"
)

// Colors go to CIELAB by the integers of OpenCV's 8-bit conversion, because equalization amplifies one level of
// lightness, and come back by the definition.

// bytesToLab returns lightness, a and b as OpenCV's 8-bit RGB2Lab gives them: exact (all 16,777,216 colors were
// compared).
func bytesToLab(red, green, blue uint8) (light, a, b uint8) {
	fillTables()
	r, g, bl := gamma8[red], gamma8[green], gamma8[blue]
	root := func(cr, cg, cb int32) int32 { return cube8[(r*cr+g*cg+bl*cb+1<<11)>>12] }
	// The matrix over the white point, times 4096 and rounded.
	fx, fy, fz := root(1777, 1541, 778), root(871, 2929, 296), root(73, 448, 3575)
	const half = 1 << 14
	// 296 and 1336935 are (116*255+50)/100 and (16*255*32768+50)/100 in integers.
	l := (296*fy - 1336935 + half) >> 15
	return saturate(l), saturate((500*(fx-fy) + 128<<15 + half) >> 15), saturate((200*(fy-fz) + 128<<15 + half) >> 15)
}

func saturate(v int32) uint8 { return uint8(min(max(v, 0), 255)) }

// labPixel is a color in CIELAB under D65: lightness 0 to 100, a towards red, b towards yellow.
type labPixel struct{ light, a, b float64 }

// The matrix of linear sRGB to XYZ under D65 (IEC 61966-2-1), as OpenCV prints it, and the white point's X and Z.
const (
	whiteX = 0.950456
	whiteZ = 1.088754
)

// toLinear is the sRGB decoding of a byte, toByte its inverse at 65,536 levels.
var (
	toLinear [256]float64
	toByte   [1 << 16]uint8
	gamma8   [256]int32  // sRGB decoding, times 8*255
	cube8    [3072]int32 // labCurve, times 32768
)

var fillTables = sync.OnceFunc(func() {
	for i := range toLinear {
		v := float64(i) / 255
		if v <= 0.04045 {
			toLinear[i] = v / 12.92
		} else {
			toLinear[i] = detmath.Pow((v+0.055)/1.055, 2.4)
		}
	}
	for i := range gamma8 {
		gamma8[i] = int32(float64(toLinear[i]*255*8) + 0.5)
	}
	for i := range cube8 {
		t := float64(i) / (255 * 8)
		f := float64(t*7.787) + 0.13793103448275862
		if t >= 0.008856 {
			f = cubeRoot(t)
		}
		cube8[i] = int32(float64(f*32768) + 0.5)
	}
	for i := range toByte {
		v := float64(i) / (1<<16 - 1)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = float64(1.055*detmath.Pow(v, 1/2.4)) - 0.055
		}
		toByte[i] = uint8(float64(v*255) + 0.5)
	}
})

// cubeRoot is accurate to the last bits and the same everywhere: Newton's steps from an estimate by the exponent.
func cubeRoot(x float64) float64 {
	if x <= 0 {
		return 0
	}
	// A third of the exponent; the constant restores the bias. The estimate is within 6 %.
	y := math.Float64frombits(math.Float64bits(x)/3 + 0x2A9F_7893_0000_0000)
	for range 4 {
		y -= (y - x/float64(y*y)) / 3
	}
	return y
}

// Below the cube root's value 6/29 the lightness is linear, with this slope and offset (CIE 15).
const (
	labSlope  = 841. / 108
	labOffset = 4. / 29
)

func labInverse(f float64) float64 {
	if f > 6./29 {
		return float64(f * float64(f*f))
	}
	return (f - labOffset) / labSlope
}

func dot(a, x, b, y, c, z float64) float64 { return float64(a*x) + float64(b*y) + float64(c*z) }

// rgb clips colors that sRGB cannot show.
func (p labPixel) rgb() (r, g, b uint8) {
	fy := (p.light + 16) / 116
	x := whiteX * labInverse(fy+p.a/500)
	y := labInverse(fy)
	z := whiteZ * labInverse(fy-p.b/200)
	level := func(v float64) uint8 { return toByte[int(float64(min(max(v, 0), 1)*(1<<16-1))+0.5)] }
	return level(dot(3.240479, x, -1.53715, y, -0.498535, z)),
		level(dot(-0.969256, x, 1.875991, y, 0.041556, z)),
		level(dot(0.055648, x, -0.204043, y, 1.057311, z))
}
