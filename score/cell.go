package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/internal/parallel"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Cell accumulates the predictions on images that are scored together: clean ones, or those of one corruption at one
// severity. Make one with [NewCell]. It is not safe for concurrent use.
type Cell struct {
	Corruption string  // empty for clean images
	Severity   float64 // from 1; 0 for clean images and for perturbations
	// Keep remembers each prediction, 28 bytes and 8 for its classes: for intervals, comparisons and records. Set it
	// before the first one.
	Keep bool
	// ByClass counts the predictions by class, for rows of each and, of clean images, for classwise calibration; nil counts
	// none. Set it before the first one.
	ByClass *Classes

	class     *metrics.Classification
	classwise *metrics.Classwise // of clean images, else nil
	stability *metrics.Stability // of sequences
	hard      int                // the difficulty of sequences
	bins      int                // of equal width
	rows      int
	truths    uint64 // a checksum of the labels in their order, from labelSum
	order     order  // of the labels, for rows
	origin    origin // what is said beside the files of the predictions, for rows
	// numbers: of predicted classes alone, whose outcomes have no confidences. most is the largest class and one, of predicted classes
	// alone, those of videos too.
	numbers bool
	most    int
	kept
}

// errNoCell is of a cell that is neither of images nor of sequences.
var errNoCell = fmt.Errorf("%w: a cell that nothing made (allowed: one of NewCell or NewSequences)", ErrOption)

// kept is what is remembered of each image or video, in their order.
type kept struct {
	samples records.Samples
	pred    []int32
	truth   []int32
	scores  [6][]float64 // OOD scores, in the order of metrics.OODScores
	videos  []metrics.Video
	ids     []uint64
}

// NewCell returns an empty cell of still images. bins is how many bins of equal width its confidences fall into, 0 for
// metrics.DefaultWidthBins. It returns an error that wraps metrics.ErrOption for more than 10,000.
func NewCell(corruption string, severity float64, bins int) (*Cell, error) {
	bins = (&Metrics{Bins: bins}).bins()
	c := &Cell{Corruption: corruption, Severity: severity, bins: bins}
	var err error
	if c.class, err = metrics.NewClassification(bins); err == nil && corruption == "" {
		c.classwise, err = metrics.NewClasswise(bins)
	}
	return c, err
}

// NewSequences returns an empty cell of the videos of a perturbation, with the errors of metrics.NewStability.
func NewSequences(perturbation string, difficulty int, zipf bool) (*Cell, error) {
	s, err := metrics.NewStability(perturbation, difficulty)
	if err != nil {
		return nil, err
	}
	if zipf {
		s.MeasureZipf()
	}
	return &Cell{Corruption: perturbation, stability: s, hard: difficulty}, nil
}

// N returns the number of images or videos.
func (c *Cell) N() int { return c.rows }

// Add adds the outcome of an image, with the errors of metrics.Classification.Add, and [ErrOption] for a cell of sequences.
// Classwise calibration needs more; see [AddRow].
func (c *Cell) Add(o *metrics.Outcome) error {
	if err := c.count(o); err != nil {
		return err
	}
	c.truths += labelSum(c.rows, o.Label)
	c.order.add(o.Label)
	c.rows++
	if !c.Keep {
		return nil
	}
	return c.remember(o)
}

// count adds an outcome to the metrics.
func (c *Cell) count(o *metrics.Outcome) error {
	if c.class == nil {
		return fmt.Errorf("%w: an image in a cell of sequences, or of nothing (allowed: in one of NewCell)", ErrOption)
	}
	err := c.class.Add(o)
	if err == nil && c.ByClass != nil {
		err = c.ByClass.Add(o)
	}
	return err
}

