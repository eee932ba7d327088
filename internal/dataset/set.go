// Package dataset gives the samples of a data set in any order, cropped and flipped: what training and feeds share.
package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/raster"
)

// Set is a data set whose samples can be had in any order: decoded in memory where they fit, read and decoded anew
// otherwise.
type Set struct {
	info    data.Info
	n       int
	samples []held       // in memory; nil if they are not
	source  data.Indexed // where they are not
	// samplesSum is the fingerprint of a set in memory, as data.Signature.Samples, and contentSum that of its bytes too; of a
	// set that is not, contentSum is data.Glance's of its files.
	samplesSum, contentSum string
	filesSum               string // data.Glance's of its files

	kept []atomic.Pointer[held] // of [Open]: the samples decoded so far; nil where none is kept
	left atomic.Int64           // bytes of images that may still be kept
}

// held is a decoded sample.
type held struct {
	name  string
	key   string
	label int
	gray  bool
	image raster.Image
}

// loadBatch is how many samples at most are read before they are decoded in parallel, and loadBytes about how large their images
// are together: a set of large images must not fill the memory before it is known to be beyond the limit.
const (
	loadBatch = 512
	loadBytes = 64 << 20
)

// batchSize returns how many samples are read next, after n whose images take total bytes: as many as seem to fit what is left of limit.
func batchSize(n int, total, limit int64, workers int) int {
	if n == 0 {
		return probes
	}
	fit := min(limit-total, loadBytes) / max(total/int64(n), 1)
	return int(min(max(fit+1, int64(min(workers, probes))), loadBatch))
}

// Load reads a data set: an indexed one whole, wherever its Next is, any other from there to its end. Up to limit bytes of decoded images are
// kept in memory. A larger set must be indexed: it is read as it is needed, and src must stay open.
func Load(ctx context.Context, src data.Source, limit int64, workers int) (*Set, error) {
	d := &Set{info: src.Info()}
	indexed, _ := src.(data.Indexed)
	var total int64
	raw := make([]data.Sample, loadBatch)
	files, broken := data.Glance(src)
	signer := data.NewSigner(d.info.Classes)
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		next := raw[:batchSize(len(d.samples), total, limit, workers)]
		n, end, err := 0, false, error(nil)
		if indexed != nil {
			n, end, err = readIndexed(next, indexed, len(d.samples), workers)
		} else {
			n, end, err = readNext(next, src)
		}
		if err != nil {
			return nil, err
		}
		for i := range raw[:n] {
			signer.Add(&raw[i])
		}
		batch := make([]held, n)
		err = parallel.Try(n, workers, func(_, i int) error {
			s := &raw[i]
			h := &batch[i]
			h.name, h.key, h.label, h.gray = s.Name, s.Key, s.Label, s.KeepsGray()
			return s.Decode(&h.image)
		})
		if err != nil {
			return nil, err
		}
		for i := range batch {
			total += int64(len(batch[i].image.Pix))
		}
		if total > limit {
			if indexed == nil {
				return nil, fmt.Errorf("%w: a data set of format %s can only be read from front to end, and its images need "+
					"more than the %d MB of memory; allow more, or convert it to files or shards", data.ErrUnsupported,
					d.info.Format, limit>>20)
			}
			return &Set{info: d.info, n: indexed.Len(), source: indexed, contentSum: files, filesSum: files}, broken
		}
		d.samples = append(d.samples, batch...)
		if end {
			break
		}
	}
	if d.n = len(d.samples); d.n == 0 {
		return nil, fmt.Errorf("%w: a data set without samples", data.ErrFormat)
	}
	sum := signer.Sum()
	d.samplesSum, d.contentSum, d.filesSum = sum.Samples, sum.Content, files
	return d, nil
}

// readIndexed reads the samples from the given one on, up to the length of raw. It returns how many these are, and whether they are the last.
func readIndexed(raw []data.Sample, src data.Indexed, from, workers int) (n int, end bool, err error) {
	n = min(len(raw), src.Len()-from)
	err = parallel.Try(n, workers, func(_, i int) error { return src.Read(from+i, &raw[i]) })
	return n, from+n == src.Len(), err
}

// readNext is readIndexed of the samples that come next.
func readNext(raw []data.Sample, src data.Source) (n int, end bool, err error) {
	for n < len(raw) {
		if err := src.Next(&raw[n]); err == io.EOF {
			return n, true, nil
		} else if err != nil {
			return n, false, err
		}
		n++
	}
	return n, false, nil
}

// Info describes the data set, as its source does.
func (d *Set) Info() data.Info { return d.info }

// Len returns the number of samples.
func (d *Set) Len() int { return d.n }

// InMemory reports whether all samples are held decoded.
func (d *Set) InMemory() bool { return d.samples != nil }

// Classes returns the number of classes: by the names, else one more than the largest label of a set in memory.
func (d *Set) Classes() (int, error) {
	if n := len(d.info.Classes); n > 0 {
		return n, nil
	}
	most := -1
	for i := range d.samples {
		most = max(most, d.samples[i].label)
	}
	if d.InMemory() {
		return counted(most, unlabeled)
	}
	return counted(most, "no labels in memory to count")
}

// CountClasses is Classes of a set that may lie on disk: without names every label is read.
func (d *Set) CountClasses(ctx context.Context) (int, error) {
	if len(d.info.Classes) > 0 || d.samples != nil {
		return d.Classes()
	}
	var m data.Sample
	most := -1
	for i := range d.n {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		var bad *data.SampleError
		if err := d.source.Read(i, &m); errors.As(err, &bad) {
			continue
		} else if err != nil {
			return 0, err
		}
		most = max(most, m.Label)
	}
	return counted(most, unlabeled)
}

// unlabeled is why the classes of a set cannot be counted that has no label.
const unlabeled = "no sample has a label (allowed: one folder a class, or a file of labels)"

// counted is the number of classes of labels of which the largest is most, of a set without names; none says why there is none.
func counted(most int, none string) (int, error) {
	if most == 0 {
		none = "all its labels are 0: one class"
	}
	if most < 1 {
		return 0, fmt.Errorf("%w: the data set has no class names, and %s", data.ErrLabel, none)
	}
	return most + 1, nil
}

// Content is the fingerprint of the bytes of a set in memory, as data.Signature.Content; of a set that is not, it is
// data.Glance's of its files. A part of a set has that of the whole.
func (d *Set) Content() string { return d.contentSum }

// Files is data.Glance's digest of the files of the set, in memory or not; "" where it is not of files. A part of a set has that of the
// whole.
func (d *Set) Files() string { return d.filesSum }

// Sign returns the fingerprint of the set, as data.Signature.Samples. A set that is not in memory is read for it.
func (d *Set) Sign(ctx context.Context) (string, error) {
	sum, err := d.Signature(ctx)
	return sum.Samples, err
}

// Signature is Sign with that of the bytes; Content is "" for a part of a set in memory, whose bytes are decoded.
func (d *Set) Signature(ctx context.Context) (data.Signature, error) {
	if d.samplesSum != "" {
		return data.Signature{N: d.n, Samples: d.samplesSum, Content: d.contentSum}, nil
	}
	s := data.NewSigner(d.info.Classes)
	if err := d.each(ctx, func(_ int, m *data.Sample) { s.Add(m) }); err != nil {
		return data.Signature{}, err
	}
	sum := s.Sum()
	if d.InMemory() {
		sum.Content = ""
	}
	return sum, nil
}
