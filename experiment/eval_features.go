package experiment

import (
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/metrics"
)

// featuresName is the folder, in that of results, of saved features: MODEL/DATASET.
const featuresName = "features"

// maxNeighbors bounds the k of the score knn.
const maxNeighbors = 100_000

// oodScores are the scores of OOD detection, by logits and by features.
func oodScores() []metrics.OODScore { return append(metrics.OODScores(), eval.FeatureScores()...) }

// byFeatures reports whether OOD detection is by features.
func (r *evaluation) byFeatures() bool {
	return slices.Contains(eval.FeatureScores(), metrics.OODScore(r.OODScore))
}

// checkFeatures looks at the fields of OOD scores by features.
func (r *evaluation) checkFeatures() error {
	by := r.byFeatures()
	switch {
	case !by && (r.OODTrain != "" || r.OODTrainLimit != 0 || r.OODNeighbors != 0 || r.Features):
		return option.Errorf(ErrOption, "{ood-train}, {ood-train-limit}, {ood-neighbors}, {features}: without an {ood-score} by features (%v)",
			eval.FeatureScores())
	case !by:
		return nil
	case !r.suites[suiteOOD]:
		return option.Errorf(ErrOption, "{ood-score} %s: without {suite} ood", r.OODScore)
	case r.OODTrain == "":
		return option.Errorf(ErrOption, "{ood-score} %s: without {ood-train}, the training data whose features it compares with", r.OODScore)
	case r.TemperatureOn != "":
		return option.Errorf(ErrOption, "{ood-score} %s: with {temperature-on} (allowed: without, features have none)", r.OODScore)
	case r.OODTrainLimit < 0:
		return badOption("ood-train-limit", r.OODTrainLimit, "1 and up, 0 for all")
	case r.OODNeighbors < 0 || r.OODNeighbors > maxNeighbors:
		return badOption("ood-neighbors", r.OODNeighbors, fmt.Sprintf("1 to %d", maxNeighbors))
	case r.Features && r.Dir == "":
		return option.Errorf(ErrOption, "{features}: no folder is given to save them in")
	}
	return nil
}

// training opens the training data that features are compared with.
func (r *evaluation) training() (data.Source, error) {
	src, _, err := formats.OpenSplit(r.OODTrain, r.alike(), "train")
	if err != nil {
		return nil, fmt.Errorf("ood-train: %w", err)
	}
	return src, nil
}
