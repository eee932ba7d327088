package metrics

import (
	"fmt"
	"slices"
)

// Quantity says what the numbers of a [Grid] are.
type Quantity string

// The quantities, by the names used on the wire.
const (
	ErrorRate       Quantity = "error"            // top-1 error, 0 to 1
	FlipProbability Quantity = "flip_probability" // 0 to 1
	Top5Distance    Quantity = "top5_distance"    // 0 to 15
	ZipfDistance    Quantity = "zipf_distance"    // 0 to 2.33
	Other           Quantity = "other"            // anything else that is worth a mean, such as calibration errors
)

// Baseline holds the figures of the model that normalized metrics divide by: AlexNet's, or those of the user's own
// reference model, which must have been measured on the benchmark it is used on.
type Baseline struct {
	Model    string
	Profile  string // name of the benchmark it was measured on
	Quantity Quantity
	// Difficulty of the sequences for perturbations, 0 for corruptions.
	Difficulty int
	// Clean is the error on uncorrupted images, for relative errors; HasClean says that it is known.
	Clean    float64
	HasClean bool
	// Values holds a number for each severity (one for perturbations), by corruption.
	Values map[string][]float64

	published bool // AlexNet's figures, which are of the published images alone
}

// AlexNetErrors returns the top-1 errors of torchvision's AlexNet on ImageNet-C at 224x224 by severity (the authors'
// answers in hendrycks/robustness #10 and #38 and its pull request 20; the paper prints the means rounded), with the
// clean error of 43.5 %. Newer AlexNet weights differ slightly.
func AlexNetErrors() *Baseline {
	return &Baseline{
		Model: "alexnet", Profile: "imagenet-c", Quantity: ErrorRate, Clean: 0.435, HasClean: true, published: true,
		Values: map[string][]float64{
			GaussianNoise:    {.69528, .82542, .93554, .98138, .99452},
			ShotNoise:        {.71224, .85108, .93574, .98182, .99146},
			ImpulseNoise:     {.78374, .89808, .94870, .98720, .99548},
			DefocusBlur:      {.65624, .73202, .85036, .91364, .94714},
			GlassBlur:        {.64308, .75054, .88806, .91622, .93344},
			MotionBlur:       {.58430, .70048, .82108, .89750, .92638},
			ZoomBlur:         {.70008, .76992, .80784, .84198, .87198},
			Snow:             {.71726, .88392, .86468, .91870, .94952},
			Frost:            {.61390, .79734, .88790, .89942, .93430},
			Fog:              {.67474, .76050, .84378, .87260, .94500},
			Brightness:       {.45140, .48502, .54048, .62166, .72440},
			Contrast:         {.64548, .76150, .88874, .97760, .99270},
			ElasticTransform: {.52596, .70116, .55686, .64076, .80554},
			Pixelate:         {.52218, .54620, .73728, .87092, .91262},
			JPEGCompression:  {.51002, .54718, .57294, .65458, .74778},
			SpeckleNoise:     {.66192, .74440, .90246, .94548, .97268},
			GaussianBlur:     {.54732, .70444, .82574, .89864, .95940},
			Spatter:          {.47196, .62194, .75052, .84132, .90182},
			Saturate:         {.59342, .65514, .51174, .70834, .82260},
		},
	}
}

// AlexNetFlips returns AlexNet's flip probabilities on ImageNet-P at 224x224, difficulty 1 (from the evaluation code
// of clovaai/assembled-cnn; the authors' repository does not print them). Its top-5 distances are not published
// anywhere we could read: for mT5D measure a baseline of your own.
func AlexNetFlips() *Baseline {
	return &Baseline{
		Model: "alexnet", Profile: "imagenet-p", Quantity: FlipProbability, Difficulty: 1, published: true,
		Values: map[string][]float64{
			GaussianNoise: {.23653},
			ShotNoise:     {.30062},
			MotionBlur:    {.09297},
			ZoomBlur:      {.05942},
			Snow:          {.11928},
			Brightness:    {.04889},
			Translate:     {.11007},
			Rotate:        {.13104},
			Tilt:          {.07050},
			Scale:         {.23531},
			SpeckleNoise:  {.18649},
			GaussianBlur:  {.02775},
			Spatter:       {.05053},
			Shear:         {.10658},
		},
	}
}

// fits refuses a baseline of another benchmark, quantity or difficulty. The published figures do not fit the user's own benchmark
// of a published name either, which a baseline measured there does.
func (b *Baseline) fits(p *Profile, q Quantity, difficulty int) error {
	if b == nil {
		return fmt.Errorf("%w: a normalized metric without a baseline", ErrOption)
	}
	switch {
	case b.Profile != p.Name, b.alexNet() && p.noAlexNet != "":
		why := p.noAlexNet
		if b.Model != "alexnet" || why == "" {
			why = "divide only by errors of the same data"
		}
		return fmt.Errorf("%w: errors of %s on %s do not divide those on %s: %s", ErrNotComputable, b.Model, b.Profile, p.Name, why)
	case b.Quantity != q:
		return fmt.Errorf("%w: %s divided by %s's %s", ErrNotComputable, q, b.Model, b.Quantity)
	case b.Difficulty != difficulty:
		return fmt.Errorf("%w: difficulty %d divided by %s at difficulty %d", ErrNotComputable, difficulty, b.Model,
			b.Difficulty)
	}
	return nil
}

// alexNet reports whether the figures are AlexNet's published ones, which a copy under another model's name has not.
func (b *Baseline) alexNet() bool { return b.published && b.Model == "alexnet" }

// row returns the baseline's values for a corruption.
func (b *Baseline) row(p *Profile, name string) ([]float64, error) {
	v, ok := b.Values[name]
	if !ok {
		return nil, fmt.Errorf("%w: %s has no %s for %s", ErrMissing, b.Model, b.Quantity, name)
	}
	if len(v) != p.Severities {
		return nil, fmt.Errorf("%w: %s has %d values for %s, %s has %d severities", ErrLength, b.Model, len(v), name,
			p.Name, p.Severities)
	}
	if i := slices.IndexFunc(v, func(x float64) bool { return !b.Quantity.allows(x) }); i >= 0 {
		return nil, fmt.Errorf("%w: %s: %s, severity %d: %v (allowed: %s)", ErrScore, b.Model, name, i+1, v[i],
			b.Quantity.allowed())
	}
	return v, nil
}

func (q Quantity) allows(x float64) bool {
	switch q {
	case ErrorRate, FlipProbability:
		return x >= 0 && x <= 1
	case Top5Distance:
		return x >= 0 && x <= maxTop5
	case ZipfDistance:
		return x >= 0 && x <= maxZipf
	}
	return finite(x)
}

func (q Quantity) allowed() string {
	switch q {
	case ErrorRate, FlipProbability:
		return "fractions from 0 to 1"
	case Top5Distance:
		return "0 to 15"
	case ZipfDistance:
		return "0 to 2.4"
	}
	return "finite numbers"
}
