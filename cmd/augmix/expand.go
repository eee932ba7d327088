package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

// preparing are the flags of what is done to images before they are corrupted or perturbed.
type preparing struct {
	Size   int    `group:"Input" placeholder:"N" help:"First resize the shorter side to N pixels." yaml:"size"`
	Crop   int    `group:"Input" placeholder:"N" help:"Then crop the middle N x N." yaml:"crop"`
	Filter string `group:"Input" enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of the resize: box, bilinear, bicubic or lanczos (${default})." yaml:"filter"`
}

const mostSide = 1 << 14

func (f *preparing) check() error {
	if f.Size < 0 || f.Size > mostSide || f.Crop < 0 || f.Crop > mostSide {
		return usagef("--size %d --crop %d (allowed: 1 to %d)", f.Size, f.Crop, mostSide)
	}
	return nil
}

// sharding is the flag that divides a run.
type sharding struct {
	Shard string `group:"Running" placeholder:"I/N" help:"Do the I-th of N parts of IN only, I from 0; auto or auto/N: the part that a cluster's scheduler says. See SHARDS below."`
}

// shard returns the flag's part, or the one that a cluster's environment says.
func (f *sharding) shard(a *app) (generate.Shard, error) {
	find := func() (generate.Shard, string, error) { return generate.ClusterShard(os.Getenv) }
	switch {
	case f.Shard == "auto" || strings.HasPrefix(f.Shard, "auto/"):
		find = func() (generate.Shard, string, error) { return generate.AutoShard(f.Shard, os.Getenv) }
	case f.Shard != "":
		return generate.ParseShard(f.Shard)
	}
	sh, from, err := find()
	if err != nil {
		return sh, usagef("%w; say --shard I/N, or --shard 0/1 for all of IN", err)
	}
	if from != "" {
		a.say("part %s, from %s in the environment", sh, from)
	}
	return sh, nil
}

// expansion is a run that makes many data sets of one, as augmix corrupt and augmix perturb do.
type expansion struct {
	generation
	path     string // OUT
	format   string // of the output, auto until open has resolved it
	image    data.Encoding
	frames   bool // a variant is a sequence
	wide     bool // labels of 64 bits
	variants []transform.Variant
	have     []string // parts that are in OUT already
	tree     treeOut  // of the format tree
	// of returns the variants for which keep is true and what makes them; a nil keep means all.
	of func(keep func(transform.Variant) bool) ([]transform.Variant, func() transform.MultiTransform)

	selecting *selecting
	input     *input
	sharding  *sharding
	preparing *preparing
}

// fileFormat is the format of an output that is one image.
const fileFormat = "file"

// open checks the flags, opens the source (of a set with several parts the test part, of which benchmarks are made) and
// resolves the output's format into *format, so that args.yaml says it.
func (e *expansion) open(format *string) (err error) {
	for _, err := range []error{e.preparing.check(), e.running.check()} {
		if err != nil {
			return err
		}
	}
	if e.format, err = outputFormat(*format, e.path, e.frames); err != nil {
		return err
	}
	if e.source, err = e.input.openSplit(e.app, e.in, "test"); err != nil {
		return err
	}
	if e.format == "auto" {
		e.format = formatFor(e.source.Info().Format)
		if e.format == formats.MedMNIST && e.frames {
			e.format = "npy"
		}
	}
	if e.format == formats.MedMNIST {
		e.source = e.input.inGray(e.source)
	}
	if e.format == treeFormat {
		if err := e.tree.open(e.app, e.input, e.in, e.path, e.source.Info()); err != nil {
			return err
		}
		if e.preparing.Size > 0 || e.preparing.Crop > 0 {
			return usagef("--size and --crop do not go with --output-format tree: annotations would not fit")
		}
	}
	if e.input.Channels.all() && e.format != "npy" {
		return usagef("--channels all: the output, %s, has images of three channels or one (allowed: npy)", e.format)
	}
	if e.format != fileFormat {
		*format = e.format
	}
	return e.selectSamples()
}

// selectSamples applies the flags of which samples are taken, and in which order.
func (e *expansion) selectSamples() error {
	if err := e.selecting.check(e.inArrays() || e.format == "wds"); err != nil {
		return err
	}
	src, err := e.selecting.order(e.selecting.take(e.source), e.seed, 0)
	if err == nil {
		e.source = src
	}
	return err
}

func (e *expansion) close() { _ = e.source.Close() }

