package experiment

import (
	"image"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
)

// defaultFilter is the filter of resizes where none is named.
const defaultFilter = "bilinear"

// setPrepare makes of the fields what is done to images.
func (r *evaluation) setPrepare() error {
	filter, err := augment.ParseFilter(r.Filter)
	if err != nil {
		return option.Errorf(ErrOption, "{filter}: %w", err)
	}
	r.prepare = eval.Prepare{Size: r.Size, Filter: filter, Crop: r.Crop}
	return nil
}

// setPreparation takes what images went through in the validation of the model's training, where the fields say nothing. A
// crop that is not the model's side belongs to another one: the fields say so.
func (r *evaluation) setPreparation(p eval.Predictor) error {
	known, ok := p.(eval.Prepared)
	if !ok || known.Preparation() == nil || r.Size > 0 || r.Crop > 0 || r.TenCrop {
		return nil
	}
	was := known.Preparation()
	if was.Crop > 0 && was.Crop != r.side {
		return nil
	}
	r.Size, r.Crop = was.Size, was.Crop
	if r.Filter == defaultFilter {
		r.Filter = was.Filter
	}
	logf(r.Say, "images are prepared as in the validation of the training: %s", was.Text())
	return r.setPrepare()
}

// prepareForm returns what is done to images of a form on disk. Where the clean ones have not the model's size, but those of
// the form have, they were prepared before they were corrupted, as ImageNet-C's, and are taken as they are.
func (r *evaluation) prepareForm() (eval.Prepare, error) {
	p := r.prepare
	h, w, _ := r.evaluator.Predictor.Input()
	if r.In != formats.Standard {
		src, err := r.source()
		if err != nil {
			return p, err
		}
		defer src.Close()
		if cw, ch, err := data.FirstSize(src); err != nil || cw == w && ch == h {
			return p, nil // an image that cannot be read is the measurement's error
		}
	}
	p.Whole = image.Pt(w, h)
	return p, nil
}
