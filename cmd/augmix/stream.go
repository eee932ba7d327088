package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/stream"
	"github.com/augmix-go/augmix/transform"
)

// streamCmd makes a stream of corrupted images for test-time adaptation.
type streamCmd struct {
	In  string `arg:"" name:"IN" help:"Labeled data set to read." yaml:"in"`
	Out string `short:"o" required:"" placeholder:"OUT" help:"Data set to write, or with --manifest-only a CSV file; - is standard output." yaml:"-"`

	Order        string   `group:"Stream" default:"continual" placeholder:"SPEC" help:"Order, such as gradual, mixed-s3 or correlated-d0.1, see ORDERS below (${default})." yaml:"order,omitempty"`
	From         string   `group:"Stream" placeholder:"FILE" help:"In place of --order: the order and the seed of a manifest that this command wrote." yaml:"from,omitempty"`
	Difficulty   string   `group:"Stream" placeholder:"FILE" help:"For walk-eERROR: CSV of a reference network's errors, columns corruption1,severity1,corruption2,severity2,error." yaml:"difficulty,omitempty"`
	ManifestOnly bool     `group:"Stream" help:"Write the manifest alone." yaml:"-"`
	Subset       []string `group:"Corruption" default:"common" placeholder:"NAME" help:"Corruptions, by name or subset (${default}). Separate several by commas." yaml:"subset"`
	Profile      string   `group:"Corruption" default:"auto" placeholder:"NAME" help:"Parameters: auto (by the image's size), 32, 64, 224, 299, or a file (augmix corrupt --help)." yaml:"profile"`
	BarProfile   string   `group:"Corruption" enum:"auto,cifar,imagenet" default:"auto" help:"Which ten corruptions cbar stands for: cifar, imagenet, or auto (by the size of the first image)." yaml:"bar-profile"`
	Seed         uint64   `group:"Stream" default:"0" help:"Seed of every random choice (${default})." yaml:"seed"`
	Limit        int      `group:"Input" placeholder:"N" help:"Take N samples, evenly spaced over IN." yaml:"limit"`

	frosting  `yaml:",inline"`
	preparing `yaml:",inline"`
	graying   `yaml:",inline"`
	input     `yaml:",inline"`
	output    `yaml:",inline"`
	running   `yaml:"-"`
}

// streamOrders explains the orders.
const streamOrders = `  continual-s5       one corruption after the other, each over all samples
  gradual            the same with severities 1 to 5 and back to 1 of each corruption
  mixed-s5           every sample under every corruption, in random order
  correlated-d0.1    continual; classes come together: their shares of time windows are drawn from a
                     Dirichlet distribution of that delta. w10: ten windows, not one for each class; s5
  walk-s2.5-l100     from one corruption to another through both at once; the sum of their severities
                     stays 2.5 (quarters), a step of 0.25 holds for 100 images; n10000: images in all
  walk-e0.4          the same with the error of a reference network kept at 0.4, from --difficulty
`

// Help is the end of "augmix stream --help".
func (streamCmd) Help() string {
	return `ORDERS
` + streamOrders + `  Options are those shown. The samples of each pass are in another random order. Walks are the idea of
  CCC; the sum of severities is no measured difficulty, and no table of errors is contained.

FILES
  OUT holds the images in order under their positions, and OUT/stream.csv (OUT.stream.csv beside a file)
  says of each position: key and label of the sample, corruption and severity, second corruption and
  severity, seed. --from makes the same bytes of it, with the same --profile, --size, --crop and
  --frost-dir. augmix feed --stream serves the images without writing any.

EXAMPLES
  augmix stream cifar-10-batches-bin -o continual.npy
  augmix stream imagenet/val -o gradual --order gradual --subset fog,snow --size 256 --crop 224
  augmix stream cifar-10-batches-bin -o order.csv --order correlated-d0.1 --manifest-only
  augmix stream cifar-10-batches-bin -o again.npy --from order.csv`
}

// Run makes the stream.
func (c *streamCmd) Run(a *app) error {
	c.input.reading = c.graying.reading()
	if c.Alpha == "keep" {
		return usagef("--alpha keep does not go with streams (allowed: drop, refuse)")
	}
	for _, err := range []error{c.output.check(), c.running.check(), c.preparing.check()} {
		if err != nil {
			return err
		}
	}
	var out generate.Output
	if !c.ManifestOnly {
		var err error
		if out, err = c.destination(c.Out); err != nil {
			return err
		}
	}
	plan, profile, err := c.plan()
	if err != nil {
		return err
	}
	all, err := c.openSplit(a, c.In, "test")
	if err != nil {
		return err
	}
	all = data.Limit(all, c.Limit)
	if plan.Bar, err = c.bar(all, plan.Profile); err != nil {
		_ = all.Close()
		return within(c.In, err)
	}
	o := ordered{order: c.Order, from: c.From, difficulty: c.Difficulty, subset: c.Subset, seed: c.Seed, frosting: &c.frosting, parameters: profile.Sum()}
	src, err := o.open(a, all, plan)
	if err != nil {
		_ = all.Close()
		return within(c.In, err)
	}
	defer src.Close()
	c.Order, c.Seed, c.Subset = o.order, o.seed, plan.Names
	var manifest bytes.Buffer
	if err := stream.WriteManifest(&manifest, o.made, o.samples, o.seed); err != nil {
		return err
	}
	if c.ManifestOnly {
		if c.Out == formats.Standard {
			_, err := a.out.Write(manifest.Bytes())
			return err
		}
		a.say("%s: %s", c.Out, terminal.Count(o.made.Len(), "position"))
		return data.WriteFileAtomic(c.Out, manifest.Bytes())
	}
	g := generation{
		Job: generate.Job{
			Source: src, In: c.In, Out: out, Seed: o.seed, PerShard: c.PerShard,
			Records: map[string][]byte{"stream.csv": manifest.Bytes()},
			Task:    generate.PipelineTask(new(transform.Pipeline), 0, c.opener(a, out, src.Info().Classes, 0)),
		},
		app: a, command: "stream", options: c, running: &c.running, each: 1,
		layout: c.layout(a, c.Out, src.Info(), 1), epochs: 1, count: func() (int, error) { return o.made.Len(), nil },
		notes: []generate.Option{{Name: "stream", Value: fmt.Sprintf("%s, manifest SHA-256 %x", o.about, sha256.Sum256(manifest.Bytes()))}},
	}
	s, err := g.run()
	if err != nil {
		return err
	}
	return finish(a, out, s)
}

