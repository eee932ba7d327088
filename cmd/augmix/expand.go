package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

// expansion is a run that makes a benchmark, as augmix corrupt and augmix perturb do.
type expansion struct {
	generation
	path string   // OUT
	have []string // parts that are in OUT already

	selecting *selecting
	input     *input
	sharding  *sharding
	preparing *preparing
}

// fileFormat is the format of an output that is one image.
const fileFormat = "file"

// open checks the flags, opens the source (of a set with several parts the test part, of which benchmarks are made) and
// resolves the output's format into *format, so that args.yaml says it.
func (e *expansion) open(format *string, frames bool) (err error) {
	if e.bench.Format, err = e.checkFlags(*format, frames); err != nil {
		return err
	}
	if e.Source, err = e.input.openSplit(e.app, e.In, "test"); err != nil {
		return err
	}
	info := e.Source.Info()
	if e.bench.Format == "auto" {
		e.bench.Format = generate.BenchmarkFormat(info.Format, frames)
	}
	if e.bench.Format == formats.MedMNIST {
		e.Source = e.input.inGray(e.Source)
	}
	if e.bench.Format == generate.FormatTree {
		if e.bench.Tree, err = e.input.openTree(e.In, e.path, info); err != nil {
			return err
		}
		if e.preparing.Size > 0 || e.preparing.Crop > 0 {
			return usagef("--size and --crop do not go with --output-format tree: annotations would not fit")
		}
	}
	if e.input.Channels.all() && e.bench.Format != "npy" {
		return usagef("--channels all: the output, %s, has images of three channels or one (allowed: npy)", e.bench.Format)
	}
	if e.bench.Format != fileFormat {
		*format = e.bench.Format
	}
	e.bench.Classes, e.bench.Split, e.bench.Stdout = info.Classes, info.Part, e.app.out
	return e.selectSamples()
}

// checkFlags checks the flags that all expansions have, and returns the output's format, which may be auto.
func (e *expansion) checkFlags(format string, frames bool) (string, error) {
	for _, err := range []error{e.preparing.check(), e.running.check(), e.selecting.checkStream(e.input, e.sharding.Shard)} {
		if err != nil {
			return "", err
		}
	}
	return outputFormat(format, e.path, frames)
}

// divide returns the error with which every part of the run would end, as far as the flags say it.
func (e *expansion) divide(format string, frames bool) error {
	format, err := e.checkFlags(format, frames)
	if err != nil {
		return err
	}
	if err := checkParts(format, e.path, frames); err != nil {
		return err
	}
	return generate.CheckShards(outputAt(e.path, format), e.running.Force)
}

// selectSamples applies the flags of which samples are taken, and in which order.
func (e *expansion) selectSamples() error {
	if err := e.selecting.check(e.bench.Arrays() || e.bench.Format == "wds"); err != nil {
		return err
	}
	src, err := e.selecting.order(e.selecting.take(e.Source), e.Seed, 0)
	if err == nil {
		e.Source = src
	}
	return err
}

func (e *expansion) close() { _ = e.Source.Close() }

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

// side returns the shorter side of the first image that can be read, after the preparation.
func (e *expansion) side() (int, error) {
	return e.preparing.side(func() (w, h int, err error) {
		if e.In == formats.Standard {
			return 0, 0, usagef("--bar-profile auto needs the size of images, which is not known before standard input is read; " +
				"say cifar or imagenet")
		}
		return e.input.firstSize(e.app, e.In)
	})
}

// countSamples finds out how many samples there are, reading to the end where only that says.
func (e *expansion) countSamples() (int, error) {
	if n := e.Source.Info().Len; n >= 0 {
		return n, nil
	}
	if e.In == formats.Standard {
		return 0, usagef("arrays and shards need the number of images, which is not known before standard input is read; " +
			"use a file, or --output-format folder without --shard")
	}
	return e.selecting.count(e.app, e.input, e.In)
}

// findParts finds out which parts a finished OUT holds already, for the command to add them to what is asked for.
func (e *expansion) findParts() (err error) {
	if e.path == formats.Standard || e.bench.Format == fileFormat || e.running.Force || e.sharding.Shard != "" {
		return nil
	}
	e.have, err = generate.Parts(generate.Output{Path: storage.Clean(e.path)})
	return err
}

// without returns the parts in OUT that are not among asked.
func (e *expansion) without(asked []transform.Variant) []string {
	return slices.DeleteFunc(slices.Clone(e.have), func(part string) bool {
		return slices.ContainsFunc(asked, func(v transform.Variant) bool { return e.bench.PartName(v) == part })
	})
}

