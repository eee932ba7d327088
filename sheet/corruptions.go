package sheet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Layout of the sheets of corruptions and perturbations, in pixels.
const (
	rowPitchGap = 12 // between rows of tiles
	headHigh    = 52 // of the line above a group
)

var styleGroup = style{true, 26, accent}

// corruptionRow is a row of five severities.
type corruptionRow struct {
	name  string
	apply func(dst, src *raster.Image, severity float64, r *rng.Rand) error
}

// corruptionGroup is some rows under a title.
type corruptionGroup struct {
	title string
	rows  []corruptionRow
}

// corruptions shows the 19 corruptions of ImageNet-C for every image: the 15 common ones by kind, then those for
// validation.
func (p *painter) corruptions() error {
	var scratch corrupt.Scratch
	group := func(kind, subset, title string) corruptionGroup {
		g := corruptionGroup{title: title}
		for _, name := range both(kind, subset) {
			c, err := corrupt.ByName(name)
			if err != nil {
				panic("sheet: " + err.Error())
			}
			c = c.WithFrost(p.sheet.Frost)
			g.rows = append(g.rows, corruptionRow{name, func(dst, src *raster.Image, severity float64, r *rng.Rand) error {
				return c.Apply(dst, src, severity, r, &scratch)
			}})
		}
		return g
	}
	for i := range p.pics {
		p.section(p.title("The corruptions of ImageNet-C", i),
			"The 15 that the mean corruption error averages over, at severities 1 to 5. Parameters are those for images of "+
				"the size shown. Hendrycks and Dietterich, ICLR 2019.")
		err := p.blocks(i, []corruptionGroup{group("noise", "common", "Noise"), group("blur", "common", "Blur")},
			[]corruptionGroup{group("weather", "common", "Weather"), group("digital", "common", "Digital")}, true)
		if err != nil {
			return err
		}
		p.section("For validation", "The four to choose hyper-parameters on.")
		err = p.blocks(i,
			[]corruptionGroup{group("noise", "validation", "Noise"), group("blur", "validation", "Blur")},
			[]corruptionGroup{group("weather", "validation", "Weather"), group("digital", "validation", "Digital")}, false)
		if err != nil {
			return err
		}
		if len(p.sheet.Own) > 0 {
			var rows []corruptionRow
			for _, c := range p.sheet.Own {
				rows = append(rows, corruptionRow{c.Name(), func(dst, src *raster.Image, severity float64, r *rng.Rand) error {
					return c.Apply(dst, src, severity, r, &scratch)
				}})
			}
			p.section("Others", "Corruptions beyond the published sets.")
			if err := p.blocks(i, []corruptionGroup{{"", rows}}, nil, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// both returns the corruptions that are in both subsets, in published order.
func both(a, b string) []string {
	left, err1 := corrupt.Names(a)
	right, err2 := corrupt.Names(b)
	if err1 != nil || err2 != nil {
		panic("sheet: subsets " + a + ", " + b)
	}
	return slices.DeleteFunc(left, func(name string) bool { return !slices.Contains(right, name) })
}

// bar shows the corruptions of the -C-bar sets.
func (p *painter) bar() error {
	var scratch corrupt.Scratch
	rows := func(profile cbar.Profile, skip []string) (names []string, left, right []corruptionRow) {
		all, err := cbar.Names(profile)
		if err != nil {
			panic("sheet: " + err.Error())
		}
		names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(skip, name) })
		var list []corruptionRow
		for _, name := range names {
			c, err := cbar.ByName(name)
			if err != nil {
				panic("sheet: " + err.Error())
			}
			list = append(list, corruptionRow{name, func(dst, src *raster.Image, severity float64, r *rng.Rand) error {
				return c.WithProfile(profile).Apply(dst, src, severity, r, &scratch)
			}})
		}
		half := (len(list) + 1) / 2
		return names, list[:half], list[half:]
	}
	for i := range p.pics {
		p.section(p.title("The corruptions of ImageNet-C-bar", i),
			"Ten corruptions that are unlike those of ImageNet-C, to the eye and to networks, at five severities. "+
				"Mintun, Kirillov and Xie, NeurIPS 2021.")
		names, left, right := rows(cbar.ImageNet, nil)
		if err := p.blocks(i, []corruptionGroup{{"", left}}, []corruptionGroup{{"", right}}, false); err != nil {
			return err
		}
		p.section("In CIFAR-10-C-bar alone", "The five that take the places of others there, at CIFAR-10-C-bar’s levels.")
		_, left, right = rows(cbar.CIFAR, names)
		if err := p.blocks(i, []corruptionGroup{{"", left}}, []corruptionGroup{{"", right}}, true); err != nil {
			return err
		}
	}
	return nil
}

// title adds the image's name where there are several.
func (p *painter) title(s string, i int) string {
	if len(p.pics) > 1 {
		s += ": " + p.pics[i].Name
	}
	return fit(s, styleSection, p.inner())
}

// blocks draws groups in two blocks side by side. original puts the image itself above the left block, or below the
// right one where that has fewer rows.
func (p *painter) blocks(pic int, left, right []corruptionGroup, original bool) error {
	top := p.y + 4
	lower := top
	x := margin
	for side, groups := range [][]corruptionGroup{left, right} {
		y := top
		first := original && rowsOf(left) < rowsOf(right) && side == 0
		last := original && rowsOf(left) > rowsOf(right) && side == 1
		if first {
			y = p.original(x, y, pic)
		}
		for _, g := range groups {
			var err error
			if y, err = p.group(x, y, pic, g); err != nil {
				return err
			}
		}
		if last {
			y = p.original(x, y, pic)
		}
		lower = max(lower, y)
		x = p.wide - margin - p.block()
	}
	p.y = lower + rowPitchGap
	return nil
}

func rowsOf(groups []corruptionGroup) int {
	n := 0
	for _, g := range groups {
		n += len(g.rows)
	}
	return n
}

// original draws the image as it is and returns where the next row begins.
func (p *painter) original(x, y, pic int) int {
	p.words(x, y, "original")
	p.tile(p.tileX(x, 0), y, p.side, p.pics[pic].Image)
	return y + p.side + rowPitchGap
}

// severityHead is the head of a column; over narrow tiles the number alone, so that heads do not run into each other.
func (p *painter) severityHead(severity float64) string {
	number := strconv.FormatFloat(severity, 'f', -1, 64)
	head := "severity " + number
	if textWidth(head, styleSmall) > p.side-tileGap {
		return number
	}
	return head
}

// group draws the rows of a group and returns where the next one begins.
func (p *painter) group(x, y, pic int, g corruptionGroup) (int, error) {
	p.text(x, y+headHigh-14, g.title, styleGroup, left)
	for s := range corrupt.Severities {
		p.text(p.tileX(x, s)+p.side/2, y+headHigh-14, p.severityHead(float64(s+1)), styleSmall, center)
	}
	y += headHigh
	for _, row := range g.rows {
		p.words(x, y, row.name)
		for s := range corrupt.Severities {
			out, err := p.corrupted(pic, row, float64(s+1))
			if err != nil {
				return y, err
			}
			p.tile(p.tileX(x, s), y, p.side, out)
		}
		y += p.side + rowPitchGap
	}
	return y, nil
}

// corrupted returns an image at a severity of a row.
func (p *painter) corrupted(pic int, row corruptionRow, severity float64) (*raster.Image, error) {
	r := rng.NewKey(p.sheet.Seed).Str(p.pics[pic].Name).Str("corrupt").Str(row.name).Number(severity).Rand()
	out := new(raster.Image)
	return out, p.named(pic, row.apply(out, p.pics[pic].Image, severity, &r))
}

// atSeverities shows the corruptions of the sheet's choice, a row of severities for each.
func (p *painter) atSeverities() error {
	var scratch corrupt.Scratch
	for i := range p.pics {
		list, says := p.sheet.AtSeverities, "Severities 1 to 5 are the published ones. Between them parameters are "+
			"interpolated; below 1 they go to those that leave an image as it is, which is 0."
		if len(p.sheet.PerImage) > 0 {
			own := p.sheet.PerImage[i]
			list, says = own.Corruptions, says+" "+own.Doc
		}
		p.section(p.title("Corruptions by severity", i), says)
		p.y += headHigh
		for k, severity := range p.sheet.Severities {
			p.text(p.stripX(k)+p.side/2, p.y-14, p.severityHead(severity), styleSmall, center)
		}
		for _, c := range list {
			p.words(margin, p.y, c.Name())
			for k, severity := range p.sheet.Severities {
				out, err := p.corrupted(i, corruptionRow{c.Name(), func(dst, src *raster.Image, severity float64, r *rng.Rand) error {
					return c.Apply(dst, src, severity, r, &scratch)
				}}, severity)
				if err != nil {
					return err
				}
				p.tile(p.stripX(k), p.y, p.side, out)
			}
			p.y += p.side + rowPitchGap
		}
	}
	return nil
}

// stripX is where tile k of a row over the whole width lies.
func (p *painter) stripX(k int) int { return p.rowX() + k*(p.side+p.rowGap()) }

// words writes a published name beside a tile, a line for each word.
func (p *painter) words(x, y int, name string) {
	lines := strings.Split(name, "_")
	const line = 30
	y += p.side/2 + 9 - (len(lines)-1)*line/2
	for _, s := range lines {
		st := styleStrong
		for st.size > 18 && textWidth(s, st) > labelWide-8 {
			st.size--
		}
		p.text(x, y, fit(s, st, labelWide-8), st, left)
		y += line
	}
}

// perturbations shows the sequences of ImageNet-P: some frames of each, evenly from the first to the last.
func (p *painter) perturbations() error {
	ten := perturb.Common()
	for i := range p.pics {
		p.section(p.title("The perturbations of ImageNet-P", i),
			"Sequences whose frames differ a little, to see whether a classifier changes its mind: the ten that the mean flip "+
				"rate averages over. Every third frame or so is shown, from the first to the last. Hendrycks and Dietterich, "+
				"ICLR 2019.")
		if err := p.sequences(i, ten); err != nil {
			return err
		}
		p.section("Four more", "Published with the ten, not part of the mean.")
		if err := p.sequences(i, perturb.Names()[len(ten):]); err != nil {
			return err
		}
	}
	return nil
}

// sequences draws a strip of frames for each name.
func (p *painter) sequences(pic int, names []string) error {
	var scratch perturb.Scratch
	p.y += 8
	for _, name := range names {
		one, err := perturb.ByName(name)
		if err != nil {
			panic("sheet: " + err.Error())
		}
		r := rng.NewKey(p.sheet.Seed).Str(p.pics[pic].Name).Str("perturb").Str(name).Rand()
		q, err := one.Sequence(p.pics[pic].Image, 1, perturb.Auto, &r, &scratch)
		if err != nil {
			return p.named(pic, err)
		}
		p.words(margin, p.y, name)
		n := q.Len()
		for k, f := 0, 0; f < n; f++ {
			frame := new(raster.Image)
			q.Next(frame)
			if f != frameOf(k, n) {
				continue
			}
			x := p.stripX(k)
			p.tile(x, p.y, p.side, frame)
			p.text(x+p.side/2, p.y+p.side+24, strconv.Itoa(f), styleSmall, center)
			k++
		}
		p.y += p.side + 40
	}
	p.y += 4
	return nil
}

// frameOf is the k-th of perRow frames spread evenly over n.
func frameOf(k, n int) int { return (k*(n-1) + (perRow-1)/2) / (perRow - 1) }
