// Package svhn reads the cropped digits of SVHN (Netzer et al., Reading Digits in Natural Images with Unsupervised Feature Learning,
// 2011) as they are published: MATLAB files with X, uint8 [32, 32, 3, N], and y, the digits 1 to 10, where 10 stands for 0.
//
// A file is read whole into memory: 80 MB for the test part, 230 MB for training, 1.7 GB for the extra images.
package svhn

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/matfile"
)

// Name of the format in the table.
const Name = "svhn"

// Splits returns the parts of SVHN. Each is a file.
func Splits() []string { return []string{"train", "test", "extra"} }

// FileOf returns the published name of the file of a part.
func FileOf(split string) string { return split + "_32x32.mat" }

// digits are the classes; SVHN's label 10 is class 0.
const digits = 10

// Source is a file of SVHN. It is safe for concurrent use but for Next and Close.
type Source struct {
	file   string
	images []byte // an image after the other, of planes in Fortran order
	labels []int
	h, w   int
	cursor data.Cursor
}

var _ data.Describer = (*Source)(nil)

// Open reads a file, or of a folder of the published files that of the part split; "" takes the only one there, and of several
// is a [data.ErrSplit]. Errors wrap [data.ErrFormat], [data.ErrUnsupported] or [data.ErrLabel] and name the file and the variable.
func Open(path, split string) (*Source, error) {
	path, err := fileOf(path, split)
	if err != nil {
		return nil, err
	}
	f, err := data.OpenFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the images: %w", err)
	}
	defer f.Close()
	arrays, err := matfile.ReadFile(f, "X", "y")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, wrap(err))
	}
	s := &Source{file: path}
	if err = s.take(arrays["X"], arrays["y"]); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// fileOf returns the file of a part.
func fileOf(path, split string) (string, error) {
	if st, err := storage.Stat(path); err != nil || !st.IsDir() {
		return path, nil // what it is, opening it will say
	}
	var there []string
	for _, s := range Splits() {
		if _, err := storage.Stat(storage.Join(path, FileOf(s))); err == nil {
			there = append(there, s)
		}
	}
	switch {
	case split == "" && len(there) == 1:
		split = there[0]
	case split == "" && len(there) > 1:
		return "", fmt.Errorf("%s: %w: %s (choose split %s)", path, data.ErrSplit, strings.Join(there, ", "), strings.Join(there, " or "))
	case !slices.Contains(there, split):
		return "", fmt.Errorf("%s: %w: split %q (allowed: %s)", path, data.ErrUnsupported, split, strings.Join(there, ", "))
	}
	return storage.Join(path, FileOf(split)), nil
}

// wrap gives an error of package matfile the sentinel of package data.
func wrap(err error) error {
	switch {
	case errors.Is(err, matfile.ErrUnsupported):
		return fmt.Errorf("%w: %w", data.ErrUnsupported, err)
	case errors.Is(err, matfile.ErrFormat):
		return fmt.Errorf("%w: %w", data.ErrFormat, err)
	}
	return err
}

// take checks the two arrays.
func (s *Source) take(x, y *matfile.Array) error {
	shape := x.Shape
	if len(shape) == 3 { // MATLAB drops the last dimension of one image
		shape = append(shape, 1)
	}
	var ok bool
	if s.images, ok = x.Bytes(); !ok || len(shape) != 4 || shape[2] != 3 {
		return fmt.Errorf("%w: X of shape %v, bytes: %v (allowed: bytes of shape [H, W, 3, N])", data.ErrFormat, x.Shape, ok)
	}
	s.h, s.w = shape[0], shape[1]
	if err := data.CheckSize(s.w, s.h); err != nil {
		return fmt.Errorf("%w: X of shape %v: %w", data.ErrFormat, x.Shape, err)
	}
	labels, err := y.Ints()
	if err != nil {
		return fmt.Errorf("y: %w", wrap(err))
	}
	if len(labels) != shape[3] {
		return fmt.Errorf("%w: %d labels in y for the %d images in X", data.ErrFormat, len(labels), shape[3])
	}
	for i, label := range labels {
		if label < 1 || label > digits {
			return fmt.Errorf("%w: y row %d is %d (allowed: 1 to %d)", data.ErrLabel, i, label, digits)
		}
		labels[i] = label % digits
	}
	s.labels = labels
	return nil
}

// Info describes the data set.
func (s *Source) Info() data.Info {
	info := data.Info{Format: Name, Len: len(s.labels)}
	for i := range digits {
		info.Classes = append(info.Classes, strconv.Itoa(i))
	}
	return info
}

// Len returns the number of images.
func (s *Source) Len() int { return len(s.labels) }

// Files returns the path.
func (s *Source) Files() []string { return []string{s.file} }

// Next reads the next image.
func (s *Source) Next(sample *data.Sample) error { return s.cursor.Next(s, sample) }

// Describe implements [data.Describer].
func (s *Source) Describe(i int, sample *data.Sample) {
	row := fmt.Sprintf("%06d", i)
	sample.Key, sample.Name = row, s.file+" image "+row
	sample.Index, sample.Label, sample.Ext = i, s.labels[i], ""
	sample.Form, sample.W, sample.H = data.Planar, s.w, s.h
}

// Read reads image i. It panics if there is none.
func (s *Source) Read(i int, sample *data.Sample) error {
	s.Describe(i, sample)
	plane := s.w * s.h
	if cap(sample.Data) < 3*plane {
		sample.Data = make([]byte, 3*plane)
	}
	sample.Data = sample.Data[:3*plane]
	for c := range 3 {
		from, to := s.images[(3*i+c)*plane:][:plane], sample.Data[c*plane:][:plane]
		for at := range to {
			to[at] = from[at%s.w*s.h+at/s.w]
		}
	}
	return nil
}

// Close ends the reading.
func (s *Source) Close() error { return nil }
