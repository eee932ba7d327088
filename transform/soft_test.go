package transform

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// randoms is a source of n images of 8 by 6 pixels made from their number, labeled 0 and 1 in turn; of files that no
// decoder takes, if broken.
type randoms struct {
	data.Indexed
	n      int
	broken bool
}

func (f *randoms) Len() int { return f.n }

func (f *randoms) Read(i int, s *data.Sample) error {
	*s = data.Sample{
		Key: fmt.Sprintf("k%03d", i), Index: i, Label: i % 2, Form: data.RGB, W: 8, H: 6,
		Data: noise(uint64(i), 8, 6).AppendRGB(s.Data[:0]),
	}
	if f.broken {
		s.Form = data.Encoded
	}
	return nil
}

func TestSoftRejects(t *testing.T) {
	src := &randoms{n: 40}
	plan := &Pipeline{Mix: mustMix(t, "mixup-a1"), Epoch: 1, Source: src}
	if err := plan.Transform().Apply([]*raster.Image{new(raster.Image)}, raster.New(8, 6), rng.NewKey(1)); !errors.Is(err, ErrOption) {
		t.Errorf("without soft labels: %v", err)
	}
	m := (&Pipeline{}).SoftTransform()
	targets := make([]mix.Target, 1)
	if err := m.ApplySoft([]*raster.Image{new(raster.Image)}, targets, raster.New(8, 6), 1, rng.NewKey(1)); err != nil || len(targets[0]) != 1 {
		t.Errorf("without a mix: %v, %v", targets, err)
	}
	m = plan.SoftTransform()
	src.broken = true
	err := m.ApplySoft([]*raster.Image{new(raster.Image)}, make([]mix.Target, 1), raster.New(8, 6), 1, rng.NewKey(1))
	if err == nil || !errors.Is(err, data.ErrFormat) && !strings.Contains(err.Error(), "16 samples in a row") {
		t.Errorf("a data set without readable images: %v", err)
	}
}

// What one sample becomes can be made by hand from its key: the streams are as the documents say.
func TestSoftStreams(t *testing.T) {
	src := &randoms{n: 9}
	plan := &Pipeline{Mix: mustMix(t, "mixup-a1"), Epoch: 4, Source: src}
	key := rng.NewKey(11).Str("k002")
	read := func(i int) *raster.Image {
		var s data.Sample
		m := new(raster.Image)
		if err := errors.Join(src.Read(i, &s), s.Decode(m)); err != nil {
			t.Fatal(err)
		}
		return m
	}
	dst, targets := []*raster.Image{new(raster.Image)}, make([]mix.Target, 1)
	if err := plan.SoftTransform().ApplySoft(dst, targets, read(2), 0, key); err != nil {
		t.Fatal(err)
	}
	view := key.Str("augment").Uint(4).Uint(1).Str("mix")
	which, pair := view.Str("partner").Uint(0).Str("which").Rand(), view.Str("pair").Uint(0).Rand()
	partner := which.IntN(9)
	mixup := &mix.Mixup{Alpha: 1}
	d := mixup.DrawPair(8, 6, &pair)
	want := new(raster.Image)
	mixup.ApplyPair(want, read(2), read(partner), &d)
	for i, v := range want.Pix {
		if e := int(v) - int(dst[0].Pix[i]); e < -1 || e > 1 {
			t.Fatalf("byte %d is %d, by hand %d", i, dst[0].Pix[i], v)
		}
	}
	label := mix.Target(nil).Hard(0).Blend(mix.Target{{Class: partner % 2, Weight: 1}}, d.Weight)
	if fmt.Sprint(targets[0]) != fmt.Sprint(label) {
		t.Errorf("the label is %v, by hand %v", targets[0], label)
	}
}
