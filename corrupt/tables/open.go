package tables

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/medical"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/suggest"
)

// builtin has the published profiles of MedMNIST-C, a file each; they say their source.
//
//go:embed medmnist-c/*.yaml
var builtin embed.FS

const builtinDir = "medmnist-c"

// Builtin returns the names of the built-in profiles, such as medmnist-c/pathmnist.
func Builtin() []string {
	files, err := builtin.ReadDir(builtinDir)
	if err != nil {
		panic("tables: " + err.Error()) // it is embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, builtinDir+"/"+strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return names
}

// Text returns the file of a built-in profile, "" where there is none of that name.
func Text(name string) string {
	text, err := builtin.ReadFile(path.Clean(name) + ".yaml")
	if err != nil {
		return ""
	}
	return string(text)
}

// About returns what the comment at the top of a built-in profile says.
func About(name string) string {
	var words []string
	for line := range strings.Lines(Text(name)) {
		text, comment := strings.CutPrefix(line, "# ")
		if !comment {
			break
		}
		words = append(words, strings.TrimSpace(text))
	}
	return strings.Join(words, " ")
}

// Set is a profile with all that its file says.
type Set struct {
	Profile corrupt.Profile
	Tables  *corrupt.Tables // nil for a published profile of package corrupt
	// Medical are the corruptions of package medical that the file has parameters of: further ones of the caller's own for package
	// transform.
	Medical []*medical.Op
	Names   []string // the corruptions that the file names, sorted
}

// Open returns the published profile of package corrupt with that name, a built-in profile, or the one in the file of that name, which
// ends in .yaml or .yml. The error names the file.
func Open(name string) (*Set, error) {
	if text := Text(name); text != "" {
		return parse([]byte(text))
	}
	if !isFile(name) {
		p, err := corrupt.ParseProfile(name)
		if err != nil {
			err = fmt.Errorf("%w: profile %.80q (allowed: auto, 32, 64, 224, 299, a file that ends in .yaml, or %s)", corrupt.ErrTables, name,
				strings.Join(Builtin(), ", "))
		}
		return &Set{Profile: p}, err
	}
	text, err := data.ReadFile(nil, name, mostBytes)
	if err != nil {
		return nil, err
	}
	s, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// newSet makes a Set of parameters by corruption.
func newSet(base corrupt.Profile, values corrupt.Values) (*Set, error) {
	s := &Set{Profile: base, Names: slices.Sorted(maps.Keys(values))}
	published := corrupt.Values{}
	known, err := corrupt.Names("all")
	if err != nil {
		return nil, err
	}
	known = append(known, medical.Names()...)
	for _, name := range s.Names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%w: corruption %.80q%s (allowed: %s)", corrupt.ErrTables, name, suggest.Hint(name, known), strings.Join(known, ", "))
		}
		if !slices.Contains(medical.Names(), name) {
			published[name] = values[name]
			continue
		}
		op, err := medical.New(name, values[name])
		if err != nil {
			return nil, err
		}
		s.Medical = append(s.Medical, op)
	}
	s.Tables, err = corrupt.NewTables(base, published)
	return s, err
}

// Own returns the corruptions of package medical.
func (s *Set) Own() []corrupt.Corruption {
	var own []corrupt.Corruption
	for _, op := range s.Medical {
		own = append(own, op)
	}
	return own
}

// Sum returns a short hash of the parameters, "" for a published profile of package corrupt.
func (s *Set) Sum() string {
	if len(s.Medical) == 0 {
		if s.Tables == nil {
			return ""
		}
		return s.Tables.Sum()
	}
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append([]byte(s.Tables.String()), s.Medical)))[:12]
}
