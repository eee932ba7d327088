package score

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Classes counts the predictions on images by their class: the error of each class, and what it is confused with.
type Classes struct {
	metrics.Confusion
	Names []string // of the classes, by number; nil: they are called by their numbers

	named int // how many Names were looked at for twice
	twice map[string]bool
}

// maxConfusions is how many confusions rows say: all of up to 20 classes. The matrix has the rest.
const maxConfusions = 20 * 19

// Name returns the name of a class, with its number where others have that name too (ImageNet has two cranes), its number where it has
// none.
func (c *Classes) Name(class int) string {
	if class >= len(c.Names) {
		return strconv.Itoa(class)
	}
	if c.named != len(c.Names) {
		seen := map[string]bool{}
		c.named, c.twice = len(c.Names), map[string]bool{}
		for _, name := range c.Names {
			c.twice[name] = seen[name]
			seen[name] = true
		}
	}
	if name := c.Names[class]; !c.twice[name] {
		return name
	}
	return fmt.Sprintf("%s (%d)", c.Names[class], class)
}

// Rows returns the error of each class that has images, in their order, and the largest confusions, in the order of
// [metrics.Confusion.Confused]: base with View.Class and View.Said.
func (c *Classes) Rows(base results.Row) ([]results.Row, error) {
	var rows []results.Row
	for _, label := range c.Labels() {
		e, err := c.Error(label)
		if err != nil {
			return nil, err
		}
		r := base
		r.Class, r.Metric, r.Value, r.N = c.Name(label), results.Top1Error, e, int64(c.Confusion.Rows(label))
		rows = append(rows, r)
	}
	for _, x := range c.Confused(maxConfusions) {
		r := base
		r.Class, r.Said, r.Metric, r.Value, r.N = c.Name(x.Label), c.Name(x.Pred), results.ConfusionShare, x.Share,
			int64(c.Confusion.Rows(x.Label))
		rows = append(rows, r)
	}
	return rows, nil
}

// maxMatrix is the most classes of a matrix that is written: those of ImageNet-21K, and a file of about 1 GB.
const maxMatrix = 25_000

// WriteCSV writes the whole matrix of counts: a line for each true class, a column for each prediction, both with names.
// A name that a spreadsheet would take for a formula begins with an apostrophe. It returns an error that wraps [ErrOption] for more
// than 25,000 classes.
func (c *Classes) WriteCSV(w io.Writer) error {
	if c.Classes() > maxMatrix {
		return fmt.Errorf("%w: a confusion matrix of %d classes (allowed: at most %d; rows have the largest confusions of any number)",
			ErrOption, c.Classes(), maxMatrix)
	}
	out := csv.NewWriter(w)
	line := []string{"class"}
	for pred := range c.Classes() {
		line = append(line, terminal.CSV(c.Name(pred)))
	}
	err := out.Write(line)
	wrong := map[int][]metrics.Confused{} // by true class
	for _, x := range c.Confused(math.MaxInt) {
		wrong[x.Label] = append(wrong[x.Label], x)
	}
	for label := range c.Classes() {
		line[0] = terminal.CSV(c.Name(label))
		counts := line[1:]
		for pred := range counts {
			counts[pred] = "0"
		}
		counts[label] = strconv.FormatUint(c.Count(label, label), 10)
		for _, x := range wrong[label] {
			counts[x.Pred] = strconv.FormatUint(x.N, 10)
		}
		err = errors.Join(err, out.Write(line))
	}
	out.Flush()
	return errors.Join(err, out.Error())
}
