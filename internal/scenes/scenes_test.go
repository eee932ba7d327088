package scenes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// What a seed draws is part of the project's interface: results of the quick start go back to it.
func TestPinnedImages(t *testing.T) {
	h := sha256.New()
	var m raster.Image
	for class := range shapes {
		for _, size := range []int{16, 33, 64} {
			Draw(&m, size, class, rng.NewKey(5).Uint(uint64(size)))
			h.Write(m.Pix)
		}
	}
	const want = "f45706deb28604f873782019379ebaeb"
	if got := hex.EncodeToString(h.Sum(nil))[:32]; got != want {
		t.Errorf("images hash to %s, pinned is %s", got, want)
	}
}

func TestSource(t *testing.T) {
	o := Options{N: 25, Size: 20, Seed: 7, Split: "train"}
	src, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(Options{N: 25, Size: 20, Seed: 7, Split: "test"})
	if err != nil {
		t.Fatal(err)
	}
	counts := make([]int, len(Classes()))
	var a, b, c data.Sample
	for i := 0; ; i++ {
		err := src.Next(&a)
		if err == io.EOF {
			if i != o.N {
				t.Fatalf("%d images, want %d", i, o.N)
			}
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		counts[a.Label]++
		j := o.N - 1 - i // another order must not matter
		if err := src.Read(j, &b); err != nil {
			t.Fatal(err)
		}
		if err := src.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("Next gives %s, Read %s, and more may differ", a.Key, b.Key)
		}
		var described data.Sample
		data.Describer(src).Describe(i, &described)
		if described.Data = a.Data; !reflect.DeepEqual(a, described) {
			t.Fatalf("image %d is described as %s", i, described.Key)
		}
		if err := data.CheckKey(a.Key); err != nil {
			t.Error(err)
		}
		if err := other.Read(i, &c); err != nil || string(c.Data) == string(a.Data) {
			t.Fatalf("image %d of the two splits is the same (%v)", i, err)
		}
	}
	for class, n := range counts {
		if n < 2 || n > 3 {
			t.Errorf("class %d has %d images of 25", class, n)
		}
	}
}

// The distances of a few places that can be worked out by hand.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		shape string
		at    point
		want  float64
	}{
		{"square", point{0, 0}, -0.8},
		{"square", point{1.8, 0}, 1},
		{"square", point{1.1, 1.2}, 0.5},
		{"bar", point{0, 0.1}, -0.2},
		{"cross", point{0.5, 0}, -0.3},
		{"disc", point{0, 0}, -0.9},
		{"ring", point{0, 0}, 0.52},
		{"ring", point{0.72, 0}, -0.2},
		{"arrow", point{0, 1.95}, 1},
	} {
		for i := range shapes {
			if shapes[i].name != c.shape {
				continue
			}
			if got := shapes[i].distance(c.at); math.Abs(got-c.want) > 0.004 {
				t.Errorf("%s at %v: %v, want %v", c.shape, c.at, got, c.want)
			}
		}
	}
}

// Every shape covers a fair part of its image, and its outline has no edge without length.
func TestShapes(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		last := s.outline[len(s.outline)-1]
		for _, p := range s.outline {
			if math.Hypot(p.x-last.x, p.y-last.y) < 1e-3 {
				t.Errorf("%s has the point %v twice", s.name, p)
			}
			last = p
		}
		inside := 0
		for y := -1.15; y < 1.2; y += 0.05 {
			for x := -1.15; x < 1.2; x += 0.05 {
				if s.distance(point{x, y}) < 0 {
					inside++
				}
			}
		}
		if share := float64(inside) * 0.05 * 0.05; share < 0.7 || share > 2.7 {
			t.Errorf("%s covers %v of the square of 4", s.name, share)
		}
	}
}

func TestParse(t *testing.T) {
	o, err := Parse("scenes:n=10,size=64,seed=3,split=test")
	if want := (Options{N: 10, Size: 64, Seed: 3, Split: "test"}); err != nil || o != want {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := Parse("scenes:"); err != nil || o != Default {
		t.Errorf("%+v, %v", o, err)
	}
	for _, bad := range []string{
		"", "scene:", "scenes:n=0", "scenes:n=10000001", "scenes:size=15", "scenes:size=1025", "scenes:n=x", "scenes:seed=-1",
		"scenes:split=", "scenes:split=a/b", "scenes:color=red", "scenes:n",
	} {
		if _, err := Parse(bad); !errors.Is(err, data.ErrUnsupported) {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("scenes:n=10,size=64,seed=3,split=test")
	f.Add("scenes:,,split==")
	f.Fuzz(func(t *testing.T, s string) {
		o, err := Parse(s)
		if err != nil {
			return
		}
		if again, err := Parse(o.String()); err != nil || again != o {
			t.Fatalf("%q reads as %+v, which reads back as %+v, %v", s, o, again, err)
		}
	})
}

func Example() {
	src, err := New(Options{N: 3, Size: 32, Seed: 1, Split: "train"})
	if err != nil {
		panic(err)
	}
	var s data.Sample
	for src.Next(&s) == nil {
		fmt.Println(s.Key, Classes()[s.Label], s.W, s.H)
	}
	// Output:
	// train/0000000 disc 32 32
	// train/0000001 square 32 32
	// train/0000002 triangle 32 32
}

func BenchmarkDraw(b *testing.B) {
	var m raster.Image
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Draw(&m, 32, i%len(shapes), rng.NewKey(1).Uint(uint64(i)))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}
