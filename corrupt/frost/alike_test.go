package frost_test

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "image/jpeg"
	_ "image/png"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/internal/filter"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// photographed are the figures of large images under the published photographs, by severity. They take long, and are of
// what other tests hold to the published program; TestFrostAlike measures those of severity 3 again.
var photographed = [...]struct {
	figures
	spread float64
}{
	{figures{mean: 177.4492, deviation: 47.8529, fine: 15.7978, coarse: 36.4086}, 12.8503},
	{figures{mean: 186.6403, deviation: 39.9830, fine: 15.0273, coarse: 30.9480}, 19.8827},
	{figures{mean: 190.5661, deviation: 36.2965, fine: 14.9470, coarse: 28.5626}, 23.4427},
	{figures{mean: 186.2005, deviation: 35.8789, fine: 15.0000, coarse: 28.1545}, 23.8551},
	{figures{mean: 188.0432, deviation: 33.8125, fine: 14.9709, coarse: 26.9154}, 26.3961},
}

// TestFrostAlike corrupts photographs with the published frost photographs and with the generated ones, at every severity,
// and compares the results: mean brightness within 3 levels, contrast and contrast in windows of 7 by 7 pixels within
// 3 %, in windows of 63 by 63 within 4 %, and how much the brightness differs between draws within 8 %. It is skipped
// where the photographs are not at hand.
func TestFrostAlike(t *testing.T) {
	photographs := golden.NeedBeside(t, "frost")
	var published []*raster.Image
	for _, name := range []string{"frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg"} {
		published = append(published, load(t, filepath.Join(photographs, name)))
	}
	names, err := filepath.Glob(filepath.Join(golden.NeedBeside(t, "photos"), "*.png"))
	if err != nil || len(names) == 0 {
		t.Fatal("no photographs to corrupt: ", err)
	}
	var large, small []*raster.Image
	var resize filter.Resizer
	for _, name := range names {
		m := load(t, name)
		side := min(m.W, m.H)
		from := image.Rect((m.W-side)/2, (m.H-side)/2, (m.W+side)/2, (m.H+side)/2)
		a, b := new(raster.Image), new(raster.Image)
		resize.ResizeCrop(a, m, 224, 224, from, filter.Bilinear)
		resize.ResizeCrop(b, m, 32, 32, from, filter.Bilinear)
		large, small = append(large, a), append(small, b)
	}
	real, generated := sets(t, published), sets(t, frost.Default())
	for _, size := range []struct {
		profile corrupt.Profile
		src     []*raster.Image
		draws   int
	}{{corrupt.P224, large, 9}, {corrupt.P32, small, 45}} {
		for severity := 1; severity <= 5; severity++ {
			a, spreadA := photographed[severity-1].figures, photographed[severity-1].spread
			if size.profile != corrupt.P224 || severity == 3 {
				pinned, pinnedSpread := a, spreadA
				a, spreadA = frosted(t, size.src, real, size.profile, severity, size.draws)
				if size.profile == corrupt.P224 {
					near(t, "recorded mean", pinned.mean, a.mean, 1e-3)
					near(t, "recorded spread of the mean", pinnedSpread, spreadA, 1e-3)
					near(t, "recorded deviation", pinned.deviation, a.deviation, 1e-3)
					near(t, "recorded 7x7", pinned.fine, a.fine, 1e-3)
					near(t, "recorded 63x63", pinned.coarse, a.coarse, 1e-3)
				}
			}
			b, spreadB := frosted(t, size.src, generated, size.profile, severity, size.draws)
			name := fmt.Sprintf("%v severity %d", size.profile, severity)
			t.Logf("%s: mean %.1f %.1f  spread %.1f %.1f  deviation %.1f %.1f  7x7 %.2f %.2f  63x63 %.1f %.1f", name,
				a.mean, b.mean, spreadA, spreadB, a.deviation, b.deviation, a.fine, b.fine, a.coarse, b.coarse)
			near(t, name+": mean", b.mean, a.mean, 3)
			near(t, name+": spread of the mean", spreadB, spreadA, .08*spreadA)
			near(t, name+": deviation", b.deviation, a.deviation, .03*a.deviation)
			near(t, name+": 7x7", b.fine, a.fine, .03*a.fine)
			if size.profile == corrupt.P224 {
				near(t, name+": 63x63", b.coarse, a.coarse, .04*a.coarse)
			}
		}
	}
}

func meanLuma(m *raster.Image) float64 {
	var r, g, b int
	for p := range slices.Chunk(m.Pix, 4) {
		r, g, b = r+int(p[0]), g+int(p[1]), b+int(p[2])
	}
	return (.299*float64(r) + .587*float64(g) + .114*float64(b)) / float64(m.W*m.H)
}

// sets returns a set for each image, so that a test can go through them all evenly.
func sets(t *testing.T, images []*raster.Image) []*corrupt.FrostSet {
	t.Helper()
	var all []*corrupt.FrostSet
	for _, m := range images {
		set, err := corrupt.NewFrostSet(m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, set)
	}
	return all
}

// frosted returns the mean figures of all images under frost, drawn several times each from the sets in turn, and the
// deviation between the means of the draws of an image. Means differ most between draws: they are of all, other figures of every third.
func frosted(t *testing.T, src []*raster.Image, sets []*corrupt.FrostSet, p corrupt.Profile, severity, draws int) (
	sum figures, spread float64,
) {
	t.Helper()
	frost, err := corrupt.ByName("frost")
	if err != nil {
		t.Fatal(err)
	}
	var dst raster.Image
	var s corrupt.Scratch
	var z meter
	n := 1 / float64(draws*len(src))
	for i, m := range src {
		var mean, square float64
		for k := range draws {
			r := rng.NewKey(11).Uint(uint64(severity)).Uint(uint64(i)).Uint(uint64(k)).Rand()
			if err := frost.WithFrost(sets[(i*draws+k)%len(sets)]).WithProfile(p).Apply(&dst, m, float64(severity), &r, &s); err != nil {
				t.Fatal(err)
			}
			m := meanLuma(&dst)
			mean += m / float64(draws)
			square += m * m / float64(draws)
			sum.mean += m * n
			if (i+k)%3 == 0 { // in turn, as the sets come in threes
				f := z.measure(&dst)
				sum.deviation += f.deviation * 3 * n
				sum.fine += f.fine * 3 * n
				sum.coarse += f.coarse * 3 * n
			}
		}
		spread += (square - mean*mean) / float64(len(src))
	}
	return sum, math.Sqrt(spread)
}

func load(t *testing.T, path string) *raster.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	std, _, err := image.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	m := new(raster.Image)
	if err := m.SetImage(std); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}
