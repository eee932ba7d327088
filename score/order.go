package score

import (
	"fmt"
	"maps"

	"github.com/augmix-go/augmix/results"
)

// order is a digest of labels in their order. Classes go by the order in which they come first, so that models that number them
// otherwise have the same one; and one of ids, where images have these, which say more.
type order struct {
	number   map[int]uint32 // by label
	sum, ids digest
	named    int // ids
	n        int // labels
}

// digest is FNV-1a, of nothing yet where it is 0.
type digest uint64

// The offset and the prime of FNV-1a with 64 bits.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// add adds the lower bytes of a number.
func (d *digest) add(v uint64, bytes int) {
	if *d == 0 {
		*d = fnvOffset
	}
	for range bytes {
		*d = (*d ^ digest(byte(v))) * fnvPrime
		v >>= 8
	}
}

// add adds the label of an image.
func (o *order) add(label int) {
	if o.number == nil {
		o.number = map[int]uint32{}
	}
	n, ok := o.number[label]
	if !ok {
		n = uint32(len(o.number))
		o.number[label] = n
	}
	o.sum.add(uint64(n), 3)
	o.n++
}

// addID adds the id of an image.
func (o *order) addID(id uint64) {
	o.ids.add(id, 8)
	o.named++
}

// mark says in a row what the order of the classes was, and that of the ids where every image has one.
func (o *order) mark(row *results.Row) {
	if o.n == 0 {
		return
	}
	setVersion(row, results.VersionOrder, fmt.Sprintf("labels:%016x", uint64(o.sum)))
	if o.named == o.n {
		setVersion(row, results.VersionIDs, fmt.Sprintf("%016x", uint64(o.ids)))
	}
}

// setVersion sets a version of a row, whose versions it may share with other rows. One that is there stays.
func setVersion(row *results.Row, key, value string) {
	versions := map[string]string{key: value}
	maps.Copy(versions, row.Versions)
	row.Versions = versions
}
