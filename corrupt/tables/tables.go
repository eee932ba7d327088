// Package tables reads profiles of a user's own: parameters of corruptions by severity, in a YAML file.
//
//	base: auto           # of the corruptions that are not here: auto, 32, 64, 224 or 299
//	corruptions:
//	  fog:
//	    amount: [0.5, 1, 1.5, 2, 2.5]   # severities 1 to 5
//	    decay: [2, 2, 1.7, 1.5, 1.4]
//
// "augmix list corruptions --profile 224" prints such a file of a published profile. It is a package of its own for the
// sake of the YAML library.
package tables

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
)

// mostBytes is more than any file of tables needs.
const mostBytes = 1 << 20

// file is what the file holds.
type file struct {
	Base        any            `yaml:"base"`
	Corruptions corrupt.Values `yaml:"corruptions"`
}

// Parse reads the text of a file. The error wraps [corrupt.ErrTables].
func Parse(text []byte) (*corrupt.Tables, error) {
	var f file
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		line, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
		return nil, fmt.Errorf("%w: %s", corrupt.ErrTables, line)
	}
	if len(f.Corruptions) == 0 {
		return nil, fmt.Errorf("%w: no corruptions (allowed: base, and corruptions with the parameters of each)", corrupt.ErrTables)
	}
	base := corrupt.Auto
	if f.Base != nil {
		var err error
		if base, err = corrupt.ParseProfile(fmt.Sprint(f.Base)); err != nil {
			return nil, fmt.Errorf("%w: base %.80q (allowed: auto, 32, 64, 224, 299)", corrupt.ErrTables, fmt.Sprint(f.Base))
		}
	}
	return corrupt.NewTables(base, f.Corruptions)
}

// Profile returns the published profile of that name, or the tables in the file of that name, which ends in .yaml or .yml.
// The error names the file.
func Profile(name string) (corrupt.Profile, *corrupt.Tables, error) {
	if !slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name))) {
		p, err := corrupt.ParseProfile(name)
		if err != nil {
			err = fmt.Errorf("%w: profile %.80q (allowed: auto, 32, 64, 224, 299, or a file that ends in .yaml)", corrupt.ErrTables, name)
		}
		return p, nil, err
	}
	text, err := data.ReadFile(nil, name, mostBytes)
	if err != nil {
		return 0, nil, err
	}
	t, err := Parse(text)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	return t.Base(), t, nil
}
