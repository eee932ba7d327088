// Package sheet draws contact sheets: one labeled image of what augmentations, corruptions and perturbations do.
//
//	s := sheet.Sheet{Images: []sheet.Image{{Name: "cat", Image: m}}}
//	page, err := s.Draw()   // an *image.RGBA
//
// Without more it is the overview: how AugMix makes an image, every operation at several levels, AugMix at several
// severities. Sheet.Methods shows samples of methods of package mix, Sheet.Corruptions, Sheet.Bar and
// Sheet.Perturbations those of packages corrupt, corrupt/cbar and perturb, and Sheet.Gallery a mixing set of package
// mixset; Sheet.Cascade, Sheet.ColorSwap and Sheet.Grid are the illustrations of the papers. Package experiment reads the images from data sets and writes the file.
package sheet

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/draw"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrSheet is wrapped by errors about what a sheet should show.
var ErrSheet = errors.New("bad sheet")

// Image is an image with the name that stands beside it.
type Image struct {
	Name  string
	Image *raster.Image
}

// Tests are the corruptions of one image, with what is said of them: a sentence, or nothing.
type Tests struct {
	Corruptions []corrupt.Corruption
	Doc         string
}

// Sheet is a contact sheet: what operations, chains and augmentations do to images, with labels. It is drawn for
// display at half its size in pixels, so that it stays sharp on dense screens.
type Sheet struct {
	// Images are shown in their order; the first serves where one is enough. Larger ones than Side are cropped to their
	// center square and reduced to Side; smaller ones are worked on at their own size and enlarged for show.
	Images []Image
	// Methods are shown in a block of samples each. Without any, the sheet is the overview: how AugMix makes an image,
	// every operation at several levels, AugMix at several severities. Methods that make one image of two take another
	// of Images as the partner, of a single one its horizontal flip, and say how much of the label is left.
	Methods []*mix.Method
	// Corruptions, Bar and Perturbations show those of ImageNet-C, of ImageNet-C-bar and CIFAR-10-C-bar, and of
	// ImageNet-P, in place of the overview.
	Corruptions, Bar, Perturbations bool
	// AtSeverities are corruptions that are shown at Severities, 1 to 11, in place of the overview.
	AtSeverities []corrupt.Corruption
	Severities   []float64
	// PerImage are those of each image, in place of AtSeverities, where not all images have the same.
	PerImage []Tests
	// Cascade shows how a long chain of operations drifts off, beside AugMix; ColorSwap, of 2 to 10 images, each with the colors
	// of the others. Both are in place of the overview.
	Cascade, ColorSwap bool
	// Gallery and Grid show a mixing set, and images in rows and columns, in place of the overview; Images may then be empty.
	Gallery *Gallery
	Grid    *Grid
	// Frost are the textures of the corruption frost; nil means generated ice crystals.
	Frost *corrupt.FrostSet
	// Own are further corruptions, shown after those of ImageNet-C: with Corruptions only.
	Own     []corrupt.Corruption
	Samples int    // of each image by each of the Methods; 0 means 30 of a single image, 11 of several
	Side    int    // pixels of a tile, 64 to 256; 0 means 128
	Seed    uint64 // of every random choice
	Version string // of the program, for the last line
}

// Limits of a sheet: its images all lie in memory at once.
const (
	maxImages   = 64
	maxSamples  = 1024
	defaultSide = 128
)

// Layout, in pixels of the sheet, for tiles of the default side.
const (
	margin    = 48
	labelWide = 152 // column of row labels
	tileGap   = 8
	blockGap  = 56 // between the two blocks of operations
	perBlock  = 5  // tiles in a row of a block
	perRow    = 11 // tiles in a row over the whole width
	// leastColumns keep room for the words of a sheet.
	leastColumns = 5
)

