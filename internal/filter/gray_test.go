package filter

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawGray returns a random gray image.
func drawGray(t *rapid.T, maxSide int) (pix []uint8, w, h int) {
	w, h = rapid.IntRange(1, maxSide).Draw(t, "w"), rapid.IntRange(1, maxSide).Draw(t, "h")
	return rapid.SliceOfN(rapid.Uint8(), w*h, w*h).Draw(t, "pix"), w, h
}

// correlate3 is the definition of a correlation with nine weights in row order, border reflect101.
func correlate3(src []uint8, w, h int, weights [9]int) []int {
	out := make([]int, w*h)
	for i := range out {
		for k, f := range weights {
			x, y := Reflect101.At(i%w+k%3-1, w), Reflect101.At(i/w+k/3-1, h)
			out[i] += f * int(src[y*w+x])
		}
	}
	return out
}

func TestGrayFiltersAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, w, h := drawGray(t, 7)
		sums, wide := make([]int32, w*h), make([]int32, w*h)
		for i, v := range src {
			wide[i] = int32(v) << 16
		}
		box, cut, emboss := slices.Clone(src), make([]uint8, w*h), make([]uint8, w*h)
		Box3(box, w, h, sums)
		BoxTrunc3(cut, wide, w, h, sums)
		Emboss3(emboss, src, w, h)
		relief := correlate3(src, w, h, [9]int{-2, -1, 0, -1, 1, 1, 0, 1, 2})
		for i, s := range correlate3(src, w, h, [9]int{1, 1, 1, 1, 1, 1, 1, 1, 1}) {
			if want := (s + 4) / 9; int(box[i]) != want {
				t.Fatalf("box of sum %d is %d, want %d", s, box[i], want)
			}
			if want := s / 9; int(cut[i]) != want {
				t.Fatalf("truncated box of sum %d is %d, want %d", s, cut[i], want)
			}
			if want := min(max(relief[i], 0), 255); int(emboss[i]) != want {
				t.Fatalf("emboss of pixel %d is %d, want %d", i, emboss[i], want)
			}
		}
	})
}

// By hand: the counts of 10, 20, 30, 40 are 2, 1, 1, 4; the scale is 255/6 = 42.5, and 20, 30, 40 become 42.5 -> 42
// (half to even), 85 and 255.
func TestEqualizeHist(t *testing.T) {
	pix := []uint8{10, 10, 20, 30, 40, 40, 40, 40}
	EqualizeHist(pix)
	if want := []uint8{0, 0, 42, 85, 255, 255, 255, 255}; !slices.Equal(pix, want) {
		t.Errorf("got %v, want %v", pix, want)
	}
	even := []uint8{7, 7, 7}
	EqualizeHist(even)
	if !slices.Equal(even, []uint8{7, 7, 7}) {
		t.Errorf("an even image became %v", even)
	}
}

// One edge pixel at the corner of a 4x3 image: steps of the 5x5 mask by hand.
func TestDistance(t *testing.T) {
	edges := make([]uint8, 12)
	edges[0] = 255
	dst := make([]int32, 12)
	Distance(dst, edges, 4, 3, nil)
	const a, b, c = stepSide, stepCorner, stepKnight
	want := []int32{0, a, 2 * a, 3 * a, a, b, c, c + a, 2 * a, c, 2 * b, b + c}
	if !slices.Equal(dst, want) {
		t.Errorf("got  %v\nwant %v", dst, want)
	}
	Distance(dst, make([]uint8, 12), 4, 3, nil)
	if slices.Min(dst) < farAway {
		t.Errorf("without edges the least distance is %d", slices.Min(dst))
	}
}

// The chamfer distance is the length of the cheapest path of the three kinds of step, whatever the image.
func TestDistanceAgainstRelaxation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pix, w, h := drawGray(t, 8)
		for i := range pix {
			pix[i] /= 200 // few edges
		}
		got := make([]int32, w*h)
		Distance(got, pix, w, h, nil)
		want := relaxedDistance(pix, w, h)
		for i := range got {
			if got[i] != want[i] && want[i] < farAway {
				t.Fatalf("pixel %d: %d, want %d", i, got[i], want[i])
			}
		}
	})
}

func relaxedDistance(edges []uint8, w, h int) []int32 {
	d := make([]int32, w*h)
	for i, e := range edges {
		if d[i] = farAway; e != 0 {
			d[i] = 0
		}
	}
	cost := func(dx, dy int) int32 {
		switch dx*dx + dy*dy {
		case 1:
			return stepSide
		case 2:
			return stepCorner
		case 5:
			return stepKnight
		}
		return farAway
	}
	for range w + h {
		for i := range d {
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					x, y := i%w+dx, i/w+dy
					if x >= 0 && y >= 0 && x < w && y < h {
						d[i] = min(d[i], d[y*w+x]+cost(dx, dy))
					}
				}
			}
		}
	}
	return d
}

// A vertical step from 0 to 100 between columns 3 and 4: |gx| is 400 in both columns beside it; a ridge must exceed its
// left neighbor and at least equal the right one, so that column 3 alone is an edge.
func TestCannyStep(t *testing.T) {
	const w, h = 8, 5
	src, dst := make([]uint8, w*h), make([]uint8, w*h)
	for i := range src {
		if i%w >= 4 {
			src[i] = 100
		}
	}
	var c Canny
	c.Edges(dst, src, w, h, 50, 150)
	for i, v := range dst {
		if want := i%w == 3; (v == 255) != want || v != 0 && v != 255 {
			t.Errorf("pixel (%d,%d) is %d", i%w, i/w, v)
		}
	}
}

// A step that fades from 60 down to 15 along its length: magnitudes are four times that, so that the part above 150/4
// is strong, the part above 50/4 hangs on to it, and without the strong part there is nothing.
func TestCannyHysteresis(t *testing.T) {
	const w, h = 8, 40
	var c Canny
	edges := func(top int) (n int) {
		src, dst := make([]uint8, w*h), make([]uint8, w*h)
		for y := range h {
			for x := 4; x < w; x++ {
				src[y*w+x] = uint8(top - y*(top-15)/h)
			}
		}
		c.Edges(dst, src, w, h, 50, 150)
		for y := range h {
			if slices.Contains(dst[y*w:][:w], 255) {
				n++
			}
		}
		return n
	}
	if n := edges(60); n != h {
		t.Errorf("%d of %d rows have an edge", n, h)
	}
	if n := edges(36); n != 0 {
		t.Errorf("%d rows have an edge without a strong one", n)
	}
}

// Edges do not depend on what the Canny was used for before.
func TestCannyReuse(t *testing.T) {
	var used Canny
	rapid.Check(t, func(t *rapid.T) {
		src, w, h := drawGray(t, 9)
		a, b := make([]uint8, w*h), make([]uint8, w*h)
		used.Edges(a, src, w, h, 50, 150)
		new(Canny).Edges(b, src, w, h, 50, 150)
		if !slices.Equal(a, b) {
			t.Fatal("a used Canny finds other edges")
		}
	})
}
