package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/raster"
)

// dataInfo describes a data set.
type dataInfo struct {
	In    string `arg:"" name:"IN" help:"Data set or image to read; - is standard input."`
	Stats bool   `help:"Decode every image and give mean and standard deviation of each channel."`
	Jobs  int    `short:"j" placeholder:"N" help:"Workers (all cores)."`
	input
}

// Help is the end of "augmix data info --help".
func (dataInfo) Help() string {
	return `WHAT IT SAYS
  Format, number of samples, classes with their counts, least, median and greatest width and height.
  With --stats also mean and standard deviation of each channel over all pixels of all images, on
  the scale 0 to 1, as normalisation wants them. Unreadable samples are listed, with exit status 3.

EXAMPLES
  augmix data info photos
  augmix data info cifar-10-batches-py --split train --stats --json`
}

// infoResult is the JSON form.
type infoResult struct {
	Path       string              `json:"path"`
	Format     string              `json:"format"`
	Samples    int                 `json:"samples"` // the unreadable among them
	Unlabelled int                 `json:"unlabelled"`
	Classes    []classCount        `json:"classes"`
	Width      *span               `json:"width,omitempty"`
	Height     *span               `json:"height,omitempty"`
	Bytes      int64               `json:"bytes"` // of the samples' data, as it is stored
	Mean       []float64           `json:"mean,omitempty"`
	Std        []float64           `json:"std,omitempty"`
	Bad        []generate.Rejected `json:"unreadable"`
}

type classCount struct {
	Label int    `json:"label"`
	Name  string `json:"name,omitempty"`
	Count int    `json:"count"`
}

// span is least, median (the lower of two) and greatest.
type span struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
}

// tally is what one worker counts. All of it is whole numbers, so that the sum over workers is the same in any order.
type tally struct {
	labels      map[int]int
	widths      map[int]int
	heights     map[int]int
	bytes       int64
	pixels      uint64
	sum, sum2   [3]uint64
	bad         []generate.Rejected
	image       raster.Image
	wantsImages bool
}

// Run describes.
func (c *dataInfo) Run(a *app) error {
	src, err := c.open(a, c.In)
	if err != nil {
		return err
	}
	defer src.Close()
	if c.Jobs <= 0 {
		c.Jobs = runtime.GOMAXPROCS(0)
	}
	info := src.Info()
	bar := a.bar("info", progress.Images, info.Len, 0)
	defer bar.Stop()
	tallies := make([]tally, c.Jobs)
	for i := range tallies {
		tallies[i] = tally{
			labels: map[int]int{}, widths: map[int]int{}, heights: map[int]int{}, wantsImages: c.Stats,
		}
	}
	counted := counter(bar.Set)
	n, err := generate.Scan(a.ctx, src, c.Jobs, func(w, i int, s *data.Sample, err error) {
		t := &tallies[w]
		if err == nil {
			err = t.add(s)
		}
		if err != nil {
			t.bad = append(t.bad, refusal(i, s, err))
		}
		counted(err != nil)
	})
	bar.Stop()
	if err != nil {
		return err
	}
	r := infoResult{Path: c.In, Format: info.Format, Samples: n, Bad: []generate.Rejected{}}
	r.fill(info.Classes, tallies)
	if err := a.print(r, r.text); err != nil {
		return err
	}
	if len(r.Bad) > 0 {
		return errRefused
	}
	return nil
}

// add counts a sample.
func (t *tally) add(s *data.Sample) error {
	w, h := s.W, s.H
	if s.Form == data.Encoded || t.wantsImages {
		if t.wantsImages {
			if err := s.Decode(&t.image); err != nil {
				return err
			}
			w, h = t.image.W, t.image.H
			t.addPixels(&t.image)
		} else {
			info, err := imagefile.Inspect(s.Data)
			if err != nil {
				return fmt.Errorf("%w: %w", data.ErrFormat, err)
			}
			w, h = info.W, info.H
		}
	}
	t.labels[s.Label]++
	t.widths[w]++
	t.heights[h]++
	t.bytes += int64(len(s.Data))
	return nil
}

