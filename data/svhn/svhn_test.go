package svhn_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/svhn"
	"github.com/augmix-go/augmix/internal/matfile/matfiletest"
	"github.com/augmix-go/augmix/raster"
)

// variables are the images and labels of samples as SVHN has them.
func variables(samples []datatest.Known) []matfiletest.Var {
	x, y := matfiletest.Var{Name: "X"}, matfiletest.Var{Name: "y", Shape: []int32{int32(len(samples)), 1}}
	for _, k := range samples {
		m := k.Image
		x.Shape = []int32{int32(m.H), int32(m.W), 3, int32(len(samples))}
		for c := range 3 {
			for i := range m.W {
				for j := range m.H {
					rgb := m.At(i, j)
					x.Bytes = append(x.Bytes, []byte{rgb.R, rgb.G, rgb.B}[c])
				}
			}
		}
		y.Bytes = append(y.Bytes, byte((k.Label+9)%10+1)) // 10 stands for 0
	}
	return []matfiletest.Var{x, {Name: "other", Shape: []int32{1, 1}, Double: []float64{0.5}}, y}
}

func TestConformance(t *testing.T) {
	for _, compress := range []bool{false, true} {
		datatest.Suite{
			W: 6, H: 5, Classes: strings.Split("0123456789", ""), Indexed: true, NoEmpty: true,
			Open: func(path string) (data.Source, error) { return svhn.Open(path, "") },
			Build: func(t testing.TB, dir string, samples []datatest.Known, _ []string) string {
				path := filepath.Join(dir, svhn.FileOf("test"))
				return write(t, path, matfiletest.File(binary.LittleEndian, compress, variables(samples)...))
			},
		}.Run(t)
	}
}

func write(t testing.TB, path string, b []byte) string {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestParts: a folder of several parts wants one to be chosen, and of one part takes it.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	file := matfiletest.File(binary.BigEndian, true, variables(datatest.Samples(3, 4, 4, 10))...)
	write(t, filepath.Join(dir, svhn.FileOf("test")), file)
	src, err := svhn.Open(dir, "")
	if err != nil || src.Len() != 3 {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, svhn.FileOf("train")), file)
	if _, err := svhn.Open(dir, ""); !errors.Is(err, data.ErrSplit) {
		t.Error(err)
	}
	if _, err := svhn.Open(dir, "extra"); !errors.Is(err, data.ErrUnsupported) || !strings.Contains(err.Error(), "allowed: train, test") {
		t.Error(err)
	}
	if src, err := svhn.Open(dir, "train"); err != nil || src.Info().Classes[9] != "9" {
		t.Error(err)
	}
}