// Check returns an error that wraps [ErrSheet] and says what is allowed.
func (s *Sheet) Check() error {
	switch {
	case len(s.Images) == 0 && s.Gallery == nil && s.Grid == nil || len(s.Images) > maxImages:
		return fmt.Errorf("%w: %d images (allowed: 1 to %d)", ErrSheet, len(s.Images), maxImages)
	case s.Samples < 0 || s.Samples > maxSamples:
		return fmt.Errorf("%w: %d samples (allowed: 1 to %d, 0 for the default)", ErrSheet, s.Samples, maxSamples)
	case s.ColorSwap && (len(s.Images) < 2 || len(s.Images) > swapMost):
		return fmt.Errorf("%w: colors swapped among %d images (allowed: 2 to %d)", ErrSheet, len(s.Images), swapMost)
	case s.Side != 0 && (s.Side < 64 || s.Side > 256):
		return fmt.Errorf("%w: tiles of %d pixels (allowed: 64 to 256, 0 for %d)", ErrSheet, s.Side, defaultSide)
	case len(s.Own) > 0 && !s.Corruptions:
		return fmt.Errorf("%w: Own without Corruptions, after which they are shown (allowed: with it)", ErrSheet)
	case s.atSeverities() != (len(s.Severities) > 0):
		return fmt.Errorf("%w: %d severities without corruptions, or the other way round (allowed: Severities with AtSeverities or PerImage)",
			ErrSheet, len(s.Severities))
	case s.Grid != nil:
		return s.Grid.check()
	case len(s.PerImage) > 0 && len(s.PerImage) != len(s.Images):
		return fmt.Errorf("%w: tests for %d of %d images (allowed: for each)", ErrSheet, len(s.PerImage), len(s.Images))
	case len(s.Severities) > perRow:
		return fmt.Errorf("%w: %d severities (allowed: 1 to %d)", ErrSheet, len(s.Severities), perRow)
	}
	if i := slices.IndexFunc(s.Images, func(m Image) bool { return m.Image == nil }); i >= 0 {
		return fmt.Errorf("%w: image %d, %q, is nil (allowed: with its pixels)", ErrSheet, i, s.Images[i].Name)
	}
	return nil
}

// Draw draws the sheet. The error is that of Check, or names the image to which something cannot be done. It is safe for concurrent use, one sheet after the other.
func (s *Sheet) Draw() (*image.RGBA, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	faces.Lock()
	defer faces.Unlock()
	p := &painter{sheet: s, side: s.Side}
	if p.side == 0 {
		p.side = defaultSide
	}
	for _, pic := range s.Images {
		p.pics = append(p.pics, Image{pic.Name, square(pic.Image, p.side)})
	}
	p.wide = 2*margin + blockGap + 2*p.block()
	p.gap = (p.inner() - labelWide - perRow*p.side) / (perRow - 1)
	p.columns = perRow
	switch narrow := !s.tests() && !s.Cascade && s.Gallery == nil && s.Grid == nil; { // rows of fewer samples make a narrower sheet
	case !narrow:
	case s.ColorSwap && len(s.Methods) == 0:
		p.columns = max(len(p.pics)+1, leastColumns+1)
	case !s.ColorSwap && s.Samples > 0 && len(s.Methods) > 0 && len(p.pics) > 1:
		p.columns = min(perRow, max(s.Samples, leastColumns))
	}
	p.wide -= (perRow - p.columns) * (p.side + p.gap)
	if more := p.side + 2*tileGap - labelWide; more > 0 && len(s.Methods) > 0 && len(p.pics) > 1 {
		p.wide += more // the column of row labels is that of the originals
	}
	// The first pass only measures: its canvas is a single row of pixels, and drawing outside a canvas does nothing.
	for _, high := range []int{1, 0} {
		if high == 0 {
			high = p.y
		}
		p.canvas, p.y = newCanvas(p.wide, high), 0
		if err := p.all(); err != nil {
			return nil, err
		}
	}
	return p.canvas.RGBA, nil
}

