package metrics

import (
	"fmt"
	"math"
)

// Records keeps of each outcome what the bootstrap of every classification metric needs: 28 bytes a row. The zero
// value is empty and ready. Two models are compared on Records of the same rows in the same order.
type Records struct {
	classes          int
	conf, nll, brier []float64
	rank             []uint32
	order            []uint32 // rows by ascending confidence, nil until asked for
}

// Add adds the outcome of a row, with the errors of [Classification.Add].
func (r *Records) Add(o *Outcome) error {
	if err := o.check(); err != nil {
		return err
	}
	if r.classes == 0 {
		r.classes = o.Classes
	}
	if o.Classes != r.classes {
		return fmt.Errorf("%w: row %d has %d classes, the rows before %d", ErrLength, o.Row, o.Classes, r.classes)
	}
	r.conf = append(r.conf, o.Conf)
	r.nll = append(r.nll, o.NLL)
	r.brier = append(r.brier, o.Brier)
	r.rank = append(r.rank, uint32(o.Rank))
	r.order = nil
	return nil
}

// Merge appends the rows of o; unlike the accumulators' this depends on the order, as rows have positions.
func (r *Records) Merge(o *Records) error {
	if r.classes != 0 && o.classes != 0 && r.classes != o.classes {
		return fmt.Errorf("%w: merging %d classes with %d", ErrLength, r.classes, o.classes)
	}
	r.classes = max(r.classes, o.classes)
	r.conf = append(r.conf, o.conf...)
	r.nll = append(r.nll, o.nll...)
	r.brier = append(r.brier, o.brier...)
	r.rank = append(r.rank, o.rank...)
	r.order = nil
	return nil
}

// N returns the number of rows.
func (r *Records) N() int { return len(r.rank) }

// TopKError is the top-k error as a statistic, errors as in [Classification.TopKError].
func (r *Records) TopKError(k int) (Statistic, error) {
	if r.classes == 0 {
		return nil, emptyErr("error")
	}
	if k < 1 || k > r.classes {
		return nil, optionErr("top-%d error of %d classes (allowed: 1 to the number of classes)", k, r.classes)
	}
	wrong := make(meanStatistic, len(r.rank))
	for i, rank := range r.rank {
		if int(rank) > k {
			wrong[i] = 1
		}
	}
	return wrong, nil
}

// NLL is the mean negative log-likelihood as a statistic. A row of infinite NLL is an error that wraps [ErrScore].
func (r *Records) NLL() (Statistic, error) { return MeanStatistic(r.nll) }

// Brier is the multiclass Brier score as a statistic.
func (r *Records) Brier() (Statistic, error) { return MeanStatistic(r.brier) }

// BrierBinary is the Brier score of correct/incorrect as a statistic.
func (r *Records) BrierBinary() (Statistic, error) {
	v := make([]float64, len(r.conf))
	for i, c := range r.conf {
		if r.rank[i] == 1 {
			c = 1 - c
		}
		v[i] = float64(c * c)
	}
	return MeanStatistic(v)
}

// Calibration is the adaptive calibration error as a statistic, errors as in [Calibration.Error].
func (r *Records) Calibration(norm Norm, a Adaptive) (Statistic, error) {
	if norm > Max {
		return nil, optionErr("calibration norm %d", norm)
	}
	if len(r.conf) == 0 {
		return nil, emptyErr("calibration error")
	}
	if err := a.check(uint64(len(r.conf))); err != nil {
		return nil, err
	}
	if err := r.sort(); err != nil {
		return nil, err
	}
	s := &calibrationStatistic{norm: norm, a: a, order: r.order}
	s.conf, s.right = make([]float64, len(r.order)), make([]uint32, len(r.order))
	for i, row := range r.order {
		s.conf[i] = r.conf[row]
		if r.rank[row] == 1 {
			s.right[i] = 1
		}
		if i == 0 || s.conf[i] != s.conf[i-1] {
			continue
		}
		if n := len(s.ties); n > 0 && s.ties[n-1][1] == i {
			s.ties[n-1][1] = i + 1
		} else {
			s.ties = append(s.ties, [2]int{i - 1, i + 1})
		}
	}
	return s, nil
}

