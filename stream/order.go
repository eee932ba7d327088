// Package stream orders corrupted images for test-time adaptation, whose methods see images one after the other: corruptions
// in turn, severity that rises and falls, everything mixed, classes that come together, walks from one corruption to another.
//
// An [Order] says for each position which sample it is and how it is corrupted. It is a function of the seed and the
// position, so that a stream can begin anywhere. [Open] makes a data set of it, a [Source], which package generate writes and
// package feed serves. [Source.WriteManifest] writes it down, and Open makes the same images of such a file.
package stream

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/rng"
)

// ErrOrder is wrapped by errors about an order: its text, or data that it cannot be of.
var ErrOrder = errors.New("bad order")

// ErrTable is wrapped by errors about a table of errors that lacks what a walk needs. It is also an [ErrOrder].
var ErrTable = fmt.Errorf("%w: the table of errors", ErrOrder)

// Change is a corruption at a severity; without a name it is none.
type Change struct {
	Corruption string
	Severity   float64
}

// Step is one position of a stream: a sample, and what is done to it, one after the other.
type Step struct {
	Sample  int // place in the data set
	Changes [2]Change
}

// Order is the order of a stream. At is safe for concurrent use; its argument is 0 to Len()-1, and the orders of this package panic at
// another.
type Order interface {
	Len() int
	At(position int) Step
}

// Kind is a kind of order.
type Kind string

// The kinds.
const (
	// Continual is one corruption after the other, each over all samples: the order of CoTTA (Wang and others, CVPR 2022).
	Continual Kind = "continual"
	// Gradual is continual with severities 1, 2, 3, 4, 5, 4, 3, 2, 1 of each corruption, each over all samples.
	Gradual Kind = "gradual"
	// Mixed is every sample under every corruption, in random order.
	Mixed Kind = "mixed"
	// Correlated is continual with classes that come together: time is cut into windows, and the share of each class in
	// them is drawn from a Dirichlet distribution (as in NOTE, Gong and others, NeurIPS 2022). In a window classes follow
	// each other in random order.
	Correlated Kind = "correlated"
	// Walk goes from one corruption, drawn at random, to the next through both at once, in steps of a quarter of a severity.
	// It is the idea of CCC (Press and others, NeurIPS 2023), which keeps the error of a reference network the same all along. Without
	// a table of such errors the sum of both severities stays the same, which is not the same difficulty.
	Walk Kind = "walk"
)

// Spec is a kind with its parameters. Those that the kind does not have are 0.
type Spec struct {
	Kind     Kind
	Severity float64 // s: of the corruptions; of a walk without Error the sum of both severities, a multiple of 0.25. 5, of a walk 2.5
	Delta    float64 // d: of the Dirichlet distribution; small is strongly correlated. 0.1
	Windows  int     // w: of correlated, for each corruption; 0: as many as classes
	Hold     int     // l: images of a step of a walk. 100
	Error    float64 // e: of a walk with a table, the error to keep, 0 to 1. 0: the severities' sum
	Images   int     // n: of a walk, in all; 0: as many as samples times corruptions
}

// option is one of a spec's: a letter and a number.
type option struct {
	letter          string
	kinds           []Kind
	low, high, step float64 // step 0: any number
	get             func(s *Spec) float64
	set             func(s *Spec, v float64)
}

var options = []option{
	{"s", []Kind{Continual, Mixed, Correlated}, 0.001, 5, 0.001, severityOf, setSeverity},
	{"s", []Kind{Walk}, 0.25, 5, 0.25, severityOf, setSeverity},
	{"d", []Kind{Correlated}, 0.001, 1000, 0, func(s *Spec) float64 { return s.Delta }, func(s *Spec, v float64) { s.Delta = v }},
	{"w", []Kind{Correlated}, 1, 1e6, 1, func(s *Spec) float64 { return float64(s.Windows) }, func(s *Spec, v float64) { s.Windows = int(v) }},
	{"l", []Kind{Walk}, 1, 1e9, 1, func(s *Spec) float64 { return float64(s.Hold) }, func(s *Spec, v float64) { s.Hold = int(v) }},
	{"e", []Kind{Walk}, 0.001, 1, 0, func(s *Spec) float64 { return s.Error }, func(s *Spec, v float64) { s.Error = v }},
	{"n", []Kind{Walk}, 1, 1e9, 1, func(s *Spec) float64 { return float64(s.Images) }, func(s *Spec, v float64) { s.Images = int(v) }},
}

func severityOf(s *Spec) float64     { return s.Severity }
func setSeverity(s *Spec, v float64) { s.Severity = v }

