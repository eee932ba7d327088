package studio

import (
	"errors"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
)

// dataPart is a part of the data set: train, val, test, or all of it under no name.
type dataPart struct {
	name   string
	source data.Indexed
}

// openParts opens all parts of a data set, first the one that is asked for, or else test, or else the first there is.
func openParts(path, split string) (parts []dataPart, err error) {
	names, err := formats.Parts(path, formats.Options{})
	if err != nil {
		return nil, err
	}
	if split != "" && !slices.Contains(names, split) { // it may be a word of the format's own; the error says what is allowed
		names = []string{split}
	}
	if len(names) == 0 {
		names = []string{""}
	}
	for _, want := range []string{"test", split} {
		if i := slices.Index(names, want); i > 0 {
			names[0], names[i] = names[i], names[0]
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeParts(parts))
		}
	}()
	for _, name := range names {
		src, err := formats.Open(path, formats.Options{Split: name})
		if err != nil {
			return parts, err
		}
		all, ok := src.(data.Indexed)
		if !ok {
			return parts, errors.Join(fmt.Errorf("%s: %w: %s can only be read from front to end (allowed: data that can be read in "+
				"any order, such as folders, arrays and plain tar files)", path, data.ErrUnsupported, src.Info().Format), src.Close())
		}
		parts = append(parts, dataPart{name, all})
		if all.Len() == 0 {
			return parts, fmt.Errorf("%s: %w: no images", path, data.ErrFormat)
		}
	}
	return parts, nil
}

func closeParts(parts []dataPart) (err error) {
	for _, p := range parts {
		err = errors.Join(err, p.source.Close())
	}
	return err
}
