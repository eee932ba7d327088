package metrics

import "math"

// DefaultBinSize is the number of rows in an adaptive calibration bin in the authors' tool.
const DefaultBinSize = 100

// Norm says how the gaps of calibration bins are combined.
type Norm uint8

const (
	// RMS is the root of the mean squared gap, the papers' "RMS calibration error".
	RMS Norm = iota
	// MAD is the mean absolute gap, the adaptive form of ECE.
	MAD
	// Max is the largest gap.
	Max
)

func (n Norm) String() string {
	switch n {
	case RMS:
		return "rms"
	case MAD:
		return "mad"
	case Max:
		return "max"
	}
	return "unknown"
}

// Adaptive is the binning of the papers' calibration errors: rows are sorted by confidence and cut into bins of Size
// rows from the least confident on; there are N div Size bins and the last takes the remainder too (the authors'
// calibration_tools, used for AugMix and PixMix).
type Adaptive struct {
	Size int // rows in a bin; 0 means [DefaultBinSize]
	// SkipLast leaves the last, most confident bin out of the sum while its rows stay in the weights, as the
	// published code does by an off-by-one. Published figures have it; the difference is one bin's share. With one
	// bin the result is 0. The default is the exact definition, all bins.
	SkipLast bool
}

func (a Adaptive) size() int {
	if a.Size == 0 {
		return DefaultBinSize
	}
	return a.Size
}

func (a Adaptive) check(n uint64) error {
	if size := a.size(); size < 1 || uint64(size) > n {
		return optionErr("bins of %d rows for %d rows (allowed: 1 to the number of rows)", size, n)
	}
	return nil
}

// Calibration holds the confidences of predictions, with whether they were correct, for the metrics that need them
// sorted. It takes 8 bytes a row. The zero value is empty and ready. A Calibration sorts itself when a value is asked
// for, so not even that is safe for concurrent use.
type Calibration struct {
	keys   []uint64 // bits of the confidence, whose sign is 0, shifted left; the lowest bit is "correct"
	sorted bool
	held   *groups // of sorted keys, see Hold
}

// Add adds a row: the confidence of its prediction and whether it was correct. It returns an error that wraps
// [ErrScore] unless 0 <= conf <= 1.
func (c *Calibration) Add(conf float64, correct bool) error {
	if err := checkConf(conf); err != nil {
		return err
	}
	c.add(conf, correct)
	return nil
}

func (c *Calibration) add(conf float64, correct bool) {
	k := math.Float64bits(conf+0) << 1 // -0 + 0 is +0
	if correct {
		k |= 1
	}
	c.keys = append(c.keys, k)
	c.sorted, c.held = false, nil
}

// Grow makes room for n more rows.
func (c *Calibration) Grow(n int) {
	if need := len(c.keys) + n; need > cap(c.keys) {
		c.keys = append(make([]uint64, 0, need), c.keys...)
	}
}

// Merge adds the rows of o. Sorted rows with sorted ones stay sorted.
func (c *Calibration) Merge(o *Calibration) {
	c.held = nil
	if c.sorted && o.sorted {
		c.keys = mergeKeys(c.keys, o.keys)
		return
	}
	c.keys = append(c.keys, o.keys...)
	c.sorted = false
}

// Sort sorts the rows, which the first value does otherwise: parts can be sorted at once, each by a goroutine, and merged then.
func (c *Calibration) Sort() {
	if !c.sorted {
		sortKeys(c.keys, make([]uint64, len(c.keys)))
		c.sorted = true
	}
}

// Hold sorts the rows and keeps them as the metrics need them, in 16 bytes a row more, until rows are added or release is called. In
// the meantime values take less time, and several goroutines may ask for them at once.
func (c *Calibration) Hold() (release func()) {
	c.held, _ = c.group("") // without rows every value says what is wrong
	return func() { c.held = nil }
}

// N returns how many rows were added.
func (c *Calibration) N() uint64 { return uint64(len(c.keys)) }

// Error returns the calibration error with adaptive bins. It returns an error that wraps [ErrUndefined] without rows,
// or [ErrOption] for a bin size below 1 or above the number of rows (where the published code fails too).
func (c *Calibration) Error(norm Norm, a Adaptive) (float64, error) {
	if norm > Max {
		return 0, optionErr("calibration norm %d", norm)
	}
	g, err := c.group("calibration error")
	if err != nil {
		return 0, err
	}
	if err := a.check(c.N()); err != nil {
		return 0, err
	}
	return g.calibration(norm, a), nil
}

// RMS is the papers' RMS calibration error, the L2 form: Error(RMS, Adaptive{}).
func (c *Calibration) RMS() (float64, error) { return c.Error(RMS, Adaptive{}) }

