package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/internal/cluster"
)

// clusterCmd prints job files.
type clusterCmd struct {
	Scheduler string   `arg:"" enum:"slurm,k8s,awsbatch" help:"slurm, k8s or awsbatch."`
	Command   []string `arg:"" passthrough:"" name:"CMD" help:"A command of this program with all its flags: corrupt IN -o OUT ..."`

	Tasks  int    `default:"8" placeholder:"N" help:"Parts (${default}); 1 is no array. corrupt, perturb and augment can be divided."`
	CPUs   int    `name:"cpus" default:"4" help:"Cores of a task (${default})."`
	Memory int    `default:"8192" placeholder:"MIB" help:"Memory of a task in MiB (${default})."`
	Hours  int    `default:"24" help:"Limit of a task (${default})."`
	Name   string `placeholder:"NAME" help:"Name of the job (augmix-CMD)."`
	Image  string `default:"ghcr.io/augmix-go/augmix" help:"Container of the tasks (${default}); not for slurm."`
}

// Help is the end of "augmix cluster --help".
func (clusterCmd) Help() string {
	return `WHAT IT PRINTS
  A commented job file, ready to submit: an array of tasks that do a part each (--shard auto/N), with
  resources, and what to do by exit status: 1 and 130 are tried again, three times; 2 (wrong command
  line) and 3 (done, some inputs rejected) are not. Tasks may be killed, run twice or late, on any node:
  what is complete is not done again, and the last to end joins the parts to the bytes of one run. The
  joining step in the file does it where that could not. Without a common disk, IN and OUT are s3://.
  Flags of the cluster stand before CMD. train gets --resume, so that a second try resumes.

EXAMPLES
  augmix cluster slurm corrupt imagenet/val -o ImageNet-C --size 256 --crop 224 > job.sh
  augmix cluster k8s --tasks 64 corrupt s3://data/val -o s3://out/val-C --output-format wds > job.yaml
  augmix cluster awsbatch --tasks 16 perturb s3://data/val -o s3://out/ImageNet-P --crop 224 > job.sh
  augmix cluster slurm --tasks 1 --cpus 16 train --data cifar10 --model wrn-40-2 -o run > job.sh`
}

// Run prints.
func (c *clusterCmd) Run(a *app) error {
	if a.JSON {
		return usagef("--json: a job file is a script or YAML, and no JSON (allowed: without)")
	}
	args := withArguments(customary(c.Command))
	parsed, err := newParser(&cli{}, args, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard)).Parse(args)
	if err != nil {
		return usagef("augmix %s: %w", strings.Join(c.Command, " "), err)
	}
	if err := checkPlaces(parsed); err != nil {
		return err
	}
	command := slices.Clone(c.Command)
	out, workers := "", false
	for _, f := range parsed.Selected().Flags {
		switch f.Name {
		case "workers":
			workers = !f.Set
		case "out":
			out, _ = parsed.FlagValue(f).(string)
		case "resume":
			if command[0] == "train" && !f.Set {
				command = append(command, "--resume")
			}
		case "shard":
			if s, _ := parsed.FlagValue(f).(string); s != "" {
				return usagef("--shard %s (allowed: none; the job file says it)", s)
			}
		}
	}
	if err := c.divide(parsed); err != nil {
		return err
	}
	name := c.Name
	if name == "" {
		name = "augmix-" + strings.ReplaceAll(parsed.Selected().Path(), " ", "-")
	}
	text, err := cluster.Write(c.Scheduler, cluster.Job{
		Name: name, Args: command, Out: out, Tasks: c.Tasks, CPUs: c.CPUs, Memory: c.Memory, Hours: c.Hours, Image: c.Image,
		Shared: namesLocal(parsed), Workers: workers,
	})
	if err != nil {
		return usageError{err}
	}
	_, err = io.WriteString(a.out, text)
	return err
}

// divided is a command that --shard divides.
type divided interface {
	// divide gives the command its part, which is said by the scheduler, and returns the error with which every part would end, as far as
	// the flags say it.
	divide(shard string) error
}

// divide refuses a command of which no task would do its part.
func (c *clusterCmd) divide(parsed *kong.Context) error {
	if c.Tasks <= 1 {
		return nil
	}
	command := parsed.Selected()
	d, ok := command.Target.Addr().Interface().(divided)
	if !ok {
		return usagef("augmix %s is not divided into parts (allowed: --tasks 1)", command.Path())
	}
	if err := d.divide(fmt.Sprintf("auto/%d", c.Tasks)); err != nil {
		return usagef("augmix %s in %d tasks: %w (with --tasks 1 it is one run)", command.Path(), c.Tasks, err)
	}
	return nil
}
