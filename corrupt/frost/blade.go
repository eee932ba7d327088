package frost

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
	"github.com/augmix-go/augmix/rng"
)

// blade is a flat pointed crystal that lies on the pane: a roof of two faces along its axis.
type blade struct {
	x, y, angle  float64 // of the root
	length, half float64 // half is the half-width where it is widest
	faces        [2]float32
	rim          float32 // added along the outline
	streak       float32 // amount of the streaks along the axis
	cover        float32 // 1 is opaque
}

// paint draws b over p.
func (p *plane) paint(b blade, r *rng.Rand) {
	c, s := detmath.Cos(b.angle), detmath.Sin(b.angle)
	ex, ey := float64(b.length*c), float64(b.length*s)
	wx, wy := float64(b.half*math.Abs(s)), float64(b.half*math.Abs(c))
	x0, x1 := max(int(b.x+min(ex, 0)-wx), 0), min(int(b.x+max(ex, 0)+wx)+1, p.w-1)
	y0, y1 := max(int(b.y+min(ey, 0)-wy), 0), min(int(b.y+max(ey, 0)+wy)+1, p.h-1)
	salt := r.Uint64()
	fc, fs := float32(c), float32(s)
	length, half := float32(b.length), float32(b.half)
	for y := y0; y <= y1; y++ {
		dy := float32(y) + .5 - float32(b.y)
		// Only the columns within half of the axis matter.
		from, to := x0, x1
		if fs > .05 || fs < -.05 {
			mid := float64(dy*fc/fs) + b.x
			reach := float64((half + 1) / max(fs, -fs))
			from, to = max(from, int(mid-reach)), min(to, int(mid+reach)+1)
		}
		if from > to {
			continue
		}
		row := p.row(y)
		dx := float32(from) + .5 - float32(b.x)
		for x := from; x <= to; x++ {
			along := float32(dx*fc) + float32(dy*fs)
			side := float32(dy*fc) - float32(dx*fs)
			dx++
			if along < 0 || along > length {
				continue
			}
			t := along / length
			wide := float32(half * min(1, 3*(1-t), .4+float32(4*t)))
			u := max(side, -side)
			if u > wide+.5 {
				continue
			}
			alpha := b.cover * min(1, wide+.5-u) * min(1, float32(.5*along)+.3)
			face := b.faces[0]
			if side < 0 {
				face = b.faces[1]
			}
			face += float32(b.streak * fraction(hash(salt+uint64(int64(float32(side*1.2)+100)))))
			if u > wide-1 {
				face += b.rim
			}
			row[x] += float32(alpha * (face - row[x]))
		}
	}
}
