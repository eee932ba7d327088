package experiment

import (
	"errors"
	"io"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/transform"
)

// ErrOption is wrapped by the errors about a field that has a value that is not allowed, or fields that do not go together.
// They name the field by its key, the tag of the field.
var ErrOption = errors.New("bad option")

func badOption(key string, value any, allowed string) error {
	return option.Errorf(ErrOption, "%v: %v (allowed: %s)", option.Key(key), value, allowed)
}

// keyError is an error of another package that names a field by its key itself. It wraps ErrOption too.
type keyError struct{ error }

func (e keyError) Unwrap() []error { return []error{ErrOption, e.error} }

// parseSeverities reads a field with the key severity.
func parseSeverities(text string) ([]float64, error) {
	list, err := transform.ParseSeverities(text)
	if err != nil {
		return nil, keyError{err}
	}
	return list, nil
}

// Input says how the data set of a stage is read, as package data/formats does it. The zero value detects everything.
type Input struct {
	InputFormat string   `yaml:"input-format"`
	Split       string   `yaml:"split"`             // part of a set with several: train, test or all
	Coarse      bool     `yaml:"coarse"`            // CIFAR-100: the 20 coarse classes
	Only        []string `yaml:"only,omitempty"`    // take only samples like one of these patterns, see data.Filter
	Without     []string `yaml:"without,omitempty"` // and none like one of these
	Classes     string   `yaml:"classes,omitempty"` // join or rename classes, as package data/formats does
	Labels      string   `yaml:"labels"`            // npy, npz: file of the labels
	Layout      string   `yaml:"layout"`            // npy, npz: nhwc or nchw
	Images      []string `yaml:"images,omitempty"`  // annotated images in no layout that is known: patterns of their paths
	ShardKeys   bool     `yaml:"shard-keys"`        // wds: the shard's name is part of every key

	// Of images that are not of 8 bits and three channels.

	Window   *data.Window `yaml:"window,omitempty"`   // values of black and white, of more than 8 bits
	Channels []int        `yaml:"channels,omitempty"` // npy, npz: the three channels, or the one, that are taken, from 1 on

	Stdin io.Reader `yaml:"-" json:"-"` // what the path "-" reads
}

// Options are those of package data/formats.
func (i *Input) Options() formats.Options {
	return formats.Options{
		Format: i.InputFormat, Split: i.Split, Coarse: i.Coarse, Labels: i.Labels, Layout: i.Layout, ShardKeys: i.ShardKeys,
		Only: i.Only, Without: i.Without, Classes: i.Classes, Images: i.Images, Stdin: i.Stdin,
		Channels: i.Channels, Reading: data.Reading{Window: i.Window},
	}
}

// input are the options of In.
func (e *Eval) input() formats.Options {
	o := e.Input.Options()
	o.Reading.Gray = e.Gray
	return o
}

// alike are the options of other data that is read beside In: of the same kind of images, with parts and labels of their own.
func (e *Eval) alike() formats.Options {
	o := e.input()
	return formats.Options{Channels: o.Channels, Reading: o.Reading}
}

// countSamples returns the number of samples of a data set, or of a part of it; 0 where that is not known beforehand.
func countSamples(path string, o formats.Options, part string) int {
	src, _, err := formats.OpenSplit(path, o, part)
	if err != nil {
		return 0
	}
	defer src.Close()
	return max(src.Info().Len, 0)
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// hasParts reports whether a data set has parts of which a split chooses one.
func hasParts(path string) bool {
	src, taken, err := formats.OpenSplit(path, formats.Options{}, "test")
	if err != nil {
		return false
	}
	_ = src.Close()
	return taken != ""
}
