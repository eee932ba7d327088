package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/transform"
)

// preparing are the flags of what is done to images before they are corrupted or perturbed.
type preparing struct {
	Size   int    `group:"Input" placeholder:"N" help:"First resize the shorter side to N pixels." yaml:"size"`
	Crop   int    `group:"Input" placeholder:"N" help:"Then cut the middle N x N." yaml:"crop"`
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
	Shard string `group:"Running" placeholder:"I/N" help:"Do the I-th of N parts of IN only, I from 0; see SHARDS below."`
}

// shard returns the flag's part, or the one that a cluster's environment tells.
func (f *sharding) shard(getenv func(string) string) (sh generate.Shard, from string, err error) {
	if f.Shard != "" {
		sh, err = generate.ParseShard(f.Shard)
		return sh, "--shard", err
	}
	number := func(name string, missing int) int {
		n, err1 := strconv.Atoi(getenv(name))
		if err1 != nil && getenv(name) != "" {
			err = usagef("%s=%s in the environment is not a number; say --shard", name, getenv(name))
		}
		if err1 != nil {
			return missing
		}
		return n
	}
	switch {
	case getenv("JOB_COMPLETION_INDEX") != "":
		from, sh.Count = "JOB_COMPLETION_INDEX", number("JOB_COMPLETIONS", 0)
		sh.Index = number("JOB_COMPLETION_INDEX", 0)
	case getenv("SLURM_ARRAY_TASK_ID") != "":
		from, sh.Count = "SLURM_ARRAY_TASK_ID", number("SLURM_ARRAY_TASK_COUNT", 0)
		step := max(number("SLURM_ARRAY_TASK_STEP", 1), 1)
		sh.Index = (number("SLURM_ARRAY_TASK_ID", 0) - number("SLURM_ARRAY_TASK_MIN", 0)) / step
	default:
		return sh, "", nil
	}
	if err == nil && (sh.Count < 1 || sh.Index < 0 || sh.Index >= sh.Count) {
		err = usagef("%s is set in the environment, but it is not told of how many parts (JOB_COMPLETIONS, "+
			"SLURM_ARRAY_TASK_COUNT), or does not fit: part %d of %d; say --shard I/N, or --shard 0/1 for the whole",
			from, sh.Index, sh.Count)
	}
	return sh, from, err
}

// expansion is a run that makes many data sets of one.
type expansion struct {
	app       *app
	command   string
	in, out   string
	to        string // form of the output
	options   any    // the command's struct, for args.yaml
	notes     []generate.Option
	seed      uint64
	image     data.Encoding
	perShard  int
	frames    bool // a variant is a sequence
	wide      bool // labels of 64 bits
	variants  []transform.Variant
	transform func() transform.MultiTransform

	input     *input
	running   *running
	sharding  *sharding
	preparing *preparing

	source  data.Source
	samples int // in the source, or -1
}

// open checks the flags, opens the source and resolves the form of the output.
func (e *expansion) open() error {
	for _, err := range []error{e.preparing.check(), e.running.check()} {
		if err != nil {
			return err
		}
	}
	src, err := e.input.open(e.app, e.in)
	if errors.Is(err, data.ErrUnsupported) && e.input.Split == "" {
		// CIFAR with both parts, where benchmarks are made of the test set.
		test := *e.input
		test.Split = "test"
		if other, err1 := test.open(e.app, e.in); err1 == nil {
			e.app.say("%s: taking the test part", e.in)
			src, err, e.input.Split = other, nil, "test"
		}
	}
	if err != nil {
		return err
	}
	e.source = src
	return e.form()
}

func (e *expansion) close() { _ = e.source.Close() }

// form resolves --to auto.
func (e *expansion) form() error {
	ext := strings.ToLower(filepath.Ext(e.out))
	switch image := slices.Contains([]string{".png", ".jpg", ".jpeg"}, ext) || e.out == formats.Standard; {
	case image && !e.frames && (e.to == "auto" || e.to == "file"):
		e.to = "file"
	case image, slices.Contains([]string{".npy", ".npz", ".tar", ".gif"}, ext):
		return errors.Join(usagef("-o %s: the output is a folder", e.out), e.source.Close())
	case e.to == "auto":
		e.to = "folder"
		switch f := e.source.Info().Format; f {
		case "cifar10", "cifar100", "npy", "npz":
			e.to = "npy"
		case "wds":
			e.to = "wds"
		}
	}
	// So that args.yaml says it.
	switch o := e.options.(type) {
	case *corruptCmd:
		if e.to != "file" {
			o.To = e.to
		}
	case *perturbCmd:
		o.To = e.to
	}
	return nil
}

// side returns the shorter side of the first image that can be read, after the preparation.
func (e *expansion) side() (int, error) {
	switch {
	case e.preparing.Crop > 0:
		return e.preparing.Crop, nil
	case e.preparing.Size > 0:
		return e.preparing.Size, nil
	case e.in == formats.Standard:
		return 0, usagef("--bar-profile auto needs the size of images, which standard input tells too late; " +
			"say cifar or imagenet")
	}
	src, err := e.input.open(e.app, e.in)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	w, h, err := firstSize(src, e.in)
	return min(w, h), err
}

// count finds out how many samples there are, reading to the end where only that tells.
func (e *expansion) count() error {
	e.samples = e.source.Info().Len
	if e.samples >= 0 {
		return nil
	}
	if e.in == formats.Standard {
		return usagef("arrays and shards need to know the number of images, which standard input tells too late; " +
			"use a file, or --to folder without --shard")
	}
	src, err := e.input.open(e.app, e.in)
	if err != nil {
		return err
	}
	defer src.Close()
	e.samples, err = generate.Count(src)
	return err
}

