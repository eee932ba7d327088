package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/sheet"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// Exit codes of every command.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitRejected    = 3 // done, but some inputs were rejected
	exitInterrupted = 130
)

var (
	// errInterrupted is the cause of a context that a signal canceled.
	errInterrupted = errors.New("interrupted")
	// errRejected: the work is done, without some of the inputs, which were listed.
	errRejected = errors.New("some inputs were rejected")
)

// usageError is an error of the command line's text: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// streams are what a command reads from and writes to: data on out, talk on err.
type streams struct {
	in       io.Reader
	out, err io.Writer
	color    bool // err is a terminal that may show colors
	shown    bool // out is a terminal
}

func standardStreams() streams {
	return streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		color: os.Getenv("NO_COLOR") == "" && progress.IsTerminal(os.Stderr),
		shown: progress.IsTerminal(os.Stdout),
	}
}

// common are the flags that every command has. Limits do not change what is made of an image, so that args.yaml leaves
// them out.
type common struct {
	JSON    bool       `help:"Write results as JSON on standard output." json:"-" yaml:"-"`
	Quiet   bool       `short:"q" xor:"talk" help:"Say nothing but errors and the results that are asked for." yaml:"-"`
	Verbose bool       `short:"v" xor:"talk" help:"Say more." yaml:"-"`
	Config  configFile `placeholder:"FILE" help:"Take flags and arguments from a YAML file, such as the args.yaml of an earlier run; what is given here wins." yaml:"-"`

	MaxPixels int            `placeholder:"N" help:"Largest image accepted, in pixels, up to 268435456 (134217728)." yaml:"-"`
	MaxMemory terminal.Bytes `placeholder:"SIZE" help:"Memory of all images in decoding together, with what corruptions of them take, such as 512M (6G)." yaml:"-"`
}

// app is what a command works with.
type app struct {
	streams
	common
	ctx   context.Context
	names naming // of the command's options

	glances map[string]string // digests of sets of images by their specs
}

// cli is the command line: one field for each command, each in a file of its own.
type cli struct {
	common

	Quickstart quickstartCmd `cmd:"" help:"See the whole loop in minutes: train three networks, corrupt, evaluate, compare."`
	Run        runCmd        `cmd:"" help:"From data to report: train every method of a recipe, evaluate, compare."`
	Augment    augmentCmd    `cmd:"" help:"Augment a data set: AugMix, PixMix and other methods, single operations, crops and flips."`
	Mixset     mixsetCmd     `cmd:"" help:"Generate images for PixMix and IPMix to mix in: fractals and others, by kind and seed."`
	Train      trainCmd      `cmd:"" help:"Train a classifier: any augmentation, the Jensen-Shannon consistency loss, the papers' recipes."`
	Superres   superresCmd   `cmd:"" help:"Train a network that enlarges images, for the mix deepaugment."`
	Stream     streamCmd     `cmd:"" help:"Order corrupted images into a stream for test-time adaptation: continual, gradual, mixed, correlated, walks."`
	Corrupt    corruptCmd    `cmd:"" help:"Make the -C or -C-bar form of a data set: every corruption at every severity."`
	Perturb    perturbCmd    `cmd:"" help:"Make the -P form of a data set: sequences of frames that change a little."`
	Feed       feedCmd       `cmd:"" help:"Feed a training loop of any framework: batches for the program that starts this one."`
	Eval       evalCmd       `cmd:"" help:"Measure a model on a test set, its corrupted and perturbed forms, under attack and for OOD detection."`
	Predict    predictCmd    `cmd:"" help:"Say what a model sees in images: the most probable classes."`
	Export     exportCmd     `cmd:"" help:"Write a network as ONNX or safetensors for other programs."`
	Score      scoreCmd      `cmd:"" help:"Score saved predictions: errors, mCE, calibration, OOD detection, stability."`
	Report     reportCmd     `cmd:"" help:"Make a report of runs: the papers' tables beside yours, figures, differences."`
	Sheet      sheetCmd      `cmd:"" help:"Draw a contact sheet of what the augmentations do to an image."`
	Cluster    clusterCmd    `cmd:"" help:"Print a job file with which Slurm, Kubernetes or AWS Batch run a command in parts."`
	Studio     studioCmd     `cmd:"" help:"Serve a page to see and compare: corruptions, mixes, runs and data, live."`
	Data       dataCmd       `cmd:"" help:"Describe, convert, check and fetch data sets."`
	Verify     verifyCmd     `cmd:"" help:"Check an output against its manifest, or decode every sample."`
	List       listCmd       `cmd:"" help:"List methods, corruptions, networks, recipes, formats and published numbers."`
	Completion completionCmd `cmd:"" help:"Print a shell completion script."`
	Man        manCmd        `cmd:"" help:"Write manual pages."`
	Version    versionCmd    `cmd:"" help:"Print the version and what this build uses of the machine."`
}

