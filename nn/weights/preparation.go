package weights

import (
	"fmt"
	"strconv"
	"strings"
)

// KeyPreparation is the key, in the metadata of files of weights, of what the images of the training's validation went
// through before the network: "size=256 crop=224 filter=bilinear". It is missing where nothing is known of it.
const KeyPreparation = "augmix.preparation"

// maxSide bounds the sizes of a Preparation, in pixels.
const maxSide = 1 << 14

// Preparation is what images go through before a network: a resize of the shorter side to Size pixels, 0 for none, by the
// named filter of package augment; then a center crop of Crop x Crop pixels, 0 for none.
type Preparation struct {
	Size, Crop int
	Filter     string // "bilinear"
}

// String returns the text of the metadata, which [ParsePreparation] reads.
func (p *Preparation) String() string {
	return fmt.Sprintf("size=%d crop=%d filter=%s", p.Size, p.Crop, p.Filter)
}

// Text says in words what is done: "shorter side to 256 pixels (bilinear), center crop 224x224".
func (p *Preparation) Text() string {
	var parts []string
	if p.Size > 0 {
		parts = append(parts, fmt.Sprintf("shorter side to %d pixels (%s)", p.Size, p.Filter))
	}
	if p.Crop > 0 {
		parts = append(parts, fmt.Sprintf("center crop %dx%[1]d", p.Crop))
	}
	if parts == nil {
		return "as they are"
	}
	return strings.Join(parts, ", ")
}

// ParsePreparation reads what [Preparation.String] writes. The error wraps [ErrFormat].
func ParsePreparation(text string) (*Preparation, error) {
	p := &Preparation{}
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		number := err == nil && n >= 0 && n <= maxSide
		switch {
		case key == "size" && number:
			p.Size = n
		case key == "crop" && number:
			p.Crop = n
		case key == "filter" && value != "":
			p.Filter = value
		default:
			return nil, preparationError(text)
		}
		seen[key] = true
	}
	if len(seen) != 3 {
		return nil, preparationError(text)
	}
	return p, nil
}

func preparationError(text string) error {
	return fmt.Errorf("%w: the metadata's %s is %.60q (allowed: size=N crop=N filter=NAME, N from 0 to %d)", ErrFormat,
		KeyPreparation, text, maxSide)
}