// optionsOf are those of a kind.
func optionsOf(k Kind) (list []option) {
	for _, o := range options {
		if slices.Contains(o.kinds, k) {
			list = append(list, o)
		}
	}
	return list
}

// isStep reports whether a number is a multiple of the option's step, as decimals go.
func (o *option) isStep(v float64) bool {
	n := v / o.step
	return o.step == 0 || math.Abs(n-math.Round(n)) < 1e-6
}

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Continual, Gradual, Mixed, Correlated, Walk} }

// Parse reads a spec: a kind and its options, such as mixed-s3, correlated-d0.1 or walk-s2.5-l100. The error wraps
// [ErrOrder].
func Parse(text string) (Spec, error) {
	words := strings.Split(text, "-")
	s := Spec{Kind: Kind(words[0])}
	if !slices.Contains(Kinds(), s.Kind) {
		return s, fmt.Errorf("%w: %.80q (allowed: %s, with options such as mixed-s3)", ErrOrder, text, strings.Trim(fmt.Sprint(Kinds()), "[]"))
	}
	for _, word := range words[1:] {
		if err := s.parseOption(word); err != nil {
			return s, err
		}
	}
	if err := s.check(); err != nil {
		return s, err
	}
	s.defaults()
	return s, nil
}

// check returns an error where one option leaves another without an effect.
func (s *Spec) check() error {
	if s.Kind == Walk && s.Error > 0 && s.Severity > 0 {
		return fmt.Errorf("%w: %s with e%v and s%v (allowed: one of them, an error to keep or a sum of severities)", ErrOrder, s.Kind, s.Error,
			s.Severity)
	}
	return nil
}

func (s *Spec) parseOption(word string) error {
	allowed := "none"
	for i, o := range optionsOf(s.Kind) {
		steps := map[float64]string{1: ", whole", 0.25: ", in quarters", 0.001: ", up to three decimals"}[o.step]
		if i == 0 {
			allowed = ""
		} else {
			allowed += "; "
		}
		allowed += fmt.Sprintf("%s%v to %s%v%s", o.letter, o.low, o.letter, o.high, steps)
		if text, ok := strings.CutPrefix(word, o.letter); ok && o.get(s) == 0 {
			v, err := strconv.ParseFloat(text, 64)
			if err == nil && v >= o.low && v <= o.high && o.isStep(v) {
				o.set(s, v)
				return nil
			}
		}
	}
	return fmt.Errorf("%w: %s: option %.40q (allowed: %s; each once)", ErrOrder, s.Kind, word, allowed)
}

// defaults fills in what is 0.
func (s *Spec) defaults() {
	for _, o := range optionsOf(s.Kind) {
		v := map[string]float64{"s": 5, "d": 0.1, "l": 100}[o.letter]
		if o.letter == "s" && s.Kind == Walk {
			if v = 2.5; s.Error > 0 {
				v = 0 // the severities follow from the error
			}
		}
		if v > 0 && o.get(s) == 0 {
			o.set(s, v)
		}
	}
}

