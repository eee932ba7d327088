package eval

import (
	"fmt"
	"hash"
	"hash/fnv"
	"maps"

	"github.com/augmix-go/augmix/results"
)

// order is a digest of the labels of a measurement in their order. Classes go by the order in which they come first, so that
// models that number them otherwise have the same one.
type order struct {
	number map[int]uint32 // by label
	sum    hash.Hash64
}

// add adds the label of an image.
func (o *order) add(label int) {
	if o.number == nil {
		o.number, o.sum = map[int]uint32{}, fnv.New64a()
	}
	n, ok := o.number[label]
	if !ok {
		n = uint32(len(o.number))
		o.number[label] = n
	}
	_, _ = o.sum.Write([]byte{byte(n), byte(n >> 8), byte(n >> 16)})
}

// mark says in a row what the order was.
func (o *order) mark(row *results.Row) {
	if o.sum == nil {
		return
	}
	versions := map[string]string{results.VersionOrder: fmt.Sprintf("labels:%016x", o.sum.Sum64())}
	maps.Copy(versions, row.Versions)
	row.Versions = versions
}