// AddLogits adds rows of logits, one of len(logits)/len(labels) classes for each label. Errors are those of
// metrics.Score and [Cell.Add], and name the row in the cell: the rows before it were added.
func AddLogits[F metrics.Float](c *Cell, logits []F, labels []int) error {
	if len(labels) == 0 || len(logits)%len(labels) != 0 {
		return fmt.Errorf("%w: %d logits for %d labels", metrics.ErrLength, len(logits), len(labels))
	}
	classes := len(logits) / len(labels)
	for i, label := range labels {
		o, err := metrics.Score(c.rows, logits[i*classes:][:classes], label)
		if err == nil {
			err = AddRow(c, &o, logits[i*classes:][:classes])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// AddRow is [Cell.Add] of an outcome and of the logits or probabilities that it was made of.
func AddRow[F metrics.Float](c *Cell, o *metrics.Outcome, row []F) error {
	if err := c.Add(o); err != nil || !c.takesRows() {
		return err
	}
	return metrics.AddClasswise(c.classwise, o, row)
}

// takesRows reports whether the probabilities of all classes count. They take several times as long as the outcome.
func (c *Cell) takesRows() bool { return c.ByClass != nil && c.classwise != nil }

// AddVideo adds the logits of a video, one row of classes a frame, with the errors of metrics.AddVideo, and [ErrOption] for a
// cell of images.
func AddVideo[F metrics.Float](c *Cell, logits []F, classes int) error {
	if c.stability == nil {
		return fmt.Errorf("%w: a video in a cell of images (allowed: in one of NewSequences)", ErrOption)
	}
	v, err := metrics.AddVideo(c.stability, c.rows, logits, classes)
	if err != nil {
		return err
	}
	c.videos = append(c.videos, v)
	c.rows++
	return nil
}

// Video returns what video i contributed, for [Cell.AddKnown].
func (c *Cell) Video(i int) metrics.Video { return c.videos[i] }

// AddKnown adds what a video contributed to another cell of the same perturbation. It panics for a cell of images.
func (c *Cell) AddKnown(v metrics.Video) {
	if c.stability == nil {
		panic("score: a video in a cell of images")
	}
	c.stability.Add(v)
	c.videos = append(c.videos, v)
	c.rows++
}

// keeps reports whether each prediction of a labeled image was kept, or each video.
func (c *Cell) keeps() bool { return c.stability != nil || uint64(c.samples.N()) == c.class.N() }

func (k *kept) remember(o *metrics.Outcome) error {
	if err := k.samples.Add(o); err != nil {
		return err
	}
	k.pred, k.truth = append(k.pred, int32(o.Pred)), append(k.truth, int32(o.Label))
	return nil
}

// Samples returns the outcome of each prediction, empty unless Keep was set. It is not a copy.
func (c *Cell) Samples() *records.Samples { return &c.samples }

// Videos returns the flip probability of each video, and the top-5 distance of those that have one.
func (c *Cell) Videos() (flips, top5 []float64) {
	for _, v := range c.videos {
		flips = append(flips, v.Flip)
		if !math.IsNaN(v.Top5) {
			top5 = append(top5, v.Top5)
		}
	}
	return flips, top5
}

// labelSum is an image's part of a checksum that can be added up in any order (the finalizer of SplitMix64).
func labelSum(at, label int) uint64 {
	x := uint64(at)<<20 ^ uint64(label)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Rows returns the rows of the cell: base with the cell's place, its number of images and each metric, clean images with
// their reliability diagram. base is of the benchmark; its data set's name is taken as it is. What is undefined on
// these images is NaN, with a note that says why. The error wraps [ErrOption] for a cell that nothing made.
func (c *Cell) Rows(base results.Row, m Metrics) (rows []results.Row, notes []string, err error) {
	t := &taking{}
	if err := t.cell(c, base, &m, nil); err != nil {
		return nil, nil, err
	}
	return t.rows, t.notes, nil
}

// taking collects the rows that are taken of predictions.
type taking struct {
	rows  []results.Row
	notes []string
	// statistics are what differences are taken of.
	statistics []namedStatistic
	bootstrap  *Bootstrap // nil without intervals
}

type namedStatistic struct {
	row  results.Row // without an interval
	stat metrics.Statistic
}

func (t *taking) note(format string, args ...any) {
	t.notes = addNote(t.notes, fmt.Sprintf(format, args...))
}

// add records a number. What is undefined on these images is recorded as such, with a note that says why.
func (t *taking) add(base results.Row, metric string, v float64, err error) error {
	base.Metric, base.Value = metric, v
	name := placed(&base)
	if errors.Is(err, metrics.ErrUndefined) {
		base.Value = math.NaN()
		t.note("%s: %v", name, err)
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.rows = append(t.rows, base)
	return nil
}

// placed is a row's metric for notes, with what it was measured on where that are not clean images.
func placed(r *results.Row) string {
	name := r.MetricName(r.Metric)
	if r.Corruption != "" {
		name += " of " + (&Cell{Corruption: r.Corruption, Severity: r.Severity}).what()
	}
	if r.OOD != "" {
		name += " of " + r.OOD
	}
	return name
}

// cell takes the metrics of a cell. kept has its predictions where intervals are wanted, else it is nil.
func (t *taking) cell(c *Cell, base results.Row, m *Metrics, kept *metrics.Records) error {
	base.Corruption, base.Severity, base.N = c.Corruption, c.Severity, int64(c.rows)
	if c.stability != nil {
		return t.sequences(c, base)
	}
	if c.class == nil {
		return errNoCell
	}
	c.order.mark(&base)
	own := *m
	own.Bins, m = c.bins, &own // the value and its interval are of the same bins
	scalars := m.scalars(c.class.Classes(), c.rows)
	if c.numbers {
		scalars = scalars[:1] // the error
	}
	values := c.values(scalars, !m.Uncalibrated && !c.numbers, m.Workers)
	for i, x := range scalars {
		at := base
		at.SkipLast = x.skip
		m.mark(&at, x.name)
		if err := t.add(at, x.name, values[i].v, values[i].err); err != nil {
			return err
		}
		if kept == nil || x.stat == nil || math.IsNaN(t.rows[len(t.rows)-1].Value) {
			continue
		}
		stat, err := x.stat(kept)
		if err := t.interval(stat, err); err != nil {
			return err
		}
	}
	if c.takesRows() && c.classwise.N() == c.class.N() && !m.Uncalibrated {
		v, err := c.classwise.ECE()
		at := base
		m.mark(&at, results.ClasswiseECE)
		if err := t.add(at, results.ClasswiseECE, v, err); err != nil {
			return err
		}
	}
	if c.Corruption == "" && !m.Uncalibrated && !c.numbers {
		t.rows = append(t.rows, diagram(base, c.class.EqualWidth())...)
	}
	if c.ByClass == nil {
		return nil
	}
	rows, err := c.ByClass.Rows(base)
	t.rows = append(t.rows, rows...)
	return err
}

type value struct {
	v   float64
	err error
}

// values returns the metrics of the cell. calibrated says that most are of sorted confidences.
func (c *Cell) values(scalars []scalar, calibrated bool, workers int) []value {
	values := make([]value, len(scalars))
	if calibrated {
		defer c.class.Calibration().Hold()()
	}
	parallel.Do(len(scalars), workers, func(_, i int) {
		values[i].v, values[i].err = scalars[i].of(c.class)
	})
	return values
}

// diagram returns the rows of a reliability diagram.
func diagram(base results.Row, width *metrics.EqualWidth) []results.Row {
	var bins []results.ReliabilityBin
	for _, b := range width.Bins() {
		bins = append(bins, results.ReliabilityBin{N: int64(b.N), Confidence: b.Confidence, Accuracy: b.Accuracy})
	}
	return results.ReliabilityRows(base, bins)
}

// Pooled returns the reliability diagram of the predictions of several cells together: base with each bin.
func Pooled(base results.Row, cells ...*records.Samples) ([]results.Row, error) {
	var width metrics.EqualWidth
	for _, s := range cells {
		for i, rank := range s.Rank {
			if err := width.Add(s.Confidence[i], rank == 1); err != nil {
				return nil, err
			}
		}
	}
	return diagram(base, &width), nil
}

// Error returns the top-1 error of the cell's images, with the errors of metrics.Classification.Error; sequences have none, and the
// error wraps metrics.ErrNotComputable.
func (c *Cell) Error() (float64, error) {
	if c.class == nil {
		return 0, fmt.Errorf("%w: error of sequences, or of nothing", metrics.ErrNotComputable)
	}
	return c.class.Error()
}
