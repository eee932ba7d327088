package sheet

import (
	"fmt"

	"github.com/augmix-go/augmix/raster"
)

// Grid is images in rows and columns that have names, such as the icons of classes in several styles.
type Grid struct {
	Title, Doc string
	Columns    []string // at most 20
	Rows       []GridRow
}

// GridRow is a row of a [Grid].
type GridRow struct {
	Name   string
	Images []*raster.Image // one a column; nil: there is none
}

const maxColumns = 20

func (g *Grid) check() error {
	if len(g.Columns) < 1 || len(g.Columns) > maxColumns || len(g.Rows) < 1 || len(g.Rows) > maxImages {
		return fmt.Errorf("%w: %d rows of %d columns (allowed: 1 to %d of 1 to %d)", ErrSheet, len(g.Rows), len(g.Columns), maxImages,
			maxColumns)
	}
	for _, r := range g.Rows {
		if len(r.Images) != len(g.Columns) {
			return fmt.Errorf("%w: %d images in row %s of %d columns", ErrSheet, len(r.Images), r.Name, len(g.Columns))
		}
	}
	return nil
}

// grid shows the images. Tiles of many columns are smaller.
func (p *painter) grid(g *Grid) {
	p.section(g.Title, g.Doc)
	p.y += 44
	pitch := min((p.inner()-labelWide+tileGap)/len(g.Columns), p.side+3*tileGap)
	side := min(p.side, pitch-tileGap)
	for j, name := range g.Columns {
		p.text(margin+labelWide+j*pitch+side/2, p.y-14, fit(name, styleSmall, pitch-6), styleSmall, center)
	}
	for _, row := range g.Rows {
		p.text(margin, p.y+side/2+8, fit(row.Name, styleStrong, labelWide-8), styleStrong, left)
		for j, m := range row.Images {
			if x := margin + labelWide + j*pitch; m != nil {
				p.tile(x, p.y, side, square(m, side))
			} else {
				p.frame(x, p.y, side, side, hair)
			}
		}
		p.y += side + 2*tileGap
	}
}
