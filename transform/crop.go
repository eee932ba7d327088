package transform

import (
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
)

// CropKind is how a crop chooses its place.
type CropKind uint8

const (
	NoCrop      CropKind = iota
	CenterCrop           // the middle N x N
	RandomCrop           // N x N at a random place after padding by Pad black pixels on every side
	ResizedCrop          // a random box of 8 to 100 % of the area, 3:4 to 4:3, resized to N x N
)

// Crop is the crop that a Pipeline makes. Its text form is "224", "random:224", "pad4:32", "rrc:224".
type Crop struct {
	Kind CropKind
	N    int // side of the result
	Pad  int
}

// maxSide bounds sides that a user may ask for; MaxPixels bounds them again where they are used.
const maxSide = 1 << 14

// ParseCrop reads the text form of a crop; the empty text is no crop.
func ParseCrop(s string) (Crop, error) {
	if s == "" {
		return Crop{}, nil
	}
	kind, side, ok := strings.Cut(s, ":")
	if !ok {
		kind, side = "", s
	}
	c := Crop{}
	switch {
	case kind == "" && !ok, kind == "center":
		c.Kind = CenterCrop
	case kind == "random":
		c.Kind = RandomCrop
	case kind == "rrc":
		c.Kind = ResizedCrop
	case strings.HasPrefix(kind, "pad"):
		c.Kind = RandomCrop
		n, err := strconv.Atoi(kind[len("pad"):])
		if err != nil || n < 0 || n > maxSide {
			return Crop{}, badCrop(s)
		}
		c.Pad = n
	default:
		return Crop{}, badCrop(s)
	}
	n, err := strconv.Atoi(side)
	if err != nil || n < 1 || n > maxSide {
		return Crop{}, badCrop(s)
	}
	c.N = n
	return c, nil
}

func badCrop(s string) error {
	return option.Errorf(ErrOption, "{crop} %q (allowed: N, random:N, padP:N, rrc:N, with N from 1 to %d)", s, maxSide)
}

// String returns the text form.
func (c Crop) String() string {
	n := strconv.Itoa(c.N)
	switch {
	case c.Kind == CenterCrop:
		return n
	case c.Kind == RandomCrop && c.Pad > 0:
		return "pad" + strconv.Itoa(c.Pad) + ":" + n
	case c.Kind == RandomCrop:
		return "random:" + n
	case c.Kind == ResizedCrop:
		return "rrc:" + n
	}
	return ""
}