// MAD is the papers' mean absolute calibration error, the L1 form: Error(MAD, Adaptive{}).
func (c *Calibration) MAD() (float64, error) { return c.Error(MAD, Adaptive{}) }

// Bins returns the adaptive bins in ascending order of confidence, the last one always included.
func (c *Calibration) Bins(a Adaptive) ([]Bin, error) {
	g, err := c.group("calibration bins")
	if err != nil {
		return nil, err
	}
	if err := a.check(c.N()); err != nil {
		return nil, err
	}
	var out []Bin
	g.bins(a.size(), func(b bin) {
		out = append(out, Bin{N: b.n, Confidence: b.conf / float64(b.n), Accuracy: b.correct / float64(b.n)})
	})
	return out, nil
}

// AURRA returns the area under the response-rate accuracy curve: rows sorted by descending confidence, the mean over i
// of the accuracy of the first i. Among rows of equal confidence the accuracy is the mean over their orders.
func (c *Calibration) AURRA() (float64, error) {
	g, err := c.group("AURRA")
	if err != nil {
		return 0, err
	}
	return g.aurra(), nil
}

// AURC returns the area under the risk-coverage curve (Geifman, Uziel and El-Yaniv, ICLR 2019): rows sorted by
// descending confidence, the mean over i of the error of the first i, from 0 to 1. Among rows of equal confidence the
// error is the mean over their orders, as for [Calibration.AURRA], which is one minus this.
func (c *Calibration) AURC() (float64, error) {
	g, err := c.group("AURC")
	if err != nil {
		return 0, err
	}
	return g.aurc(), nil
}

// ExcessAURC returns E-AURC of the same paper: [Calibration.AURC] minus that of the best order, in which every right row
// comes before every wrong one. With k of n rows wrong, that is the sum of i/(n-k+i) over i = 1 to k, divided by n; the
// paper's r + (1-r) log(1-r), with r = k/n, is its limit. The range is 0 to 1.
func (c *Calibration) ExcessAURC() (float64, error) {
	g, err := c.group("E-AURC")
	if err != nil {
		return 0, err
	}
	return g.excessAURC(), nil
}

// SoftF1 returns the soft F1 score of telling wrong predictions from right ones by 1-confidence: with TP = sum over
// wrong rows of 1-conf, FP = sum over right rows of 1-conf and FN = sum over wrong rows of conf, 2TP/(2TP+FP+FN). It
// returns an error that wraps [ErrUndefined] if no row is wrong and every confidence is 1.
func (c *Calibration) SoftF1() (float64, error) {
	g, err := c.group("soft F1")
	if err != nil {
		return 0, err
	}
	return defined(g.softF1(), "soft F1 without a wrong row or an unsure one")
}

// BrierBinary returns the Brier score of the correct/incorrect question: the mean of (confidence - correct)^2.
func (c *Calibration) BrierBinary() (float64, error) {
	g, err := c.group("Brier score")
	if err != nil {
		return 0, err
	}
	return g.brier(), nil
}

// BrierParts is the split of the binary Brier score by calibration bins (Murphy 1973; the papers' "Brier = RMS^2 +
// refinement"). Score = Calibration + Refinement holds exactly, up to rounding.
type BrierParts struct {
	Score       float64 // mean of (confidence - correct)^2
	Calibration float64 // squared RMS calibration error over all bins
	// Refinement is the mean over rows of the variance of (confidence - correct) within the row's bin. Where a bin
	// holds one confidence only it is accuracy*(1-accuracy), the textbook term.
	Refinement float64
}

// BrierParts returns the decomposition for the adaptive bins a, of which all count whatever SkipLast says: without the
// last bin the parts do not add up. Errors are those of [Calibration.Error].
func (c *Calibration) BrierParts(a Adaptive) (BrierParts, error) {
	g, err := c.group("Brier score")
	if err != nil {
		return BrierParts{}, err
	}
	if err := a.check(c.N()); err != nil {
		return BrierParts{}, err
	}
	var cal, ref compensated
	g.bins(a.size(), func(b bin) {
		n := float64(b.n)
		gap := (b.conf - b.correct) / n
		cal.add(n * gap * gap)
		ref.add(max(b.squares-float64(n*gap*gap), 0))
	})
	n := float64(g.total)
	return BrierParts{Score: g.brier(), Calibration: cal.value() / n, Refinement: ref.value() / n}, nil
}

func defined(v float64, what string) (float64, error) {
	if math.IsNaN(v) {
		return 0, undefinedErr(what)
	}
	return v, nil
}

