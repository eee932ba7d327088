package procedural

import "slices"

// edge iterates the probe and measures how far the edge reaches. It looks at every fourth and at every second row and
// column first, and ok is false where these say that nothing but smooth bands or sand can be there; all asks for the probe
// nevertheless.
func (e *escape) edge(all bool) (q reach, ok bool) {
	e.grid(probeSide)
	for step := coarsest; step > 1; step /= 2 {
		e.sample(step)
		if !all && !edges(&e.probes, step, 1.22).hopeful(step) {
			return q, false
		}
	}
	e.sample(1)
	return edges(&e.probes, 1, 1.105), true
}

// coarsest is the step of the first grid that is looked at.
const coarsest = 4

// sample iterates the points of the probe in a grid of that step that are in no coarser one.
func (e *escape) sample(step int) {
	e.list = e.list[:0]
	for y := 0; y < probeSide; y += step {
		for x := 0; x < probeSide; x += step {
			if step == coarsest || (x|y)&step != 0 {
				e.list = append(e.list, spot{int16(x), int16(y)})
			}
		}
	}
	e.visit(func(at spot, o orbit) { e.probes[int(at.y)*probeSide+int(at.x)] = o })
}

// measure lays the palette on by the counts of the probe that edge has iterated, and says what structure the brightness of
// its colors has.
func (e *escape) measure() structure {
	e.counts = e.counts[:0]
	for i := range e.probes {
		if o := &e.probes[i]; !o.inside {
			e.counts = append(e.counts, float32(o.count))
		}
	}
	if len(e.counts) == 0 {
		e.counts = append(e.counts, 1)
	}
	slices.Sort(e.counts)
	e.ranks.set(e.counts)
	for i := range e.probes {
		e.probe[i] = e.tint(&e.probes[i]).luma()
	}
	e.two = e.probe
	return measure(&e.probe, &e.two)
}

// reach is what the criterion of this kind measures besides the structure of its colors: how far the edge of the
// set reaches into the image. Smooth bands are found everywhere and have nothing to show but their palette; where all
// is edge, counts are as good as random and look like sand.
type reach struct {
	rough  float64 // share of the probe's points whose count is unlike those around it
	blocks int     // how many of 16 blocks hold a twentieth of such points or more
	sand   int     // how many of 16 blocks hold three quarters or more
}

func (q reach) good() bool { return q.rough >= 0.1 && q.rough <= 0.5 && q.blocks >= 9 && q.sand <= 1 }

// hopeful reports whether that of a grid of step 4 or 2, with counts being unlike when they differ by a fifth, lets that of
// the probe be good: one of three hundred good windows is lost, more than half of the others need not be looked at further.
func (q reach) hopeful(step int) bool {
	return q.rough >= 0.1 && q.rough <= 0.75 && (step > 2 || q.blocks >= 8 && q.sand <= 4)
}

func (q reach) merit() float64 {
	return min(q.rough/0.1, float64(q.blocks)/9, (1-q.rough)/0.5, float64(17-q.sand)/16)
}

// unlike reports whether the counts of two points differ by more than a factor, or only one of them is inside.
func (o *orbit) unlike(p *orbit, factor float64) bool {
	return o.inside != p.inside || o.count > float64(p.count*factor) || p.count > float64(o.count*factor)
}

// edges measures the reach in a grid of that step. Counts are unlike when they differ by the factor.
func edges(probes *[probeSide * probeSide]orbit, step int, factor float64) reach {
	var blocks [16]int
	n := 0
	for y := step; y < probeSide; y += step {
		for x := step; x < probeSide; x += step {
			i := y*probeSide + x
			if o := &probes[i]; o.unlike(&probes[i-step], factor) || o.unlike(&probes[i-step*probeSide], factor) {
				n++
				blocks[y/16*4+x/16]++
			}
		}
	}
	area := step * step
	q := reach{rough: float64(n*area) / float64(len(probes))}
	for _, b := range blocks {
		if b >= 16*16/20/area {
			q.blocks++
		}
		if b >= 16*16*3/4/area {
			q.sand++
		}
	}
	return q
}
