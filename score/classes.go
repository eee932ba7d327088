package score

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// Classes counts the predictions on images by their class: the error of each class, and what it is confused with.
type Classes struct {
	metrics.Confusion
	Names []string // of the classes, by number; nil: they are called by their numbers
}

// maxConfusions is how many confusions rows say: all of up to 20 classes. The matrix has the rest.
const maxConfusions = 20 * 19

// Name returns the name of a class, its number where it has none.
func (c *Classes) Name(class int) string {
	if class < len(c.Names) {
		return c.Names[class]
	}
	return strconv.Itoa(class)
}

// Rows returns the error of each class that has images, in their order, and the largest confusions, in the order of
// [metrics.Confusion.Confused]: base with View.Class and View.Said.
func (c *Classes) Rows(base results.Row) ([]results.Row, error) {
	var rows []results.Row
	for label := range c.Classes() {
		e, err := c.Error(label)
		if errors.Is(err, metrics.ErrUndefined) {
			continue
		}
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

// WriteCSV writes the whole matrix of counts: a line for each true class, a column for each prediction, both with names.
// A name that a spreadsheet would take for a formula begins with an apostrophe.
func (c *Classes) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := []string{"class"}
	for pred := range c.Classes() {
		line = append(line, terminal.CSV(c.Name(pred)))
	}
	err := out.Write(line)
	for label := range c.Classes() {
		line = append(line[:0], terminal.CSV(c.Name(label)))
		for pred := range c.Classes() {
			line = append(line, strconv.FormatUint(c.Count(label, pred), 10))
		}
		err = errors.Join(err, out.Write(line))
	}
	out.Flush()
	return errors.Join(err, out.Error())
}