// AURRA is [Calibration.AURRA] as a statistic.
func (r *Records) AURRA() (Statistic, error) { return r.grouped((*groups).aurra) }

// AURC is [Calibration.AURC] as a statistic.
func (r *Records) AURC() (Statistic, error) { return r.grouped((*groups).aurc) }

// ExcessAURC is [Calibration.ExcessAURC] as a statistic.
func (r *Records) ExcessAURC() (Statistic, error) { return r.grouped((*groups).excessAURC) }

// SoftF1 is [Calibration.SoftF1] as a statistic.
func (r *Records) SoftF1() (Statistic, error) { return r.grouped((*groups).softF1) }

// ECE is [EqualWidth.ECE] as a statistic.
func (r *Records) ECE(bins int) (Statistic, error) { return r.width(bins, false) }

// MaxCalibration is [EqualWidth.MaxCalibration] as a statistic.
func (r *Records) MaxCalibration(bins int) (Statistic, error) { return r.width(bins, true) }

// sort finds the rows' order by confidence, once.
func (r *Records) sort() error {
	if err := checkRows(len(r.conf)); err != nil || r.order != nil {
		return err
	}
	keys := make([]uint64, len(r.conf))
	for i, c := range r.conf {
		keys[i] = floatKey(c)
	}
	r.order = argsort(keys)
	return nil
}

// grouped sorts the rows once; a replicate then only counts each distinct confidence's rows.
func (r *Records) grouped(f func(*groups) float64) (Statistic, error) {
	if len(r.conf) == 0 {
		return nil, emptyErr("statistic")
	}
	if err := r.sort(); err != nil {
		return nil, err
	}
	s := &groupStatistic{f: f, order: r.order, right: make([]uint32, len(r.order))}
	for i, row := range r.order {
		if i == 0 || r.conf[row] != r.conf[r.order[i-1]] {
			s.g.conf = append(s.g.conf, r.conf[row])
			s.ends = append(s.ends, i)
		}
		s.ends[len(s.ends)-1] = i + 1
		if r.rank[row] == 1 {
			s.right[i] = 1
		}
	}
	s.g.n, s.g.k = make([]uint32, len(s.ends)), make([]uint32, len(s.ends))
	return s, nil
}

type groupStatistic struct {
	f     func(*groups) float64
	order []uint32
	right []uint32 // 1 where order's row is correct
	ends  []int    // of each group in order
	g     groups
}

func (s *groupStatistic) Strata() []int { return []int{len(s.order)} }

func (s *groupStatistic) Weighted(w []uint32) float64 {
	i := 0
	s.g.total = 0
	for j, end := range s.ends {
		var n, k uint32
		for ; i < end; i++ {
			v := w[s.order[i]]
			n += v
			k += v * s.right[i]
		}
		s.g.n[j], s.g.k[j] = n, k
		s.g.total += uint64(n)
	}
	return s.f(&s.g)
}

func (r *Records) width(bins int, largest bool) (Statistic, error) {
	if err := checkBins(bins); err != nil {
		return nil, err
	}
	if len(r.conf) == 0 {
		return nil, emptyErr("calibration error")
	}
	s := &widthStatistic{largest: largest, bin: make([]uint32, len(r.conf)), gap: make([]float64, len(r.conf))}
	for i, c := range r.conf {
		s.bin[i] = uint32(widthIndex(c, bins))
		s.gap[i] = c
		if r.rank[i] == 1 {
			s.gap[i] = c - 1
		}
	}
	s.n, s.sum = make([]uint64, bins), make([]compensated, bins)
	return s, nil
}

type widthStatistic struct {
	largest bool
	bin     []uint32
	gap     []float64 // confidence - correct
	n       []uint64
	sum     []compensated
}

func (s *widthStatistic) Strata() []int { return []int{len(s.bin)} }