// painter draws a sheet from the top down.
type painter struct {
	*canvas
	sheet   *Sheet
	pics    []Image
	side    int
	wide    int
	columns int // tiles in a row over the whole width
	gap     int // between them
	y       int // where the next thing begins
	scratch mix.Scratch
}

func (p *painter) block() int { return labelWide + perBlock*p.side + (perBlock-1)*tileGap }

func (p *painter) inner() int { return p.wide - 2*margin }

// rowGap is the gap between tiles of a row over the whole width.
func (p *painter) rowGap() int { return p.gap }

// rowX is where such a row begins so that it ends at the right margin.
func (p *painter) rowX() int { return p.wide - margin - p.columns*p.side - (p.columns-1)*p.rowGap() }

func (p *painter) all() error {
	p.header()
	s := p.sheet
	switch {
	case s.Gallery != nil:
		p.gallery(s.Gallery)
	case s.Grid != nil:
		p.grid(s.Grid)
	case len(s.Methods) == 0 && !s.tests() && !s.Cascade && !s.ColorSwap:
		if err := p.overview(); err != nil {
			return err
		}
	}
	if s.Cascade {
		p.cascades()
	}
	if s.ColorSwap {
		if err := p.colorSwap(); err != nil {
			return err
		}
	}
	for _, m := range s.Methods {
		if err := p.method(m); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		wanted bool
		draw   func() error
	}{{s.Corruptions, p.corruptions}, {s.Bar, p.bar}, {s.atSeverities(), p.atSeverities}, {s.Perturbations, p.perturbations}} {
		if part.wanted {
			if err := part.draw(); err != nil {
				return err
			}
		}
	}
	p.footer()
	return nil
}

// atSeverities reports whether the sheet shows corruptions of the caller's choice.
func (s *Sheet) atSeverities() bool { return len(s.AtSeverities)+len(s.PerImage) > 0 }

// tests reports whether the sheet shows what classifiers are tested with.
func (s *Sheet) tests() bool {
	return s.Corruptions || s.Bar || s.Perturbations || s.atSeverities()
}

func (p *painter) overview() error {
	p.anatomy(mix.NewAugMix())
	p.operations()
	err := p.severities()
	if err == nil && len(p.pics) > 1 {
		err = p.augMix()
	}
	return err
}

func (p *painter) header() {
	p.y = margin + 40
	w := p.text(margin, p.y, "augmix", styleTitle, left)
	what := "augmentations for robust image classifiers, on "
	if p.sheet.tests() && len(p.sheet.Methods) == 0 {
		what = "tests of robust image classifiers, on "
	}
	switch n := len(p.pics); {
	case p.sheet.Gallery != nil:
		what = "images to mix into training images"
	case p.sheet.Grid != nil:
		what = strconv.Itoa(len(p.sheet.Grid.Rows)) + " rows of images"
	case n > 1:
		what += strconv.Itoa(n) + " images"
	default:
		what += p.pics[0].Name
	}
	if x := w + 24; textWidth(what, styleLabel) <= p.inner()-x {
		p.text(margin+x, p.y, what, styleLabel, left)
	} else if room := p.inner(); textWidth(what, styleLabel) <= room || x > room/4 { // a narrow sheet has a line for it
		p.y += 40
		p.within(margin, p.y, what, styleLabel, left, room)
	} else {
		p.text(margin+x, p.y, fit(what, styleLabel, room-x), styleLabel, left)
	}
	p.y += 28
	p.rect(margin, p.y, p.inner(), 2, ink)
	p.y += 12
}

// section begins a block with its title and one or two lines that say what is seen.
func (p *painter) section(title, says string) {
	p.y += 52
	p.text(margin, p.y, title, styleSection, left)
	p.y = p.paragraph(margin, p.y+38, p.inner(), says, styleSmall)
}

