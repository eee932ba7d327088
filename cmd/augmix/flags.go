package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/transform"
)

// A command's struct is its flags and, written as YAML, its args.yaml: fields that the output does not depend on are
// left out of the latter.

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

// complete opens the textures for a plan that has frost.
func (f *frosting) complete(a *app, plan *transform.Corruptions) (err error) {
	if slices.Contains(plan.Names, "frost") {
		plan.Frost, err = f.textures(a)
	}
	return err
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
	if text, err = generate.EncodeArgs(command, options); err != nil {
		return nil, nil, err
	}
	if list, err = generate.ReadOptions(text); err != nil {
		return nil, nil, err
	}
	built := build()
	version := strings.TrimSpace(built.Version + " " + built.Commit)
	list = append(list, generate.Option{Name: "command", Value: command}, generate.Option{Name: "version", Value: version})
	slices.SortFunc(list, func(a, b generate.Option) int { return strings.Compare(a.Name, b.Name) })
	return text, list, nil
}

// parseColor reads RRGGBB.
func parseColor(s string) (raster.RGB, error) {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 6 {
		return raster.RGB{}, usagef("color %q (allowed: six hexadecimal digits, RRGGBB)", s)
	}
	return raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}, nil
}