func (s *widthStatistic) Weighted(w []uint32) float64 {
	clear(s.n)
	clear(s.sum)
	for i, b := range s.bin {
		if w[i] > 0 {
			s.n[b] += uint64(w[i])
			s.sum[b].add(float64(w[i]) * s.gap[i])
		}
	}
	var ece, mce float64
	var total uint64
	for b, n := range s.n {
		if n > 0 {
			gap := math.Abs(s.sum[b].value())
			ece += gap
			mce = max(mce, gap/float64(n))
			total += n
		}
	}
	if s.largest {
		return mce
	}
	return ece / float64(total)
}

// DetectionMetric names a metric of a [Detection] for the bootstrap.
type DetectionMetric uint8

const (
	// AUROC is [Detection.AUROC].
	AUROC DetectionMetric = iota
	// AveragePrecision is [Detection.AveragePrecision].
	AveragePrecision
	// AUPRTrapezoid is [Detection.AUPRTrapezoid].
	AUPRTrapezoid
	// FPR95 is [Detection.FPR] at [DefaultRecall] with the rule [AtLeast].
	FPR95
	// FPR95Nearest is [Detection.FPR] at [DefaultRecall] with the rule [Nearest].
	FPR95Nearest
)

// Statistic returns a detection metric as a statistic of two strata, first the positives in the order added, then the
// negatives: positives and negatives are resampled separately. It keeps the scores of now.
func (d *Detection) Statistic(m DetectionMetric) (Statistic, error) {
	if m > FPR95Nearest {
		return nil, optionErr("detection metric %d", m)
	}
	if _, err := d.ready(); err != nil {
		return nil, err
	}
	n := len(d.pos) + len(d.neg)
	keys := make([]uint64, 0, n)
	for _, scores := range [][]float64{d.pos, d.neg} {
		for _, s := range scores {
			keys = append(keys, ^floatKey(s)) // descending
		}
	}
	s := &detectionStatistic{metric: m, order: argsort(keys), pos: len(d.pos), neg: len(d.neg), mask: make([]uint32, n)}
	for i, row := range s.order {
		if int(row) < s.pos {
			s.mask[i] = math.MaxUint32
		}
		if i == 0 || keys[row] != keys[s.order[i-1]] {
			s.ends = append(s.ends, i)
		}
		s.ends[len(s.ends)-1] = i + 1
	}
	if len(s.ends) == n && m != AUPRTrapezoid {
		s.steps = make([]step, s.pos+1)
		return s, nil
	}
	s.c.p, s.c.q = make([]uint32, len(s.ends)), make([]uint32, len(s.ends))
	return s, nil
}

type detectionStatistic struct {
	metric   DetectionMetric
	order    []uint32
	mask     []uint32 // all ones where order's row is positive, else 0: cheaper than a branch that nothing predicts
	ends     []int
	pos, neg int
	c        curve
	steps    []step // not nil where all scores differ
}

func (s *detectionStatistic) Strata() []int { return []int{s.pos, s.neg} }

func (s *detectionStatistic) Weighted(w []uint32) float64 {
	if s.steps != nil {
		return s.distinct(w)
	}
	i := 0
	s.c.totalP, s.c.totalQ = 0, 0
	for j, end := range s.ends {
		var p, q uint32
		for ; i < end; i++ {
			v := w[s.order[i]]
			p += v & s.mask[i]
			q += v &^ s.mask[i]
		}
		s.c.p[j], s.c.q[j] = p, q
		s.c.totalP += uint64(p)
		s.c.totalQ += uint64(q)
	}
	if s.c.totalP == 0 || s.c.totalQ == 0 {
		return math.NaN()
	}
	switch s.metric {
	case AUROC:
		return s.c.auroc()
	case AveragePrecision:
		return s.c.averagePrecision()
	case AUPRTrapezoid:
		return s.c.trapezoid()
	case FPR95:
		return s.c.fpr(DefaultRecall, AtLeast)
	}
	return s.c.fpr(DefaultRecall, Nearest)
}
