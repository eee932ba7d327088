package experiment

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/raster"
)

// ErrOption is wrapped by the errors about a field that has a value that is not allowed, or fields that do not go together.
// They name the field by its key, the tag of the field.
var ErrOption = errors.New("bad option")

func badOption(key string, value any, allowed string) error {
	return fmt.Errorf("%w: %s: %v (allowed: %s)", ErrOption, key, value, allowed)
}

// Input says how the data set of a stage is read, as package data/formats does it. The zero value detects everything.
type Input struct {
	InputFormat string `yaml:"input-format"`
	Split       string `yaml:"split"`      // part of a set with several: train, test or all
	Coarse      bool   `yaml:"coarse"`     // CIFAR-100: the 20 coarse classes
	Labels      string `yaml:"labels"`     // npy, npz: file of the labels
	Layout      string `yaml:"layout"`     // npy, npz: nhwc or nchw
	ShardKeys   bool   `yaml:"shard-keys"` // wds: the shard's name is part of every key

	Stdin io.Reader `yaml:"-" json:"-"` // what the path "-" reads
}

func (i *Input) options() formats.Options {
	return formats.Options{
		Format: i.InputFormat, Split: i.Split, Coarse: i.Coarse, Labels: i.Labels, Layout: i.Layout, ShardKeys: i.ShardKeys,
		Stdin: i.Stdin,
	}
}

// openPart opens a data set; of one with several parts, where o names none, the given part. It returns the part's name,
// that of o where the set has no parts.
func openPart(path string, o formats.Options, part string) (data.Source, string, error) {
	src, err := formats.Open(path, o)
	if !errors.Is(err, data.ErrUnsupported) || o.Split != "" {
		return src, o.Split, err
	}
	o.Split = part
	if other, err1 := formats.Open(path, o); err1 == nil {
		return other, part, nil
	}
	return nil, "", err
}

// countSamples returns the number of samples of a data set, or of a part of it; 0 where that is not known beforehand.
func countSamples(path, part string) int {
	src, _, err := openPart(path, formats.Options{}, part)
	if err != nil {
		return 0
	}
	defer src.Close()
	return max(src.Info().Len, 0)
}

// firstSize returns the size in pixels of the first image of src, called path, that can be read. The error is the
// source's, or wraps data.ErrFormat where there is no such image.
func firstSize(src data.Source, path string) (w, h int, err error) {
	var s data.Sample
	var m raster.Image
	for {
		err := src.Next(&s)
		if err == nil {
			err = s.Decode(&m)
		}
		if bad := (*data.SampleError)(nil); errors.As(err, &bad) {
			continue
		}
		if err == io.EOF {
			return 0, 0, fmt.Errorf("%w: %s holds no image that can be read", data.ErrFormat, path)
		}
		return m.W, m.H, err
	}
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// hasParts reports whether a data set is a CIFAR set with both parts, the only one for which a split makes sense.
func hasParts(path string) bool {
	_, err := formats.Open(path, formats.Options{})
	if !errors.Is(err, data.ErrUnsupported) {
		return false
	}
	src, err := formats.Open(path, formats.Options{Split: "test"})
	if err != nil {
		return false
	}
	_ = src.Close()
	return true
}
