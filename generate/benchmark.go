package generate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/transform"
)

// Formats of a [Benchmark]: those of data sets, formats.MedMNIST beside them, then other forms of a folder, and the tree of annotated
// images again.
const (
	FormatNPY    = npyset.NameNPY // an array for each corruption, or for each sequence
	FormatFolder = folder.Name    // a folder of class folders for each form
	FormatWDS    = wds.Name       // a WebDataset for each form
	FormatFile   = "file"         // one image, of the only form

	FormatGIF  = "gif"  // of perturbations: an animation for each sample
	FormatAPNG = "apng" // the same without loss
	FormatTree = "tree" // the tree that the samples lie in, once for each form of its images, see [Mirror]
)

// Benchmark is what robustness is measured with, as files: all forms of the samples of a data set, laid out as CIFAR-10-C,
// ImageNet-C, MedMNIST-C, CIFAR-10-P or ImageNet-P are. It is made by the jobs that [Benchmark.Job] returns.
type Benchmark struct {
	Forms transform.Forms // that are made of each sample

	// Format is that of the output: one of the constants above, or formats.MedMNIST. FormatGIF and FormatAPNG are for forms that are
	// such animations. See [BenchmarkFormat].
	Format   string
	Classes  []string      // class names by label, nil when unknown
	Encoding data.Encoding // folder, wds, file: how images are encoded; tree: the quality of JPEG files
	PerShard int           // wds: images in a tar file; 0 takes the default
	Split    string        // MedMNIST: the part that the arrays are of; "" is "test"

	Tree *annotated.Tree // tree: that of the samples
	Link bool            // tree: files that are not images are hard links to those of the first tree
	Bare bool            // tree: they are left to another shard

	Stdout io.Writer // where a FormatFile without a path goes; nil means os.Stdout

	samples int // the most that there may be, of a task; -1 where that is not known
}

// BenchmarkFormat returns the format of the published benchmark that is like one of a data set of the format input. frames says
// that forms are sequences.
func BenchmarkFormat(input string, frames bool) string {
	switch input {
	case formats.MedMNIST:
		if frames {
			return FormatNPY
		}
		return input
	case "cifar10", "cifar100", npyset.NameNPY, npyset.NameNPZ:
		return FormatNPY
	case wds.Name:
		return FormatWDS
	case annotated.Name:
		return FormatTree
	}
	return FormatFolder
}

// Arrays reports whether the format is one of arrays, each of which holds all severities of a corruption. They have images of
// one size.
func (b *Benchmark) Arrays() bool { return b.Format == FormatNPY || b.Format == formats.MedMNIST }

// PartName is what a form is called among the parts of the output: "fog/3", or "fog" where an array holds all severities.
func (b *Benchmark) PartName(v transform.Variant) string {
	if b.Arrays() {
		return v.Name
	}
	return v.Dir()
}

// Parts names the parts of the output, in order.
func (b *Benchmark) Parts() []string {
	var parts []string
	for _, v := range b.Forms.Variants() {
		if name := b.PartName(v); !slices.Contains(parts, name) {
			parts = append(parts, name)
		}
	}
	return parts
}

// Job returns the job that makes the benchmark of src at out; seed, options and the rest are the caller's to set. samples is the
// most that there may be, which formats of arrays need; others take -1. A complete output that has some of the parts gets the
// others: what the forms are of has to hold those that are there too, see [Parts] and transform.CheckUnion.
func (b *Benchmark) Job(src data.Source, out Output, samples int) Job {
	return Job{
		Source: src, Out: out, Task: b.Task(out.Local().Path, samples), Parts: b.Parts(), PerShard: b.PerShard,
		PartTask: func(dir string, parts []string) Task {
			return b.task(dir, samples, func(v transform.Variant) bool { return slices.Contains(parts, b.PartName(v)) })
		},
	}
}

// Task returns the task that makes the benchmark of at most so many samples at dir, such as [RunShard] takes. It panics if Forms is nil.
func (b *Benchmark) Task(dir string, samples int) Task { return b.task(dir, samples, nil) }

