// Package buffer reuses memory.
package buffer

// Resize returns a slice of length n: s itself, cut or lengthened, where its capacity suffices, else new memory. The
// elements are unspecified: new ones are zero, lengthening shows what was there before. It is for buffers of which the
// caller writes all elements.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
