// Package generate writes a data set made out of another, durably: it reads and decodes samples, has their images made on
// all cores, and writes these in order. What is made is a [Task] over package transform; where it goes is a data.Sink, such
// as those of data/formats, or one of this package's own: [OpenArrays], [OpenTree], [OpenFan].
//
// What it guarantees, and what its tests show:
//
//   - The output is a function of the input, the options and the seed. It has the same bytes for any number of workers,
//     with random access or streaming, in one run or in several with interruptions between them: every random choice is
//     drawn from a stream named by the seed and the sample's key, and images reach the sink in the source's order.
//   - Memory is bounded by the number of workers, not by the data set.
//   - An interrupted run (a canceled context, a crash, a full disk) leaves a journal from which the next run with the same
//     options resumes. A run with other options, another seed or another plan of package transform returns [ErrDiffers], one on a
//     changed input [ErrChanged]; both say what differs.
//   - A sample that cannot be read or decoded either stops the run, or is left out and listed with its reason.
//   - A complete output has a [Manifest] with the hash of every file, which [Verify] checks. [RunShard] and [Join] divide a
//     run among processes and machines.
package generate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/yamltext"
)

// Errors of this package.
var (
	// ErrDiffers: the output was begun or finished with other options, another seed or another plan; most are a [DiffersError].
	ErrDiffers = errors.New("made with other options")
	// ErrOccupied: the output exists and is not this program's, so nothing may be removed or overwritten there.
	ErrOccupied = errors.New("output would overwrite")
	// ErrBusy: another process writes the same output at this moment.
	ErrBusy = errors.New("output in use")
	// ErrTaken: another run has started over, with Force, in an object store where this one was at work.
	ErrTaken = errors.New("output taken over")
	// ErrRecord: a journal, a manifest or an args.yaml that does not say what one says.
	ErrRecord = errors.New("bad record")
	// ErrDamaged: an output, complete or not, whose files or journal are lost or not what was written. As after
	// ErrDiffers, a job with Force starts over.
	ErrDamaged = errors.New("damaged output")
	// ErrChanged: the input is not what the earlier run, which this one would resume, read.
	ErrChanged = errors.New("input changed")
	// ErrInput: what a job reads lies in its output, or the output in the folder that it reads.
	ErrInput = errors.New("output would be the input")
	// ErrEmpty: an input without samples.
	ErrEmpty = errors.New("the input has no samples")
	// ErrSize: images of different sizes where all must have one.
	ErrSize = errors.New("images of different sizes")
	// ErrOption: a job that asks for what cannot be, or a shard that does not exist.
	ErrOption = errors.New("bad option")
)

// Policy says what becomes of a run when a sample cannot be read, decoded, made or written.
type Policy uint8

const (
	Fail Policy = iota // stop at the first such sample, keeping what was done before it
	Skip               // leave the sample out, list it, continue; also where the sink rejects it
)

// Option is one setting that the output depends on. Runs with equal options, of one seed and plan, may continue each other.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ReadOptions returns the keys of args, a mapping in YAML such as an args.yaml, as options in the order of their names. The error wraps
// ErrRecord.
func ReadOptions(args []byte) ([]Option, error) {
	if err := yamltext.CheckAliases(args); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, ArgsName, err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(args, &values); err != nil {
		return nil, fmt.Errorf("%w: %s is no mapping of options in YAML: %w", ErrRecord, ArgsName, err)
	}
	var list []Option
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Option{name, fmt.Sprint(values[name])})
	}
	return list, nil
}

// argsHead begins an args.yaml, before the name of the command and a comma.
const argsHead = "# augmix "

// ArgsHead is the first line of an args.yaml, by which [ArgsCommand] knows whose it is; about says what the options are.
func ArgsHead(command, about string) string { return argsHead + command + ", " + about + "\n" }

// EncodeArgs makes the args.yaml of a command's options, which its --config reads.
func EncodeArgs(command string, options any) ([]byte, error) {
	body, err := yamltext.Marshal(options)
	head := ArgsHead(command, "options as they were resolved; give this file to --config to use them again")
	return append([]byte(head), body...), err
}

// ArgsCommand returns the command whose args.yaml text is, "" where its first line names none.
func ArgsCommand(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	name, found := strings.CutPrefix(line, argsHead)
	name, _, ended := strings.Cut(name, ",")
	if !found || !ended {
		return ""
	}
	return name
}

// Progress is where a run stands.
type Progress struct {
	Total    int // samples in the source, or -1 while only reading to the end would say
	Done     int // samples finished, those of earlier runs included
	Resumed  int // samples that earlier runs had finished
	Rejected int // samples left out, among Done
	Items    int // images written
	Alpha    int // samples made into images that had an alpha channel, which was dropped; 0 where nothing was done
}

// Job is one run.
type Job struct {
	Source data.Source // read to its end; the caller closes it
	In     string      // its path, or what messages call it; may be empty
	Reads  []string    // further files and folders that are read, such as a mixing set, which may not lie in the output either
	Task   Task        // what is made of each sample, and the sink that it goes to

	Out     Output            // where the output lies; the zero Output is a stream that cannot be resumed
	Records map[string][]byte // further files to lay beside the manifest, such as args.yaml
	// Options are what an earlier run must agree with, besides the seed and what the package knows of the task: the settings of a plan
	// of package transform and of a [Benchmark]. What the caller's own sinks and transforms depend on has to be among them.
	Options []Option
	// OptionSums say what lies in files and folders that Options name by their paths, a digest by the name of the option: the content may
	// become another where the path does not. An earlier run must have had the same, as far as it knew them.
	OptionSums map[string]string
	// Labels is the path of a file that the labels of Source were read from and that is no part of In; may be empty. Where it holds other
	// bytes than a complete output was made with, that is ErrChanged. An unfinished one knows all files of Source.
	Labels  string
	Build   Build  // the program, for the manifest
	Seed    uint64 // of every random choice; an earlier run must have had the same
	Force   bool   // start over in place of an earlier output of this program
	OnError Policy
	Workers int // 0: as many as there are cores

	// A checkpoint is taken when either is reached: samples since the last (0: 100000), time since the last (0: 10 s).
	CheckpointEvery int
	CheckpointAfter time.Duration

	// Parts names what the output consists of, each part in files of its own and in order: "fog/1", "fog/2". A complete output
	// that lacks some gets them: PartTask returns the task that makes the given parts in a folder. PartOptions are the names
	// of the options that say no more than which parts there are, SomeParts of those that only some parts have, so that new parts
	// may bring them. Options and Records must be those of all parts, the ones that are there already among them, see the function
	// Parts. Without Parts an output with other options is an error.
	Parts       []string
	PartTask    func(dir string, parts []string) Task
	PartOptions []string
	SomeParts   []string

	// PerShard is the number of samples in a tar file of a WebDataset that parts of a run write, see [RunShard]; 0 is
	// wds.DefaultPerShard. [Join] makes tar files of as many.
	PerShard int

	shard string            // which one the job is, where it is a part
	whole *data.Fingerprint // of the source of which the job's is a part, which may be empty; nil where it is no part

	Report func(Progress) // called from the writing goroutine after every few samples; nil: nobody watches
}

// Result says what a run did.
type Result struct {
	Progress
	Already  bool            // the output was complete before; nothing was done
	Rejected []data.Rejected // the samples left out, in the source's order
	Manifest *Manifest       // nil for a stream
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
