package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/recipe"
)

// listRecipes lists the built-in recipes, which augmix train and augmix run take by name.
type listRecipes struct{}

// Help is the end of "augmix list recipes --help".
func (listRecipes) Help() string {
	return `EXAMPLES
  augmix list recipes
  augmix train cifar10-wrn-40-2 --method augmix --plan -o runs/augmix`
}

type recipeRow struct {
	Name    string   `json:"name"`
	About   string   `json:"about"`
	Model   string   `json:"model"`
	Methods []string `json:"methods"`
}

// Run prints the recipes. Those without a network are the bases of others and are left out.
func (listRecipes) Run(a *app) error {
	var rows []recipeRow
	for _, name := range recipe.Names() {
		r, err := recipe.Read(name)
		if err != nil {
			return err
		}
		if r.Config.Model != "" {
			rows = append(rows, recipeRow{name, r.About, r.Config.Model, r.Methods()})
		}
	}
	return a.print(rows, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprint(w, terminal.Wrap(r.Name+": ", "  ", r.About), terminal.Wrap("  methods: ", "    ", strings.Join(r.Methods, ", ")))
		}
	})
}
