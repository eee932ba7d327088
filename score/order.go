package score

import (
	"fmt"
	"maps"

	"github.com/augmix-go/augmix/results"
)

// order is a digest of labels in their order (FNV-1a). Classes go by the order in which they come first, so that models that number
// them otherwise have the same one.
type order struct {
	number map[int]uint32 // by label
	sum    uint64
}

// The offset and the prime of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// add adds the label of an image.
func (o *order) add(label int) {
	if o.number == nil {
		o.number, o.sum = map[int]uint32{}, fnvOffset
	}
	n, ok := o.number[label]
	if !ok {
		n = uint32(len(o.number))
		o.number[label] = n
	}
	for _, b := range [...]byte{byte(n), byte(n >> 8), byte(n >> 16)} {
		o.sum = (o.sum ^ uint64(b)) * fnvPrime
	}
}

// mark says in a row what the order was.
func (o *order) mark(row *results.Row) {
	if o.number == nil {
		return
	}
	setVersion(row, results.VersionOrder, fmt.Sprintf("labels:%016x", o.sum))
}

// setVersion sets a version of a row, whose versions it may share with other rows. One that is there stays.
func setVersion(row *results.Row, key, value string) {
	versions := map[string]string{key: value}
	maps.Copy(versions, row.Versions)
	row.Versions = versions
}
