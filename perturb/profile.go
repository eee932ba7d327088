package perturb

import (
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/corruption"
)

// Profile is a set of parameters and the preparation of the image that goes with it; see the package comment. It is
// the type of package corrupt, whose ParseProfile reads its name.
type Profile = corrupt.Profile

// The profiles.
const (
	// Auto takes the image as it is and chooses the parameters for its shorter side.
	Auto = corrupt.Auto
	// P224 is ImageNet-P.
	P224 = corrupt.P224
	// P64 is Tiny ImageNet-P, and ImageNet-64-P on images that were resized to 64x64 before (but for motion_blur,
	// which there acts on the image before that).
	P64 = corrupt.P64
	// P32 is CIFAR-10-P and CIFAR-100-P.
	P32 = corrupt.P32
	// P299 is the variant for Inception.
	P299 = corrupt.P299
)

// A table holds the parameters of one perturbation: for each column its kind, and the sets for the sides 32, 64, 224, 299,
// a row for each difficulty. The first column is always the number of frames.
type (
	table  = corruption.Table
	set    = corruption.Set
	params = corruption.Row
	kind   = corruption.Kind
)

const (
	level  = corruption.Level
	count  = corruption.Count
	length = corruption.Length
	steps  = corruption.Steps
)

func frameCount(v params) int { return int(v[0]) }
