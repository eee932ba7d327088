package recipe

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// extension is that of recipes' files.
const extension = ".yaml"

// Names lists the built-in recipes, without extension.
func Names() []string {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("recipe: " + err.Error()) // what is embedded can be read
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), extension))
	}
	return names
}

// BuiltIn returns the text of a built-in recipe by its name, with or without extension, and whether there is one.
func BuiltIn(name string) ([]byte, bool) {
	b, err := files.ReadFile(strings.TrimSuffix(name, extension) + extension)
	return b, err == nil
}
