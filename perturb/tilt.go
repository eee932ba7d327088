package perturb

import (
	"encoding/binary"
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/raster"
)

// Tilt turns the image out of its plane, about the axis that runs along its rows and the one that runs along its
// columns by the same angle, and looks at it from a distance of its diagonal (in pixels, plus 1). What comes from
// outside the image is black. Least side 1.
type Tilt struct {
	Degrees float64
}

// The columns: frames, the frame at 0 degrees, degrees between frames.
var tiltTable = table{
	Kinds: []kind{count, count, level},
	Sets:  [4]set{{{31, 15, .75}}, {{31, 15, 1}}, {{31, 15, 1}}, {{31, 15, 1}}},
}

// Apply makes dst the tilted src, with the arithmetic of OpenCV's warpPerspective on bytes: source coordinates are
// rounded to 1/32 pixel, halves to even, and the four weights of the bilinear filter are integer multiples of 1/1024,
// so that the sum is exact; it is rounded half up. Parity: exact but for source coordinates within rounding error of
// a half of 1/32. dst takes the size of src and must not share its memory.
func (t Tilt) Apply(dst, src *raster.Image) {
	dst.Reset(src.W, src.H)
	m := t.matrix(src.W, src.H).inverse()
	warpPerspective(dst, src, &m, 0, 0)
}

func frameTilt(q *Sequence, dst *raster.Image, i int) {
	t := Tilt{centered(i, q.v[1], q.v[2])}
	if q.crop != center {
		t.Apply(q.canvas(dst), q.src)
		q.show(dst)
		return
	}
	dst.Reset(q.side, q.side) // only what remains after the crop
	m := t.matrix(q.src.W, q.src.H).inverse()
	warpPerspective(dst, q.src, &m, cutAt(q.src.W, q.side), cutAt(q.src.H, q.side))
}

// cutAt returns where the central n of size pixels begin.
func cutAt(size, n int) int { return int(math.RoundToEven(float64(size-n) / 2)) }

// mat3 and mat4 are matrices, mat3 in row order.
type (
	mat3 [9]float64
	mat4 [4][4]float64
)

func (a *mat4) times(b *mat4) (c mat4) {
	for i := range 4 {
		for j := range 4 {
			for k := range 4 {
				c[i][j] += float64(a[i][k] * b[k][j])
			}
		}
	}
	return c
}

// matrix returns the projective map from source to output of a w by h image: the plane of the image, its middle at
// the origin and at height 1, is turned about the x and the y axis, moved away by the diagonal f, and projected with
// focal length f onto the middle.
func (t Tilt) matrix(w, h int) mat3 {
	angle := t.Degrees * (math.Pi / 180)
	sin, cos := detmath.Sin(angle), detmath.Cos(angle)
	x, y := float64(w)/2, float64(h)/2
	f := math.Sqrt(float64(float64(w)*float64(w)) + float64(float64(h)*float64(h)))
	plane := mat4{{1, 0, -x}, {0, 1, -y}, {0, 0, 1}, {0, 0, 1}}
	turnX := mat4{{1}, {0, cos, -sin}, {0, sin, cos}, {0, 0, 0, 1}}
	turnY := mat4{{cos, 0, -sin}, {0, 1}, {sin, 0, cos}, {0, 0, 0, 1}}
	away := mat4{{1}, {0, 1}, {0, 0, 1, f}, {0, 0, 0, 1}}
	project := mat4{{f, 0, x}, {0, f, y}, {0, 0, 1}}
	turn := turnX.times(&turnY)
	m := turn.times(&plane)
	m = away.times(&m)
	m = project.times(&m)
	return mat3{m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2]}
}

