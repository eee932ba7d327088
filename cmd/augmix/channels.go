package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/transform"
)

// channelList are channels from 1 on, or 0 alone for all.
type channelList []int

// UnmarshalText reads numbers, or all.
func (l *channelList) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		*l = channelList{0}
		return nil
	}
	*l = nil
	for item := range strings.SplitSeq(string(text), ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 1 {
			return fmt.Errorf("channel %q (allowed: numbers from 1 on, or all)", item)
		}
		*l = append(*l, n)
	}
	return nil
}

// MarshalText returns the form that UnmarshalText reads.
func (l channelList) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

func (l channelList) String() string {
	if l.all() {
		return "all"
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]int(l)), "[]"), " ", ",")
}

func (l channelList) all() bool { return len(l) == 1 && l[0] == 0 }

// checkChannels returns an error where all channels are asked of a command that does not make them one by one.
func (f *input) checkChannels() error {
	if f.Channels.all() && !f.each {
		return usagef("--channels all goes with augmix augment, corrupt and perturb (allowed: three channels, or one)")
	}
	return nil
}

// checkColorOnly returns an error where every channel is to be an image of its own and one of the corruptions needs those of a color.
// such is a flag with names that are allowed.
func (f *input) checkColorOnly(names []string, such string) error {
	for _, name := range names {
		if f.Channels.all() && slices.Contains(transform.ColorOnly, name) {
			return usagef("--channels all: %s mixes the channels of a color (allowed: %s, and others but for %s)", name, such,
				strings.Join(transform.ColorOnly, ", "))
		}
	}
	return nil
}

// graying are the flags of what becomes of images that are not of three channels.
type graying struct {
	Alpha string `group:"Input" enum:"drop,keep,refuse" default:"drop" placeholder:"RULE" help:"What becomes of transparency in PNG, WebP and TIFF files: drop (the default), the stored colors stay, and commands that write images say of how many; keep (not for feed and stream), PNG files are written with an alpha channel that is resized, cropped and flipped as the image; or refuse, an image with transparent pixels is an input that cannot be read." yaml:"alpha"`

	Gray bool `group:"Input" help:"Gray images stay gray: one channel in (JPEG, PNG, TIFF, arrays of [N,H,W] and [N,H,W,1]), one channel out (JPEG, PNG, [N,H,W]), but in the batches of feed three equal ones. Without, they become color images." yaml:"gray,omitempty"`
}

// grayForms is the flag of commands that show images to a network.
type grayForms struct {
	Gray bool `group:"Input" help:"What is made of gray images is gray again, in three equal channels, as augmix augment and corrupt --gray write it. Without, it may be colored."`
}

// reading is how the flags have samples read.
func (f *graying) reading() data.Reading {
	return data.Reading{Gray: f.Gray, Opaque: f.Alpha == "refuse", KeepAlpha: f.Alpha == "keep"}
}

// checkAlpha returns an error where alpha channels are to be kept and an output of the format at path cannot hold them.
func (f *graying) checkAlpha(format, path string, jpeg bool) error {
	holds := !jpeg
	switch format {
	case generate.FormatTree:
		holds = true // by each file's name
	case fileFormat:
		holds = path == formats.Standard && !jpeg || strings.EqualFold(filepath.Ext(path), ".png")
	case "folder", "wds":
	default:
		holds, jpeg = false, false
	}
	if f.Alpha != "keep" || holds {
		return nil
	}
	if jpeg {
		format += " of JPEG files"
	}
	return usagef("--alpha keep: the output, %s, cannot hold alpha channels (allowed: folder, wds and file, of PNG files; tree)", format)
}

// warnAlpha says which of the operations and corruptions of those names move pixels under alpha channels that stay.
func (f *graying) warnAlpha(a *app, moving []string) {
	if f.Alpha == "keep" && len(moving) > 0 {
		a.say("warning: alpha channels stay where they are, and pixels move with %s", strings.Join(moving, ", "))
	}
}

// hintReading adds the option to an error about a window, channels, or the keys of shards.
func hintReading(err error) error {
	switch {
	case errors.Is(err, data.ErrWindow):
		return fmt.Errorf("%w\n(--window LO:HI says which values are black and white)", err)
	case errors.Is(err, data.ErrChannels):
		return fmt.Errorf("%w\n(--channels LIST says which are taken, such as 3,2,1)", err)
	case errors.Is(err, data.ErrSharedKeys):
		return fmt.Errorf("%w\n(--shard-keys puts the shard's name in front of every key)", err)
	}
	return err
}

// inGray returns src with gray images that stay gray in an output of MedMNIST's layout, where src is of arrays, which hold one kind.
// Elsewhere gray and color can be mixed, and --gray says that they are not.
func (f *input) inGray(src data.Source) data.Source {
	if !slices.Contains([]string{formats.MedMNIST, "npy", "npz"}, src.Info().Format) {
		return src
	}
	r := f.reading
	r.Gray = true
	return r.Of(src)
}
