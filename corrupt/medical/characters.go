package medical

import (
	"image"
	"math"

	"golang.org/x/image/font/basicfont"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Letters are those of the public-domain font 7x13. At SCALE 1 the published font's capitals are 21 pixels high, those of this one 9.
const (
	fewestLetters = 3
	mostLetters   = 20
	capitals      = 21.0 / 9
	alphabet      = 26
	letterRoom    = 8.0 // published pixels that a letter takes of the room for the word's beginning
)

// runCharacters writes U{1..WORDS} words of U{3..LETTERS} letters, each at a scale of U{14..100 SCALE}/100, at a random place and in a
// random color. Strokes are at least a pixel wide.
func runCharacters(dst, src *raster.Image, v corruption.Row, r *rng.Rand, _ *corrupt.Scratch) {
	copy(dst.Pix, src.Pix)
	u := unit(src)
	for range upTo(r, 1, int(v[0])) {
		letters := upTo(r, fewestLetters, int(v[1]))
		scale := float64(float64(upTo(r, 14, int(float64(v[2]*100)+0.5))) / 100 * float64(capitals*u))
		var word [mostLetters]byte
		for i := range letters {
			word[i] = 'a' + byte(r.IntN(alphabet))
		}
		x := r.Uniform(float64(margin*u), max(float64(src.W)-float64(letterRoom*u*float64(letters)), float64(margin*u)))
		y := r.Uniform(float64(margin*u), float64(src.H)-float64(margin*u))
		write(dst, word[:letters], x, y, scale, raster.RGB{R: uint8(r.IntN(256)), G: uint8(r.IntN(256)), B: uint8(r.IntN(256))})
	}
}

// write draws a word whose base line begins at (x, y). scale is the side of a cell of the font in pixels.
func write(dst *raster.Image, word []byte, x, y, scale float64, color raster.RGB) {
	face := basicfont.Face7x13
	mask := face.Mask.(*image.Alpha)
	for i, letter := range word {
		top := int(letter-' ') * (face.Ascent + face.Descent) // of the letter in the mask
		for gy := range face.Ascent + face.Descent {
			for gx := range face.Width {
				if mask.AlphaAt(gx, top+gy).A != 0 {
					cx := x + float64((float64(i*face.Advance+gx)+0.5)*scale)
					cy := y + float64((float64(gy-face.Ascent)+0.5)*scale)
					dot(dst, cx, cy, max(scale, 1)/2, color)
				}
			}
		}
	}
}

// dot lays a square of the color over the pixels, by the share of each that it covers.
func dot(dst *raster.Image, cx, cy, half float64, color raster.RGB) {
	cover := func(p int, c float64) float64 {
		return min(max(min(float64(p)+1, c+half)-max(float64(p), c-half), 0), 1)
	}
	for y := max(int(math.Floor(cy-half)), 0); y < min(int(math.Ceil(cy+half)), dst.H); y++ {
		for x := max(int(math.Floor(cx-half)), 0); x < min(int(math.Ceil(cx+half)), dst.W); x++ {
			share := int(float64(cover(x, cx)*cover(y, cy))*255 + 0.5)
			p := dst.Pix[4*(y*dst.W+x):][:3]
			for c, v := range [3]uint8{color.R, color.G, color.B} {
				p[c] = uint8((int(p[c])*(255-share) + int(v)*share + 127) / 255)
			}
		}
	}
}