// task makes the output at dir of at most so many samples.
func (e *expansion) task(dir string, samples int) generate.Task {
	return generate.Variants{
		Transform: e.transform,
		Open:      func(state []byte) (generate.PartSink, error) { return e.sink(dir, samples, state) },
	}
}

// sink opens the output at dir for at most so many samples.
func (e *expansion) sink(dir string, samples int, state []byte) (generate.PartSink, error) {
	classes := e.source.Info().Classes
	switch e.to {
	case "npy":
		return generate.OpenArrays(generate.ArrayOptions{
			Dir: dir, Variants: e.variants, Samples: samples, Classes: classes, Frames: e.frames, Wide: e.wide,
		}, state)
	case "wds", "file":
		return generate.OpenFan(len(e.variants), e.image, func(v int, state []byte) (data.Sink, error) {
			o := formats.SinkOptions{
				Format: e.to, Classes: classes, Encoding: e.image, Overwrite: true, PerShard: e.perShard, Stdout: e.app.out,
			}
			path := dir
			if e.to == "wds" {
				path = filepath.Join(dir, filepath.FromSlash(e.variants[v].Dir()))
			}
			return formats.Create(path, o, state)
		}, state)
	}
	o := generate.TreeOptions{
		Dir: dir, Variants: e.variants, Classes: classes, Ext: e.image.Ext(), Quality: e.image.Quality,
	}
	switch {
	case e.to == "gif":
		o.Ext = ".gif"
	case e.to == "folder":
		o.Frames = e.frames
	}
	return generate.OpenTree(o, state)
}

// run makes the output.
func (e *expansion) run() error {
	sh, from, err := e.sharding.shard(os.Getenv)
	if err != nil {
		return err
	}
	if from != "" && from != "--shard" {
		e.app.say("part %s, from %s in the environment", sh, from)
	}
	p := pipeline{app: e.app, command: e.command, in: e.in, running: e.running}
	if e.to == "file" {
		if len(e.variants) != 1 || !sh.Whole() {
			return usagef("-o %s is one image: choose one corruption and one severity, such as --subset fog --severity 3, "+
				"and no --shard", e.out)
		}
		ext := strings.ToLower(filepath.Ext(e.out))
		e.image.JPEG = ext == ".jpg" || ext == ".jpeg"
	}
	switch {
	case e.out == formats.Standard:
	default:
		p.place = generate.Output{Path: filepath.Clean(e.out), File: e.to == "file"}
	}
	if e.samples = -1; e.to == "npy" || !sh.Whole() {
		if err := e.count(); err != nil {
			return err
		}
	}
	return e.make(p, sh)
}

// make does the run that p and the expansion describe.
func (e *expansion) make(p pipeline, sh generate.Shard) error {
	args, options, err := record(e.command, e.options)
	if err != nil {
		return err
	}
	options = append(options, e.notes...)
	var bar *progress.Bar
	each := 1 // images that a sample makes
	job := generate.Job{
		Source: e.source, Task: e.task(e.path(), e.samples),
		Out: p.place, Records: map[string][]byte{generate.ArgsName: args}, Options: options, Build: build(),
		Seed: e.seed, Force: e.running.Force, OnError: e.running.policy(), Workers: e.running.Jobs,
		CheckpointAfter: e.running.Checkpoint,
		Report: func(at generate.Progress) {
			if bar == nil {
				if each = len(e.variants); at.Done > at.Rejected {
					each = at.Items / (at.Done - at.Rejected)
				}
				total := at.Total
				if total > 0 {
					total *= each
				}
				if bar = e.app.bar(e.command, progress.Images, total, at.Resumed*each); at.Resumed > 0 {
					e.app.detail("going on after %d samples of an earlier run", at.Resumed)
				}
			}
			bar.Set(at.Done*each, at.Rejected*each)
		},
	}
	begun := time.Now()
	var res generate.Result
	var waiting []string
	if sh.Whole() {
		res, err = generate.Run(e.app.ctx, job)
	} else {
		res, waiting, err = generate.RunShard(e.app.ctx, job, sh, e.samples, e.task)
	}
	if bar != nil {
		bar.Stop()
	}
	s := summary{
		Out: e.path(), Samples: res.Done, Items: res.Items, Resumed: res.Resumed, Already: res.Already && sh.Whole(),
		Refused: res.Rejected, Waiting: waiting,
	}
	if s.Refused == nil {
		s.Refused = []generate.Rejected{}
	}
	if err != nil {
		return p.explain(err, res)
	}
	p.tell(s, time.Since(begun))
	if !sh.Whole() {
		e.tellShards(sh, waiting, res.Manifest)
	}
	return finish(e.app, p.place, []summary{s})
}

// path is where the output goes.
func (e *expansion) path() string {
	if e.out == formats.Standard {
		return e.out
	}
	return filepath.Clean(e.out)
}

// tellShards says what is still to come.
func (e *expansion) tellShards(sh generate.Shard, waiting []string, m *generate.Manifest) {
	const most = 12
	switch {
	case len(waiting) > most:
		e.app.say("part %s is done; %d of %d parts are to come", sh, len(waiting), sh.Count)
	case len(waiting) > 0:
		e.app.say("part %s is done; to come: %s", sh, strings.Join(waiting, ", "))
	case m != nil:
		e.app.say("all parts are done: %d samples, %d images", m.Samples, m.Items)
	}
}
