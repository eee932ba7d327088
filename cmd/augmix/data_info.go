package main

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data/stats"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
)

// dataInfo describes a data set.
type dataInfo struct {
	In    string `arg:"" name:"IN" help:"Data set or image to read; - is standard input."`
	Stats bool   `help:"Decode every image and give mean and standard deviation of each channel."`
	input
	workers
}

// Help is the end of "augmix data info --help".
func (dataInfo) Help() string {
	return `WHAT IT SAYS
  Format, number of samples, classes with their counts, least, median and greatest width and height.
  With --stats also mean and standard deviation of each channel over all pixels of all images, on
  the scale 0 to 1, as normalization wants them. Unreadable samples are listed, with exit status 3.

EXAMPLES
  augmix data info photos
  augmix data info cifar-10-batches-py --split train --stats --json`
}

// infoResult is the JSON form.
type infoResult struct {
	Path string `json:"path"`
	*stats.Summary
}

// Run describes.
func (c *dataInfo) Run(a *app) error {
	src, err := c.open(a, c.In)
	if err != nil {
		return err
	}
	defer src.Close()
	tellIgnored(a, src.Info())
	bar := a.bar("info", progress.Images, src.Info().Len, 0)
	defer bar.Stop()
	sum, err := stats.Measure(a.ctx, src, stats.Options{Pixels: c.Stats, Workers: c.Workers, Report: bar.Set})
	bar.Stop()
	if err != nil {
		return err
	}
	r := infoResult{c.In, sum}
	if err := a.print(r, r.text); err != nil {
		return err
	}
	if len(r.Rejected) > 0 {
		return errRejected
	}
	return nil
}

func (r infoResult) text(w io.Writer) {
	fmt.Fprintf(w, "%s: format %s, %s, %s\n", terminal.OneLine(r.Path), r.Format, terminal.Count(r.Samples, "sample"), progress.Size(r.Bytes))
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
		fmt.Fprintln(w, terminal.Count(len(r.Classes), "class"))
		table(w, "LABEL\tCOUNT\tNAME", func(row func(...any)) {
			for _, k := range r.Classes {
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
