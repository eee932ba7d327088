package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/sheet"
)

// sheetCmd draws a contact sheet.
type sheetCmd struct {
	In  []string `arg:"" optional:"" name:"IN" help:"Images or data sets to show; - is standard input. Without any, a built-in image." yaml:"in"`
	Out string   `short:"o" required:"" placeholder:"OUT.png" help:"PNG file to write, in place of an earlier one; - is standard output." yaml:"-"`

	Mix     []string `placeholder:"SPEC" help:"Show samples of this method (see augmix list mixes). Repeat for more." yaml:"mix"`
	Samples int      `placeholder:"N" help:"Samples of each image by each --mix (30 of one image, 11 of several)." yaml:"samples"`
	Count   int      `default:"8" placeholder:"N" help:"Images to take from each data set, from its front (${default})." yaml:"count"`
	Tile    int      `default:"128" placeholder:"N" help:"Pixels of an image, 64 to 256 (${default}); larger ones are reduced." yaml:"tile"`
	Seed    uint64   `default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`

	Corruptions   bool   `help:"Show the 19 corruptions of ImageNet-C at five severities." yaml:"corruptions"`
	Cbar          bool   `help:"Show the corruptions of ImageNet-C-bar and CIFAR-10-C-bar." yaml:"cbar"`
	Perturbations bool   `help:"Show the perturbations of ImageNet-P, frame by frame." yaml:"perturbations"`
	FrostDir      string `placeholder:"DIR" help:"Published photographs for frost (frost1.png to frost5.jpg); without, generated ice crystals serve." yaml:"frost-dir"`

	mixing `yaml:",inline"`
	input  `yaml:",inline"`
}

// Help is the end of "augmix sheet --help".
func (sheetCmd) Help() string {
	return `WHAT IT SHOWS
  Without --mix: how AugMix makes an image, every operation at several levels, AugMix at several
  severities. With --mix: the original and samples of each method. Several images get a row each;
  mixup and cutmix take the other image from among them.
  With --corruptions, --cbar or --perturbations: what classifiers are tested with, a part for each
  image.
  With --mixset alone: the first images of that mixing set.
  The options are recorded in the PNG file itself, as text under the key "augmix".

EXAMPLES
  augmix sheet -o sheet.png
  augmix sheet --corruptions -o corruptions.png
  augmix sheet --perturbations cat.jpg -o cat-perturbed.png
  augmix sheet cat.jpg dog.jpg -o pets.png --mix augmix-m3 --mix augmix-m10
  augmix sheet cat.jpg dog.jpg -o pets.png --mix pixmix --mix pixmix+cutmix --mixset fractals
  augmix sheet --mixset fractals -o fractals.png
  augmix sheet cifar-10-python.tar.gz --count 12 -o cifar.png`
}

