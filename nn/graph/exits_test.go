package graph

import (
	"errors"
	"strings"
	"testing"
)

func TestExitsAreLogits(t *testing.T) {
	for name, mark := range map[string]func(b *Builder, pool, first, second int){
		"of another shape": func(b *Builder, pool, _, _ int) { b.Exit(pool) },
		"that is read":     func(b *Builder, _, first, _ int) { b.Exit(first); b.Add("", ReLU{}, first) },
		"out of order":     func(b *Builder, _, first, second int) { b.Exit(second); b.Exit(first) },
	} {
		b := NewBuilder("exits", Shape{4, 4, 3}, 2)
		pool := b.Add("", AdaptivePool{1, 1}, 0)
		first, second := b.Add("a", Linear{Out: 2}, pool), b.Add("b", Linear{Out: 2}, pool)
		mark(b, pool, first, second)
		b.Add("c", Linear{Out: 2}, pool)
		if _, err := b.Done(); !errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), "that no node reads") {
			t.Errorf("an exit %s: %v", name, err)
		}
	}
}