// group returns the sorted rows by confidence.
func (c *Calibration) group(what string) (*groups, error) {
	if len(c.keys) == 0 {
		return nil, emptyErr(what)
	}
	if err := checkRows(len(c.keys)); err != nil {
		return nil, err
	}
	if c.Sort(); c.held != nil {
		return c.held, nil
	}
	return groupKeys(c.keys), nil
}

// groups are rows by distinct confidence, ascending. The metrics are functions of these alone, and so of the multiset
// of rows. Groups of no rows (a bootstrap draw may leave a confidence out) change nothing.
type groups struct {
	conf  []float64
	n, k  []uint32 // rows and correct rows
	total uint64   // sum of n
}

func groupKeys(keys []uint64) *groups {
	distinct := 0
	for i, k := range keys {
		if i == 0 || k>>1 != keys[i-1]>>1 {
			distinct++
		}
	}
	g := &groups{
		conf: make([]float64, 0, distinct), n: make([]uint32, 0, distinct), k: make([]uint32, 0, distinct),
		total: uint64(len(keys)),
	}
	for i, k := range keys {
		if i == 0 || k>>1 != keys[i-1]>>1 {
			g.conf = append(g.conf, math.Float64frombits(k>>1))
			g.n = append(g.n, 0)
			g.k = append(g.k, 0)
		}
		g.n[len(g.n)-1]++
		g.k[len(g.k)-1] += uint32(k & 1)
	}
	return g
}

// bin is the content of one adaptive bin; correct is fractional where a group of ties is cut.
type bin struct {
	n             uint64
	conf, correct float64
	squares       float64 // sum of (confidence - correct)^2
}

func (b *bin) add(n uint64, conf, accuracy float64) {
	w := float64(n)
	b.n += n
	b.conf += float64(w * conf)
	b.correct += float64(w * accuracy)
	b.squares += float64(w * square(conf, accuracy))
}

// square is the mean of (conf-y)^2 over y, 1 with probability accuracy and else 0.
func square(conf, accuracy float64) float64 {
	return float64(accuracy*(1-conf)*(1-conf)) + float64((1-accuracy)*conf*conf)
}

// bins calls f with each adaptive bin of size rows, in ascending order.
func (g *groups) bins(size int, f func(bin)) {
	b := newBinner(g.total, size)
	for i, n := range g.n {
		if n > 0 {
			b.fill(uint64(n), g.conf[i], float64(g.k[i])/float64(n), f)
		}
	}
	f(b.bin)
}

func (g *groups) calibration(norm Norm, a Adaptive) float64 {
	sum := newGaps(norm, a, g.total)
	g.bins(a.size(), sum.add)
	return sum.value()
}

func (g *groups) aurra() float64 { return g.area(g.right) }

func (g *groups) aurc() float64 { return g.area(g.wrong) }

func (g *groups) right(i int) uint32 { return g.k[i] }

func (g *groups) wrong(i int) uint32 { return g.n[i] - g.k[i] }

// area is the mean over i of the share, among the i most confident rows, of those that count says how many of a group are.
func (g *groups) area(count func(i int) uint32) float64 {
	var sum compensated
	var seen, counted uint64
	for i := len(g.n) - 1; i >= 0; i-- {
		n, k := g.n[i], count(i)
		if n == 0 {
			continue
		}
		share := float64(k) / float64(n)
		for j := uint32(1); j <= n; j++ {
			sum.add((float64(counted) + float64(float64(j)*share)) / float64(seen+uint64(j)))
		}
		seen += uint64(n)
		counted += uint64(k)
	}
	return sum.value() / float64(g.total)
}

func (g *groups) excessAURC() float64 {
	var wrong uint64
	for i := range g.n {
		wrong += uint64(g.wrong(i))
	}
	var best compensated
	for i := uint64(1); i <= wrong; i++ {
		best.add(float64(i) / float64(g.total-wrong+i))
	}
	return max(g.aurc()-best.value()/float64(g.total), 0) // rounding can take it below
}

func (g *groups) softF1() float64 {
	var tp, fp, fn compensated
	for i, conf := range g.conf {
		right, wrong := float64(g.k[i]), float64(g.n[i]-g.k[i])
		tp.add(wrong * (1 - conf))
		fp.add(right * (1 - conf))
		fn.add(wrong * conf)
	}
	t := 2 * tp.value()
	return t / (t + fp.value() + fn.value()) // 0/0 is NaN
}

func (g *groups) brier() float64 {
	var sum compensated
	for i, conf := range g.conf {
		right, wrong := float64(g.k[i]), float64(g.n[i]-g.k[i])
		sum.add(float64(right*(1-conf)*(1-conf)) + float64(wrong*conf*conf))
	}
	return sum.value() / float64(g.total)
}
