package frost_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// published are the figures measured on the published photographs, as the package comment has them.
var published = map[frost.Kind]figures{
	frost.Glaze:  {129.6, 18.4, [3]float64{77.7, 149.1, 165.7}, 9.3, 12.3},
	frost.Needle: {205.0, 21.9, [3]float64{200.8, 205.4, 214.5}, 11.3, 15.3},
	frost.Curl:   {205.0, 21.9, [3]float64{200.8, 205.4, 214.5}, 11.3, 15.3},
	frost.Rime:   {149.7, 28.6, [3]float64{137.6, 152.8, 165.2}, 17.8, 21.5},
	frost.Fern:   {121.4, 43.4, [3]float64{112.4, 123.4, 134.8}, 23.2, 32.5},
	frost.Hoar:   {121.4, 43.4, [3]float64{112.4, 123.4, 134.8}, 23.2, 32.5},
	frost.Leaf:   {121.4, 43.4, [3]float64{98.4, 129.4, 140.7}, 23.2, 32.5}, // color: frost6's at this luma
}

// quantiles are those of the photographs' luma at .01, .05, .1, .25, .5, .75, .9, .95 and .99.
var quantiles = map[frost.Kind][9]float64{
	frost.Glaze:  {95, 102, 107, 116, 128, 141, 155, 163, 177},
	frost.Needle: {140, 165, 176, 193, 208, 220, 230, 235, 244},
	frost.Curl:   {140, 165, 176, 193, 208, 220, 230, 235, 244},
	frost.Rime:   {81, 102, 114, 132, 150, 167, 183, 196, 231},
	frost.Fern:   {43, 58, 68, 89, 117, 149, 181, 202, 237},
	frost.Hoar:   {43, 58, 68, 89, 117, 149, 181, 202, 237},
	frost.Leaf:   {43, 58, 68, 89, 117, 149, 181, 202, 237},
}

// order are the kinds of a set.
var order = []frost.Kind{
	frost.Glaze, frost.Needle, frost.Needle, frost.Rime, frost.Fern, frost.Leaf, frost.Curl, frost.Curl, frost.Hoar,
}

func grow(kind frost.Kind, w, h int, seed uint64) *raster.Image {
	return frost.Generate(kind, w, h, rng.New(seed))
}

func fingerprint(m *raster.Image) string {
	sum := sha256.Sum256(m.Pix)
	return hex.EncodeToString(sum[:8])
}

// TestPinned holds the images to bytes recorded on amd64. GOAMD64=v3, which fuses, and other architectures must give
// the same.
func TestPinned(t *testing.T) {
	want := map[frost.Kind]string{
		frost.Fern: "8a0868bfb7e9d3bb", frost.Curl: "40f4b85baaf10e45", frost.Needle: "c566344aa8a262f6",
		frost.Rime: "7b81a9684c713704", frost.Leaf: "3c97ff418a69e521", frost.Hoar: "58d082859f5cf474",
		frost.Glaze: "9746eb0b7f993c86",
	}
	for _, kind := range frost.Kinds() {
		if got := fingerprint(grow(kind, 300, 260, 7)); got != want[kind] {
			t.Errorf("%v: %s, want %s", kind, got, want[kind])
		}
	}
}

// TestStatistics compares luma and color with the photographs', for the images of the set and for small and narrow
// ones.
func TestStatistics(t *testing.T) {
	check := func(kind frost.Kind, m *raster.Image) {
		t.Helper()
		name := fmt.Sprintf("%v %dx%d", kind, m.W, m.H)
		f, want := measure(m), published[kind]
		near(t, name+": mean", f.mean, want.mean, 1.5)
		near(t, name+": deviation", f.deviation, want.deviation, 1.5)
		for c, v := range f.rgb {
			near(t, fmt.Sprintf("%s: channel %d", name, c), v, want.rgb[c], 3)
		}
		l := luma(m)
		slices.Sort(l)
		for i, q := range []float64{.01, .05, .1, .25, .5, .75, .9, .95, .99} {
			// Few pixels have few ranks: 2 levels more for the smallest images, whose tails are steep.
			near(t, fmt.Sprintf("%s: quantile %g", name, q), l[int(q*float64(len(l)))], quantiles[kind][i], 3)
		}
	}
	for i, m := range frost.Default() {
		check(order[i], m)
	}
	for _, kind := range frost.Kinds() {
		check(kind, grow(kind, 64, 48, 3))
		check(kind, grow(kind, 40, 333, 4))
	}
}

