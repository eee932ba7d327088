package metrics

import (
	"fmt"
	"math"

	"github.com/augmix-go/augmix/metrics/internal/softmax"
)

const (
	topN    = 5                 // of the top-5 distance
	maxTop5 = 5 + 4 + 3 + 2 + 1 // every one of the five leaves
	maxZipf = 2.4               // by Cauchy and Schwarz at most sqrt(2)*(pi^2/6) = 2.33 for any number of classes
)

// Stability accumulates the prediction stability of a perturbation's sequences: flip probability, top-5 distance and
// Zipf distance (Hendrycks and Dietterich, section 4.2 and appendix). Each is a mean over the pairs of frames of a
// video and then over videos.
//
// Pairs: for noise ([IsNoise]) every later frame against the first one; otherwise frame i against frame i-d at
// difficulty d. For noise the difficulty selects harder files and changes nothing here.
//
// With ranks from 1 by descending logit (equal logits by class), i the rank of a class in the reference frame, which
// is the earlier one, and s its rank in the other: the top-5 distance of a pair is the sum over the reference's five
// best classes of |i - min(s, 6)|, so that a class that leaves the top five costs 6-i. The Zipf distance is the sum
// over all classes of |1/i - 1/s| / i.
//
// The zero value is one of difficulty 1 for what is no noise. Not safe for concurrent use: give each worker its own and Merge them.
type Stability struct {
	noise           bool
	zipf            bool
	difficulty      int
	flip, top, dist Mean
	flat            uint64 // videos without logits or with fewer than five classes, which have no top-5 distance

	// Scratch of the video in hand, by frame.
	preds  []int
	five   []leaders
	ranks  []uint32 // by frame and class
	sorter argsorter
	recip  []float64 // 1/i at i
}

// leaders are the classes ranked 1 to 5.
type leaders [topN]int

// Video is what one video contributes.
type Video struct {
	Flip float64 // fraction of its pairs of frames whose predictions differ
	// Top5 and Zipf are the mean distances of its pairs. They are NaN for a video of predictions alone, Top5 also for
	// fewer than five classes, and Zipf also unless it was asked for.
	Top5, Zipf float64
}

// NewStability returns an accumulator for a perturbation at a difficulty from 1 to 1000.
func NewStability(perturbation string, difficulty int) (*Stability, error) {
	if difficulty < 1 || difficulty > 1000 {
		return nil, optionErr("difficulty %d of %s (allowed: 1 to 1000)", difficulty, perturbation)
	}
	return &Stability{noise: IsNoise(perturbation), difficulty: difficulty}, nil
}

// MeasureZipf makes s measure the Zipf distance too, for which every frame's classes are sorted. Call it before the
// first video.
func (s *Stability) MeasureZipf() { s.zipf = true }

// AddVideo adds a video of logits, one row of classes after the other, one row a frame, and returns what it
// contributes. The number video names it in errors: [ErrLength] if the logits are not whole rows or there are too few
// frames for one pair, [ErrLogit] with the frame for logits that [Score] would refuse. On an error nothing is added.
func AddVideo[F Float](s *Stability, video int, logits []F, classes int) (Video, error) {
	if classes < 1 || len(logits)%classes != 0 {
		return Video{}, fmt.Errorf("%w: video %d: %d logits of %d classes", ErrLength, video, len(logits), classes)
	}
	frames := len(logits) / classes
	s.preds, s.five = s.preds[:0], s.five[:0]
	for f := range frames {
		row := logits[f*classes:][:classes]
		top, _, ok := softmax.Peak(row)
		if !ok {
			return Video{}, fmt.Errorf("video %d, rows are frames: %w", video, badLogit(f, row))
		}
		s.preds = append(s.preds, softmax.First(row, top))
		if classes >= topN {
			s.five = append(s.five, topFive(row))
		}
	}
	v, err := s.flips(video, s.preds)
	if err != nil {
		return Video{}, err
	}
	if classes >= topN {
		v.Top5 = top5Distance(s, logits, classes)
	}
	if s.zipf {
		v.Zipf = zipfDistance(s, logits, classes)
	}
	s.Add(v)
	return v, nil
}

// AddPredictions adds a video by its predicted classes alone, one a frame. It has a flip probability and no distances.
// Errors are those of [AddVideo], and [ErrLabel] for a negative class.
func (s *Stability) AddPredictions(video int, preds []int) (Video, error) {
	for f, p := range preds {
		if p < 0 {
			return Video{}, fmt.Errorf("video %d: %w", video, rowErr(ErrLabel, f, -1, float64(p), "0 or more"))
		}
	}
	v, err := s.flips(video, preds)
	if err != nil {
		return Video{}, err
	}
	s.Add(v)
	return v, nil
}

// Add adds what a video contributed before, as [AddVideo] returned it. It panics if Flip is not from 0 to 1.
func (s *Stability) Add(v Video) {
	if !(v.Flip >= 0 && v.Flip <= 1) {
		panic(fmt.Sprintf("metrics: a video with Flip %v (allowed: 0 to 1)", v.Flip))
	}
	s.flip.add(v.Flip)
	if math.IsNaN(v.Top5) {
		s.flat++
	} else {
		s.top.add(v.Top5)
	}
	if !math.IsNaN(v.Zipf) {
		s.dist.add(v.Zipf)
	}
}

// step returns the distance of a pair's frames, 0 meaning "from the first".
func (s *Stability) step() int {
	if s.noise {
		return 0
	}
	return max(s.difficulty, 1)
}

