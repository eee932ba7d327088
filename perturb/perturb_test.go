package perturb

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/racedetector"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func TestNames(t *testing.T) {
	const ten = "gaussian_noise shot_noise motion_blur zoom_blur snow brightness translate rotate tilt scale"
	if got := strings.Join(Common(), " "); got != ten {
		t.Errorf("the ten are %s", got)
	}
	if got := strings.Join(Names(), " "); got != ten+" speckle_noise gaussian_blur spatter shear" {
		t.Errorf("all are %s", got)
	}
	for _, name := range Names() {
		p := mustByName(name)
		if p.Name() != name || p.Extra() == slices.Contains(Common(), name) {
			t.Errorf("%s: name %q, extra %v", name, p.Name(), p.Extra())
		}
		if p.Noise() != metrics.IsNoise(name) {
			t.Errorf("%s: Noise() is %v, which the metrics contradict", name, p.Noise())
		}
		if want := map[bool]int{true: 3, false: 1}[p.Noise()]; p.Difficulties() != want {
			t.Errorf("%s: %d difficulties, want %d", name, p.Difficulties(), want)
		}
	}
	_, err := ByName("fog")
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), strings.ReplaceAll(ten, " ", ", ")) {
		t.Errorf("ByName of a corruption: %v", err)
	}
}

func TestDir(t *testing.T) {
	for difficulty, want := range map[int]string{1: "shot_noise", 2: "shot_noise_2", 3: "shot_noise_3"} {
		if got, err := mustByName("shot_noise").Dir(difficulty); got != want || err != nil {
			t.Errorf("difficulty %d: %q, %v", difficulty, got, err)
		}
	}
	if got, err := mustByName("tilt").Dir(1); got != "tilt" || err != nil {
		t.Errorf("tilt: %q, %v", got, err)
	}
	if _, err := (Perturbation{}).Dir(1); !errors.Is(err, ErrUnknown) {
		t.Errorf("the zero Perturbation: %v", err)
	}
	if _, err := mustByName("tilt").Dir(2); !errors.Is(err, ErrDifficulty) {
		t.Errorf("tilt 2: %v", err)
	}
}

// The published numbers of frames.
func TestFrames(t *testing.T) {
	profiles := []Profile{P32, P64, P224, P299}
	sides := []int{32, 64, 224, 299}
	for _, name := range Names() {
		want := []int{31, 31, 31, 31}
		switch name {
		case "motion_blur":
			want = []int{21, 31, 31, 31}
		case "translate":
			want = []int{16, 31, 41, 41}
		}
		p := mustByName(name)
		for i, profile := range profiles {
			if got := p.Frames(profile); got != want[i] {
				t.Errorf("%s, %v: %d frames, want %d", name, profile, got, want[i])
			}
			if got := p.FramesAt(sides[i]); got != want[i] {
				t.Errorf("%s, side %d: %d frames, want %d", name, sides[i], got, want[i])
			}
		}
		if p.Frames(Auto) != 0 || p.Frames(Profile(77)) != 0 {
			t.Errorf("%s: Auto has %d frames, profile 77 %d", name, p.Frames(Auto), p.Frames(Profile(77)))
		}
		if got := p.FramesAt(5); got != want[0] {
			t.Errorf("%s, side 5: %d frames, want %d", name, got, want[0])
		}
	}
	if got := mustByName("motion_blur").FramesAt(48); got != 26 {
		t.Errorf("motion_blur, side 48: %d frames, want 26", got)
	}
}

