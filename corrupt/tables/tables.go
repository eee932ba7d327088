// Package tables reads profiles of a user's own: parameters of corruptions by severity, in a YAML file.
//
//	base: auto           # of the corruptions that are not here: auto, 32, 64, 224 or 299
//	corruptions:
//	  fog:
//	    amount: [0.5, 1, 1.5, 2, 2.5]   # severities 1 to 5
//	    decay: [2, 2, 1.7, 1.5, 1.4]
//
// "augmix list corruptions --profile 224" prints such a file of a published profile. Those of MedMNIST-C are built in, and such files may
// have the corruptions of package medical too. It is a package of its own for the sake of the YAML library.
package tables

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/internal/yamltext"
)

// mostBytes is more than any file of tables needs.
const mostBytes = 1 << 20

// Parse reads the text of a file of corruptions of package corrupt. The error wraps [corrupt.ErrTables].
func Parse(text []byte) (*corrupt.Tables, error) {
	s, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(s.Medical) > 0 {
		return nil, fmt.Errorf("%w: %s is of MedMNIST-C, and not of package corrupt", corrupt.ErrTables, s.Medical[0].Name())
	}
	return s.Tables, nil
}

func parse(text []byte) (*Set, error) {
	if err := yamltext.Check(text); err != nil {
		return nil, fmt.Errorf("%w: %w", corrupt.ErrTables, err)
	}
	var whole any // not a struct, whose errors would name Go's types and not the parameter
	if err := yaml.UnmarshalWithOptions(text, &whole); err != nil {
		line, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
		return nil, fmt.Errorf("%w: %s", corrupt.ErrTables, line)
	}
	f, err := mapOf(whole, "keys base and corruptions")
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(keys, key) {
			return nil, fmt.Errorf("%w: key %.80q%s (allowed: %s)", corrupt.ErrTables, key, suggest.Hint(key, keys), strings.Join(keys, ", "))
		}
	}
	values, err := valuesOf(f["corruptions"])
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%w: no corruptions (allowed: base, and corruptions with the parameters of each)", corrupt.ErrTables)
	}
	base := corrupt.Auto
	if f["base"] != nil {
		if base, err = corrupt.ParseProfile(fmt.Sprint(f["base"])); err != nil {
			return nil, fmt.Errorf("%w: base %.80q (allowed: auto, 32, 64, 224, 299)", corrupt.ErrTables, fmt.Sprint(f["base"]))
		}
	}
	return newSet(base, values)
}

// keys are those that a file may have.
var keys = []string{"base", "corruptions"}

func isFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name)))
}