// outputFormat checks the format of the output at path, and resolves auto where path is one image.
func outputFormat(format, path string, frames bool) (string, error) {
	ext := strings.ToLower(filepath.Ext(path))
	image := path == formats.Standard || slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext)
	switch {
	case image && !frames && format == "auto":
		return fileFormat, nil
	case image, slices.Contains([]string{".npy", ".npz", ".tar", ".gif"}, ext):
		return "", usagef("-o %s: the output is a folder", path)
	}
	return format, nil
}

// formatFor returns the output's format that suits an input's.
func formatFor(input string) string {
	switch input {
	case "cifar10", "cifar100", "npy", "npz":
		return "npy"
	case "wds", formats.MedMNIST:
		return input
	case annotated.Name:
		return treeFormat
	}
	return "folder"
}

// side returns the shorter side of the first image that can be read, after the preparation.
func (e *expansion) side() (int, error) {
	switch {
	case e.preparing.Crop > 0:
		return e.preparing.Crop, nil
	case e.preparing.Size > 0:
		return e.preparing.Size, nil
	case e.in == formats.Standard:
		return 0, usagef("--bar-profile auto needs the size of images, which is not known before standard input is read; " +
			"say cifar or imagenet")
	}
	src, err := e.input.open(e.app, e.in)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	w, h, err := data.FirstSize(src)
	return min(w, h), within(e.in, err)
}

// countSamples finds out how many samples there are, reading to the end where only that says.
func (e *expansion) countSamples() (int, error) {
	if n := e.source.Info().Len; n >= 0 {
		return n, nil
	}
	if e.in == formats.Standard {
		return 0, usagef("arrays and shards need the number of images, which is not known before standard input is read; " +
			"use a file, or --output-format folder without --shard")
	}
	src, err := e.input.open(e.app, e.in)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	return data.Count(e.selecting.take(src))
}

// partName is what a variant is called among the parts of the output: an array holds all severities.
func (e *expansion) partName(v transform.Variant) string {
	if e.inArrays() {
		return v.Name
	}
	return v.Dir()
}

// inArrays reports whether all severities of a corruption go to one array.
func (e *expansion) inArrays() bool { return e.format == "npy" || e.format == formats.MedMNIST }

// findParts finds out which parts a finished OUT holds already, for the command to add them to what is asked for.
func (e *expansion) findParts() (err error) {
	if e.path == formats.Standard || e.format == fileFormat || e.running.Force || e.sharding.Shard != "" {
		return nil
	}
	e.have, err = generate.Parts(generate.Output{Path: storage.Clean(e.path)})
	return err
}

// setParts says which parts the output consists of and how some of them are made. asked are the variants that the command
// line asks for, options the flags that only say which parts there are.
func (e *expansion) setParts(asked []transform.Variant, options ...string) error {
	e.variants, _ = e.of(nil)
	if e.have != nil {
		if err := transform.CheckUnion(e.variants, asked, e.have, e.partName); err != nil {
			return err
		}
	}
	for _, v := range e.variants {
		if name := e.partName(v); !slices.Contains(e.parts, name) {
			e.parts = append(e.parts, name)
		}
	}
	e.partOptions = options
	e.generation.partTask = func(dir string, parts []string) generate.Task {
		return e.partsTask(dir, e.total, func(v transform.Variant) bool { return slices.Contains(parts, e.partName(v)) })
	}
	return nil
}

// tellParts says what is added to an output.
func (e *expansion) tellParts() {
	var more []string
	for _, part := range e.parts {
		if !slices.Contains(e.have, part) {
			more = append(more, part)
		}
	}
	if len(e.have) > 0 && len(more) > 0 {
		const most = 6
		list := strings.Join(more[:min(len(more), most)], ", ")
		if len(more) > most {
			list += fmt.Sprintf(" and %d more", len(more)-most)
		}
		e.app.say("%s holds %s; adding %s", e.path, terminal.Count(len(e.have), "part"), list)
	}
}

// setLayout says how the output keeps images, for --plan.
func (e *expansion) setLayout() (err error) {
	e.partOf = func(variant int) string {
		if e.inArrays() || e.variants[variant].Severity == 0 {
			return e.variants[variant].Name
		}
		return e.variants[variant].Dir()
	}
	if n := e.source.Info().Len; !e.shard.Whole() && n >= 0 {
		from, to := e.shard.Range(n)
		e.source = data.Slice(e.source, from, to)
	}
	e.generation.count = e.countSamples
	switch e.format {
	case "npy", formats.MedMNIST:
		e.layout = generate.ArrayLayout()
	case "wds", fileFormat:
		e.layout.Append, e.layout.Size, err = formats.Layout(e.path, formats.SinkOptions{
			Format: e.format, Encoding: e.image, PerShard: e.perShard, Classes: e.source.Info().Classes,
		}, 1)
	case treeFormat:
		e.layout = generate.Mirror{}.Layout()
	default:
		e.layout = e.treeOptions("", nil).Layout()
	}
	return err
}

