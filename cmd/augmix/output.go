package main

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
)

// output are the flags of what is written.
type output struct {
	OutputFormat string `group:"Output" placeholder:"FORMAT" help:"Format of OUT; by default the one that its name says (see augmix list formats)." yaml:"output-format"`
	Image        string `group:"Output" enum:"png,jpeg" default:"png" help:"How folders, shards and single files encode images: png (the default, without loss) or jpeg, which is smaller and, of large images, several times faster." yaml:"image"`
	PNG          string `group:"Output" name:"png" enum:"none,fast,medium,best" default:"fast" help:"Effort to make PNG files small: none (not compressed, the fastest), fast (the default), medium or best. The pixels are the same." yaml:"png"`
	Quality      int    `group:"Output" default:"95" help:"JPEG quality, 1 to 100 (${default})." yaml:"quality"`
	OutputSplit  string `group:"Output" placeholder:"PART" help:"CIFAR: train or test. medmnist: train, val or test. By default the part that is read, for CIFAR val as test; of data without parts train, of medmnist test." yaml:"output-split"`
	Deflate      bool   `group:"Output" help:"npz: compress." yaml:"deflate"`
	PerShard     int    `group:"Output" placeholder:"N" help:"wds: samples in a tar file (1000), views of one counted once." yaml:"per-shard"`

	like      string // medmnist: the file whose other parts are kept
	unlabeled bool   // no sample has a label
	soft      bool   // samples have soft labels
}

// pngLevels are the values of --png.
var pngLevels = map[string]data.Level{
	"none": data.LevelNone, "fast": data.LevelFast, "medium": data.LevelMedium, "best": data.LevelBest,
}

func (f *output) check() error {
	if f.Quality < 1 || f.Quality > 100 {
		return usagef("--quality %d (allowed: 1 to 100)", f.Quality)
	}
	return nil
}

// encoding is how images are encoded.
func (f *output) encoding() data.Encoding {
	return data.Encoding{JPEG: f.Image == "jpeg", Quality: f.Quality, Level: pngLevels[f.PNG]}
}

// sink returns how Create is to be called. The pipeline has looked that nothing is overwritten that is not its own.
func (f *output) sink(a *app, classes []string) formats.SinkOptions {
	return formats.SinkOptions{
		Format: f.OutputFormat, Classes: classes, Overwrite: true, Split: f.OutputSplit, Like: f.like, Deflate: f.Deflate, PerShard: f.PerShard,
		Stdout: a.out, Unlabeled: f.unlabeled, Soft: f.soft,
		Encoding: f.encoding(),
	}
}

// keepLayout makes an .npz file of one in MedMNIST's layout one in it too: the part that is read is replaced, the others are kept, and
// gray stays gray. Otherwise it returns src.
func (f *output) keepLayout(in *input, from, to string, src data.Source) data.Source {
	med := src.Info().Format == formats.MedMNIST
	if f.OutputFormat == "" && med && strings.EqualFold(filepath.Ext(to), ".npz") {
		f.OutputFormat = formats.MedMNIST
	}
	if f.OutputFormat != formats.MedMNIST {
		f.keepPart(in, src)
		return src
	}
	if med {
		f.like = from
	}
	f.OutputSplit = cmp.Or(f.OutputSplit, src.Info().Part, "test")
	return in.inGray(src)
}

// keepPart makes CIFAR files of a test part test files, which --split test finds in them. CIFAR has no third part.
func (f *output) keepPart(in *input, src data.Source) {
	cifar := f.OutputFormat == "cifar10" || f.OutputFormat == "cifar100"
	if part := cmp.Or(in.Split, src.Info().Part); cifar && f.OutputSplit == "" && (part == "test" || part == "val") {
		f.OutputSplit = "test"
	}
}

// opener returns what opens the output out, for a Task.
func (f *output) opener(a *app, out generate.Output, classes []string, viewAxis int) func(state []byte) (data.Sink, error) {
	path := out.Local().Path
	if path == "" {
		path = formats.Standard
	}
	o := f.sink(a, classes)
	o.ViewAxis = viewAxis
	return func(state []byte) (data.Sink, error) { return formats.Create(path, o, state) }
}

// row returns the format of the output at path, the zero Format where neither the flag nor the name says one.
func (f *output) row(path string) formats.Format {
	for _, row := range formats.Table() {
		if row.Write && (row.Name == f.OutputFormat || f.OutputFormat == "" && row.Named != nil && row.Named(path)) {
			return row
		}
	}
	return formats.Format{}
}

// checkOne returns an error where the output at path is one image and the source is known to have more.
func checkOne(format, path string, src data.Source) error {
	if n := src.Info().Len; format == fileFormat && n > 1 {
		return usagef("-o %s is one image, and of IN %d are taken (allowed: a folder or a data set; --limit 1)", path, n)
	}
	return nil
}

// destination finds out whether the output at path is a file or a directory.
func (f *output) destination(path string) (generate.Output, error) {
	if path == formats.Standard {
		if name := f.row(path).Name; f.OutputFormat != "" && name != "" && name != fileFormat {
			return generate.Output{}, usagef("--output-format %s cannot go to standard output (allowed: file, one image; \"augmix feed\" "+
				"gives batches to another program)", name)
		}
		return generate.Output{}, nil
	}
	if row := f.row(path); row.Name != "" && !(row.Labeled && f.unlabeled) {
		return generate.Output{Path: storage.Clean(path), File: row.OneFile, Beside: row.Beside}, nil
	}
	var names []string
	for _, row := range formats.Table() {
		if row.Write && !(f.unlabeled && (row.Labeled || row.Name == fileFormat)) {
			names = append(names, row.Name)
		}
	}
	if f.OutputFormat != "" && f.row(path).Labeled {
		return generate.Output{}, usagef("--output-format %s keeps a label of every image, and these have none (allowed: %s)", f.OutputFormat,
			strings.Join(names, ", "))
	}
	if f.OutputFormat != "" {
		return generate.Output{}, usagef("--output-format %s (allowed: %s)", f.OutputFormat, strings.Join(names, ", "))
	}
	return generate.Output{}, usagef("the name %s does not say which format to write; say it with --output-format (allowed: %s)",
		path, strings.Join(names, ", "))
}
