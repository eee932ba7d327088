package fft

// Line computes the discrete Fourier transform of signals of one length, X[k] = Σ x[j]·exp(-2πi·jk/n). Every length
// works; one with large prime factors costs more. It only reads itself: calls may run at the same time, each with a
// scratch of its own.
//
// Products of complex numbers are the compiler's, which may fuse them: bits are the same on processors of one
// architecture.
type Line struct {
	n       int
	factors []int
	turn    []complex128 // exp(-2πi·k/n)
}

// NewLine prepares the transform of length n, at least 1.
func NewLine(n int) *Line {
	f := &Line{n: n, turn: make([]complex128, n)}
	for k, t := range roots(nil, n) {
		f.turn[k] = complex(t.re, -t.im)
	}
	rest := n
	for p := 2; rest > 1; p++ {
		for rest%p == 0 {
			f.factors, rest = append(f.factors, p), rest/p
		}
	}
	return f
}

// LineScratch is memory to work in.
type LineScratch struct {
	tmp []complex128
	in  []complex128 // of one sum, as many as the largest factor
}

// Scratch returns what [Line.Forward] works with.
func (f *Line) Scratch() *LineScratch {
	s := &LineScratch{tmp: make([]complex128, f.n)}
	if k := len(f.factors); k > 0 {
		s.in = make([]complex128, f.factors[k-1])
	}
	return s
}

// Forward transforms line, n numbers, in place. It does not scale.
//
// This is Stockham's scheme: after the factors with the product l, element k*l+j is term j of the transform of the
// elements k, k+n/l, k+2n/l, and so on.
func (f *Line) Forward(line []complex128, s *LineScratch) {
	n, from, to := f.n, line, s.tmp
	l := 1
	for _, r := range f.factors {
		m := n / (l * r)
		for k := range m {
			for j := range l {
				if r == 2 {
					a, b := from[k*l+j], from[(k+m)*l+j]*f.turn[j*m]
					to[2*k*l+j], to[(2*k+1)*l+j] = a+b, a-b
					continue
				}
				in := s.in[:r]
				for i := range in {
					in[i] = from[(k+m*i)*l+j] * f.turn[i*j*m]
				}
				for q := range r {
					sum := in[0]
					for i := 1; i < r; i++ {
						sum += in[i] * f.turn[i*q%r*(n/r)]
					}
					to[(k*r+q)*l+j] = sum
				}
			}
		}
		l *= r
		from, to = to, from
	}
	if len(f.factors)%2 == 1 {
		copy(line, s.tmp)
	}
}
