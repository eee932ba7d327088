package perturb

import (
	"math"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// goldenCase is one golden case: sequences from some images, of which some frames are recorded.
type goldenCase struct {
	*golden.Case
	t      *testing.T
	frames []int
	v      params
}

func (c *goldenCase) profile() Profile { return map[int]Profile{32: P32, 224: P224}[c.Int("size")] }

// replay returns the replay function of a perturbation: every frame is made through a Sequence, whose random numbers
// are the recorded ones, and the recorded frames are compared: not within the recorded tolerance, but byte for byte.
// That holds on every architecture, as no product is fused with a sum. check looks at what the case records beside
// the frames.
func replay(name string, check func(c *goldenCase)) golden.Func {
	return func(t *testing.T, gc *golden.Case) {
		p, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		c := &goldenCase{Case: gc, t: t, frames: gc.Ints("frames")}
		c.v = p.row.table.At(c.profile().Side(), 0, 0)
		total := len(c.frames)
		if gc.Has("total_frames") {
			total = gc.Int("total_frames")
		}
		if got := p.Frames(c.profile()); got != total {
			t.Fatalf("%d frames, want %d", got, total)
		}
		check(c)
		got := c.run(p)
		if len(gc.Expected) == 1 {
			golden.CompareImagesFile(t, gc, got, gc.Expected[0], golden.MaxAbs(0))
			return
		}
		for i, file := range gc.Expected {
			golden.CompareImagesFile(t, gc, got[i:i+1], file, golden.MaxAbs(0))
		}
	}
}

// run makes the recorded frames of all images of the case.
func (c *goldenCase) run(p Perturbation) []*raster.Image {
	var got []*raster.Image
	src := c.Images(0)
	var s Scratch
	for i, m := range src {
		q, err := p.open(m, 1, c.profile(), &s)
		if err != nil {
			c.t.Fatal(err)
		}
		if p.row.draw != nil {
			all := c.Draw("normal")
			n := len(all) / len(src)
			q.s.normals = q.s.normals[:0]
			for _, z := range all[i*n:][:n] {
				q.s.normals = append(q.s.normals, float32(z))
			}
		}
		q.start()
		all := make([]*raster.Image, 0, q.Len())
		for dst := new(raster.Image); q.Next(dst); dst = new(raster.Image) {
			all = append(all, dst)
		}
		for _, f := range c.frames {
			got = append(got, all[f])
		}
	}
	return got
}

// same compares numbers of the case with ours, which must agree in every bit.
func (c *goldenCase) same(param string, ours func(i int) float64) {
	c.t.Helper()
	for k, want := range c.Floats(param) {
		if got := ours(c.frames[k]); got != want {
			c.t.Errorf("%s of frame %d is %v, want %v", param, c.frames[k], got, want)
		}
	}
}

// columns compares single parameters with columns of the table.
func (c *goldenCase) columns(first int, names ...string) {
	c.t.Helper()
	for i, name := range names {
		if c.Float(name) != c.v[first+i] {
			c.t.Errorf("parameter %s is %v, want %v", name, c.v[first+i], c.Float(name))
		}
	}
}

// affine compares the matrices with those of our affine maps, whose sums were taken in another order.
func (c *goldenCase) affine(ours func(i int) Affine) {
	c.t.Helper()
	m := c.Images(0)[0]
	for k, want := range c.Matrices {
		i := k
		if len(c.Matrices) == len(c.frames) {
			i = c.frames[k]
		}
		a := ours(i).matrix(m.W, m.H)
		for j, got := range []float64{a.A, a.B, a.C, a.D, a.E, a.F} {
			if math.Abs(got-want[j]) > 4e-14*max(1, math.Abs(want[j])) {
				c.t.Errorf("frame %d: coefficient %d is %v, want %v", i, j, got, want[j])
			}
		}
	}
}

// shifts compares the recorded matrices of translate, sampled without interpolation, with our moves by integer pixels.
func (c *goldenCase) shifts() {
	c.t.Helper()
	var s Scratch
	m := c.Images(0)[0]
	all := frames(c.t, "translate", m, 1, c.profile(), 1, &s)
	for k, a := range c.Matrices {
		x, y := new(raster.Image), new(raster.Image)
		augment.AffineNearest(x, m, augment.Matrix{A: a[0], B: a[1], C: a[2], D: a[3], E: a[4], F: a[5]}, raster.RGB{})
		side := c.Int("size")
		augment.CenterCrop(y, x, side, side, raster.RGB{})
		if !raster.Equal(y, all[c.frames[k]]) {
			c.t.Errorf("frame %d differs from the recorded matrix", c.frames[k])
		}
	}
}

func TestGolden(t *testing.T) {
	golden.Run(t, "perturb", map[string]golden.Func{
		"translate": replay("translate", func(c *goldenCase) {
			c.same("dx", func(i int) float64 { return centered(i, c.v[1], c.v[2]) })
			c.shifts()
		}),
		"rotate": replay("rotate", func(c *goldenCase) {
			degrees := func(i int) float64 { return centered(i, c.v[1], c.v[2]) }
			c.same("degrees", degrees)
			c.affine(func(i int) Affine { return Affine{Degrees: degrees(i), Scale: 1} })
		}),
		"shear": replay("shear", func(c *goldenCase) {
			degrees := func(i int) float64 { return centered(i, c.v[1], c.v[2]) }
			c.same("degrees", degrees)
			c.affine(func(i int) Affine { return Affine{Shear: degrees(i), Scale: 1} })
		}),
		"scale": replay("scale", func(c *goldenCase) {
			scale := func(i int) float64 { return (float64(c.v[2]*float64(i)) + c.v[1]) / 100 }
			c.same("scale", scale)
			c.affine(func(i int) Affine { return Affine{Scale: scale(i)} })
		}),
		"tilt": replay("tilt", func(c *goldenCase) {
			c.same("degrees", func(i int) float64 { return centered(i, c.v[1], c.v[2]) })
		}),
		"brightness": replay("brightness", func(c *goldenCase) {
			c.same("add", func(i int) float64 { return centered(i, c.v[1], c.v[2]) / 100 })
		}),
		"zoom_blur": replay("zoom_blur", func(c *goldenCase) {
			scale := func(i int) float64 { return 1 + float64(c.v[1]*float64(i)) }
			c.same("scales", scale)
			c.affine(func(i int) Affine { return Affine{Scale: scale(i)} })
		}),
		"gaussian_blur": replay("gaussian_blur", func(c *goldenCase) {
			c.same("sigma", func(i int) float64 { return c.v[1] + float64(c.v[2]*float64(i)) })
			c.columns(3, "truncate")
		}),
		"motion_blur": replay("motion_blur", func(c *goldenCase) {
			c.same("angles", func(i int) float64 { return centered(i, c.v[3], c.v[4]) })
			c.columns(1, "radius", "sigma")
		}),
		"snow": replay("snow", func(c *goldenCase) {
			c.same("angles", func(i int) float64 { return c.v[8] + float64(c.v[9]*float64(i)) })
			c.columns(1, "loc", "scale", "zoom", "threshold", "radius", "sigma", "mix")
		}),
		"spatter": replay("spatter", func(c *goldenCase) {
			c.columns(1, "loc", "scale", "sigma", "threshold", "strength")
			checkDrip(c)
		}),
	})
}

// checkDrip compares the four parts of a drop with the recorded kernel, of which entry k is taken from k-1 rows above
// if there are four, from k rows above if there are two.
func checkDrip(c *goldenCase) {
	want := c.Floats("drip")
	if len(want) == 2 {
		want = []float64{0, want[0], want[1], 0}
	}
	for k, w := range want {
		if c.v[6+k] != w {
			c.t.Errorf("drip %d is %v, want %v", k, c.v[6+k], w)
		}
	}
}
