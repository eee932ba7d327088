package jpeg

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image/png"
	"io"
	"path"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/raster"
)

// pillowFiles reads testdata/goldens.zip; testdata/make.py says what it holds.
var pillowFiles = sync.OnceValue(func() map[string][]byte {
	z, err := zip.OpenReader("testdata/goldens.zip")
	if err != nil {
		panic(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			panic(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			panic(err)
		}
	}
	return files
})

// pillowNames lists the JPEG files of goldens.zip.
func pillowNames() (names []string) {
	for name := range pillowFiles() {
		if path.Ext(name) == ".jpg" {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func readPNG(t testing.TB, name string) *raster.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(pillowFiles()[name]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var out raster.Image
	if err := out.SetImage(m); err != nil {
		t.Fatal(err)
	}
	return &out
}

// decoded is what Pillow decodes of the file called name.
func decoded(t testing.TB, name string) *raster.Image {
	t.Helper()
	return readPNG(t, "dec/"+strings.TrimSuffix(name, ".jpg")+".png")
}

// mustEqual fails at the first pixel in which the images differ.
func mustEqual(t testing.TB, what string, got, want *raster.Image) {
	t.Helper()
	if got.W != want.W || got.H != want.H {
		t.Fatalf("%s: got %dx%d, want %dx%d", what, got.W, got.H, want.W, want.H)
	}
	for y := range want.H {
		for x := range want.W {
			if g, w := got.At(x, y), want.At(x, y); g != w {
				t.Fatalf("%s: pixel (%d,%d) of %dx%d: got %v, want %v", what, x, y, want.W, want.H, g, w)
			}
		}
	}
	for i := 3; i < len(got.Pix); i += 4 {
		if got.Pix[i] != 255 {
			t.Fatalf("%s: fourth byte of pixel %d is %d", what, i/4, got.Pix[i])
		}
	}
}

func TestDecodeIsPillows(t *testing.T) {
	var d Decoder
	var got raster.Image
	n := map[string]int{}
	for _, name := range pillowNames() {
		if err := d.Decode(&got, pillowFiles()[name]); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustEqual(t, name, &got, decoded(t, name))
		kind := path.Dir(name)
		n[kind]++
		if kind != "bad" && d.Warnings() > 0 {
			t.Errorf("%s: %d warnings on a sound file", name, d.Warnings())
		}
	}
	if n["enc"] < 100 || n["syn"] < 100 || n["bad"] < 40 {
		t.Errorf("compared %v files", n)
	}
}

func TestEncodeAndRoundTripArePillows(t *testing.T) {
	encoded, tripped := 0, 0
	var e Encoder
	for _, name := range pillowNames() {
		if !strings.HasPrefix(name, "enc/") || strings.Contains(name, "grey") || strings.Contains(name, "422") ||
			strings.Contains(name, "prog") {
			continue
		}
		var w, h, q, sub int
		if _, err := fmt.Sscanf(path.Base(name), "%dx%d_q%d_%d", &w, &h, &q, &sub); err != nil {
			t.Fatal(err)
		}
		src := readPNG(t, fmt.Sprintf("src/%dx%d.png", w, h))
		o := Options{Quality: q, Subsampling: S420, Optimize: strings.Contains(name, "opt")}
		if sub == 444 {
			o.Subsampling = S444
		}
		if got, want := e.Encode([]byte("head"), src, o), pillowFiles()[name]; !bytes.Equal(got[4:], want) ||
			string(got[:4]) != "head" {
			t.Errorf("%s: %d bytes, want Pillow's %d, or other content", name, len(got)-4, len(want))
		}
		encoded++
		if sub != 420 {
			continue
		}
		var got raster.Image
		e.RoundTrip(&got, src, q)
		mustEqual(t, name, &got, decoded(t, name))
		tripped++
	}
	if encoded != 80 || tripped != 40 {
		t.Errorf("compared %d files and %d round trips, want 80 and 40", encoded, tripped)
	}
}
