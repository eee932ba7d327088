package npyset_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/raster"
)

// Views follow each other, or have an axis of their own; both are read back as images with their labels, and a run with
// pauses makes the same file.
func TestViews(t *testing.T) {
	const n = 4
	views := func(i int) (views []data.Item) {
		for v := range 3 {
			m := raster.New(2, 1)
			m.Set(1, 0, raster.RGB{R: uint8(i), B: uint8(v)})
			views = append(views, data.Item{Key: fmt.Sprint(i), Label: i % 2, Image: m})
		}
		return views
	}
	for _, c := range []struct {
		axis          int
		shape, labels string
		key           string // of image 7
	}{
		{0, "[12 1 2 3]", "[0 0 0 1 1 1 0 0 0 1 1 1]", "000007"},
		{3, "[4 3 1 2 3]", "[0 1 0 1]", "000002-v1"},
	} {
		for _, pauses := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "x.npy")
			var state []byte
			open := func() *npyset.Sink {
				t.Helper()
				s, err := npyset.CreateNPY(path, nil, npyset.SinkOptions{Views: c.axis}, state)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s := open()
			for i := range n {
				err := s.PutViews(views(i))
				if err == nil && pauses {
					if state, err = s.Checkpoint(); err == nil {
						err = s.Abort()
					}
					s = open()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			odd := views(1)
			odd[1].Image = raster.New(3, 1)
			if bad := (*data.SampleError)(nil); !errors.As(s.PutViews(odd), &bad) {
				t.Error("a view of another size is not rejected")
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			a, err := npy.ReadFile(path)
			if err != nil || fmt.Sprint(a.Shape) != c.shape {
				t.Fatalf("shape %v, %v, want %s", a.Shape, err, c.shape)
			}
			labels, err := npy.ReadFile(filepath.Join(filepath.Dir(path), "labels.npy"))
			if err != nil || fmt.Sprint(labels.Data) != c.labels {
				t.Errorf("labels %v, %v, want %s", labels.Data, err, c.labels)
			}
			src, err := npyset.Open(path, npyset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			all := src.(data.Indexed)
			var sample data.Sample
			for i := range 3 * n {
				if err := all.Read(i, &sample); err != nil {
					t.Fatal(err)
				}
				if want := []byte{0, 0, 0, byte(i / 3), 0, byte(i % 3)}; !slices.Equal(sample.Data, want) || sample.Label != i/3%2 || sample.Index != i {
					t.Errorf("image %d is %v with label %d at %d", i, sample.Data, sample.Label, sample.Index)
				}
				if i == 7 && sample.Key != c.key {
					t.Errorf("image 7 has the key %s", sample.Key)
				}
			}
			if all.Len() != 3*n {
				t.Errorf("%d images", all.Len())
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	s, err := npyset.CreateNPZ(filepath.Join(t.TempDir(), "x.npz"), nil, npyset.SinkOptions{Views: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutViews(views(0)); err == nil {
		t.Error("three views in an array of two")
	}
	if err := s.Abort(); err != nil {
		t.Error(err)
	}
}
