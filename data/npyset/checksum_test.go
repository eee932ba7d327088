package npyset_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/internal/npy"
)

// TestChecksum: a damaged image in an archive, which is read at random, is found once all images were read, in any order, through views
// of the source too, and by Seal after some were.
func TestChecksum(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	for name, open := range map[string]func() (data.Source, error){
		"npz": func() (data.Source, error) { return open(path) },
		"medmnist": func() (data.Source, error) {
			return npyset.OpenMedMNIST(path, "train", npyset.Options{})
		},
	} {
		images := map[string]string{"npz": "images", "medmnist": "train_images"}[name]
		labels := map[string]string{"npz": "labels", "medmnist": "train_labels"}[name]
		writeZip(t, path, false, []string{images, labels}, map[string]*npy.Array{
			images: {Shape: []int{90, 2, 2}, Data: pixels(360)}, labels: {Shape: []int{90}, Data: make([]uint8, 90)},
		})
		for _, damaged := range []bool{false, true} {
			if damaged {
				flipImage(t, path)
			}
			for how, read := range map[string]func(src data.Source) error{
				"check":    check,
				"shuffled": func(src data.Source) error { return check(shuffled(src)) },
				"seal":     func(src data.Source) error { return data.Seal(shuffled(src)) },
				"seal after some": func(src data.Source) error {
					return errors.Join(src.(data.Indexed).Read(44, new(data.Sample)), data.Seal(src))
				},
			} {
				src, err := open()
				if err != nil {
					t.Fatal(err)
				}
				err = errors.Join(read(src), src.Close())
				if bad := (*data.SampleError)(nil); damaged != errors.Is(err, data.ErrFormat) || errors.As(err, &bad) {
					t.Errorf("%s, %s, damaged %v: %v", name, how, damaged, err)
				}
			}
		}
	}
}

func check(src data.Source) error {
	_, bad, err := data.Check(context.Background(), src, 3, nil)
	if len(bad) > 0 {
		return errors.New(bad[0].Reason)
	}
	return err
}

// shuffled is all of src from its end to its beginning.
func shuffled(src data.Source) data.Source {
	n := src.(data.Indexed).Len()
	return data.Subset(src, n, func(i int) int { return n - 1 - i })
}

// flipImage changes a pixel in the middle of the array of images.
func flipImage(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.Index(b, pixels(360))+180] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestChecksumOfSome: who reads some images of an archive does not pay for the others, and is not told of them.
func TestChecksumOfSome(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	writeZip(t, path, false, []string{"images"}, map[string]*npy.Array{"images": {Shape: []int{90, 2, 2}, Data: pixels(360)}})
	flipImage(t, path)
	src, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	some := data.Limit(src, 89)
	if err := errors.Join(check(some), data.Seal(some)); err != nil {
		t.Error(err)
	}
}