func (p *painter) footer() {
	p.y += 40
	p.rect(margin, p.y, p.inner(), 1, hair)
	p.y += 36
	seed := "seed " + strconv.FormatUint(p.sheet.Seed, 10) + " · the same seed draws the same sheet"
	version := "augmix"
	if p.sheet.Version != "" {
		version += " " + p.sheet.Version
	}
	if textWidth(seed, styleSmall)+24+textWidth(version, styleSmall) <= p.inner() {
		p.text(margin, p.y, seed, styleSmall, left)
	} else { // a narrow sheet has lines for both
		p.y = p.paragraph(margin, p.y, p.inner(), seed, styleSmall)
	}
	p.within(p.wide-margin, p.y, version, styleSmall, right, p.inner())
	p.y += 40
}

// key returns the key of the i-th sample of image n by the method called spec.
func (p *painter) key(n int, spec string, i int) rng.Key {
	return rng.NewKey(p.sheet.Seed).Str(p.pics[n].Name).Str("sheet").Str(spec).Uint(uint64(i))
}

// operations shows every AugMix operation, two blocks side by side.
func (p *painter) operations() {
	p.section("The operations, by level",
		"AugMix draws a level between 0.1 and its severity for each operation, and a sign at random. "+
			"Those marked off overlap ImageNet-C’s corruptions and are not in the default set.")
	var rows, plain []*augment.Op
	for _, o := range augment.AugMixOps(true) {
		if o.HasLevel() {
			rows = append(rows, o)
		} else {
			plain = append(plain, o)
		}
	}
	top := p.y + 46
	pitch := p.side + 46
	half := (len(rows) + 2) / 2 // the operations without a level share the last row of the left block
	columns := [2]int{margin, p.wide - margin - p.block()}
	levels := []float64{1, 3, 5, 7, 9}
	for _, x := range columns {
		for i, l := range levels {
			p.text(p.tileX(x, i)+p.side/2, top-14, "level "+number(l), styleSmall, center)
		}
	}
	for i, o := range rows {
		column, row := 0, i
		if row >= half-1 {
			column, row = 1, row-half+1
		}
		p.operation(columns[column], top+row*pitch, o, levels)
	}
	p.plainRow(columns[0], top+(half-1)*pitch, plain)
	p.y = top + half*pitch - 12
}

func (p *painter) tileX(x, i int) int { return x + labelWide + i*(p.side+tileGap) }

func (p *painter) plainRow(x, y int, ops []*augment.Op) {
	src := p.pics[0].Image
	p.rowLabel(x, y, "no level", "one strength")
	each := 1
	for _, o := range ops { // names are longer than parameters: over narrow tiles they take the room of two
		if textWidth(o.Name, styleSmall) > p.side+tileGap && 2*len(ops) <= perBlock {
			each = 2
		}
	}
	for i, o := range ops {
		out := new(raster.Image)
		o.Apply(out, src, 0, raster.RGB{})
		at := p.tileX(x, each*i)
		p.tile(at, y, p.side, out)
		if each == 2 {
			p.within(at, y+p.side+24, o.Name, styleSmall, left, 2*p.side+tileGap)
		} else {
			p.caption(at, y, o.Name)
		}
	}
}

func (p *painter) operation(x, y int, o *augment.Op, levels []float64) {
	small := o.Param
	if o.Overlap {
		small += " · off"
	}
	p.rowLabel(x, y, o.Name, small)
	src := p.pics[0].Image
	for i, l := range levels {
		v := o.Value(l, src.W, src.H, false)
		out := new(raster.Image)
		o.Apply(out, src, v, raster.RGB{})
		p.tile(p.tileX(x, i), y, p.side, out)
		p.caption(p.tileX(x, i), y, Parameter(o, v))
	}
}

func (p *painter) rowLabel(x, y int, strong, small string) {
	p.text(x, y+p.side/2, fit(strong, styleStrong, labelWide-8), styleStrong, left)
	p.text(x, y+p.side/2+30, fit(small, styleSmall, labelWide-8), styleSmall, left)
}