// String is the text that Parse reads.
func (s Spec) String() string {
	text := string(s.Kind)
	for _, o := range optionsOf(s.Kind) {
		if v := o.get(&s); v > 0 {
			text += "-" + o.letter + strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return text
}

// Data is what an order is of.
type Data struct {
	Samples     int
	Labels      []int    // of the samples; for Correlated alone
	Corruptions []string // in the order of continual streams
	Errors      *Errors  // for walks with Spec.Error
	Seed        uint64
}

// New returns the order of a spec. The error wraps [ErrOrder] and says what the data lacks.
func New(s Spec, d Data) (Order, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	s.defaults()
	key := rng.NewKey(d.Seed).Str("stream").Str(string(s.Kind))
	least := 1
	if s.Kind == Walk {
		least = 2
	}
	switch {
	case d.Samples < 1:
		return nil, fmt.Errorf("%w: %s of a data set without samples", ErrOrder, s.Kind)
	case d.Errors != nil && s.Kind != Walk:
		return nil, fmt.Errorf("%w: %s with a table of errors, which walk-eERROR is by", ErrOrder, s.Kind)
	case len(d.Corruptions) < least:
		return nil, fmt.Errorf("%w: %s of %d corruptions (allowed: at least %d)", ErrOrder, s.Kind, len(d.Corruptions), least)
	}
	switch s.Kind {
	case Continual:
		return turns(d, key, s.Severity), nil
	case Gradual:
		return turns(d, key, 1, 2, 3, 4, 5, 4, 3, 2, 1), nil
	case Mixed:
		return &mixed{d, s.Severity, newPermutation(d.Samples*len(d.Corruptions), key)}, nil
	case Correlated:
		return correlatedOrder(s, d, key)
	case Walk:
		return walk(s, d, key)
	}
	return nil, fmt.Errorf("%w: %q", ErrOrder, s.Kind)
}

// phase is a stretch of positions with one corruption, or two.
type phase struct {
	changes [2]Change
	end     int // position after its last
}

// phases is an order of stretches. The samples follow each other in random orders, another for each pass over all of them.
type phases struct {
	list    []phase
	samples int
	key     rng.Key
}

// turns is every corruption at every severity, over all samples.
func turns(d Data, key rng.Key, severities ...float64) *phases {
	p := &phases{samples: d.Samples, key: key}
	for _, name := range d.Corruptions {
		for _, severity := range severities {
			p.add([2]Change{{name, severity}}, d.Samples)
		}
	}
	return p
}

func (p *phases) add(changes [2]Change, n int) {
	p.list = append(p.list, phase{changes, p.Len() + n})
}

// Len implements [Order].
func (p *phases) Len() int {
	if len(p.list) == 0 {
		return 0
	}
	return p.list[len(p.list)-1].end
}

// At implements [Order].
func (p *phases) At(i int) Step {
	k := sort.Search(len(p.list), func(k int) bool { return i < p.list[k].end })
	order := newPermutation(p.samples, p.key.Uint(uint64(i/p.samples)))
	return Step{order.at(i % p.samples), p.list[k].changes}
}

// mixed is all pairs in random order.
type mixed struct {
	Data
	severity float64
	order    permutation
}

// Len implements [Order].
func (m *mixed) Len() int { return int(m.order.n) }

// At implements [Order].
func (m *mixed) At(i int) Step {
	pair, n := m.order.at(i), len(m.Corruptions)
	return Step{pair / n, [2]Change{{m.Corruptions[pair%n], m.severity}}}
}

// listed is an order that is written down.
type listed []Step

// Len implements [Order].
func (l listed) Len() int { return len(l) }

// At implements [Order].
func (l listed) At(i int) Step { return l[i] }

// correlated is an order of samples for each corruption.
type correlated struct {
	Data
	severity float64
	orders   [][]int32
}

// correlatedOrder draws the windows.
func correlatedOrder(s Spec, d Data, key rng.Key) (Order, error) {
	classes := map[int][]int32{}
	for i, label := range d.Labels {
		if label < 0 {
			return nil, fmt.Errorf("%w: %s: sample %d has no label", ErrOrder, s.Kind, i)
		}
		classes[label] = append(classes[label], int32(i))
	}
	windows := s.Windows
	if windows == 0 {
		windows = len(classes)
	}
	if len(d.Labels) != d.Samples || windows > d.Samples || len(classes) < 2 {
		return nil, fmt.Errorf("%w: %s of %d windows: %d samples of %d classes (allowed: two classes, and a sample for each window)", ErrOrder,
			s.Kind, windows, d.Samples, len(classes))
	}
	var labels []int
	for label := range classes {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	c := &correlated{Data: d, severity: s.Severity}
	for _, name := range d.Corruptions {
		key := key.Str(name)
		slots := make([][][]int32, windows) // by class
		share := make([]float64, windows)
		for _, label := range labels {
			r := key.Str("class").Uint(uint64(label)).Rand()
			mine := slices.Clone(classes[label])
			r.Shuffle(len(mine), func(i, j int) { mine[i], mine[j] = mine[j], mine[i] })
			r.Dirichlet(share, s.Delta)
			sum, from := 0.0, 0
			for w := range slots {
				sum += share[w]
				to := min(max(int(sum*float64(len(mine))+0.5), from), len(mine))
				if w == windows-1 {
					to = len(mine)
				}
				slots[w] = append(slots[w], mine[from:to])
				from = to
			}
		}
		order := make([]int32, 0, d.Samples)
		for w, slot := range slots {
			r := key.Str("window").Uint(uint64(w)).Rand()
			r.Shuffle(len(slot), func(i, j int) { slot[i], slot[j] = slot[j], slot[i] })
			order = append(order, slices.Concat(slot...)...)
		}
		c.orders = append(c.orders, order)
	}
	return c, nil
}

// Len implements [Order].
func (c *correlated) Len() int { return c.Samples * len(c.Corruptions) }

// At implements [Order].
func (c *correlated) At(i int) Step {
	k := i / c.Samples
	return Step{int(c.orders[k][i%c.Samples]), [2]Change{{c.Corruptions[k], c.severity}}}
}
