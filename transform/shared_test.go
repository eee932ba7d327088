package transform

import (
	"testing"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// The affine that Affine says is the one that the image goes through, another for each sample and epoch.
func TestShared(t *testing.T) {
	p := &Pipeline{Shared: 3, Epoch: 2, Fill: raster.RGB{B: 7}}
	src, want := noise(1, 40, 30), new(raster.Image)
	m := p.Affine(5, "a", 40, 30)
	augment.Affine(want, src, m, p.Fill)
	var parts Parts
	parts.Reset(func(dst []byte, m *raster.Image) ([]byte, error) { return m.AppendRGB(dst), nil })
	if err := p.Single().Apply(&parts, src, SampleKey(rng.NewKey(5), "a")); err != nil {
		t.Fatal(err)
	}
	if len(parts.All()) != 1 || string(parts.All()[0].Data) != string(want.AppendRGB(nil)) {
		t.Error("the image goes through another affine")
	}
	q := *p
	q.Epoch = 3
	if p.Affine(5, "b", 40, 30) == m || p.Affine(6, "a", 40, 30) == m || q.Affine(5, "a", 40, 30) == m {
		t.Error("one affine for several samples, seeds or epochs")
	}
	if m.A < 0.8 || m.A > 1.2 || m.B < -0.6 || m.B > 0.6 {
		t.Errorf("%+v is far from severity 3", m)
	}
}

// Without a Shared geometry there is no affine, so that annotations stay with the image.
func TestSharedOfNone(t *testing.T) {
	if m := new(Pipeline).Affine(5, "a", 40, 30); m != (augment.Matrix{A: 1, E: 1}) {
		t.Errorf("the affine is %+v", m)
	}
}
