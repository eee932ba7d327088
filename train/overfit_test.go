package train

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/golden"
	"github.com/augmix-go/augmix/raster"
)

// sheets is CIFAR-10 from the lossless sheets beside the goldens.
type sheets struct {
	images []*raster.Image
	labels []byte
	next   int
}

// openSheets returns nil where there are none.
func openSheets(t *testing.T, batch string, n int) *sheets {
	t.Helper()
	images, labels, err := golden.CIFAR10(batch, n)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return &sheets{images: images, labels: labels}
}

func (s *sheets) Info() data.Info {
	return data.Info{Format: "cifar10", Len: len(s.images), Classes: make([]string, 10)}
}
func (s *sheets) Len() int     { return len(s.images) }
func (s *sheets) Close() error { return nil }

func (s *sheets) Read(i int, t *data.Sample) error {
	m := s.images[i]
	*t = data.Sample{
		Key: fmt.Sprint("s/", i), Index: i, Label: int(s.labels[i]), Name: fmt.Sprint("sheet image ", i),
		Form: data.RGB,
		W:    m.W, H: m.H, Data: m.AppendRGB(t.Data[:0]),
	}
	return nil
}

func (s *sheets) Next(t *data.Sample) error {
	if s.next == len(s.images) {
		return io.EOF
	}
	s.next++
	return s.Read(s.next-1, t)
}

// TestOverfit: a small network learns 150 real images by heart; with generated ones where the real ones are not there.
func TestOverfit(t *testing.T) {
	t.Parallel()
	const n = 150
	r := Default()
	r.Data, r.Model, r.Epochs, r.Batch, r.WeightDecay, r.LR = "150 images", "resnet20", 15, 10, 0, 0.003
	r.Optimizer, r.Size, r.EvalEvery, r.Seed = "adam", 12, r.Epochs, 1 // small, for speed
	open := func() data.Source {
		if s := openSheets(t, "data_batch_1", 1); s != nil {
			s.images = s.images[:n]
			return s
		}
		t.Log("../shared/cifar10 is not there: generated images")
		return newImages(n, 32, 10)
	}
	res, err := Run(t.Context(), r, Options{Dir: t.TempDir(), Train: open(), Val: open(), OnEpoch: func(e *Epoch) {
		t.Logf("epoch %d: loss %.4f, error %.4f, %.0f images/s", e.Epoch, e.TrainLoss, e.TrainError, e.ImagesPerS)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Error != 0 {
		t.Errorf("%.2f %% of the images it was trained on are wrong", 100*res.Error)
	}
}
