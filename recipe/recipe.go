package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/internal/yamltext"
	"github.com/augmix-go/augmix/train"
)

// ErrRecipe is wrapped by every error about the content of a recipe, or the name of a method. It names the file and, where
// there is one, the line.
var ErrRecipe = errors.New("not a recipe")

// Recipe is a recipe with all of its bases.
type Recipe struct {
	File   string       // as given to Read
	About  string       // which table it reproduces
	Config train.Config // the keys outside of methods
	Run    Run

	methods map[string][]node // in the order in which they apply: bases first
	eval    node
}

// Run is the section run: what package experiment does with the methods.
type Run struct {
	Methods   []string `yaml:"methods,omitempty"`    // in this order; the first is what the others are compared with
	Test      string   `yaml:"test,omitempty"`       // test set
	TestSplit string   `yaml:"test-split,omitempty"` // part of Test
	Seen      string   `yaml:"seen,omitempty"`       // what rows call the samples of the test set that ValOnly leaves out; empty: they are not measured
	Suites    []string `yaml:"suites,omitempty"`     // what is measured
}

// file is what a YAML file may hold: the keys of train.Config, and these.
type file struct {
	Base    string              `yaml:"base"` // another recipe, relative to this one, whose keys and methods come first
	About   string              `yaml:"about"`
	Methods map[string]ast.Node `yaml:"methods"` // named changes of the keys
	Run     *struct {
		Run  `yaml:",inline"`
		Eval ast.Node `yaml:"eval"`
	} `yaml:"run"`

	train.Config `yaml:",inline"`
}

// node is a part of a file.
type node struct {
	file string
	ast  ast.Node
}

// decode sets the keys of dst that the node has. A key that dst lacks is an error.
func (n node) decode(dst any) error {
	if n.ast == nil || n.ast.Type() == ast.NullType {
		return nil
	}
	if err := checkTypes(n.ast, reflect.TypeOf(dst), "the recipe"); err != nil {
		return textError(n.file, err)
	}
	if err := yaml.NodeToValue(n.ast, dst, yaml.Strict()); err != nil {
		return textError(n.file, err)
	}
	return nil
}

const maxBases = 8

// Read reads a recipe and its bases: a file, or where there is none of that name a built-in recipe, whose bases are built-in ones. A
// folder of that name hides none: it is often what a run of the recipe left. The error wraps [ErrRecipe], or is that of reading the
// file.
func Read(name string) (*Recipe, error) {
	r := newRecipe(name)
	if err := r.read(name, false, 0); err != nil {
		return nil, err
	}
	return r, nil
}

// Parse is [Read] of a file with this text, which need not be there.
func Parse(file string, text []byte) (*Recipe, error) {
	r := newRecipe(file)
	if err := r.parse(file, text, false, 0); err != nil {
		return nil, err
	}
	return r, nil
}

func newRecipe(file string) *Recipe {
	return &Recipe{File: file, Config: train.Default(), methods: map[string][]node{}}
}

// read adds a recipe to r. With builtIn path names a built-in one, whatever files there are.
func (r *Recipe) read(path string, builtIn bool, depth int) error {
	if depth > maxBases {
		return fmt.Errorf("%w: %s: more than %d recipes are the base of each other", ErrRecipe, path, maxBases)
	}
	content, builtIn, err := contentOf(path, builtIn)
	if err != nil {
		return err
	}
	return r.parse(path, content, builtIn, depth)
}

