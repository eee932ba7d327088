package golden

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// CompareU8 compares bytes with expected file i (see [Case.Uint8s] for their order) under the case's tolerance.
func CompareU8(t *testing.T, c *Case, got []uint8, i int) {
	t.Helper()
	CompareU8File(t, c, got, c.ExpectedFile(i), c.Tolerance)
}

// CompareU8File compares bytes with a file of the case.
func CompareU8File(t *testing.T, c *Case, got []uint8, file string, tol Tolerance) {
	t.Helper()
	_, want := c.Uint8s(file)
	c.report(t, file, diff(got, want, tol))
}

// CompareImages compares images, all three channels of each, with expected file i (see [Case.ImagesOf]) under the
// case's tolerance.
func CompareImages(t *testing.T, c *Case, got []*raster.Image, i int) {
	t.Helper()
	CompareImagesFile(t, c, got, c.ExpectedFile(i), c.Tolerance)
}

// CompareImagesFile compares images with a file of the case.
func CompareImagesFile(t *testing.T, c *Case, got []*raster.Image, file string, tol Tolerance) {
	t.Helper()
	c.report(t, file, diffImages(got, c.ImagesOf(file), tol))
}

// CompareFloat compares numbers with expected file i, an .npy of any type, under the case's tolerance.
func CompareFloat[F float32 | float64](t *testing.T, c *Case, got []F, i int) {
	t.Helper()
	CompareFloatFile(t, c, got, c.ExpectedFile(i), c.Tolerance)
}

// CompareFloatFile compares numbers with an .npy file of the case.
func CompareFloatFile[F float32 | float64](t *testing.T, c *Case, got []F, file string, tol Tolerance) {
	t.Helper()
	wide := make([]float64, len(got))
	for i, v := range got {
		wide[i] = float64(v)
	}
	c.report(t, file, diff(wide, c.Float64s(file), tol))
}

// CompareValues compares numbers with expected numbers that are not in a file of their own.
func CompareValues(t *testing.T, c *Case, what string, got, want []float64, tol Tolerance) {
	t.Helper()
	c.report(t, what, diff(got, want, tol))
}

// CompareValue compares a number with the expected scalar that keys lead to in Values, under the case's tolerance.
func CompareValue(t *testing.T, c *Case, got float64, keys ...string) {
	t.Helper()
	c.report(t, fmt.Sprint(keys), diff([]float64{got}, []float64{c.Value(keys...)}, c.Tolerance))
}

// Compared tells the harness of a comparison that the replay function made itself: it fails the test with the message
// unless ok.
func Compared(t *testing.T, c *Case, ok bool, format string, args ...any) {
	t.Helper()
	c.compared.Add(1)
	if !ok {
		t.Errorf("golden: "+format, args...)
	}
}

func isGray(m color.Model) bool { return m == color.GrayModel || m == color.Gray16Model }

// result is the outcome of a comparison.
type result struct {
	err     error // nil when within the tolerance
	summary string
}

func (c *Case) report(t *testing.T, what string, r result) {
	t.Helper()
	c.compared.Add(1)
	switch {
	case r.err != nil:
		t.Errorf("golden: %s: %v", what, r.err)
	case r.summary != "":
		t.Logf("golden: %s: within the tolerance: %s", what, r.summary)
	}
}

// tally gathers the differences of one comparison.
type tally struct {
	n, differ   int
	worst, sum  float64
	first       int // index of the first element that differs
	firstBeyond int // index of the first element beyond max_abs, -1 if none
}

func newTally() *tally { return &tally{first: -1, firstBeyond: -1} }

// add notes that an element is off by d.
func (s *tally) add(d float64, tol Tolerance) {
	if d != 0 {
		if s.differ++; s.first < 0 {
			s.first = s.n
		}
		s.worst = max(s.worst, d)
		s.sum += d
		if s.firstBeyond < 0 && tol.MaxAbs != nil && d > *tol.MaxAbs {
			s.firstBeyond = s.n
		}
	}
	s.n++
}

// verdict applies the tolerance. at describes an element for people.
func (s *tally) verdict(tol Tolerance, at func(i int) string) result {
	if tol.MaxAbs == nil && tol.MeanAbs == nil {
		return result{err: fmt.Errorf("no tolerance of the kind max_abs or mean_abs")}
	}
	if s.n == 0 {
		return result{err: fmt.Errorf("nothing to compare: both sides are empty")}
	}
	if s.differ == 0 {
		return result{}
	}
	mean := s.sum / float64(s.n)
	text := fmt.Sprintf("max abs %.6g (allowed %s), mean abs %.6g (allowed %s), %d of %d elements differ, first %s",
		s.worst, bound(tol.MaxAbs), mean, bound(tol.MeanAbs), s.differ, s.n, at(s.first))
	if s.firstBeyond >= 0 && s.firstBeyond != s.first {
		text += ", first beyond max_abs " + at(s.firstBeyond)
	}
	if s.firstBeyond >= 0 || (tol.MeanAbs != nil && mean > *tol.MeanAbs) {
		return result{err: fmt.Errorf("beyond the tolerance: %s", text)}
	}
	return result{summary: text}
}

func bound(b *float64) string {
	if b == nil {
		return "any"
	}
	return fmt.Sprintf("%.6g", *b)
}

// distance is |a-b|; equal infinities and two NaN are equal, NaN and a number are infinitely far apart.
func distance(a, b float64) float64 {
	switch {
	case a == b || (math.IsNaN(a) && math.IsNaN(b)):
		return 0
	case math.IsNaN(a) || math.IsNaN(b):
		return math.Inf(1)
	}
	return math.Abs(a - b)
}

func diff[T uint8 | float64](got, want []T, tol Tolerance) result {
	if len(got) != len(want) {
		return result{err: fmt.Errorf("%d elements, want %d", len(got), len(want))}
	}
	s := newTally()
	for i := range got {
		s.add(distance(float64(got[i]), float64(want[i])), tol)
	}
	return s.verdict(tol, func(i int) string { return fmt.Sprintf("[%d] = %v, want %v", i, got[i], want[i]) })
}

func diffImages(got, want []*raster.Image, tol Tolerance) result {
	if len(got) != len(want) {
		return result{err: fmt.Errorf("%d images, want %d", len(got), len(want))}
	}
	s := newTally()
	for k, g := range got {
		w := want[k]
		if g.W != w.W || g.H != w.H {
			return result{err: fmt.Errorf("image %d is %dx%d, want %dx%d", k, g.W, g.H, w.W, w.H)}
		}
		for i := range g.Pix {
			if i%4 == 3 {
				if g.Pix[i] != 255 {
					return result{err: fmt.Errorf("image %d: fourth byte of pixel %d is %d, want 255", k, i/4, g.Pix[i])}
				}
				continue
			}
			s.add(distance(float64(g.Pix[i]), float64(w.Pix[i])), tol)
		}
	}
	return s.verdict(tol, func(i int) string { return describe(got, want, i) })
}

// describe names the i-th channel value of a list of images.
func describe(got, want []*raster.Image, i int) string {
	for k, g := range got {
		if n := 3 * g.W * g.H; i >= n {
			i -= n
			continue
		}
		p, ch := i/3, i%3
		return fmt.Sprintf("image %d, x %d, y %d, channel %d = %d, want %d",
			k, p%g.W, p/g.W, ch, g.Pix[4*p+ch], want[k].Pix[4*p+ch])
	}
	return "beyond the end"
}
