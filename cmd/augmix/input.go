package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
)

// input are the flags of what is read.
type input struct {
	InputFormat string       `group:"Input" placeholder:"FORMAT" help:"Format of IN; auto-detected by default (see augmix list formats)." yaml:"input-format"`
	Split       string       `group:"Input" placeholder:"PART" help:"Part of IN: train, test or all of a CIFAR set; train, test or val of a folder or a MedMNIST file that holds these." yaml:"split"`
	Coarse      bool         `group:"Input" help:"CIFAR-100: the 20 coarse classes." yaml:"coarse"`
	Only        []string     `group:"Input" placeholder:"PATTERN" help:"Take only samples whose key holds PATTERN, or is like it where it has * or ?; class:NAME goes by class. A comma in PATTERN is \\,." yaml:"only,omitempty"`
	Without     []string     `group:"Input" placeholder:"PATTERN" help:"Leave such samples out." yaml:"without,omitempty"`
	Classes     string       `group:"Input" placeholder:"FILE" help:"Join or rename classes: lines FROM TO; or cifar100-superclasses. Other classes are left out." yaml:"classes,omitempty"`
	Labels      string       `group:"Input" placeholder:"FILE" help:"Labels of IN: for npy and npz an .npy file, by default looked for next to the images; for a folder of images a text file, CSV or blanks, of lines FILE LABEL, or LABEL alone in the order of the files' names. A label is a number from 0 or a class name." yaml:"labels"`
	Layout      string       `group:"Input" placeholder:"LAYOUT" help:"npy, npz: nhwc or nchw, where the shape does not say." yaml:"layout"`
	Images      []string     `group:"Input" placeholder:"PATTERN" help:"Annotated images in a layout that is not known: the files below IN whose paths are like PATTERN are images (* any text, ? one character); what else lies there is carried." yaml:"images,omitempty"`
	ShardKeys   bool         `group:"Input" help:"wds: put the shard's name in front of every key, for sets that use the same names in all shards." yaml:"shard-keys"`
	Channels    channelList  `group:"Input" placeholder:"LIST" help:"npy, npz: the three channels, or the one, that are taken of arrays with any number of them, from 1 on, such as 3,2,1; the others are left out. augment, corrupt and perturb: all, each channel is a gray image of its own." yaml:"channels,omitempty"`
	Window      *data.Window `group:"Input" placeholder:"LO:HI" help:"Values of black and white, of images of more than 8 bits: PNG and TIFF of 16 bits a channel, arrays of 16 and 32 bits and floats. What lies between is linear. Such gray images and arrays are refused without it. --window=-160:240 with a negative value." yaml:"window,omitempty"`

	reading data.Reading // of the flags of commands that write images
	stream  bool         // tar files are read from front to end
	each    bool         // the command makes channels one by one
	part    string       // taken of a set with several where --split chooses none; "" asks for it
	parted  string       // the path whose part --split is known to choose
}

// stage are the flags that stages of an experiment have too.
func (f *input) stage() experiment.Input {
	return experiment.Input{
		InputFormat: f.InputFormat, Split: f.Split, Coarse: f.Coarse, Only: f.Only, Without: f.Without, Classes: f.Classes,
		Labels: f.Labels, Layout: f.Layout, Images: f.Images, ShardKeys: f.ShardKeys, Window: f.Window, Channels: f.Channels,
	}
}

func (f *input) options(a *app) formats.Options {
	f.reading.Window = f.Window
	in := f.stage()
	o := in.Options()
	o.Reading, o.Stream, o.Stdin = f.reading, f.stream, a.in
	if f.Channels.all() {
		o.Channels, o.EveryChannel = nil, true
	}
	return o
}

// checkInput refuses channels that cannot be and a part of a data set that has none.
func (f *input) checkInput(a *app, path string) error {
	if err := f.checkChannels(); err != nil {
		return err
	}
	if path == f.parted {
		return nil
	}
	if err := formats.CheckPart(path, f.options(a), "split"); err != nil {
		return err
	}
	f.parted = path
	return nil
}

// open opens a data set.
func (f *input) open(a *app, path string) (data.Source, error) {
	if f.part != "" {
		return f.openSplit(a, path, f.part)
	}
	if err := f.checkInput(a, path); err != nil {
		return nil, err
	}
	src, err := formats.Open(path, f.options(a))
	if errors.Is(err, data.ErrSplit) {
		err = fmt.Errorf("%w; say --split PART", err)
	}
	saySoft(a, path, err)
	return src, hintReading(err)
}

// saySoft says of a data set that was opened that its soft labels are not read.
func saySoft(a *app, path string, err error) {
	if name := generate.SoftLabels(path); name != "" && err == nil {
		a.say("note: %s: soft labels (%s) are not read; the label of each image counts", path, filepath.Base(name))
	}
}

// openSplit is open that takes one part of a data set with several where --split chooses none, and remembers which.
func (f *input) openSplit(a *app, path, split string) (data.Source, error) {
	if err := f.checkInput(a, path); err != nil {
		return nil, err
	}
	src, taken, err := formats.OpenSplit(path, f.options(a), split)
	saySoft(a, path, err)
	if err != nil {
		return nil, hintReading(err)
	}
	if taken != f.Split {
		a.say("%s: taking %s", path, formats.PartName(path, taken))
		f.Split = taken
	}
	return src, nil
}