// plan checks the flags and says how images are made, but for the corruptions.
func (c *streamCmd) plan() (plan *transform.Corruptions, profile *tables.Set, err error) {
	plan = &transform.Corruptions{Size: c.Size, Crop: c.Crop}
	if plan.Filter, err = augment.ParseFilter(c.Filter); err != nil {
		return nil, nil, err
	}
	if profile, err = tables.Open(c.Profile); err != nil {
		return nil, nil, err
	}
	plan.Profile, plan.Tables, plan.Own = profile.Profile, profile.Tables, profile.Own()
	return plan, profile, nil
}

// bar resolves the profile of the corruptions of cbar.
func (c *streamCmd) bar(src data.Source, profile corrupt.Profile) (cbar.Profile, error) {
	p, err := barProfile(c.BarProfile, profile, c.Subset, func() (int, error) {
		return c.preparing.side(func() (w, h int, err error) { return data.FirstSize(src) })
	})
	if transform.AsksBar(c.Subset) && err == nil {
		c.BarProfile = p.String()
	}
	return p, err
}

// mostManifest bounds the files that say an order, in bytes.
const mostManifest = 1 << 30

// ordered is what a stream is asked for, and once it is open what it turned out to be.
type ordered struct {
	order, from, difficulty string
	subset                  []string
	seed                    uint64
	frosting                *frosting
	parameters              string // hash of a profile's

	made    stream.Order
	samples stream.Samples
	about   string // all that images depend on besides the flags
}

// open makes a stream of all, which it closes with itself. It fills in the plan's corruptions.
func (o *ordered) open(a *app, all data.Source, plan *transform.Corruptions) (*stream.Source, error) {
	src, ok := all.(data.Indexed)
	if !ok {
		return nil, fmt.Errorf("%w: a stream takes samples from anywhere in the data set, and data of format %s can only be read from "+
			"front to end; convert it first", data.ErrUnsupported, all.Info().Format)
	}
	var err error
	if o.samples, err = stream.Describe(src); err != nil {
		return nil, err
	}
	if o.from != "" {
		err = o.replay(plan)
	} else {
		err = o.new(plan)
	}
	if err != nil {
		return nil, err
	}
	if o.parameters != "" {
		o.about += " parameters " + o.parameters
	}
	if slices.Contains(plan.Names, "frost") {
		if plan.Frost, err = o.frosting.textures(a); err != nil {
			return nil, err
		}
		frost, err := o.frosting.about()
		if err != nil {
			return nil, err
		}
		o.about += " " + frost
	}
	return stream.NewSource(src, o.made, plan, o.seed)
}

// new makes the order of a spec.
func (o *ordered) new(plan *transform.Corruptions) (err error) {
	if plan.Names, err = transform.ExpandCorruptions(o.subset, plan.Bar, plan.Own...); err != nil {
		return err
	}
	spec, err := stream.Parse(o.order)
	if err != nil {
		return err
	}
	d := stream.Data{Samples: len(o.samples.Keys), Labels: o.samples.Labels, Corruptions: plan.Names, Seed: o.seed}
	if o.difficulty != "" {
		text, err := data.ReadFile(nil, o.difficulty, mostManifest)
		if err != nil {
			return err
		}
		if d.Errors, err = stream.ReadErrors(bytes.NewReader(text)); err != nil {
			return fmt.Errorf("%s: %w", o.difficulty, err)
		}
	}
	o.order = spec.String()
	o.about = o.order
	o.made, err = stream.New(spec, d)
	return err
}

// replay takes the order of a manifest.
func (o *ordered) replay(plan *transform.Corruptions) error {
	text, err := data.ReadFile(nil, o.from, mostManifest)
	if err != nil {
		return err
	}
	r, err := stream.ReadManifest(bytes.NewReader(text), o.samples)
	if err != nil {
		return fmt.Errorf("%s: %w", o.from, err)
	}
	o.order = ""
	o.made, o.seed, plan.Names, o.about = r.Order, r.Seed, r.Corruptions, strings.Join(r.Corruptions, ",")
	return nil
}
