// Package recipe holds the recipes that come with the program: the papers' training runs, and the quick start. Each file
// says which table it reproduces.
package recipe

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// Extension is that of recipes' files.
const Extension = ".yaml"

// Names lists the recipes, without extension.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("recipe: " + err.Error()) // what is embedded can be read
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), Extension))
	}
	return names
}

// Read returns a recipe by its name, with or without extension, and whether there is one.
func Read(name string) ([]byte, bool) {
	b, err := files.ReadFile(strings.TrimSuffix(name, Extension) + Extension)
	return b, err == nil
}