// task makes the forms for which keep is true, nil for all.
func (b *Benchmark) task(dir string, samples int, keep func(transform.Variant) bool) Task {
	if b.Forms == nil {
		panic("generate: a Benchmark without Forms")
	}
	forms, kept := b.Forms.Keep(keep), *b
	kept.Forms, kept.samples = forms, samples
	if b.Format == FormatTree {
		return Mirror{
			Tree: b.Tree, Dir: dir, Variants: forms.Variants(), Frames: b.frames(), Quality: b.Encoding.Quality,
			Transform: forms.Transform, Bare: b.Bare, Link: b.Link, bench: &kept,
		}
	}
	return Variants{
		Transform: forms.Transform, bench: &kept,
		Open: func(state []byte) (PartSink, error) { return b.open(dir, forms.Variants(), samples, state) },
	}
}

// plan returns the forms as a plan, nil where they are none of package transform.
func (b *Benchmark) plan() transform.Plan {
	p, _ := b.Forms.(transform.Plan)
	return p
}

// benchmarkFormats are those that there are.
var benchmarkFormats = []string{
	FormatNPY, formats.MedMNIST, FormatFolder, FormatWDS, FormatGIF, FormatAPNG, FormatTree, FormatFile,
}

// check returns an error where the forms, their format or their encoding are not such as there can be.
func (b *Benchmark) check() error {
	if !slices.Contains(benchmarkFormats, b.Format) {
		return fmt.Errorf("%w: benchmark format %q (allowed: %s)", ErrOption, b.Format, strings.Join(benchmarkFormats, ", "))
	}
	if err := b.Encoding.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	if err := checkPlan(b.plan()); err != nil {
		return err
	}
	if err := b.checkForms(); err != nil || !b.Arrays() {
		return err
	}
	if b.samples < 0 {
		return fmt.Errorf("%w: a benchmark of format %s needs the number of samples", ErrOption, b.Format)
	}
	_, _, _, err := groups(b.Forms.Variants())
	return err
}

// checkForms returns an error where the format cannot hold the forms.
func (b *Benchmark) checkForms() error {
	n := len(b.Forms.Variants())
	switch {
	case b.Format == FormatFile && n != 1:
		return fmt.Errorf("%w: a benchmark of format %s of %d forms (allowed: 1)", ErrOption, b.Format, n)
	case b.Format == FormatTree && b.Tree == nil:
		return fmt.Errorf("%w: a benchmark of format %s without Tree (allowed: with that of the samples)", ErrOption, b.Format)
	case b.Format == formats.MedMNIST && b.frames():
		return fmt.Errorf("%w: a benchmark of format %s of sequences (allowed: %s)", ErrOption, b.Format, FormatNPY)
	case !b.animated():
		return fmt.Errorf("%w: a benchmark of format %s of forms that are no such animations (allowed: transform.Perturbations whose "+
			"Animation it is)", ErrOption, b.Format)
	}
	return nil
}

// animated reports whether forms of package transform are the animations of the format, if that is of any.
func (b *Benchmark) animated() bool {
	want, ok := map[string]transform.Animation{FormatGIF: transform.GIF, FormatAPNG: transform.APNG}[b.Format]
	if !ok || b.plan() == nil {
		return true
	}
	p, ok := b.Forms.(*transform.Perturbations)
	return ok && p.Animation == want
}

// settings says how images are written. Which forms there are is the parts', but for severities in arrays, which all lie in each.
func (b *Benchmark) settings() map[string]string {
	made := map[string]string{"format": b.Format}
	switch b.Format {
	case FormatNPY:
	case formats.MedMNIST:
		made["split"] = cmp.Or(b.Split, "test")
	case FormatTree:
		made["quality"] = fmt.Sprint(cmp.Or(b.Encoding.Quality, data.DefaultQuality))
	case FormatGIF, FormatAPNG:
	default:
		encodingSettings(made, b.Encoding)
	}
	if b.Format == FormatWDS {
		made["per-shard"] = fmt.Sprint(cmp.Or(b.PerShard, wds.DefaultPerShard))
	}
	if c, ok := b.Forms.(*transform.Corruptions); ok && b.Arrays() {
		made["severities"] = severitiesOf(c.Variants())
	}
	return made
}