// TestHostile: each file is refused in one line that names it and what is wrong.
func TestHostile(t *testing.T) {
	good := variables(datatest.Samples(3, 4, 4, 10))
	with := func(change func(x, y *matfiletest.Var)) []byte {
		vars := slices.Clone(good)
		change(&vars[0], &vars[2])
		return matfiletest.File(binary.LittleEndian, true, vars...)
	}
	whole := matfiletest.File(binary.LittleEndian, false, good...)
	for want, file := range map[string][]byte{
		`no variable "y"`:           with(func(_, y *matfiletest.Var) { y.Name = "z" }),
		"4 labels in y":             with(func(_, y *matfiletest.Var) { y.Shape, y.Bytes = []int32{4, 1}, []byte{1, 2, 3, 4} }),
		"y row 1 is 11":             with(func(_, y *matfiletest.Var) { y.Bytes = []byte{1, 11, 3} }),
		"y row 0 is 0":              with(func(_, y *matfiletest.Var) { y.Bytes = []byte{0, 1, 3} }),
		"value 2 is 1.5":            with(func(_, y *matfiletest.Var) { y.Bytes, y.Double = nil, []float64{1, 2, 1.5} }),
		"X of shape [4 4 3 3]":      with(func(x, _ *matfiletest.Var) { x.Bytes, x.Double = nil, make([]float64, 4*4*3*3) }),
		"X of shape [4 4 1 9]":      with(func(x, _ *matfiletest.Var) { x.Shape = []int32{4, 4, 1, 9} }),
		"dimension 2 is -4":         with(func(x, _ *matfiletest.Var) { x.Shape = []int32{4, -4, 3, 3} }),
		"dimension 3 is 1073741824": with(func(x, _ *matfiletest.Var) { x.Shape = []int32{4, 4, 1 << 30, 3} }),
		"for the dimensions":        with(func(x, _ *matfiletest.Var) { x.Bytes = x.Bytes[1:] }),
		"it ends within the val":    whole[:300],
		"ends within the values": with(func(x, y *matfiletest.Var) { // six megabytes of a few thousand bytes
			x.Shape, x.Bytes = []int32{1000, 1000, 3, 2}, make([]byte, 6e6)
			y.Shape, y.Bytes = []int32{2, 1}, []byte{1, 2}
		}),
		"within the head":    whole[:100],
		"which is HDF5":      append([]byte("MATLAB 7.3 MAT-file"), whole[19:]...),
		"version 0x0200":     slices.Replace(slices.Clone(whole), 124, 126, 0, 2),
		"no byte order":      slices.Replace(slices.Clone(whole), 126, 128, 'x', 'y'),
		"element of type 99": slices.Replace(slices.Clone(whole), 128, 129, 99),
	} {
		path := write(t, filepath.Join(t.TempDir(), "x.mat"), file)
		_, err := svhn.Open(path, "")
		if err == nil || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			!errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsupported) && !errors.Is(err, data.ErrLabel) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

// FuzzOpen: no file makes the reader panic, and what opens gives as many images as it says.
// TestPixelLimit: images have the limit of those in files.
func TestPixelLimit(t *testing.T) {
	t.Cleanup(func() { _ = data.SetDecodeLimits(data.DecodeLimits{}) })
	path := write(t, filepath.Join(t.TempDir(), "x.mat"), matfiletest.File(binary.LittleEndian, true, variables(datatest.Samples(3, 4, 4, 10))...))
	for _, most := range []int{15, 16} {
		if err := data.SetDecodeLimits(data.DecodeLimits{MaxPixels: most}); err != nil {
			t.Fatal(err)
		}
		if _, err := svhn.Open(path, ""); (most < 16) != errors.Is(err, data.ErrLimit) {
			t.Errorf("at most %d pixels: %v", most, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, compress := range []bool{false, true} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			f.Add(matfiletest.File(order, compress, variables(datatest.Samples(2, 3, 2, 10))...))
		}
	}
	path := filepath.Join(f.TempDir(), "x.mat")
	f.Fuzz(func(t *testing.T, file []byte) {
		write(t, path, file)
		src, err := svhn.Open(path, "")
		if err != nil {
			if !errors.Is(err, data.ErrFormat) && !errors.Is(err, data.ErrUnsupported) && !errors.Is(err, data.ErrLabel) {
				t.Fatalf("%v wraps no sentinel", err)
			}
			return
		}
		var s data.Sample
		var m raster.Image
		for i := range min(src.Len(), 4) {
			if err := errors.Join(src.Read(i, &s), s.Decode(&m)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func Example() {
	dir, err := os.MkdirTemp("", "svhn")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, svhn.FileOf("test"))
	file := matfiletest.File(binary.LittleEndian, true, matfiletest.Var{Name: "X", Shape: []int32{1, 2, 3, 1}, Bytes: []byte{1, 2, 3, 4, 5, 6}},
		matfiletest.Var{Name: "y", Shape: []int32{1, 1}, Bytes: []byte{10}})
	if err := os.WriteFile(path, file, 0o666); err != nil {
		fmt.Println(err)
		return
	}
	src, err := svhn.Open(path, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	var s data.Sample
	fmt.Println(src.Read(0, &s), s.Key, s.Label, s.Data)
	// Output: <nil> 000000 0 [1 2 3 4 5 6]
}
