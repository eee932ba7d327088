package metrics

import (
	"fmt"
	"math"
)

// Classification accumulates every classification metric of a stream of outcomes: top-k errors, negative
// log-likelihood, Brier scores, adaptive and equal-width calibration, AURRA, AURC and soft-F1. It takes 8 bytes a
// row, for the metrics of sorted confidences. The zero value is empty and ready. It is not safe for concurrent use: give each
// worker its own and Merge them.
type Classification struct {
	classes     int
	ranks       []uint64 // ranks[r-1] rows have the true class at rank r
	nll, brier  Mean
	infinite    uint64 // rows whose NLL is infinite
	infiniteRow int    // the lowest of them
	conf        Calibration
	width       EqualWidth
}

// NewClassification returns an accumulator whose equal-width calibration has so many bins, from 1 to 10,000.
func NewClassification(widthBins int) (*Classification, error) {
	e, err := NewEqualWidth(widthBins)
	if err != nil {
		return nil, err
	}
	return &Classification{width: *e}, nil
}

// Add adds the outcome of a row. It returns an error that wraps [ErrLabel] if the row has no label or its rank is above its classes,
// [ErrScore] if its confidence, loss or Brier score is out of range, or [ErrLength] if it has another number of classes than the rows
// before.
func (c *Classification) Add(o *Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	if c.classes == 0 {
		c.classes = o.Classes
		c.ranks = make([]uint64, o.Classes)
	}
	if o.Classes != c.classes {
		return fmt.Errorf("%w: row %d has %d classes, the rows before %d", ErrLength, o.Row, o.Classes, c.classes)
	}
	c.ranks[o.Rank-1]++
	c.brier.add(o.Brier)
	c.conf.add(o.Conf, o.Rank == 1)
	c.width.add(o.Conf, o.Rank == 1)
	if !finite(o.NLL) {
		if c.infinite == 0 || o.Row < c.infiniteRow {
			c.infiniteRow = o.Row
		}
		c.infinite++
		return nil
	}
	c.nll.add(o.NLL)
	return nil
}

// AddRows scores rows of logits and adds them. The logits are len(labels) rows of equal length, one after the other;
// the first row has the number first, for messages. Rows before the one that an error names have been added.
func AddRows[F Float](c *Classification, first int, logits []F, labels []int) error {
	return addRows(c, first, logits, labels, Score[F])
}

// AddProbRows is [AddRows] for probabilities.
func AddProbRows[F Float](c *Classification, first int, probs []F, labels []int) error {
	return addRows(c, first, probs, labels, ScoreProbs[F])
}

func addRows[F Float](
	c *Classification, first int, rows []F, labels []int, score func(int, []F, int) (Outcome, error),
) error {
	if len(labels) == 0 || len(rows)%len(labels) != 0 || len(rows) == 0 {
		return fmt.Errorf("%w: %d values for %d labels", ErrLength, len(rows), len(labels))
	}
	n := len(rows) / len(labels)
	for i, label := range labels {
		o, err := score(first+i, rows[i*n:][:n], label)
		if err != nil {
			return err
		}
		if err := c.Add(&o); err != nil {
			return err
		}
	}
	return nil
}

// Merge adds the rows of o to c, in any order with the same result. It returns an error that wraps [ErrLength] if the
// numbers of classes or of bins differ; c is then unchanged.
func (c *Classification) Merge(o *Classification) error {
	if o.classes == 0 {
		return nil
	}
	if c.classes != 0 && c.classes != o.classes {
		return fmt.Errorf("%w: merging %d classes with %d", ErrLength, c.classes, o.classes)
	}
	if err := c.width.Merge(&o.width); err != nil { // the last that can fail
		return err
	}
	if c.classes == 0 {
		c.classes = o.classes
		c.ranks = make([]uint64, o.classes)
	}
	for i, n := range o.ranks {
		c.ranks[i] += n
	}
	c.nll.Merge(&o.nll)
	c.brier.Merge(&o.brier)
	if o.infinite > 0 && (c.infinite == 0 || o.infiniteRow < c.infiniteRow) {
		c.infiniteRow = o.infiniteRow
	}
	c.infinite += o.infinite
	c.conf.Merge(&o.conf)
	return nil
}

// N returns how many rows were added.
func (c *Classification) N() uint64 { return c.brier.n }

// Classes returns the number of classes, 0 before the first row.
func (c *Classification) Classes() int { return c.classes }

// Error returns the top-1 error, the fraction of rows whose prediction is not the label (the papers' clean error, or
// the error of one corruption and severity).
func (c *Classification) Error() (float64, error) { return c.TopKError(1) }

// TopKError returns the fraction of rows whose label is not among the k largest logits, equal logits ordered by class.
// It returns an error that wraps [ErrOption] unless 1 <= k <= Classes, or [ErrUndefined] without rows.
func (c *Classification) TopKError(k int) (float64, error) {
	if c.classes == 0 {
		return 0, emptyErr("error")
	}
	if k < 1 || k > c.classes {
		return 0, optionErr("top-%d error of %d classes (allowed: 1 to the number of classes)", k, c.classes)
	}
	var wrong uint64
	for _, n := range c.ranks[k:] {
		wrong += n
	}
	return float64(wrong) / float64(c.N()), nil
}

// NLL returns the mean negative log-likelihood (cross-entropy), natural logarithm. It returns an error that wraps
// [ErrUndefined] and names the first such row if a true class had probability 0, which makes the mean infinite.
func (c *Classification) NLL() (float64, error) {
	if c.infinite > 0 {
		return 0,
			fmt.Errorf("%w: negative log-likelihood: %d rows gave their true class probability 0, the first is row %d",
				ErrUndefined, c.infinite, c.infiniteRow)
	}
	return c.nll.Value()
}