func (p *painter) caption(x, y int, s string) {
	p.text(x+p.side/2, y+p.side+24, fit(s, styleSmall, p.side+tileGap), styleSmall, center)
}

// severities shows AugMix samples, a row for each severity.
func (p *painter) severities() error {
	p.section("AugMix by severity",
		"Independent samples of the whole method; 3 is the paper’s setting for CIFAR, 1 for ImageNet.")
	for _, severity := range []float64{1, 3, 5, 10} {
		a := mix.NewAugMix()
		a.Severity = severity
		m, err := mix.NewMethod(a)
		if err != nil {
			return err
		}
		small := map[float64]string{1: "ImageNet", 3: "CIFAR"}[severity]
		p.y += 12
		p.rowLabel(margin, p.y, "severity "+number(severity), small)
		if err := p.samples(0, m, 0, perRow, p.rowX()); err != nil {
			return err
		}
		p.y += p.side
	}
	return nil
}

// samples draws n samples of image pic from number first on, in a row at the painter's height.
func (p *painter) samples(pic int, m *mix.Method, first, n, x int) error {
	var t mix.Target
	for i := range n {
		key := p.key(pic, m.String(), first+i)
		out, at := new(raster.Image), x+i*(p.side+p.rowGap())
		var err error
		in := mix.Sample{Image: p.pics[pic].Image, Label: pic, Key: key, Partner: p.partner(pic)}
		if t, err = m.Apply(out, &in, t, &p.scratch); err != nil {
			return p.named(pic, err)
		}
		p.tile(at, p.y, p.side, out)
		if m.NeedsPartner() {
			p.caption(at, p.y, shares(t, pic))
		}
	}
	return nil
}

// named is an error about an image, with its name.
func (p *painter) named(pic int, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", p.pics[pic].Name, err)
	}
	return err
}

// shares writes how much of a label is the image's own.
func shares(t mix.Target, own int) string {
	var w float64
	for _, s := range t {
		if s.Class == own {
			w += float64(s.Weight)
		}
	}
	return strconv.Itoa(int(math.Round(100*w))) + " %"
}

// partner returns how image pic finds others. The partner's number stands for its label.
func (p *painter) partner(pic int) func(dst *raster.Image, key rng.Key) (int, error) {
	return func(dst *raster.Image, key rng.Key) (int, error) {
		src := p.pics[pic].Image
		if len(p.pics) == 1 {
			augment.FlipH(dst, src)
			return 1, nil
		}
		r := key.Str("which").Rand()
		i := (pic + 1 + r.IntN(len(p.pics)-1)) % len(p.pics)
		other := p.pics[i].Image
		if other.W == src.W && other.H == src.H {
			dst.CopyFrom(other)
			return i, nil
		}
		dst.Reset(src.W, src.H)
		draw.CatmullRom.Scale(dst.RGBA(), dst.RGBA().Bounds(), other.RGBA(), other.RGBA().Bounds(), draw.Src, nil)
		return i, nil
	}
}

// captionHigh is the room that a caption takes below a tile.
const captionHigh = 34

// augMix shows samples of AugMix.
func (p *painter) augMix() error {
	m, err := mix.NewMethod(mix.NewAugMix())
	if err != nil {
		return err
	}
	return p.method(m)
}

