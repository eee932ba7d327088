package conv

// grouping says how groups are computed. Groups too narrow for a vector are merged into one whose weights between
// different groups are zero: that costs no more than lanes left empty, and makes longer sums. A zero weight keeps
// groups apart only while values are finite, so a NaN or an infinity can spread to the groups it was merged with.
type grouping struct {
	n       int // groups to compute
	merged  int // groups of the shape in each of them
	in, out int // channels of each
	// fours: groups of four inputs and outputs were merged by twos, and not all into one. Assembly has a loop for them that
	// leaves out the weights in between: the product of a zero and a finite number changes no sum, but for the sign of one that
	// underflowed to zero. With plain Go and NEON what is not finite also spreads to the neighbors that a group was merged with.
	fours bool
}

func mergeGroups(s Shape) grouping {
	in, out := s.In/s.Groups, s.Out/s.Groups
	// The width of AVX2's vectors, whatever the processor has: the order of sums follows from it.
	const lanes = 8
	m := 1
	for k := 2; k <= s.Groups; k++ {
		if s.Groups%k == 0 && k*max(in, out) <= lanes {
			m = k
		}
	}
	return grouping{n: s.Groups / m, merged: m, in: in * m, out: out * m, fours: in == 4 && out == 4 && s.Groups > 2 && m == 2}
}

// A panel is a run of columns of a matrix, the whole vectors it takes, and where its packed rows begin.
type panel struct {
	col, cols int
	isa       *isa
	vectors   int
	width     int // floats of the vectors
	off       int
}

// splitPanels cuts columns into panels, as even as can be, for matrices of k rows. What is left over from whole
// vectors and fits half of one becomes a panel of its own. It also returns the length of the packed matrix.
func splitPanels(cols, k int, set *isa) ([]panel, int) {
	var ps []panel
	size := 0
	for p, ok := panelAt(0, cols, k, set); ok; p, ok = panelAt(len(ps), cols, k, set) {
		ps = append(ps, p)
		size += p.width * k
	}
	return ps, size
}

// panelAt returns panel i of splitPanels, if there are so many.
func panelAt(i, cols, k int, set *isa) (panel, bool) {
	whole := cols
	if r := cols % set.lanes; set.half != nil && r <= set.half.lanes {
		whole -= r
	}
	vectors := ceilDiv(whole, set.lanes)
	n := ceilDiv(vectors, set.vectors)
	p := panel{isa: set}
	switch {
	case i < n:
		first := i*(vectors/n) + min(i, vectors%n)
		p.vectors = (i+1)*(vectors/n) + min(i+1, vectors%n) - first
		p.col = first * set.lanes
		p.cols = min(p.vectors*set.lanes, whole-p.col)
	case i == n && whole < cols:
		p.isa, p.vectors, p.col, p.cols = set.half, 1, whole, cols-whole
	default:
		return panel{}, false
	}
	p.width = p.vectors * p.isa.lanes
	p.off = p.col * k
	return p, true
}
