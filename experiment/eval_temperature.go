package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
)

// temperatureScaled ends the name of a model whose logits are divided by a fitted temperature.
const temperatureScaled = ", temperature scaled"

// temperatureSource opens the set that the temperature is fitted on, its validation part where it has parts, with the labels of the
// model.
func (r *evaluation) temperatureSource() (data.Source, error) {
	src, _, err := formats.OpenSplit(r.TemperatureOn, r.alike(), "val")
	if err != nil {
		return nil, r.noValidation(err)
	}
	matched, err := r.matched(src)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("temperature-on: %w", err), src.Close())
	}
	return matched, nil
}

// noValidation is the error of a set that the temperature cannot be fitted on: where it has parts, no option chooses one.
func (r *evaluation) noValidation(err error) error {
	parts, other := formats.Parts(r.TemperatureOn, r.alike())
	if other != nil || len(parts) == 0 || slices.Contains(parts, "val") {
		return fmt.Errorf("temperature-on: %w", err)
	}
	return option.Errorf(ErrOption, "{temperature-on}: %s has the parts %s, and of a data set with parts the validation part is taken (allowed: one that "+
		"has a part val, or no parts): %w", r.TemperatureOn, strings.Join(parts, ", "), err)
}

// openTemperature looks at the set that the temperature is fitted on, and calls the model that results from it by a name of its own.
func (r *evaluation) openTemperature(ctx context.Context) error {
	if r.TemperatureOn == "" {
		return nil
	}
	src, err := r.temperatureSource()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := generate.CheckFolderApart(r.Dir, r.TemperatureOn, src.Info().Format); err != nil {
		return err
	}
	sum, err := data.Sign(ctx, data.Limit(src, r.Limit))
	if err != nil {
		return err
	}
	if sum.Content == r.signature.Content {
		return option.Errorf(ErrOption, "{temperature-on}: %s is the test set itself (allowed: other images of the same classes)", r.TemperatureOn)
	}
	r.fitted = sum.Content
	r.Name += temperatureScaled
	return nil
}

// fitTemperature fits the temperature.
func (r *evaluation) fitTemperature(ctx context.Context) error {
	if r.TemperatureOn == "" {
		return nil
	}
	src, err := r.temperatureSource()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := r.evaluator.Temperature(ctx, src, r.prepare); err != nil {
		return fmt.Errorf("temperature-on: %s: %w", r.TemperatureOn, err)
	}
	return nil
}
