package metrics

import (
	"fmt"
	"strings"
)

// Aggregate is one of the published ways to make one number of a [Grid]: all of them are linear in the grid's cells.
// The same Aggregate is evaluated on a Grid ([Grid.Value]) and, image by image, for the bootstrap
// ([ImageGrid.Statistic]).
type Aggregate struct {
	Name  string
	terms func(g *axes) ([]term, error)
}

// term is coefficient times cell; severity 0 is the clean cell.
type term struct {
	corruption, severity int
	coef                 float64
}

// axes is what an aggregate needs to know of a grid.
type axes struct {
	profile    *Profile
	quantity   Quantity
	difficulty int
}

// MeanOver returns the plain mean over the named corruptions and all severities: for one corruption of errors uCE, the
// unnormalized corruption error.
func MeanOver(names ...string) Aggregate {
	return Aggregate{"mean of " + strings.Join(names, ", "), func(g *axes) ([]term, error) {
		return g.mean(names, 0)
	}}
}

// MeanAll returns the plain mean over the benchmark's primary corruptions and all severities: the C error of the CIFAR
// and C-bar tables, and for flip probabilities mFP.
func MeanAll() Aggregate {
	return Aggregate{"mean", func(g *axes) ([]term, error) { return g.mean(g.profile.Primary(), 0) }}
}

// UCE returns the unnormalized corruption error of one corruption: [MeanOver] that one.
func UCE(corruption string) Aggregate { return MeanOver(corruption) }

// SeverityMean returns the plain mean over the primary corruptions at one severity.
func SeverityMean(severity int) Aggregate {
	return Aggregate{fmt.Sprintf("mean at severity %d", severity), func(g *axes) ([]term, error) {
		if err := g.checkSeverity(severity); err != nil {
			return nil, err
		}
		return g.mean(g.profile.Primary(), severity)
	}}
}

// GroupMean returns the plain mean over the primary corruptions of a group and all severities. Benchmarks without
// published groups (C-bar, perturbations) have none: [ErrNotComputable].
func GroupMean(group Group) Aggregate {
	return Aggregate{fmt.Sprintf("mean of group %s", group), func(g *axes) ([]term, error) {
		names := g.profile.Members(group)
		if len(names) == 0 {
			return nil, fmt.Errorf("%w: %s has no corruptions of group %q", ErrNotComputable, g.profile.Name, group)
		}
		return g.mean(names, 0)
	}}
}

// CE returns the corruption error of one corruption: the sum of its errors over severities divided by the baseline's
// (Hendrycks and Dietterich, section 4.1).
func CE(corruption string, b *Baseline) Aggregate {
	return Aggregate{"CE of " + corruption, func(g *axes) ([]term, error) {
		return g.normalized([]string{corruption}, b, CorruptionKind, false)
	}}
}

// MeanCE returns mCE, the mean of [CE] over the primary corruptions.
func MeanCE(b *Baseline) Aggregate {
	return Aggregate{"mCE", func(g *axes) ([]term, error) {
		return g.normalized(g.profile.Primary(), b, CorruptionKind, false)
	}}
}

// RelativeCE returns the relative corruption error of one corruption: sum over severities of (error - clean error),
// divided by the baseline's. The paper's formula can be read otherwise; this reading is the one that gives its printed
// figures.
func RelativeCE(corruption string, b *Baseline) Aggregate {
	return Aggregate{"relative CE of " + corruption, func(g *axes) ([]term, error) {
		return g.normalized([]string{corruption}, b, CorruptionKind, true)
	}}
}

// RelativeMeanCE returns relative mCE, the mean of [RelativeCE] over the primary corruptions.
func RelativeMeanCE(b *Baseline) Aggregate {
	return Aggregate{"relative mCE", func(g *axes) ([]term, error) {
		return g.normalized(g.profile.Primary(), b, CorruptionKind, true)
	}}
}