// method shows samples of one method: a block of a single image, or a row of each of several.
func (p *painter) method(m *mix.Method) error {
	says := about(m)
	pitch := p.side + p.rowGap()
	if m.NeedsPartner() {
		says += " Below each sample: how much of the label is the image’s own."
		pitch += captionHigh
	}
	p.section(m.String(), says)
	n := p.sheet.Samples
	if len(p.pics) == 1 {
		if n == 0 {
			n = 30
		}
		return p.single(m, n, pitch)
	}
	if n == 0 {
		n = perRow
	}
	p.y += 22
	p.text(margin, p.y, "original", styleLabel, left)
	p.text(p.rowX(), p.y, "samples", styleLabel, left)
	p.y += 4
	for i, pic := range p.pics {
		p.y += 12
		room := labelWide + p.side
		if m.NeedsPartner() { // beside the first caption
			room = p.rowX() + p.side/2 - 48 - margin
		}
		p.text(margin, p.y+p.side+24, fit(pic.Name, styleSmall, room), styleSmall, left)
		p.tile(margin, p.y, p.side, pic.Image)
		for done := 0; done < n; done += p.columns {
			if done > 0 {
				p.y += pitch
			}
			if err := p.samples(i, m, done, min(p.columns, n-done), p.rowX()); err != nil {
				return err
			}
		}
		p.y += p.side + captionHigh // the name stands clear of the next row
	}
	return nil
}

// single puts the original, twice as large, before a block of samples.
func (p *painter) single(m *mix.Method, n, pitch int) error {
	gap := p.rowGap()
	big := 2*p.side + gap
	p.y += 12
	p.tile(margin, p.y, big, p.pics[0].Image)
	p.text(margin, p.y+big+30, "original", styleStrong, left)
	x := margin + big + 2*gap
	cols := (p.wide - margin - x + gap) / (p.side + gap)
	x = p.wide - margin - cols*(p.side+gap) + gap
	top := p.y
	for done := 0; done < n; done += cols {
		if err := p.samples(0, m, done, min(cols, n-done), x); err != nil {
			return err
		}
		p.y += pitch
	}
	p.y = max(p.y-gap, top+big+40)
	return nil
}

// about returns what the table of methods says about the stages of m, in their order.
func about(m *mix.Method) string {
	var says, papers []string
	for _, st := range m.Stages() {
		name, _, _ := strings.Cut(st.String(), "-")
		for _, e := range mix.Table() {
			if e.Name != name {
				continue
			}
			says = append(says, e.Doc)
			if e.Paper != "" && !slices.Contains(papers, e.Paper) {
				papers = append(papers, e.Paper)
			}
		}
	}
	s := strings.Join(says, "; then ")
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:] + "."
	if len(papers) > 0 {
		s += " " + strings.Join(papers, "; ") + "."
	}
	for _, st := range m.Stages() {
		if p, ok := st.(interface{ MixingSet() mix.MixingSet }); ok && p.MixingSet() != nil {
			return s + " Mixing set: " + p.MixingSet().String() + "."
		}
		if p, ok := st.(*mix.Style); ok {
			return s + " Styles: " + p.Styles().String() + "."
		}
	}
	return s
}

// number writes a number short, with a real minus sign.
func number(v float64) string {
	v = math.Round(v*100) / 100
	if v == 0 {
		v = 0 // not a negative one
	}
	s := strconv.FormatFloat(v, 'f', -1, 64)
	return strings.Replace(s, "-", "−", 1)
}

// Parameter writes the parameter of an operation with its unit, "" where it has none: "−12°", "3 px", "0.71".
func Parameter(o *augment.Op, v float64) string {
	switch o.Param {
	case "":
		return ""
	case "degrees":
		return number(v) + "°"
	case "pixels":
		return number(v) + " px"
	case "bits":
		if v == 1 {
			return "1 bit"
		}
		return number(v) + " bits"
	}
	return number(v)
}

// square cuts the middle square out of m and, when that is larger than side, reduces it to side.
func square(m *raster.Image, side int) *raster.Image {
	n := min(m.W, m.H)
	middle := image.Rect(0, 0, n, n).Add(image.Pt((m.W-n)/2, (m.H-n)/2))
	if n <= side {
		cut := raster.New(n, n)
		raster.CopyRect(cut, image.Point{}, m, middle)
		return cut
	}
	out := raster.New(side, side)
	draw.CatmullRom.Scale(out.RGBA(), out.RGBA().Bounds(), m.RGBA(), middle, draw.Src, nil)
	return out
}
