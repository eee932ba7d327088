package metrics

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Corruptions of ImageNet-C and CIFAR-C (Hendrycks and Dietterich, ICLR 2019), as their files are named.
const (
	GaussianNoise    = "gaussian_noise"
	ShotNoise        = "shot_noise"
	ImpulseNoise     = "impulse_noise"
	DefocusBlur      = "defocus_blur"
	GlassBlur        = "glass_blur"
	MotionBlur       = "motion_blur"
	ZoomBlur         = "zoom_blur"
	Snow             = "snow"
	Frost            = "frost"
	Fog              = "fog"
	Brightness       = "brightness"
	Contrast         = "contrast"
	ElasticTransform = "elastic_transform"
	Pixelate         = "pixelate"
	JPEGCompression  = "jpeg_compression"
	// The validation corruptions, not part of any mean.
	SpeckleNoise = "speckle_noise"
	GaussianBlur = "gaussian_blur"
	Spatter      = "spatter"
	Saturate     = "saturate"
)

// Perturbations of ImageNet-P and CIFAR-P that are not names of corruptions too.
const (
	Translate = "translate"
	Rotate    = "rotate"
	Tilt      = "tilt"
	Scale     = "scale"
	Shear     = "shear" // an extra one, not part of any mean
)

// Corruptions of ImageNet-C-bar and CIFAR-10-C-bar (Mintun et al., NeurIPS 2021). Two names are misspelt in the
// published folders and files, and stay so here.
const (
	BlueNoiseSample               = "blue_noise_sample"
	PlasmaNoise                   = "plasma_noise"
	CheckerboardCutout            = "checkerboard_cutout"
	CocentricSineWaves            = "cocentric_sine_waves" // concentric
	SingleFrequencyGreyscale      = "single_frequency_greyscale"
	BrownishNoise                 = "brownish_noise"
	PerlinNoise                   = "perlin_noise"
	Sparkles                      = "sparkles"
	InverseSparkles               = "inverse_sparkles"
	CausticRefraction             = "caustic_refraction"
	PinchAndTwirl                 = "pinch_and_twirl"
	Ripple                        = "ripple"
	CircularMotionBlur            = "circular_motion_blur"
	Lines                         = "lines"
	TransverseChromaticAbberation = "transverse_chromatic_abberation" // aberration
)

// MedMNISTC returns the names of the corruptions that MedMNIST-C has besides those of ImageNet-C (Di Salvo, Doerrich and Ledig 2024).
// Each of its sets has some of them.
func MedMNISTC() []string {
	return []string{
		"brightness_up", "brightness_down", "contrast_up", "contrast_down", "gamma_corr_up", "gamma_corr_down", "stain_deposit", "bubble",
		"black_corner", "characters",
	}
}

// OfMedMNISTC reports whether any of the names is one of those.
func OfMedMNISTC(names ...string) bool {
	own := MedMNISTC()
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(own, name) })
}

// published gives the published name of corruptions by other likely spellings, for messages.
var published = map[string]string{
	"concentric_sine_waves":           CocentricSineWaves,
	"transverse_chromatic_aberration": TransverseChromaticAbberation,
	"single_frequency_grayscale":      SingleFrequencyGreyscale,
}

// Group is one of the four kinds of corruption of ImageNet-C, or empty where none is published (C-bar, perturbations).
type Group string

// The groups.
const (
	Noise   Group = "noise"
	Blur    Group = "blur"
	Weather Group = "weather"
	Digital Group = "digital"
)

// Groups lists the groups in the papers' order.
func Groups() []Group { return []Group{Noise, Blur, Weather, Digital} }

// Corruption is one row of a benchmark's table: a corruption or a perturbation.
type Corruption struct {
	Name  string
	Group Group
	Extra bool // published beside the benchmark; not part of its means
}

// Kind tells what a benchmark is made of.
type Kind uint8

const (
	// CorruptionKind: still images, five severities.
	CorruptionKind Kind = iota
	// PerturbationKind: sequences of frames.
	PerturbationKind
)

