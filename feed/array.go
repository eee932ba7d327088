package feed

import "unsafe"

// Bytes returns an array of a batch of n samples as it lies in its slot; nil where the layout has none of that name.
func (l *Loader) Bytes(name string, slot []byte, n int) []byte { return l.slot.field(name, slot, n) }

// Float32s returns an array of float32 of a batch of n samples.
func (l *Loader) Float32s(name string, slot []byte, n int) []float32 {
	return floats(l.Bytes(name, slot, n))
}

// Int64s returns an array of int64 of a batch of n samples: labels or index.
func (l *Loader) Int64s(name string, slot []byte, n int) []int64 {
	b := l.Bytes(name, slot, n)
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
