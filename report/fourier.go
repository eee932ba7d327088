package report

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// FourierName is the file of a run's Fourier sensitivity map, as the suite fourier writes it: a square
// array of error rates, one for each frequency, the lowest in the middle, NaN where a frequency was not measured.
const FourierName = "fourier.npy"

// Bounds of a map. The file is read at once: a side of 1024 in float64 is 8 MiB.
const (
	maxFourierSide = 1024
	maxFourierFile = 9 << 20
)

// FourierMap is the error of a model on images to which one Fourier basis function each was added.
type FourierMap struct {
	Side  int
	Error []float64 // [Side, Side], fractions; frequency 0 at [Side/2, Side/2]; NaN is not measured
}

// readFourier reads the map of a run's directory, nil if there is none. Every error names the file.
func readFourier(dir string) (*FourierMap, error) {
	path := storage.Join(dir, FourierName)
	b, err := storage.ReadFile(path, maxFourierFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := parseFourier(b)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

// errFourier: an array that is no map.
var errFourier = errors.New("no Fourier map")

// parseFourier reads the bytes of an npy file and checks that they are a map.
func parseFourier(b []byte) (*FourierMap, error) {
	a, err := npy.Read(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != a.Shape[1] || a.Shape[0] < 1 || a.Shape[0] > maxFourierSide {
		return nil, fmt.Errorf("%w: shape %v (allowed: [n, n], n from 1 to %d)", errFourier, a.Shape, maxFourierSide)
	}
	switch a.Data.(type) {
	case []float32, []float64:
	default:
		return nil, fmt.Errorf("%w: elements that are %s (allowed: float32, float64)", errFourier, a.Kind())
	}
	m := &FourierMap{Side: a.Shape[0], Error: a.Float64s()}
	measured := false
	for i, v := range m.Error {
		if math.IsNaN(v) {
			continue
		}
		measured = true
		if v < 0 || v > 1 {
			return nil, fmt.Errorf("%w: %v at [%d, %d] (allowed: error rates from 0 to 1, NaN)", errFourier, v, i/m.Side,
				i%m.Side)
		}
	}
	if !measured {
		return nil, fmt.Errorf("%w: every value is NaN", errFourier)
	}
	return m, nil
}

// ring returns the mean over the frequencies whose greater number of cycles, up or across, is from lo to hi, NaN if
// none was measured.
func (m *FourierMap) ring(lo, hi int) float64 {
	return score.Ring(m.Side, m.Error, lo, hi)
}

// bands cuts a map's frequencies into thirds by their greater number of cycles: the last of the low and of the middle.
func (m *FourierMap) bands() (low, middle int) {
	most := m.Side / 2
	return most / 3, 2 * most / 3
}

// thirds names the bands.
func (m *FourierMap) thirds() string {
	low, middle := m.bands()
	return fmt.Sprintf("low 0 to %d, middle %d to %d, high %d to %d", low, low+1, middle, middle+1, m.Side/2)
}

// sensitive is a model with its map.
type sensitive struct {
	s *Subject
	m *FourierMap
}

// fourierOf finds the models that the runs' maps are of: those whose row says the mean over the map, or the only model
// of a run without such rows.
func (b *builder) fourierOf(base string) []sensitive {
	var out []sensitive
	for _, run := range b.runs {
		if run.Fourier == nil {
			continue
		}
		var rows, models int
		var found *Subject
		mean := run.Fourier.ring(0, run.Fourier.Side)
		for _, s := range b.subjects {
			if s.run != run {
				continue
			}
			models++
			for i := range run.Rows {
				r := &run.Rows[i]
				if r.Model != s.Model || !r.Fourier || r.Metric != results.Top1Error ||
					r.Origin != results.Measured {
					continue
				}
				rows++
				if found == nil && r.Dataset == base && score.Near(r.Value, mean) {
					found = s
				}
			}
		}
		if rows == 0 && models == 1 && base == b.bases()[0] {
			found = b.subjects[slices.IndexFunc(b.subjects, func(s *Subject) bool { return s.run == run })]
		}
		if found != nil {
			out = append(out, sensitive{found, run.Fourier})
			b.mapped[run] = true
		}
	}
	return out
}

// fourier draws the maps of all models on one scale, and says the mean error of low, middle and high frequencies.
func (b *builder) fourier(base, name string) {
	all := b.fourierOf(base)
	if len(all) == 0 {
		b.notes = append(b.notes, fmt.Sprintf("Fourier sensitivity of %s: no run directory has %s.", results.DisplayName(base), FourierName))
		return
	}
	s := b.section(2, "Fourier sensitivity"+name)
	more := len(all) - maxMaps
	if more > 0 {
		all = all[:maxMaps]
	}
	p := &chart.Panels{Title: "Fourier sensitivity" + name, Columns: 4}
	t := &Table{
		ID: b.table(base, "fourier"), Title: "Error by frequency" + name,
		Columns: []Column{
			{Head: "All", Long: "Error, mean over all frequencies", Percent: true, Better: -1},
			{Head: "Low", Long: "Error, mean over low frequencies", Percent: true, Better: -1},
			{Head: "Middle", Long: "Error, mean over middle frequencies", Percent: true, Better: -1},
			{Head: "High", Long: "Error, mean over high frequencies", Percent: true, Better: -1},
		},
	}
	alike := !slices.ContainsFunc(all, func(x sensitive) bool { return x.m.Side != all[0].m.Side })
	if !alike {
		t.Columns = append(t.Columns, Column{Head: "Cycles", Long: "Cycles per image of the thirds", Text: true, Names: true})
	}
	for _, x := range all {
		low, middle := x.m.bands()
		means := []float64{x.m.ring(0, x.m.Side), x.m.ring(0, low), x.m.ring(low+1, middle), x.m.ring(middle+1, x.m.Side)}
		row := Row{Name: x.s.Name, Origin: x.s.Origin, Source: x.s.Source}
		for _, v := range means {
			row.Cells = append(row.Cells, Cell{Number: given(v)})
		}
		if !alike {
			row.Cells = append(row.Cells, Cell{Text: x.m.thirds()})
		}
		t.Rows = append(t.Rows, row)
		p.Charts = append(p.Charts, &chart.Map{
			Title: "Fourier sensitivity of " + x.s.Name, Name: x.s.Name, NoKey: true,
			Desc: fmt.Sprintf("Error for every frequency that is added, in the middle the lowest. Mean %s; low frequencies %s, "+
				"middle %s, high %s.", chart.Say(means[0], true), chart.Say(means[1], true), chart.Say(means[2], true),
				chart.Say(means[3], true)),
			Rows: x.m.Side, Cols: x.m.Side, Values: x.m.Error, FirstRow: -(x.m.Side / 2), FirstCol: -(x.m.Side / 2),
			RowLabel: "Cycles per image", ColLabel: "Cycles per image", Label: "Error", Percent: true, Max: 1,
		})
	}
	for i := range b.subjects {
		r := results.Cell{Dataset: base, View: results.View{Fourier: true}, Metric: results.Top1Error}
		if n := b.subjects[i].Get(r); n.Has() {
			b.used[score.Place(r)] = true
		}
	}
	caption := "Top-1 error on images to which one frequency was added: cycles per image across and down, low " +
		"frequencies in the middle; the same colors for all models, from 0 to 100 %. After figure 9 of the AugMix paper."
	if slices.ContainsFunc(all, func(x sensitive) bool { return slices.ContainsFunc(x.m.Error, math.IsNaN) }) {
		caption += " What has no color was not measured."
	}
	if more > 0 {
		caption += fmt.Sprintf(" The first %d of %d models.", maxMaps, maxMaps+more)
	}
	p.Desc = caption
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(base, "fourier"), Caption: caption, Chart: p}})
	t.Caption = "Means over thirds of the map, by cycles per image, the greater of across and down"
	if alike {
		t.Caption += ": " + all[0].m.thirds()
	}
	t.Caption += "."
	s.Blocks = append(s.Blocks, Block{Table: t})
}

// maxMaps bounds the maps of a report: one of a large image takes some tens of kilobytes.
const maxMaps = 24

// unmapped says which maps are of no model.
func (b *builder) unmapped() {
	for _, run := range b.runs {
		if run.Fourier != nil && !b.mapped[run] {
			b.notes = append(b.notes, fmt.Sprintf("%s of %s: its mean, %s, is no row's of the suite fourier, so that its "+
				"model is not known.", FourierName, run.Name, plain(run.Fourier.ring(0, run.Fourier.Side))))
		}
	}
}
