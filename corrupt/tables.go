package corrupt

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/internal/suggest"
)

// ErrTables: tables of parameters that cannot be.
var ErrTables = errors.New("bad parameters")

// Tables are parameters of a user's for some corruptions, in place of those of a profile, which the others keep. Like those
// of a published profile they stay for images of any size. Package corrupt/tables reads them from files.
type Tables struct {
	base Profile
	own  map[string]*table
}

// Values are parameters by corruption and name, one for each severity.
type Values map[string]map[string][]float64

// NewTables returns the tables of the given values over a profile. A corruption that is named needs all of its parameters. The
// error wraps [ErrTables] and names the corruption, the parameter and what is allowed.
func NewTables(base Profile, values Values) (*Tables, error) {
	t := &Tables{base: base, own: map[string]*table{}}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c, err := ByName(name)
		if err != nil {
			all, _ := Names("all")
			return nil, fmt.Errorf("%w: corruption %.80q%s (allowed: %s)", ErrTables, name, suggest.Hint(name, all), strings.Join(all, ", "))
		}
		if t.own[name], err = c.row.tableOf(values[name]); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrTables, name, err)
		}
	}
	return t, nil
}

// tableOf returns the table of the values.
func (r *row) tableOf(values map[string][]float64) (*table, error) {
	names := strings.Fields(r.params)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("parameter %.80q%s (allowed: %s)", name, suggest.Hint(name, names), strings.Join(names, ", "))
		}
	}
	s := make(set, Severities)
	for c, name := range names {
		list, allowed := values[name], ranges[r.name][c]
		if len(list) != Severities {
			return nil, fmt.Errorf("%s: %d values (allowed: %d, one for each severity)", name, len(list), Severities)
		}
		for i, v := range list {
			k := r.table.Kinds[c]
			if whole := k == count || k == steps || k == mode; !(v >= allowed[0] && v <= allowed[1]) || whole && v != math.Trunc(v) {
				kind := ""
				if whole {
					kind = "whole numbers, "
				}
				return nil, fmt.Errorf("%s: %v at severity %d (allowed: %s%v to %v)", name, v, i+1, kind, allowed[0], allowed[1])
			}
			s[i][c] = v
		}
	}
	t := *r.table
	t.Sets = [4]set{s, s, s, s}
	return &t, nil
}

// ranges are the allowed values of the parameters.
var ranges = map[string][][2]float64{
	"gaussian_noise":    {{0, 10}},
	"shot_noise":        {{0.01, mostLambda}},
	"impulse_noise":     {{0, 1}},
	"defocus_blur":      {{0, 500}, {0.001, 100}},
	"glass_blur":        {{0, 100}, {1, maxDelta}, {0, 20}},
	"motion_blur":       {{0, 1000}, {0.01, 1000}},
	"zoom_blur":         {{0.005, 1}, {0, 5}},
	"snow":              {{-1, 2}, {0, 10}, {1, 100}, {-10, 10}, {0, 1000}, {0.01, 1000}, {0, 1}},
	"frost":             {{0, 2}, {0, 2}, {0.01, 10}},
	"fog":               {{0, 100}, {1, 100}},
	"brightness":        {{-1, 1}},
	"contrast":          {{0, 10}},
	"elastic_transform": {{0, 10000}, {0, 2000}, {0, 1000}},
	"pixelate":          {{0.001, 1}},
	"jpeg_compression":  {{1, 100}},
	"speckle_noise":     {{0, 10}},
	"gaussian_blur":     {{0, 200}},
	"spatter":           {{-1, 2}, {0, 10}, {0, 100}, {-10, 10}, {0.01, 100}, {0, 1}},
	"saturate":          {{0, 100}, {-1, 1}},
}

// Base returns the profile of the corruptions that the tables do not name.
func (t *Tables) Base() Profile { return t.base }

// Has reports whether the tables name the corruption.
func (t *Tables) Has(name string) bool { return t != nil && t.own[name] != nil }

// Sum returns a short hash of the tables, by which what was made with others is told apart.
func (t *Tables) Sum() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(t.String())))[:12]
}

// String returns the tables as a YAML file that package corrupt/tables reads.
func (t *Tables) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "base: %q # of the corruptions that are not here: auto, 32, 64, 224 or 299\ncorruptions:\n", t.base)
	for i := range rows {
		own := t.own[rows[i].name]
		if own == nil {
			continue
		}
		fmt.Fprintf(&b, "  %s:\n", rows[i].name)
		for c, name := range strings.Fields(rows[i].params) {
			var list []string
			for _, v := range own.Sets[0] {
				list = append(list, strconv.FormatFloat(v[c], 'g', -1, 64))
			}
			fmt.Fprintf(&b, "    %s: [%s]\n", name, strings.Join(list, ", "))
		}
	}
	return b.String()
}

// TablesOf returns the parameters of a published profile, of the named corruptions or, with none, of all: to begin tables of
// one's own with. The error wraps [ErrUnknown]; [Auto] has no one table.
func TablesOf(p Profile, names ...string) (*Tables, error) {
	if p == Auto || !p.Valid() {
		return nil, fmt.Errorf("%w: tables of profile %s (there are 32, 64, 224, 299)", ErrUnknown, p)
	}
	if len(names) == 0 {
		names, _ = Names("all")
	}
	t := &Tables{base: p, own: map[string]*table{}}
	for _, name := range names {
		c, err := ByName(name)
		if err != nil {
			return nil, err
		}
		s := c.row.table.Sets[slices.Index(corruption.Sides[:], p.Side())]
		own := *c.row.table
		own.Sets = [4]set{s, s, s, s}
		t.own[name] = &own
	}
	return t, nil
}

// WithTables returns the corruption with the parameters of t, or where t does not name it those of its base; nil changes
// nothing.
func (c Op) WithTables(t *Tables) Op {
	if c.tables = t; t != nil {
		c.profile = t.base
	}
	return c
}

// parameters returns the table of the corruption and the side of the images that it was published for.
func (c Op) parameters() (t *table, published int) {
	if c.tables.Has(c.row.name) {
		return c.tables.own[c.row.name], corruption.Sides[0]
	}
	return c.row.table, c.profile.Side()
}

// Ranges returns the least and the greatest values that [NewTables] allows, by corruption and parameter.
func Ranges() map[string]map[string][2]float64 {
	out := map[string]map[string][2]float64{}
	for i := range rows {
		out[rows[i].name] = map[string][2]float64{}
		for c, name := range strings.Fields(rows[i].params) {
			out[rows[i].name][name] = ranges[rows[i].name][c]
		}
	}
	return out
}
