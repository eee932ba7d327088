package procedural

// field is a complex image of n by n.
type field struct {
	n      int
	re, im []float64
}

func newField(n int) *field {
	return &field{n: n, re: make([]float64, n*n), im: make([]float64, n*n)}
}