// TestLocalContrast compares the mean deviation in small windows with the photographs': a tone curve cannot set it.
func TestLocalContrast(t *testing.T) {
	for i, m := range frost.Default() {
		f, want := measure(m), published[order[i]]
		t.Logf("%-6v mean %5.1f deviation %4.1f local %4.1f (want %4.1f) %4.1f (want %4.1f)", order[i], f.mean,
			f.deviation, f.fine, want.fine, f.coarse, want.coarse)
		near(t, fmt.Sprint(order[i], ": 7x7"), f.fine, want.fine, .2*want.fine)
		near(t, fmt.Sprint(order[i], ": 63x63"), f.coarse, want.coarse, .2*want.coarse)
	}
}

func TestSizes(t *testing.T) {
	for _, kind := range frost.Kinds() {
		for _, size := range [][2]int{{32, 32}, {33, 517}, {517, 33}, {256, 256}, {257, 255}} {
			m := grow(kind, size[0], size[1], 5)
			if m.W != size[0] || m.H != size[1] || len(m.Pix) != 4*m.W*m.H {
				t.Fatalf("%v: %dx%d with %d bytes, want %v", kind, m.W, m.H, len(m.Pix), size)
			}
			for i := 3; i < len(m.Pix); i += 4 {
				if m.Pix[i] != 255 {
					t.Fatalf("%v %v: byte %d is %d", kind, size, i, m.Pix[i])
				}
			}
		}
	}
}

func TestCheckSize(t *testing.T) {
	for _, c := range []struct {
		w, h int
		ok   bool
	}{
		{32, 32, true},
		{4096, 4096, true},
		{32, 4096, true},
		{31, 32, false},
		{32, 31, false},
		{0, 100, false},
		{-5, 100, false},
		{4097, 32, false},
		{32, 4097, false},
		{math.MaxInt, math.MaxInt, false},
	} {
		if err := frost.CheckSize(c.w, c.h); (err == nil) != c.ok || err != nil && !errors.Is(err, frost.ErrSize) {
			t.Errorf("%dx%d: %v", c.w, c.h, err)
		}
	}
}

func TestGeneratePanics(t *testing.T) {
	mustPanic(t, "unknown kind", func() { grow(frost.Kind(99), 64, 64, 1) })
	mustPanic(t, "small", func() { grow(frost.Fern, 64, 31, 1) })
	mustPanic(t, "large", func() { grow(frost.Fern, 5000, 64, 1) })
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}

func TestNames(t *testing.T) {
	want := []string{"fern", "curl", "needle", "rime", "leaf", "hoar", "glaze"}
	var got []string
	for _, k := range frost.Kinds() {
		got = append(got, k.String())
	}
	if !slices.Equal(got, want) || frost.Kind(7).String() != "Kind(7)" {
		t.Errorf("%v and %v", got, frost.Kind(7))
	}
}

// TestStream checks that an image depends on the stream alone, and that different streams give different images.
func TestStream(t *testing.T) {
	for _, kind := range frost.Kinds() {
		a, b, c := grow(kind, 120, 90, 1), grow(kind, 120, 90, 1), grow(kind, 120, 90, 2)
		if !raster.Equal(a, b) {
			t.Errorf("%v: two images from one seed", kind)
		}
		if raster.Equal(a, c) {
			t.Errorf("%v: one image from two seeds", kind)
		}
	}
}

// TestDefault checks that the set is generated once, from the documented streams whatever goroutine gets to an image
// first, and that a caller's slice is its own.
func TestDefault(t *testing.T) {
	a := frost.Default()
	if len(a) != len(order) {
		t.Fatalf("%d images", len(a))
	}
	b := frost.Default()
	b[0] = nil
	for i, m := range frost.Default() {
		if m != a[i] {
			t.Errorf("image %d was generated again", i)
		}
		if m.W != frost.SetWidth || m.H != frost.SetHeight {
			t.Errorf("image %d is %dx%d", i, m.W, m.H)
		}
	}
	for _, i := range []int{2, 3} {
		r := rng.NewKey(0).Str("ice").Uint(uint64(i)).Rand()
		if !raster.Equal(a[i], frost.Generate(order[i], frost.SetWidth, frost.SetHeight, &r)) {
			t.Errorf("image %d is not from its stream", i)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, kind := range frost.Kinds() {
		b.Run(kind.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				grow(kind, frost.SetWidth, frost.SetHeight, 1)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}

func BenchmarkSet(b *testing.B) {
	for b.Loop() {
		frost.Set(1)
	}
	b.ReportMetric(float64(len(order)*b.N)/b.Elapsed().Seconds(), "images/s")
}