// reference returns the frame that frame f is compared with.
func (s *Stability) reference(f int) int {
	if s.noise {
		return 0
	}
	return f - s.step()
}

func (s *Stability) flips(video int, preds []int) (Video, error) {
	first := max(s.step(), 1)
	if len(preds) <= first {
		return Video{}, fmt.Errorf("%w: video %d has %d frames (allowed: at least %d)", ErrLength, video, len(preds),
			first+1)
	}
	flips := 0
	for f := first; f < len(preds); f++ {
		if preds[f] != preds[s.reference(f)] {
			flips++
		}
	}
	nan := math.NaN()
	return Video{Flip: float64(flips) / float64(len(preds)-first), Top5: nan, Zipf: nan}, nil
}

// top5Distance walks the same pairs as flips.
func top5Distance[F Float](s *Stability, logits []F, classes int) float64 {
	first := max(s.step(), 1)
	moved := 0
	for f := first; f < len(s.five); f++ {
		ranks := ranksOf(logits[f*classes:][:classes], &s.five[s.reference(f)])
		for i, r := range ranks {
			moved += abs(min(r, topN+1) - (i + 1))
		}
	}
	return float64(moved) / float64(len(s.five)-first)
}

// zipfDistance walks the same pairs as flips.
func zipfDistance[F Float](s *Stability, logits []F, classes int) float64 {
	for i := len(s.recip); i <= classes; i++ {
		s.recip = append(s.recip, 1/float64(max(i, 1)))
	}
	rankAll(s, logits, classes)
	first := max(s.step(), 1)
	frames := len(logits) / classes
	var sum compensated
	for f := first; f < frames; f++ {
		here := s.ranks[f*classes:][:classes]
		for j, i := range s.ranks[s.reference(f)*classes:][:classes] {
			a := s.recip[i]
			sum.add(math.Abs(a-s.recip[here[j]]) * a)
		}
	}
	return sum.value() / float64(frames-first)
}

// rankAll fills s.ranks.
func rankAll[F Float](s *Stability, logits []F, classes int) {
	if cap(s.ranks) < len(logits) {
		s.ranks = make([]uint32, len(logits))
	}
	s.ranks = s.ranks[:len(logits)]
	for at := 0; at < len(logits); at += classes {
		rows := s.sorter.reset(classes)
		for j, v := range logits[at : at+classes] {
			rows[j] = keyedRow{^floatKey(float64(v)), uint32(j)}
		}
		for i, r := range s.sorter.sort() {
			s.ranks[at+int(r.row)] = uint32(i + 1)
		}
	}
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}

// topFive returns the five largest, the first of equals first. The row has at least five finite numbers.
func topFive[F Float](row []F) leaders {
	var best leaders
	n := 0
	for j, v := range row {
		if n == topN && v <= row[best[topN-1]] {
			continue
		}
		k := min(n, topN-1)
		for ; k > 0 && v > row[best[k-1]]; k-- {
			best[k] = best[k-1]
		}
		best[k] = j
		n = min(n+1, topN)
	}
	return best
}

// ranksOf returns the ordinal ranks, from 1, of five classes in a row.
func ranksOf[F Float](row []F, classes *leaders) (ranks [topN]int) {
	var at [topN]F
	lowest := row[classes[0]]
	for i, c := range classes {
		at[i] = row[c]
		lowest = min(lowest, at[i])
		ranks[i] = 1
	}
	for j, v := range row {
		if v < lowest {
			continue
		}
		for i, c := range classes {
			if v > at[i] || v == at[i] && j < c {
				ranks[i]++
			}
		}
	}
	return ranks
}

// Merge adds the videos of o. It returns an error that wraps [ErrOption] if the two compare frames differently.
func (s *Stability) Merge(o *Stability) error {
	if s.noise != o.noise || s.step() != o.step() || s.zipf != o.zipf {
		return optionErr("merging step %d with step %d (0 is against the first frame), Zipf distance %t with %t",
			s.step(), o.step(), s.zipf, o.zipf)
	}
	s.flip.Merge(&o.flip)
	s.top.Merge(&o.top)
	s.dist.Merge(&o.dist)
	s.flat += o.flat
	return nil
}

// N returns the number of videos.
func (s *Stability) N() uint64 { return s.flip.n }

// FlipProbability returns FP, the mean over videos, or an error that wraps [ErrUndefined] without videos.
func (s *Stability) FlipProbability() (float64, error) { return s.flip.Value() }

// Top5Distance returns the unnormalized top-5 distance (unT5D), the mean over videos. It returns an error that wraps
// [ErrUndefined] without videos or if some had predictions only or fewer than five classes.
func (s *Stability) Top5Distance() (float64, error) {
	if s.flat > 0 {
		return 0, undefinedErr(fmt.Sprintf("top-5 distance: %d videos have predictions only or fewer than %d classes",
			s.flat, topN))
	}
	return s.top.Value()
}

// ZipfDistance returns the unnormalized Zipf distance, the mean over videos. It returns an error that wraps
// [ErrUndefined] without videos, without [Stability.MeasureZipf], or if some videos had predictions only.
func (s *Stability) ZipfDistance() (float64, error) {
	if s.dist.n != s.flip.n {
		return 0, undefinedErr(fmt.Sprintf("Zipf distance: measured for %d of %d videos", s.dist.n, s.flip.n))
	}
	return s.dist.Value()
}
