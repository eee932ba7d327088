package procedural

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
)

// The bytes that a seed gives are part of the project's interface: they must not depend on assembly, architecture or Go
// release. A change here is a break that the changelog has to announce, and needs another Version.
var pinned = map[string]string{
	"fractals":           "01cd26e0b0873aea551fb6de92b6eb6e",
	"escape":             "c3af08fa02b4b717f45782bdf93bc674",
	"fractaldb":          "edc97eb0ccb96942093323e4898dbcd4",
	"fractaldb-color":    "4f97288139eff0ee62dda55356cb9177",
	"deadleaves":         "410b300e6e2f68f12ba94a1cbd72f1e0",
	"deadleaves-squares": "cafd14a2115fc0a275187ae3bccf31cf",
	"spectrum":           "953eed04200c6f3ff7230d5ffbf0ae37",
	"spectrum-color":     "bfb365d4bd038c9f4299c2c2e03b7c4f",
	"stylegan":           "6ceda3d907cf6ccf695c7dcc65794b66",
	"mixed":              "4ca9e1927ec1538fd06cb73ce1ae896d",
}

func TestPinnedImages(t *testing.T) {
	var g Generator
	var m raster.Image
	for i := range table {
		k := &table[i]
		h := sha256.New()
		n := map[string]int{"fractals": 12, "escape": 4, "mixed": 6}[k.Name]
		grounds, folds := map[int]bool{}, map[bool]bool{}
		for index := range max(n, 2) {
			g.Generate(&m, k, 5, index, 36)
			h.Write(m.Pix)
			if p, ok := g.painters["fractals"].(*fractals); ok {
				grounds[p.ground.kind], folds[p.fore.game.flat] = true, true
			}
		}
		if k.Name == "fractals" && (len(grounds) != groundCount || len(folds) != 2) {
			t.Errorf("the pinned fractals have %d of %d grounds, folds %v", len(grounds), groundCount, folds)
		}
		if got := hex.EncodeToString(h.Sum(nil))[:32]; got != pinned[k.Name] {
			t.Errorf("%q: %q, pinned is %q", k.Name, got, pinned[k.Name])
		}
	}
}

// TestIndependent: an image does not depend on what its Generator has made before.
func TestIndependent(t *testing.T) {
	for i := range table {
		k := &table[i]
		var used Generator
		var a, b raster.Image
		for _, index := range []int{2, 1, 0} {
			used.Generate(&a, k, 7, index, 20+index)
			new(Generator).Generate(&b, k, 7, index, 20+index)
			if !raster.Equal(&a, &b) {
				t.Errorf("%s: image %d depends on the one before", k.Name, index)
			}
		}
		used.Generate(&b, k, 8, 0, 20)
		if raster.Equal(&a, &b) {
			t.Errorf("%s: the seed changes nothing", k.Name)
		}
	}
}

// TestSameSubject: at another size an image is the same one, finer or coarser.
func TestSameSubject(t *testing.T) {
	for _, name := range []string{
		"fractals", "escape", "fractaldb", "deadleaves", "spectrum", "spectrum-color", "mixed",
	} {
		k, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		side := 24
		if strings.HasPrefix(name, "spectrum") {
			side = 40 // below 32 both would be made of one transform
		}
		var g Generator
		var z augment.Resizer
		var small, large, reduced raster.Image
		sum := 0.0
		const n = 4
		for index := range n {
			g.Generate(&small, k, 3, index, side)
			g.Generate(&large, k, 3, index, 4*side)
			z.Resize(&reduced, &large, side, side, augment.Box)
			sum += correlation(&small, &reduced)
		}
		// Leaves are drawn until nothing is bare, so that a finer image has others in its last gaps; an image of
		// points has other points.
		if mean := sum / n; mean < 0.75 {
			t.Errorf("%s: correlation %.2f between the sizes", name, mean)
		}
	}
}

func correlation(a, b *raster.Image) float64 {
	var n, sa, sb, saa, sbb, sab float64
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 3 {
			x, y := float64(a.Pix[i+c]), float64(b.Pix[i+c])
			n, sa, sb, saa, sbb, sab = n+1, sa+x, sb+y, saa+x*x, sbb+y*y, sab+x*y
		}
	}
	return (n*sab - sa*sb) / math.Sqrt((n*saa-sa*sa)*(n*sbb-sb*sb))
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kinds() {
		if k.Doc == "" || k.Paper == "" || seen[k.Name] {
			t.Errorf("row %+v", k)
		}
		seen[k.Name] = true
		for _, s := range k.mix {
			if m, err := ByName(s.name); err != nil || m.mix != nil || s.n < 1 {
				t.Errorf("%s mixes %+v", k.Name, s)
			}
		}
	}
	if _, err := ByName("fractal"); !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), "fractals, escape") {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestSides(t *testing.T) {
	k, _ := ByName("spectrum-color")
	var g Generator
	var m raster.Image
	for _, side := range []int{MinSide, 33, 128, 130} {
		g.Generate(&m, k, 0, 0, side)
		if m.W != side || m.H != side {
			t.Errorf("%dx%d, want side %d", m.W, m.H, side)
		}
	}
	for _, side := range []int{MinSide - 1, MaxSide + 1} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "procedural: side") {
					t.Errorf("side %d: %v", side, r)
				}
			}()
			g.Generate(&m, k, 0, 0, side)
		}()
	}
}

// TestSteady: once its memory has generated, a Generator allocates nothing but the few streams that kinds narrow.
func TestSteady(t *testing.T) {
	for _, name := range []string{"fractals", "escape", "deadleaves", "spectrum"} {
		k, _ := ByName(name)
		var g Generator
		var m raster.Image
		for i := range 6 {
			g.Generate(&m, k, 1, i, 36)
		}
		if n := testing.AllocsPerRun(1, func() { g.Generate(&m, k, 1, 3, 36) }); n > 20 {
			t.Errorf("%s: %.0f allocations an image", name, n)
		}
	}
}
