package perturb

import (
	"fmt"
	"image"
	"math"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// place says on which image a perturbation acts.
type place uint8

const (
	inside place = iota // the cropped image, of the size of the frames
	around              // the image before it is cropped
	early               // as inside; with P64, the image before it is resized
)

// crop says how a frame comes out of the image that a perturbation acts on.
type crop uint8

const (
	whole     crop = iota // the image is the frame
	center                // the central side by side pixels
	shrink                // resized to the shorter side, then center
	inception             // the central 7/8, resized
)

// Sides of the prepared image and of the frames of P224, P64 and P299.
const (
	resized224 = 256
	side224    = 224
	side64     = 64
	side299    = 299
	part299    = 0.875
)

// Sequence makes the frames of one sequence, one after the other. It lives in the [Scratch] that it was started with,
// which serves one sequence at a time: starting the next one ends the one before. It is not safe for concurrent use.
type Sequence struct {
	row  *row
	v    params
	key  rng.Key
	s    *Scratch
	src  *raster.Image // that the perturbation acts on
	crop crop
	side int // of the frames, unless crop is whole
	i    int // next frame
}

// Sequence starts the sequence of src at a difficulty (1 to 3 for a noise, otherwise 1) with the parameters and the
// preparation of a profile. It takes two words from r, from which all random numbers of the sequence derive; those of a
// frame of noise do not depend on the frames before it. src must not change until the sequence has ended. s holds the
// sequence and its memory; once it has seen the size, neither this call nor Next allocates.
//
// It returns an error that wraps [ErrDifficulty], [ErrUnknown] (a profile that does not exist, or the zero Perturbation) or [ErrSize]. The least
// side of an image is 1, for snow with P32 or Auto and for everything with P299 it is 2; with P64 and P224 the image
// resized may have [raster.MaxPixels] pixels.
func (p Perturbation) Sequence(src *raster.Image, difficulty int, profile Profile, r *rng.Rand, s *Scratch) (*Sequence,
	error,
) {
	q, err := p.open(src, difficulty, profile, s)
	if err != nil {
		return nil, err
	}
	q.key = rng.NewKey(r.Uint64()).Uint(r.Uint64())
	if p.row.draw != nil {
		p.row.draw(q)
	}
	q.start()
	return q, nil
}

// open prepares a sequence without its random numbers.
func (p Perturbation) open(src *raster.Image, difficulty int, profile Profile, s *Scratch) (*Sequence, error) {
	if err := p.checkDifficulty(difficulty); err != nil {
		return nil, err
	}
	if !profile.Valid() {
		return nil, fmt.Errorf("%s: %w: profile number %d", p.row.name, ErrUnknown, profile)
	}
	if least := p.minSide(profile); src.W < least || src.H < least {
		return nil, fmt.Errorf("%s: %w: %dx%d (allowed: width and height of at least %d)", p.row.name, ErrSize,
			src.W, src.H, least)
	}
	q := &s.seq
	*q = Sequence{row: p.row, s: s, v: p.row.table.At(profile.Side(), difficulty-1, min(src.W, src.H))}
	if err := q.prepare(src, profile); err != nil {
		return nil, fmt.Errorf("%s: %w", p.row.name, err)
	}
	return q, nil
}

func (p Perturbation) minSide(profile Profile) int {
	switch profile {
	case P64, P224:
		return 1
	case P299:
		return 2 // for the central part to have a pixel
	}
	return p.row.minSide
}

func (q *Sequence) start() {
	if q.row.begin != nil {
		q.row.begin(q)
	}
}

// Len returns the number of frames.
func (q *Sequence) Len() int { return frameCount(q.v) }

// Size returns the width and height of the frames.
func (q *Sequence) Size() (w, h int) {
	if q.crop == whole {
		return q.src.W, q.src.H
	}
	return q.side, q.side
}

// Next makes dst the next frame, or returns false and leaves dst alone if there is none. dst takes the size of the
// frames; it must not share memory with the image that the sequence started from. Its contents do not matter, and it
// may be another one for each frame.
func (q *Sequence) Next(dst *raster.Image) bool {
	if q.i >= q.Len() {
		return false
	}
	if shareMemory(dst, q.src) {
		panic("perturb: dst and the image of the sequence share memory")
	}
	q.row.frame(q, dst, q.i)
	q.i++
	return true
}

func shareMemory(a, b *raster.Image) bool {
	return a == b || len(a.Pix) > 0 && len(b.Pix) > 0 && &a.Pix[0] == &b.Pix[0]
}

// prepare makes q.src the image that the perturbation acts on and notes how frames come out of it.
func (q *Sequence) prepare(src *raster.Image, profile Profile) error {
	q.src, q.crop = src, whole
	switch profile {
	case P224:
		q.crop, q.side = center, side224
		if err := q.shorter(resized224); err != nil {
			return err
		}
	case P64:
		q.crop, q.side = center, side64
		if q.row.place == early {
			q.crop = shrink
			if _, _, err := shorterSide(src, side64); err != nil {
				return err
			}
		} else if err := q.shorter(side64); err != nil {
			return err
		}
	case P299:
		q.crop, q.side = inception, side299
	}
	if q.crop != inception && q.src.W == q.side && q.src.H == q.side {
		q.crop = whole
	}
	if q.row.place != around && q.crop != whole && q.crop != shrink {
		q.finish(&q.s.input, q.src)
		q.src, q.crop = &q.s.input, whole
	}
	return nil
}

// shorter resizes the image to the shorter side n, unless it has it.
func (q *Sequence) shorter(n int) error {
	w, h, err := shorterSide(q.src, n)
	if err != nil {
		return err
	}
	if w != q.src.W || h != q.src.H {
		q.s.resizer.Resize(&q.s.base, q.src, w, h, augment.Bilinear)
		q.src = &q.s.base
	}
	return nil
}

// shorterSide returns the size of an image resized to the shorter side n, or an error if that is too large. An image
// that has the shorter side keeps its size.
func shorterSide(m *raster.Image, n int) (w, h int, err error) {
	w, h = augment.ShorterSide(m.W, m.H, n)
	if err := raster.CheckSize(w, h); err != nil {
		return 0, 0, fmt.Errorf("%w: %dx%d resized to a shorter side of %d is %dx%d (allowed: at most %d pixels)",
			ErrSize, m.W, m.H, n, w, h, raster.MaxPixels)
	}
	return w, h, nil
}

// finish makes dst the frame that is cropped from m, which has the size of q.src.
func (q *Sequence) finish(dst, m *raster.Image) {
	switch q.crop {
	case center:
		augment.CenterCrop(dst, m, q.side, q.side, raster.RGB{})
	case shrink:
		w, h := augment.ShorterSide(m.W, m.H, q.side)
		q.s.resizer.Resize(&q.s.base, m, w, h, augment.Bilinear)
		augment.CenterCrop(dst, &q.s.base, q.side, q.side, raster.RGB{})
	case inception:
		w, h := int(part299*float64(m.W)), int(part299*float64(m.H))
		x, y := int(math.RoundToEven(float64(m.W-w)/2)), int(math.RoundToEven(float64(m.H-h)/2))
		b := image.Rect(x, y, x+w, y+h)
		q.s.resizer.ResizeBox(dst, m, b, q.side, q.side, augment.Bilinear)
	}
}

// canvas returns where to put the whole image of a frame: dst itself if frames are not cropped.
func (q *Sequence) canvas(dst *raster.Image) *raster.Image {
	if q.crop == whole {
		return dst
	}
	return &q.s.moved
}

// show finishes a frame whose whole image is on the canvas of dst.
func (q *Sequence) show(dst *raster.Image) {
	if q.crop != whole {
		q.finish(dst, &q.s.moved)
	}
}
