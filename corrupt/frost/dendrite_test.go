package frost

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/augmix-go/augmix/internal/fixedseed"
	"github.com/augmix-go/augmix/rng"
)

// bare is a habit without side branches.
var bare = habit{pace: [orders]float64{1, .5, .5}, gap: 2, radius: [orders]float64{1}, tall: [orders]float64{1}}

// TestMeet lets two stems grow towards each other: both stop short of the other, about half-way.
func TestMeet(t *testing.T) {
	g := newGarden(100, 40, bare, rng.New(1))
	g.plant(20, 20.5, 0, 200, 0, 1)
	g.plant(80, 20.5, math.Pi, 200, 0, 1)
	g.grow(math.MaxInt)
	a, b := g.branches[1].length, g.branches[2].length
	if a+b > 60 || a+b < 50 || math.Abs(float64(a-b)) > 3 {
		t.Errorf("lengths %v and %v on a way of 60", a, b)
	}
}

// TestReach checks that a stem alone grows to its length, and that it ends at the edge of the pane.
func TestReach(t *testing.T) {
	g := newGarden(100, 40, bare, rng.New(1))
	g.plant(10, 10.5, 0, 50, 0, 1)
	g.plant(10, 30.5, 0, 500, 0, 1)
	g.grow(math.MaxInt)
	if a, b := g.branches[1].length, g.branches[2].length; a != 50 || b < 90 || b > 98 {
		t.Errorf("lengths %v and %v, want 50 and about 97", a, b)
	}
}

// TestTurn checks that a stem with a constant turn runs on a circle.
func TestTurn(t *testing.T) {
	g := newGarden(200, 200, bare, rng.New(1))
	g.plant(100, 60, 0, 120, 1./40, 1)
	g.grow(math.MaxInt)
	for _, n := range g.nodes {
		if r := math.Hypot(float64(n.x)-100, float64(n.y)-100); math.Abs(r-40) > 1 {
			t.Fatalf("node %+v at radius %v, want 40", n, r)
		}
	}
}

// TestSides checks the angle and the pairs of side branches.
func TestSides(t *testing.T) {
	h := bare
	h.spacing, h.reach, h.angle = [orders]float64{10}, [orders]float64{0, 12}, 60*degree
	g := newGarden(200, 200, h, rng.New(1))
	g.plant(40, 100, 0, 100, 0, 1)
	g.grow(math.MaxInt)
	first := map[int32]node{}
	last := map[int32]node{}
	for _, n := range g.nodes {
		if _, ok := first[n.branch]; !ok {
			first[n.branch] = n
		}
		last[n.branch] = n
	}
	if len(first) < 19 || len(first)%2 != 1 {
		t.Fatalf("%d branches, want a stem and nine or ten pairs", len(first))
	}
	for id, b := range g.branches {
		if b.order == 0 {
			continue
		}
		a, z := first[int32(id)], last[int32(id)]
		angle := math.Abs(math.Atan2(float64(z.y-a.y), float64(z.x-a.x)))
		if math.Abs(angle-60*degree) > .01 {
			t.Errorf("branch %d at %v degrees", id, angle/degree)
		}
	}
}

// TestGarden checks, for every habit, that growth ends, that every branch has as many nodes as pixels of length, and
// that no pixel of the pane is claimed by a branch that was never there.
func TestGarden(t *testing.T) {
	habits := []habit{fernHabit, leafHabit, curlHabit, hoarHabit}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(32, 160).Draw(t, "w"), rapid.IntRange(32, 160).Draw(t, "h")
		g := newGarden(w, h, rapid.SampledFrom(habits).Draw(t, "habit"), rng.New(rapid.Uint64().Draw(t, "seed")))
		g.frame(20, 60, 30)
		g.strew(400, 4, func(x, y float64) { g.fan(x, y, 3, 20, 60, .7, .01) })
		if len(g.born)+len(g.tips) > 0 {
			t.Fatal("tips are left")
		}
		count := make([]float32, len(g.branches))
		for _, n := range g.nodes {
			count[n.branch]++
		}
		for id, b := range g.branches {
			if b.length != count[id] {
				t.Fatalf("branch %d has length %v and %v nodes", id, b.length, count[id])
			}
		}
		for _, id := range g.ids {
			if id != 0 && count[id] == 0 {
				t.Fatalf("pixel of branch %d, which never grew", id)
			}
		}
		height, shade := newPlane(w, h), newPlane(w, h)
		g.raise(height, shade)
		for _, n := range g.nodes { // grains lie less than a pixel off the branch
			x, y := int(n.x), int(n.y)
			if n.x < 1 || n.y < 1 || x > w-2 || y > h-2 {
				continue
			}
			var top float32
			for j := y - 1; j <= y+1; j++ {
				top = max(top, slices.Max(height.row(j)[x-1:x+2]))
			}
			if top <= 0 || top > 1.0001 {
				t.Fatalf("height %v around node %+v", top, n)
			}
		}
	})
}
