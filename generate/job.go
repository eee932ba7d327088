// Package generate is the one pipeline behind every command that makes a data set out of another: read, decode, make the
// output images, write them in order.
//
// What it guarantees, and what its tests show:
//
//   - The output is a function of the input, the options and the seed. It has the same bytes for any number of workers,
//     with random access or streaming, in one run or in several with interruptions between them: every random choice is
//     drawn from a stream named by the seed and the sample's key, and images reach the sink in the source's order.
//   - Memory is bounded by the number of workers, not by the data set.
//   - An interrupted run (a cancelled context, a crash, a full disk) leaves a journal from which the next run with the same
//     options goes on. A run with other options refuses and says what differs.
//   - A sample that cannot be read or decoded either stops the run, or is left out and listed with its reason.
package generate

import (
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// Errors of this package.
var (
	// ErrDiffers: the output was begun or finished with other options.
	ErrDiffers = errors.New("made with other options")
	// ErrOccupied: the output exists and is not this program's, so nothing may be removed or overwritten there.
	ErrOccupied = errors.New("output would overwrite")
	// ErrBusy: another process writes the same output at this moment.
	ErrBusy = errors.New("output in use")
	// ErrRecord: a journal or manifest that does not say what one says.
	ErrRecord = errors.New("bad record")
)

// Maker makes the output images of one input image. A Maker serves one worker, so that it may keep scratch memory.
type Maker interface {
	// Make writes one image into each of dst, which has as many entries as the job has views. key is the seed narrowed
	// by the sample's key; the Maker narrows it further by what it draws for. An error refuses the sample.
	Make(dst []*raster.Image, src *raster.Image, key rng.Key) error
}

// Cutter is a Maker that needs only a part of some images, which spares decoding the rest. Cut is asked before Make, with
// the same key and the size of an encoded image, and may be asked twice; Make then gets that part as src.
type Cutter interface {
	Maker
	Cut(w, h int, key rng.Key) image.Rectangle
}

// Policy says what becomes of a run when a sample cannot be read, decoded or made.
type Policy uint8

const (
	Fail Policy = iota // stop at the first such sample, keeping what was done before it
	Skip               // leave the sample out, list it, go on
)

// Refusal is a sample that was left out.
type Refusal struct {
	Index  int    `json:"index"` // position in the source's order
	Key    string `json:"key,omitempty"`
	Name   string `json:"name"` // the file, and the record or entry where there is one
	Reason string `json:"reason"`
}

// Option is one setting that the output depends on. Runs with equal options may continue each other.
type Option struct{ Name, Value string }

// Progress is where a run stands.
type Progress struct {
	Total   int // samples in the source, or -1 when only reading to the end would tell
	Done    int // samples finished, those of earlier runs included
	Resumed int // samples that earlier runs had finished
	Refused int // samples left out, among Done
	Items   int // images written
}

// Job is one run.
type Job struct {
	Source data.Source // read to its end; the caller closes it
	// Open opens the sink, anew when state is nil, otherwise where the Checkpoint that returned state left it.
	Open func(state []byte) (data.Sink, error)
	// NewMaker returns the Maker of one worker.
	NewMaker func() Maker
	// Views are the suffixes that a sample's output keys get: one image each. Nil means one image with no suffix.
	Views []string

	// Soft says that the labels are mixed too: the Maker is a [SoftMaker], and soft labels are written to [TargetsName]
	// beside the images. A Place that is a file must have that name in Beside; a stream has no place for them.
	Soft bool

	// OpenParts and NewExpander take the places of Open and NewMaker in a job that makes many data sets at once.
	OpenParts   func(state []byte) (PartSink, error)
	NewExpander func() Expander

	Out     Place             // where the output lies; the zero Place is a stream that cannot be resumed
	Records map[string][]byte // further files to lay beside the manifest, such as args.yaml
	Options []Option          // what an earlier run must agree with
	Build   Build             // the program, for the manifest
	Seed    uint64
	Force   bool // start over in place of an earlier output of this program
	OnError Policy
	Workers int // 0: as many as there are cores

	// A checkpoint is taken when either is reached: samples since the last (0: 100000), time since the last (0: 10 s).
	CheckpointEvery int
	CheckpointAfter time.Duration

	Report func(Progress) // called from the writing goroutine after every few samples; nil: nobody watches
}

// Result says what a run did.
type Result struct {
	Progress
	Already  bool      // the output was complete before; nothing was done
	Refused  []Refusal // the samples left out, in the source's order
	Manifest *Manifest // nil for a stream
}

func (j *Job) views() []string {
	if len(j.Views) == 0 {
		return []string{""}
	}
	return j.Views
}

func (j *Job) every() int {
	if j.CheckpointEvery > 0 {
		return j.CheckpointEvery
	}
	return 100000
}

func (j *Job) after() time.Duration {
	if j.CheckpointAfter > 0 {
		return j.CheckpointAfter
	}
	return 10 * time.Second
}

// diff lists the options that differ, one line each; it is empty when a and b agree.
func diff(was, now []Option) []string {
	old := make(map[string]string, len(was))
	for _, o := range was {
		old[o.Name] = o.Value
	}
	var lines []string
	seen := make(map[string]bool, len(now))
	for _, o := range now {
		seen[o.Name] = true
		if v, ok := old[o.Name]; !ok {
			lines = append(lines, fmt.Sprintf("%s: was not set, now %s", o.Name, o.Value))
		} else if v != o.Value {
			lines = append(lines, fmt.Sprintf("%s: was %s, now %s", o.Name, v, o.Value))
		}
	}
	for _, o := range was {
		if !seen[o.Name] {
			lines = append(lines, fmt.Sprintf("%s: was %s, now not set", o.Name, o.Value))
		}
	}
	return lines
}
