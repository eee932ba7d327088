package npyset

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/npy"
)

// Files beside the images.
const (
	labelsFile  = "labels.npy"
	classesFile = "classes.txt"
	// maxClassesSize bounds a list of classes: a million names of ordinary length.
	maxClassesSize = 1 << 25
)

// beside returns where something about the images at path is looked for, in order.
func beside(path, name string) [2]string {
	dir, base := filepath.Split(path)
	return [2]string{dir + strings.TrimSuffix(base, filepath.Ext(base)) + "_" + name, dir + name}
}

// labelsBeside reads the labels at want, or looks for them beside path; nil labels mean that there are none.
func labelsBeside(path, want string) (labels []int, from string, err error) {
	candidates := []string{want}
	if want == "" {
		b := beside(path, labelsFile)
		candidates = b[:]
		if stem, ok := strings.CutSuffix(path, "_data.npy"); ok {
			candidates = append(candidates, stem+"_"+labelsFile)
		}
		if candidates, err = storage.MayBe(candidates); err != nil {
			return nil, "", fmt.Errorf("cannot look for labels beside the images: %w", err)
		}
	}
	for _, from := range candidates {
		a, err := readLabels(from)
		if errors.Is(err, fs.ErrNotExist) && want == "" {
			continue
		}
		if err != nil {
			return nil, "", wrap(err)
		}
		labels, err := toLabels(a, from)
		return labels, from, err
	}
	return nil, "", nil
}

// readLabels reads the array of a regular file.
func readLabels(path string) (*npy.Array, error) {
	f, err := data.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := npy.Read(f)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return a, err
}

// labelsInside reads the labels in an .npz file beside the array of images. More of them than there can be images are not read.
func labelsInside(z *npy.Zip, images string, o Options) (labels []int, from string, err error) {
	if o.Labels != "" || o.Unlabeled {
		return nil, "", nil
	}
	name, err := pickName(z, o.LabelsName, labelNames)
	if err != nil || name == "" {
		return nil, "", err
	}
	from = fmt.Sprintf("array %q", name)
	if err := checkRows(z, images, name); err != nil {
		return nil, "", err
	}
	a, err := z.Read(name)
	if err != nil {
		return nil, "", wrapZip(err)
	}
	labels, err = toLabels(a, from)
	return labels, from, err
}

// checkRows returns an error where an array of labels has more rows than the array of images, before it takes memory.
func checkRows(z *npy.Zip, images, labels string) error {
	of, err := z.Shape(images)
	if err != nil {
		return wrapZip(err)
	}
	rows, err := z.Shape(labels)
	if err != nil {
		return wrapZip(err)
	}
	if len(of) > 0 && len(rows) > 0 && rows[0] > of[0] {
		return fmt.Errorf("%w: %d labels in array %q for %d samples", data.ErrFormat, rows[0], labels, of[0])
	}
	return nil
}

// toLabels converts an array of shape [N] or [N, 1] of any integer type.
func toLabels(a *npy.Array, from string) ([]int, error) {
	if len(a.Shape) != 1 && (len(a.Shape) != 2 || a.Shape[1] != 1) {
		return nil, fmt.Errorf("%w: labels of shape %v in %s (allowed: [N], [N,1])", data.ErrFormat, a.Shape, from)
	}
	switch d := a.Data.(type) {
	case []uint8:
		return ints(d), nil
	case []int8:
		return ints(d), nil
	case []uint16:
		return ints(d), nil
	case []int16:
		return ints(d), nil
	case []uint32:
		return small(d, from)
	case []int32:
		return ints(d), nil
	case []uint64:
		return small(d, from)
	case []int64:
		return small(d, from)
	}
	return nil, fmt.Errorf("%w: labels that are %s in %s (allowed: integers)", data.ErrUnsupported, a.Kind(), from)
}

func ints[T uint8 | int8 | uint16 | int16 | int32 | uint32 | int64 | uint64](src []T) []int {
	out := make([]int, len(src))
	for i, v := range src {
		out[i] = int(v)
	}
	return out
}

// small rejects labels beyond 31 bits, which are none.
func small[T uint32 | int64 | uint64](src []T, from string) ([]int, error) {
	for i, v := range src {
		if v > math.MaxInt32 || int64(v) < math.MinInt32 {
			return nil, fmt.Errorf("%w: %s row %d is %d", data.ErrLabel, from, i, v)
		}
	}
	return ints(src), nil
}

// classesBeside reads the class names beside path, and says from which file; nil means that there are none.
func classesBeside(path string) (classes []string, from string, err error) {
	b := beside(path, classesFile)
	candidates, err := storage.MayBe(b[:])
	if err != nil {
		return nil, "", fmt.Errorf("cannot look for a list of classes beside the images: %w", err)
	}
	for _, name := range candidates {
		text, err := data.ReadFile(nil, name, maxClassesSize)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("cannot read the list of classes: %w", err)
		}
		return data.DecodeLines(text), name, nil
	}
	return nil, "", nil
}
