package main

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/transform"
)

// selecting are the flags of which samples of IN a data set is made of, and in which order.
type selecting struct {
	Limit   int  `group:"Input" placeholder:"N" help:"Take N samples, evenly spaced over IN (of a stream the first N), by the rule of augmix eval." yaml:"limit"`
	Shuffle bool `group:"Input" help:"Write the samples of arrays and shards in an order drawn from --seed, the same for any number of workers and parts. No image is held in memory. Not for streams." yaml:"shuffle"`
	Stream  bool `group:"Input" help:"wds: read tar files from front to end, each once, without the pass over all of their headers that makes an index first. Where the number of images is needed (arrays of corrupt and perturb, --plan) all is read once more to count. Not with --shard, --shuffle, a choice of samples and mixes of two images." yaml:"stream,omitempty"`
}

// check looks at the flags for an output that keeps the order of samples or does not.
func (f *selecting) check(ordered bool) error {
	switch {
	case f.Limit < 0:
		return usagef("--limit %d (allowed: from 1)", f.Limit)
	case f.Shuffle && f.Stream:
		return usagef("--shuffle with --stream, which reads from front to end (allowed: one of them)")
	case f.Shuffle && !ordered:
		var names []string
		for _, row := range formats.Table() {
			if row.Write && row.Ordered {
				names = append(names, row.Name)
			}
		}
		return usagef("--shuffle: files in folders are read by their names and have no order (allowed: outputs of the formats %s)",
			strings.Join(names, ", "))
	}
	return nil
}

// checkStream refuses what needs an index of data that is read from front to end: where a part begins, only reading all that lies
// before it would say. shard is --shard.
func (f *selecting) checkStream(in *input, shard string) error {
	const reads = "with --stream, which reads from front to end (allowed: one of them"
	switch {
	case !f.Stream:
	case shard != "":
		return usagef("--shard %s "+reads+"; each task may have tar files of its own)", shard)
	case len(in.Only)+len(in.Without) > 0 || in.Classes != "":
		return usagef("--only, --without and --classes " + reads + ")")
	}
	return nil
}

// take returns the samples of src that --limit leaves.
func (f *selecting) take(src data.Source) data.Source { return data.Limit(src, f.Limit) }

// count reads the data set at path to its end to say how many samples are taken.
func (f *selecting) count(a *app, in *input, path string) (int, error) {
	src, err := in.open(a, path)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	return data.Count(f.take(src))
}

// order returns src in the order of an epoch.
func (f *selecting) order(src data.Source, seed uint64, epoch int) (data.Source, error) {
	if !f.Shuffle {
		return src, nil
	}
	shuffled, err := data.Shuffle(src, transform.ShuffleKey(seed, epoch))
	if err != nil {
		return nil, fmt.Errorf("--shuffle: %w", err)
	}
	return shuffled, nil
}
