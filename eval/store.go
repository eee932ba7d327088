package eval

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Store is where a run's measurements go, and what an earlier part of it left there. The zero Store keeps rows in
// memory.
type Store struct {
	// Rows are all rows so far, those taken from Known among them.
	Rows    []results.Row
	Results *results.Appender // where rows go as soon as they are there; nil: nowhere but into Rows
	// Known are rows of an earlier run. What they hold completely is not measured again.
	Known    []results.Row
	Records  *Recorder     // keeps each prediction on clean and corrupted images; nil keeps nothing
	Examples *ExampleStore // keeps images that a corruption makes the model get wrong, as Records has it; nil keeps none
	// Reading says how images of the clean set are read where that is not the default, in words: what was measured on images that were
	// read otherwise is not taken for these.
	Reading   string
	LogitsDir string // where logits are saved; empty: nowhere
	Confusion string // folder of the confusion matrix of clean images, DATASET.csv, where it is measured; empty: none is written
}

// put records rows. What an earlier run has written already is not written again, and stays where a measurement that was made again
// has other last digits. The error wraps [ErrChanged], and nothing is written, where its numbers are others.
func (s *Store) put(rows ...results.Row) error {
	var fresh []results.Row
	for i := range rows {
		old, err := s.kept(&rows[i])
		switch {
		case err != nil:
			return err
		case old == nil:
			fresh = append(fresh, rows[i])
		}
	}
	s.Rows = append(s.Rows, rows...)
	if s.Results == nil {
		return nil
	}
	return errors.Join(s.Results.Append(fresh...), s.Results.Sync())
}

