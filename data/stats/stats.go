// Package stats says what is in a data set: how many samples of which classes, the sizes of its images, and the mean and
// standard deviation of their channels, as a network's input is normalized with.
package stats

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// Summary describes a data set.
type Summary struct {
	Format    string  `json:"format"`
	Samples   int     `json:"samples"`   // those that cannot be read among them
	Unlabeled int     `json:"unlabeled"` // samples without a label
	Classes   []Class `json:"classes"`   // by label
	// Width and Height are of the images in pixels, upright but for samples that are AsStored; nil when none can be read.
	Width  *Range `json:"width,omitempty"`
	Height *Range `json:"height,omitempty"`
	Bytes  int64  `json:"bytes"` // of the samples' data, as it is stored
	// Mean and Std are of red, green and blue over all pixels of all images, on the scale 0 to 1; nil without
	// Options.Pixels.
	Mean     []float64       `json:"mean,omitempty"`
	Std      []float64       `json:"std,omitempty"`
	Rejected []data.Rejected `json:"unreadable"` // samples that cannot be read, in the source's order
}

// Class is the number of samples with one label.
type Class struct {
	Label int    `json:"label"`
	Name  string `json:"name,omitempty"`
	Count int    `json:"count"`
}

// Range is the least, the median (the lower of two) and the greatest of some numbers.
type Range struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
}

// Options are the choices of Measure.
type Options struct {
	Pixels  bool // decode every image, for Mean and Std
	Workers int  // 0: as many as there are cores; the result does not depend on it
	// Image, if not nil, is called with every sample that can be decoded and its image, by as many goroutines as there are Workers, each
	// with its number from 0, in no order. Both are valid during the call. Large, if not nil, says of which files that is not wanted:
	// they count by their headers. It is called before anything is allocated for the image.
	Image func(worker, i int, s *data.Sample, m *raster.Image)
	Large func(s *data.Sample) bool
	// Report, if not nil, is called after every sample with how many were read and how many of those were rejected.
	Report func(done, rejected int)
}

// Measure reads src to its end and describes it. Samples that cannot be read are listed and left out of every other
// number but Samples. The error is that of [data.Scan], or wraps [data.ErrUnsupported] for a src that is nil.
func Measure(ctx context.Context, src data.Source, o Options) (*Summary, error) {
	if src == nil {
		return nil, fmt.Errorf("%w: the source is nil", data.ErrUnsupported)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	tallies := make([]tally, o.Workers)
	for i := range tallies {
		tallies[i] = tally{labels: map[int]int{}, widths: map[int]int{}, heights: map[int]int{}, options: &o, worker: i}
	}
	var mu sync.Mutex
	done := 0
	info := src.Info()
	sum := &Summary{Format: info.Format, Rejected: []data.Rejected{}}
	n, err := data.Scan(ctx, src, o.Workers, func(w, i int, s *data.Sample, err error) {
		if err == nil {
			err = tallies[w].add(ctx, i, s)
		}
		if ctx.Err() != nil {
			return // what was not decoded is not rejected
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; err != nil {
			sum.Rejected = append(sum.Rejected, data.Reject(i, s, err))
		}
		if o.Report != nil {
			o.Report(done, len(sum.Rejected))
		}
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	sum.Samples = n
	slices.SortFunc(sum.Rejected, func(a, b data.Rejected) int { return a.Index - b.Index })
	sum.fill(info.Classes, tallies)
	return sum, nil
}

// tally is what one worker counts. All of it is integers, so that the sum over workers is the same in any order.
type tally struct {
	labels    map[int]int
	widths    map[int]int
	heights   map[int]int
	bytes     int64
	pixels    uint64
	sum, sum2 [3]uint64
	decoder   data.Decoder
	image     raster.Image
	options   *Options
	worker    int
}

// add counts a sample.
func (t *tally) add(ctx context.Context, i int, s *data.Sample) error {
	w, h, o := s.W, s.H, t.options
	switch {
	case (o.Pixels || o.Image != nil) && (o.Large == nil || !o.Large(s)):
		if err := t.decoder.Decode(ctx, &t.image, s, data.DecodeOptions{}); err != nil {
			return err
		}
		defer t.decoder.Release(&t.image)
		w, h = t.image.W, t.image.H
		if o.Pixels {
			t.addPixels(&t.image)
		}
		if o.Image != nil {
			o.Image(t.worker, i, s, &t.image)
		}
	case s.Form == data.Encoded:
		info, err := imagefile.Inspect(s.Data)
		if err != nil {
			return fmt.Errorf("%w: %w", data.ErrFormat, err)
		}
		if w, h = info.W, info.H; !s.AsStored {
			w, h = info.Upright()
		}
	}
	t.labels[s.Label]++
	t.widths[w]++
	t.heights[h]++
	t.bytes += int64(len(s.Data))
	return nil
}

// addPixels sums values and squares: integers that fit in 64 bits for 2^48 pixels.
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
func (s *Summary) fill(classes []string, tallies []tally) {
	labels, widths, heights := map[int]int{}, map[int]int{}, map[int]int{}
	var all tally
	for i := range tallies {
		t := &tallies[i]
		merge(labels, t.labels)
		merge(widths, t.widths)
		merge(heights, t.heights)
		s.Bytes += t.bytes
		all.pixels += t.pixels
		for ch := range 3 {
			all.sum[ch] += t.sum[ch]
			all.sum2[ch] += t.sum2[ch]
		}
	}
	s.Unlabeled = labels[data.NoLabel]
	delete(labels, data.NoLabel)
	for label, name := range classes {
		s.Classes = append(s.Classes, Class{label, name, labels[label]})
		delete(labels, label)
	}
	for _, label := range sorted(labels) {
		s.Classes = append(s.Classes, Class{Label: label, Count: labels[label]})
	}
	s.Width, s.Height = rangeOf(widths), rangeOf(heights)
	for ch := 0; ch < 3 && all.pixels > 0; ch++ {
		n := float64(all.pixels)
		mean := float64(all.sum[ch]) / n
		variance := float64(all.sum2[ch])/n - float64(mean*mean)
		s.Mean = append(s.Mean, mean/255)
		s.Std = append(s.Std, math.Sqrt(max(variance, 0))/255)
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

// rangeOf reads a histogram, nil when it is empty.
func rangeOf(m map[int]int) *Range {
	keys := sorted(m)
	if len(keys) == 0 {
		return nil
	}
	total, below := 0, 0
	for _, n := range m {
		total += n
	}
	s := &Range{Min: keys[0], Max: keys[len(keys)-1]}
	for _, k := range keys {
		if below += m[k]; 2*below >= total {
			s.Median = k
			break
		}
	}
	return s
}
