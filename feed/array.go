package feed

import (
	"fmt"
	"unsafe"
)

// Bytes returns an array of a batch of n samples as it lies in its slot; nil where the layout has none of that name.
func (l *Loader) Bytes(name string, slot []byte, n int) []byte { return l.slot.field(name, slot, n) }

// Float32s returns an array of float32 of a batch of n samples: targets, and images where Options.DType is [Float32]. It panics for an
// array of another type.
func (l *Loader) Float32s(name string, slot []byte, n int) []float32 {
	return floats(l.numbers("float32", name, slot, n))
}

// Int64s returns an array of int64 of a batch of n samples: labels or index. It panics for an array of another type.
func (l *Loader) Int64s(name string, slot []byte, n int) []int64 {
	b := l.numbers("int64", name, slot, n)
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// numbers is Bytes of an array whose numbers are of the type.
func (l *Loader) numbers(dtype, name string, slot []byte, n int) []byte {
	for _, f := range l.slot.Fields {
		if f.Name == name && f.DType != dtype {
			panic(fmt.Sprintf("feed: %s taken for %s, which are %s", name, dtype, f.DType))
		}
	}
	return l.Bytes(name, slot, n)
}
