package procedural

import "slices"

// edge iterates the probe and measures how far the edge reaches.
func (e *escape) edge() reach {
	e.iterate(e.probes[:], probeSide)
	return edges(&e.probes)
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

func (q reach) merit() float64 {
	return min(q.rough/0.1, float64(q.blocks)/9, (1-q.rough)/0.5, float64(17-q.sand)/16)
}

// unlike reports whether the counts of two points differ by more than a factor, or only one of them is inside.
func (o *orbit) unlike(p *orbit, factor float64) bool {
	return o.inside != p.inside || o.count > float64(p.count*factor) || p.count > float64(o.count*factor)
}

// edges measures the reach. Counts are unlike when they differ by a tenth.
func edges(probes *[probeSide * probeSide]orbit) reach {
	var blocks [16]int
	n := 0
	for y := 1; y < probeSide; y++ {
		for x := 1; x < probeSide; x++ {
			i := y*probeSide + x
			if o := &probes[i]; o.unlike(&probes[i-1], 1.105) || o.unlike(&probes[i-probeSide], 1.105) {
				n++
				blocks[y/16*4+x/16]++
			}
		}
	}
	q := reach{rough: float64(n) / float64(len(probes))}
	for _, b := range blocks {
		if b >= 16*16/20 {
			q.blocks++
		}
		if b >= 16*16*3/4 {
			q.sand++
		}
	}
	return q
}

// glance is a first look at every fourth row and column of the probe: whether anything but smooth bands can be there.
func (e *escape) glance() bool {
	const n = probeSide / 4
	orbits, unlike := e.probes[:n*n], 0 // edge makes them again
	e.iterate(orbits, n)
	for i := range orbits {
		o := &orbits[i]
		if i%n > 0 && o.unlike(&orbits[i-1], 1.22) || i >= n && o.unlike(&orbits[i-n], 1.22) {
			unlike++
		}
	}
	return unlike >= n*n/10 && unlike <= n*n*3/4
}