// parse adds the recipe at path, which holds content, to r.
func (r *Recipe) parse(path string, content []byte, builtIn bool, depth int) error {
	parsed, err := parser.ParseBytes(content, 0)
	if err != nil {
		return textError(path, err)
	}
	var bodies []node
	for _, d := range parsed.Docs {
		if d.Body != nil {
			bodies = append(bodies, node{path, d.Body})
		}
	}
	if len(bodies) != 1 {
		return fmt.Errorf("%w: %s holds %d YAML documents (allowed: one)", ErrRecipe, path, len(bodies))
	}
	// The base first, so that this file's keys come on top of it. Looking for all keys already takes as long as the rest.
	var head struct {
		Base string `yaml:"base"`
	}
	if err := yaml.NodeToValue(bodies[0].ast, &head); err != nil {
		return textError(path, err)
	}
	if head.Base != "" {
		base := head.Base
		if !builtIn {
			base = basePath(path, filepath.FromSlash(base))
		}
		if err := r.read(base, builtIn, depth+1); err != nil {
			return err
		}
	}
	over := file{Config: r.Config}
	if err := bodies[0].decode(&over); err != nil {
		return err
	}
	r.Config = over.Config
	if over.About != "" {
		r.About = over.About
	}
	if over.Run != nil {
		r.Run, r.eval = over.Run.Run, node{path, over.Run.Eval}
	}
	for name, n := range over.Methods {
		r.methods[name] = append(r.methods[name], node{path, n})
	}
	return nil
}

// basePath is where the base of a recipe lies: beside it, or among the built-in ones.
func basePath(path, base string) string {
	if filepath.IsAbs(base) || storage.Remote(base) {
		return base
	}
	beside := storage.Join(storage.Dir(path), base)
	st, err := storage.Stat(beside)
	if (errors.Is(err, fs.ErrNotExist) || err == nil && st.IsDir()) && filepath.Base(base) == base {
		if _, ok := BuiltIn(base); ok {
			return base
		}
	}
	return beside
}

// contentOf reads a file or a built-in recipe, and says which it is. With builtIn it does not look for a file.
func contentOf(path string, builtIn bool) ([]byte, bool, error) {
	if builtIn {
		if b, ok := BuiltIn(path); ok {
			return b, true, nil
		}
	}
	st, err := storage.Stat(path)
	if (errors.Is(err, fs.ErrNotExist) || err == nil && st.IsDir()) && filepath.Base(path) == path {
		if b, ok := BuiltIn(path); ok {
			return b, true, nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == path {
		return nil, false, fmt.Errorf("cannot read the recipe: %w, nor is it a built-in one (there are: %s)", err,
			strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the recipe: %w", err)
	}
	if st.IsDir() {
		return nil, false, option.Errorf(ErrRecipe, "%s is a folder (allowed: a YAML file, or the name of a built-in recipe; data is given with "+
			"{the option data})", path)
	}
	if !st.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%w: %s is no regular file", ErrRecipe, path)
	}
	f, err := storage.Open(path)
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the recipe: %w", err)
	}
	defer f.Close()
	content, err := ReadText(f)
	if errors.Is(err, ErrText) {
		return nil, false, textError(path, err)
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot read the recipe: %w", err)
	}
	return content, false, nil
}

// Methods lists the methods by name.
func (r *Recipe) Methods() []string { return slices.Sorted(maps.Keys(r.methods)) }

// Method returns the configuration of a method: the recipe's with the method's changes; "" is the recipe's itself. Whether
// the values are allowed is found out by [train.Config.Check].
func (r *Recipe) Method(name string) (train.Config, error) {
	c := r.Config
	if name == "" {
		return c, nil
	}
	list, ok := r.methods[name]
	if !ok {
		return c, fmt.Errorf("%w: %s has no method %s (allowed here: %s)", ErrRecipe, r.File, name, strings.Join(r.Methods(), ", "))
	}
	for _, n := range list {
		if err := n.decode(&c); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Eval sets the fields of dst that the section eval of run has: dst is a pointer to a struct with tags of YAML, in practice
// *experiment.Eval.
func (r *Recipe) Eval(dst any) error { return r.eval.decode(dst) }

// Marshal writes a configuration as a recipe, every key in a line of its own.
func Marshal(c *train.Config) ([]byte, error) { return yamltext.Marshal(c) }

// textError is an error of a recipe's text.
func textError(path string, err error) error {
	return fmt.Errorf("%s is %w: %w", path, ErrRecipe, err)
}
