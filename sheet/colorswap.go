package sheet

import (
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
)

// swapMost is how many images a swap of colors shows: those that stand beside a column of AugMix.
const swapMost = perRow - 1

// colorSwap gives every image the colors of every other one.
func (p *painter) colorSwap() error {
	p.section("Colors of another image",
		"Along each row one image, with the colors of the image of each column: in each channel, every value becomes the one of the same "+
			"rank among the values of that image. On the diagonal are the images themselves. An image with the colors of another may be "+
			"taken for its class while it keeps its own label (manifold intrusion); AugMix stays near the image's own colors. After figure 11 "+
			"of the AugMix paper; the mapping by ranks is ours.")
	m, err := mix.NewMethod(mix.NewAugMix())
	if err != nil {
		return err
	}
	n := len(p.pics)
	p.y += 44
	at := func(i int) int { return p.rowX() + i*(p.side+p.rowGap()) }
	for j, of := range p.pics {
		p.within(at(j)+p.side/2, p.y-14, of.Name, styleSmall, center, p.side)
	}
	p.within(at(n)+p.side/2, p.y-14, "AugMix", styleStrong, center, p.side)
	for i, shape := range p.pics {
		p.within(margin, p.y+p.side/2+8, shape.Name, styleStrong, left, labelWide-8)
		for j, of := range p.pics {
			out := new(raster.Image)
			withColors(out, shape.Image, of.Image)
			p.tile(at(j), p.y, p.side, out)
			if i == j {
				for k := range 4 {
					p.frame(at(j)-3-k, p.y-3-k, p.side+6+2*k, p.side+6+2*k, accent)
				}
			}
		}
		if err := p.samples(i, m, 0, 1, at(n)); err != nil {
			return err
		}
		p.y += p.side + p.rowGap()
	}
	return nil
}

// withColors writes src to dst with the histograms of another image: in each channel a value becomes the one of the other image
// that has the same rank, the middle one of the ranks of equal values. Of an image itself that is the image.
func withColors(dst, src, of *raster.Image) {
	dst.CopyFrom(src)
	for c := range 3 {
		table := ranked(histogram(src, c), src.W*src.H, histogram(of, c), of.W*of.H)
		for i := c; i < len(dst.Pix); i += 4 {
			dst.Pix[i] = table[dst.Pix[i]]
		}
	}
}

func histogram(m *raster.Image, channel int) (h [256]int) {
	for i := channel; i < len(m.Pix); i += 4 {
		h[m.Pix[i]]++
	}
	return h
}

// ranked maps each value of a histogram of n pixels to the value of the same rank in another one.
func ranked(h [256]int, n int, other [256]int, most int) (table [256]uint8) {
	below, v, upTo := 0, 0, other[0] // pixels below; the other's value and its pixels up to that
	for i, count := range h {
		middle := 2*below + count // of the ranks of the value, in halves
		for v < 255 && upTo*2*n <= middle*most {
			v++
			upTo += other[v]
		}
		if count > 0 {
			table[i] = uint8(v)
		}
		below += count
	}
	return table
}
