package procedural

import (
	"math"

	"github.com/augmix-go/augmix/internal/detmath"
)

// probeSide is the side of the small image on which images are judged. It does not depend on the requested size, so
// that the same number is the same subject at every size.
const probeSide = 64

// structure is what the criterion measures.
type structure struct {
	fill    float64 // share of pixels that are not the commonest gray level of 32
	entropy float64 // of the gray levels of 32, in bits, 0 to 5
	scales  int     // how many of the five dyadic scales, 2 to 32 pixels, hold detail

	rms [5]float64 // root mean square detail at each scale, from the finest
}

// detail is the root mean square of the differences at a scale, in brightness 0 to 1, from which on the scale counts.
// Quantizing to 8 bits makes 0.001; what the eye takes for texture begins near 0.02.
const detail = 0.024

// probe is a small image of brightness, 0 to 1.
type probe [probeSide * probeSide]float32

// measure looks at two probes of one image, which it overwrites. Where images are made of random points the probes
// are of different points: grain, which the two do not share, then cancels in the products that detail is measured by,
// and a structureless cloud is found out. Elsewhere both are the same image, given in two copies.
func measure(a, b *probe) structure {
	s := levels(a, b)
	side := probeSide
	for k := range s.rms {
		s.rms[k] = math.Sqrt(max(halve(a, b, side), 0))
		if s.rms[k] >= detail {
			s.scales++
		}
		side /= 2
	}
	return s
}

// levels measures what gray levels there are.
func levels(a, b *probe) structure {
	var s structure
	var hist [32]int
	for i, v := range a {
		hist[min(max(int((v+b[i])*16), 0), 31)]++
	}
	most := 0
	for _, n := range hist {
		most = max(most, n)
		if n > 0 {
			p := float64(n) / float64(len(a))
			s.entropy -= float64(p * detmath.Log(p) * (1 / math.Ln2))
		}
	}
	s.fill = 1 - float64(most)/float64(len(a))
	return s
}

// halve replaces the side by side images at the front of a and b by their means over squares of two pixels, and
// returns the mean product of what that takes away from the two.
func halve(a, b *probe, side int) float64 {
	half := side / 2
	sum := 0.0
	for y := range half {
		for x := range half {
			i := 2*y*side + 2*x
			at := [4]int{i, i + 1, i + side, i + side + 1}
			p := (a[at[0]] + a[at[1]] + a[at[2]] + a[at[3]]) / 4
			q := (b[at[0]] + b[at[1]] + b[at[2]] + b[at[3]]) / 4
			for _, j := range at {
				sum += float64(float64(a[j]-p) * float64(b[j]-q))
			}
			a[y*half+x], b[y*half+x] = p, q
		}
	}
	return sum / float64(side*side)
}

// good is the criterion that an image passes or is rejected: at most 70 % of the probe is one gray level, the gray
// levels hold at least 2.2 bits, and at least 4 of the 5 scales hold detail.
func (s structure) good() bool { return s.varied() && s.scales >= 4 }

func (s structure) varied() bool { return s.fill >= 0.3 && s.entropy >= 2.2 }

// maxTries bounds the search for an image that passes; then the best of the rejected ones is taken.
const maxTries = 48

// merit orders rejected images: the measure that fails worst, relative to what is asked, decides.
func (s structure) merit() float64 {
	return min(s.fill/0.3, s.entropy/2.2, float64(s.scales)/4)
}
