// Package kernel writes the NEON assembly of package internal/kernel. Every function names in its comment the plain Go whose
// bytes it reproduces.
package kernel

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// Generate returns all functions.
func Generate() *File {
	f := NewFile("kernel")
	lookup(f)
	return f
}
