package mix

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/suggest"
)

// ErrSpec is wrapped by every error about the parameters of a method or its spec string.
var ErrSpec = errors.New("bad spec")

// Entry is one method of the table of spec strings.
type Entry struct {
	Name    string // first word of the spec
	Doc     string // one line
	Spec    string // the default, written out
	Options []Option
	Paper   string // where it was published

	parse func(args []arg) (part, error)
}

// table holds the methods in the order in which they are listed.
var table = []Entry{
	augmentation(&noneParams),
	augmentation(&standardParams),
	augmentation(&augMixParams),
	needing(&pixMixParams),
	needing(&ipMixParams),
	batchMix(&mixupParams),
	batchMix(&cutMixParams),
	augmentation(&cutoutParams),
	augmentation(&randomErasingParams),
	augmentation(&patchGaussianParams),
	augmentation(&patchUniformParams),
	augmentation(&autoAugmentParams),
	augmentation(&randomAutoAugmentParams),
	augmentation(&randAugmentParams),
	augmentation(&trivialAugmentParams),
	augmentation(&gaussianParams),
	augmentation(&speckleParams),
	augmentation(&afaParams),
	augmentation(&aprParams),
	augmentation(&primeParams),
	needing(&corruptParams),
	needing(&styleParams),
	needing(&deepAugmentParams),
	augmentation(&noise2NetParams),
}

func augmentation[P any, A interface {
	*P
	Augmentation
}](t *params[P],
) Entry {
	return t.entry(func(p *P) part { return part{stage: stage{one: A(p)}} })
}

func needing[P needy](t *params[P]) Entry {
	return t.entry(func(p *P) part { return part{needy: *p} })
}

func batchMix[P any, M interface {
	*P
	BatchMix
}](t *params[P],
) Entry {
	return t.entry(func(p *P) part { return part{stage: stage{pair: M(p)}} })
}

// Table returns the methods that [ParseSpec] knows.
func Table() []Entry {
	t := slices.Clone(table)
	for i := range t {
		t[i].Options = slices.Clone(t[i].Options)
	}
	return t
}

// Spec is a spec string that has been read and checked. It lacks what of [Options] its method needs: [Spec.With] gives it
// that. The zero value is "none".
type Spec struct{ parts []part }

// part is a stage of a spec: the stage itself, or the parameters of one that needs more.
type part struct {
	stage stage
	needy needy
}

// ParseSpec reads a spec string: a method's name and its options, separated by '-', in any order, each a letter (or
// word) followed by its value: "augmix-m3-w3-d-1". What is left out has its default; [Table] lists the options. Specs
// joined by '+' are applied one after the other, see [Method]; the names of [Corrupt] may be joined so too. The error wraps [ErrSpec] and says what is allowed.
func ParseSpec(spec string) (Spec, error) {
	texts := stageTexts(spec)
	if len(texts) > maxStages {
		return Spec{}, fmt.Errorf("%w in %q", checkStages(len(texts), 0), clip(spec))
	}
	s := Spec{make([]part, len(texts))}
	mixes := 0
	for i, text := range texts {
		var err error
		if s.parts[i], err = parsePart(text); err != nil {
			return Spec{}, fmt.Errorf("%w in %q", err, clip(spec))
		}
		if s.parts[i].stage.pair != nil {
			mixes++
		}
	}
	if err := checkStages(len(texts), mixes); err != nil {
		return Spec{}, fmt.Errorf("%w in %q", err, clip(spec))
	}
	return s, nil
}

// Parse reads a spec string, as [ParseSpec] does, whose method makes one image of one and needs nothing of [Options]. For
// any other method use [ParseMethod]: the error wraps [ErrPartner] for Mixup and CutMix, [ErrMixingSet] for PixMix
// and IPMix, [ErrStyles] for Style, [ErrNetwork] for DeepAugment and [ErrCorruptions] for Corrupt.
func Parse(spec string) (Augmentation, error) {
	s, err := ParseSpec(spec)
	switch {
	case err != nil:
		return nil, err
	case s.NeedsPartner():
		return nil, fmt.Errorf("%w: %s mixes two images: it is for mix.ParseMethod", ErrPartner, s)
	case s.NeedsMixingSet():
		return nil, fmt.Errorf("%w: %s mixes images in: it is for mix.ParseMethod, with a mixing set", ErrMixingSet, s)
	case s.NeedsStyles():
		return nil, fmt.Errorf("%w: %s takes styles of images: it is for mix.ParseMethod, with styles", ErrStyles, s)
	case s.NeedsNetwork():
		return nil, fmt.Errorf("%w: %s runs one: it is for mix.ParseMethod, with a network", ErrNetwork, s)
	case s.NeedsCorruptions():
		return nil, fmt.Errorf("%w: %s takes some: it is for mix.ParseMethod, with those of package corrupt/all", ErrCorruptions, s)
	}
	m, err := s.With(Options{})
	if err != nil {
		return nil, err
	}
	return m.Augmentation()
}

