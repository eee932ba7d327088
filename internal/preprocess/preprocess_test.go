package preprocess

import (
	"errors"
	"fmt"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func TestGolden(t *testing.T) {
	golden.Run(t, "preprocess", map[string]golden.Func{
		"clahe": func(t *testing.T, c *golden.Case) {
			m := CLAHE{c.Float("clip"), c.Int("tiles")}
			golden.CompareImages(t, c, []*raster.Image{applied(m, c.Images(0)[0])}, 0)
		},
		"clahe_grey": func(t *testing.T, c *golden.Case) {
			m, src := CLAHE{c.Float("clip"), c.Int("tiles")}, c.Images(0)[0]
			dst := src.Clone()
			in, out := make([]uint8, src.W*src.H), make([]uint8, src.W*src.H)
			for k := range 3 {
				for i := range in {
					in[i] = src.Pix[4*i+k]
				}
				m.equalize(out, in, src.W, src.H, new(claheScratch))
				for i := range out {
					dst.Pix[4*i+k] = out[i]
				}
			}
			golden.CompareImages(t, c, []*raster.Image{dst}, 0)
		},
		"nlm": func(t *testing.T, c *golden.Case) {
			m, src := NLM{c.Float("strength"), c.Int("patch"), c.Int("distance")}, c.Images(0)[0]
			golden.CompareImages(t, c, []*raster.Image{applied(m, src)}, 0)
			var s nlmScratch
			want := c.Value("sigma")
			got := s.sigma(src)
			golden.Compared(t, c, got > 0.99*want && got < 1.01*want, "sigma %v, want %v", got, want)
		},
	})
}

func applied(m Method, src *raster.Image) *raster.Image {
	dst := new(raster.Image)
	m.Apply(dst, src, new(Scratch))
	return dst
}

func random(w, h int, seed uint64) *raster.Image {
	m, r := raster.New(w, h), rng.New(seed)
	for i := range w * h {
		m.Set(i%w, i/w, raster.RGB{R: uint8(r.IntN(256)), G: uint8(r.IntN(256)), B: uint8(r.IntN(256))})
	}
	return m
}

// Any size works, a used Scratch changes nothing, and an image without noise stays as it is under non-local means.
func TestSizes(t *testing.T) {
	for _, spec := range []string{"clahe", "nlm", "clahe-c0-t1", "nlm-h2-p3-d1"} {
		m, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		var used Scratch
		for _, size := range [][2]int{{64, 64}, {1, 1}, {1, 9}, {7, 2}, {33, 40}} {
			src := random(size[0], size[1], 1)
			dst := new(raster.Image)
			m.Apply(dst, src, &used)
			if !raster.Equal(dst, applied(m, src)) {
				t.Errorf("%s of %v depends on what the scratch was used for", spec, size)
			}
		}
	}
	flat := raster.New(20, 20)
	flat.Fill(raster.RGB{R: 10, G: 20, B: 30})
	if !raster.Equal(applied(NewNLM(), flat), flat) {
		t.Error("nlm changes a flat image")
	}
}

// White and black stay, a gray stays gray.
func TestLab(t *testing.T) {
	for v := range 256 {
		l, a, b := bytesToLab(uint8(v), uint8(v), uint8(v))
		if a != 128 || b != 128 {
			t.Errorf("gray %d has a %d, b %d", v, a, b)
		}
		p := labPixel{light: float64(l) / 2.55}
		if r, g, b := p.rgb(); max(r, g, b)-min(r, g, b) > 1 || int(g) < v-3 || int(g) > v+3 {
			t.Errorf("gray %d comes back as %d %d %d", v, r, g, b)
		}
	}
}

func TestParse(t *testing.T) {
	for i := range Table() {
		e := &Table()[i]
		m, err := Parse(e.Name)
		if err != nil || m.String() != e.Spec {
			t.Errorf("%s: %v, %v", e.Name, m, err)
		}
	}
	for _, bad := range []string{
		"", "median", "clahe-", "clahe-c", "clahe-c-1", "clahe-c300", "clahe-t0", "clahe-t65", "clahe-t2.5", "clahe-x1",
		"nlm-h0", "nlm-p4", "nlm-p33", "nlm-d0", "nlm-d51", "nlm-d1e30", "clahe-cNaN",
	} {
		if _, err := Parse(bad); !errors.Is(err, ErrSpec) {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("clahe-c2-t8")
	f.Add("nlm-h0.8-p5-d6")
	f.Fuzz(func(t *testing.T, spec string) {
		m, err := Parse(spec)
		if err != nil {
			return
		}
		if again, err := Parse(m.String()); err != nil || again != m {
			t.Fatalf("%q reads as %v, which reads back as %v, %v", spec, m, again, err)
		}
	})
}

func ExampleParse() {
	m, err := Parse("clahe-c4")
	if err != nil {
		panic(err)
	}
	fmt.Println(m)
	// Output: clahe-c4-t8
}

func BenchmarkApply(b *testing.B) {
	for _, e := range Table() {
		b.Run(e.Name, func(b *testing.B) {
			m, _ := Parse(e.Name)
			src, dst := random(224, 224, 1), new(raster.Image)
			var s Scratch
			b.ReportAllocs()
			for b.Loop() {
				m.Apply(dst, src, &s)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
