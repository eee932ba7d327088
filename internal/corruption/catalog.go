package corruption

import "slices"

// Benchmark is the one that a published corruption belongs to.
type Benchmark uint8

// The benchmarks.
const (
	Common     Benchmark = iota // the 15 of ImageNet-C
	Validation                  // the 4 that ImageNet-C has to choose hyper-parameters on
	Bar                         // ImageNet-C-bar and CIFAR-10-C-bar
)

// Published is a published corruption.
type Published struct {
	Name string
	Kind string // noise, blur, weather, digital; empty in C-bar
	Of   Benchmark
}

// Catalog has the published corruptions, the order in which every list has them.
var Catalog = []Published{
	{"gaussian_noise", "noise", Common},
	{"shot_noise", "noise", Common},
	{"impulse_noise", "noise", Common},
	{"defocus_blur", "blur", Common},
	{"glass_blur", "blur", Common},
	{"motion_blur", "blur", Common},
	{"zoom_blur", "blur", Common},
	{"snow", "weather", Common},
	{"frost", "weather", Common},
	{"fog", "weather", Common},
	{"brightness", "weather", Common},
	{"contrast", "digital", Common},
	{"elastic_transform", "digital", Common},
	{"pixelate", "digital", Common},
	{"jpeg_compression", "digital", Common},
	{"speckle_noise", "noise", Validation},
	{"gaussian_blur", "blur", Validation},
	{"spatter", "weather", Validation},
	{"saturate", "digital", Validation},
	{"blue_noise_sample", "", Bar},
	{"plasma_noise", "", Bar},
	{"checkerboard_cutout", "", Bar},
	{"cocentric_sine_waves", "", Bar},
	{"single_frequency_greyscale", "", Bar},
	{"brownish_noise", "", Bar},
	{"perlin_noise", "", Bar},
	{"sparkles", "", Bar},
	{"inverse_sparkles", "", Bar},
	{"caustic_refraction", "", Bar},
	{"pinch_and_twirl", "", Bar},
	{"ripple", "", Bar},
	{"circular_motion_blur", "", Bar},
	{"lines", "", Bar},
	{"transverse_chromatic_abberation", "", Bar},
}

// Moves has the corruptions that show in a place what was in another, and says how.
var Moves = map[string]string{
	"glass_blur":         "swaps pixels with near ones, by 1 to 4",
	"elastic_transform":  "an affine of three corners and a smooth field, each by a few pixels of 224",
	"caustic_refraction": "refracts, as under moving water",
	"pinch_and_twirl":    "pulls and turns around the middle",
	"ripple":             "shifts rows and columns by sines",
}

// Subsets are the names that [Published.In] knows.
var Subsets = []string{"all", "common", "validation", "noise", "blur", "weather", "digital", "cbar"}

// In reports whether the corruption belongs to a subset. "all" and the kinds are those of ImageNet-C alone, the corruptions for
// validation among them.
func (p Published) In(subset string) bool {
	switch subset {
	case "all":
		return p.Of != Bar
	case "common":
		return p.Of == Common
	case "validation":
		return p.Of == Validation
	case "cbar":
		return p.Of == Bar
	}
	return p.Kind != "" && p.Kind == subset
}

// Expand returns the corruptions that are named themselves or are in a subset that is, in the order of [Catalog] and each once.
func Expand(names []string) []Published {
	return slices.DeleteFunc(slices.Clone(Catalog), func(p Published) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return name == p.Name || p.In(name) })
	})
}
