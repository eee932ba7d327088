package sheet

import (
	"fmt"

	"github.com/augmix-go/augmix/mix"
)

// Gallery is a mixing set to show by itself.
type Gallery struct {
	Images mix.MixingSet
	Doc    string // what they are, a line or two
}

// galleryRows is how many rows of a gallery are shown when no number of samples is given.
const galleryRows = 6

// gallery shows the first images of the mixing set.
func (p *painter) gallery(g *Gallery) {
	gap := tileGap
	columns := (p.inner() + gap) / (p.side + gap)
	n := p.sheet.Samples
	if n == 0 {
		n = galleryRows * columns
	}
	n = min(n, g.Images.Len())
	says := fmt.Sprintf("The first %d of %d images. %s", n, g.Images.Len(), g.Doc)
	p.section("Mixing set "+g.Images.String(), says)
	p.y += 16
	// What is left over at the right is dealt to the gaps.
	wide := (p.inner() - columns*p.side) / (columns - 1)
	for i := range n {
		if i > 0 && i%columns == 0 {
			p.y += p.side + wide
		}
		p.tile(margin+i%columns*(p.side+wide), p.y, p.side, square(g.Images.Image(i), p.side))
	}
	p.y += p.side
}