// run is the whole program but for signals: it parses args, runs the command and returns the exit code.
func run(ctx context.Context, args []string, s streams) int {
	if err := cpu.Err(); err != nil {
		(&app{streams: s}).fail(err)
		return exitUsage
	}
	var c cli
	helped := false
	args = withArguments(customary(args))
	parser := newParser(&c, args, kong.Writers(s.out, s.err), kong.Exit(func(int) { helped = true }))
	a := &app{streams: s, ctx: ctx}
	parsed, err := parser.Parse(args)
	if helped {
		return exitDone
	}
	if err != nil {
		a.fail(unknownFlag(manyFiles(err)))
		a.hint(err)
		return exitUsage
	}
	a.common, a.names = c.common, namingOf(parsed)
	if err := cmp.Or(c.apply(), checkLimits(parsed), checkPlaces(parsed)); err != nil {
		a.fail(err)
		return exitUsage
	}
	a.tellConfig(parsed)
	return a.exitCode(parsed.Run(a))
}

// usageErrors are the errors of packages about values that a command line, a recipe or a file of flags gives.
var usageErrors = []error{
	corrupt.ErrTables, formats.ErrOption, stream.ErrOrder, mix.ErrSpec, augment.ErrOp, generate.ErrOption, models.ErrSpec, transform.ErrOption, train.ErrConfig, recipe.ErrRecipe, experiment.ErrOption,
	eval.ErrOption, feed.ErrOption, sheet.ErrSheet, report.ErrOption,
}

func isOneOf(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}

// isUsage reports whether an error is about what was asked for.
func isUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage) || isOneOf(err, usageErrors)
}

// exitCode says the error, if any, and returns what it means to the shell.
func (a *app) exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errRejected):
		return exitRejected // the command has listed them
	case errors.Is(err, errInterrupted):
		a.fail(err)
		return exitInterrupted
	case isUsage(err):
		a.fail(err)
		return exitUsage
	}
	a.fail(err)
	return exitFailed
}

// manyFiles says of an argument too many that is a file, such as a shell makes of *.jpg, what is read instead.
func manyFiles(err error) error {
	_, name, ok := strings.Cut(err.Error(), "unexpected argument ")
	if !ok {
		return err
	}
	name, _, _ = strings.Cut(name, ", did you mean")
	if _, err1 := os.Lstat(name); err1 != nil {
		return err
	}
	return fmt.Errorf("unexpected argument %s: one data set is read, not many files (allowed: the folder that holds them)", name)
}

// unknownFlag names the flag that a mistyped one is near, where the parser, which forgives less, names none.
func unknownFlag(err error) error {
	_, name, ok := strings.Cut(err.Error(), "unknown flag ")
	var parse *kong.ParseError
	if !ok || strings.Contains(name, "did you mean") || !errors.As(err, &parse) || parse.Context == nil {
		return err
	}
	var names []string
	for _, f := range parse.Context.Flags() {
		names = append(names, "--"+f.Name)
	}
	return fmt.Errorf("%w%s", err, suggest.Hint(name, names))
}

// hint points to the help of the command that could not be parsed.
func (a *app) hint(err error) {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if cmd := parse.Context.Selected(); cmd != nil {
			fmt.Fprintf(a.err, "Run \"%s --help\" for what it takes.\n", cmd.FullPath())
			return
		}
	}
	fmt.Fprintln(a.err, "Run \"augmix --help\" for the commands.")
}
