package predictions

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// meanOf reads all rows of a file and the others of an ensemble.
func meanOf(path string, opt Options) (rows []float64, labels []int, err error) {
	r, err := Open(path, opt)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var b Batch
	for {
		if err := r.Next(&b); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return rows, labels, err
		}
		rows, labels = append(rows, b.F64...), append(labels, b.Labels...)
	}
}

func with(paths ...string) Options {
	var o Options
	for _, p := range paths {
		o.With = append(o.With, Part{Path: p})
	}
	return o
}

// TestEnsemble: rows are the means of the probabilities of files of different formats and kinds, at any number of rows.
func TestEnsemble(t *testing.T) {
	for _, n := range []int{3, 40} { // in one batch, and in several of the CSV file
		a := file(t, "a.csv", []byte("label,logit_0,logit_1\n"+strings.Repeat("1,0,0\n", n)))
		b := file(t, "b.jsonl", []byte(strings.Repeat(`{"probs": [0.25, 0.75], "label": 1}`+"\n", n)))
		rows, labels, err := meanOf(a, with(b))
		if err != nil || len(rows) != 2*n || len(labels) != n || labels[n-1] != 1 {
			t.Fatalf("%d rows, %d labels, %v", len(rows)/2, len(labels), err)
		}
		for i, v := range rows {
			if want := []float64{0.375, 0.625}[i%2]; math.Abs(v-want) > 1e-12 {
				t.Fatalf("number %d: %v, want %v", i, v, want)
			}
		}
	}
}

// TestEnsembleDiffers: files that are not of the same samples are refused by name.
func TestEnsembleDiffers(t *testing.T) {
	a := file(t, "a.csv", []byte("id,label,logit_0,logit_1\nx,0,1,0\ny,1,1,0\n"))
	for name, c := range map[string]struct {
		text string
		is   error
		want string
	}{
		"classes.csv": {"logit_0,logit_1,logit_2\n1,0,0\n1,0,0\n", ErrEnsemble, "3 classes"},
		"short.csv":   {"logit_0,logit_1\n1,0\n", ErrEnsemble, "short.csv ends after 1 rows"},
		"long.csv":    {"logit_0,logit_1\n1,0\n1,0\n1,0\n", ErrEnsemble, "a.csv ends after 2 rows"},
		"labels.csv":  {"label,logit_0,logit_1\n0,1,0\n0,1,0\n", ErrEnsemble, "row 1 of"},
		"ids.csv":     {"id,logit_0,logit_1\nx,1,0\nz,1,0\n", ErrEnsemble, "another id"},
		"pred.csv":    {"pred\n0\n1\n", ErrKind, "predicted classes alone"},
	} {
		b := file(t, name, []byte(c.text))
		_, _, err := meanOf(a, with(b))
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEnsembleVideos: videos of flat files stay whole where batches of the files, here of 32,768 rows, end within one.
func TestEnsembleVideos(t *testing.T) {
	const n = 31 * 1100
	a := file(t, "a.csv", []byte("logit_0,logit_1\n"+strings.Repeat("3,0\n", n)))
	b := file(t, "b.csv", []byte("prob_0,prob_1\n"+strings.Repeat("0,1\n", n)))
	opt := with(b)
	opt.Frames = 31
	rows, _, err := meanOf(a, opt)
	if want := (1 - 1/(1+math.Exp(-3)) + 1) / 2; err != nil || len(rows) != 2*n || math.Abs(rows[2*n-1]-want) > 1e-12 {
		t.Errorf("%d rows, %v", len(rows)/2, err)
	}
}
