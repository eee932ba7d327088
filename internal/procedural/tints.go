package procedural

// tints is an image in the making: those of its points, their counts, and which of a grid of them are like the four next
// to them.
type tints struct {
	n      int
	tint   []tint
	counts []float32
	calm   []bool
}

func (t *tints) reset(n int) {
	t.n = n
	if cap(t.tint) < n*n {
		t.tint, t.counts, t.calm = make([]tint, n*n), make([]float32, n*n), make([]bool, n*n)
	}
	t.tint, t.counts, t.calm = t.tint[:n*n], t.counts[:n*n], t.calm[:n*n]
}

// set makes a point one of a count, 0 inside, and a color.
func (t *tints) set(x, y int, count float32, c tint) {
	i := y*t.n + x
	t.counts[i], t.tint[i] = count, c.counted(count)
}

// settle finds out which points of a grid are like the four next to them.
func (t *tints) settle(step int) {
	n := t.n
	for y := 0; y < n; y += step {
		left := true
		for x := 0; x < n; x += step {
			i := y*n + x
			a, right, below := t.tint[i], true, true
			if x+step < n {
				right = a.alike(t.tint[i+step])
			}
			above := y == 0 || t.calm[i]
			if y+step < n {
				below = a.alike(t.tint[i+step*n])
				t.calm[i+step*n] = below // until it is its turn
			}
			t.calm[i] = left && right && above && below
			left = right
		}
	}
}

// refine goes to a grid of that step from one of twice the step: points between calm ones are made of them, the others come
// to the list.
func (t *tints) refine(list []spot, step int) []spot {
	n := t.n
	for y := 0; y < n; y += step {
		odd := y/step%2 == 1
		x, stride := step, 2*step
		if odd {
			x, stride = 0, step
		}
		for ; x < n; x += stride {
			i, known := y*n+x, false
			switch {
			case !odd:
				known = t.between(i, x, step, 1)
			case x/step%2 == 0:
				known = t.between(i, y, step, n)
			default:
				known = t.amid(i, x, y, step)
			}
			if !known {
				list = append(list, spot{int16(x), int16(y)})
			}
		}
	}
	return list
}

// between makes point i, which is number at of its row or column, of those before and after it if they are calm. Counts
// are those of a cubic through four points, so that their relief has no facets.
func (t *tints) between(i, at, step, stride int) bool {
	away := step * stride
	a, b := i-away, i+away
	if at+step >= t.n || !t.calm[a] || !t.calm[b] {
		return false
	}
	t.tint[i] = t.tint[a].mean(t.tint[b])
	c := t.counts
	sum := c[a] + c[b]
	if at < 3*step || at+3*step >= t.n {
		c[i] = sum / 2
		return true
	}
	c[i] = float32(9./16*sum) - float32(1./16*(c[a-2*away]+c[b+2*away]))
	return true
}

// amid makes point i, that of column x and row y, of the four around it if they are calm. Its count is that of the
// polynomial through them and the eight next to them.
func (t *tints) amid(i, x, y, step int) bool {
	n := t.n
	up, down := i-step*n, i+step*n
	if x+step >= n || y+step >= n || !t.calm[up-step] || !t.calm[up+step] || !t.calm[down-step] || !t.calm[down+step] {
		return false
	}
	t.tint[i] = t.tint[up-step].mean(t.tint[down+step]).mean(t.tint[up+step].mean(t.tint[down-step]))
	c := t.counts
	sum := c[up-step] + c[up+step] + c[down-step] + c[down+step]
	if min(x, y) < 3*step || max(x, y)+3*step >= n {
		c[i] = sum / 4
		return true
	}
	far := c[up-3*step] + c[up+3*step] + c[down-3*step] + c[down+3*step]
	up, down = up-2*step*n, down+2*step*n
	far += c[up-step] + c[up+step] + c[down-step] + c[down+step]
	c[i] = float32(10./32*sum) - float32(1./32*far)
	return true
}

// shine lays light from the direction of x, y on the relief of the counts.
func (t *tints) shine(x, y float32) {
	n, counts := t.n, t.counts
	for row := range n {
		up, down := -n*min(row, 1), n*min(n-1-row, 1)
		for column := range n {
			i := row*n + column
			o, a, b := counts[i], counts[i-min(column, 1)], counts[i+min(n-1-column, 1)]
			p, q := counts[i+up], counts[i+down]
			if min(o, a, b, p, q) == 0 {
				continue
			}
			d := float32(float32((b-a)*x)+float32((q-p)*y)) / max(o, 1)
			d = 2 * d / (1 + float32(d*d)) // -1 to 1, and to 0 where it is too steep to be seen
			t.tint[i] = t.tint[i].lit(d)
		}
	}
}
