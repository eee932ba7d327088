package mixset

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/procedural"
)

// Kind is a row of the table of generators.
type Kind struct {
	Name  string // what a spec starts with
	Doc   string // one line
	Paper string // where it was published
}

// Kinds returns the table of generators.
func Kinds() []Kind {
	var kinds []Kind
	for _, k := range procedural.Kinds() {
		kinds = append(kinds, Kind{k.Name, k.Doc, k.Paper})
	}
	return kinds
}

// parsed is a spec that has been read: a kind and a number of images, or a path.
type parsed struct {
	kind  *procedural.Kind
	count int
	path  string
}

func (p parsed) String() string {
	if p.path != "" {
		return p.path
	}
	return fmt.Sprintf("%s-n%d", p.kind.Name, p.count)
}

// Paths returns the files and folders of the user's that a spec names, as [Open] reads it; none of a wrong spec.
func Paths(spec string) []string {
	var paths []string
	for _, one := range split(spec) {
		if p, err := parse(one, 0); err == nil && p.path != "" {
			paths = append(paths, p.path)
		}
	}
	return paths
}

// fvisName begins the names by which recipes call files of feature visualizations, which nobody can download.
const fvisName = "fvis"

// parse reads a spec. The name of a kind comes before a path; a folder of that name is "./fractals".
func parse(spec string, count int) (parsed, error) {
	if count == 0 {
		count = DefaultCount
	}
	if count < 1 || count > MaxCount {
		return parsed{}, fmt.Errorf("%w: %d images (allowed: 1 to %d)", ErrSpec, count, MaxCount)
	}
	if kind, err := procedural.ByName(spec); err == nil {
		return parsed{kind: kind, count: count}, nil
	}
	name, number, found := cutLast(spec, "-n")
	if kind, err := procedural.ByName(name); err == nil && found {
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > MaxCount || number[0] == '+' {
			return parsed{}, fmt.Errorf("%w: %q: number of images %q (allowed: 1 to %d, as in %s-n%d)",
				ErrSpec, spec, number, MaxCount, name, DefaultCount)
		}
		return parsed{kind: kind, count: n}, nil
	}
	if strings.HasPrefix(filepath.Base(spec), fvisName) {
		if _, err := storage.Stat(spec); err != nil {
			return parsed{}, fmt.Errorf("%w: there is no %s: feature visualizations are made from a trained network, which the "+
				"command augmix mixset fvis does", ErrSpec, spec)
		}
	}
	if _, err := storage.Stat(spec); err == nil || strings.ContainsAny(spec, `{/\:`) {
		return parsed{path: spec}, nil
	}
	return parsed{}, fmt.Errorf("%w: %q is neither a kind nor a file or folder (kinds: %s; each may be followed by "+
		"-nN, a number of images)", ErrSpec, spec, strings.Join(procedural.Names(), ", "))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// identity is what the images of a cache file depend on.
type identity struct {
	Kind    string `json:"kind"`            // of generated images, or "own"
	Path    string `json:"path,omitempty"`  // absolute, of images of a path
	State   string `json:"state,omitempty"` // hash of names, sizes and times below the path
	Version int    `json:"version"`         // of the generators, or of the reader
	Seed    uint64 `json:"seed"`
	Side    int    `json:"side"`
	Count   int    `json:"count"` // of generated images
}
