//go:build (amd64 || arm64) && !noasm

package softmax

import (
	"unsafe"

	"github.com/augmix-go/augmix/internal/cpu"
)

// whole returns how many elements of a row the assembly does: whole blocks, or none.
func whole[F Float](row []F) int {
	if level == cpu.Plain {
		return 0
	}
	return len(row) &^ (lanes - 1)
}

// pointers returns the first element under both types, of which the row has one.
func pointers[F Float](row []F) (*float32, *float64) {
	p := unsafe.Pointer(unsafe.SliceData(row))
	return (*float32)(p), (*float64)(p)
}