// addPixels sums values and squares: whole numbers that fit in 64 bits for 2^48 pixels.
func (t *tally) addPixels(m *raster.Image) {
	var sum, sum2 [3]uint64
	for i := 0; i+3 < len(m.Pix); i += 4 {
		for ch := range 3 {
			v := uint64(m.Pix[i+ch])
			sum[ch] += v
			sum2[ch] += v * v
		}
	}
	for ch := range 3 {
		t.sum[ch] += sum[ch]
		t.sum2[ch] += sum2[ch]
	}
	t.pixels += uint64(m.W) * uint64(m.H)
}

// fill sums the tallies.
func (r *infoResult) fill(classes []string, tallies []tally) {
	labels, widths, heights := map[int]int{}, map[int]int{}, map[int]int{}
	var all tally
	for i := range tallies {
		t := &tallies[i]
		merge(labels, t.labels)
		merge(widths, t.widths)
		merge(heights, t.heights)
		r.Bytes += t.bytes
		all.pixels += t.pixels
		for ch := range 3 {
			all.sum[ch] += t.sum[ch]
			all.sum2[ch] += t.sum2[ch]
		}
		r.Bad = append(r.Bad, t.bad...)
	}
	slices.SortFunc(r.Bad, func(a, b generate.Rejected) int { return a.Index - b.Index })
	r.Unlabelled = labels[data.NoLabel]
	delete(labels, data.NoLabel)
	for label, name := range classes {
		r.Classes = append(r.Classes, classCount{label, name, labels[label]})
		delete(labels, label)
	}
	for _, label := range sorted(labels) {
		r.Classes = append(r.Classes, classCount{Label: label, Count: labels[label]})
	}
	r.Width, r.Height = spanOf(widths), spanOf(heights)
	for ch := 0; ch < 3 && all.pixels > 0; ch++ {
		n := float64(all.pixels)
		mean := float64(all.sum[ch]) / n
		variance := float64(all.sum2[ch])/n - mean*mean
		r.Mean = append(r.Mean, mean/255)
		r.Std = append(r.Std, math.Sqrt(max(variance, 0))/255)
	}
}

func merge(into, from map[int]int) {
	for k, n := range from {
		into[k] += n
	}
}

func sorted(m map[int]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// spanOf reads a histogram, nil when it is empty.
func spanOf(m map[int]int) *span {
	keys := sorted(m)
	if len(keys) == 0 {
		return nil
	}
	total, below := 0, 0
	for _, n := range m {
		total += n
	}
	s := &span{Min: keys[0], Max: keys[len(keys)-1]}
	for _, k := range keys {
		if below += m[k]; 2*below >= total {
			s.Median = k
			break
		}
	}
	return s
}

func (r *infoResult) text(w io.Writer) {
	fmt.Fprintf(w, "%s: format %s, %d samples, %s\n", r.Path, r.Format, r.Samples, progress.Size(r.Bytes))
	if r.Width != nil {
		fmt.Fprintf(w, "width   %s\nheight  %s\n", r.Width.text(), r.Height.text())
	}
	if r.Mean != nil {
		fmt.Fprintf(w, "mean    %.4f %.4f %.4f\nstd     %.4f %.4f %.4f\n",
			r.Mean[0], r.Mean[1], r.Mean[2], r.Std[0], r.Std[1], r.Std[2])
	}
	if r.Unlabelled > 0 {
		fmt.Fprintf(w, "%d without a label\n", r.Unlabelled)
	}
	if len(r.Classes) > 0 {
		fmt.Fprintf(w, "%d classes\n", len(r.Classes))
		table(w, "LABEL\tCOUNT\tNAME", func(row func(...any)) {
			for _, k := range r.Classes {
				row(k.Label, k.Count, k.Name)
			}
		})
	}
	for _, b := range r.Bad {
		fmt.Fprintf(w, "unreadable: %s: %s\n", b.Name, b.Reason)
	}
}

func (s *span) text() string {
	if s.Min == s.Max {
		return fmt.Sprintf("%d", s.Min)
	}
	return fmt.Sprintf("%d to %d, median %d", s.Min, s.Max, s.Median)
}
