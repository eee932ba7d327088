package eval

import (
	"fmt"

	"github.com/augmix-go/augmix/internal/preprocess"
)

// Preprocess is a method that processes images before a classifier sees them: one of those that [ParsePreprocess] reads.
type Preprocess = preprocess.Method

// ParsePreprocess reads the spec of a method, "clahe-c2-t8" or "nlm-h0.8-p5-d6"; what is left out has its
// default. The error wraps [ErrOption] and says what is allowed.
func ParsePreprocess(spec string) (Preprocess, error) {
	m, err := preprocess.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	return m, nil
}
