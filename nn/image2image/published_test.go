package image2image

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// published reads the tensors of a file beside the project, or skips the test.
func published(t testing.TB, path ...string) []Tensor {
	t.Helper()
	f, err := os.Open(filepath.Join(append([]string{golden.NeedBeside(t, "models")}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	z, err := npy.NewZip(f, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	var ts []Tensor
	for _, name := range z.Names() {
		a, err := z.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, Tensor{name, a.Shape, a.Data.([]float32)})
	}
	return ts
}

// pattern is the input of the expected values below.
func pattern(w, h int) []float32 {
	v := make([]float32, 3*w*h)
	for i := range v {
		c, y, x := i/(w*h), i/w%h, i%w
		v[i] = float32((7*x+13*y+29*c+x*y)%64) / 63
	}
	return v
}

// expected are twelve values, (7919*i)%n of n in planes, and the mean of what PyTorch 1.13 computes for the pattern of
// 24x16 pixels.
type expected struct {
	values [12]float64
	mean   float64
}

func (e *expected) check(t *testing.T, name string, x feature) {
	t.Helper()
	const tolerance = 1e-5
	n, sum := len(x.v), 0.0
	for i, want := range e.values {
		at := i * 7919 % n
		plane := x.h * x.w
		if got := float64(x.v[at%plane*3+at/plane]); math.Abs(got-want) > tolerance {
			t.Errorf("%s: value %d is %.6f, want %.6f", name, at, got, want)
		}
	}
	for _, v := range x.v {
		sum += float64(v)
	}
	if got := sum / float64(n); math.Abs(got-e.mean) > tolerance {
		t.Errorf("%s: the mean is %.6f, want %.6f", name, got, e.mean)
	}
}

// TestPublishedNetworks compares the networks with PyTorch, within 1e-5.
func TestPublishedNetworks(t *testing.T) {
	for _, c := range []struct {
		file, name string
		want       expected
	}{
		{"carn_m.npz", "CARN-M", expected{[12]float64{
			0.159497, 0.573804, 0.413695, 0.588466, 0.543271, 0.48332, 0.44975, 0.379107, 0.310409, 0.355694, 0.514985, 0.542582,
		}, 0.501777}},
		{"dncnn_25.npz", "DnCNN", expected{[12]float64{
			0.124552, 0.457377, 0.839815, 0.685556, 0.204411, 0.242356, 0.268146, 0.214269, 0.451618, 0.475158, 0.779759, 0.198744,
		}, 0.502750}},
		{"taef2_f16.npz", "TAEF2", expected{[12]float64{
			0.68108, 0.308932, 0.500839, 0.332195, 0.273337, 0.457807, 0.286446, 0.371387, 0.362471, 0.28647, 0.496883, 0.340453,
		}, 0.483637}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := New(published(t, "image2image", c.file))
			if err != nil || n.String() != c.name {
				t.Fatal(n, err)
			}
			var s Scratch
			for range 2 { // memory that was used before makes no difference
				c.want.check(t, c.name, n.run(&s, s.load(pattern(24, 16), 24, 16)))
			}
		})
	}
}

// TestEnlarging compares CARN-M's three scales with PyTorch.
func TestEnlarging(t *testing.T) {
	b := newBinder("CARN-M", published(t, "image2image", "carn_m.npz"))
	n := bindCARN(b)
	if b.err != nil {
		t.Fatal(b.err)
	}
	for scale, want := range map[int]expected{
		2: {[12]float64{
			0.111189, 0.804795, 0.031895, 0.496676, 0.521232, -0.010612, 0.916445, 0.794753, 0.476743, 0.687897, 0.064993, -0.016108,
		}, 0.497587},
		3: {[12]float64{
			0.085388, 0.83811, -0.157741, 0.809574, 0.791, -0.026359, 0.917772, 0.914922, 0.777941, 1.059613, 0.79654, 0.337787,
		}, 0.499236},
		4: {[12]float64{
			0.024027, 0.015598, 0.881413, -0.107692, 0.574676, 0.511879, 1.173245, -0.032804, 0.406228, 0.965514, 0.574501, 0.982815,
		}, 0.500216},
	} {
		var s Scratch
		want.check(t, "CARN-M", n.enlarge(&s, s.load(pattern(24, 16), 24, 16), scale))
	}
}

// TestPublishedStyle replays style transfer: codes within 1e-4 of the largest value, images within 1e-4.
func TestPublishedStyle(t *testing.T) {
	dir := filepath.Join(golden.NeedBeside(t, "models"), "style")
	n, err := NewStyle(published(t, "style", "magenta_style.npz"))
	if err != nil {
		t.Fatal(err)
	}
	var s Scratch
	for _, name := range []string{"scream", "wave"} {
		var code Code
		n.Predict(&code, readImage(t, filepath.Join(dir, "style_"+name+".png")), &s)
		near(t, name+": code", code[:], readFloats(t, filepath.Join(dir, "bottleneck_"+name+".npy")), 1e-4)
		content := readImage(t, filepath.Join(dir, "content.png"))
		v := planes(content)
		n.Apply(v, content.W, content.H, &code, &s)
		got := s.load(v, content.W, content.H)
		near(t, name, got.v, readFloats(t, filepath.Join(dir, "out_"+name+".npy")), 1e-4)
	}
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	most, far := 0.0, 0.0
	for i, v := range got {
		most, far = max(most, math.Abs(want[i])), max(far, math.Abs(float64(v)-want[i]))
	}
	t.Logf("%s: largest difference %.2g of values to %.3g", what, far, most)
	if far > tolerance*max(most, 1) {
		t.Errorf("%s: %g from what is expected", what, far)
	}
}

func readImage(t testing.TB, path string) *raster.Image {
	t.Helper()
	file, err := os.ReadFile(path)
	m := new(raster.Image)
	if err == nil {
		err = imagefile.Decode(m, file)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readFloats(t *testing.T, path string) []float64 {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a.Float64s()
}

// planes returns an image as values in [0, 1].
func planes(m *raster.Image) []float32 {
	n := m.W * m.H
	v := make([]float32, 3*n)
	for i := range v {
		v[i] = float32(m.Pix[4*(i%n)+i/n]) / 255
	}
	return v
}