func TestErrors(t *testing.T) {
	src, r := testImage(32, 32), rng.New(1)
	var s Scratch
	for _, name := range Names() {
		p := mustByName(name)
		for _, difficulty := range []int{-1, 0, p.Difficulties() + 1} {
			q, err := p.Sequence(src, difficulty, P32, r, &s)
			if !errors.Is(err, ErrDifficulty) || !strings.Contains(err.Error(), "allowed: 1") || q != nil {
				t.Errorf("%s, difficulty %d: %v", name, difficulty, err)
			}
		}
		if _, err := p.Sequence(src, 1, Profile(5), r, &s); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s, profile 5: %v", name, err)
		}
		for _, small := range []*raster.Image{raster.New(1, 9), raster.New(9, 1)} {
			if _, err := p.Sequence(small, 1, P299, r, &s); !errors.Is(err, ErrSize) {
				t.Errorf("%s, P299, %dx%d: %v", name, small.W, small.H, err)
			}
			for _, profile := range []Profile{P32, Auto} {
				if _, err := p.Sequence(small, 1, profile, r, &s); errors.Is(err, ErrSize) != (name == "snow") {
					t.Errorf("%s, %v, %dx%d: %v", name, profile, small.W, small.H, err)
				}
			}
		}
		long := raster.New(70000, 1) // 64 rows would have 286,720,000 pixels
		for _, profile := range []Profile{P64, P224} {
			if _, err := p.Sequence(long, 1, profile, r, &s); !errors.Is(err, ErrSize) {
				t.Errorf("%s, %v, a long image: %v", name, profile, err)
			}
		}
		if _, err := p.Sequence(src, 1, P32, r, &s); err != nil {
			t.Errorf("%s after errors: %v", name, err)
		}
	}
}

func TestSharedMemoryPanics(t *testing.T) {
	for _, name := range Names() {
		src := testImage(32, 32)
		for _, dst := range []*raster.Image{src, {Pix: src.Pix, W: 32, H: 32}} {
			q, err := mustByName(name).Sequence(src, 1, P32, rng.New(1), new(Scratch))
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s accepts dst that shares memory with src", name)
					}
				}()
				q.Next(dst)
			}()
		}
	}
}

func opaque(m *raster.Image) bool {
	for i := 3; i < len(m.Pix); i += 4 {
		if m.Pix[i] != 255 {
			return false
		}
	}
	return len(m.Pix) == 4*m.W*m.H
}

// Every size and profile: frames have the promised size and number and are opaque, the image is left as it was, and
// after the last frame there is none.
func TestAnySize(t *testing.T) {
	side := map[Profile]int{P64: 64, P224: 224, P299: 299}
	var s Scratch // shared, so that it shrinks and grows
	for _, name := range Names() {
		for _, size := range [][2]int{{1, 1}, {1, 7}, {2, 2}, {3, 40}, {37, 2}, {70, 45}, {64, 64}, {32, 32}} {
			src := testImage(size[0], size[1])
			before := src.Clone()
			for _, p := range []Profile{Auto, P32, P64, P224, P299} {
				if side[p] > 64 && (testing.Short() || size[0] != 70) {
					continue // slow
				}
				w, h := size[0], size[1]
				if w < mustByName(name).minSide(p) {
					continue
				}
				if n := side[p]; n > 0 {
					w, h = n, n
				}
				q, err := mustByName(name).Sequence(src, 1, p, rng.New(3), &s)
				if err != nil {
					t.Fatalf("%s, %v, profile %v: %v", name, size, p, err)
				}
				if qw, qh := q.Size(); qw != w || qh != h {
					t.Fatalf("%s, %v, profile %v: frames of %dx%d, want %dx%d", name, size, p, qw, qh, w, h)
				}
				dst, n := &raster.Image{Pix: []uint8{1, 2, 3}}, 0
				for ; q.Next(dst); n++ {
					if dst.W != w || dst.H != h || !opaque(dst) {
						t.Fatalf("%s, %v, profile %v, frame %d: a bad image of %dx%d", name, size, p, n, dst.W, dst.H)
					}
				}
				want := mustByName(name).Frames(p)
				if p == Auto {
					want = mustByName(name).FramesAt(min(w, h))
				}
				if n != want || n != q.Len() || q.Next(dst) {
					t.Fatalf("%s, %v, profile %v: %d frames, want %d, Len %d", name, size, p, n, want, q.Len())
				}
			}
			if !bytes.Equal(src.Pix, before.Pix) {
				t.Fatalf("%s changes its source", name)
			}
		}
	}
}

