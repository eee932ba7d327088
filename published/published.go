package published

import (
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/results"
)

// The papers, and the leaderboard, by the names of their files.
const (
	AugMix      = "augmix"
	PixMix      = "pixmix"
	ImageNetC   = "imagenet-c"
	RobustBench = "robustbench"
)

// Papers returns the names of the papers and of the leaderboard.
func Papers() []string { return []string{AugMix, PixMix, ImageNetC, RobustBench} }

// titles are for [Title] and [Entry.Source].
var titles = map[string][2]string{
	AugMix: {
		"AugMix",
		"Hendrycks et al.: AugMix: A Simple Data Processing Method to Improve Robustness and Uncertainty, ICLR 2020",
	},
	PixMix: {"PixMix", "Hendrycks et al.: PixMix: Dreamlike Pictures Comprehensively Improve Safety Measures, CVPR 2022"},
	ImageNetC: {
		"ImageNet-C",
		"Hendrycks and Dietterich: Benchmarking Neural Network Robustness to Common Corruptions and Perturbations, ICLR 2019",
	},
	RobustBench: {"RobustBench", "RobustBench: leaderboard of common corruptions as of March 2025; its numbers on ImageNet-C are of 5,000 images"},
}

// Title returns a paper's authors, title and venue, or an empty string for a name that is none of [Papers].
func Title(paper string) string { return titles[paper][1] }

// Unit says on which scale a number is printed.
type Unit string

// The units.
const (
	Percent  Unit = "percent"
	Fraction Unit = "fraction"
	None     Unit = "" // distances
)

// Entry is one printed number.
type Entry struct {
	Paper string `json:"paper"` // one of [Papers]
	// Table is a number ("1", "16"), a source that is no table ("readme", "authors", "assembled-cnn", "leaderboard"), or
	// empty if it is not known.
	Table        string `json:"table,omitempty"`
	Method       string `json:"method"`
	Architecture string `json:"architecture"`
	Dataset      string `json:"dataset"` // as in results.Row, like the following
	Metric       string `json:"metric"`
	Corruption   string `json:"corruption,omitempty"`
	Severity     int    `json:"severity,omitempty"`
	// Attack, OOD and Part as in results.View.
	Attack  string `json:"attack,omitempty"`
	OOD     string `json:"ood,omitempty"`
	Part    string `json:"part,omitempty"`
	Printed string `json:"printed"` // the number as it is printed
	Unit    Unit   `json:"unit,omitempty"`
	Note    string `json:"note,omitempty"` // what the source says about it, or what had to be assumed
}

// Value returns the number in the unit of results: a fraction where it is printed in percent.
func (e *Entry) Value() float64 {
	v, err := strconv.ParseFloat(e.Printed, 64)
	if err != nil {
		panic("published: the tables' own number " + e.Printed)
	}
	if e.Unit == Percent {
		return v / 100
	}
	return v
}

// Rounding returns half a unit of the last printed digit, on the scale of [Entry.Value]: what the number may differ by
// from the one that was rounded.
func (e *Entry) Rounding() float64 {
	decimals := 0
	if i := strings.IndexByte(e.Printed, '.'); i >= 0 {
		decimals = len(e.Printed) - i - 1
	}
	half := 0.5 * math.Pow10(-decimals)
	if e.Unit == Percent {
		return half / 100
	}
	return half
}

// Source names paper and table: "PixMix, table 8".
func (e *Entry) Source() string {
	name := titles[e.Paper][0]
	switch {
	case e.Table == "":
		return name + " paper"
	case e.Table[0] >= '0' && e.Table[0] <= '9':
		return name + ", table " + e.Table
	case e.Table == "readme":
		return name + ", README of the code"
	case e.Table == "authors":
		return name + ", the authors' answers"
	}
	return name + ", " + e.Table
}

// Model is the name under which a report lists the row: the method and, unless it says the same, the architecture.
func (e *Entry) Model() string {
	if e.Architecture == "" || e.Architecture == e.Method {
		return e.Method
	}
	return e.Method + ", " + e.Architecture
}

// View returns the part of the data and the treatment that the number is of.
func (e *Entry) View() results.View { return results.View{Attack: e.Attack, OOD: e.OOD, Part: e.Part} }

// Row returns the entry as a row of origin "published". Flip probabilities and distances of sequences have difficulty
// 1, as the papers have.
func (e *Entry) Row() results.Row {
	r := results.Row{
		Model: e.Model(), Dataset: e.Dataset, Corruption: e.Corruption, Severity: float64(e.Severity), View: e.View(),
		Metric: e.Metric, Value: e.Value(), Origin: results.Published, Source: e.Source(),
	}
	if _, form := results.SplitForm(e.Dataset); form == "p" {
		r.Difficulty = 1
	}
	return r
}

