package predictions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sentinel errors.
var (
	// ErrFormat: a file that is damaged, cut short, or not of a form that this package reads.
	ErrFormat = errors.New("bad file")
	// ErrContent: a well-formed file without what is wanted, or whose parts contradict each other.
	ErrContent = errors.New("bad content")
	// ErrKind: it cannot be told whether numbers are logits or probabilities, or they are not what was asked for.
	ErrKind = errors.New("logits or probabilities")
	// ErrEnsemble: files of several models that are not of the same samples and classes.
	ErrEnsemble = errors.New("files of an ensemble differ")
	// ErrLayout: a folder that is none of the layouts, or that lacks files.
	ErrLayout = errors.New("bad layout")
)

// Kind says what the numbers of a row are.
type Kind uint8

const (
	// Unknown lets names and content decide.
	Unknown Kind = iota
	// Logits are any finite numbers.
	Logits
	// Probs are probabilities, which sum to one.
	Probs
	// Classes are predicted classes alone, one a row, for errors and flip probabilities.
	Classes
)

func (k Kind) String() string {
	names := [...]string{"unknown", "logits", "probs", "classes"}
	if int(k) >= len(names) {
		return strconv.Itoa(int(k))
	}
	return names[k]
}

// ParseKind reads "logits" or "probs"; "" and "auto" are [Unknown].
func ParseKind(s string) (Kind, error) {
	switch s {
	case "", "auto":
		return Unknown, nil
	case "logits":
		return Logits, nil
	case "probs":
		return Probs, nil
	}
	return Unknown, fmt.Errorf("%w: kind %q (allowed: auto, logits, probs)", ErrKind, s)
}

// role says what an array or a column is for.
type role uint8

const (
	other role = iota
	scores
	labels
	ids
)

// meaning is what a name means.
type meaning struct {
	role role
	kind Kind
}

var names = func() map[string]meaning {
	m := map[string]meaning{}
	for _, row := range []struct {
		meaning
		names string
	}{
		{meaning{scores, Logits}, "logits logit"},
		{meaning{scores, Probs}, "probs prob probabilities softmax"},
		{meaning{scores, Unknown}, "outputs scores predictions arr_0"},
		{meaning{scores, Classes}, "pred preds predicted y_pred"},
		{meaning{labels, Unknown}, "label labels target targets y y_true"},
		{meaning{ids, Unknown}, "id ids key index name file filename path image"},
	} {
		for _, n := range strings.Fields(row.names) {
			m[n] = row.meaning
		}
	}
	return m
}()

// meaningOf looks a name up, in any case.
func meaningOf(name string) meaning { return names[strings.ToLower(strings.TrimSpace(name))] }

var columnPrefixes = map[string]Kind{
	"logit_": Logits, "logits_": Logits, "z_": Logits,
	"prob_": Probs, "probs_": Probs, "p_": Probs,
	"score_": Unknown, "output_": Unknown, "": Unknown,
}

// classColumn reads the name of a class's column.
func classColumn(name string) (prefix string, class int, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	digits := strings.LastIndexFunc(name, func(r rune) bool { return r < '0' || r > '9' }) + 1
	prefix, number := name[:digits], name[digits:]
	if _, known := columnPrefixes[prefix]; !known || len(number) > 7 || len(number) > 1 && number[0] == '0' {
		return "", 0, false
	}
	class, err := strconv.Atoi(number)
	return prefix, class, err == nil
}

// columns says which column of a table is what; -1 where there is none.
type columns struct {
	kind      Kind
	list      int   // column of arrays
	class     []int // column of each class, if there is no list
	label, id int
	pred      int // column of predicted classes, used where there is nothing more
}

// columnsOf finds the columns by their names. Where there are both logits and probabilities, Options.Kind selects, and logits
// win otherwise; predicted classes are there for the caller who finds neither. scoresToo is false where only labels are wanted.
func columnsOf(header []string, opt *Options, scoresToo bool) (columns, error) {
	c, want := columns{list: -1, label: -1, id: -1, pred: -1}, opt.Kind
	once := func(at *int, i int, what string) error {
		if *at >= 0 {
			return fmt.Errorf("%w: columns %q and %q are both %s", ErrContent, header[*at], header[i], what)
		}
		*at = i
		return nil
	}
	byPrefix := map[string][]int{} // class by class, -1 where the column is missing
	passed := ""                   // scores of another kind than wanted
	for i, name := range header {
		var err error
		switch m := meaningOf(name); {
		case opt.Unlabeled && (m.role == labels || m.role == ids):
		case m.role == labels:
			err = once(&c.label, i, "labels")
		case m.role == ids:
			if c.id < 0 {
				c.id = i
			}
		case m.role == scores && m.kind == Classes:
			err = once(&c.pred, i, "predicted classes")
		case m.role == scores && scoresToo:
			if m.kind != Unknown && want != Unknown && m.kind != want {
				passed = name
				continue
			}
			if c.list >= 0 && c.kind == Logits && m.kind == Probs {
				continue
			}
			if c.list >= 0 && c.kind == Probs && m.kind == Logits {
				c.list = -1
			}
			c.kind = m.kind
			err = once(&c.list, i, "scores")
		case scoresToo:
			prefix, class, ok := classColumn(name)
			if !ok {
				continue
			}
			if class > maxClasses {
				return c, fmt.Errorf("%w: column %q (allowed: at most %d classes)", ErrContent, name, maxClasses)
			}
			p := byPrefix[prefix]
			for len(p) <= class && len(p) <= len(header) {
				p = append(p, -1)
			}
			if class >= len(p) {
				return c, fmt.Errorf("%w: column %q among %d columns: classes are missing", ErrContent, name, len(header))
			}
			err = once(&p[class], i, "the same class")
			byPrefix[prefix] = p
			if k := columnPrefixes[prefix]; k != Unknown && want != Unknown && k != want {
				passed = name
			}
		}
		if err != nil {
			return c, err
		}
	}
	if !scoresToo || c.list >= 0 {
		return c, nil
	}
	if c.pred >= 0 && len(byPrefix) == 0 && want == Unknown {
		return c, nil
	}
	err := c.pick(byPrefix, want)
	if errors.Is(err, errNoScores) && passed != "" {
		err = fmt.Errorf("%w: there is %q, asked for %s", ErrKind, passed, want)
	}
	return c, err
}

// errNoScores is the [ErrContent] of a table in which no name means scores.
var errNoScores = fmt.Errorf("%w: no scores (looked for logits, probs, logit_0, prob_0, 0 and other names)", ErrContent)

// pick chooses among sets of class columns: logits before probabilities before what is neither by name.
func (c *columns) pick(byPrefix map[string][]int, want Kind) error {
	for _, k := range []Kind{Logits, Probs, Unknown} {
		var found []string
		for prefix := range byPrefix {
			if columnPrefixes[prefix] == k && (k == Unknown || want == Unknown || k == want) {
				found = append(found, prefix)
			}
		}
		slices.Sort(found)
		switch len(found) {
		case 0:
			continue
		case 1:
		default:
			return fmt.Errorf("%w: columns %s0, ... and %s0, ...: which of them", ErrContent, found[0], found[1])
		}
		c.kind, c.class = k, byPrefix[found[0]]
		for class, i := range c.class {
			if i < 0 {
				return fmt.Errorf("%w: no column %s%d for class %d", ErrContent, found[0], class, class)
			}
		}
		return nil
	}
	return errNoScores
}