// The frames are a function of the image, the parameters and the key: neither what the scratch was used for before,
// nor the old contents of dst, nor what happens to the stream between the frames matters.
func TestSameKeySameBytes(t *testing.T) {
	var used Scratch
	rapid.Check(t, func(t *rapid.T) {
		p := mustByName(rapid.SampledFrom(Names()).Draw(t, "name"))
		difficulty := rapid.IntRange(1, p.Difficulties()).Draw(t, "difficulty")
		profile := rapid.SampledFrom([]Profile{Auto, P32, P64}).Draw(t, "profile")
		src := testImage(rapid.IntRange(2, 70).Draw(t, "w"), rapid.IntRange(2, 70).Draw(t, "h"))
		key := rng.NewKey(rapid.Uint64().Draw(t, "seed")).Str(p.Name())
		r1, r2 := key.Rand(), key.Rand()
		a, err := p.Sequence(src, difficulty, profile, &r1, new(Scratch))
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Sequence(src, difficulty, profile, &r2, &used)
		if err != nil {
			t.Fatal(err)
		}
		if r1.Uint64() != r2.Uint64() {
			t.Fatal("the streams went on differently")
		}
		x, y := new(raster.Image), testImage(80, 80)
		for i := range a.Len() {
			if !a.Next(x) || !b.Next(y) || !bytes.Equal(x.Pix, y.Pix) {
				t.Fatalf("%s, %v, %dx%d: frame %d of two runs differs", p.Name(), profile, src.W, src.H, i)
			}
			r1.Uint64()
		}
	})
}

// Sequences with chance differ from key to key, the others do not.
func TestRandom(t *testing.T) {
	src := testImage(48, 48)
	var s Scratch
	for _, name := range Names() {
		a, b := frames(t, name, src, 1, P32, 1, &s), frames(t, name, src, 1, P32, 2, &s)
		same := true
		for i := range a {
			same = same && raster.Equal(a[i], b[i])
		}
		if same == mustByName(name).Random() {
			t.Errorf("%s: Random() is %v, but equal frames with two keys: %v", name, mustByName(name).Random(), same)
		}
	}
}

// In steady state neither starting a sequence nor its frames allocate.
func TestNoAllocation(t *testing.T) {
	if racedetector.Enabled {
		t.Skip("the race detector takes minutes for it")
	}
	src, dst, r := testImage(48, 40), new(raster.Image), rng.New(1)
	for _, name := range Names() {
		p := mustByName(name)
		for _, profile := range []Profile{Auto, P64, P224} {
			var s Scratch
			all := func() {
				for difficulty := 1; difficulty <= p.Difficulties(); difficulty++ {
					q, err := p.Sequence(src, difficulty, profile, r, &s)
					if err != nil {
						t.Fatal(err)
					}
					for q.Next(dst) {
						continue
					}
				}
			}
			n := 1.0
			for try := 0; try < 5 && n > 0; try++ { // spatter's stack of edge pixels grows with the luck of the draw
				n = testing.AllocsPerRun(1, all)
			}
			if n > 0 {
				t.Errorf("%s, %v, allocates %v times", name, profile, n)
			}
		}
	}
}

// One Perturbation serves many goroutines; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	src := testImage(32, 32)
	for _, name := range Names() {
		var got [4]raster.Image
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				q, err := mustByName(name).Sequence(src, 1, P32, rng.New(5), new(Scratch))
				if err != nil {
					t.Error(err)
					return
				}
				for range 5 {
					q.Next(&got[i])
				}
			})
		}
		wg.Wait()
		for i := range got {
			if !raster.Equal(&got[0], &got[i]) {
				t.Errorf("%s: goroutine %d got another frame", name, i)
			}
		}
	}
}

// Frame 0 of the noises and of zoom_blur is the image cut as the profile says; so is a frame of the
// geometric perturbations that pass it.
func TestCleanFrames(t *testing.T) {
	clean := map[string]int{
		"gaussian_noise": 0, "shot_noise": 0, "speckle_noise": 0, "zoom_blur": 0,
		"translate": 20, "rotate": 15, "shear": 15, "scale": 24,
	}
	src := testImage(301, 256)
	var want raster.Image
	augment.CenterCrop(&want, src, 224, 224, raster.RGB{})
	var s Scratch
	for name, i := range clean {
		if got := frames(t, name, src, 1, P224, 1, &s)[i]; !raster.Equal(got, &want) {
			t.Errorf("%s: frame %d is not the image", name, i)
		}
	}
}

