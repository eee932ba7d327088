package mix

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/raster"
)

// Entry is one method of the table of spec strings.
type Entry struct {
	Name    string // first word of the spec
	Doc     string // one line
	Spec    string // the default, written out
	Options string // what may follow the name, one option a line
	Paper   string // where it was published

	parse func(args []arg) (Mixer, error)
}

var table = []Entry{
	{
		Name:  "none",
		Doc:   "leave the picture as it is",
		Spec:  "none",
		parse: parseNone,
	}, {
		Name: "augmix",
		Doc:  "chains of operations, mixed with each other and with the original",
		Spec: NewAugMix().String(),
		Options: "mS    severity S, 0.1 to 10 (3; the paper's ImageNet runs use 1)\n" +
			"wK    width: K chains (3)\n" +
			"dN    depth: N operations in a chain, -1 for 1 to 3 at random (-1)\n" +
			"aA    alpha of the Dirichlet and Beta distributions (1)\n" +
			"all   all 13 operations, with the four that overlap ImageNet-C\n" +
			"fRRGGBB   fill colour in hexadecimal (000000; the paper's ImageNet runs used 800000)",
		Paper: "Hendrycks et al., AugMix, ICLR 2020",
		parse: parseAugMix,
	},
}

// Table returns the methods that Parse knows. The rows are shared: do not change them.
func Table() []Entry { return table }

// Parse reads a spec string: a method's name and its options, separated by '-', in any order, each a letter (or word)
// followed by its value: "augmix-m3-w3-d-1". What is left out has its default. The error wraps [ErrSpec] and says what is
// allowed.
func Parse(spec string) (Mixer, error) {
	name, rest, _ := strings.Cut(spec, "-")
	for i := range table {
		if table[i].Name != name {
			continue
		}
		args, err := splitArgs(rest)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, spec)
		}
		m, err := table[i].parse(args)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, spec)
		}
		return m, nil
	}
	names := make([]string, len(table))
	for i := range table {
		names[i] = table[i].Name
	}
	return nil, fmt.Errorf("%w: no method %q in %q (there are: %s)", ErrSpec, name, spec, strings.Join(names, ", "))
}

// arg is one option of a spec: its letters and what follows them.
type arg struct{ key, value string }

func (a arg) String() string { return a.key + a.value }

// splitArgs cuts "m3-w3-d-1" at every '-' that does not start a number.
func splitArgs(s string) ([]arg, error) {
	var args []arg
	for s != "" {
		n := 0
		for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
			n++
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
			return nil, fmt.Errorf("%w: it ends in '-'", ErrSpec)
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

func (a arg) int() (int, error) {
	v, err := strconv.Atoi(a.value)
	if err != nil {
		return 0, fmt.Errorf("%w: option %q wants a whole number after %q", ErrSpec, a, a.key)
	}
	return v, nil
}

func parseAugMix(args []arg) (Mixer, error) {
	m := NewAugMix()
	for _, a := range args {
		var err error
		switch a.key {
		case "m":
			m.Severity, err = a.float()
		case "w":
			m.Width, err = a.int()
		case "d":
			m.Depth, err = a.int()
		case "a":
			m.Alpha, err = a.float()
		case "all":
			m.AllOps = true
			if a.value != "" {
				err = fmt.Errorf("%w: option %q takes no value", ErrSpec, a)
			}
		default:
			if fill, ok := parseFill(a); ok {
				m.Fill = fill
			} else {
				err = fmt.Errorf("%w: augmix has no option %q (there are: m, w, d, a, all, fRRGGBB)", ErrSpec, a)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return m, nil
}

// parseFill reads an 'f' and six hexadecimal digits. Digits above nine are letters and so part of the option's key.
func parseFill(a arg) (raster.RGB, bool) {
	s := a.String()
	if len(s) != 7 || s[0] != 'f' {
		return raster.RGB{}, false
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	return raster.RGB{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v)}, err == nil
}

// String returns the spec of a: severity, width and depth always, the others where they are not the default.
func (a *AugMix) String() string {
	s := "augmix-m" + strconv.FormatFloat(a.Severity, 'f', -1, 64) + "-w" + strconv.Itoa(a.Width) + "-d" + strconv.Itoa(a.Depth)
	if a.Alpha != 1 {
		s += "-a" + strconv.FormatFloat(a.Alpha, 'f', -1, 64)
	}
	if a.AllOps {
		s += "-all"
	}
	if a.Fill != (raster.RGB{}) {
		s += fmt.Sprintf("-f%02x%02x%02x", a.Fill.R, a.Fill.G, a.Fill.B)
	}
	return s
}
