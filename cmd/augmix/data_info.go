package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/stats"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
)

// dataInfo describes a data set.
type dataInfo struct {
	In    string `arg:"" name:"IN" help:"Data set or image to read; - is standard input."`
	Stats bool   `help:"Decode every image and give mean and standard deviation of each channel."`
	All   bool   `help:"List every class; without, the ten with the most samples."`
	input
	workers
}

// Help is the end of "augmix data info --help".
func (dataInfo) Help() string {
	return `WHAT IT SAYS
  Format, number of samples, classes with their counts, least, median and greatest width and height.
  Of a data set with several parts (CIFAR, or a folder with train and test or
  val in it) it describes each, or the one of --split. Of more than ten classes
  the ten largest are listed, all with --all.
  With --stats also mean and standard deviation of each channel over all pixels of all images, on
  the scale 0 to 1, as normalization wants them. Unreadable samples are listed, with exit status 3.

EXAMPLES
  augmix data info photos
  augmix data info cifar-10-batches-py --split train --stats --json`
}

// infoResult is the JSON form.
type infoResult struct {
	Path string `json:"path"`
	Part string `json:"part,omitempty"` // of a data set with several
	*stats.Summary
}

// Run describes.
func (c *dataInfo) Run(a *app) error {
	parts := []string{c.Split}
	if c.Split == "" && c.In != formats.Standard {
		several, err := formats.Parts(c.In, c.options(a))
		if err != nil {
			return hintReading(err)
		}
		if several != nil {
			parts = several
		}
	}
	var results []infoResult
	for _, c.Split = range parts {
		r, err := c.describe(a)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	var v any = results
	if len(results) == 1 {
		v = results[0]
	}
	if err := a.print(v, func(w io.Writer) {
		for _, r := range results {
			r.text(w, c.All)
		}
	}); err != nil {
		return err
	}
	for _, r := range results {
		if len(r.Rejected) > 0 {
			return errRejected
		}
	}
	return nil
}

// describe describes one part.
func (c *dataInfo) describe(a *app) (infoResult, error) {
	src, err := c.open(a, c.In)
	if err != nil {
		return infoResult{}, err
	}
	defer src.Close()
	tellIgnored(a, src.Info())
	bar := a.bar("info", progress.Images, src.Info().Len, 0)
	defer bar.Stop()
	sum, err := stats.Measure(a.ctx, src, stats.Options{Pixels: c.Stats, Workers: c.Workers, Report: bar.Set})
	bar.Stop()
	return infoResult{c.In, c.Split, sum}, err
}

// fewClasses is how many classes are listed without --all.
const fewClasses = 10

func (r infoResult) text(w io.Writer, all bool) {
	path := terminal.OneLine(r.Path)
	if r.Part != "" {
		path += ", part " + terminal.OneLine(r.Part)
	}
	fmt.Fprintf(w, "%s: format %s, %s, %s\n", path, r.Format, terminal.Count(r.Samples, "sample"), progress.Size(r.Bytes))
	if r.Width != nil {
		fmt.Fprintf(w, "width   %s\nheight  %s\n", spanText(r.Width), spanText(r.Height))
	}
	if r.Mean != nil {
		fmt.Fprintf(w, "mean    %.4f %.4f %.4f\nstd     %.4f %.4f %.4f\n",
			r.Mean[0], r.Mean[1], r.Mean[2], r.Std[0], r.Std[1], r.Std[2])
	}
	if r.Unlabeled > 0 {
		fmt.Fprintf(w, "%d without a label\n", r.Unlabeled)
	}
	if len(r.Classes) > 0 {
		classes := r.Classes
		if len(classes) > fewClasses && !all {
			classes = slices.Clone(classes)
			slices.SortStableFunc(classes, func(a, b stats.Class) int { return b.Count - a.Count })
			classes = classes[:fewClasses]
			fmt.Fprintf(w, "%d classes, the %d largest (--all lists the rest)\n", len(r.Classes), fewClasses)
		} else {
			fmt.Fprintln(w, terminal.Count(len(classes), "class"))
		}
		terminal.Table(w, "LABEL\tCOUNT\tNAME", func(row func(...any)) {
			for _, k := range classes {
				row(k.Label, k.Count, k.Name)
			}
		})
	}
	for _, b := range r.Rejected {
		fmt.Fprintf(w, "unreadable: %s: %s\n", terminal.OneLine(b.Name), terminal.OneLine(b.Reason))
	}
}

func spanText(s *stats.Range) string {
	if s.Min == s.Max {
		return fmt.Sprintf("%d", s.Min)
	}
	return fmt.Sprintf("%d to %d, median %d", s.Min, s.Max, s.Median)
}
