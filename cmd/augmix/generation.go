package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/mixset"
)

// generation is one run of package generate: every command that writes a data set fills one in.
type generation struct {
	generate.Job // but for what the flags of every command say
	app          *app
	command      string
	options      any               // the command's struct, for args.yaml
	notes        []generate.Option // what the output depends on besides the options
	running      *running
	each         int // images made of a sample, for the progress bar before the first is done

	begun    func()   // called once the output is this run's to write and the first images are made; nil: nothing
	notAsked []string // parts of a finished output that starting over would not make again

	// shard is the part of the source to do. Where that is not all of it, total is the number of samples in the source, and
	// taskOf is the task that writes a part.
	shard  generate.Shard
	total  int
	taskOf func(dir string, samples int) generate.Task

	// For --plan: how the output keeps images unless it is that of a benchmark, how often all of it is written, and what counts the
	// samples where the source does not know.
	layout generate.Layout
	bench  *generate.Benchmark
	epochs int
	count  func() (int, error)
}

// summary is what a run says of itself, in JSON form.
type summary struct {
	Out      string          `json:"out"`
	Samples  int             `json:"samples"` // read, the rejected among them
	Items    int             `json:"items"`   // images written
	Resumed  int             `json:"resumed"` // samples that earlier runs had done
	Already  bool            `json:"already"` // it was complete before
	Rejected []data.Rejected `json:"rejected"`
	Waiting  []string        `json:"waiting,omitempty"` // parts that other processes have yet to do
	planned  bool            // nothing was done, and the plan was said
}

// name is what the output is called in messages.
func (g *generation) name() string {
	return cmp.Or(g.Out.Path, formats.Standard)
}

// run writes the data set, or what an earlier run left of it, and says so.
func (g *generation) run() (summary, error) {
	if g.running.Plan {
		return summary{planned: true}, g.plan()
	}
	args, options, err := record(g.command, g.options)
	if err != nil {
		return summary{}, err
	}
	info := g.Source.Info()
	g.app.detail("input: format %s, %d class names, %d samples (-1: not known)", info.Format, len(info.Classes), info.Len)
	tellIgnored(g.app, info)
	bar := &imageBar{generation: g}
	job := g.Job
	job.Records = map[string][]byte{generate.ArgsName: args}
	maps.Copy(job.Records, g.Records)
	job.Reads = filesOf(options)
	if err := g.app.nameContents(&job, options); err != nil {
		return summary{}, err
	}
	job.Options, job.Build, job.Report = append(options, g.notes...), build(), bar.report
	job.Force, job.OnError, job.Workers, job.CheckpointAfter = g.running.Force, g.running.policy(), g.running.Workers, g.running.Checkpoint
	begun := time.Now()
	var res generate.Result
	var waiting []string
	if g.shard.Whole() {
		res, err = generate.Run(g.app.ctx, job)
	} else {
		res, waiting, err = generate.RunShard(g.app.ctx, job, g.shard, g.total, g.taskOf)
	}
	bar.stop()
	s := summary{
		Out: g.name(), Samples: res.Done, Items: res.Items, Resumed: res.Resumed, Already: res.Already && g.shard.Whole(),
		Rejected: append([]data.Rejected{}, res.Rejected...), Waiting: waiting,
	}
	if err != nil {
		return s, g.explain(err, res)
	}
	g.tell(s, time.Since(begun))
	if res.Alpha > 0 {
		g.app.say("%s had an alpha channel, which was dropped: stored colors stay (--alpha refuse rejects images with transparent pixels)",
			terminal.Count(res.Alpha, "image"))
	}
	if !g.shard.Whole() {
		g.tellShards(waiting, res.Manifest)
	}
	return s, nil
}

// namesFiles are the options that may name a file or a folder that is read.
var namesFiles = []string{"labels", "classes", "mixset", "styles", "style-weights", "network", "weights", "frost-dir", "profile", "from"}

// filesOf returns the files and folders that the options name. What else such an option may say is no path that there is.
func filesOf(options []generate.Option) []string {
	var files []string
	for _, o := range options {
		switch {
		case o.Value == "" || !slices.Contains(namesFiles, o.Name):
		case o.Name == "mixset" || o.Name == "styles": // several of them joined, and generated ones
			files = append(files, mixset.Paths(o.Value)...)
		default:
			files = append(files, o.Value)
		}
	}
	return files
}

// tellIgnored says of images that lie in a data set and are no part of it, and what is to be known of its labels.
func tellIgnored(a *app, info data.Info) {
	for _, remark := range info.Remarks() {
		a.say("%s", remark)
	}
}

// imageBar shows how many images of a generation are done.
type imageBar struct {
	*generation
	bar *progress.Bar
}

