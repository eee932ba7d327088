package main

import (
	"os"
	"strings"

	"github.com/augmix-go/augmix/generate"
)

// preparing are the flags of what is done to images before they are corrupted or perturbed.
type preparing struct {
	Size   int    `group:"Input" placeholder:"N" help:"First resize the shorter side to N pixels." yaml:"size"`
	Crop   int    `group:"Input" placeholder:"N" help:"Then crop the middle N x N. A smaller image is padded with black." yaml:"crop"`
	Filter string `group:"Input" enum:"box,bilinear,bicubic,lanczos" default:"bilinear" help:"Of the resize: box, bilinear, bicubic or lanczos (${default})." yaml:"filter"`
}

const mostSide = 1 << 14

func (f *preparing) check() error {
	if f.Size < 0 || f.Size > mostSide || f.Crop < 0 || f.Crop > mostSide {
		return usagef("--size %d --crop %d (allowed: 1 to %d)", f.Size, f.Crop, mostSide)
	}
	return nil
}

// side returns the shorter side of images as they are prepared, where the flags say it, otherwise by asking for that of the first.
func (f *preparing) side(first func() (w, h int, err error)) (int, error) {
	switch {
	case f.Crop > 0:
		return f.Crop, nil
	case f.Size > 0:
		return f.Size, nil
	}
	w, h, err := first()
	return min(w, h), err
}

// sharding is the flag that divides a run.
type sharding struct {
	Shard string `group:"Running" placeholder:"I/N" help:"Do the I-th of N parts of IN only, I from 0; auto or auto/N: the part that a cluster's scheduler says. See SHARDS below."`
}

// shard returns the flag's part, all of IN without the flag: tasks of an array may well differ in another flag, such as --seed, so
// that only auto asks the scheduler.
func (f *sharding) shard(a *app) (generate.Shard, error) {
	switch {
	case f.Shard == "":
		return generate.Shard{}, nil
	case f.Shard != "auto" && !strings.HasPrefix(f.Shard, "auto/"):
		return generate.ParseShard(f.Shard)
	}
	sh, from, err := generate.AutoShard(f.Shard, os.Getenv)
	if err != nil {
		return sh, usagef("%w; say --shard I/N, or --shard 0/1 for all of IN", err)
	}
	a.say("part %s, from %s in the environment", sh, from)
	return sh, nil
}
