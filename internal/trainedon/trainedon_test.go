package trainedon

import (
	"maps"
	"testing"

	"github.com/augmix-go/augmix/nn/weights"
	"github.com/augmix-go/augmix/results"
)

func marked(c, bar, validation string) map[string]string {
	m := map[string]string{
		results.VersionTrainedOn: c, results.VersionTrainedOnBar: bar, results.VersionTrainedOnValidation: validation,
	}
	maps.DeleteFunc(m, func(_, names string) bool { return names == "" })
	return m
}

// TestOf: marks of a training and of what was before it, each name once.
func TestOf(t *testing.T) {
	for _, x := range []struct {
		meta, want map[string]string
	}{
		{nil, nil},
		{map[string]string{weights.KeyMix: "augmix", weights.KeyModel: "wrn-10-1"}, nil},
		{map[string]string{weights.KeyMix: "a-method-of-later"}, nil},
		{map[string]string{weights.KeyMix: "gaussian+corrupt-lines", weights.KeyANT: "3"}, marked("adversarial noise, gaussian noise", "lines", "")},
		{map[string]string{weights.KeyFeatureNoise: "0,0.2"}, marked("", "", "speckle_noise")},
		{map[string]string{weights.KeyFeatureNoise: "much"}, nil},
		{
			map[string]string{weights.KeyMix: "corrupt-fog+snow", weights.KeyTrainedOn: "fog, frost", weights.KeyTrainedOnBar: "lines"},
			marked("fog, frost, snow", "lines", ""),
		},
	} {
		if got := Of(x.meta); !maps.Equal(got, x.want) {
			t.Errorf("%v: %v, want %v", x.meta, got, x.want)
		}
	}
}

// TestEarlier: what one file hands on the next one reads, and nothing is written for nothing.
func TestEarlier(t *testing.T) {
	want, meta := marked("fog", "lines", "spatter"), map[string]string{}
	PutEarlier(meta, want)
	if got := Earlier(meta); !maps.Equal(got, want) || len(meta) != 3 {
		t.Errorf("%v, by %v", got, meta)
	}
	clear(meta)
	if PutEarlier(meta, nil); len(meta) > 0 || len(Earlier(meta)) > 0 {
		t.Errorf("of nothing: %v", meta)
	}
}

func TestOfNames(t *testing.T) {
	if got, want := OfOperations([]string{"rotate", "contrast"}), marked("contrast", "", ""); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got := OfCorruptions([]string{"snow", "fog", "lines", "spatter", "of_my_own"})
	if want := marked("fog, snow", "lines", "spatter"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