func (b *imageBar) report(at generate.Progress) {
	if b.bar == nil {
		if b.begun != nil {
			b.begun()
		}
		if b.each = max(b.each, 1); at.Done > at.Rejected {
			b.each = at.Items / (at.Done - at.Rejected)
		}
		total := at.Total
		if total > 0 {
			total *= b.each
		}
		if b.bar = b.app.bar(b.command, progress.Images, total, at.Resumed*b.each); at.Resumed > 0 {
			b.app.detail("resuming after %s of an earlier run", terminal.Count(at.Resumed, "sample"))
		}
	}
	b.bar.Set(at.Done*b.each, at.Rejected)
}

func (b *imageBar) stop() {
	if b.bar != nil {
		b.bar.Stop()
	}
}

// explain adds to an error what can be done about it.
func (g *generation) explain(err error, res generate.Result) error {
	err = hintReading(err)
	var bad *data.SampleError
	var other *generate.DiffersError
	switch {
	case g.Out.Path == "":
		return err
	case errors.Is(err, errInterrupted):
		return fmt.Errorf("%w after %s; the same command resumes there", err, terminal.Count(res.Done, "sample"))
	case errors.Is(err, generate.ErrSize):
		return fmt.Errorf("%w (--size and --crop give images one size)", err)
	case errors.As(err, &bad) && g.running.OnError == "fail" && res.Done == 0: // maybe all are like it
		return fmt.Errorf("%w\n(before any sample was done; with --on-error skip those that fail are left out)", err)
	case errors.As(err, &bad) && g.running.OnError == "fail":
		return fmt.Errorf("%w\n(after %s; the same command with --on-error skip resumes without it)", err,
			terminal.Count(res.Done, "sample"))
	case !errors.Is(err, generate.ErrDiffers) && !errors.Is(err, generate.ErrDamaged) && !errors.Is(err, generate.ErrChanged):
	case g.shard.Whole():
		return fmt.Errorf("%w\n(%s)", err, g.startOver())
	case errors.As(err, &other) && other.Path != g.Out.Path:
		return fmt.Errorf("%w\n(to make that part again, remove it; to start over, remove %s)", err, g.Out.Path)
	default:
		return fmt.Errorf("%w\n(to start over, remove %s)", err, g.Out.Path)
	}
	return err
}

// startOver says what --force does.
func (g *generation) startOver() string {
	if len(g.notAsked) == 0 {
		return "--force starts over"
	}
	return "--force starts over, and what is there and not asked for is lost: " + fewParts(g.notAsked)
}

func (g *generation) tell(s summary, took time.Duration) {
	a := g.app
	switch {
	case s.Already:
		a.say("%s is complete: %s; nothing to do (%s)", s.Out, amounts(s.Samples, s.Items), g.startOver())
	case s.Out == formats.Standard:
	default:
		// Images, as the progress bar counts them; those that earlier runs made do not count for the rate.
		images := s.Items
		if s.Samples > 0 {
			images -= int(int64(s.Items) * int64(s.Resumed) / int64(s.Samples))
		}
		a.say("%s: %s in %s (%s images/s)", s.Out, amounts(s.Samples, s.Items),
			progress.Duration(took), progress.Number(float64(images)/max(took.Seconds(), 1e-9)))
	}
	const most = 20
	for i, r := range s.Rejected {
		if i == most && g.Out.Path != "" {
			where := g.Out.Record(generate.ManifestName)
			fmt.Fprintf(a.err, "augmix: %s\n", terminal.Message("... and %d more, listed in %s", len(s.Rejected)-most, where))
			break
		}
		fmt.Fprintf(a.err, "augmix: %s\n", terminal.Message("rejected %s: %s", r.Name, r.Reason))
	}
}

// amounts says how many samples were read and how many images were made of them.
func amounts(samples, images int) string {
	return terminal.Count(samples, "sample") + ", " + terminal.Count(images, "image")
}

// tellShards says what is still to come.
func (g *generation) tellShards(waiting []string, m *generate.Manifest) {
	const most = 12
	switch {
	case len(waiting) > most:
		g.app.say("part %s is done; %d of %d parts are to come", g.shard, len(waiting), g.shard.Count)
	case len(waiting) > 0:
		g.app.say("part %s is done; to come: %s", g.shard, strings.Join(waiting, ", "))
	case m != nil:
		g.app.say("all parts are done: %s", amounts(m.Samples, m.Items))
	}
}

// finish prints the results in JSON where that is asked for, and says whether anything was rejected.
func finish(a *app, out generate.Output, results ...summary) error {
	if a.JSON && out.Path != "" && !(len(results) > 0 && results[0].planned) {
		var v any = results
		if len(results) == 1 {
			v = results[0]
		}
		if err := a.print(v, func(io.Writer) {}); err != nil {
			return err
		}
	}
	for _, s := range results {
		if len(s.Rejected) > 0 {
			return errRejected
		}
	}
	return nil
}
