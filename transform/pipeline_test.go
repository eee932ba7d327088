package transform

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

func noise(seed uint64, w, h int) *raster.Image {
	m := raster.New(w, h)
	r := rng.New(seed)
	for y := range h {
		for x := range w {
			v := r.Uint64()
			m.Set(x, y, raster.RGB{R: uint8(v), G: uint8(v >> 8), B: uint8(v >> 16)})
		}
	}
	return m
}

func made(t testing.TB, r *Pipeline, src *raster.Image, key rng.Key) []*raster.Image {
	t.Helper()
	dst := make([]*raster.Image, max(r.Views, 1))
	for i := range dst {
		dst[i] = new(raster.Image)
	}
	if err := r.Transform().Apply(dst, src, key); err != nil {
		t.Fatal(err)
	}
	return dst
}

func mustMix(t testing.TB, spec string) *mix.Method {
	t.Helper()
	m, err := mix.ParseMethod(spec, mix.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// View 0 is the crop and flip alone, the others are mixes of exactly that image, and a single view is view 1.
func TestViews(t *testing.T) {
	src := noise(1, 40, 32)
	for _, crop := range []Crop{{}, {CenterCrop, 24, 0}, {RandomCrop, 32, 4}, {ResizedCrop, 20, 0}} {
		for seed := range uint64(8) {
			key := rng.NewKey(seed).Str("k")
			r := &Pipeline{Crop: crop, Flip: true, Mix: mustMix(t, "augmix"), Views: 3, Epoch: 2}
			views := made(t, r, src, key)
			clean := &Pipeline{Crop: crop, Flip: true, Epoch: 2}
			if want := made(t, clean, src, key)[0]; !raster.Equal(views[0], want) {
				t.Errorf("crop %v seed %d: view 0 is not the clean image", crop, seed)
			}
			for v := 1; v < 3; v++ {
				stream := key.Str("augment").Uint(2).Uint(uint64(v)).Rand() // as documented at ViewKey
				want := new(raster.Image)
				mix.NewAugMix().Apply(want, views[0], &stream, new(mix.Scratch))
				if !raster.Equal(views[v], want) {
					t.Errorf("crop %v seed %d: view %d is not a mix of view 0 from its own stream", crop, seed, v)
				}
			}
			if raster.Equal(views[1], views[2]) {
				t.Errorf("crop %v seed %d: the two mixes are the same", crop, seed)
			}
			r.Views = 1
			if !raster.Equal(made(t, r, src, key)[0], views[1]) {
				t.Errorf("crop %v seed %d: the single view is not view 1", crop, seed)
			}
		}
	}
}

// Each geometry step against the function of package augment that it stands for.
func TestGeometry(t *testing.T) {
	src := noise(2, 50, 30)
	key := rng.NewKey(3)
	check := func(name string, r Pipeline, want *raster.Image) {
		t.Helper()
		if got := made(t, &r, src, key)[0]; !raster.Equal(got, want) {
			t.Errorf("%s: differs (%dx%d, want %dx%d)", name, got.W, got.H, want.W, want.H)
		}
	}
	check("nothing", Pipeline{}, src)
	want := new(raster.Image)
	augment.CenterCrop(want, src, 20, 20, raster.RGB{})
	check("center", Pipeline{Crop: Crop{CenterCrop, 20, 0}}, want)

	stream := key.Str("augment").Uint(0).Str("geometry").Rand()
	augment.RandomPadCrop(want, src, 4, 28, 28, raster.RGB{}, &stream)
	check("pad", Pipeline{Crop: Crop{RandomCrop, 28, 4}}, want)

	var resizer augment.Resizer
	resizer.Resize(want, src, 25, 15, augment.Bilinear)
	check("size", Pipeline{Size: 15, Filter: augment.Bilinear}, want)
	resizer.Resize(want, src, 25, 15, augment.Lanczos)
	check("filter", Pipeline{Size: 15, Filter: augment.Lanczos}, want)
	check("its own size", Pipeline{Size: 30}, src)

	// Whether the flip falls is drawn after the crop; both outcomes are one of the two images, and both happen.
	flipped := new(raster.Image)
	augment.FlipH(flipped, src)
	count := 0
	for seed := range uint64(200) {
		got := made(t, &Pipeline{Flip: true}, src, rng.NewKey(seed))[0]
		switch {
		case raster.Equal(got, flipped):
			count++
		case !raster.Equal(got, src):
			t.Fatal("neither the image nor its flipped image")
		}
	}
	if count < 70 || count > 130 { // 100 expected, standard deviation 7
		t.Errorf("%d of 200 flipped", count)
	}
}

func TestOps(t *testing.T) {
	src := noise(4, 21, 33)
	parse := func(text string) OpSpec {
		o, err := ParseOp(text)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	apply := func(m *raster.Image, name string, v float64) *raster.Image {
		op, err := augment.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		out := new(raster.Image)
		op.Apply(out, m, v, raster.RGB{R: 9})
		return out
	}
	// From one operation to three, so that each of the buffers is the last once; the mix none must not lose them.
	for n := 1; n <= 3; n++ {
		ops := []OpSpec{parse("rotate:30"), parse("equalize"), parse("solarize:100")}[:n]
		want := apply(src, "rotate", 30)
		if n > 1 {
			want = apply(want, "equalize", 0)
		}
		if n > 2 {
			want = apply(want, "solarize", 100)
		}
		for _, m := range []*mix.Method{nil, new(mix.Method)} {
			r := &Pipeline{Ops: ops, Mix: m, Views: 2, Fill: raster.RGB{R: 9}}
			views := made(t, r, src, rng.NewKey(1))
			if !raster.Equal(views[1], want) || !raster.Equal(views[0], src) {
				t.Errorf("%d operations, mix %v: wrong image", n, m)
			}
		}
	}
	// A level draws the sign.
	plus, minus := 0, 0
	for seed := range uint64(100) {
		got := made(t, &Pipeline{Ops: []OpSpec{parse("rotate@5")}, Fill: raster.RGB{R: 9}}, src, rng.NewKey(seed))[0]
		switch {
		case raster.Equal(got, apply(src, "rotate", 15)):
			plus++
		case raster.Equal(got, apply(src, "rotate", -15)):
			minus++
		}
	}
	if plus+minus != 100 || plus < 25 || minus < 25 {
		t.Errorf("level 5 turned %d times left and %d times right of 100", plus, minus)
	}
}

func TestTransformDoesNotAllocate(t *testing.T) {
	src := noise(5, 40, 40)
	ops, err := ParseOp("rotate@3")
	if err != nil {
		t.Fatal(err)
	}
	r := &Pipeline{Crop: Crop{RandomCrop, 32, 4}, Flip: true, Ops: []OpSpec{ops}, Mix: mustMix(t, "augmix"), Views: 3}
	m := r.Transform()
	dst := []*raster.Image{new(raster.Image), new(raster.Image), new(raster.Image)}
	i := uint64(0)
	for range 300 { // every branch has been taken and every buffer has generated
		_ = m.Apply(dst, src, rng.NewKey(i))
		i++
	}
	if n := testing.AllocsPerRun(300, func() {
		_ = m.Apply(dst, src, rng.NewKey(i))
		i++
	}); n > 0 {
		t.Errorf("%v allocations a sample", n)
	}
}

func TestTooLarge(t *testing.T) {
	r := &Pipeline{Size: maxSide}
	err := r.Transform().Apply([]*raster.Image{new(raster.Image)}, raster.New(1, 40), rng.NewKey(1))
	if !errors.Is(err, raster.ErrSize) {
		t.Errorf("error %v", err)
	}
}

func TestParseCrop(t *testing.T) {
	for text, want := range map[string]Crop{
		"": {}, "224": {CenterCrop, 224, 0}, "center:7": {CenterCrop, 7, 0}, "random:32": {RandomCrop, 32, 0},
		"pad4:32": {RandomCrop, 32, 4}, "pad0:32": {RandomCrop, 32, 0}, "rrc:224": {ResizedCrop, 224, 0},
	} {
		if got, err := ParseCrop(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0", "-3", "x", "rrc", "rrc:", "pad:32", "pad-1:32", "rrc:0", "16385", ":5", "1e3", "pad4:32:1"} {
		if c, err := ParseCrop(text); !errors.Is(err, ErrOption) {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
}

func FuzzParseCrop(f *testing.F) {
	for _, s := range []string{"224", "random:3", "pad4:32", "rrc:224", "", "center:1", "pad:", ":", "pad99999999999999999999:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCrop(s)
		if err != nil {
			if !errors.Is(err, ErrOption) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if again, err := ParseCrop(c.String()); err != nil || again != c {
			t.Errorf("%q: %+v became %q and then %+v, %v", s, c, c.String(), again, err)
		}
	})
}

func FuzzParseOp(f *testing.F) {
	for _, s := range []string{"rotate:-15", "equalize", "solarize@3", "x", "rotate@", "rotate:NaN", "rotate:1e400", "flip@2", ":", "@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o, err := ParseOp(s)
		if err != nil {
			if !errors.Is(err, ErrOption) && !errors.Is(err, augment.ErrOp) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		again, err := ParseOp(o.String())
		if err != nil || again.Op.Name != o.Op.Name || again.Value != o.Value || again.Level != o.Level || again.ByLevel != o.ByLevel {
			t.Errorf("%q: %+v became %q and then %+v, %v", s, o, o.String(), again, err)
		}
		out := new(raster.Image)
		v := o.Value
		if o.ByLevel {
			v = o.Op.Value(o.Level, 5, 4, false)
		}
		o.Op.Apply(out, noise(1, 5, 4), v, raster.RGB{})
		if out.W != 5 || out.H != 4 {
			t.Errorf("%q made %dx%d of 5x4", s, out.W, out.H)
		}
	})
}

// What a sample becomes depends on its key, the seed, the epoch and nothing before it.
func TestTransformKeepsNothing(t *testing.T) {
	augMix := mustMix(t, "augmix")
	rapid.Check(t, func(t *rapid.T) {
		r := &Pipeline{
			Crop: Crop{RandomCrop, rapid.IntRange(1, 20).Draw(t, "n"), rapid.IntRange(0, 5).Draw(t, "pad")},
			Flip: true, Mix: augMix, Views: rapid.IntRange(1, 3).Draw(t, "views"),
		}
		m := r.Transform()
		make1 := func(m Transform, i uint64) string {
			dst := make([]*raster.Image, r.Views)
			for v := range dst {
				dst[v] = new(raster.Image)
			}
			if err := m.Apply(dst, noise(i, 3+int(i%17), 2+int(i%13)), rng.NewKey(9).Uint(i)); err != nil {
				t.Fatal(err)
			}
			s := ""
			for _, d := range dst {
				s += fmt.Sprint(d.W, d.H) + string(d.Pix)
			}
			return s
		}
		for _, i := range rapid.SliceOfN(rapid.Uint64Range(0, 1000), 1, 6).Draw(t, "order") {
			if make1(m, i) != make1(r.Transform(), i) {
				t.Fatalf("sample %d depends on those before it", i)
			}
		}
	})
}

// Decoding only what a random resized crop keeps gives the images that decoding all gives.
func TestPartialDecoder(t *testing.T) {
	r := rng.New(8)
	for _, flip := range []bool{false, true} {
		rec := &Pipeline{Crop: Crop{Kind: ResizedCrop, N: 24}, Flip: flip, Filter: augment.Bilinear, Mix: mustMix(t, "augmix"), Views: 2}
		partial, ok := rec.Transform().(PartialDecoder)
		if !ok {
			t.Fatal("the Transform of a random resized crop is no PartialDecoder")
		}
		whole := newApplier(rec)
		for i := range 40 {
			m := raster.New(30+r.IntN(120), 30+r.IntN(90))
			for j := range m.Pix {
				if j%4 != 3 {
					m.Pix[j] = uint8(j/4%m.W) + uint8(r.IntN(40))
				}
			}
			s := data.Sample{Key: fmt.Sprint("k", i), Form: data.Encoded}
			var err error
			if i%4 == 3 {
				s.Data, err = imagefile.EncodePNG(nil, m, imagefile.LevelFast)
			} else {
				s.Data, err = imagefile.EncodeJPEG(nil, m, 80)
			}
			if err != nil {
				t.Fatal(err)
			}
			key := rng.NewKey(4).Str(s.Key)
			make2 := func(m, decoding Transform) []*raster.Image {
				var src raster.Image
				if err := Decode(&src, &s, decoding, key); err != nil {
					t.Fatal(err)
				}
				dst := []*raster.Image{new(raster.Image), new(raster.Image)}
				if err := m.Apply(dst, &src, key); err != nil {
					t.Fatal(err)
				}
				return dst
			}
			want := make2(whole, nil)
			if i%5 == 0 { // a sample that could not be decoded after it was asked for
				partial.Part(9, 9, rng.NewKey(99))
			}
			got := make2(partial, partial)
			if !raster.Equal(got[0], want[0]) || !raster.Equal(got[1], want[1]) {
				t.Fatalf("sample %d of %dx%d: decoding a part gives other images", i, m.W, m.H)
			}
			// Without Part, as for samples that are not files, the same Transform takes the whole image.
			if got := make2(partial, nil); !raster.Equal(got[1], want[1]) {
				t.Fatalf("sample %d: the whole image gives other images", i)
			}
		}
	}
}
