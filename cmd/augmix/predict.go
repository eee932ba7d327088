package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/terminal"
)

// predictCmd asks a model what images show. Its flags are the keys of experiment.Predict.
type predictCmd struct {
	File string   `arg:"" name:"MODEL" yaml:"file" help:"Checkpoint or weights (.safetensors, .npz, .pth), an .onnx file, or the folder of a training run."`
	In   []string `arg:"" name:"IMAGE" yaml:"in" help:"Image files, or data sets of any format; labels are not looked at."`
	Top  int      `group:"Output" short:"k" default:"5" placeholder:"N" help:"Classes of each image (${default})."`
	CSV  bool     `group:"Output" name:"csv" help:"Print CSV: image, rank, class, name, probability."`

	Limit      int    `group:"Input" placeholder:"N" help:"Use N images of each data set only, evenly spread."`
	Model      string `group:"Model" placeholder:"SPEC" help:"Network of MODEL, where the file does not say it (see augmix list models)."`
	Norm       string `group:"Model" placeholder:"NORM" help:"Normalization, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B."`
	Preprocess string `group:"Model" placeholder:"SPEC" help:"What images go through before the model, such as clahe; none for nothing. By default as in training."`
	InputSize  int    `group:"Model" placeholder:"N" help:"Height and width of the network's images, in place of what the file says, or what the network was published for."`
	TenCrop    bool   `group:"Model" help:"Average over ten crops of each image, see augmix eval."`
	Ort        string `group:"Model" placeholder:"FILE" help:"ONNX Runtime's library for .onnx files of other programs."`

	preparing
	input
	workers
}

// Help is the end of "augmix predict --help".
func (predictCmd) Help() string {
	return `WHAT IS DONE TO IMAGES
  Without --size and --crop what the model's file says of the validation of its training; where it
  does not say it, the shorter side is resized to the model's and the middle cropped.
  Probabilities are the softmax of the logits. Classes without names are numbers, from 0.

EXAMPLES
  augmix predict runs/a/best.safetensors cat.jpg
  augmix predict runs/a/best.onnx photos --top 1 --csv
  augmix predict runs/b/best.safetensors sentinel.npy --channels 4,3,2 --window 0:3000
  augmix predict resnet50.npz cat.jpg --model resnet50 --norm imagenet --size 256 --crop 224 --json`
}

// prediction is the JSON form of what is said of one image.
type prediction struct {
	Image string           `json:"image"`
	Top   []predictedClass `json:"top"`
}

type predictedClass struct {
	Class       int     `json:"class"`
	Name        string  `json:"name"`
	Probability float64 `json:"probability"`
}

// Run predicts.
func (c *predictCmd) Run(ctx *kong.Context, a *app) error {
	for _, in := range c.In {
		if err := c.checkInput(a, in); err != nil {
			return err
		}
	}
	if c.Top < 1 {
		return usagef("--top %d (allowed: 1 and up)", c.Top)
	}
	if a.JSON && c.CSV {
		return usagef("--json with --csv (allowed: one of them)")
	}
	p := experiment.Predict{File: c.File, In: c.In, ORT: c.Ort, Workers: c.Workers, Say: a.say}
	setOptions(&p, ctx, false)
	p.Stdin = a.in
	var all []prediction
	err := p.Run(a.ctx, func(one *eval.Prediction) error {
		said := prediction{Image: one.Image}
		for _, t := range one.Top {
			said.Top = append(said.Top, predictedClass(t))
		}
		all = append(all, said)
		return nil
	})
	if err != nil {
		return withFlag(err)
	}
	if c.CSV {
		cell := terminal.CSV
		if a.shown {
			cell = func(name string) string { return terminal.OneLine(terminal.CSV(name)) }
		}
		return writePredictions(a.out, all, cell)
	}
	return a.print(all, func(w io.Writer) {
		for _, one := range all {
			fmt.Fprintf(w, "%s\n", terminal.OneLine(one.Image))
			for _, t := range one.Top {
				fmt.Fprintf(w, "  %6.2f %%  %s\n", 100*t.Probability, terminal.OneLine(t.Name))
			}
		}
	})
}

// writePredictions writes a line for each class of each image. cell makes a cell of a name.
func writePredictions(w io.Writer, all []prediction, cell func(name string) string) error {
	out := csv.NewWriter(w)
	err := out.Write([]string{"image", "rank", "class", "name", "probability"})
	for _, one := range all {
		for i, t := range one.Top {
			err = errors.Join(err, out.Write([]string{
				cell(one.Image), strconv.Itoa(i + 1), strconv.Itoa(t.Class), cell(t.Name),
				strconv.FormatFloat(t.Probability, 'g', 6, 64),
			}))
		}
	}
	out.Flush()
	return errors.Join(err, out.Error())
}