// tellParts says what is added to an output.
func (e *expansion) tellParts() {
	var more []string
	for _, part := range e.Parts {
		if !slices.Contains(e.have, part) {
			more = append(more, part)
		}
	}
	if len(e.have) > 0 && len(more) > 0 {
		e.app.say("%s holds %s; adding %s", e.path, terminal.Count(len(e.have), "part"), fewParts(more))
	}
}

// fewParts names the first of the parts.
func fewParts(parts []string) string {
	const most = 6
	list := strings.Join(parts[:min(len(parts), most)], ", ")
	if len(parts) > most {
		list += fmt.Sprintf(" and %d more", len(parts)-most)
	}
	return list
}

// check refuses what the output's format cannot be.
func (e *expansion) check() error {
	variants := e.bench.Forms.Variants()
	if !e.shard.Whole() {
		if err := checkParts(e.bench.Format, e.path, len(variants) > 0 && variants[0].Sequence); err != nil {
			return err
		}
	}
	if e.bench.Format != fileFormat {
		return nil
	}
	if len(variants) != 1 {
		return manyForms(e.path)
	}
	return checkOne(fileFormat, e.path, e.Source)
}

// checkParts refuses parts of an output whose format cannot be made of them. frames: the forms of an image are sequences.
func checkParts(format, path string, frames bool) error {
	switch {
	case format == generate.FormatTree && frames:
		return usagef("--shard does not go with perturb and --output-format tree: a part does not know the trees of the others")
	case format == formats.MedMNIST:
		return usagef("--shard does not go with --output-format medmnist (allowed: npy, folder, wds)")
	case format == fileFormat:
		return manyForms(path)
	}
	return nil
}

// manyForms is the error of more than one image at a path that is one.
func manyForms(path string) error {
	return usagef("-o %s is one image: choose one corruption and one severity, such as --subset fog --severity 3, and no --shard", path)
}

// outputAt returns the output of a format at a path.
func outputAt(path, format string) generate.Output {
	if path == formats.Standard {
		return generate.Output{}
	}
	return generate.Output{Path: storage.Clean(path), File: format == fileFormat}
}

// ofSomeCorruptions are the options and notes of an output that has those of cbar, frost or style_transfer.
var ofSomeCorruptions = []string{"bar-profile", "frost", "style_transfer", "styles", "style-weights"}

// run makes the forms in the output. asked are those that the command line asks for, options the flags that only say which
// forms there are.
func (e *expansion) run(forms transform.Forms, asked []transform.Variant, options ...string) (err error) {
	e.bench.Forms = forms
	if e.have != nil {
		if err := transform.CheckUnion(forms.Variants(), asked, e.have, e.bench.PartName); err != nil {
			return err
		}
	}
	if e.shard, err = e.sharding.shard(e.app); err != nil {
		return err
	}
	if err := e.check(); err != nil {
		return err
	}
	if e.bench.Format == fileFormat {
		ext := strings.ToLower(filepath.Ext(e.path))
		e.bench.Encoding.JPEG = ext == ".jpg" || ext == ".jpeg"
	}
	out := outputAt(e.path, e.bench.Format)
	if e.total = -1; e.bench.Arrays() || !e.shard.Whole() {
		if e.total, err = e.countSamples(); err != nil {
			return err
		}
	}
	e.bench.Bare = e.shard.Index > 0
	job := e.bench.Job(e.Source, out, e.total)
	job.In, job.Seed, job.PartOptions, job.SomeParts = e.In, e.Seed, options, ofSomeCorruptions
	e.Job, e.taskOf, e.count, e.each = job, e.bench.Task, e.countSamples, len(forms.Variants())
	e.notAsked = e.without(asked)
	if n := job.Source.Info().Len; e.running.Plan && !e.shard.Whole() && n >= 0 {
		from, to := e.shard.Range(n)
		e.Source = data.Slice(job.Source, from, to)
	}
	if e.begun = e.tellParts; e.running.Plan {
		e.tellParts()
	}
	s, err := e.generation.run()
	var other *generate.DiffersError
	if errors.As(err, &other) && e.bench.Arrays() && other.Has("severity") {
		err = fmt.Errorf("%w\n(an array holds all severities of its corruption: others need another output)", err)
	}
	if err != nil {
		return err
	}
	e.app.tellCarried(e.bench.Tree, len(s.Rejected))
	return finish(e.app, out, s)
}