// Profile is a benchmark: its corruptions or perturbations in the papers' order, the number of severities, and whether
// AlexNet's published figures belong to it.
type Profile struct {
	Name        string // "imagenet-c", ...
	Kind        Kind
	Severities  int // 5, or 1 for perturbations
	Corruptions []Corruption

	noAlexNet string // why AlexNet's published figures mean nothing here; empty if they do
}

const (
	whyCIFAR = "AlexNet's published errors are ImageNet errors; CIFAR papers report the plain mean over corruptions"
	whyTiny  = "AlexNet was measured on 224x224 ImageNet-C, another data set of other severities and classes"
	whySize  = "AlexNet was measured on the 224x224 variant, whose severities differ"
	whyCBar  = "nobody published AlexNet errors for C-bar; papers report the plain mean over corruptions and severities"
	whyOwn   = "AlexNet's published figures are those of ImageNet-C and ImageNet-P at 224x224, not of a benchmark of your own"
	whyCIFP  = "AlexNet's published flip probabilities are ImageNet-P's; CIFAR-P papers report the plain mean " +
		"(PixMix prints it as mFR)"
)

// profiles are the published benchmarks, made once.
var profiles = sync.OnceValue(func() []*Profile {
	c := func(name, why string, table []Corruption) *Profile {
		return &Profile{Name: name, Kind: CorruptionKind, Severities: 5, Corruptions: table, noAlexNet: why}
	}
	p := func(name, why string) *Profile {
		return &Profile{
			Name: name, Kind: PerturbationKind, Severities: 1, Corruptions: perturbationTable(), noAlexNet: why,
		}
	}
	return []*Profile{
		c("imagenet-c", "", corruptionTable()),
		c("imagenet-c-299", whySize, corruptionTable()),
		c("imagenet-c-64", whySize, corruptionTable()),
		c("tiny-imagenet-c", whyTiny, corruptionTable()),
		c("cifar10-c", whyCIFAR, corruptionTable()),
		c("cifar100-c", whyCIFAR, corruptionTable()),
		c("imagenet-c-bar", whyCBar, imageNetCBarTable()),
		c("cifar10-c-bar", whyCBar, cifarCBarTable()),
		c("cifar100-c-bar", whyCBar, cifarCBarTable()),
		p("imagenet-p", ""),
		p("imagenet-p-299", whySize),
		p("imagenet-p-64", whySize),
		p("tiny-imagenet-p", whyTiny),
		p("cifar10-p", whyCIFP),
		p("cifar100-p", whyCIFP),
	}
})

// Profiles returns copies of the published benchmarks.
func Profiles() []*Profile {
	var list []*Profile
	for _, p := range profiles() {
		list = append(list, p.clone())
	}
	return list
}

func (p *Profile) clone() *Profile {
	c := *p
	c.Corruptions = slices.Clone(p.Corruptions)
	return &c
}

// ProfileNames returns the names of the published benchmarks.
func ProfileNames() []string {
	var names []string
	for _, p := range profiles() {
		names = append(names, p.Name)
	}
	return names
}

// LookupProfile returns a copy of a published benchmark by its name, or an error that wraps [ErrName].
func LookupProfile(name string) (*Profile, error) {
	for _, p := range profiles() {
		if p.Name == name {
			return p.clone(), nil
		}
	}
	return nil, fmt.Errorf("%w: benchmark %q (allowed: %s)", ErrName, name, strings.Join(ProfileNames(), ", "))
}

// OwnProfile returns a benchmark of the user's own data set. Without a list of corruptions it has those of ImageNet-C
// or ImageNet-P. AlexNet's published figures mean nothing there; a [Baseline] measured on the same data does.
func OwnProfile(name string, kind Kind, corruptions ...Corruption) *Profile {
	p := &Profile{Name: name, Kind: kind, Severities: 5, Corruptions: slices.Clone(corruptions), noAlexNet: whyOwn}
	if kind == PerturbationKind {
		p.Severities = 1
	}
	switch {
	case len(corruptions) > 0:
	case kind == PerturbationKind:
		p.Corruptions = perturbationTable()
	default:
		p.Corruptions = corruptionTable()
	}
	return p
}

