package tables

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/corrupt"
)

// valuesOf returns the parameters in the decoded key corruptions. The error names the one that is wrong.
func valuesOf(decoded any) (corrupt.Values, error) {
	list, err := mapOf(decoded, "corruptions: names with the parameters of each")
	if err != nil {
		return nil, err
	}
	values := corrupt.Values{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		params, err := mapOf(list[name], name+": names of parameters with a list of numbers each")
		if err != nil {
			return nil, err
		}
		values[name] = map[string][]float64{}
		for _, param := range slices.Sorted(maps.Keys(params)) {
			if values[name][param], err = numbersOf(params[param]); err != nil {
				return nil, fmt.Errorf("%w: %.80s: %.80s: %w", corrupt.ErrTables, name, param, err)
			}
		}
	}
	return values, nil
}

// mapOf returns what is a map, or nothing at all. want says where it is and what is allowed there.
func mapOf(decoded any, want string) (map[string]any, error) {
	switch v := decoded.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	}
	return nil, fmt.Errorf("%w: %.80q (allowed: %.200s)", corrupt.ErrTables, fmt.Sprint(decoded), want)
}

// powerOfTen is how YAML 1.2 may write a number where YAML 1.1 sees a string: 1e-2.
var powerOfTen = regexp.MustCompile(`^[-+]?[0-9]+[eE][-+]?[0-9]+$`)

// numbersOf returns a list of numbers, one for each severity.
func numbersOf(decoded any) ([]float64, error) {
	list, ok := decoded.([]any)
	if !ok && decoded != nil {
		return nil, fmt.Errorf("%.80q (allowed: a list of %d numbers, one for each severity)", fmt.Sprint(decoded), corrupt.Severities)
	}
	numbers := make([]float64, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case float64:
			numbers[i] = v
		case int64:
			numbers[i] = float64(v)
		case uint64:
			numbers[i] = float64(v)
		case string:
			if !powerOfTen.MatchString(v) {
				return nil, fmt.Errorf("%.80q at severity %d (allowed: numbers)", v, i+1)
			}
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				return nil, fmt.Errorf("%.80q at severity %d (allowed: numbers of 64 bits)", v, i+1)
			}
			numbers[i] = n
		default:
			return nil, fmt.Errorf("%.80q at severity %d (allowed: numbers)", fmt.Sprint(v), i+1)
		}
	}
	return numbers, nil
}
