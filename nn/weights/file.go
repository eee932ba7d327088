package weights

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/torchfile"
)

// WriteFile writes a safetensors file, as [Write] does. It appears under its name when it is whole; an older file of
// that name stays until then.
func WriteFile(path string, ts []Tensor, meta map[string]string) error {
	f, err := storage.CreateAtomic(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := Write(f, ts, meta); err != nil {
		return fmt.Errorf("%w: %s", err, path)
	}
	if err := f.Commit(); err != nil {
		return err
	}
	return nil
}

// ReadFile reads the tensors of a safetensors file, with its metadata, or of an npz file or one of torch.save (see
// [ReadTorch]), which have none. The content says which it is, not the name. Errors name the file; those about its content
// wrap [ErrFormat].
func ReadFile(path string) ([]Tensor, map[string]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if st.IsDir() {
		return nil, nil, fmt.Errorf("%w: %s is a folder (allowed: a file%s)", ErrFormat, path, below(path))
	}
	if !st.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, nil, fmt.Errorf("%w: %s is not a regular file", ErrFormat, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if read := foreign(f, st.Size()); read != nil {
		ts, err := read(f, st.Size())
		if err != nil {
			return nil, nil, fmt.Errorf("%w (%s)", err, path)
		}
		return ts, map[string]string{}, nil
	}
	ts, meta, err := Read(f, st.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("%w (%s)", err, path)
	}
	return ts, meta, nil
}

// below names the files of weights in a folder, such as those of a run that has not ended.
func below(dir string) string {
	entries, _ := os.ReadDir(dir) // who cannot look in it need not be told more
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".safetensors" {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", here " + strings.Join(names, ", ")
}

// ReadMetadata reads the metadata of a safetensors file alone. Errors are those of [ReadFile].
func ReadMetadata(path string) (map[string]string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is not a regular file", ErrFormat, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := readHeader(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	_, _, meta, err := parseHeader(head)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return meta, nil
}

// foreign returns what reads a file that is not safetensors, nil for one that is.
func foreign(r io.ReaderAt, size int64) func(io.ReaderAt, int64) ([]Tensor, error) {
	if torchfile.Is(r, size) {
		return ReadTorch
	}
	var magic [4]byte
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, 4), magic[:]); err == nil && string(magic[:]) == "PK\x03\x04" {
		return ReadNPZ
	}
	return nil
}

// ReadNPZ reads the arrays of an npz file of size bytes as tensors: float32, float64 and float16 ones. Others are an
// error that wraps [ErrFormat]. Batch norms' counts of steps are left out.
func ReadNPZ(r io.ReaderAt, size int64) ([]Tensor, error) {
	z, err := npy.NewZip(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if len(z.Names()) == 0 {
		return nil, fmt.Errorf("%w: a zip file without .npy members (allowed: arrays of numpy.savez, or "+
			"what torch.save writes of a state_dict)", ErrFormat)
	}
	var ts []Tensor
	for _, name := range z.Names() {
		if unread(name) {
			continue
		}
		a, err := z.Read(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrFormat, name, err)
		}
		t := Tensor{Name: name, Shape: a.Shape}
		switch v := a.Data.(type) {
		case []float32:
			t.Data = v
		case []float64:
			t.Data = make([]float32, len(v))
			for i, x := range v {
				t.Data[i] = float32(x)
			}
		default:
			return nil, fmt.Errorf("%w: array %q holds %s (allowed: float16, float32, float64)", ErrFormat, name, a.Kind())
		}
		ts = append(ts, t)
	}
	return ts, nil
}
