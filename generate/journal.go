package generate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/augmix-go/augmix/data"
)

// journal is what an unfinished run leaves behind. It is replaced as a whole at every checkpoint, after the sink has made
// its part durable, so that it never promises more than the sink holds.
type journal struct {
	Version  int             `json:"version"`
	Options  []jsonOption    `json:"options"`
	Records  []string        `json:"records"`         // names of the further files laid down at the start
	Next     int             `json:"next"`            // samples finished, that is the position to resume at
	Items    int             `json:"items"`           // images written
	Rejected []data.Rejected `json:"rejected"`        // samples left out so far
	State    []byte          `json:"state,omitempty"` // the sink's
	Phase    phase           `json:"phase"`
	PIDs     []int           `json:"pids"` // of the processes that worked on it, for their temporary files
}

type phase string

const (
	writing phase = "writing" // samples are left, or not known to be done
	closing phase = "closing" // every sample is in the sink, which is being completed
	closed  phase = "closed"  // the data set is complete; the manifest is not
)

type jsonOption struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

const journalVersion = 1

func toJSON(options []Option) []jsonOption {
	out := make([]jsonOption, len(options))
	for i, o := range options {
		out[i] = jsonOption(o)
	}
	return out
}

func fromJSON(options []jsonOption) []Option {
	out := make([]Option, len(options))
	for i, o := range options {
		out[i] = Option(o)
	}
	return out
}

// readJournal returns nil when there is none.
func readJournal(p Output) (*journal, error) {
	var j journal
	switch err := readJSON(p.journal(), &j); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case j.Version != journalVersion:
		return nil, fmt.Errorf("%w: %s is of version %d, this program writes version %d",
			ErrRecord, p.journal(), j.Version, journalVersion)
	case j.Next < 0 || j.Items < 0 || j.Phase != writing && j.Phase != closing && j.Phase != closed:
		return nil, fmt.Errorf("%w: %s: next %d, items %d, phase %q", ErrRecord, p.journal(), j.Next, j.Items, j.Phase)
	}
	if err := checkNames(p.journal(), j.Records); err != nil {
		return nil, err
	}
	return &j, nil
}

func (j *journal) write(p Output) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return data.WriteFileAtomic(p.journal(), text)
}

// readJSON reads one JSON value from the file at path.
func readJSON(path string, v any) error {
	text, err := data.ReadFile(nil, path, maxRecord)
	if errors.Is(err, data.ErrFormat) {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrRecord, path, err)
	}
	return nil
}
