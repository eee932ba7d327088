package data

import (
	"fmt"

	"github.com/augmix-go/augmix/rng"
)

// Shuffle returns the samples of src in an order that key draws, uniform among all and the same wherever it is drawn. Only
// numbers are shuffled, 8 bytes a sample: images are read where they lie when their turn comes, with their own keys and
// labels. Sample.Index counts in the new order. A source that can only be read from front to end is an error that wraps
// [ErrUnsupported]. Closing the result closes src.
func Shuffle(src Source, key rng.Key) (Source, error) {
	all, ok := src.(Indexed)
	if !ok {
		return nil, fmt.Errorf("%w: to shuffle %s input that can only be read from front to end (allowed: files that can be read "+
			"at random; plain tar files and arrays on disk are)", ErrUnsupported, src.Info().Format)
	}
	order := make([]int, all.Len())
	r := key.Rand()
	r.Perm(order)
	return Select(src, order), nil
}