// treeOptions are those of a tree of variants at dir.
func (e *expansion) treeOptions(dir string, variants []transform.Variant) generate.TreeOptions {
	o := generate.TreeOptions{
		Dir: dir, Variants: variants, Classes: e.source.Info().Classes, Ext: e.image.Ext(), Quality: e.image.Quality,
	}
	switch e.format {
	case "gif":
		o.Ext = ".gif"
	case "folder":
		o.Frames = e.frames
	}
	return o
}

// shardTask makes the output at dir of at most so many samples.
func (e *expansion) shardTask(dir string, samples int) generate.Task {
	return e.partsTask(dir, samples, nil)
}

// partsTask makes the variants for which keep is true.
func (e *expansion) partsTask(dir string, samples int, keep func(transform.Variant) bool) generate.Task {
	variants, transformer := e.of(keep)
	if e.format == treeFormat {
		return generate.Mirror{
			Tree: e.tree.found, Dir: dir, Variants: variants, Frames: e.frames, Quality: e.image.Quality,
			Transform: transformer, Bare: e.shard.Index > 0, Link: e.tree.Carry == "link",
		}
	}
	return generate.Variants{
		Transform: transformer,
		Open:      func(state []byte) (generate.PartSink, error) { return e.sink(dir, variants, samples, state) },
	}
}

// sink opens the output of variants at dir for at most so many samples.
func (e *expansion) sink(dir string, variants []transform.Variant, samples int, state []byte) (generate.PartSink, error) {
	classes := e.source.Info().Classes
	switch e.format {
	case "npy":
		return generate.OpenArrays(generate.ArrayOptions{
			Dir: dir, Variants: variants, Samples: samples, Classes: classes, Frames: e.frames, Wide: e.wide,
		}, state)
	case formats.MedMNIST:
		return generate.OpenArrays(generate.ArrayOptions{
			Dir: dir, Variants: variants, Samples: samples, Archive: cmp.Or(e.source.Info().Part, "test"),
		}, state)
	case "wds", fileFormat:
		return generate.OpenFan(len(variants), e.image, func(v int, state []byte) (data.Sink, error) {
			o := formats.SinkOptions{
				Format: e.format, Classes: classes, Encoding: e.image, Overwrite: true, PerShard: e.perShard, Stdout: e.app.out,
			}
			path := dir
			if e.format == "wds" {
				path = filepath.Join(dir, filepath.FromSlash(variants[v].Dir()))
			}
			return formats.Create(path, o, state)
		}, state)
	}
	return generate.OpenTree(e.treeOptions(dir, variants), state)
}

// run makes the output.
func (e *expansion) run() (err error) {
	if e.shard, err = e.sharding.shard(e.app); err != nil {
		return err
	}
	if e.format == treeFormat && e.frames && !e.shard.Whole() {
		return usagef("--shard does not go with perturb and --output-format tree: a part does not know the trees of the others")
	}
	if e.format == formats.MedMNIST && !e.shard.Whole() {
		return usagef("--shard does not go with --output-format medmnist (allowed: npy, folder, wds)")
	}
	if e.format == fileFormat {
		if len(e.variants) != 1 || !e.shard.Whole() {
			return usagef("-o %s is one image: choose one corruption and one severity, such as --subset fog --severity 3, "+
				"and no --shard", e.path)
		}
		ext := strings.ToLower(filepath.Ext(e.path))
		e.image.JPEG = ext == ".jpg" || ext == ".jpeg"
	}
	path := e.path
	if path != formats.Standard {
		e.out = generate.Output{Path: storage.Clean(path), File: e.format == fileFormat}
		path = e.out.Local().Path
	}
	if e.total = -1; e.inArrays() || !e.shard.Whole() {
		if e.total, err = e.countSamples(); err != nil {
			return err
		}
	}
	e.task, e.taskOf, e.each = e.shardTask(path, e.total), e.shardTask, len(e.variants)
	if e.running.Plan {
		if err := e.setLayout(); err != nil {
			return err
		}
	}
	e.tellParts()
	s, err := e.generation.run()
	if errors.Is(err, generate.ErrDiffers) && e.inArrays() && strings.Contains(err.Error(), "severity: was") {
		err = fmt.Errorf("%w\n(an array holds all severities of its corruption: others need another output)", err)
	}
	if err != nil {
		return err
	}
	return finish(e.app, e.out, s)
}