// ParseMethod reads a spec string as [ParseSpec] does and gives its method what of o it needs. The errors are those of
// ParseSpec and [Spec.With].
func ParseMethod(spec string, o Options) (*Method, error) {
	s, err := ParseSpec(spec)
	if err != nil {
		return nil, err
	}
	return s.With(o)
}

// String returns the canonical spec string, with every option whose value is not the default.
func (s Spec) String() string {
	if len(s.parts) == 0 {
		return None{}.String()
	}
	texts := make([]string, len(s.parts))
	for i, p := range s.parts {
		texts[i] = p.String()
	}
	return strings.Join(texts, "+")
}

func (p part) String() string {
	if p.needy != nil {
		return p.needy.String()
	}
	return p.stage.public().String()
}

// NeedsPartner reports whether a stage is a [BatchMix], so that labels are mixed as well.
func (s Spec) NeedsPartner() bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.stage.pair != nil })
}

// clip keeps a message to one line of sense.
func clip(s string) string {
	const most = 200
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// stageTexts splits a spec into those of its stages. The names of a corrupt are its options, which '+' may join as '-' does.
func stageTexts(spec string) []string {
	var texts []string
	for _, text := range strings.Split(spec, "+") {
		name, _, _ := strings.Cut(text, "-")
		last := len(texts) - 1
		if last < 0 || !strings.HasPrefix(texts[last], corruptParams.name+"-") || !corruptName(name) {
			texts = append(texts, text)
			continue
		}
		texts[last] += "-" + text
	}
	return texts
}

func parsePart(spec string) (part, error) {
	name, rest, more := strings.Cut(spec, "-")
	for i := range table {
		if table[i].Name != name {
			continue
		}
		if more && rest == "" {
			return part{}, errTrailing
		}
		args, err := splitArgs(rest)
		if err != nil {
			return part{}, err
		}
		return table[i].parse(args)
	}
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return part{}, fmt.Errorf("%w: no method %q%s (there are: %s)", ErrSpec, clip(name), suggest.Hint(name, names), strings.Join(names, ", "))
}

// errTrailing is the error of a stage without an option after its last '-'.
var errTrailing = fmt.Errorf("%w: it ends in '-'", ErrSpec)

// arg is one option of a spec: its letters and what follows them.
type arg struct{ key, value string }

func (a arg) String() string { return a.key + a.value }

// splitArgs splits "m3-w3-d-1" at every '-' that does not start a number.
func splitArgs(s string) ([]arg, error) {
	var args []arg
	for s != "" {
		n := 0
		for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
			n++
		}
		if n == 0 && len(args) > 0 && '0' <= s[0] && s[0] <= '9' { // the end of a range
			last := &args[len(args)-1]
			end, rest, more := strings.Cut(s, "-")
			if last.value, s = last.value+"-"+end, rest; more && rest == "" {
				return nil, errTrailing
			}
			continue
		}
		if n == 0 {
			return nil, fmt.Errorf("%w: option %q does not start with a lower-case letter", ErrSpec, s)
		}
		end := len(s)
		if i := strings.IndexByte(s[n:], '-'); i > 0 {
			end = n + i
		} else if i == 0 && n+1 < len(s) && isNumeric(s[n+1]) { // a negative number
			if j := strings.IndexByte(s[n+1:], '-'); j >= 0 {
				end = n + 1 + j
			}
		} else if i == 0 {
			end = n
		}
		args = append(args, arg{s[:n], s[n:end]})
		if end == len(s) {
			break
		}
		if s = s[end+1:]; s == "" {
			return nil, errTrailing
		}
	}
	return args, nil
}

func isNumeric(c byte) bool { return '0' <= c && c <= '9' || c == '.' }

func (a arg) float() (float64, error) {
	v, err := strconv.ParseFloat(a.value, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: option %q wants a number after %q", ErrSpec, a, a.key)
	}
	return v, nil
}

func (a arg) ints() (from, to int, err error) {
	low, high, two := a.value, "", false
	if i := strings.LastIndexByte(a.value, '-'); i > 0 {
		low, high, two = a.value[:i], a.value[i+1:], true
	}
	if from, err = strconv.Atoi(low); err == nil && two {
		to, err = strconv.Atoi(high)
	} else {
		to = from
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%w: option %q wants one or two whole numbers, A-B, after %q", ErrSpec, a, a.key)
	}
	return from, to, nil
}

func (a arg) int() (int, error) {
	v, err := strconv.Atoi(a.value)
	if err != nil {
		return 0, fmt.Errorf("%w: option %q wants a whole number after %q", ErrSpec, a, a.key)
	}
	return v, nil
}
