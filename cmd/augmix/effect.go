package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// effect is what flags need to have an effect.
type effect struct {
	flags []string
	has   bool
	needs string
}

// checkEffect returns an error where a flag on the command line has a value, not its default, to which nothing looks. Those of --config
// may be for other outputs, and other commands.
func checkEffect(ctx *kong.Context, effects ...effect) error {
	return refuseIdle(ctx, true, effects)
}

// checkIdle is checkEffect that refuses default values too: who types one wants what it is of.
func checkIdle(ctx *kong.Context, effects ...effect) error {
	return refuseIdle(ctx, false, effects)
}

func refuseIdle(ctx *kong.Context, defaults bool, effects []effect) error {
	for _, f := range typedFlags(ctx) {
		value := flagText(f.Target)
		if defaults && (value == f.Default || f.Default == "" && f.Target.IsZero()) {
			continue
		}
		for _, e := range effects {
			if !e.has && slices.Contains(e.flags, f.Name) {
				if f.IsBool() {
					value = ""
				}
				return usagef("--%s has no effect (it needs %s)", strings.TrimSpace(f.Name+" "+value), e.needs)
			}
		}
	}
	return nil
}

// inputFlags returns the names of the command's flags of what is read.
func inputFlags(ctx *kong.Context) (names []string) {
	for _, f := range ctx.Flags() {
		if f.Group != nil && f.Group.Key == "Input" {
			names = append(names, f.Name)
		}
	}
	return names
}

// imageEffects are those of the flags of how image files are written, in an output of a format at path; images: what --image is.
func imageEffects(format, path, image string) []effect {
	files := format == "folder" || format == "wds"
	jpeg, png := files && image == "jpeg", files && image == "png"
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case format == generate.FormatTree: // by the file that each image was
		jpeg = true
	case format != fileFormat:
	case path == formats.Standard:
		files, jpeg, png = true, image == "jpeg", image == "png"
	default:
		jpeg, png = ext == ".jpg" || ext == ".jpeg", ext == ".png"
	}
	return []effect{
		{[]string{"image"}, files, "an output of the format folder or wds"},
		{[]string{"quality"}, jpeg, "JPEG files to write"},
		{[]string{"png"}, png, "PNG files to write"},
		{[]string{"per-shard"}, format == "wds", "an output of the format wds"},
	}
}

// effects are those of the flags of how images are prepared.
func (f *preparing) effects() []effect {
	return []effect{{[]string{"filter"}, f.Size > 0, "--size"}}
}

// ofCorruptions are the effects of the flags of some of the corruptions, those in names being made.
func ofCorruptions(names []string) []effect {
	return []effect{
		{[]string{"frost-dir"}, slices.Contains(names, "frost"), "the corruption frost"},
		{[]string{"bar-profile"}, transform.AsksBar(names), "corruptions of cbar"},
	}
}

// drawn are the effects of the flags of what is drawn.
func (c *augmentCmd) drawn(plan *transform.Pipeline, spec mix.Spec) []effect {
	return []effect{
		{[]string{"filter"}, plan.Size > 0 || plan.Crop.Kind == transform.ResizedCrop, "--size or --crop rrc:N"},
		{[]string{"fill"}, len(plan.Ops) > 0 || plan.Shared > 0, "--op, or --geometry shared"},
		{[]string{"mixset-cache"}, spec.NeedsMixingSet(), "a mix that mixes images in, as pixmix and ipmix do"},
	}
}

// effects are those of the flags for an output at path, in a format.
func (f *output) effects(path, format string) []effect {
	parts := []string{"cifar10", "cifar100", formats.MedMNIST, "npz"} // an .npz file may be in MedMNIST's layout
	return append(imageEffects(format, path, f.Image),
		effect{[]string{"output-split"}, slices.Contains(parts, format), "an output of the format cifar10, cifar100 or medmnist"},
		effect{[]string{"deflate"}, format == "npz" || format == formats.MedMNIST, "an output of the format npz or medmnist"},
	)
}

// effects are those of the flags for an output of the run.
func (e *expansion) effects(image string) []effect {
	return append(imageEffects(e.bench.Format, e.path, image),
		effect{[]string{"carry"}, e.bench.Format == generate.FormatTree, "an output of the format tree"})
}
