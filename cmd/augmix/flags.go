package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/raster"
)

// A command's struct is its flags and, written as YAML, its args.yaml: fields that the output does not depend on are
// left out of the latter.

// input are the flags of what is read.
type input struct {
	InputFormat string       `group:"Input" placeholder:"FORMAT" help:"Format of IN; auto-detected by default (see augmix list formats)." yaml:"input-format"`
	Split       string       `group:"Input" placeholder:"PART" help:"Part of IN: train, test or all of a CIFAR set; train, test or val of a folder or a MedMNIST file that holds these." yaml:"split"`
	Coarse      bool         `group:"Input" help:"CIFAR-100: the 20 coarse classes." yaml:"coarse"`
	Only        []string     `group:"Input" placeholder:"PATTERN" help:"Take only samples whose key holds PATTERN, or is like it where it has * or ?; class:NAME goes by class." yaml:"only,omitempty"`
	Without     []string     `group:"Input" placeholder:"PATTERN" help:"Leave such samples out." yaml:"without,omitempty"`
	Classes     string       `group:"Input" placeholder:"FILE" help:"Join or rename classes: lines FROM TO; or cifar100-superclasses. Other classes are left out." yaml:"classes,omitempty"`
	Labels      string       `group:"Input" placeholder:"FILE" help:"Labels of IN: for npy and npz an .npy file, by default looked for next to the images; for a folder of images a text file, CSV or blanks, of lines FILE LABEL, or LABEL alone in the order of the files' names. A label is a number from 0 or a class name." yaml:"labels"`
	Layout      string       `group:"Input" placeholder:"LAYOUT" help:"npy, npz: nhwc or nchw, where the shape does not say." yaml:"layout"`
	Images      []string     `group:"Input" placeholder:"PATTERN" help:"Annotated images in a layout that is not known: the files below IN whose paths are like PATTERN are images (* any text, ? one character); what else lies there is carried." yaml:"images,omitempty"`
	ShardKeys   bool         `group:"Input" help:"wds: put the shard's name in front of every key, for sets that use the same names in all shards." yaml:"shard-keys"`
	Channels    channelList  `group:"Input" placeholder:"LIST" help:"npy, npz: the three channels, or the one, that are taken of arrays with any number of them, from 1 on, such as 3,2,1; the others are left out. augment, corrupt and perturb: all, each channel is a gray image of its own." yaml:"channels,omitempty"`
	Window      *data.Window `group:"Input" placeholder:"LO:HI" help:"Values of black and white, of images of more than 8 bits: PNG and TIFF of 16 bits a channel, arrays of 16 and 32 bits and floats. What lies between is linear. Such gray images and arrays are refused without it. --window=-160:240 with a negative value." yaml:"window,omitempty"`

	reading data.Reading // of the flags of commands that write images
	each    bool         // the command makes channels one by one
}

func (f *input) options(a *app) formats.Options {
	f.reading.Window = f.Window
	o := formats.Options{
		Format: f.InputFormat, Split: f.Split, Coarse: f.Coarse, Labels: f.Labels, Layout: f.Layout, Channels: f.Channels, ShardKeys: f.ShardKeys,
		Only: f.Only, Without: f.Without, Classes: f.Classes, Images: f.Images, Reading: f.reading, Stdin: a.in,
	}
	if f.Channels.all() {
		o.Channels, o.EveryChannel = nil, true
	}
	return o
}

func (f *input) open(a *app, path string) (data.Source, error) {
	if err := f.checkChannels(); err != nil {
		return nil, err
	}
	src, err := formats.Open(path, f.options(a))
	if errors.Is(err, data.ErrSplit) {
		err = fmt.Errorf("%w; say --split PART", err)
	}
	return src, hintWindow(err)
}

// openSplit is open that takes one part of a data set with several where --split chooses none, and remembers which.
func (f *input) openSplit(a *app, path, split string) (data.Source, error) {
	if err := f.checkChannels(); err != nil {
		return nil, err
	}
	src, taken, err := formats.OpenSplit(path, f.options(a), split)
	if err != nil {
		return nil, hintWindow(err)
	}
	if taken != f.Split {
		a.say("%s: taking the %s part", path, taken)
		f.Split = taken
	}
	return src, nil
}

// output are the flags of what is written.
type output struct {
	OutputFormat string `group:"Output" placeholder:"FORMAT" help:"Format of OUT; by default the one that its name says (see augmix list formats)." yaml:"output-format"`
	Image        string `group:"Output" enum:"png,jpeg" default:"png" help:"How folders, shards and single files encode images: png (the default, without loss) or jpeg, which is smaller and, of large images, several times faster." yaml:"image"`
	PNG          string `group:"Output" name:"png" enum:"none,fast,medium,best" default:"fast" help:"Effort to make PNG files small: none (not compressed, the fastest), fast (the default), medium or best. The pixels are the same." yaml:"png"`
	Quality      int    `group:"Output" default:"95" help:"JPEG quality, 1 to 100 (${default})." yaml:"quality"`
	OutputSplit  string `group:"Output" placeholder:"PART" help:"CIFAR: train or test. medmnist: train, val or test, by default the part that is read." yaml:"output-split"`
	Deflate      bool   `group:"Output" help:"npz: compress." yaml:"deflate"`
	PerShard     int    `group:"Output" placeholder:"N" help:"wds: samples in a tar file (1000), views of one counted once." yaml:"per-shard"`

	like string // medmnist: the file whose other parts are kept
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
		Stdout:   a.out,
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
		return src
	}
	if med {
		f.like = from
	}
	f.OutputSplit = cmp.Or(f.OutputSplit, src.Info().Part, "test")
	return in.inGray(src)
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

