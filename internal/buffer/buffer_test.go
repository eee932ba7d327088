package buffer

import "testing"

func TestResize(t *testing.T) {
	s := make([]int, 3, 10)
	for _, c := range []struct {
		n      int
		shared bool
	}{{0, true}, {2, true}, {3, true}, {10, true}, {11, false}} {
		got := Resize(s, c.n)
		if len(got) != c.n {
			t.Errorf("length %d, want %d", len(got), c.n)
		}
		if shared := &got[:1][0] == &s[0]; shared != c.shared {
			t.Errorf("%d elements of 10: the same memory: %v, want %v", c.n, shared, c.shared)
		}
	}
	if got := Resize[int](nil, 4); len(got) != 4 {
		t.Errorf("length %d from nothing, want 4", len(got))
	}
	if n := testing.AllocsPerRun(10, func() { s = Resize(s, 7) }); n != 0 {
		t.Errorf("%v allocations with enough memory", n)
	}
}
