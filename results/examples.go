package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// Files of a run directory, beside args.yaml.
const (
	FileName     = "results.jsonl"           // rows
	ExamplesName = "examples/examples.jsonl" // [Example] lines; the images lie beside it
)

// Example is an image that a model classified rightly when clean and wrongly when corrupted (or the other way round),
// kept for looking at: a line of examples/examples.jsonl in a run directory.
type Example struct {
	Model      string  `json:"model"`
	Dataset    string  `json:"dataset"`
	Corruption string  `json:"corruption,omitempty"`
	Severity   float64 `json:"severity,omitempty"`
	View
	Key       string  `json:"key"`             // of the sample
	Image     string  `json:"image"`           // file of the corrupted image, PNG or JPEG, in the folder examples
	Clean     string  `json:"clean,omitempty"` // file of the clean image
	Label     string  `json:"label"`           // name or number of the true class
	CleanPred string  `json:"clean_prediction"`
	CleanConf float64 `json:"clean_confidence"` // 0 to 1
	Pred      string  `json:"prediction"`
	Conf      float64 `json:"confidence"` // 0 to 1
}

// maxExamples bounds what a report reads; a run keeps a few dozen.
const (
	maxExamples     = 10000
	maxExamplesFile = 64 << 20
)

// ReadExamples returns the examples of a run directory, none if it has none. Errors name file and line, and wrap
// [ErrFormat] for a line that is not an example or that names a file outside the folder.
func ReadExamples(dir string) ([]Example, error) {
	path := storage.Join(dir, filepath.FromSlash(ExamplesName))
	b, err := storage.ReadFile(path, maxExamplesFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Example
	for i, line := range bytes.Split(b, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		e, err := parseExample(line)
		if err == nil && len(out) == maxExamples {
			err = formatErr("more than %d examples", maxExamples)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// parseExample also reads the examples that version 1 of the format wrote, whose view is words.
func parseExample(line []byte) (Example, error) {
	var w struct {
		Example
		Words string `json:"view"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return w.Example, formatErr("%v", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return w.Example, formatErr("something follows the object")
	}
	e := w.Example
	if w.Words != "" {
		e.View = ParseText(w.Words, false)
	}
	return e, e.Validate()
}

// Validate returns an error that wraps [ErrFormat] if the example cannot be shown.
func (e *Example) Validate() error {
	if e.Model == "" || e.Dataset == "" || e.Image == "" {
		return formatErr("an example without model, dataset or image")
	}
	for _, f := range []string{e.Image, e.Clean} {
		if strings.ContainsAny(f, "/\\") || f == ".." {
			return formatErr("image %q (allowed: names of files in the folder examples)", f)
		}
	}
	if err := e.View.validate(e.Model, ""); err != nil {
		return err
	}
	if !(e.Severity >= 0 && e.Severity <= 5) {
		return formatErr("severity %v (allowed: 0 to 5)", e.Severity)
	}
	for _, c := range []float64{e.CleanConf, e.Conf} {
		if !(c >= 0 && c <= 1) {
			return formatErr("confidence %v (allowed: 0 to 1)", c)
		}
	}
	return nil
}

// WriteExamples writes the list of examples of a run directory, whose folder examples holds the images, in place of
// an earlier one and as a whole.
func WriteExamples(dir string, examples []Example) error {
	var b bytes.Buffer
	for i := range examples {
		if err := examples[i].Validate(); err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
		line, err := json.Marshal(&examples[i])
		if err != nil {
			return formatErr("example %d: %v", i, err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(dir, filepath.FromSlash(ExamplesName))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return storage.WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}
