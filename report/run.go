package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/results"
)

// Sentinel errors.
var (
	// ErrEmpty: no measured rows.
	ErrEmpty = errors.New("nothing to report")
	// ErrOption: an option outside its range.
	ErrOption = errors.New("bad option")
	// ErrImage: a file of a run's examples that no page shows.
	ErrImage = errors.New("not an image of an example")
)

// Bounds of what a report takes from a run directory.
const (
	maxArgs  = 1 << 20
	maxImage = 1 << 20
)

// evalDir is where "augmix run" puts what it measured of a method, in the folder of the method.
const evalDir = "eval"

// RunFiles are the names of the files in the directory of a run that a report is made of, but for those in examples.
func RunFiles() []string { return []string{results.FileName, argsName, records.FileName, FourierName} }

// argsName is the file of a run's options.
const argsName = "args.yaml"

// Run is one run.
type Run struct {
	Name     string // for people: the directory's or the file's name
	Path     string
	Rows     []results.Located
	Args     string            // the text of args.yaml, empty if there is none
	Training string            // network, mix, epochs and seed of the model's training, empty where no options say it
	Seed     string            // of the model's training; empty where no options say it
	settings settings          // of the same training, nil where no options say them
	replaced string            // the folder of a training that has come to other weights than those of the numbers; else ""
	Examples []results.Example // images that flipped
	Records  string            // path of records.npz, empty if there is none
	Fourier  *FourierMap       // Fourier sensitivity, nil if there is no fourier.npy
	// Limit is how many samples of every data set were looked at, where all measured rows say the same; the rows here do
	// not say it any more. 0: all samples, or rows of different limits, which keep them.
	Limit int
	// Among is how many classes predictions are among, where that is not what the data sets ask for (see [results.View]) and all
	// measured rows say the same; the rows here do not say it any more. 0: what is usual, or rows that differ, which keep it.
	Among int
}

// Load reads a run: a directory that holds results.jsonl (and perhaps args.yaml, examples, records.npz, fourier.npy), or
// a file of rows. Rows that contradict each other are an error that names both places; the errors of the reader name file and
// line.
func Load(path string) (*Run, error) {
	info, err := storage.Stat(path)
	if err != nil {
		return nil, err
	}
	r := &Run{Name: filepath.Base(storage.Clean(path)), Path: path}
	file := path
	if info.IsDir() {
		file = storage.Join(path, results.FileName)
		if abs, err := storage.Abs(path); err == nil {
			r.Name = filepath.Base(abs)
			if parent := filepath.Base(storage.Dir(abs)); r.Name == evalDir && parent != string(filepath.Separator) {
				r.Name = parent // every method of "augmix run" has one
			}
		}
	} else {
		r.Name = strings.TrimSuffix(r.Name, filepath.Ext(r.Name))
	}
	if r.Rows, err = results.MergeFiles(file); err != nil {
		return nil, err
	}
	r.lift()
	if !info.IsDir() {
		return r, nil
	}
	err = r.beside(path)
	r.readTraining(path)
	return r, err
}

// lift takes the limit and the number of classes that all measured rows share from their views, so that runs of equal ones stand in
// the same tables.
func (r *Run) lift() {
	r.Limit = r.liftOne(func(v *results.View) *int { return &v.Limit })
	r.Among = r.liftOne(func(v *results.View) *int { return &v.Among })
}

// liftOne takes a field from the views of the measured rows and returns it, or leaves it and returns 0 where they differ.
func (r *Run) liftOne(field func(*results.View) *int) (all int) {
	for i := range r.Rows {
		if r.Rows[i].Origin != results.Measured {
			continue
		}
		n := *field(&r.Rows[i].View)
		if n == 0 || all != 0 && n != all {
			return 0
		}
		all = n
	}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Origin == results.Measured {
			*field(&row.View) = 0
		}
	}
	return all
}

// view is what the run's rows have in common that they do not say any more.
func (r *Run) view() results.View { return results.View{Limit: r.Limit, Among: r.Among} }

// beside reads what lies beside the rows.
func (r *Run) beside(dir string) error {
	args, err := storage.ReadFile(storage.Join(dir, argsName), maxArgs)
	switch {
	case err == nil:
		r.Args = strings.ToValidUTF8(string(args), "\ufffd")
	case !errors.Is(err, os.ErrNotExist):
		return err
	}
	if r.Examples, err = results.ReadExamples(dir); err != nil {
		return err
	}
	if r.Fourier, err = readFourier(dir); err != nil {
		return err
	}
	path := storage.Join(dir, records.FileName)
	if _, err := storage.Stat(path); err == nil {
		r.Records = path
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// image reads an image of an example, and its media type.
func (r *Run) image(name string) (b []byte, media string, err error) {
	path := storage.Join(r.Path, "examples", name)
	if b, err = storage.ReadFile(path, maxImage); err != nil {
		return nil, "", err
	}
	switch {
	case strings.HasPrefix(string(b), "\x89PNG\r\n"):
		return b, "image/png", nil
	case strings.HasPrefix(string(b), "\xff\xd8\xff"):
		return b, "image/jpeg", nil
	}
	return nil, "", fmt.Errorf("%w: %s (allowed: PNG, JPEG)", ErrImage, path)
}