// destination finds out whether the output at path is a file or a directory.
func (f *output) destination(path string) (generate.Output, error) {
	if path == formats.Standard {
		return generate.Output{}, nil
	}
	if row := f.row(path); row.Name != "" {
		return generate.Output{Path: storage.Clean(path), File: row.OneFile, Beside: row.Beside}, nil
	}
	var names []string
	for _, row := range formats.Table() {
		if row.Write {
			names = append(names, row.Name)
		}
	}
	if f.OutputFormat != "" {
		return generate.Output{}, usagef("--output-format %s (allowed: %s)", f.OutputFormat, strings.Join(names, ", "))
	}
	return generate.Output{}, usagef("the name %s does not say which format to write; say it with --output-format (allowed: %s)",
		path, strings.Join(names, ", "))
}

// workers is the flag of how much of the machine a command uses; results do not depend on it.
type workers struct {
	Workers int `group:"Running" short:"j" placeholder:"N" help:"Goroutines that work at a time (as many as there are cores); results do not depend on it." yaml:"-"`
}

func (f *workers) check() error {
	if f.Workers < 0 || f.Workers > 1<<12 {
		return usagef("--workers %d (allowed: 1 to %d, 0 for all cores)", f.Workers, 1<<12)
	}
	return nil
}

// frosting is the flag of the photographs that the corruption frost lays over images.
type frosting struct {
	FrostDir string `group:"Corruption" placeholder:"DIR" help:"Published photographs for frost (frost1.png to frost5.jpg); without, generated ice crystals." yaml:"frost-dir"`
}

// textures returns the photographs, or generated ones.
func (f *frosting) textures(a *app) (*corrupt.FrostSet, error) {
	if f.FrostDir == "" {
		a.detail("frost: generated ice crystals; --frost-dir takes the published photographs")
	}
	return corrupt.OpenFrost(f.FrostDir)
}

// about says in a manifest which photographs those are.
func (f *frosting) about() (string, error) {
	if f.FrostDir == "" {
		return "generated ice crystals (package corrupt/frost, seed 0), not the published photographs", nil
	}
	sum, err := frost.Sum(f.FrostDir)
	return "the five photographs of --frost-dir, SHA-256 of all " + sum, err
}

// running are the flags of how a run goes; the output does not depend on them.
type running struct {
	workers
	OnError    string        `group:"Running" enum:"fail,skip" default:"fail" help:"What to do about an input that cannot be read: fail, or skip and list it (${default})." yaml:"-"`
	Plan       bool          `group:"Running" help:"Only say what would be written: images, files, bytes and time, estimated from a few samples that are made in memory." yaml:"-"`
	Force      bool          `group:"Running" help:"Start over in place of an earlier output of this program." yaml:"-"`
	Checkpoint time.Duration `group:"Running" default:"10s" placeholder:"TIME" help:"Time between the checkpoints from which an interrupted run resumes (${default})." yaml:"-"`
}

func (f *running) check() error {
	if err := f.workers.check(); err != nil {
		return err
	}
	if f.Checkpoint <= 0 {
		return usagef("--checkpoint %v (allowed: more than 0)", f.Checkpoint)
	}
	return nil
}

func (f *running) policy() generate.Policy {
	if f.OnError == "skip" {
		return generate.Skip
	}
	return generate.Fail
}

// record writes options as args.yaml and as what an earlier run must agree with.
func record(command string, options any) (text []byte, list []generate.Option, err error) {
	body, err := yaml.Marshal(options)
	if err != nil {
		return nil, nil, err
	}
	if list, err = generate.ReadOptions(body); err != nil {
		return nil, nil, err
	}
	built := build()
	version := strings.TrimSpace(built.Version + " " + built.Commit)
	list = append(list, generate.Option{Name: "command", Value: command}, generate.Option{Name: "version", Value: version})
	slices.SortFunc(list, func(a, b generate.Option) int { return strings.Compare(a.Name, b.Name) })
	head := fmt.Sprintf("# augmix %s, options as they were resolved; give this file to --config to use them again\n", command)
	return append([]byte(head), body...), list, nil
}

// parseColor reads RRGGBB.
func parseColor(s string) (raster.RGB, error) {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return raster.RGB{}, usagef("color %q (allowed: six hexadecimal digits, RRGGBB)", s)
	}
	return raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}, nil
}
