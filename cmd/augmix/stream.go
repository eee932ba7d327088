package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
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
const streamOrders = `  continual-s5       one corruption after the other, in the order of --subset, each over all samples
  gradual            the same with severities 1 to 5 and back to 1 of each corruption
  mixed-s5           every sample under every corruption, in random order
  correlated-d0.1    continual; classes come together: their shares of time windows are drawn from a
                     Dirichlet distribution of that delta. w10: ten windows, not one for each class; s5
  walk-s2.5-l100     from one corruption to another through both at once; the sum of their severities
                     stays 2.5 (quarters), a step of 0.25 holds for 100 images; n10000: images in all
  walk-e0.4          the same with the error of a reference network kept at 0.4 (within 0.05 where its
                     table is fine enough), from --difficulty
`

// Help is the end of "augmix stream --help".
func (streamCmd) Help() string {
	return `ORDERS
` + streamOrders + `  Options are those shown. The samples of each pass are in another random order. Walks are the idea of
  CCC; the sum of severities is no measured difficulty, and no table of errors is contained.

FILES
  OUT holds the images in order under their positions, and OUT/stream.csv (OUT.stream.csv beside a file)
  says of each position: key and label of the sample, corruption and severity, second corruption and
  severity, seed, and in the first row what else the images depend on: profile, size, crop and so on.
  --manifest-only writes that alone, in place of the manifest of another stream only with --force.
  --from makes the same bytes of it and refuses other such flags. augmix feed --stream serves the
  images without writing any.

EXAMPLES
  augmix stream cifar-10-batches-bin -o continual.npy
  augmix stream imagenet/val -o gradual --order gradual --subset fog,snow --size 256 --crop 224
  augmix stream cifar-10-batches-bin -o order.csv --order correlated-d0.1 --manifest-only
  augmix stream cifar-10-batches-bin -o again.npy --from order.csv`
}

