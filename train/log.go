package train

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/augmix-go/augmix/internal/events"
	"github.com/augmix-go/augmix/internal/trainedon"
	"github.com/augmix-go/augmix/results"
)

// Metrics of training itself, beside those of package results.
const (
	MetricTrainLoss  = "train_loss"  // mean of the loss that was minimized
	MetricTrainError = "train_error" // top-1 error of training images as they came, while the weights changed
)

// stepEvery is how many steps lie between two points of the curves of single steps.
const stepEvery = 20

// log writes what a run measures: rows of results and curves.
type log struct {
	rows    *results.Appender
	written map[results.Key]bool // rows of an earlier part of the run
	curves  *events.Writer
	base    results.Row
	dropped int // of Plan
}

func openLog(r *runner, extended bool) (*log, error) {
	path := filepath.Join(r.options.Dir, ResultsName)
	l := &log{written: map[results.Key]bool{}}
	var err error
	if l.rows, err = results.OpenAppend(path); err != nil {
		return nil, err
	}
	if err := r.sameValidation(path); err != nil {
		return nil, errors.Join(err, l.rows.Close())
	}
	old, err := results.ReadFile(path)
	if err != nil {
		return nil, errors.Join(err, l.rows.Close())
	}
	if len(old) > 0 && !r.options.Resume { // another run came and went since claim
		return nil, errors.Join(r.occupied(ResultsName), l.rows.Close())
	}
	l.base = results.Row{
		Model: r.options.Name, Dataset: cmp.Or(r.options.Dataset, r.train.Info().Format), Seed: &r.config.Seed, Versions: r.options.Versions,
		Origin: results.Measured,
	}
	begins := len(old) > 0 && !r.state.Saved
	switch {
	case extended:
		for i := range old {
			if row := &old[i].Row; l.ofShorter(row) && !l.writes(row) {
				l.dropped++
			}
		}
		l.rows, old, err = reopen(l.rows, r.options.Dir, l.ofShorter)
	case begins: // the rows are of weights that are gone, even where the run was the same and killed before its first checkpoint
		l.rows, old, err = reopen(l.rows, r.options.Dir, l.writes)
	}
	if err != nil {
		return nil, err
	}
	for i := range old {
		l.written[old[i].Key()] = true
	}
	if l.curves, err = events.New(r.options.Dir); err != nil {
		return nil, errors.Join(err, l.rows.Close())
	}
	if r.state.Saved || begins {
		// What a killed part of the run wrote after its last checkpoint comes again.
		if err := l.curves.Restart(int64(r.state.Steps) + 1); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

// writes reports whether a row is one of those that a run of the model writes: of an epoch, or of the run as a whole, which is no
// evaluation of corrupted images or of a view.
func (l *log) writes(row *results.Row) bool {
	if row.Model != l.base.Model || row.Epoch > 0 {
		return row.Model == l.base.Model
	}
	last := l.row(results.View{}, results.Top1Error, 0, 0)
	last.Seed = row.Seed
	return row.Key() == last.Key()
}

// ofShorter reports whether a row is of the weights of the shorter run: the error at its end, or of an evaluation, at whichever exit.
func (l *log) ofShorter(row *results.Row) bool {
	rest, own := strings.CutPrefix(row.Model, l.base.Model)
	exit, isExit := strings.CutPrefix(rest, "-exit")
	_, err := strconv.Atoi(exit)
	return row.Epoch == 0 && own && (rest == "" || isExit && err == nil)
}

// sameValidation refuses to add to rows of other validation data: the best epoch would be one of either.
func (r *runner) sameValidation(path string) error {
	if r.val == nil || !r.options.Resume {
		return nil
	}
	old, err := results.ReadFile(path)
	if err != nil {
		return err
	}
	for i := range old {
		if was := old[i].Data; old[i].Epoch > 0 && was != "" && was != r.val.data { // of no epoch are those of an evaluation
			return fmt.Errorf("%w: %s has errors of other validation data than there is now (%s, now %s)", ErrCheckpoint, path, was, r.val.data)
		}
	}
	return nil
}

func (l *log) close() {
	_ = l.rows.Close()
	_ = l.curves.Close()
}

// step writes the points of a step.
func (l *log) step(s *state, loss, rate float64) {
	if s.Steps%stepEvery == 0 {
		_ = l.curves.Scalar("train/step_loss", int64(s.Steps), loss)
		_ = l.curves.Scalar("train/learning_rate", int64(s.Steps), rate)
	}
}

// epoch writes the rows and points of an epoch.
func (l *log) epoch(r *runner, e *Epoch) error {
	view := results.View{Epoch: e.Epoch}
	rows := []results.Row{
		l.row(view, MetricTrainLoss, e.TrainLoss, r.train.Len()), l.row(view, MetricTrainError, e.TrainError, r.train.Len()),
	}
	if e.Validated {
		rows = append(rows, l.validation(r, view, results.Top1Error, e.Error), l.validation(r, view, results.NLL, e.Loss))
	}
	at := int64(e.Epoch)
	for _, row := range rows {
		if err := l.curves.Scalar("epoch/"+row.Metric, at, row.Value); err != nil {
			return err
		}
	}
	if err := l.curves.Flush(); err != nil {
		return err
	}
	return l.append(rows)
}

// finish writes the rows of the whole run.
func (l *log) finish(r *runner) error {
	e := float64(r.state.Error)
	if r.val == nil || math.IsNaN(e) {
		return nil
	}
	return l.append([]results.Row{l.validation(r, results.View{}, results.Top1Error, e)})
}

// validation is a row of a number of the validation data, whose fingerprint it has. Numbers of training images have none:
// they are of no test set. Those of corrupted images say what of the benchmarks' corruptions the network was trained on.
func (l *log) validation(r *runner, view results.View, metric string, v float64) results.Row {
	row := l.row(view, metric, v, r.val.len())
	row.Data = r.val.data
	if _, form := results.SplitForm(row.Dataset); "-"+form == results.SuffixC || "-"+form == results.SuffixCBar {
		row.Versions = results.AddVersions(row.Versions, trainedon.Of(r.info().Other))
	}
	return row
}

func (l *log) row(view results.View, metric string, v float64, n int) results.Row {
	row := l.base
	row.View, row.Metric, row.Value, row.N, row.Time = view, metric, v, int64(n), time.Now()
	return row
}

func (l *log) append(rows []results.Row) error {
	fresh := rows[:0]
	for _, row := range rows {
		if !l.written[row.Key()] {
			l.written[row.Key()] = true
			fresh = append(fresh, row)
		}
	}
	if err := l.rows.Append(fresh...); err != nil {
		return err
	}
	return l.rows.Sync()
}
