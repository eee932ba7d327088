package transform

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/augmix-go/augmix/rng"
)

// Groups says which samples belong together, such as the frames of a clip: under corruptions that share their draws
// ([Shared]) they get the same ones, where they have the same size.
type Groups struct {
	seed    rng.Key
	pattern *regexp.Regexp

	mu     sync.Mutex
	frames map[string]frame // by group: the first that was met
	mixed  string           // what Mixed returns
}

// frame is a sample and the size at which it is corrupted.
type frame struct {
	sample string
	w, h   int
}

// see remembers a group's sample and its size.
func (g *Groups) see(group string, f frame) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first, ok := g.frames[group]
	switch {
	case !ok:
		g.frames[group] = f
	case (first.w != f.w || first.h != f.h) && g.mixed == "":
		g.mixed = fmt.Sprintf("in the group %.200q, %.200q is %dx%d and %.200q %dx%d", group, first.sample, first.w, first.h, f.sample, f.w, f.h)
	}
}

// Mixed names two samples of a group that were corrupted at different sizes, so that their draws are unrelated; "" where there were none.
// It knows of the samples that transforms with these groups were applied to. It is no error of a sample: which is the odd one would
// depend on the order in which they come.
func (g *Groups) Mixed() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mixed
}

// ParseGroups reads a regular expression. The group of a sample is what it finds in the sample's key, or what its first
// parentheses do: "^[^/]*" is the first folder. seed is that of the run. The error wraps [ErrOption].
func ParseGroups(pattern string, seed uint64) (*Groups, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%w: groups %.80q: %w", ErrOption, pattern, err)
	}
	return &Groups{seed: rng.NewKey(seed), pattern: re, frames: map[string]frame{}}, nil
}

// Of returns the group of the sample with a key. The error wraps [ErrOption].
func (g *Groups) Of(sample string) (string, error) {
	found := g.pattern.FindStringSubmatch(sample)
	if found == nil {
		return "", fmt.Errorf("%w: the key %.200q is in no group (allowed: keys in which %s is found)", ErrOption, sample, g.pattern)
	}
	return found[min(1, len(found)-1)], nil
}

// Shared are the corruptions all of whose draws the samples of a [Groups] share: what hangs in the air, lies on the lens or bends
// the image stays through a clip. The others are noise, new in every frame, or have no draws.
var Shared = []string{
	"glass_blur", "motion_blur", "snow", "frost", "fog", "elastic_transform", "spatter", "style_transfer",
	"plasma_noise", "checkerboard_cutout", "cocentric_sine_waves", "single_frequency_greyscale", "perlin_noise", "sparkles",
	"inverse_sparkles", "caustic_refraction", "pinch_and_twirl", "ripple", "lines", "transverse_chromatic_abberation",
	"stain_deposit", "bubble", "characters", // of package medical
}

// Keyed is a [MultiTransform] that must be told the key of a sample before it gets its image.
type Keyed interface {
	MultiTransform
	// SetKey says which sample Apply gets next. The error wraps [ErrOption].
	SetKey(sample string) error
}

// SetKey tells t the key of the sample whose image Apply gets next, where it must be told.
func SetKey(t MultiTransform, sample string) error {
	if k, ok := t.(Keyed); ok {
		return k.SetKey(sample)
	}
	return nil
}

// SetKey implements [Keyed].
func (t *corruptor) SetKey(sample string) (err error) {
	if t.groups == nil {
		return nil
	}
	if t.clip, err = t.groups.Of(sample); err != nil {
		return err
	}
	t.sample, t.group = sample, GroupKey(t.groups.seed, t.clip)
	return nil
}

// keyOf is the key in place of the sample's for a corruption.
func (t *corruptor) keyOf(sample rng.Key, name string) rng.Key {
	if t.groups != nil && slices.Contains(Shared, name) {
		return t.group
	}
	if slices.Contains(noises, name) {
		return channelKey(sample, t.channel)
	}
	return sample
}

// Channeled is a [MultiTransform] that makes channels that are gray images of their own, one after the other with the key of the sample:
// all draws but noise are shared by them.
type Channeled interface {
	MultiTransform
	// Channel says which channel, from 0, of a sample Apply gets next. The first draws as an image of one channel does.
	Channel(i int)
}

// noises are the corruptions that are new in every channel.
var noises = []string{"gaussian_noise", "shot_noise", "impulse_noise", "speckle_noise", "blue_noise_sample", "brownish_noise"}

// ColorOnly are the corruptions that mix the channels of a color image, so that there is none of them of one channel.
var ColorOnly = []string{"saturate", "transverse_chromatic_abberation"}

// channelKey is the key in place of the sample's for what is new in every channel.
func channelKey(sample rng.Key, channel int) rng.Key {
	if channel == 0 {
		return sample
	}
	return sample.Str("channel").Uint(uint64(channel))
}

// Channel implements [Channeled].
func (t *corruptor) Channel(i int) { t.channel = i }

// Channel implements [Channeled].
func (e *perturber) Channel(i int) { e.channel = i }