// Primary returns the names that the benchmark's means are over: 15 of ImageNet-C, 10 of ImageNet-P and of C-bar.
func (p *Profile) Primary() []string {
	var names []string
	for _, c := range p.Corruptions {
		if !c.Extra {
			names = append(names, c.Name)
		}
	}
	return names
}

// Members returns the primary corruptions of a group.
func (p *Profile) Members(g Group) []string {
	var names []string
	for _, c := range p.Corruptions {
		if c.Group == g && !c.Extra && g != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// index returns the row of a corruption, or an error that wraps ErrName and lists what there is.
func (p *Profile) index(name string) (int, error) {
	i := slices.IndexFunc(p.Corruptions, func(c Corruption) bool { return c.Name == name })
	if i >= 0 {
		return i, nil
	}
	if right := published[name]; right != "" {
		return 0, fmt.Errorf("%w: %q: the published spelling is %q", ErrName, name, right)
	}
	var all []string
	for _, c := range p.Corruptions {
		all = append(all, c.Name)
	}
	return 0, fmt.Errorf("%w: %q in %s (allowed: %s)", ErrName, name, p.Name, strings.Join(all, ", "))
}

func corruptionTable() []Corruption {
	return []Corruption{
		{GaussianNoise, Noise, false},
		{ShotNoise, Noise, false},
		{ImpulseNoise, Noise, false},
		{DefocusBlur, Blur, false},
		{GlassBlur, Blur, false},
		{MotionBlur, Blur, false},
		{ZoomBlur, Blur, false},
		{Snow, Weather, false},
		{Frost, Weather, false},
		{Fog, Weather, false},
		{Brightness, Weather, false},
		{Contrast, Digital, false},
		{ElasticTransform, Digital, false},
		{Pixelate, Digital, false},
		{JPEGCompression, Digital, false},
		{SpeckleNoise, Noise, true},
		{GaussianBlur, Blur, true},
		{Spatter, Weather, true},
		{Saturate, Digital, true},
	}
}

func perturbationTable() []Corruption {
	return []Corruption{
		{GaussianNoise, "", false},
		{ShotNoise, "", false},
		{MotionBlur, "", false},
		{ZoomBlur, "", false},
		{Snow, "", false},
		{Brightness, "", false},
		{Translate, "", false},
		{Rotate, "", false},
		{Tilt, "", false},
		{Scale, "", false},
		{SpeckleNoise, "", true},
		{GaussianBlur, "", true},
		{Spatter, "", true},
		{Shear, "", true},
	}
}

func ungrouped(names ...string) []Corruption {
	table := make([]Corruption, len(names))
	for i, n := range names {
		table[i].Name = n
	}
	return table
}

func imageNetCBarTable() []Corruption {
	return ungrouped(BlueNoiseSample, PlasmaNoise, CheckerboardCutout, CocentricSineWaves, SingleFrequencyGreyscale,
		BrownishNoise, PerlinNoise, Sparkles, InverseSparkles, CausticRefraction)
}

func cifarCBarTable() []Corruption {
	return ungrouped(BlueNoiseSample, BrownishNoise, CheckerboardCutout, InverseSparkles, PinchAndTwirl, Ripple,
		CircularMotionBlur, Lines, Sparkles, TransverseChromaticAbberation)
}

// CIFARPScript lists the ten perturbations that the authors' CIFAR-P evaluation script averages: spatter in place of
// snow (hendrycks/robustness, cifar-p-eval.py). Whether the CIFAR-P figures of the AugMix and PixMix papers have
// spatter or snow is not published; the profiles' means have snow, as the ImageNet-P paper says. Use it with
// [MeanOver].
func CIFARPScript() []string {
	return []string{
		GaussianNoise, ShotNoise, MotionBlur, ZoomBlur, Spatter, Brightness, Translate, Rotate, Tilt, Scale,
	}
}

// IsNoise reports whether frames of a perturbation are compared with the first frame instead of their predecessor:
// those with "noise" in the name, as in the authors' code. Their difficulty selects another set of files, not another
// step.
func IsNoise(perturbation string) bool { return strings.Contains(perturbation, "noise") }
