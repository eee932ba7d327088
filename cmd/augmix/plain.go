package main

import (
	"errors"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/frost"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/mixset/fvis"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/nn/graph"
	"github.com/augmix-go/augmix/nn/onnx"
	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/report"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
	"github.com/augmix-go/augmix/sheet"
	"github.com/augmix-go/augmix/transform"
)

// prefixed are the sentinels of packages that begin with the package's name. Programmers want it, the person at the terminal
// has a command, not packages. A test finds those that are missing here.
var prefixed = []error{
	augment.ErrOp, feed.ErrOption, formats.ErrOption, frost.ErrSize, generate.ErrOption, graph.ErrGraph, metrics.ErrLogit, metrics.ErrProb, metrics.ErrLabel,
	metrics.ErrScore, metrics.ErrLength, metrics.ErrName, metrics.ErrMissing, metrics.ErrDuplicate, metrics.ErrNotComputable,
	metrics.ErrUndefined, metrics.ErrOption, mix.ErrMixingSet, mix.ErrSpec, mix.ErrPartner, mix.ErrStyles, mix.ErrNetwork, mix.ErrCorruptions,
	mixset.ErrSpec, mixset.ErrEmpty, mixset.ErrSmall, fvis.ErrLayer, fvis.ErrOption, fvis.ErrActivation, models.ErrSpec, onnx.ErrExport, onnx.ErrFormat, predictions.ErrFormat, predictions.ErrContent,
	predictions.ErrKind, predictions.ErrLayout, predictions.ErrEnsemble, raster.ErrSize, report.ErrEmpty, report.ErrName, report.ErrOption,
	results.ErrFormat, results.ErrVersion, results.ErrTorn, results.ErrBusy, results.ErrConflict, results.ErrMissing,
	score.ErrOption, score.ErrUnpaired, score.ErrNoLabels, score.ErrNoFrames, score.ErrNoDataset, score.ErrNoSeverity, sheet.ErrSheet,
	transform.ErrOption, weights.ErrFormat, weights.ErrMismatch, weights.ErrTensor,
}

// plainError is an error in other words.
type plainError struct {
	error
	text string
}

func (e plainError) Error() string { return e.text }

func (e plainError) Unwrap() error { return e.error }

// plain leaves the names of packages out of an error's text, wherever a sentinel brings one. Nothing else of the text can be
// taken for a sentinel's, so that names of files stay as they are. That of a sample stays within its line.
func plain(err error) error {
	text := err.Error()
	for _, sentinel := range prefixed {
		if errors.Is(err, sentinel) {
			whole := sentinel.Error()
			_, rest, _ := strings.Cut(whole, ": ")
			text = strings.ReplaceAll(text, whole, rest)
		}
	}
	var bad *data.SampleError
	if errors.As(err, &bad) && bad.Name != "" {
		text = strings.ReplaceAll(text, bad.Name, terminal.OneLine(bad.Name))
	}
	return plainError{err, text}
}
