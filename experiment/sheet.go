package experiment

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/sheet"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// Sheet draws a contact sheet: what augmentations, corruptions or perturbations do to images, or the images of a mixing set.
// See package sheet for what it shows.
type Sheet struct {
	In  []string `yaml:"in"`         // images or data sets, of a set with several parts the test part; none: a built-in image
	Out string   `yaml:"-" json:"-"` // PNG file

	Mix     []string `yaml:"mix"`     // augmentations; none: the overview of AugMix
	Samples int      `yaml:"samples"` // of each image by each of Mix (0: 30 of one image, 11 of several), or of what Mixset or GroupBy show
	Count   int      `yaml:"count"`   // images of each data set: from its front, of a folder evenly spread; 0: 8
	Tile    int      `yaml:"tile"`    // pixels of an image, 64 to 256; 0: 128
	Seed    uint64   `yaml:"seed"`

	Corruptions   bool     `yaml:"corruptions"`        // show those of ImageNet-C
	Cbar          bool     `yaml:"cbar"`               // show those of ImageNet-C-bar and CIFAR-10-C-bar
	Perturbations bool     `yaml:"perturbations"`      // show those of ImageNet-P
	Severity      string   `yaml:"severity,omitempty"` // show corruptions at these severities, at most 11; transform.ParseSeverities
	Subset        []string `yaml:"subset,omitempty"`   // which, by name or subset; common

	Cascade   bool   `yaml:"cascade,omitempty"`    // show a long chain beside AugMix
	ColorSwap bool   `yaml:"color-swap,omitempty"` // show images with each other's colors
	GroupBy   string `yaml:"group-by,omitempty"`   // show a row a class, a column for each part of keys that this finds; transform.ParseGroups

	FrostDir string `yaml:"frost-dir"` // folder of the published photographs for frost; empty: generated ice crystals

	Mixset      string `yaml:"mixset,omitempty"` // mixing set of PixMix and IPMix; alone, it is what is shown
	MixsetCache string `yaml:"-" json:"-"`       // folder that keeps the mixing set as a file; empty: none

	Networks `yaml:",inline"`
	Input    `yaml:",inline"`

	Version string `yaml:"-" json:"-"` // of the program, for the last line
}

// Drawing is a sheet that was drawn.
type Drawing struct {
	PNG           []byte // the file, with the options as text under the key augmix
	Width, Height int    // pixels
	Images        int    // that were read
}

// WithDefaults returns s with the defaults of Count and Tile where they are 0.
func (s Sheet) WithDefaults() Sheet {
	if s.Count == 0 {
		s.Count = 8
	}
	if s.Tile == 0 {
		s.Tile = 128
	}
	return s
}

// Run draws the sheet and writes it to Out.
func (s Sheet) Run(ctx context.Context) error {
	if s.Out == "" {
		return badOption("out", `""`, "a file")
	}
	d, err := s.Draw(ctx)
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(s.Out, d.PNG)
}

