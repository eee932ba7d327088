package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/raster"
)

// A command's struct is its flags and, written as YAML, its args.yaml: fields that the output does not depend on are
// left out of the latter.

// input are the flags of what is read.
type input struct {
	InputFormat string `group:"Input" placeholder:"FORMAT" help:"Format of IN; auto-detected by default (see augmix list formats)." yaml:"input-format"`
	Split       string `group:"Input" placeholder:"PART" help:"CIFAR: train, test or all." yaml:"split"`
	Coarse      bool   `group:"Input" help:"CIFAR-100: the 20 coarse classes." yaml:"coarse"`
	Labels      string `group:"Input" placeholder:"FILE" help:"npy, npz: the labels' .npy file; by default looked for beside the images." yaml:"labels"`
	Layout      string `group:"Input" placeholder:"LAYOUT" help:"npy, npz: nhwc or nchw, where the shape does not tell." yaml:"layout"`
	ShardKeys   bool   `group:"Input" help:"wds: put the shard's name in front of every key, for sets that use the same names in all shards." yaml:"shard-keys"`
}

func (f *input) open(a *app, path string) (data.Source, error) {
	o := formats.Options{
		Format: f.InputFormat, Split: f.Split, Coarse: f.Coarse, Labels: f.Labels, Layout: f.Layout, ShardKeys: f.ShardKeys, Stdin: a.in,
	}
	return formats.Open(path, o)
}

// output are the flags of what is written.
type output struct {
	To       string `group:"Output" placeholder:"FORMAT" help:"Format of OUT; by default told by its name (see augmix list formats)." yaml:"to"`
	Image    string `group:"Output" enum:"png,jpeg" default:"png" help:"How formats of image files encode images: png or jpeg (${default})." yaml:"image"`
	Quality  int    `group:"Output" default:"95" help:"JPEG quality, 1 to 100 (${default})." yaml:"quality"`
	ToSplit  string `group:"Output" placeholder:"PART" help:"CIFAR: train or test." yaml:"to-split"`
	Deflate  bool   `group:"Output" help:"npz: compress." yaml:"deflate"`
	PerShard int    `group:"Output" placeholder:"N" help:"wds: samples in a shard." yaml:"per-shard"`
}

func (f *output) check() error {
	if f.Quality < 1 || f.Quality > 100 {
		return usagef("--quality %d (allowed: 1 to 100)", f.Quality)
	}
	return nil
}

// sink returns how Create is to be called. The pipeline has looked that nothing is overwritten that is not its own.
func (f *output) sink(a *app, classes []string) formats.SinkOptions {
	return formats.SinkOptions{
		Format: f.To, Classes: classes, Overwrite: true, Split: f.ToSplit, Deflate: f.Deflate, PerShard: f.PerShard,
		Stdout:   a.out,
		Encoding: data.Encoding{JPEG: f.Image == "jpeg", Quality: f.Quality},
	}
}

// place finds out where the output at path lies, and whether it is a file or a directory.
func (f *output) place(path string) (generate.Output, error) {
	if path == formats.Standard {
		return generate.Output{}, nil
	}
	for _, row := range formats.Table() {
		if row.Write && (row.Name == f.To || f.To == "" && row.Named != nil && row.Named(path)) {
			return generate.Output{Path: filepath.Clean(path), File: row.OneFile, Beside: row.Beside}, nil
		}
	}
	var names []string
	for _, row := range formats.Table() {
		if row.Write {
			names = append(names, row.Name)
		}
	}
	if f.To != "" {
		return generate.Output{}, usagef("--to %s (allowed: %s)", f.To, strings.Join(names, ", "))
	}
	return generate.Output{}, usagef("the name %s does not say which format to write; say it with --to (allowed: %s)",
		path, strings.Join(names, ", "))
}

// running are the flags of how a run goes; the output does not depend on them.
type running struct {
	Jobs       int           `group:"Running" short:"j" placeholder:"N" help:"Workers (all cores); the output does not depend on it." yaml:"-"`
	OnError    string        `group:"Running" enum:"fail,skip" default:"fail" help:"What to do about an input that cannot be read: fail, or skip and list it (${default})." yaml:"-"`
	Force      bool          `group:"Running" help:"Start over in place of an earlier output of this program." yaml:"-"`
	Checkpoint time.Duration `group:"Running" default:"10s" placeholder:"TIME" help:"Time between checkpoints from which an interrupted run goes on (${default})." yaml:"-"`
}

func (f *running) check() error {
	if f.Jobs < 0 || f.Jobs > 1<<12 {
		return usagef("--jobs %d (allowed: 1 to %d, 0 for all cores)", f.Jobs, 1<<12)
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
	var b bytes.Buffer
	fmt.Fprintf(&b, "# augmix %s, options as they were resolved; give this file to --config to use them again\n", command)
	body, err := yaml.Marshal(options)
	if err != nil {
		return nil, nil, err
	}
	b.Write(body)
	values := map[string]any{}
	if err := yaml.Unmarshal(body, &values); err != nil {
		return nil, nil, err
	}
	for name, v := range values {
		list = append(list, generate.Option{Name: name, Value: fmt.Sprint(v)})
	}
	built := build()
	version := strings.TrimSpace(built.Version + " " + built.Commit)
	list = append(list, generate.Option{Name: "command", Value: command}, generate.Option{Name: "version", Value: version})
	slices.SortFunc(list, func(a, b generate.Option) int { return strings.Compare(a.Name, b.Name) })
	return b.Bytes(), list, nil
}

// parseColor reads RRGGBB.
func parseColor(s string) (raster.RGB, error) {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return raster.RGB{}, usagef("colour %q (allowed: six hexadecimal digits, RRGGBB)", s)
	}
	return raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}, nil
}
