package experiment

import (
	"context"
	"fmt"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/eval"
)

// Predict asks one model what images show. A field with the zero value has the default that its comment names; those that
// [Eval] has too mean the same.
type Predict struct {
	File string   `yaml:"file"` // model
	In   []string `yaml:"in"`   // single images, and data sets, whose labels are not looked at
	Top  int      `yaml:"top"`  // classes of each image; 5

	Model      string `yaml:"model"`
	Norm       string `yaml:"norm"`
	Preprocess string `yaml:"preprocess"`
	InputSize  int    `yaml:"input-size"`
	TenCrop    bool   `yaml:"ten-crop"`
	ORT        string `yaml:"-"`

	// What is done to images; without Size and Crop as in the validation of the training, or, where that is not known, the
	// shorter side is resized to the model's and the middle cropped.

	Size   int    `yaml:"size"`
	Crop   int    `yaml:"crop"`
	Filter string `yaml:"filter"`
	Limit  int    `yaml:"limit"` // images of every data set, evenly spread; all

	Input `yaml:",inline"`

	Workers int                              `yaml:"-"` // all cores
	Say     func(format string, args ...any) `yaml:"-"` // is told how images are prepared; nil: nobody listens
}

// Run calls each with the prediction of every image, in the order of In. Its errors are those of [Eval.Run].
func (p Predict) Run(ctx context.Context, each func(*eval.Prediction) error) error {
	e := Eval{
		File: p.File, Model: p.Model, Norm: p.Norm, Preprocess: p.Preprocess, InputSize: p.InputSize, TenCrop: p.TenCrop, ORT: p.ORT,
		Size: p.Size, Crop: p.Crop, Filter: p.Filter, Limit: p.Limit, Input: p.Input, Workers: p.Workers, Say: p.Say,
	}.WithDefaults()
	r := newEvaluation(&e)
	if p.Top == 0 {
		p.Top = 5
	}
	if p.Top < 0 {
		return badOption("top", p.Top, "1 and up")
	}
	if err := r.check(); err != nil {
		return err
	}
	for _, path := range p.In {
		if err := checkImage(path); err != nil {
			return err
		}
	}
	model, err := r.predictor(ctx)
	if err != nil {
		return err
	}
	if err := r.prepareAny(model); err != nil {
		return err
	}
	r.evaluator = &eval.Evaluator{Model: eval.Model{Predictor: model, TenCrop: p.TenCrop}}
	if err := r.setPreprocess(model); err != nil {
		return err
	}
	for _, path := range p.In {
		src, _, err := formats.OpenSplit(path, p.Options(), "test")
		if err != nil {
			return err
		}
		err = eval.Predict(ctx, r.evaluator.Model, data.Limit(src, p.Limit), r.prepare, p.Top, p.Workers, each)
		_ = src.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// checkImage returns the error of an image that is not there, before a model is read and anything is said of it.
func checkImage(path string) error {
	if !data.IsImageName(path) || storage.Remote(path) {
		return nil
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("cannot open the image: %w", err)
	}
	return nil
}

// prepareAny makes images of any size fit the model.
func (r *evaluation) prepareAny(p eval.Predictor) error {
	h, w, _ := p.Input()
	r.side = h
	var err error
	if was, ok := p.(eval.Prepared); !ok || was.Preparation() == nil || was.Preparation().Size+was.Preparation().Crop > 0 {
		err = r.setPreparation(p) // a training on images as they were says nothing of others
	}
	if err != nil || r.Size > 0 || r.Crop > 0 || r.TenCrop || h != w {
		return err
	}
	r.Size, r.Crop = r.side, r.side
	logf(r.Say, "images are made to fit the model: shorter side to %d pixels, center crop %[1]dx%[1]d", r.side)
	if err := r.setPrepare(); err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	return nil
}
