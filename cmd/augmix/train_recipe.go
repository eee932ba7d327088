package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// recipeFile is what a YAML recipe may hold: the keys of train.Recipe, and these.
type recipeFile struct {
	Base    string              `yaml:"base"`    // another recipe, relative to this one, whose keys and methods come first
	About   string              `yaml:"about"`   // which table it reproduces
	Methods map[string]ast.Node `yaml:"methods"` // named changes of the keys
	Run     *runKeys            `yaml:"run"`     // what augmix run does with the methods

	train.Recipe `yaml:",inline"`
}

// recipeText is a recipe with all of its bases.
type recipeText struct {
	recipe  train.Recipe
	about   string
	methods map[string][]override // in the order in which they apply: bases first
	run     runKeys
	text    map[string][]byte // content of the files, for messages
}

// override is the keys of a method, with the file they stand in.
type override struct {
	file string
	node ast.Node
}

const (
	maxRecipe = 1 << 20 // bytes
	maxBases  = 8
)

// readRecipe reads a recipe and its bases. Errors name file and line.
func readRecipe(path string) (*recipeText, error) {
	t := &recipeText{recipe: train.Default(), methods: map[string][]override{}, text: map[string][]byte{}}
	return t, t.read(path, 0)
}

func (t *recipeText) read(path string, depth int) error {
	if depth > maxBases {
		return usagef("%s: more than %d recipes are the base of each other", path, maxBases)
	}
	content, err := recipeContent(path)
	if err != nil {
		return err
	}
	file, err := parser.ParseBytes(content, 0)
	if err != nil {
		return yamlError(path, err)
	}
	var nodes []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			nodes = append(nodes, d.Body)
		}
	}
	if len(nodes) != 1 {
		return usagef("%s holds %d YAML documents (allowed: one)", path, len(nodes))
	}
	// The base first, so that this file's keys come on top of it.
	head := recipeFile{}
	if err := yaml.NodeToValue(nodes[0], &head, yaml.Strict()); err != nil {
		return yamlError(path, err)
	}
	if head.Base != "" {
		if err := t.read(basePath(path, filepath.FromSlash(head.Base)), depth+1); err != nil {
			return err
		}
	}
	over := recipeFile{Recipe: t.recipe}
	if err := yaml.NodeToValue(nodes[0], &over, yaml.Strict()); err != nil {
		return yamlError(path, err)
	}
	t.recipe = over.Recipe
	if over.About != "" {
		t.about = over.About
	}
	if over.Run != nil {
		t.run = *over.Run
	}
	for name, node := range over.Methods {
		t.methods[name] = append(t.methods[name], override{path, node})
	}
	return nil
}

// basePath is where the base of a recipe lies: beside it, or among those that come with the program.
func basePath(path, base string) string {
	if filepath.IsAbs(base) {
		return base
	}
	beside := filepath.Join(filepath.Dir(path), base)
	if _, err := os.Stat(beside); errors.Is(err, fs.ErrNotExist) && filepath.Base(base) == base {
		if _, ok := recipe.Read(base); ok {
			return base
		}
	}
	return beside
}

// recipeContent reads a recipe: a file, or where there is none of that name one that comes with the program.
func recipeContent(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == path {
		if b, ok := recipe.Read(path); ok {
			return b, nil
		}
		return nil, fmt.Errorf("cannot read the recipe: %w, nor is it one that comes with the program (augmix list recipes)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the recipe: %w", err)
	}
	if !st.Mode().IsRegular() || st.Size() > maxRecipe {
		return nil, usagef("%s is no recipe: a file of up to %d bytes is wanted", path, maxRecipe)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the recipe: %w", err)
	}
	return content, nil
}

// names lists the methods.
func (t *recipeText) names() []string { return slices.Sorted(maps.Keys(t.methods)) }

// method returns the recipe with the changes of a method; "" is the recipe itself.
func (t *recipeText) method(name string) (train.Recipe, error) {
	r := t.recipe
	if name == "" {
		return r, nil
	}
	list, ok := t.methods[name]
	if !ok {
		return r, usagef("--method %s (allowed here: %s)", name, strings.Join(t.names(), ", "))
	}
	for _, o := range list {
		if o.node == nil || o.node.Type() == ast.NullType { // a method without changes
			continue
		}
		if err := yaml.NodeToValue(o.node, &r, yaml.Strict()); err != nil {
			return r, yamlError(o.file, err)
		}
	}
	return r, nil
}

// yamlError is an error of a recipe's text.
func yamlError(path string, err error) error {
	return usageError{fmt.Errorf("%s is not a recipe: %w", path, err)}
}

// setFlags copies the fields of src whose flags were given, on the command line or by --config, to dst.
func setFlags(dst, src *train.Recipe, ctx *kong.Context) {
	given := map[string]bool{}
	for _, p := range ctx.Path {
		if p.Flag != nil {
			given[p.Flag.Name] = true
		}
	}
	to, from := reflect.ValueOf(dst).Elem(), reflect.ValueOf(src).Elem()
	for i := range to.NumField() {
		if given[to.Type().Field(i).Tag.Get("yaml")] {
			to.Field(i).Set(from.Field(i))
		}
	}
}
