package mix

import (
	"errors"
	"sync"
	"testing"

	"github.com/augmix-go/augmix/nn/image2image"
	"github.com/augmix-go/augmix/nn/image2image/image2imagetest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

var (
	networkOnce sync.Once
	network     *image2image.Network
)

// testNetwork is CARN-M with random weights.
func testNetwork(t testing.TB) *image2image.Network {
	networkOnce.Do(func() {
		var err error
		if network, err = image2image.New(image2imagetest.NetworkTensors(t, "b1.b1.body.0.weight", 64, 16, 3, 3)); err != nil {
			t.Fatal(err)
		}
	})
	return network
}

func TestDeepAugmentNeedsNetwork(t *testing.T) {
	if _, err := Parse("standard+deepaugment"); !errors.Is(err, ErrNetwork) {
		t.Error(err)
	}
	if _, err := ParseMethod("deepaugment", Options{Styles: testStyles(t)}); !errors.Is(err, ErrNetwork) {
		t.Error(err)
	}
	if s, err := ParseSpec("deepaugment"); err != nil || !s.NeedsNetwork() || s.NeedsStyles() || s.NeedsMixingSet() {
		t.Error(s, err)
	}
	if _, err := NewDeepAugment(testNetwork(t), DeepAugmentParams{Times: -1}); !errors.Is(err, ErrSpec) {
		t.Error(err)
	}
}

// TestNetworkShare: so many images change as the probability says, each in a way of its own.
func TestNetworkShare(t *testing.T) {
	src, dst := benchImages(1, 8)[0], new(raster.Image)
	for _, spec := range []string{"deepaugment-p0.25", "noise2net-p0.25", "afa-p0.25-s10", "apr-p0.25-m10"} {
		m := mustParse(t, spec)
		var s Scratch
		same, looks := 0, map[string]bool{}
		for i := range 200 {
			r := rng.NewKey(uint64(i)).Rand()
			if m.Apply(dst, src, &r, &s); raster.Equal(dst, src) {
				same++
			}
			looks[string(dst.Pix)] = true
		}
		if same < 125 || same > 175 || len(looks) < 200-same {
			t.Errorf("%s: %d of 200 images are as they were, want about 150; %d looks", spec, same, len(looks))
		}
	}
}

// TestNoise2NetNormalization: the network sees what the classifier sees.
func TestNoise2NetNormalization(t *testing.T) {
	src := benchImages(1, 8)[0]
	m := mustParse(t, "noise2net-p1")
	var out [2][]float32
	for i, n := range []*Normalization{&ImageNet, &Half} {
		out[i] = make([]float32, 3*64)
		r := rng.NewKey(1).Rand()
		m.ApplyPlanes(out[i], src, n, &r, new(Scratch))
		for k := range out[i] { // back to [0, 1]
			out[i][k] = out[i][k]*n.Std[k/64] + n.Mean[k/64]
		}
	}
	far := float32(0)
	for k := range out[0] {
		far = max(far, out[0][k]-out[1][k])
	}
	if far < 0.01 {
		t.Error("the normalization makes no difference")
	}
}
