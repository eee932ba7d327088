package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/ood"
)

// adversarial is the suite pgd.
func (r *evalRun) adversarial() error {
	a := attack.PixMix()
	a.Eps, a.Step, a.Steps, a.Centered = r.PgdEps/255, r.PgdStep/255, r.PgdSteps, r.PgdCentred
	if err := a.Check(); err != nil {
		return usageError{err}
	}
	return r.eval.Adversarial(r.app.ctx, r.source, r.prep, a, r.Seed)
}

// anomalous is the suite anomalies.
func (r *evalRun) anomalous() error {
	a := &eval.OODSuite{Open: r.source, Score: metrics.MSP, Seed: r.Seed, Prepare: r.prep}
	for i := range ood.Sets() {
		a.Generated = append(a.Generated, &ood.Sets()[i])
	}
	// Sets of other images are made to fit as the papers do: the shorter side resized, the middle cut.
	a.PrepareFolders = eval.Prepare{Size: r.side, Filter: r.prep.Filter, Crop: r.side}
	for _, name := range slices.Sorted(maps.Keys(r.Anomalies)) {
		if _, err := ood.ByName(name); err == nil {
			return usagef("--anomalies %s: that is the name of a generated set", name)
		}
		path := r.Anomalies[name]
		a.Folders = append(a.Folders, eval.OODFolder{Name: name, Open: func() (data.Source, error) {
			src, err := formats.Open(path, formats.Options{})
			if errors.Is(err, data.ErrUnsupported) { // CIFAR with both parts: the test part, as of IN
				src, err = formats.Open(path, formats.Options{Split: "test"})
			}
			if err != nil {
				return nil, fmt.Errorf("--anomalies %s: %w", name, err)
			}
			return src, nil
		}})
	}
	return r.eval.OOD(r.app.ctx, a)
}

// fourierName is the file of the heat map.
const fourierName = "fourier.npy"

// sensitive is the suite fourier.
func (r *evalRun) sensitive() error {
	if r.Out == "" {
		return usagef("--suite fourier needs -o DIR for its map, %s", fourierName)
	}
	if r.Length < 0 || r.Radius < 0 {
		return usagef("--length %v --radius %d (allowed: 0 and up)", r.Length, r.Radius)
	}
	m, err := r.eval.Fourier(r.app.ctx, &eval.FourierSuite{
		Open: r.source, Prepare: r.prep, Length: r.Length, Radius: r.Radius, Seed: r.Seed,
	})
	if err != nil {
		return err
	}
	return npy.WriteFile(filepath.Join(r.Out, fourierName), &npy.Array{Shape: []int{m.Side, m.Side}, Data: m.Error})
}