// inverse returns the inverse, adjugate over determinant.
func (m mat3) inverse() mat3 {
	minor := func(a, b, c, d int) float64 { return float64(m[a]*m[b]) - float64(m[c]*m[d]) }
	det := float64(m[0]*minor(4, 8, 5, 7)) - float64(m[1]*minor(3, 8, 5, 6)) + float64(m[2]*minor(3, 7, 4, 6))
	d := 1 / det
	return mat3{
		minor(4, 8, 5, 7) * d, minor(2, 7, 1, 8) * d, minor(1, 5, 2, 4) * d,
		minor(5, 6, 3, 8) * d, minor(0, 8, 2, 6) * d, minor(2, 3, 0, 5) * d,
		minor(3, 7, 4, 6) * d, minor(1, 6, 0, 7) * d, minor(0, 4, 1, 3) * d,
	}
}

// warpPerspective fills dst with the pixels of src to which m maps those of dst, whose corner is pixel (left, top) of
// the whole output.
func warpPerspective(dst, src *raster.Image, m *mat3, left, top int) {
	for y := range dst.H {
		v := float64(y + top)
		x0 := float64(m[1]*v) + m[2]
		y0 := float64(m[4]*v) + m[5]
		w0 := float64(m[7]*v) + m[8]
		row := dst.Pix[4*y*dst.W:][:4*dst.W]
		for x := range dst.W {
			u := float64(x + left)
			w := float64(m[6]*u) + w0
			if w != 0 {
				w = subpixels / w
			}
			sx := subpixel(float64((float64(m[0]*u) + x0) * w))
			sy := subpixel(float64((float64(m[3]*u) + y0) * w))
			samplePixel(row[4*x:][:4:4], src, sx, sy)
		}
	}
}

// subpixels is the number of steps in a source pixel.
const subpixels = 32

// subpixel rounds half to even and cuts to the 32-bit range.
func subpixel(v float64) int {
	if !(v > math.MinInt32 && v < math.MaxInt32) {
		return int(min(max(v, math.MinInt32), math.MaxInt32))
	}
	const magic = 3 << 51 // to which only integers can be added
	return int((v + magic) - magic)
}

// samplePixel makes dst the bilinear value of src at (sx, sy), in 1/32 pixel. Pixels outside src are black.
func samplePixel(dst []uint8, src *raster.Image, sx, sy int) {
	x, y := sx>>5, sy>>5
	u, v := uint64(sx&31), uint64(sy&31)
	var sum uint64
	if uint(x) < uint(src.W-1) && uint(y) < uint(src.H-1) {
		p := src.Pix[4*(y*src.W+x):][:8:8]
		q := src.Pix[4*((y+1)*src.W+x):][:8:8]
		top := spread(p)*(32-u) + spread(p[4:])*u
		bottom := spread(q)*(32-u) + spread(q[4:])*u
		sum = top*(32-v) + bottom*v
	} else {
		sum = edgePixel(src, x, y, u, v)
	}
	sum += 512 * (1 + 1<<lane + 1<<(2*lane))
	dst[0], dst[1], dst[2], dst[3] = uint8(sum>>10), uint8(sum>>(lane+10)), uint8(sum>>(2*lane+10)), 255
}

// lane is the distance in bits between the channels of a pixel that is computed with in one word: sums of bytes with
// weights that add up to 1024 stay below 2^18.
const lane = 21

// spread returns the channels of a pixel in lanes.
func spread(p []uint8) uint64 {
	v := uint64(binary.LittleEndian.Uint32(p))
	return v&0xff | v&0xff00<<(lane-8) | v&0xff0000<<(2*lane-16)
}

// edgePixel is the weighted sum of the four pixels whose corner is (x, y) if some are outside src.
func edgePixel(src *raster.Image, x, y int, u, v uint64) uint64 {
	at := func(x, y int) uint64 {
		if uint(x) >= uint(src.W) || uint(y) >= uint(src.H) {
			return 0
		}
		return spread(src.Pix[4*(y*src.W+x):][:4:4])
	}
	top := at(x, y)*(32-u) + at(x+1, y)*u
	bottom := at(x, y+1)*(32-u) + at(x+1, y+1)*u
	return top*(32-v) + bottom*v
}