// The noises are those of package corrupt, with the parameters of the difficulty.
func TestDifficulties(t *testing.T) {
	src := raster.New(64, 64)
	src.Fill(raster.RGB{R: 128, G: 128, B: 128})
	var s Scratch
	for _, name := range []string{"gaussian_noise", "shot_noise", "speckle_noise"} {
		last := 0.0
		for difficulty := 1; difficulty <= Difficulties; difficulty++ {
			all := frames(t, name, src, difficulty, P32, 9, &s)
			sum := 0.0
			for _, m := range all[1:] {
				for i, v := range m.Pix {
					if i&3 != 3 {
						sum += (float64(v) - 128) * (float64(v) - 128)
					}
				}
			}
			if sum <= 1.2*last {
				t.Errorf("%s: difficulty %d is hardly harder: %v after %v", name, difficulty, sum, last)
			}
			last = sum
			if raster.Equal(all[1], all[2]) {
				t.Errorf("%s: frames 1 and 2 have the same noise", name)
			}
		}
	}
}

// On images of 32x32 and 64x64 Auto gives the bytes of the published profile; at 224 and 299 its parameters are the
// published ones.
func TestAuto(t *testing.T) {
	var s Scratch
	for _, name := range Names() {
		for side, p := range map[int]Profile{32: P32, 64: P64} {
			src := testImage(side, side)
			a, b := frames(t, name, src, 1, Auto, 6, &s), frames(t, name, src, 1, p, 6, &s)
			if len(a) != len(b) {
				t.Fatalf("%s, side %d: %d frames, want %d", name, side, len(a), len(b))
			}
			for i := range a {
				if !raster.Equal(a[i], b[i]) {
					t.Errorf("%s, side %d: frame %d differs", name, side, i)
					break
				}
			}
		}
		tab := mustByName(name).row.table
		for side, p := range map[int]Profile{32: P32, 64: P64, 224: P224, 299: P299} {
			for d := 1; d <= mustByName(name).Difficulties(); d++ {
				if tab.At(Auto.Side(), d-1, side) != tab.At(p.Side(), d-1, 0) {
					t.Errorf("%s, side %d, difficulty %d: other parameters than published", name, side, d)
				}
			}
		}
	}
}

func TestInterpolation(t *testing.T) {
	tests := []struct {
		name   string
		side   int
		column int
		want   float64
	}{
		{"gaussian_noise", 144, 1, (.025 + .03) / 2},
		{"motion_blur", 16, 1, 3},   // a radius shrinks with the image
		{"motion_blur", 16, 0, 21},  // the number of frames does not
		{"motion_blur", 16, 4, 9},   // nor do angles
		{"motion_blur", 598, 1, 26}, // and it grows
		{"translate", 598, 2, 2},
		{"translate", 10, 2, 1},
		{"translate", 144, 1, 18}, // 17.5, rounded
	}
	for _, c := range tests {
		got := mustByName(c.name).row.table.At(Auto.Side(), 0, c.side)[c.column]
		if d := got - c.want; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s, side %d, column %d: %v, want %v", c.name, c.side, c.column, got, c.want)
		}
	}
}

// Every table has a set for each profile, equally many difficulties, and a number of frames.
func TestTables(t *testing.T) {
	for i := range rows {
		r := &rows[i]
		for _, sets := range r.table.Sets {
			if len(sets) != len(r.table.Sets[0]) {
				t.Errorf("%s: %d and %d difficulties", r.name, len(sets), len(r.table.Sets[0]))
			}
			for _, v := range sets {
				if v[0] < 2 || r.table.Kinds[0] != count {
					t.Errorf("%s: %v frames of kind %d", r.name, v[0], r.table.Kinds[0])
				}
				for c := len(r.table.Kinds); c < len(v); c++ {
					if v[c] != 0 {
						t.Errorf("%s: column %d has no kind", r.name, c)
					}
				}
			}
		}
	}
}

// Brightness is computed from a table of the image; it must give the bytes of package corrupt.
func TestBrightness(t *testing.T) {
	src := testImage(40, 30)
	var s Scratch
	for i, got := range frames(t, "brightness", src, 1, P64, 1, &s) {
		var small, want raster.Image
		new(augment.Resizer).Resize(&small, src, 85, 64, augment.Bilinear)
		var cropped raster.Image
		augment.CenterCrop(&cropped, &small, 64, 64, raster.RGB{})
		corrupt.Brightness{Add: (float64(i) - 15) * 2 / 100}.Apply(&want, &cropped)
		if !raster.Equal(got, &want) {
			t.Errorf("frame %d differs", i)
		}
	}
}
