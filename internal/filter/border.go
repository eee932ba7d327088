package filter

// Border says which sample stands in for one beyond the edge; see the package comment.
type Border uint8

// The border rules that the filters know.
const (
	Nearest Border = iota
	Reflect
	Reflect101
)

// At returns the index in 0…n-1 that stands in for index i of a row of n samples, for any i.
func (b Border) At(i, n int) int {
	if uint(i) < uint(n) {
		return i
	}
	switch b {
	case Nearest:
		return min(max(i, 0), n-1)
	case Reflect:
		i = mod(i, 2*n)
		return min(i, 2*n-1-i)
	default:
		if n == 1 {
			return 0
		}
		i = mod(i, 2*n-2)
		return min(i, 2*n-2-i)
	}
}

// mod returns i modulo n in 0…n-1.
func mod(i, n int) int {
	i %= n
	if i < 0 {
		i += n
	}
	return i
}