// agree returns the error of putting the rows, for a look before anything is written that goes with them.
func (s *Store) agree(rows []results.Row) error {
	for i := range rows {
		if _, err := s.kept(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// kept returns the row of an earlier run that a row need not be written beside, nil where there is none.
func (s *Store) kept(row *results.Row) (*results.Row, error) {
	var other *results.Row
	for i := range s.Known {
		k := &s.Known[i]
		switch {
		case k.Key() != row.Key() || !slices.Equal(k.Over, row.Over):
		case row.Bin > 0 || k.N == row.N && closeTo(k.Value, row.Value): // at the border of a bin last digits move an image
			return k, nil
		default:
			other = k
		}
	}
	if other == nil {
		return nil, nil
	}
	return nil, fmt.Errorf("%w: %v is %v of %d, measured again, and %v of %d in the results kept here; measure into another folder",
		ErrChanged, row.Key(), row.Value, row.N, other.Value, other.N)
}

// lastDigits is how much numbers may differ for the order in which a processor adds: that of a model in another program, or of ONNX
// Runtime. The networks of this program have the same bits everywhere.
const lastDigits = 1e-4

// closeTo reports whether numbers are the same, but for their last digits.
func closeTo(a, b float64) bool {
	return math.Abs(a-b) <= lastDigits*max(1, math.Abs(a)) || math.IsNaN(a) && math.IsNaN(b)
}

// known returns the rows of an earlier run that have the same model, data set, corruption, difficulty, view and seed as
// base, if they are complete: with each of the given metrics at each of the severities. Otherwise it returns nil.
func (s *Store) known(base results.Row, wanted []string, severities []float64) []results.Row {
	type measured struct {
		metric   string
		severity float64
	}
	have := map[measured]bool{}
	var found []results.Row
	for _, r := range s.Known {
		if sameMeasurement(&r, &base) {
			have[measured{r.Metric, r.Severity}] = true
			found = append(found, r)
		}
	}
	for _, metric := range wanted {
		for _, severity := range severities {
			if !have[measured{metric, severity}] {
				return nil
			}
		}
	}
	return found
}

// knownClasses returns the rows of single classes of an earlier run with the place of base; nil where there are none, or
// where the file of the matrix is missing.
func (s *Store) knownClasses(base results.Row) []results.Row {
	if s.Confusion != "" {
		if _, err := os.Stat(s.confusionPath(base)); err != nil {
			return nil
		}
	}
	key := base.Key()
	var found []results.Row
	for _, r := range s.Known {
		k := r.Key()
		k.Metric, k.Severity, k.Class, k.Said = key.Metric, key.Severity, key.Class, key.Said
		if k == key && r.Class != "" {
			found = append(found, r)
		}
	}
	return found
}

// confusionPath is the file of the matrix of a measurement: DATASET.csv, or DATASET-VIEW.csv where not all images were looked
// at as they are.
func (s *Store) confusionPath(base results.Row) string {
	name := base.Dataset
	if base.View != (results.View{}) {
		name += "-" + base.View.Encode()
	}
	return filepath.Join(s.Confusion, name+".csv")
}

// saveConfusion writes the confusion matrix.
func (s *Store) saveConfusion(base results.Row, c *score.Classes) error {
	if c == nil || s.Confusion == "" {
		return nil
	}
	var b bytes.Buffer
	err := c.WriteCSV(&b)
	if err == nil {
		err = os.MkdirAll(s.Confusion, 0o777)
	}
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(s.confusionPath(base), b.Bytes())
}

// logitsThere reports whether the logits of the measurement whose row base is need not be made: none are wanted, or they are there, in
// files called after file, with what is said of them.
func (s *Store) logitsThere(base results.Row, file string, severities []float64) bool {
	if s.LogitsDir == "" {
		return true
	}
	for _, path := range s.logitsPaths(base.Dataset, file, severities) {
		if !isThere(path) || !s.sameView(path, &base, severities) {
			return false
		}
	}
	return true
}

// viewOf says which of the measurements that save logits under one name a row is of; "" for the usual one.
func viewOf(row *results.Row) string {
	text := results.View{
		Part: row.Part, Preprocess: row.Preprocess, Limit: row.Limit, TenCrop: row.TenCrop, Among: row.Among,
	}.Encode()
	if row.Seed != nil && *row.Seed != 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s seed=%d", text, *row.Seed))
	}
	return text
}

// sameView reports whether the logits at path are of the view of base. Those of older versions do not say it: they are where they have
// as many rows as were measured, and nothing is known of another view of the same images.
func (s *Store) sameView(path string, base *results.Row, severities []float64) bool {
	if !isThere(predictions.VersionsPath(path)) {
		return false
	}
	versions, err := predictions.ReadVersions(path)
	if err != nil {
		return false
	}
	was, now := versions[results.VersionView], viewOf(base)
	if was != "" {
		return was == now
	}
	parts := 1
	if severities != nil && len(s.logitsPaths(base.Dataset, base.Corruption, severities)) == 1 {
		parts = len(severities)
	}
	for i := range s.Known {
		k := s.Known[i]
		other := viewOf(&k) != now
		k.Part, k.Preprocess, k.Limit, k.Seed = base.Part, base.Preprocess, base.Limit, base.Seed
		if !sameMeasurement(&k, base) || k.Metric != results.Top1Error || (k.Severity > 0) != (severities != nil) {
			continue
		}
		if other && now != "" || !other && !hasRows(path, int(k.N)*parts) {
			return false
		}
	}
	return true
}

// hasRows reports whether a file of logits has n rows. Sequences, which have an axis more, are not counted.
func hasRows(path string, n int) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	h, _, err := npy.ReadHeader(f)
	return err == nil && (len(h.Shape) != 2 || h.Shape[0] == n)
}

// logitsPaths names the files of a measurement. One file holds all five severities, as published sets do, or none. Others
// have a file each, NAME_3.npy: nothing in a joint one would tell a reader which and how many it holds.
func (s *Store) logitsPaths(dataset, corruption string, severities []float64) []string {
	if corruption == "" {
		return []string{filepath.Join(s.LogitsDir, dataset+".npy")}
	}
	name := filepath.Join(s.LogitsDir, dataset, corruption)
	if severities == nil || slices.Equal(severities, severitiesOfSets) {
		return []string{name + ".npy"}
	}
	var paths []string
	for _, severity := range severities {
		paths = append(paths, fmt.Sprintf("%s_%v.npy", name, severity))
	}
	return paths
}