// Draw draws the sheet. The error wraps [ErrOption] or [sheet.ErrSheet], generate.ErrInput where Out would take the place of what is read or
// be read with it the next time, is that of reading the images or another file, or the cause of ctx.
func (s Sheet) Draw(ctx context.Context) (*Drawing, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s = s.WithDefaults(); s.Count < 1 {
		return nil, badOption("count", s.Count, "1 and up")
	}
	page := sheet.Sheet{
		Samples: s.Samples, Side: s.Tile, Seed: s.Seed, Version: s.Version,
		Corruptions: s.Corruptions, Bar: s.Cbar, Perturbations: s.Perturbations, Cascade: s.Cascade, ColorSwap: s.ColorSwap,
	}
	reads := append(mixset.Paths(s.Mixset), mixset.Paths(s.Styles)...)
	if err := s.apart(append(reads, s.FrostDir, s.StyleWeights, s.Network, s.Labels, s.Classes)...); err != nil {
		return nil, err
	}
	if s.FrostDir != "" {
		var err error
		if page.Frost, err = corrupt.OpenFrost(s.FrostDir); err != nil {
			return nil, err
		}
	}
	specs, err := s.specs()
	if err != nil {
		return nil, err
	}
	set, err := s.fill(ctx, &page, specs)
	if set != nil {
		defer set.Close()
	}
	if err == nil {
		err = page.Check()
	}
	if err == nil && ctx.Err() != nil { // drawing takes longer than all before it
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	m, err := page.Draw()
	if err != nil {
		return nil, err
	}
	args, err := generate.EncodeArgs("sheet", &s)
	if err != nil {
		return nil, err
	}
	file, err := encodeSheet(m, string(args))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return &Drawing{PNG: file, Width: m.Rect.Dx(), Height: m.Rect.Dy(), Images: len(page.Images)}, err
}

// specs reads the augmentations, and writes them as they were resolved.
func (s *Sheet) specs() ([]mix.Spec, error) {
	s.Mix = append([]string(nil), s.Mix...) // not the caller's
	specs := make([]mix.Spec, len(s.Mix))
	for i, text := range s.Mix {
		var err error
		if specs[i], err = mix.ParseSpec(text); err != nil {
			return nil, option.Errorf(ErrOption, "{mix}: %w", err)
		}
		s.Mix[i] = specs[i].String()
	}
	return specs, nil
}

// apart refuses an Out that is among files that are read, or lies in a folder of them.
func (s *Sheet) apart(reads ...string) error {
	if s.Out == "" || s.Out == formats.Standard {
		return nil
	}
	return generate.CheckApart(s.Out, reads...)
}

// sheetParts are the parts of a data set with several, of which Split chooses none, the one that a sheet shows first. In an experiment
// it is what the methods are measured on.
var sheetParts = []string{"test", "val", "train"}

// open opens a data set that the sheet shows, which Out may not be written over, or into where it would be shown the next time.
func (s *Sheet) open(path string) (data.Source, error) {
	src, _, err := formats.OpenSplit(path, s.Input.Options(), sheetParts...)
	if err != nil {
		return nil, err
	}
	reads := slices.Clone(data.Files(src))
	if src.Info().Format == folder.Name { // the only one that looks at every image that lies there
		reads = append(reads, path)
	}
	if err := s.apart(reads...); err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return src, nil
}

// alone reports whether nothing is to be done to images: they are shown as they are.
func (s *Sheet) alone() bool {
	return len(s.Mix) == 0 && !s.Corruptions && !s.Cbar && !s.Perturbations && !s.Cascade && !s.ColorSwap && s.Severity == ""
}

// fill gives the page its images and its methods, with their mixing set. The set must be closed after the last use.
func (s *Sheet) fill(ctx context.Context, page *sheet.Sheet, specs []mix.Spec) (*mixset.Set, error) {
	gallery, grid := s.Mixset != "" && s.GroupBy == "" && len(s.In) == 0 && s.alone(), s.GroupBy != ""
	switch {
	case s.Samples != 0 && len(s.Mix) == 0 && !grid && !gallery:
		return nil, option.Errorf(ErrOption, "{samples}: they are of augmentations, of which none is given (allowed: with {mix}, {group-by} "+
			"or a mixing set alone)")
	case s.Severity == "" && len(s.Subset) > 0:
		return nil, option.Errorf(ErrOption, "{subset}: it chooses what {severity} shows, which is not given")
	case !gallery && !grid:
		return s.overview(ctx, page, specs)
	}
	if err := s.Networks.Open(ctx, new(mix.Options), 0); err != nil { // no method takes them
		return nil, err
	}
	if grid {
		return nil, s.grid(ctx, page)
	}
	return s.gallery(ctx, page)
}

// overview gives the page images and what is done to them.
func (s *Sheet) overview(ctx context.Context, page *sheet.Sheet, specs []mix.Spec) (set *mixset.Set, err error) {
	mixing, err := s.mixing(specs)
	if err != nil {
		return nil, err
	}
	if err := s.images(ctx, page); err != nil {
		return nil, err
	}
	o := mix.Options{Corruptions: all.ForMix}
	if mixing {
		if set, err = s.mixingSet(ctx, page); err != nil {
			return nil, err
		}
		o.MixingSet = set
	}
	if err := s.atSeverities(page); err != nil {
		return set, err
	}
	return set, s.methods(ctx, page, specs, o)
}

// methods gives the page its methods, with the networks that they run.
func (s *Sheet) methods(ctx context.Context, page *sheet.Sheet, specs []mix.Spec, o mix.Options) (err error) {
	if s.Corruptions && s.StyleWeights != "" && !slices.ContainsFunc(specs, mix.Spec.NeedsStyles) {
		page.Own, err = s.Own(ctx, 0, styletransfer.Name)
	} else {
		err = s.Networks.Open(ctx, &o, 0, specs...)
	}
	if err != nil {
		return err
	}
	for _, spec := range specs {
		m, err := spec.With(o)
		if err != nil {
			return option.Errorf(ErrOption, "{mix}: %w", err)
		}
		page.Methods = append(page.Methods, m)
	}
	return nil
}

// atSeverities gives the page the corruptions that it shows at severities of the caller's.
func (s *Sheet) atSeverities(page *sheet.Sheet) (err error) {
	if s.Severity == "" {
		return nil
	}
	if page.Severities, err = parseSeverities(s.Severity); err != nil {
		return err
	}
	if len(s.Subset) == 0 {
		s.Subset = []string{"common"}
	}
	bars := make([]cbar.Profile, len(page.Images))
	for i, m := range page.Images {
		bars[i] = cbar.ProfileFor(min(m.Image.W, m.Image.H))
	}
	if i := slices.IndexFunc(bars, func(bar cbar.Profile) bool { return bar != bars[0] }); i < 0 {
		page.AtSeverities, _, err = s.tests(page, bars[0])
		return err
	}
	for i, bar := range bars {
		list, ofBar, err := s.tests(page, bar)
		if err != nil {
			return fmt.Errorf("%s: %w", page.Images[i].Name, err)
		}
		one := sheet.Tests{Corruptions: list}
		if ofBar {
			one.Doc = map[cbar.Profile]string{
				cbar.CIFAR:    "Those of C-bar are at CIFAR-10-C-bar’s levels, as the image is small.",
				cbar.ImageNet: "Those of C-bar are at ImageNet-C-bar’s levels.",
			}[bar]
		}
		page.PerImage = append(page.PerImage, one)
	}
	return nil
}

// tests returns the corruptions of Subset for images of a profile of cbar, and whether some are of it.
func (s *Sheet) tests(page *sheet.Sheet, bar cbar.Profile) (list []corrupt.Corruption, ofBar bool, err error) {
	names, err := transform.ExpandCorruptions(s.Subset, bar)
	if err != nil {
		return nil, false, option.Errorf(ErrOption, "{subset}: %w", err)
	}
	for _, name := range names {
		if op, err := corrupt.ByName(name); err == nil {
			list = append(list, op.WithFrost(page.Frost))
		} else if op, err := cbar.ByName(name); err == nil {
			list, ofBar = append(list, op.WithProfile(bar)), true
		}
	}
	return list, ofBar, nil
}

// mixing reports whether a spec needs a mixing set; it refuses one that no spec needs, or that is not at hand.
func (s *Sheet) mixing(specs []mix.Spec) (bool, error) {
	if !slices.ContainsFunc(specs, mix.Spec.NeedsMixingSet) {
		if s.Mixset != "" {
			return false, option.Errorf(ErrOption, "{mixset}: %s: no augmentation of the sheet mixes images in (pixmix and ipmix do)", s.Mixset)
		}
		return false, nil
	}
	if _, iterative, _ := train.ParseIterative(s.Mixset); iterative {
		return false, option.Errorf(ErrOption, "{mixset}: %s is made from a network in training", s.Mixset)
	}
	return true, nil
}

// mixingSet opens the mixing set.
func (s *Sheet) mixingSet(ctx context.Context, page *sheet.Sheet) (*mixset.Set, error) {
	largest := 0
	for _, p := range page.Images {
		largest = max(largest, min(p.Image.W, p.Image.H))
	}
	// The seed of the set is fixed: as with the published set, runs of several seeds share their images, and a cache
	// serves them all.
	set, err := OpenMixset(ctx, s.Mixset, mixset.Options{Size: min(largest, s.tile()), Cache: s.MixsetCache})
	if err != nil {
		return nil, err
	}
	s.Mixset = set.String()
	return set, nil
}

// gallery opens the mixing set for show.
func (s *Sheet) gallery(ctx context.Context, page *sheet.Sheet) (*mixset.Set, error) {
	set, err := OpenMixset(ctx, s.Mixset, mixset.Options{Size: s.tile(), Cache: s.MixsetCache, Seed: s.Seed, Small: true})
	if err != nil {
		return nil, err
	}
	s.Mixset = set.String()
	page.Gallery = &sheet.Gallery{Images: set}
	kind, _, _ := strings.Cut(s.Mixset, "-n")
	for _, k := range mixset.Kinds() {
		if k.Name == kind {
			page.Gallery.Doc = "Generated: " + k.Doc + "."
		}
	}
	return set, nil
}

// images reads what the sheet shows.
func (s *Sheet) images(ctx context.Context, page *sheet.Sheet) error {
	if len(s.In) == 0 {
		// Twice the tile, for the parts of the sheet that show it large.
		page.Images = []sheet.Image{{Name: "the built-in image", Image: sheet.Scene(2*s.tile(), 2*s.tile())}}
		return nil
	}
	for _, path := range s.In {
		src, err := s.open(path)
		if err != nil {
			return err
		}
		if src.Info().Format == folder.Name { // which is in the order of its classes
			src = data.Limit(src, s.Count)
		}
		images, err := take(ctx, src, s.Count)
		if err = errors.Join(err, src.Close()); err != nil {
			return err
		}
		if len(images) == 0 {
			return fmt.Errorf("%w: %s holds no images", data.ErrFormat, path)
		}
		if len(images) == 1 && path != formats.Standard {
			images[0].Name = filepath.Base(path)
		}
		page.Images = append(page.Images, images...)
	}
	return nil
}

// tile bounds Tile to what Check allows, so that a wrong one is told by Check and not by a lack of memory.
func (s *Sheet) tile() int { return min(max(s.Tile, 1), 256) }

// take reads the first n images of a source.
func take(ctx context.Context, src data.Source, n int) ([]sheet.Image, error) {
	var images []sheet.Image
	var sample data.Sample
	var held int64 // bytes of all images, which stay in memory until the sheet is drawn
	for len(images) < n {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := src.Next(&sample); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		m := new(raster.Image)
		if err := sample.Decode(m); err != nil {
			return nil, err
		}
		if held += int64(len(m.Pix)); held > data.CurrentDecodeLimits().MaxMemory {
			return nil, fmt.Errorf("%w: %s: the first %d images of a sheet take %d MiB together (allowed: at most %d MiB)", data.ErrLimit,
				sample.Name, len(images)+1, held>>20, data.CurrentDecodeLimits().MaxMemory>>20)
		}
		images = append(images, sheet.Image{Name: sample.Key, Image: m})
	}
	return images, nil
}

// encodeSheet makes the PNG file, with the options as a text chunk after the header. The fast compression takes half the time
// or less, and makes files that are 5 % larger.
func encodeSheet(m *image.RGBA, args string) ([]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m); err != nil {
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
