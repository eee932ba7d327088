package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// ErrShare: a share of a data set that is no sample.
var ErrShare = errors.New("nothing to hold out")

// HoldOut parts a data set in two: a share of every class, which training does not see, for validation, and the rest.
// Which samples are held out depends on the seed, their keys and their classes, not on their order. Shares are rounded so
// that a class is within one sample of its own and all classes together within one of theirs; no class loses its last
// sample, so that all together may be fewer where many classes are of one. The error wraps [ErrShare] where nothing could be
// held out.
func (d *Set) HoldOut(ctx context.Context, share float64, seed uint64) (train, val *Set, err error) {
	return d.holdOut(ctx, share, seed, func(s *data.Sample) int { return s.Label })
}

// HoldOutUnlabeled is HoldOut of a data set whose labels do not matter: all samples are of one class.
func (d *Set) HoldOutUnlabeled(ctx context.Context, share float64, seed uint64) (train, val *Set, err error) {
	train, val, err = d.holdOut(ctx, share, seed, func(*data.Sample) int { return data.NoLabel })
	if errors.Is(err, ErrShare) {
		err = fmt.Errorf("%w: %v of %d samples is none, as one at least is kept to train on", ErrShare, share, d.n)
	}
	return train, val, err
}

// holdOut is HoldOut by classes of the caller's.
func (d *Set) holdOut(ctx context.Context, share float64, seed uint64, class func(*data.Sample) int) (train, val *Set, err error) {
	classes := map[int][]drawn{}
	key := rng.NewKey(seed).Str("hold out")
	err = d.each(ctx, func(i int, s *data.Sample) {
		r := transform.SampleKey(key, s.Key).Rand()
		c := class(s)
		classes[c] = append(classes[c], drawn{i, r.Uint64()})
	})
	if err != nil {
		return nil, nil, err
	}
	held := make([]bool, d.n)
	seen, asked, owed, taken := 0, 0, 0, 0
	for _, label := range slices.Sorted(maps.Keys(classes)) {
		list := classes[label]
		slices.SortFunc(list, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.draw, b.draw), cmp.Compare(a.at, b.at)) })
		seen += len(list)
		// What rounding takes from one class the next ones get, so that many small classes have a validation too. What a class
		// cannot give they give as well, but none more than its own share, rounded up.
		due := int(float64(share*float64(seen))+0.5) - asked
		most := max(due, int(math.Ceil(share*float64(len(list)))))
		n := min(due+owed, most, len(list)-1)
		for _, s := range list[:n] {
			held[s.at] = true
		}
		asked, owed, taken = asked+due, owed+due-n, taken+n
	}
	if taken == 0 {
		return nil, nil, fmt.Errorf("%w: %v of %d samples in %d classes is none, as every class keeps one to train on", ErrShare,
			share, d.n, len(classes))
	}
	return d.part(held, false), d.part(held, true), nil
}

// drawn is a sample with its place in the order in which samples are held out.
type drawn struct {
	at   int
	draw uint64
}

// part returns the samples that are held out, or the others, in their order.
func (d *Set) part(held []bool, want bool) *Set {
	var at []int
	for i, is := range held {
		if is == want {
			at = append(at, i)
		}
	}
	p := &Set{info: d.info, n: len(at), contentSum: d.contentSum, filesSum: d.filesSum} // the bytes are known of the whole alone
	if d.samples == nil {
		p.source = data.Select(d.source, at).(data.Indexed) // it is, as the whole is
		return p
	}
	for _, i := range at {
		p.samples = append(p.samples, d.samples[i])
	}
	return p
}

// each calls f for every sample, with its key and label. A set that is not in memory is read for it.
func (d *Set) each(ctx context.Context, f func(i int, s *data.Sample)) error {
	var s data.Sample
	for i := range d.n {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if d.samples == nil {
			if err := d.source.Read(i, &s); err != nil {
				return err
			}
		} else {
			s.Key, s.Label = d.samples[i].key, d.samples[i].label
		}
		f(i, &s)
	}
	return nil
}