// Rate returns the flip rate FR of one perturbation, its flip probability divided by the baseline's, or the normalized
// top-5 distance T5D, by the quantity of the grid.
func Rate(perturbation string, b *Baseline) Aggregate {
	return Aggregate{"rate of " + perturbation, func(g *axes) ([]term, error) {
		return g.normalized([]string{perturbation}, b, PerturbationKind, false)
	}}
}

// MeanRate returns mFR, or mT5D, by the quantity of the grid: the mean of [Rate] over the primary perturbations. On
// CIFAR-P the papers' "mFR" and "mT5D" are not normalized: use [MeanAll].
func MeanRate(b *Baseline) Aggregate {
	return Aggregate{"mean rate", func(g *axes) ([]term, error) {
		return g.normalized(g.profile.Primary(), b, PerturbationKind, false)
	}}
}

func (g *axes) checkSeverity(s int) error {
	if s < 1 || s > g.profile.Severities {
		return optionErr("severity %d of %s (allowed: 1 to %d)", s, g.profile.Name, g.profile.Severities)
	}
	return nil
}

// mean gives equal weights to the named corruptions, at all severities (0) or one.
func (g *axes) mean(names []string, severity int) ([]term, error) {
	if len(names) == 0 {
		return nil, optionErr("a mean over no corruptions of %s", g.profile.Name)
	}
	from, to := 1, g.profile.Severities
	if severity > 0 {
		from, to = severity, severity
	}
	coef := 1 / float64(len(names)*(to-from+1))
	var terms []term
	for _, name := range names {
		i, err := g.profile.index(name)
		if err != nil {
			return nil, err
		}
		for s := from; s <= to; s++ {
			terms = append(terms, term{i, s, coef})
		}
	}
	return terms, nil
}

// normalized divides each named corruption's sum by the baseline's and takes the mean over names.
func (g *axes) normalized(names []string, b *Baseline, kind Kind, relative bool) ([]term, error) {
	switch {
	case g.profile.Kind != kind && kind == CorruptionKind:
		return nil, fmt.Errorf("%w: corruption errors of %s, which has perturbations", ErrNotComputable, g.profile.Name)
	case g.profile.Kind != kind:
		return nil, fmt.Errorf("%w: flip rates of %s, which has still images", ErrNotComputable, g.profile.Name)
	case kind == CorruptionKind && g.quantity != ErrorRate:
		return nil, fmt.Errorf("%w: corruption errors of %q (allowed: %q)", ErrNotComputable, g.quantity, ErrorRate)
	}
	if err := b.fits(g.profile, g.quantity, g.difficulty); err != nil {
		return nil, err
	}
	if relative && (!b.HasClean || !g.quantity.allows(b.Clean)) {
		return nil, fmt.Errorf("%w: clean error of the baseline %s", ErrMissing, b.Model)
	}
	var terms []term
	for _, name := range names {
		i, err := g.profile.index(name)
		if err != nil {
			return nil, err
		}
		base, err := b.row(g.profile, name)
		if err != nil {
			return nil, err
		}
		coef, err := inverse(b, name, base, relative, len(names))
		if err != nil {
			return nil, err
		}
		for s := 1; s <= g.profile.Severities; s++ {
			terms = append(terms, term{i, s, coef})
		}
		if relative {
			terms = append(terms, term{0, 0, -coef * float64(g.profile.Severities)})
		}
	}
	return terms, nil
}

func inverse(b *Baseline, name string, base []float64, relative bool, count int) (float64, error) {
	var sum, least float64
	for _, v := range base {
		sum += v
		if relative {
			sum -= b.Clean
			least += 0x1p-46 // what rounding may leave of nothing
		}
	}
	if !(sum > least) {
		return 0, undefinedErr(fmt.Sprintf("division by %s's %s, whose sum %v is not positive", b.Model, name, sum))
	}
	return 1 / (sum * float64(count)), nil
}