// Brier returns the multiclass Brier score: the mean over rows of sum over classes (p-y)^2, from 0 to 2.
func (c *Classification) Brier() (float64, error) { return c.brier.Value() }

// Calibration returns the sorted-confidence metrics of the rows so far, which share memory with c.
func (c *Classification) Calibration() *Calibration { return &c.conf }

// EqualWidth returns the equal-width calibration of the rows so far, which shares memory with c.
func (c *Classification) EqualWidth() *EqualWidth { return &c.width }

// checkConf refuses confidences that are not probabilities.
func checkConf(conf float64) error {
	if !(conf >= 0 && conf <= 1) {
		return fmt.Errorf("%w: confidence %v (allowed: 0 to 1)", ErrScore, conf)
	}
	return nil
}

// DefaultWidthBins is the number of equal-width bins of Guo et al. (ICML 2017).
const DefaultWidthBins = 15

// EqualWidth is expected calibration error with bins of equal width: bin m of M takes confidences in ((m-1)/M, m/M],
// and the first also 0 (Guo et al., ICML 2017). Memory is constant. The zero value has [DefaultWidthBins] bins.
type EqualWidth struct {
	bins []widthBin
}

type widthBin struct {
	conf    Mean
	correct uint64
}

// checkBins returns an error unless bins can be a number of bins of equal width.
func checkBins(bins int) error {
	if bins < 1 || bins > 10000 {
		return optionErr("%d calibration bins (allowed: 1 to 10000)", bins)
	}
	return nil
}

// NewEqualWidth returns an accumulator with the given number of bins, from 1 to 10,000.
func NewEqualWidth(bins int) (*EqualWidth, error) {
	if err := checkBins(bins); err != nil {
		return nil, err
	}
	return &EqualWidth{bins: make([]widthBin, bins)}, nil
}

// Add adds a row: the confidence of its prediction and whether it was correct. It returns an error that wraps
// [ErrScore] unless 0 <= conf <= 1.
func (e *EqualWidth) Add(conf float64, correct bool) error {
	if err := checkConf(conf); err != nil {
		return err
	}
	e.add(conf, correct)
	return nil
}

func (e *EqualWidth) add(conf float64, correct bool) {
	e.ready()
	b := &e.bins[widthIndex(conf, len(e.bins))]
	b.conf.add(conf)
	if correct {
		b.correct++
	}
}

func (e *EqualWidth) ready() {
	if e.bins == nil {
		e.bins = make([]widthBin, DefaultWidthBins)
	}
}

// widthIndex returns the bin of a confidence. The edges are the float64 values nearest to m/M; the product only finds
// the neighborhood.
func widthIndex(conf float64, bins int) int {
	m := min(max(int(math.Ceil(conf*float64(bins)))-1, 0), bins-1)
	for m > 0 && conf <= float64(m)/float64(bins) {
		m--
	}
	for m < bins-1 && conf > float64(m+1)/float64(bins) {
		m++
	}
	return m
}

// Merge adds the rows of o. It returns an error that wraps [ErrLength] if the numbers of bins differ.
func (e *EqualWidth) Merge(o *EqualWidth) error {
	if o.bins == nil {
		return nil
	}
	if e.bins == nil {
		e.bins = make([]widthBin, len(o.bins))
	}
	if len(e.bins) != len(o.bins) {
		return fmt.Errorf("%w: merging %d calibration bins with %d", ErrLength, len(e.bins), len(o.bins))
	}
	for i := range o.bins {
		e.bins[i].conf.Merge(&o.bins[i].conf)
		e.bins[i].correct += o.bins[i].correct
	}
	return nil
}

// Bin is one bin of a reliability diagram.
type Bin struct {
	N          uint64
	Confidence float64 // mean confidence of the rows; NaN for an empty bin
	Accuracy   float64 // fraction of them that was correct; NaN for an empty bin
}

// Bins returns the bins in ascending order of confidence, empty ones included.
func (e *EqualWidth) Bins() []Bin {
	e.ready()
	out := make([]Bin, len(e.bins))
	for i := range e.bins {
		b := &e.bins[i]
		out[i] = Bin{N: b.conf.n, Confidence: math.NaN(), Accuracy: math.NaN()}
		if b.conf.n > 0 {
			out[i].Confidence = b.conf.sum.over(b.conf.n)
			out[i].Accuracy = float64(b.correct) / float64(b.conf.n)
		}
	}
	return out
}

// ECE returns the expected calibration error: the mean of |confidence-accuracy| over bins weighted by their rows.
func (e *EqualWidth) ECE() (float64, error) {
	ece, _, err := e.errors()
	return ece, err
}

// MaxCalibration returns the maximum calibration error, MCE: the largest |confidence-accuracy| of a bin with rows. (The papers' mCE,
// mean corruption error, is [MeanCE].)
func (e *EqualWidth) MaxCalibration() (float64, error) {
	_, mce, err := e.errors()
	return mce, err
}

func (e *EqualWidth) errors() (ece, mce float64, err error) {
	var n uint64
	for _, b := range e.Bins() {
		if b.N > 0 {
			gap := math.Abs(b.Confidence - b.Accuracy)
			ece += float64(float64(b.N) * gap)
			mce = max(mce, gap)
			n += b.N
		}
	}
	if n == 0 {
		return 0, 0, emptyErr("calibration error")
	}
	return ece / float64(n), mce, nil
}