// Query says which entries are wanted. Empty fields allow everything; the others are compared without regard to case.
// Method and Architecture match parts of the names, the others whole names.
type Query struct {
	Paper, Table, Method, Architecture, Dataset, Metric, Corruption string
}

func (q *Query) matches(e *Entry) bool {
	for _, f := range [][2]string{
		{q.Paper, e.Paper}, {q.Table, e.Table}, {q.Dataset, e.Dataset}, {q.Metric, e.Metric}, {q.Corruption, e.Corruption},
	} {
		if f[0] != "" && !strings.EqualFold(f[0], f[1]) {
			return false
		}
	}
	for _, f := range [][2]string{{q.Method, e.Method}, {q.Architecture, e.Architecture}} {
		if !strings.Contains(strings.ToLower(f[1]), strings.ToLower(f[0])) {
			return false
		}
	}
	return true
}

// Find returns the entries that a query wants, paper by paper in the order of [Papers], each in the order of its
// tables.
func Find(q Query) []Entry {
	var out []Entry
	for _, e := range table() {
		if q.matches(&e) {
			out = append(out, e)
		}
	}
	return out
}

// All returns all entries.
func All() []Entry { return slices.Clone(table()) }

//go:embed *.csv
var files embed.FS

// table parses the embedded files once; the tests make sure that it can.
var table = sync.OnceValue(func() []Entry {
	var all []Entry
	for _, paper := range Papers() {
		entries, err := parse(files, paper)
		if err != nil {
			panic("published: the package's own tables: " + err.Error())
		}
		all = append(all, entries...)
	}
	return all
})

// errFormat is wrapped by the errors of parse.
var errFormat = errors.New("bad table of published numbers")

var columns = []string{
	"table", "method", "architecture", "dataset", "metric", "corruption", "severity", "attack", "ood", "part", "value", "unit", "note",
}

func parse(from fs.FS, paper string) ([]Entry, error) {
	name := strings.ReplaceAll(paper, "-", "_") + ".csv"
	f, err := from.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errFormat, err)
	}
	defer f.Close() // nothing was written
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errFormat, name, err)
	}
	if len(lines) == 0 || !slices.Equal(lines[0], columns) {
		return nil, fmt.Errorf("%w: %s:1: its head is not %s", errFormat, name, strings.Join(columns, ","))
	}
	var out []Entry
	for i, l := range lines[1:] {
		e := Entry{
			Paper: paper, Table: l[0], Method: l[1], Architecture: l[2], Dataset: l[3], Metric: l[4], Corruption: l[5],
			Attack: l[7], OOD: l[8], Part: l[9], Printed: l[10], Unit: Unit(l[11]), Note: l[12],
		}
		if err := e.check(l[6]); err != nil {
			return nil, fmt.Errorf("%w: %s: entry %d: %w", errFormat, name, i+1, err)
		}
		out = append(out, e)
	}
	return out, nil
}

func (e *Entry) check(severity string) error {
	if severity != "" {
		s, err := strconv.Atoi(severity)
		if err != nil || s < 1 || s > 5 {
			return fmt.Errorf("severity %q (allowed: none, 1 to 5)", severity)
		}
		e.Severity = s
	}
	v, err := strconv.ParseFloat(e.Printed, 64)
	switch {
	case e.Method == "" || e.Dataset == "" || e.Metric == "":
		return errors.New("no method, data set or metric")
	case err != nil || !(v >= 0 && v <= 300):
		return fmt.Errorf("value %q (allowed: 0 to 300)", e.Printed)
	case e.Unit != Percent && e.Unit != Fraction && e.Unit != None:
		return fmt.Errorf("unit %q (allowed: %q, %q, none)", e.Unit, Percent, Fraction)
	case e.Unit == Fraction && v > 1:
		return fmt.Errorf("fraction %q (allowed: 0 to 1)", e.Printed)
	}
	return nil
}

// OODSets returns the sets that PixMix's means of OOD detection on a data set are over (section 4, table 13), by name; nil where the
// paper does not list them, as for ImageNet.
func OODSets(dataset string) []string {
	switch dataset {
	case "cifar10", "cifar100":
		return []string{"blobs", "gaussian", "lsun", "places69", "rademacher", "svhn", "textures"}
	case "places365":
		return []string{"blobs", "gaussian", "imagenet", "places69", "rademacher", "svhn", "textures"}
	}
	return nil
}
