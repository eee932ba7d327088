package robustbench

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// ErrRows: the rows do not have what the leaderboard asks for.
var ErrRows = errors.New("not enough for the leaderboard")

// Datasets are those that the leaderboard has.
func Datasets() []string { return []string{"cifar10", "cifar100", "imagenet"} }

var corruptions = [15]string{
	"shot_noise", "motion_blur", "snow", "pixelate", "gaussian_noise", "defocus_blur", "brightness", "fog", "zoom_blur", "frost",
	"glass_blur", "impulse_noise", "contrast", "jpeg_compression", "elastic_transform",
}

// Corruptions are the 15 that the leaderboard asks for, in the order of its tables.
func Corruptions() []string { return slices.Clone(corruptions[:]) }

const severities = 5

// published are the severities, without those between them.
var published = []float64{1, 2, 3, 4, 5}

// Cells are accuracies, 0 to 1, by corruption and severity.
type Cells map[string][severities]float64

// mean is over all cells.
func (c Cells) mean() float64 {
	sum := 0.0
	for _, name := range corruptions {
		for _, v := range c[name] {
			sum += v
		}
	}
	return sum / float64(len(corruptions)*severities)
}

// Entry is a model of the leaderboard.
type Entry struct {
	ID      string // the name of its file, without extension
	Dataset string // one of [Datasets]
	About   About
	Clean   float64 // accuracy, 0 to 1
	MCE     float64 // mean corruption error as a fraction of AlexNet's; NaN but for imagenet
	Cells   Cells
	Notes   []string // what the numbers are of that the files do not say, such as generated frost

	passed string // why the first measured error on one of the data sets was passed over; "": none was
}

// FromRows takes an entry from the rows of one model: error on the clean images of a data set and on all 15 corruptions at all
// 5 severities, and for imagenet the mean corruption error. What is missing is an error that lists it and wraps [ErrRows], and so
// is a second number of one cell, as several seeds have, a mean corruption error that is not by AlexNet, and corruptions with
// parameters for images of another size. Rows of a part
// of the data, or of an attack, are passed over; the error says so where nothing else is there.
func FromRows(rows []results.Row, about About) (*Entry, error) {
	if err := about.check(); err != nil {
		return nil, err
	}
	e := &Entry{About: about, MCE: math.NaN(), Clean: math.NaN(), Cells: Cells{}}
	for i := range rows {
		if err := e.add(&rows[i]); err != nil {
			return nil, err
		}
	}
	if e.Dataset == "" {
		err := fmt.Errorf("%w: no measured errors on %s or corruptions of them", ErrRows, strings.Join(Datasets(), ", "))
		if e.passed != "" {
			err = fmt.Errorf("%w but those of %s (allowed: of all images as they are)", err, e.passed)
		}
		return nil, err
	}
	return e, e.complete()
}

func (e *Entry) add(r *results.Row) error {
	base, form := results.SplitForm(r.Dataset)
	wanted := r.Origin == results.Measured && slices.Contains(Datasets(), base) &&
		(r.Metric == results.Top1Error && (form == "" || form == "c") || r.Metric == results.MeanCE && form == "c")
	switch {
	case !wanted:
		return nil
	case r.View != results.View{}:
		if e.passed == "" && r.View.Group == "" {
			e.passed = r.View.Text()
		}
		return nil
	}
	switch {
	case e.Dataset != "" && e.Dataset != base:
		return fmt.Errorf("%w: rows of %s and of %s (allowed: one data set)", ErrRows, e.Dataset, base)
	case e.ID != "" && e.ID != r.Model:
		return fmt.Errorf("%w: rows of the models %q and %q (allowed: one)", ErrRows, e.ID, r.Model)
	}
	e.ID, e.Dataset = r.Model, base
	if by := r.Versions[results.VersionBaseline]; by != "" {
		return fmt.Errorf("%w: the mean corruption error is divided by the figures of %s (allowed: by AlexNet's)", ErrRows, by)
	}
	if err := e.look(base, r); err != nil {
		return err
	}
	switch {
	case r.Metric == results.MeanCE:
		return set(&e.MCE, r.Value, "the mean corruption error", r.Value)
	case form == "":
		return set(&e.Clean, accuracy(r.Value), "the error on clean images", r.Value)
	case r.Corruption != "" && slices.Contains(published, r.Severity) && slices.Contains(corruptions[:], r.Corruption):
		c, has := e.Cells[r.Corruption]
		if !has {
			c = missing
		}
		err := set(&c[int(r.Severity)-1], accuracy(r.Value), fmt.Sprintf("the error of %s %v", r.Corruption, r.Severity), r.Value)
		e.Cells[r.Corruption] = c
		return err
	}
	return nil
}

// set sets a number, and refuses another value of one that is there: rows of several seeds are several measurements.
func set(to *float64, v float64, what string, said float64) error {
	if !math.IsNaN(*to) && *to != v {
		return fmt.Errorf("%w: %s twice, the second is %v (allowed: one number of each, as of one seed)", ErrRows, what, said)
	}
	*to = v
	return nil
}

// accuracy is 1 - error, without the digits that the subtraction adds.
func accuracy(e float64) float64 { return math.Round((1-e)*1e12) / 1e12 }

// missing is a corruption of which nothing is known.
var missing = [severities]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}

// complete returns an error that lists what is not there.
func (e *Entry) complete() error {
	var lacks []string
	if math.IsNaN(e.Clean) {
		lacks = append(lacks, "clean images")
	}
	for _, name := range corruptions {
		c, has := e.Cells[name]
		if !has {
			lacks = append(lacks, name)
			continue
		}
		for s, v := range c {
			if math.IsNaN(v) {
				lacks = append(lacks, name+" "+strconv.Itoa(s+1))
			}
		}
	}
	if e.Dataset == "imagenet" && math.IsNaN(e.MCE) {
		lacks = append(lacks, "the mean corruption error")
	}
	if lacks == nil {
		return nil
	}
	return fmt.Errorf("%w: model %q on %s has no error of %s", ErrRows, e.ID, e.Dataset, strings.Join(lacks, ", "))
}

// percent prints an accuracy or error as the leaderboard does.
func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 2, 64) }
