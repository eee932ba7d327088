package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/train"
)

// exportCmd writes a trained network for other programs.
type exportCmd struct {
	File string `arg:"" name:"MODEL" help:"Checkpoint or weights: .safetensors, .npz, .pth, an .onnx file of this command, or the folder of a run."`
	Out  string `short:"o" required:"" placeholder:"OUT" help:"File to write: .onnx for ONNX Runtime and others, .safetensors for PyTorch and others."`

	Model     string `group:"Model" placeholder:"SPEC" help:"Network of MODEL, where the file does not say it (see augmix list models)."`
	Norm      string `group:"Model" placeholder:"NORM" help:"Normalization, where the file does not say it: half, imagenet, unit, or R,G,B/R,G,B."`
	InputSize int    `group:"Model" placeholder:"N" help:"Height and width of images, in place of what the file says, or what the network was published for."`
	Condense  bool   `group:"Model" help:"Write the converted form of a CondenseNet: grouped convolutions over the channels that training left."`
	Opset     int    `group:"ONNX" default:"13" placeholder:"N" help:"Operator set, 13 to 17 (${default})."`
	Batch     int    `group:"ONNX" placeholder:"N" help:"Fix the number of images of a call (any)."`
}

// Help is the end of "augmix export --help".
func (exportCmd) Help() string {
	return `WHAT IS WRITTEN
  onnx         the network for inference; input "input" [N, 3, H, W], normalized; output logits. The
               normalization, the network's name, the classes' names and how images were prepared are in
               the file's metadata, by which augmix eval and predict run it
               Of an EDSR (augmix superres): input [N, 3, H, W], of any size, output "image", values up
               to augmix.white of the metadata
  safetensors  the weights alone, without the optimizer's state, under PyTorch's names

IN PYTORCH
  from safetensors.torch import load_file
  from torchvision.models import resnet18
  net = resnet18(num_classes=10)
  net.load_state_dict(load_file("net.safetensors"))

  The module's class comes from torchvision for resnet18 to resnext101, densenet121 to densenet201,
  alexnet, vgg and squeezenet; from github.com/akamaster/pytorch_resnet_cifar10 (resnet.py) for
  resnet20 to resnet1202; and from github.com/google-research/augmix (models/cifar, third_party)
  for allconv, densenet, resnext29 and wrn. Images are RGB in [0, 1], normalized by augmix.mean and
  augmix.std of the file's metadata.

EXAMPLES
  augmix export runs/augmix/best.safetensors -o augmix.onnx
  augmix export runs/condensenet/model.safetensors --condense -o condensed.safetensors
  augmix export resnet20.npz --model resnet20 --norm imagenet -o resnet20.safetensors`
}

func (c *exportCmd) checkONNX() error {
	if c.Opset < onnx.LeastOpset || c.Opset > onnx.GreatestOpset || c.Batch < 0 {
		return usagef("--opset %d --batch %d (allowed: %d to %d, 0 and up)", c.Opset, c.Batch, onnx.LeastOpset, onnx.GreatestOpset)
	}
	return nil
}

type exportResult struct {
	Out        string `json:"out"`
	Model      string `json:"model"`
	Parameters int64  `json:"parameters"`
	Bytes      int    `json:"bytes"`
}

// Run writes the file.
func (c *exportCmd) Run(ctx *kong.Context, a *app) error {
	toONNX := strings.EqualFold(filepath.Ext(c.Out), ".onnx")
	if err := checkEffect(ctx, effect{[]string{"opset", "batch"}, toONNX, "an .onnx file to write"}); err != nil {
		return err
	}
	var err error
	if c.File, err = train.WeightsOf(c.File); err != nil {
		return usageError{err}
	}
	if why := train.Outdated(c.File); why != "" {
		a.say("note: %s: %s", c.File, why)
	}
	if err := generate.CheckApart(c.Out, c.File); err != nil { // a checkpoint would lose its optimizer
		return err
	}
	if done, err := c.enlarger(a); done || err != nil {
		return err
	}
	norm, err := experiment.ParseNorm(c.Norm)
	if err != nil {
		return err
	}
	n, err := eval.LoadNetwork(c.File, eval.LoadOptions{Model: c.Model, H: c.InputSize, W: c.InputSize, Norm: norm})
	if err != nil {
		return withFlag(err)
	}
	if c.Condense {
		if n, err = n.Condensed(); err != nil {
			return usageError{fmt.Errorf("%s: %w", c.File, err)}
		}
	}
	info := n.Info()
	info.Version = build().Version
	var b bytes.Buffer
	switch ext := strings.ToLower(filepath.Ext(c.Out)); ext {
	case ".onnx":
		if err := c.checkONNX(); err != nil {
			return err
		}
		err = onnx.Export(&b, n.Graph, n.Weights(), onnx.Options{
			Batch: c.Batch, Opset: c.Opset, Version: info.Version, Metadata: info.Metadata(),
		})
	case ".safetensors":
		err = weights.Write(&b, n.Weights(), info.Metadata())
	default:
		return usagef("-o %s: no format has this name (allowed: .onnx, .safetensors)", c.Out)
	}
	if err != nil {
		return err
	}
	return c.write(a, n.Graph, b.Bytes())
}

// write writes the file and says so.
func (c *exportCmd) write(a *app, g *graph.Graph, content []byte) error {
	if err := data.WriteFileAtomic(c.Out, content); err != nil {
		return err
	}
	r := exportResult{c.Out, g.Name, g.Parameters(), len(content)}
	if a.JSON {
		return a.print(r, func(io.Writer) {})
	}
	a.say("%s: %s, %d parameters, %s", r.Out, r.Model, r.Parameters, progress.Size(int64(r.Bytes)))
	return nil
}
