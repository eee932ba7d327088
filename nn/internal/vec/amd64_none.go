//go:build !amd64 || noasm

package vec

// The loops that have a twin on amd64 alone.

func affineAddVector(_ []float32, _ int, _ []float32, _ int, _ []float32, _, _, _ int, _, _ []float32, _ bool) bool {
	return false
}

func maxIndexVector(_ []float32, _ []uint16, _ []float32, _ uint16) int { return 0 }

func transposeVector(_ []float32, _ int, _ []float32, _, _, _ int) (r, c int) { return 0, 0 }

func winogradKernelVector(_ []float32, _ int, _ []float32, _, _ int) int { return 0 }

func winogradKernelGradVector(_ []float32, _ int, _ []float32, _, _ int) int { return 0 }
