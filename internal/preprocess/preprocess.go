// Package preprocess holds methods that process an image before a classifier sees it, in training and at test time: the
// two that Hendrycks and Dietterich, Benchmarking Neural Network Robustness to Common Corruptions and Perturbations
// (ICLR 2019, section 5.1), try against corruptions. Contrast-limited adaptive histogram equalization helped a little,
// non-local means did not. The paper gives no parameters; the defaults here are the libraries' usual ones.
package preprocess

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/raster"
)

// ErrSpec is wrapped by errors about a spec string or its parameters.
var ErrSpec = errors.New("bad spec")

// Method preprocesses images. It is safe for concurrent use, each goroutine with its own Scratch.
type Method interface {
	// String returns the spec: Parse gives back an equal Method.
	String() string
	// Apply writes the preprocessed src to dst, giving it its size. dst must not be src.
	Apply(dst, src *raster.Image, s *Scratch)
}

// Scratch is the working memory of one goroutine. The zero value is ready.
type Scratch struct {
	clahe claheScratch
	nlm   nlmScratch
}

// Entry is a row of the table.
type Entry struct {
	Name, Doc, Spec, Options, Paper string

	parse func(options []string) (Method, error)
}

var table = []Entry{
	{
		Name: "clahe", Spec: NewCLAHE().String(),
		Doc: "contrast-limited adaptive histogram equalization of the lightness",
		Options: "cL    clip limit L, times the mean count of a bin; 0 is no limit (2)\n" +
			"tN    N x N tiles (8)",
		Paper: "Zuiderveld, Graphics Gems IV, 1994; arithmetic of OpenCV",
		parse: parseCLAHE,
	}, {
		Name: "nlm", Spec: NewNLM().String(),
		Doc: "non-local means with the strength of the noise that a wavelet estimate finds",
		Options: "hF    filter strength F, times the estimated standard deviation (0.8)\n" +
			"pN    patches of N x N pixels, odd (5)\n" +
			"dN    search window reaches N pixels (6)",
		Paper: "Buades et al., CVPR 2005; Donoho and Johnstone, Biometrika 81, 1994; semantics of scikit-image",
		parse: parseNLM,
	},
}

// Table returns the methods that Parse knows.
func Table() []Entry { return slices.Clone(table) }

// Parse reads a spec: a name and its options, "clahe-c2-t8". What is left out has its default.
func Parse(spec string) (Method, error) {
	fields := strings.Split(spec, "-")
	names := make([]string, len(table))
	for i := range table {
		if names[i] = table[i].Name; names[i] == fields[0] {
			m, err := table[i].parse(fields[1:])
			if err != nil {
				return nil, fmt.Errorf("%w in %q", err, spec)
			}
			return m, nil
		}
	}
	return nil, fmt.Errorf("%w: no method %q (there are: %s)", ErrSpec, fields[0], strings.Join(names, ", "))
}

// option splits an option into its letter and its number.
func option(s string) (letter byte, value float64, err error) {
	if s != "" {
		if value, err = strconv.ParseFloat(s[1:], 64); err == nil {
			return s[0], value, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: option %q is not a letter and a number", ErrSpec, s)
}

// integer returns a whole number, or an error that names the option.
func integer(letter byte, value float64) (int, error) {
	if value != float64(int(value)) {
		return 0, fmt.Errorf("%w: option %c wants a whole number, not %v", ErrSpec, letter, value)
	}
	return int(value), nil
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
