package studio

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/transform"
)

// ErrRequest is wrapped by errors about a parameter of a request, which name it and say what is allowed.
var ErrRequest = errors.New("bad request")

// Limits of a request.
const (
	maxSide  = 1024    // of the size and the crop
	maxEpoch = 1 << 30 //
	maxRuns  = 64
)

// request is what a page may ask for. Each parameter of the address is a field.
type request struct {
	Image    imageID
	Size     int // shorter side to resize to first; 0 keeps the size
	Crop     int // side of the middle that is cropped then; 0: no crop
	Seed     uint64
	Name     string  // corruption
	Severity float64 // 0: the image itself
	Profile  corrupt.Profile
	Look     string // image, difference, spectrum
	Spec     mix.Spec
	Set      string // mixing set
	Eps      int    // radius of an attack, in gray levels; 0: none
	Epoch    int
	Step     int // of a training, from 1; 0: the one that it is at
	View     int // of the result: 1 is that of a single view
	Part     part
	Pins     []pin
	Runs     []int
	Query    string // of the list of samples: text that their keys hold
	Class    int    // of that list; -1 for all
	From     int    // of that list
	Dataset  string // of results
	Lost     runModel
	Kept     runModel
}

// pin takes the operations of a chain from the draw of another epoch.
type pin struct{ chain, epoch int }

// imageID is an image by the number of its part of the data set and its own there, or one that was uploaded.
type imageID struct {
	part, index int
	upload      string // "": of the data set
}

// String is the form that the parameter "image" has: "d12", "d1.12" of another part than the first, or that of an upload.
func (id imageID) String() string {
	switch {
	case id.upload != "":
		return id.upload
	case id.part > 0:
		return fmt.Sprintf("d%d.%d", id.part, id.index)
	}
	return "d" + strconv.Itoa(id.index)
}

// part is an image within the drawing of a mix.
type part struct {
	kind string // see partKinds
	a, b int    // numbers of a chain and an operation in it, a round, a stage
}

// partKinds are the parts with how many numbers follow: the result, the clean view, what follows an operation of a chain, the mixture
// of the chains, the image after a round of pixmix, what a round mixes in, after a step of a policy, after a stage.
var partKinds = map[string]int{"result": 0, "clean": 0, "chain": 2, "mixture": 0, "round": 1, "other": 1, "step": 1, "stage": 1}

// parameters read the parameters of an address. One that is absent leaves the default.
var parameters = map[string]func(q *request, text string) error{
	"image": func(q *request, text string) (err error) { q.Image, err = parseImage(text); return },
	"size":  number(0, maxSide, func(q *request, n int) { q.Size = n }),
	"crop":  number(0, maxSide, func(q *request, n int) { q.Crop = n }),
	"seed": func(q *request, text string) (err error) {
		if q.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return errors.New("allowed: 0 to 18446744073709551615")
		}
		return nil
	},
	"name": oneOf(func() []string { return transform.CorruptionChoices()[len(corrupt.Subsets())+1:] }, func(q *request, s string) { q.Name = s }),
	"severity": func(q *request, text string) error {
		list, err := transform.ParseSeverities(text)
		if err != nil || len(list) != 1 {
			return errors.New("allowed: 0 to 5, with up to three decimals")
		}
		q.Severity = list[0]
		return nil
	},
	"profile": func(q *request, text string) (err error) { q.Profile, err = corrupt.ParseProfile(text); return },
	"look":    oneOf(func() []string { return []string{"image", "difference", "spectrum"} }, func(q *request, s string) { q.Look = s }),
	"spec":    func(q *request, text string) (err error) { q.Spec, err = mix.ParseSpec(text); return },
	"set":     oneOf(setNames, func(q *request, s string) { q.Set = s }),
	"eps":     number(0, 32, func(q *request, n int) { q.Eps = n }),
	"epoch":   number(0, maxEpoch, func(q *request, n int) { q.Epoch = n }),
	"step":    number(0, maxEpoch, func(q *request, n int) { q.Step = n }),
	"view":    number(1, 8, func(q *request, n int) { q.View = n }),
	"part":    func(q *request, text string) (err error) { q.Part, err = parsePart(text); return },
	"pins":    func(q *request, text string) (err error) { q.Pins, err = parsePins(text); return },
	"runs":    func(q *request, text string) (err error) { q.Runs, err = parseRuns(text); return },
	"q":       func(q *request, text string) error { q.Query = text; return nil },
	"class":   number(-1, 1<<30, func(q *request, n int) { q.Class = n }),
	"from":    number(0, 1<<30, func(q *request, n int) { q.From = n }),
	"dataset": func(q *request, text string) error { q.Dataset = text; return nil },
	"lost":    func(q *request, text string) (err error) { q.Lost, err = parseRunModel(text); return },
	"kept":    func(q *request, text string) (err error) { q.Kept, err = parseRunModel(text); return },
}

