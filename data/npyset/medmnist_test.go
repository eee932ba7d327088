package npyset_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

func TestConformanceMedMNIST(t *testing.T) {
	datatest.Suite{
		W: 6, H: 5, Target: "set.npz", Indexed: true, Skip: isList,
		Open: func(path string) (data.Source, error) { return npyset.OpenMedMNIST(path, "", npyset.Options{}) },
		Create: func(path string, classes []string, state []byte) (data.Sink, error) {
			return npyset.CreateMedMNIST(path, classes, npyset.SinkOptions{Split: "test"}, state)
		},
	}.Run(t)
}

// medArrays are the arrays of a file of 2x2 images: 3 of train, 2 of val, 2 of test, and one of no part.
func medArrays(columns int, color bool) (names []string, arrays map[string]*npy.Array) {
	arrays = map[string]*npy.Array{"about": {Shape: []int{2}, Data: []float32{1.5, -2}}}
	names = []string{"about"}
	for i, part := range []string{"train", "val", "test"} {
		n := []int{3, 2, 2}[i]
		shape, size := []int{n, 2, 2}, 4*n
		if color {
			shape, size = append(shape, 3), 3*size
		}
		labels := make([]uint8, n*columns)
		for j := range labels {
			labels[j] = uint8((j + i) % 2)
		}
		arrays[part+"_images"] = &npy.Array{Shape: shape, Data: pixels(size)}
		arrays[part+"_labels"] = &npy.Array{Shape: []int{n, columns}, Data: labels}
		names = append(names, part+"_labels", part+"_images")
	}
	return names, arrays
}

func writeZip(t *testing.T, path string, deflate bool, names []string, arrays map[string]*npy.Array) {
	t.Helper()
	z, err := npy.CreateZip(path, deflate)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := z.Write(name, arrays[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMedMNIST reads a part and writes it into a file that keeps the others, in the same order and to the byte: gray and color, one label
// and several, stored and compressed.
func TestMedMNIST(t *testing.T) {
	for _, c := range []struct {
		columns        int
		color, deflate bool
	}{{1, false, false}, {1, true, true}, {14, false, true}, {14, true, false}} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "chestmnist_64.npz"), filepath.Join(dir, "out", "x.npz")
		names, arrays := medArrays(c.columns, c.color)
		writeZip(t, in, c.deflate, names, arrays)
		if !npyset.IsMedMNIST(in) {
			t.Error("not known as MedMNIST's")
		}
		src, err := npyset.OpenMedMNIST(in, "train", npyset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if info := src.Info(); info.Format != "medmnist" || info.Part != "train" || info.Len != 3 || (info.Note != "") != (c.columns > 1) ||
			c.columns == 1 && (len(info.Classes) != 14 || info.Classes[13] != "hernia") {
			t.Errorf("%+v: %+v", c, info)
		}
		sink, err := npyset.CreateMedMNIST(out, src.Info().Classes, npyset.SinkOptions{Split: "train", Like: in}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range all(t, data.Reading{Gray: true}.Of(src)) {
			want := arrays["train_labels"].Data.([]uint8)[i*c.columns:][:c.columns]
			if c.columns > 1 && (s.Label != data.NoLabel || !slices.Equal(s.Multi, want)) || c.columns == 1 && s.Label != int(want[0]) {
				t.Errorf("%+v: label %d and %v, want %v", c, s.Label, s.Multi, want)
			}
			var m raster.Image
			if err := s.Decode(&m); err != nil {
				t.Fatal(err)
			}
			if s.KeepsGray() {
				m.SetLuma(&m)
			}
			if err := sink.Put(&data.Item{Key: s.Key, Label: s.Label, Multi: s.Multi, Image: &m}); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(sink.Close(), src.Close()); err != nil {
			t.Fatal(err)
		}
		z, err := npy.OpenZip(out)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(z.Names(), names) {
			t.Errorf("%+v: arrays %q, want %q", c, z.Names(), names)
		}
		for _, name := range names {
			if got, err := z.Read(name); err != nil || !reflect.DeepEqual(got, arrays[name]) {
				t.Errorf("%+v: %s is not what it was (%v)", c, name, err)
			}
		}
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A sample that is rejected first does not say what the labels of the others are.
func TestMedMNISTRejectsFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	sink, err := npyset.CreateMedMNIST(path, nil, npyset.SinkOptions{Split: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, bad := raster.New(2, 2), (*data.SampleError)(nil)
	if err := sink.Put(&data.Item{Key: "none", Label: data.NoLabel, Image: m}); !errors.As(err, &bad) {
		t.Fatal(err)
	}
	if err := errors.Join(sink.Put(&data.Item{Key: "one", Label: 1, Image: m}), sink.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := npyset.OpenMedMNIST(path, "", npyset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := all(t, src); len(got) != 1 || got[0].Label != 1 {
		t.Errorf("%+v", got)
	}
}

func TestMedMNISTErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pathmnist.npz")
	for _, c := range []struct {
		name, split string
		change      func(arrays map[string]*npy.Array)
		want        error
		says        string
	}{
		{"several parts", "", func(map[string]*npy.Array) {}, data.ErrSplit, "train, val, test"},
		{"no such part", "dev", func(map[string]*npy.Array) {}, data.ErrUnsupported, `"dev" (allowed: train, val, test)`},
		{"few labels", "val", func(a map[string]*npy.Array) { a["val_labels"].Shape, a["val_labels"].Data = []int{1, 1}, []uint8{0} }, data.ErrFormat, "1 labels"},
		{"a class too many", "val", func(a map[string]*npy.Array) { a["val_labels"].Data = []uint8{0, 9} }, data.ErrLabel, `"val_labels" row 1 is 9`},
		{
			"not 0 or 1", "val", func(a map[string]*npy.Array) {
				a["val_labels"] = &npy.Array{Shape: []int{2, 2}, Data: []uint8{0, 1, 2, 0}}
			},
			data.ErrLabel, `"val_labels" row 1 column 0 is 2`,
		},
		{"few rows", "val", func(a map[string]*npy.Array) { a["val_labels"] = &npy.Array{Shape: []int{1, 2}, Data: []uint8{0, 1}} }, data.ErrFormat, `1 labels in array "val_labels" for 2`},
		{"volumes", "test", func(a map[string]*npy.Array) {
			a["test_images"] = &npy.Array{Shape: []int{2, 4, 4, 4}, Data: pixels(128)}
		}, data.ErrFormat, `"test_images"`},
	} {
		names, arrays := medArrays(1, false)
		c.change(arrays)
		writeZip(t, path, false, names, arrays)
		if _, err := npyset.OpenMedMNIST(path, c.split, npyset.Options{}); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) ||
			strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v, want %v with %q and the file once", c.name, err, c.want, c.says)
		}
	}
	if _, err := npyset.CreateMedMNIST(path, nil, npyset.SinkOptions{Split: "all"}, nil); err == nil {
		t.Error("a part of no name is written")
	}
	sink, err := npyset.CreateMedMNIST(filepath.Join(t.TempDir(), "x.npz"), nil, npyset.SinkOptions{Split: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var bad *data.SampleError
	for _, it := range []data.Item{{Key: "k", Label: 256}, {Key: "k", Label: data.NoLabel}} {
		it.Image = raster.New(1, 1)
		if err := sink.Put(&it); !errors.As(err, &bad) || !errors.Is(err, data.ErrLabel) {
			t.Errorf("label %d: %v", it.Label, err)
		}
	}
	if err := sink.Abort(); err != nil {
		t.Error(err)
	}
}
