package robustbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// maxModel is the most bytes of a model's file; those of the leaderboard have about 600.
const maxModel = 1 << 20

// Problem is something in a file that the leaderboard would not take.
type Problem struct {
	File string // relative to the folder that was checked
	What string
}

// Check looks at all models and tables of common corruptions beneath dir: keys and types, percentages, the data set, and
// whether the accuracy under corruptions is the mean of the model's line. models is how many files it has read; an error is one of
// reading.
func Check(dir string) (models int, problems []Problem, err error) {
	for _, dataset := range Datasets() {
		at := folder(dir, dataset)
		entries, err := os.ReadDir(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return models, problems, err
		}
		c := checker{dir: dir, dataset: dataset}
		c.table, err = openTable(filepath.Join(at, tableName))
		if err != nil {
			if !errors.Is(err, ErrTable) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, data.ErrFormat) {
				return models, problems, err
			}
			problems = append(problems, Problem{c.name(tableName), why(err)})
		}
		for _, entry := range entries {
			id, isJSON := strings.CutSuffix(entry.Name(), ".json")
			if !isJSON {
				continue
			}
			models++
			text, err := data.ReadFile(nil, filepath.Join(at, entry.Name()), maxModel)
			if errors.Is(err, data.ErrFormat) { // a pipe or a device, or too large
				problems = append(problems, Problem{c.name(entry.Name()), err.Error()})
				continue
			}
			if err != nil {
				return models, problems, err
			}
			for _, what := range c.check(id, text) {
				problems = append(problems, Problem{c.name(entry.Name()), what})
			}
		}
	}
	return models, problems, nil
}

// why is an error without the name of the file, which a problem has beside it.
func why(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "is not there"
	}
	_, text, _ := strings.Cut(err.Error(), ": ")
	return text
}

type checker struct {
	dir, dataset string
	table        *table // nil: it cannot be read
}

func (c *checker) name(file string) string {
	return filepath.ToSlash(filepath.Join("model_info", c.dataset, "corruptions", file))
}

// check returns what is wrong with a model's file.
func (c *checker) check(id string, text []byte) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &keys); err != nil {
		return []string{"is no JSON object: " + err.Error()}
	}
	for _, k := range slices.Concat(required, []string{"dataset", "eps", "clean_acc", "corruptions_acc"}) {
		if keys[k] == nil {
			say("%s is missing", k)
		}
	}
	var f file
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		say("%s", strings.TrimPrefix(sayType(err).Error(), "json: "))
		return problems
	}
	if f.Dataset != c.dataset {
		say("dataset is %q, in the folder of %s", f.Dataset, c.dataset)
	}
	if f.ForwardPasses < 1 {
		say("number_forward_passes is %d (allowed: 1 or more)", f.ForwardPasses)
	}
	if f.Reported != nil && *f.Reported != "" { // both are there for none
		if _, err := readPercent(*f.Reported, 100); err != nil {
			say("reported is %v", err)
		}
	}
	if _, err := readPercent(f.Clean, 100); err != nil && keys["clean_acc"] != nil {
		say("clean_acc is %v", err)
	}
	if f.MCE != "" {
		if _, err := readPercent(f.MCE, 1000); err != nil {
			say("corruptions_mce is %v", err)
		}
	} else if c.dataset == "imagenet" {
		say("corruptions_mce is missing")
	}
	if what := c.mean(id, f.Corruptions); what != "" && keys["corruptions_acc"] != nil {
		say("%s", what)
	}
	return problems
}

// mean compares the accuracy under corruptions with the line of the table.
func (c *checker) mean(id, printed string) string {
	v, err := readPercent(printed, 100)
	if err != nil {
		return fmt.Sprintf("corruptions_acc is %v", err)
	}
	if c.table == nil {
		return ""
	}
	cells, err := c.table.cells(id)
	switch {
	case err != nil:
		return tableName + ": " + err.Error()
	case cells == nil:
		return tableName + " has no line of " + id
	}
	// Two digits, rounded or cut off; fewer are those.
	if m := 100 * cells.mean(); math.Abs(m-v) > 0.0101*math.Pow10(max(0, 2-decimals(printed))) {
		return fmt.Sprintf("corruptions_acc is %s, the mean of the line in %s is %.2f", printed, tableName, m)
	}
	return ""
}

func decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(after)
}