// Run makes the stream.
func (c *streamCmd) Run(ctx *kong.Context, a *app) error {
	c.input.reading = c.graying.reading()
	if c.Alpha == "keep" {
		return usagef("--alpha keep does not go with streams (allowed: drop, refuse)")
	}
	for _, err := range []error{c.output.check(), c.running.check(), c.preparing.check(), c.check(), checkEffect(ctx, c.effects()...)} {
		if err != nil {
			return err
		}
	}
	if c.From == "" { // a manifest says how images were prepared
		if err := checkEffect(ctx, c.preparing.effects()...); err != nil {
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
	subset := c.Subset
	src, profile, err := c.open(a)
	if err != nil {
		return err
	}
	defer src.Close()
	c.keepPart(&c.input, src)
	if err := c.checkSubset(subset, slices.Contains(givenFlags(ctx), "subset"), src); err != nil {
		return err
	}
	if err := checkEffect(ctx, ofCorruptions(src.Corruptions())...); err != nil {
		return err
	}
	c.Order, c.Seed, c.Subset = src.Spec(), src.Seed(), src.Corruptions()
	var manifest bytes.Buffer
	if err := src.WriteManifest(&manifest); err != nil {
		return err
	}
	if c.ManifestOnly {
		return c.writeManifest(a, src.Len(), manifest.Bytes())
	}
	if err := checkOne(c.row(c.Out).Name, c.Out, src); err != nil {
		return err
	}
	about, err := streamAbout(src, profile, &c.frosting)
	if err != nil {
		return err
	}
	g := generation{
		Job: generate.Job{
			Source: src, In: c.In, Out: out, Seed: src.Seed(), PerShard: c.PerShard,
			Records: map[string][]byte{"stream.csv": manifest.Bytes()},
			Task:    generate.PipelineTask(new(transform.Pipeline), 0, c.opener(a, out, src.Info().Classes, 0)),
		},
		app: a, command: "stream", options: c, running: &c.running, each: 1,
		layout: c.layout(a, c.Out, src.Info(), 1), epochs: 1, count: func() (int, error) { return src.Len(), nil },
		notes: []generate.Option{{Name: "stream", Value: fmt.Sprintf("%s, manifest SHA-256 %x", about, sha256.Sum256(manifest.Bytes()))}},
	}
	s, err := g.run()
	if err != nil {
		return err
	}
	return finish(a, out, s)
}

// open opens the data and makes the stream of it.
func (c *streamCmd) open(a *app) (*stream.Source, *tables.Set, error) {
	plan, profile, err := c.plan()
	if err != nil {
		return nil, nil, err
	}
	o := stream.Options{Order: c.Order, Seed: c.Seed, Manifest: c.From}
	if c.Difficulty != "" {
		if o.Errors, err = readErrors(c.Difficulty); err != nil {
			return nil, nil, err
		}
	}
	all, err := c.openSplit(a, c.In, "test")
	if err != nil {
		return nil, nil, err
	}
	all = data.Limit(all, c.Limit)
	o.Complete = func(plan *transform.Corruptions) (_ stream.Settings, err error) {
		if plan.Bar, err = c.bar(all, plan); err != nil {
			return nil, err
		}
		return streamSettings(a, plan, profile, &c.frosting, &c.input)
	}
	s, err := c.of(all, plan, o)
	if err != nil {
		_ = all.Close()
		if o.Errors != nil && errors.Is(err, stream.ErrTable) {
			err = within(c.Difficulty, err)
		}
		return nil, nil, hintSettings(hintConvert(all, within(c.In, err)))
	}
	if c.From != "" && c.Seed != 0 && c.Seed != s.Seed() {
		return nil, nil, errors.Join(usagef("--seed %d with --from %s, whose seed is %d", c.Seed, c.From, s.Seed()), s.Close())
	}
	return s, profile, nil
}

// of makes the stream of the data.
func (c *streamCmd) of(all data.Source, plan *transform.Corruptions, o stream.Options) (_ *stream.Source, err error) {
	if c.From == "" {
		asked := &transform.Corruptions{Profile: plan.Profile, Names: c.Subset}
		if plan.Bar, err = c.bar(all, asked); err != nil {
			return nil, err
		}
		if plan.Names, err = stream.Names(c.Subset, plan.Bar, plan.Own...); err != nil {
			return nil, err
		}
	}
	return stream.Open(all, plan, o)
}

// plan checks the flags and says how images are made, but for the corruptions.
func (c *streamCmd) plan() (plan *transform.Corruptions, profile *tables.Set, err error) {
	plan = &transform.Corruptions{Size: c.Size, Crop: c.Crop}
	if plan.Filter, err = augment.ParseFilter(c.Filter); err != nil {
		return nil, nil, err
	}
	if profile, err = openProfile(c.Profile); err != nil {
		return nil, nil, err
	}
	plan.Profile, plan.Tables, plan.Own = profile.Profile, profile.Tables, profile.Own()
	return plan, profile, nil
}

// bar resolves the profile of the corruptions of cbar among those of a plan.
func (c *streamCmd) bar(src data.Source, plan *transform.Corruptions) (cbar.Profile, error) {
	p, err := barProfile(c.BarProfile, plan.Profile, plan.Names, func() (int, error) {
		return c.preparing.side(func() (w, h int, err error) { return data.FirstSize(src) })
	})
	if transform.AsksBar(plan.Names) && err == nil {
		c.BarProfile = p.String()
	}
	return p, err
}

// mostErrors bounds a table of errors, in bytes.
const mostErrors = 1 << 30

// readErrors reads the table of a reference network's errors from a file.
func readErrors(name string) (*stream.Errors, error) {
	text, err := data.ReadFile(nil, name, mostErrors)
	if err != nil {
		return nil, err
	}
	e, err := stream.ReadErrors(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// streamAbout says all that the images of a stream depend on besides its manifest and the flags.
func streamAbout(s *stream.Source, profile *tables.Set, f *frosting) (string, error) {
	about := cmp.Or(s.Spec(), strings.Join(s.Corruptions(), ","))
	if sum := profile.Sum(); sum != "" {
		about += " parameters " + sum
	}
	if !slices.Contains(s.Corruptions(), "frost") {
		return about, nil
	}
	frost, err := f.about()
	return about + " " + frost, err
}
