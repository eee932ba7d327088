//go:build !js

package s3

import (
	"fmt"

	"github.com/augmix-go/augmix/data/storage"
)

// errCircle: a store that gives the same names again and again, whose listing would never end.
var errCircle = fmt.Errorf("%w: its listing comes round to a name that it has given", storage.ErrStore)

// circle finds out that a sequence repeats itself, in constant memory: it keeps one name, another after each power of two, as Brent's
// algorithm does, and no name of a listing comes twice. Nothing is taken from the order of names, which not all stores keep.
type circle struct {
	kept     string
	n, until int
}

// comesRound reports whether the next name is the kept one.
func (c *circle) comesRound(name string) bool {
	if c.n > 0 && name == c.kept {
		return true
	}
	if c.n >= c.until {
		c.kept, c.until = name, 2*c.n+1
	}
	c.n++
	return false
}
