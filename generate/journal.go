package generate

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// journal is what an unfinished run leaves behind. It is replaced as a whole at every checkpoint, after the sink has made
// its part durable, so that it never promises more than the sink holds.
type journal struct {
	// PIDs are the processes that worked on it, for their temporary files. They come first, so that most of what cuts a journal off
	// leaves them to be read.
	PIDs    []int    `json:"pids"`
	Options []Option `json:"options"`
	basis
	Source   data.Fingerprint `json:"source"`
	Records  []string         `json:"records"`         // names of the further files laid down at the start
	Next     int              `json:"next"`            // samples finished, that is the position to resume at
	Items    int              `json:"items"`           // images written
	Alpha    int              `json:"alpha,omitempty"` // samples whose alpha channel was dropped
	Rejected []data.Rejected  `json:"rejected"`        // samples left out so far
	Content  uint64           `json:"content"`         // see Manifest.Content
	State    []byte           `json:"state,omitempty"` // the sink's
	Files    filesMark        `json:"files"`           // notes of the files that the sink has finished
	Phase    phase            `json:"phase"`
}

// journalFile is a journal on disk. The checksum finds what a disk or a hand has changed, which would otherwise resume
// in the wrong place.
type journalFile struct {
	Version int             `json:"version"`
	SHA256  string          `json:"sha256"` // of Journal, in hexadecimal
	Journal json.RawMessage `json:"journal"`
}

type phase string

const (
	writing phase = "writing" // samples are left, or not known to be done
	closing phase = "closing" // every sample is in the sink, which is being completed
	named   phase = "named"   // every file has its final name; the checksums of the last ones are not noted
	closed  phase = "closed"  // the data set is complete and noted; the manifest is not
)

const journalVersion = 2

// readJournal returns nil when there is none.
func readJournal(p Output) (*journal, error) {
	var file journalFile
	switch err := readJSON(p.journal(), &file); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case file.Version != journalVersion:
		return nil, fmt.Errorf("%w: %s is of version %d, this program writes version %d",
			ErrRecord, p.journal(), file.Version, journalVersion)
	case file.SHA256 != checksum(file.Journal):
		return nil, fmt.Errorf("%w: %s is not what was written: its checksum differs", ErrRecord, p.journal())
	}
	var j journal
	if err := json.Unmarshal(file.Journal, &j); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, p.journal(), err)
	}
	if j.Next < 0 || j.Items < 0 || !slices.Contains([]phase{writing, closing, named, closed}, j.Phase) {
		return nil, fmt.Errorf("%w: %s: next %d, items %d, phase %q", ErrRecord, p.journal(), j.Next, j.Items, j.Phase)
	}
	if err := checkNames(p.journal(), j.Records); err != nil {
		return nil, err
	}
	return &j, nil
}

// pidsIn are the lists of processes in the text of a journal.
var pidsIn = regexp.MustCompile(`"pids":\[([0-9]+(?:,[0-9]+)*)\]`)

// salvagePIDs returns the processes that a damaged journal names, as far as that part of it can be read: what they left half
// written beside the output is swept with theirs alone.
func salvagePIDs(p Output) []int {
	text, err := data.ReadFile(nil, p.journal(), maxRecord)
	if err != nil {
		return nil
	}
	var pids []int
	for _, found := range pidsIn.FindAllSubmatch(text, -1) {
		for number := range strings.SplitSeq(string(found[1]), ",") {
			if pid, err := strconv.Atoi(number); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func checksum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

func (j *journal) write(p Output) error {
	inner, err := json.Marshal(j)
	if err != nil {
		return err
	}
	text, err := json.Marshal(journalFile{Version: journalVersion, SHA256: checksum(inner), Journal: inner})
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
