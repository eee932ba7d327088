package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/studio"
)

// studioCmd serves the page.
type studioCmd struct {
	In     string   `arg:"" optional:"" name:"DATA" help:"Data set or image to show; without, scenes that are drawn on the spot."`
	Runs   []string `placeholder:"DIR" help:"Runs to compare, as for augmix report; a directory of runs stands for all of them. Repeat for more."`
	Model  string   `placeholder:"FILE" help:"Classifier to break: a checkpoint, weights (.safetensors, .npz, .pth), an .onnx file or the folder of a run, as for augmix predict."`
	Arch   string   `placeholder:"SPEC" help:"Network of --model, where the file does not say it (see augmix list models)."`
	Norm   string   `placeholder:"NORM" help:"Normalization of --model, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B."`
	Export string   `placeholder:"FILE" help:"Write one screen into an HTML file, .html, instead, which needs no server, and replace one that is there; - is standard output."`
	Screen string   `placeholder:"STATE" help:"Screen of --export: corrupt, mix, runs, train or data, or what the page's address has after the #."`
	Static string   `placeholder:"DIR" help:"Write a site into DIR instead, which needs no server: Corrupt and Mix, computed in the browser."`
	Wasm   string   `placeholder:"FILE" help:"WebAssembly module for --static, wasm_exec.js beside it (studio.wasm beside augmix, or built by Go)."`
	Listen string   `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Address to serve at; port 0 takes a free one (${default}). The loopback alone is safe on a shared network."`

	Mixset string `placeholder:"SET" help:"Mixing set of your own for pixmix and ipmix, beside the generated ones: KIND-nN, a folder or a data set."`

	input
	frosting
}

// Help is the end of "augmix studio --help".
func (studioCmd) Help() string {
	return `WHAT IT SHOWS
  Corrupt  an image under every corruption, as severity moves; before and after, difference, spectrum
  Mix      how AugMix, PixMix and the others make an image: what was drawn, step by step
  Break it what --model sees, live; where each corruption flips it, attacks, an occlusion map
  Runs     the report of --runs, for any choice of them; the images behind a number
  Train    the curves of trainings in --runs, finished or not, and the batch that they are at
  Data     classes, sizes, unreadable files, images that nearly repeat within DATA and between its parts
  Images can be dropped and pasted. Every image has the bytes that the command makes, and the page
  copies that command, or Go or Python that does the same. The address holds all of what is seen.

A SCREEN IN A FILE
  The button Save, or --export FILE: one HTML file with the images, tables and charts of a screen,
  for a mail or an issue. It needs no network and runs no script; Runs gives the file of augmix
  report. --screen says what is shown, as the page's address does after its #. Break it is not saved.

A SITE WITHOUT A SERVER
  --static DIR writes the screens Corrupt and Mix for any file server, under any path. The images
  are computed in the browser, by the program as WebAssembly, with the bytes of the commands; those
  that visitors open stay on their machines. Data is drawn scenes. The module, 6.0 MB, is
  studio.wasm beside augmix, with wasm_exec.js, or the file --wasm; else Go builds it, in a
  checkout of augmix or a module that uses it.

SAFETY
  The page is served at 127.0.0.1 under an address with a random word, which it prints; requests
  without it, of other pages and under other host names are refused. It loads nothing from elsewhere,
  and writes no file. Ctrl-C stops it.

EXAMPLES
  augmix studio
  augmix studio photos --labels labels.csv --without blurred
  augmix studio data/imagenet --only class:n01440764 --mixset paintings
  augmix studio data/cifar-10-batches-bin --runs runs/standard --runs runs/augmix
  augmix studio scenes:n=500,size=32,split=test --model quickstart/augmix/best.safetensors
  augmix studio photos --model resnet50.npz --arch resnet50 --norm imagenet
  augmix studio --runs quickstart --listen 127.0.0.1:8080
  augmix studio photos --export fog.html --screen 'corrupt?image=d3&name=fog&severity=4'
  augmix studio --export mix.html --screen mix
  augmix studio --static site`
}

