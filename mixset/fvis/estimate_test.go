package fvis

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/augmix-go/augmix/raster"
)

// An estimate changes no image, grows with the steps, and stops when it is told to.
func TestEstimate(t *testing.T) {
	net := random(t, small(t, 16, 16))
	o := norm
	o.Side, o.Steps, o.Workers = 16, 3, 1
	draw := func(estimate bool) string {
		p, err := New(net, o)
		if err != nil {
			t.Fatal(err)
		}
		if estimate {
			if took, err := p.Estimate(t.Context()); err != nil || took <= 0 || took > time.Minute {
				t.Errorf("%v, %v", took, err)
			}
		}
		block := make([]*raster.Image, p.BlockSize())
		for i := range block {
			block[i] = new(raster.Image)
		}
		if _, err := p.Block(t.Context(), block, 1); err != nil {
			t.Fatal(err)
		}
		var pixels []byte
		for _, m := range block {
			pixels = m.AppendRGB(pixels)
		}
		return string(pixels)
	}
	if draw(true) != draw(false) {
		t.Error("other images after an estimate")
	}
	p, err := New(net, o)
	if err != nil {
		t.Fatal(err)
	}
	few, err := p.Estimate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.o.Steps *= 1000
	if many, err := p.Estimate(t.Context()); err != nil || many < 10*few {
		t.Errorf("%v for 3 steps, %v for 3000 (%v)", few, many, err)
	}
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, err := p.Estimate(ctx); !errors.Is(err, stopped) {
		t.Errorf("error %v", err)
	}
	if p.o.Steps != 3000 {
		t.Errorf("%d steps after an estimate", p.o.Steps)
	}
}