// severitiesOf says which severities arrays of the variants hold, which are those of any of their names.
func severitiesOf(variants []transform.Variant) string {
	var list []float64
	for _, v := range variants {
		if v.Name == variants[0].Name {
			list = append(list, v.Severity)
		}
	}
	return transform.FormatSeverities(list)
}

// encodingSettings says how files of images are encoded.
func encodingSettings(made map[string]string, e data.Encoding) {
	if e.JPEG {
		made["image"], made["quality"] = "jpeg", fmt.Sprint(cmp.Or(e.Quality, data.DefaultQuality))
		return
	}
	made["image"], made["png"] = "png", fmt.Sprint(int(cmp.Or(e.Level, data.LevelFast)))
}

// open opens the output of variants at dir.
func (b *Benchmark) open(dir string, variants []transform.Variant, samples int, state []byte) (PartSink, error) {
	switch b.Format {
	case FormatNPY:
		return OpenArrays(ArrayOptions{
			Dir: dir, Variants: variants, Samples: samples, Classes: b.Classes, Frames: b.frames(), Wide: !b.Forms.Published(),
		}, state)
	case formats.MedMNIST:
		return OpenArrays(ArrayOptions{Dir: dir, Variants: variants, Samples: samples, Archive: cmp.Or(b.Split, "test")}, state)
	case FormatWDS, FormatFile:
		return OpenFan(len(variants), b.Encoding, func(v int, state []byte) (data.Sink, error) {
			path := cmp.Or(dir, formats.Standard)
			if b.Format == FormatWDS {
				path = filepath.Join(dir, filepath.FromSlash(variants[v].Dir()))
			}
			return formats.Create(path, b.sink(), state)
		}, state)
	}
	return OpenTree(b.tree(dir, variants), state)
}

// sink returns how sinks of package formats are made.
func (b *Benchmark) sink() formats.SinkOptions {
	return formats.SinkOptions{
		Format: b.Format, Classes: b.Classes, Encoding: b.Encoding, Overwrite: true, PerShard: b.PerShard, Stdout: b.Stdout,
	}
}

// tree returns the options of folders of images.
func (b *Benchmark) tree(dir string, variants []transform.Variant) TreeOptions {
	o := TreeOptions{Dir: dir, Variants: variants, Classes: b.Classes, Ext: b.Encoding.Ext(), Quality: b.Encoding.Quality}
	switch b.Format {
	case FormatGIF:
		o.Ext = ".gif"
	case FormatFolder:
		o.Frames = b.frames()
	}
	return o
}

// frames reports whether a form is a sequence.
func (b *Benchmark) frames() bool {
	variants := b.Forms.Variants()
	return len(variants) > 0 && variants[0].Sequence
}

// Estimate says what a job of the benchmark would write of so many samples, see the function [Estimate].
func (b *Benchmark) Estimate(ctx context.Context, j Job, samples int) (*Plan, error) {
	if err := b.check(); err != nil {
		return nil, err
	}
	var layout Layout
	switch b.Format {
	case FormatNPY, formats.MedMNIST:
		layout = ArrayLayout()
	case FormatWDS, FormatFile:
		var err error
		if layout, err = SinkLayout(j.Out.Path, b.sink(), 1); err != nil {
			return nil, err
		}
	case FormatTree:
		layout = Mirror{}.Layout()
	default:
		layout = b.tree("", nil).Layout()
	}
	variants := b.Forms.Variants()
	return Estimate(ctx, j, samples, layout, func(i int) string { return b.PartName(variants[i]) })
}