// Run serves until it is interrupted.
func (c *studioCmd) Run(a *app) error {
	o := studio.Options{
		Data: c.In, Input: c.options(a), Mixset: c.Mixset, Runs: c.Runs, Model: c.Model, Arch: c.Arch, FrostDir: c.FrostDir, Version: build().Version,
		Message: func(err error) string { return plain(err).Error() },
	}
	switch {
	case c.Static != "" && (c.Model != "" || len(c.Runs) > 0 || c.FrostDir != "" || c.Mixset != "" || c.chooses()):
		return usagef("--static shows drawn scenes and what its visitors open, not --model, --runs, --frost-dir, --mixset and a choice of samples")
	case c.Static != "" && c.reads():
		return usagef("--static shows drawn scenes (allowed of the flags of input: --split; not --channels, --coarse, --images, " +
			"--input-format, --layout, --shard-keys and --window)")
	case c.Static != "" && c.Export != "":
		return usagef("--static and --export are two outputs (allowed: one)")
	case c.Screen != "" && c.Export == "":
		return usagef("--screen is for --export FILE")
	case c.Wasm != "" && c.Static == "":
		return usagef("--wasm is for --static DIR")
	case c.Model == "" && c.Arch+c.Norm != "":
		return usagef("--arch and --norm are for --model FILE")
	}
	var err error
	if o.Norm, err = experiment.ParseNorm(c.Norm); err != nil {
		return err
	}
	if err := c.checkInput(a, c.In); err != nil {
		return err
	}
	if c.FrostDir != "" {
		if o.Frost, err = c.textures(a); err != nil {
			return err
		}
	}
	s, err := studio.New(o)
	switch {
	case errors.Is(err, eval.ErrNoNetwork):
		return usageError{fmt.Errorf("%w; say it (--arch, see augmix list models)", err)}
	case errors.Is(err, eval.ErrNoNorm):
		return usageError{fmt.Errorf("%w; say it (--norm)", err)}
	case err != nil:
		return hintReading(err)
	}
	if c.Static != "" || c.Export != "" {
		defer s.Close() // which only reads
		if c.Static != "" {
			return c.site(a, s)
		}
		return c.export(a, s)
	}
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		_ = s.Close()
		return usagef("--listen %s: %w (allowed: HOST:PORT of this machine, port 0 for a free one)", c.Listen, err)
	}
	s.Bind(l.Addr())
	if at, ok := l.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		a.say("--listen %s: whoever can reach this address and knows the word in it sees the data; it is sent unencrypted", c.Listen)
	}
	a.say("the page, until Ctrl-C:")
	if _, err := fmt.Fprintln(a.out, s.URL()); err != nil {
		_ = l.Close()
		_ = s.Close()
		return err
	}
	err = s.Run(a.ctx, l)
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// checkExport refuses a file of --export that is no page by its name, or that is among those that are read.
func (c *studioCmd) checkExport(s *studio.Server) error {
	if c.Export == formats.Standard {
		return nil
	}
	switch strings.ToLower(filepath.Ext(c.Export)) {
	case ".html", ".htm":
	default:
		return usagef("--export %s: a screen is an HTML file (allowed: a name that ends in .html or .htm, or -)", c.Export)
	}
	reads := slices.Concat(s.Files(), mixset.Paths(c.Mixset), c.Runs, []string{c.Labels, c.Classes, c.Model})
	reads = slices.DeleteFunc(reads, func(name string) bool { // an HTML file is no part of a folder that is read
		st, err := os.Stat(name)
		return err != nil || st.IsDir()
	})
	if err := generate.CheckApart(c.Export, reads...); err != nil {
		return err
	}
	if err := studio.CheckExport(c.Export); errors.Is(err, studio.ErrRequest) {
		return usageError{fmt.Errorf("--export: %w", err)}
	} else if err != nil {
		return err
	}
	return nil
}

// export writes the file of --export.
func (c *studioCmd) export(a *app, s *studio.Server) error {
	if err := c.checkExport(s); err != nil {
		return err
	}
	file, err := s.Export(a.ctx, c.Screen)
	if errors.Is(err, studio.ErrRequest) {
		return usagef("--screen %s: %w", c.Screen, err)
	}
	if err != nil {
		return err
	}
	if c.Export == formats.Standard {
		_, err = a.out.Write(file)
		return err
	}
	if err := data.WriteFileAtomic(c.Export, file); err != nil {
		return err
	}
	a.say("%s: %.1f MB", c.Export, float64(len(file))/1e6)
	return nil
}

// site writes the site of --static.
func (c *studioCmd) site(a *app, s *studio.Server) error {
	if err := s.WriteStatic(a.ctx, c.Static, c.Wasm); err != nil {
		return err
	}
	a.say("%s: a site for any file server, such as: python3 -m http.server --directory %[1]s", c.Static)
	return nil
}

// chooses reports whether a part of DATA is asked for by its samples.
func (c *studioCmd) chooses() bool {
	return len(c.Only)+len(c.Without) > 0 || c.Classes != "" || c.Labels != ""
}

// reads reports whether flags say how files of DATA are read.
func (c *studioCmd) reads() bool {
	return len(c.Channels)+len(c.Images) > 0 || c.Window != nil || c.Layout != "" || c.InputFormat != "" || c.Coarse || c.ShardKeys
}