// sheetResult is the JSON form of what was drawn.
type sheetResult struct {
	Out    string `json:"out"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Images int    `json:"images"`
}

// Run draws the sheet.
func (c *sheetCmd) Run(a *app) error {
	if c.Out != formats.Standard && !strings.EqualFold(filepath.Ext(c.Out), ".png") {
		return usagef("-o %s: a sheet is a PNG file (allowed: a name that ends in .png, or -)", c.Out)
	}
	s := sheet.Sheet{
		Samples: c.Samples, Side: c.Tile, Seed: c.Seed, Version: build().Version,
		Corruptions: c.Corruptions, Bar: c.Cbar, Perturbations: c.Perturbations,
	}
	if c.FrostDir != "" {
		var err error
		if s.Frost, err = (&frosting{c.FrostDir}).textures(a); err != nil {
			return err
		}
	}
	for i, spec := range c.Mix {
		m, err := mix.Parse(spec)
		if err != nil {
			return err
		}
		s.Mixers = append(s.Mixers, m)
		c.Mix[i] = m.String()
	}
	if c.Count < 1 {
		return usagef("--count %d (allowed: 1 and up)", c.Count)
	}
	var closeSet func()
	var err error
	if c.gallery() {
		closeSet, err = c.show(a, &s)
	} else if err = c.images(a, &s); err == nil {
		closeSet, err = c.equip(a, s.Mixers, func() (int, error) { return c.largest(&s), nil })
	}
	if err != nil {
		return err
	}
	defer closeSet()
	if err := s.Check(); err != nil {
		return usageError{err}
	}
	args, _, err := record("sheet", c)
	if err != nil {
		return err
	}
	m, err := s.Draw()
	if err != nil {
		return err
	}
	file, err := encodeSheet(m, string(args))
	if err != nil {
		return err
	}
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	if c.Out == formats.Standard {
		_, err := a.out.Write(file)
		return err
	}
	if err := data.WriteFileAtomic(c.Out, file); err != nil {
		return err
	}
	a.say("%s: %d by %d pixels", c.Out, m.Rect.Dx(), m.Rect.Dy())
	if !a.JSON {
		return nil
	}
	return a.print(sheetResult{c.Out, m.Rect.Dx(), m.Rect.Dy(), len(s.Images)}, func(io.Writer) {})
}

// gallery reports whether the mixing set itself is to be shown.
func (c *sheetCmd) gallery() bool {
	return c.Mixset != "" && len(c.Mix)+len(c.In) == 0 && !c.Corruptions && !c.Cbar && !c.Perturbations
}

// show opens the mixing set for show.
func (c *sheetCmd) show(a *app, s *sheet.Sheet) (closeSet func(), err error) {
	side := c.tile()
	if c.Tile == 0 {
		side = 128
	}
	set, err := mixset.Open(a.ctx, c.Mixset, mixset.Options{Size: side, Cache: c.MixsetCache, Seed: c.Seed})
	if errors.Is(err, mixset.ErrSpec) {
		err = usageError{fmt.Errorf("--mixset %s: %w", c.Mixset, err)}
	}
	if err != nil {
		return nil, err
	}
	c.Mixset = set.String()
	s.Gallery = &sheet.Gallery{Images: set}
	kind, _, _ := strings.Cut(set.String(), "-n")
	for _, k := range mixset.Kinds() {
		if k.Name == kind {
			s.Gallery.Doc = "Generated: " + k.Doc + "."
		}
	}
	return func() { _ = set.Close() }, nil
}

// images reads what the sheet shows.
func (c *sheetCmd) images(a *app, s *sheet.Sheet) error {
	if len(c.In) == 0 {
		// Twice the tile, for the parts of the sheet that show it large.
		s.Images = []sheet.Image{{Name: "the built-in image", Image: sheet.Scene(2*c.tile(), 2*c.tile())}}
		return nil
	}
	for _, path := range c.In {
		src, err := c.open(a, path)
		if err != nil {
			return err
		}
		pics, err := take(src, c.Count)
		if err = errors.Join(err, src.Close()); err != nil {
			return err
		}
		if len(pics) == 0 {
			return fmt.Errorf("%w: %s holds no images", data.ErrFormat, path)
		}
		if len(pics) == 1 && path != formats.Standard {
			pics[0].Name = filepath.Base(path)
		}
		s.Images = append(s.Images, pics...)
	}
	return nil
}

// largest returns the side of the largest image as the sheet works on it.
func (c *sheetCmd) largest(s *sheet.Sheet) int {
	n := 0
	for _, p := range s.Images {
		n = max(n, min(p.Image.W, p.Image.H))
	}
	if c.Tile == 0 {
		return min(n, 128)
	}
	return min(n, c.tile())
}

// tile bounds the flag to what Check allows, so that a wrong one is told by Check and not by a lack of memory.
func (c *sheetCmd) tile() int { return min(max(c.Tile, 1), 256) }

// take reads the first n images of a source.
func take(src data.Source, n int) ([]sheet.Image, error) {
	var pics []sheet.Image
	var sample data.Sample
	for len(pics) < n {
		if err := src.Next(&sample); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		m := new(raster.Image)
		if err := sample.Decode(m); err != nil {
			return nil, err
		}
		pics = append(pics, sheet.Image{Name: sample.Key, Image: m})
	}
	return pics, nil
}

// encodeSheet makes the PNG file, with the options as a text chunk after the header.
func encodeSheet(m *image.RGBA, args string) ([]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, m); err != nil {
		return nil, err
	}
	const head = 8 + 12 + 13 // signature, and the header chunk with its frame
	file := b.Bytes()
	chunk := []byte("iTXtaugmix\x00\x00\x00\x00\x00" + args)
	out := append([]byte(nil), file[:head]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[head:]...), nil
}