// parseRequest reads the query of an address. The error wraps ErrRequest.
func parseRequest(values url.Values) (*request, error) {
	q := &request{Look: "image", Set: "fractals", Epoch: 1, View: 1, Class: -1, Part: part{kind: "result"}}
	for name, list := range values {
		read := parameters[name]
		switch {
		case read == nil:
			return nil, fmt.Errorf("%w: there is no parameter %.40q", ErrRequest, name)
		case len(list) != 1:
			return nil, fmt.Errorf("%w: %s is given %d times", ErrRequest, name, len(list))
		}
		if err := read(q, list[0]); err != nil {
			return nil, fmt.Errorf("%w: %s %.80q: %w", ErrRequest, name, list[0], err)
		}
	}
	return q, nil
}

func number(low, high int, set func(q *request, n int)) func(*request, string) error {
	return func(q *request, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return fmt.Errorf("allowed: %d to %d", low, high)
		}
		set(q, n)
		return nil
	}
}

func oneOf(words func() []string, set func(q *request, s string)) func(*request, string) error {
	return func(q *request, text string) error {
		if all := words(); !slices.Contains(all, text) {
			return fmt.Errorf("allowed: %s", strings.Join(all, ", "))
		}
		set(q, text)
		return nil
	}
}

// ownSet is the mixing set that the program was started with.
const ownSet = "own"

// setNames are the mixing sets that a request may name: generators and that one alone, as any other is a path.
func setNames() (names []string) {
	for _, k := range mixset.Kinds() {
		names = append(names, k.Name)
	}
	return append(names, ownSet)
}

var uploadID = regexp.MustCompile(`^u[0-9a-f]{32}$`)

func parseImage(text string) (imageID, error) {
	if uploadID.MatchString(text) {
		return imageID{upload: text}, nil
	}
	digits, ok := strings.CutPrefix(text, "d")
	first, second, two := strings.Cut(digits, ".")
	if !two {
		first, second = "0", digits
	}
	p, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if !ok || err1 != nil || err2 != nil || p < 0 || n < 0 {
		return imageID{}, errors.New("allowed: d and the number of an image of the data set")
	}
	return imageID{part: p, index: n}, nil
}

func parsePart(text string) (part, error) {
	fields := strings.Split(text, ".")
	p := part{kind: fields[0]}
	count, ok := partKinds[p.kind]
	if !ok || len(fields)-1 != count {
		return p, errors.New("no such part")
	}
	for i, to := range []*int{&p.a, &p.b}[:count] {
		n, err := strconv.Atoi(fields[1+i])
		if err != nil || n < 0 || n > 1000 {
			return p, errors.New("no such part")
		}
		*to = n
	}
	return p, nil
}

// parsePins reads "0:5,2:7": chain 0 of epoch 5, chain 2 of epoch 7.
func parsePins(text string) (pins []pin, err error) {
	for item := range strings.SplitSeq(text, ",") {
		chain, epoch, _ := strings.Cut(item, ":")
		c, err1 := strconv.Atoi(chain)
		e, err2 := strconv.Atoi(epoch)
		if err1 != nil || err2 != nil || c < 0 || c > 63 || e < 0 || e > maxEpoch || len(pins) == 64 {
			return nil, errors.New("allowed: CHAIN:EPOCH, several separated by commas")
		}
		pins = append(pins, pin{c, e})
	}
	return pins, nil
}

// runModel is a model in a run.
type runModel struct {
	run   int // its number
	model string
}

// String is the form that the parameters lost and kept have.
func (m runModel) String() string { return fmt.Sprintf("%d/%s", m.run, url.PathEscape(m.model)) }

func parseRunModel(text string) (m runModel, err error) {
	number, name, ok := strings.Cut(text, "/")
	m.run, err = strconv.Atoi(number)
	if m.model, _ = url.PathUnescape(name); !ok || err != nil || m.run < 0 || m.model == "" {
		return m, errors.New("allowed: the number of a run, / and a model in it")
	}
	return m, nil
}

func parseRuns(text string) (runs []int, err error) {
	for item := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(item)
		if err != nil || n < 0 || len(runs) == maxRuns || slices.Contains(runs, n) {
			return nil, errors.New("allowed: numbers of runs, each once, separated by commas")
		}
		runs = append(runs, n)
	}
	return runs, nil
}
