// Package feedmodel is the model at the other end of a feed: a classifier whose images go to the parent as batches of docs/feed.md,
// and whose logits come back.
package feedmodel

import (
	"context"
	"errors"
	"slices"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/internal/feedwire"
	"github.com/augmix-go/augmix/mix"
)

// Model is an [eval.Remote].
type Model struct {
	Session *feedwire.Session
	Packer  *feed.Packer
	Outputs int      // for each image: the classes
	Names   []string // of the classes; nil: those of the data
	H, W    int      // of the images
	Norm    mix.Normalization
	Bytes   bool // images go out as they are, of type uint8, and not normalized
	Batch   int  // images of a batch
	Slots   int  // of the session

	given int
}

// Greet says hello and makes the session one whose batches are answered. It comes before the first batch.
func (m *Model) Greet(w *feedwire.Work) error {
	w.Hello.Outputs = m.Outputs
	m.Session.Expect(m.Outputs, m.Slots)
	return m.Session.Greet(w)
}

// Classes implements [eval.Predictor].
func (m *Model) Classes() int { return m.Outputs }

// ClassNames implements [eval.Named].
func (m *Model) ClassNames() []string { return m.Names }

// Input implements [eval.Predictor].
func (m *Model) Input() (h, w int, norm mix.Normalization) { return m.H, m.W, m.Norm }

// Told implements [eval.Told]: outputs of images that were normalized otherwise are others.
func (m *Model) Told() (text string, described bool) {
	if m.Bytes {
		return "", false
	}
	return eval.NormText(m.Norm), false
}

// MaxBatch implements [eval.Predictor].
func (m *Model) MaxBatch() int { return m.Batch }

// Predict is not called.
func (m *Model) Predict(_, _ []float32, _ int) error {
	return errors.New("feedmodel: a model in another program is given images by Give")
}

// Ahead implements [eval.Remote]: all slots but one may wait. Batches come in bursts, one of each severity, and the next images are
// made while the parent works on a burst.
func (m *Model) Ahead() int { return m.Slots - 1 }

// about is the body of a batch's message.
type about struct {
	Suite      string   `json:"suite"`
	Corruption string   `json:"corruption"`
	Severity   float64  `json:"severity"`
	Frames     []int    `json:"frames,omitempty"` // of sequences
	Keys       []string `json:"keys"`
}

// Give implements [eval.Remote].
func (m *Model) Give(b *eval.Shown) error {
	return m.Session.Put(func(_ context.Context, contents []byte) (*feedwire.Batch, error) {
		m.Packer.Pack(contents, b.Images, b.Labels, b.Rows)
		said := about{Suite: b.Suite, Corruption: b.Corruption, Severity: b.Severity, Keys: b.Keys}
		if slices.Max(b.Frames) > 0 {
			said.Frames = b.Frames
		}
		m.given++
		return &feedwire.Batch{Index: m.given - 1, N: len(b.Images), Body: said}, nil
	})
}

// Logits implements [eval.Remote].
func (m *Model) Logits(dst []float32) error { return m.Session.Answer(dst) }
