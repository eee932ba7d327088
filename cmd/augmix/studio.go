package main

import (
	"fmt"
	"net"

	"github.com/augmix-go/augmix/studio"
)

// studioCmd serves the page.
type studioCmd struct {
	In     string   `arg:"" optional:"" name:"DATA" help:"Data set or image to show; without, scenes that are drawn on the spot."`
	Runs   []string `placeholder:"DIR" help:"Runs to compare, as for augmix report; a directory of runs stands for all of them. Repeat for more."`
	Model  string   `placeholder:"FILE" help:"Classifier to break: a checkpoint, weights (.safetensors, .npz, .pth) or an .onnx file, as for augmix predict."`
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
  augmix studio --runs quickstart --listen 127.0.0.1:8080`
}

// Run serves until it is interrupted.
func (c *studioCmd) Run(a *app) error {
	o := studio.Options{
		Data: c.In, Input: c.options(a), Mixset: c.Mixset, Runs: c.Runs, Model: c.Model, FrostDir: c.FrostDir, Version: build().Version,
		Message: func(err error) string { return plain(err).Error() },
	}
	if c.FrostDir != "" {
		var err error
		if o.Frost, err = c.textures(a); err != nil {
			return err
		}
	}
	s, err := studio.New(o)
	if err != nil {
		return err
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
