package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/fourier"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/score"
)

// FourierSuite says which Fourier heat map to measure (AugMix, appendix B).
type FourierSuite struct {
	// Open returns the labeled test set; it is read once for each frequency.
	Open    func() (data.Source, error)
	Prepare Prepare
	Length  float64 // of the added function; 0 is fourier.Length of the image's side
	Radius  int     // only frequencies up to this many rows and columns from the middle; 0 is the whole map
	Seed    uint64
}

// Map is a heat map: the error for each frequency, rows from the top.
type Map struct {
	Side  int       // rows and columns
	Error []float64 // [Side, Side], fractions; the lowest frequency at [Side/2, Side/2]
	N     int64     // images behind each value
}

// Fourier measures the error on images to which one Fourier basis function each was added, for every frequency.
// Each image and plane has a sign of its own, drawn from Seed. The row with the mean over the map is recorded, with
// results.View.Fourier.
func (e *Evaluator) Fourier(ctx context.Context, o *FourierSuite) (*Map, error) {
	h, w, _ := e.Predictor.Input()
	if h != w {
		return nil, fmt.Errorf("%w: a heat map needs square images, not %dx%d", ErrImages, w, h)
	}
	length, radius := o.Length, o.Radius
	if length == 0 {
		length = fourier.Length(h)
	}
	if radius == 0 {
		radius = h
	}
	if !(length > 0) || radius < 0 {
		return nil, fmt.Errorf("%w: a Fourier map of length %v, radius %d (allowed: above 0)", ErrOption, length, o.Radius)
	}
	row := e.base(e.Dataset, &o.Seed)
	row.Fourier = true
	how := fmt.Sprintf("%s, length %v, radius %d", o.Prepare.text(), length, radius)
	if e.Preprocess != nil { // older versions added the function behind it
		how += ", then preprocessed"
	}
	if err := e.ofImages(&row, e.read(how)); err != nil {
		return nil, err
	}
	side := min(h, 2*radius+1)
	m := &Map{Side: side, Error: make([]float64, side*side)}
	for i := range m.Error {
		m.Error[i] = math.NaN()
	}
	var list []fourier.Frequency
	for _, f := range fourier.Half(h, w) {
		if max(f.Row, -f.Row, f.Col, -f.Col) <= radius {
			list = append(list, f)
		}
	}
	for i, f := range list {
		v, n, err := e.frequency(ctx, o, f, h, length)
		if err != nil {
			return nil, fmt.Errorf("frequency %d, %d: %w", f.Row, f.Col, err)
		}
		m.N = n
		for _, at := range []fourier.Frequency{f, fourier.Mirror(f, h, w)} {
			if r, c := at.Row+side/2, at.Col+side/2; r >= 0 && r < side && c >= 0 && c < side {
				m.Error[r*side+c] = v
			}
		}
		if e.Report != nil {
			e.Report("fourier", i+1, len(list))
		}
	}
	row.Metric, row.N = results.Top1Error, m.N*int64(len(list))
	row.Value = score.Ring(side, m.Error, 0, side)
	return m, e.put(row)
}

// frequency measures the error with one basis function.
func (e *Evaluator) frequency(ctx context.Context, o *FourierSuite, f fourier.Frequency, side int, length float64) (float64, int64, error) {
	src, err := o.Open()
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	basis := make([]float32, side*side)
	fourier.Basis(basis, f, side, side)
	cell, err := score.NewCell("", 0, 0)
	if err != nil {
		return 0, 0, err
	}
	s := e.stream(func(t *part, logits []float32) error { return e.addRow(cell, nil, t, logits) })
	key := rng.NewKey(o.Seed).Str("fourier").Uint(uint64(int64(f.Row))).Uint(uint64(int64(f.Col)))
	s.corrupts = true
	s.alter = func(x []float32, parts []part) error {
		each := len(x) / len(parts)
		for i := range parts {
			r := key.Str(parts[i].key).Rand()
			fourier.Add(x[i*each:][:each], basis, length, &r)
		}
		return nil
	}
	j := job{source: data.Limit(src, e.Limit), expander: o.Prepare.expander, workers: e.Workers}
	if _, err := j.run(ctx, s); err != nil {
		return 0, 0, err
	}
	v, err := cell.Error()
	return v, int64(cell.N()), err
}
