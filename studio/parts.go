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
	whole  data.Indexed // without a choice of samples, to find patterns for one of them; source where none is made
}

// openParts opens all parts of a data set, first the one that is asked for, or else test, or else the first there is. Labels in a file
// of their own are of one part, which is then the only one.
func openParts(path string, o formats.Options) (parts []dataPart, err error) {
	plain := formats.Options{Format: o.Format, Coarse: o.Coarse, Layout: o.Layout, ShardKeys: o.ShardKeys, Channels: o.Channels, Reading: o.Reading}
	names, err := formats.Parts(path, plain)
	if err != nil {
		return nil, err
	}
	if o.Split != "" && !slices.Contains(names, o.Split) { // it may be a word of the format's own; the error says what is allowed
		names = []string{o.Split}
	}
	if len(names) == 0 {
		names = []string{""}
	}
	for _, want := range []string{"test", o.Split} {
		if i := slices.Index(names, want); i > 0 {
			names[0], names[i] = names[i], names[0]
		}
	}
	if o.Labels != "" {
		names = names[:1]
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeParts(parts))
		}
	}()
	chosen := len(o.Only)+len(o.Without) > 0 || o.Classes != ""
	for _, name := range names {
		o.Split, plain.Split = name, name
		p := dataPart{name: name}
		if p.source, err = openIndexed(path, o); errors.Is(err, data.ErrFilter) && len(parts) > 0 {
			continue
		} else if err != nil {
			return parts, err
		}
		if p.whole = p.source; chosen {
			if p.whole, err = openIndexed(path, plain); err != nil {
				return append(parts, dataPart{source: p.source, whole: p.source}), err
			}
		}
		parts = append(parts, p)
		if p.source.Len() == 0 {
			return parts, fmt.Errorf("%s: %w: no images", path, data.ErrFormat)
		}
	}
	return parts, nil
}

func openIndexed(path string, o formats.Options) (data.Indexed, error) {
	src, err := formats.Open(path, o)
	if err != nil {
		return nil, err
	}
	all, ok := src.(data.Indexed)
	if !ok {
		return nil, errors.Join(fmt.Errorf("%s: %w: %s can only be read from front to end (allowed: data that can be read in "+
			"any order, such as folders, arrays and plain tar files)", path, data.ErrUnsupported, src.Info().Format), src.Close())
	}
	return all, nil
}

func closeParts(parts []dataPart) (err error) {
	for _, p := range parts {
		err = errors.Join(err, p.source.Close())
		if p.whole != p.source {
			err = errors.Join(err, p.whole.Close())
		}
	}
	return err
}
