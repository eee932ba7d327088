// Package conv writes the NEON assembly of package nn/internal/conv.
package conv

import . "github.com/augmix-go/augmix/tools/neon/arm64"

// Generate returns all functions.
func Generate() *File {
	f := NewFile("conv")
	tile(f)
	outer(f)
	return f
}

// The most rows of sums for 1, 2, 3, 4 vectors a row: with the operands they fill the 32 registers. A multiply-add takes four
// cycles and processors start up to four at a time, so that sixteen sums keep them busy. A tile of one vector, which panels
// of four columns alone have, makes do with eight, as each row needs a pointer.
var (
	tileRows  = [...]int{8, 8, 6, 6}
	outerRows = [...]int{16, 12, 8, 6}
)

// widths writes body for panels of 1, 2, 3, 4 vectors.
func widths(f *Func, body func(v int)) {
	vectors := f.Load("vectors")
	f.Free(vectors) // body does not come back
	for v := range tileRows {
		next := f.NewLabel()
		f.Go("CMP $%d, %v", v+1, vectors)
		f.Go("BNE %s", next)
		body(v + 1)
		f.Go("RET")
		f.Label(next)
	}
}

// downFrom lists the numbers from most to 1.
func downFrom(most int) []int {
	var all []int
	for n := most; n > 0; n-- {
		all = append(all, n)
	}
	return all
}

// sums are rows of v vectors.
type sums struct {
	f    *Func
	v    int
	acc  []Vec
	tail Reg // bytes from a row's first column to the last vector's
}

func newSums(f *Func, rows, v int) sums {
	s := sums{f: f, v: v, acc: f.Vecs(rows * v)}
	for _, a := range s.acc {
		f.ZERO(a)
	}
	return s
}

// at is vector j of a row in memory, whose last one ends with the columns.
func (s sums) at(row Reg, j int) Mem {
	if j == s.v-1 {
		return Indexed(row, s.tail)
	}
	return Ptr(row, 16*j)
}

// addRow adds a row in memory to row i.
func (s sums) addRow(i int, p Reg) {
	for j := range s.v {
		x := s.f.Vec()
		s.f.LDR(Q, x, s.at(p, j))
		s.f.FADD(s.acc[i*s.v+j].S4(), s.acc[i*s.v+j].S4(), x.S4())
		s.f.Free(x)
	}
}

func (s sums) storeRow(i int, p Reg) {
	for j := range s.v {
		s.f.STR(Q, s.acc[i*s.v+j], s.at(p, j))
	}
}
