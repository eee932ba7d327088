//go:build !js

package studio

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/results"
)

// training is how far the training of a run is.
type training struct {
	Run     int     `json:"run"` // its number
	Name    string  `json:"name"`
	Epoch   int     `json:"epoch"`   // of the last rows
	Epochs  int     `json:"epochs"`  // of all; 0: not known
	Seconds float64 `json:"seconds"` // an epoch takes, as the mean
	Left    float64 `json:"left"`    // seconds until it is done; 0 where nothing seems to run
	Problem string  `json:"problem,omitempty"`

	values map[string]*chart.Series
	last   time.Time // of the last rows
}

// trainings is what the page shows of them: a chart for each metric.
type trainings struct {
	Runs   []*training `json:"runs"`
	Charts [][2]string `json:"charts"` // SVG, for wide windows and for narrow ones
}

// trained are the metrics of the rows that a training writes after each epoch, in the order of their charts.
var trained = []struct {
	metric, title string
	percent       bool
}{
	{"train_loss", "Loss in training", false},
	{"train_error", "Error in training", true},
	{results.Top1Error, "Error in validation", true},
	{results.NLL, "NLL in validation", false},
}

func isTrained(metric string) bool {
	for _, c := range trained {
		if c.metric == metric {
			return true
		}
	}
	return false
}

// train reads the rows of the trainings, which may still be written.
func (s *Server) train(context.Context, *request) (any, error) {
	out := trainings{Runs: []*training{}, Charts: [][2]string{}}
	names := runNames(s.runs)
	for i, path := range s.runs {
		t, err := readTraining(trainingDir(path), names[i])
		if err != nil {
			t = &training{Name: names[i], Problem: s.opt.Message(err)}
		}
		if t != nil {
			t.Run = i
			out.Runs = append(out.Runs, t)
		}
	}
	last := 1
	for _, t := range out.Runs {
		last = max(last, t.Epoch, t.Epochs)
	}
	for _, c := range trained {
		p := &chart.Plot{
			Title: c.title, Desc: c.title + " after each epoch", Width: 620, Height: 300,
			X: chart.Axis{Label: "epoch", Fixed: true, Max: float64(last)}, Y: chart.Axis{Label: c.title, Percent: c.percent, Zero: true},
		}
		for i, t := range out.Runs {
			if values := t.values[c.metric]; values != nil {
				values.Name, values.Color = t.Name, i%chart.Colors
				p.Series = append(p.Series, *values)
			}
		}
		if len(p.Series) > 0 {
			out.Charts = append(out.Charts, [2]string{p.SVG("train-" + c.metric), p.Fit(narrowChart).SVG("narrow-" + c.metric)})
		}
	}
	return out, nil
}

// trainingDir is where the training of a run lies: of one of augmix run beside its measurement.
func trainingDir(run string) string {
	if filepath.Base(run) == "eval" {
		return filepath.Dir(run)
	}
	return run
}

var epochsLine = regexp.MustCompile(`(?m)^epochs: (\d{1,6})$`)

// narrowChart is the width of a chart on a small screen, in pixels.
const narrowChart = 350

// maxArgs bounds the args.yaml that is read, in bytes.
const maxArgs = 1 << 20

// readTraining reads a run's rows; nil where none are of a training.
func readTraining(path, name string) (*training, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	t, file := &training{Name: name, values: map[string]*chart.Series{}}, path
	if st.IsDir() {
		file = filepath.Join(path, rowsName)
	}
	rows, err := wholeRows(file)
	if err != nil {
		return nil, err
	}
	var times []time.Time
	for _, r := range rows {
		if r.Epoch == 0 || !isTrained(r.Metric) {
			continue
		}
		v := t.values[r.Metric]
		if v == nil {
			v = new(chart.Series)
			t.values[r.Metric] = v
		}
		v.X, v.Y = append(v.X, float64(r.Epoch)), append(v.Y, r.Value)
		if !r.Time.IsZero() && r.Metric == trained[0].metric {
			times = append(times, r.Time)
		}
		t.Epoch = max(t.Epoch, r.Epoch)
	}
	if t.Epoch == 0 {
		return nil, nil
	}
	text, err := data.ReadFile(nil, filepath.Join(filepath.Dir(file), "args.yaml"), maxArgs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if m := epochsLine.FindSubmatch(text); m != nil {
		t.Epochs, _ = strconv.Atoi(string(m[1]))
	}
	t.time(times, time.Now())
	return t, nil
}

// wholeRows returns the rows of a file whose last one may be in the writing.
func wholeRows(file string) (rows []results.Located, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	r := results.NewReader(f, file)
	for {
		row, err := r.Next()
		if err == io.EOF || errors.Is(err, results.ErrTorn) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

// time finds out how long an epoch takes, and what is left of a training whose next epoch is not long overdue.
func (t *training) time(times []time.Time, now time.Time) {
	if len(times) < 2 {
		return
	}
	last := times[len(times)-1]
	t.Seconds = max(last.Sub(times[0]).Seconds()/float64(len(times)-1), 0.1) // rows say whole seconds
	t.last = last
	since := now.Sub(last).Seconds()
	if t.Epoch < t.Epochs && since < 3*t.Seconds+10 {
		t.Left = max(1, t.Seconds*float64(t.Epochs-t.Epoch)-since)
	}
}
