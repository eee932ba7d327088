package npyset_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/raster"
)

// TestDamagedAfterClose: a file that got its name at the end is read back by a run that resumes from before that.
func TestDamagedAfterClose(t *testing.T) {
	create := map[string]func(string, []string, npyset.SinkOptions, []byte) (*npyset.Sink, error){
		"x.npy": npyset.CreateNPY, "x.npz": npyset.CreateNPZ,
	}
	for name, create := range create {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		sink, err := create(path, nil, npyset.SinkOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for label := range 9 {
			m := raster.New(4, 3)
			m.Pix[5] = uint8(label)
			if err := sink.Put(&data.Item{Key: "k", Label: label, Image: m}); err != nil {
				t.Fatal(err)
			}
		}
		state, err := sink.Checkpoint()
		if err := errors.Join(err, sink.Close()); err != nil {
			t.Fatal(err)
		}
		resume := func() error {
			sink, err := create(path, nil, npyset.SinkOptions{}, state)
			if err != nil {
				return err
			}
			return sink.Close()
		}
		if err := resume(); err != nil {
			t.Errorf("%s as it was: %v", name, err)
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			file := filepath.Join(dir, f.Name())
			whole, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string][]float64{"x.npz": {0.3, 0.9}}[f.Name()] // the members' bytes, and the directory
			if at == nil {
				at = []float64{0.6, 0.8}
			}
			for _, from := range at {
				damaged := append([]byte(nil), whole...)
				damaged[int(from*float64(len(whole)))] ^= 1
				if err := os.WriteFile(file, damaged, 0o666); err != nil {
					t.Fatal(err)
				}
				if err := resume(); !errors.Is(err, data.ErrFormat) {
					t.Errorf("%s at %v: %v", f.Name(), from, err)
				}
			}
			if err := os.WriteFile(file, whole[:len(whole)-1], 0o666); err != nil {
				t.Fatal(err)
			}
			if err := resume(); !errors.Is(err, data.ErrFormat) {
				t.Errorf("%s cut: %v", f.Name(), err)
			}
			if err := os.WriteFile(file, whole, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
