package corrupt

import (
	"crypto/sha256"
	"fmt"
	"image"
	"math"
	"sync"

	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/internal/buffer"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Frost lays a random part of a photograph of frosted glass over the image: clip(ImageWeight·x + FrostWeight·photo).
// Least side 1.
type Frost struct {
	ImageWeight float64
	FrostWeight float64
	Scale       float64 // of the photograph
}

var frostTable = table{
	Kinds: []kind{level, level, length},
	Clean: []float64{1, 0, stay},
	Sets: [4]set{
		{{1, .2, .2}, {1, .3, .2}, {.9, .4, .2}, {.85, .4, .2}, {.75, .45, .2}},
		{{1, .3, .3}, {.9, .4, .3}, {.8, .45, .3}, {.75, .5, .3}, {.7, .55, .3}},
		frostLarge, frostLarge,
	},
}

var frostLarge = set{{1, .4, 1}, {.8, .6, 1}, {.7, .7, 1}, {.65, .7, 1}, {.6, .75, 1}}

// FrostSet holds the photographs that frost chooses from, with equal chances, at full size. The published set are the
// five files frost1.png, frost2.png, frost3.png, frost4.jpg and frost5.jpg in this order (a sixth, frost6.jpg, is never
// chosen there, and frost3 is the same image as frost2). A FrostSet may be shared by goroutines.
type FrostSet struct {
	photos []texture
	sum    func() string
}

// texture is an image of a set: its size, and the image when it is needed.
type texture struct {
	w, h int
	load func() *raster.Image
}

// NewFrostSet returns the set of the given photographs, which it keeps. It returns an error that wraps [ErrNoTextures]
// if there are none, or one is nil.
func NewFrostSet(photos ...*raster.Image) (*FrostSet, error) {
	if len(photos) == 0 {
		return nil, ErrNoTextures
	}
	set := &FrostSet{sum: sync.OnceValue(func() string { return sumOf(photos) })}
	for i, m := range photos {
		if m == nil {
			return nil, fmt.Errorf("%w: photograph %d is nil", ErrNoTextures, i)
		}
		set.photos = append(set.photos, texture{m.W, m.H, func() *raster.Image { return m }})
	}
	return set, nil
}

// Sum is a short hash of the photographs, by which sets are told apart; "" for generated ones, which are always the same.
func (s *FrostSet) Sum() string {
	if s == nil || s.sum == nil {
		return ""
	}
	return s.sum()
}

func sumOf(photos []*raster.Image) string {
	h := sha256.New()
	for _, m := range photos {
		fmt.Fprintf(h, "%dx%d\n", m.W, m.H)
		h.Write(m.Pix)
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:12]
}

// OpenFrost returns the set of the published photographs in the folder dir, by their published names; for "" the generated one.
func OpenFrost(dir string) (*FrostSet, error) {
	if dir == "" {
		return GeneratedFrost(), nil
	}
	photos, err := frost.Read(dir)
	if err != nil {
		return nil, err
	}
	return NewFrostSet(photos...)
}

// GeneratedFrost returns the set of the images of package frost, which frost takes where it is given no other. Each is generated
// when frost first draws it, in a tenth to a quarter of a second.
func GeneratedFrost() *FrostSet {
	set := &FrostSet{}
	for _, load := range frost.Deferred() {
		set.photos = append(set.photos, texture{frost.SetWidth, frost.SetHeight, load})
	}
	return set
}

var generatedFrost = sync.OnceValue(GeneratedFrost)

func runFrost(j job) error {
	if j.frost == nil || len(j.frost.photos) == 0 {
		j.frost = generatedFrost()
	}
	c := Frost{j.v[0], j.v[1], j.v[2]}
	c.Apply(j.dst, j.src, j.frost, c.Draw(j.frost, j.src.W, j.src.H, j.r), j.s)
	return nil
}

// FrostDraws are the random numbers of frost.
type FrostDraws struct {
	Photo    int // index in the set
	Row, Col int // of the part's top left corner in the scaled photograph
}

// scaled returns the factor by which a photograph is scaled for a w by h image, and its size then. The factor is
// raised where the scaled photograph would not be wider and higher than the image.
func (c Frost) scaled(p texture, w, h int) (f float64, width, height int) {
	f = max(c.Scale, float64(w+1)/float64(p.w), float64(h+1)/float64(p.h))
	width = int(math.RoundToEven(float64(p.w) * f))
	height = int(math.RoundToEven(float64(p.h) * f))
	return f, max(width, w+1), max(height, h+1)
}

// Draw returns the numbers for a w by h image: the photograph, then the row, then the column.
func (c Frost) Draw(set *FrostSet, w, h int, r *rng.Rand) FrostDraws {
	d := FrostDraws{Photo: r.IntN(len(set.photos))}
	_, width, height := c.scaled(set.photos[d.Photo], w, h)
	d.Row = r.IntN(height - h)
	d.Col = r.IntN(width - w)
	return d
}

// Apply makes dst the frosted src. Sums are float64. It panics if d does not fit the set.
func (c Frost) Apply(dst, src *raster.Image, set *FrostSet, d FrostDraws, s *Scratch) {
	prepare(dst, src)
	f, width, height := c.scaled(set.photos[d.Photo], src.W, src.H)
	if d.Row < 0 || d.Col < 0 || d.Row > height-src.H || d.Col > width-src.W {
		panic(fmt.Sprintf("corrupt: part at row %d, column %d of a photograph of %dx%d", d.Row, d.Col, width, height))
	}
	photo := set.photos[d.Photo].load()
	s.image.Reset(src.W, src.H)
	if f == 1 {
		raster.CopyRect(&s.image, image.Point{}, photo, s.image.Bounds().Add(image.Pt(d.Col, d.Row)))
	} else {
		s.frost.crop(&s.image, photo, f, d.Col, d.Row)
	}
	c.blend(dst, src, &s.image)
}

// blend makes dst the weighted sum of src and a photograph of the same size.
func (c Frost) blend(dst, src, photo *raster.Image) {
	var image, ice [256]float64
	for v := range image {
		image[v], ice[v] = float64(c.ImageWeight*float64(v)), float64(c.FrostWeight*float64(v))
	}
	in, over, out := src.Pix, photo.Pix, dst.Pix
	for len(in) >= 4 && len(over) >= 4 && len(out) >= 4 {
		out[0] = uint8(min(uint32(image[in[0]]+ice[over[0]]), 255))
		out[1] = uint8(min(uint32(image[in[1]]+ice[over[1]]), 255))
		out[2] = uint8(min(uint32(image[in[2]]+ice[over[2]]), 255))
		out[3] = 255
		in, over, out = in[4:], over[4:], out[4:]
	}
}

// frostScaler samples a part of a scaled photograph with the arithmetic of OpenCV's bilinear resize on bytes: it gives
// the same bytes as scaling all of it and cropping.
type frostScaler struct {
	index  []int32    // first column for each output column
	weight [][2]int32 // of the two columns, sum 2048
	rows   [2][]int32
	row    [2]int // which rows of the photograph are in rows
}

// crop sets dst to the part of photo, scaled by f, whose top left corner is (col, row).
func (z *frostScaler) crop(dst, photo *raster.Image, f float64, col, row int) {
	z.index, z.weight = buffer.Resize(z.index, dst.W), buffer.Resize(z.weight, dst.W)
	for x := range z.index {
		i, w := scaleTap(col+x, f)
		switch { // columns beyond the edge are clamped with the whole weight
		case i < 0:
			i, w = 0, [2]int32{2048, 0}
		case i >= photo.W-1:
			i, w = photo.W-1, [2]int32{2048, 0}
		}
		z.index[x], z.weight[x] = int32(i), w
	}
	z.row = [2]int{-1, -1}
	for k := range z.rows {
		z.rows[k] = buffer.Resize(z.rows[k], 3*dst.W)
	}
	for y := range dst.H {
		i, w := scaleTap(row+y, f)
		upper, lower := min(max(i, 0), photo.H-1), min(max(i+1, 0), photo.H-1)
		if z.row[1] == upper {
			z.row[0], z.row[1] = z.row[1], z.row[0]
			z.rows[0], z.rows[1] = z.rows[1], z.rows[0]
		}
		z.load(0, photo, upper)
		z.load(1, photo, lower)
		z.store(dst.Pix[4*y*dst.W:][:4*dst.W], w)
	}
}

// scaleTap returns the first of the two samples that output i of a row scaled by f lies between, and their weights in
// 1/2048. The position is float32.
func scaleTap(i int, f float64) (first int, w [2]int32) {
	p := float32(float64((float64(i)+0.5)*(1/f)) - 0.5)
	whole := math.Floor(float64(p))
	u := p - float32(whole)
	return int(whole), [2]int32{
		int32(math.RoundToEven(float64(float32((1 - u) * 2048)))),
		int32(math.RoundToEven(float64(float32(u * 2048)))),
	}
}

// load makes z.rows[k] the horizontal sums of row y of the photograph, unless it holds them.
func (z *frostScaler) load(k int, photo *raster.Image, y int) {
	if z.row[k] == y {
		return
	}
	z.row[k] = y
	src, out := photo.Pix[4*y*photo.W:][:4*photo.W], z.rows[k]
	for x, i := range z.index {
		w0, w1 := z.weight[x][0], z.weight[x][1]
		a := src[4*i:][:4]
		b, sum := src[4*min(int(i)+1, photo.W-1):][:4], out[3*x:][:3]
		sum[0] = int32(a[0])*w0 + int32(b[0])*w1
		sum[1] = int32(a[1])*w0 + int32(b[1])*w1
		sum[2] = int32(a[2])*w0 + int32(b[2])*w1
	}
}

// store blends the two rows and stores bytes.
func (z *frostScaler) store(dst []uint8, w [2]int32) {
	a, b := z.rows[0], z.rows[1]
	for len(dst) >= 4 && len(a) >= 3 && len(b) >= 3 {
		for c := range 3 {
			v := ((w[0]*(a[c]>>4))>>16 + (w[1]*(b[c]>>4))>>16 + 2) >> 2
			dst[c] = uint8(min(max(v, 0), 255))
		}
		dst[3] = 255
		dst, a, b = dst[4:], a[3:], b[3:]
	}
}
