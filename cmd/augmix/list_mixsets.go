package main

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/mixset"
)

// listMixsets prints the kinds of "augmix mixset".
type listMixsets struct{}

// Help is the end of "augmix list mixsets --help".
func (listMixsets) Help() string {
	return `WHERE THE NAMES GO
  The mixset command writes images of a kind to files. --mixset NAME mixes with images of a kind,
  generated as they are needed, 10000 of them; --mixset NAME-nN with N. --mixset PATH takes your own: a
  folder with images at any depth, a WebDataset, a NumPy array. "augmix mixset fvis" makes one of
  what the layers of a trained network respond to, and "augmix train --mixset iterative-fvis" draws
  them of the network in training.

EXAMPLES
  augmix list mixsets
  augmix list mixsets --json | jq -r '.[].name'`
}

type mixsetRow struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Paper string `json:"paper"`
}

// Run prints the kinds.
func (*listMixsets) Run(a *app) error {
	var rows []mixsetRow
	for _, k := range mixset.Kinds() {
		rows = append(rows, mixsetRow{k.Name, k.Doc, k.Paper})
	}
	return a.print(rows, func(w io.Writer) {
		for i, r := range rows {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprint(w, terminal.Wrap(r.Name+": ", "  ", r.Doc), terminal.Wrap("  paper    ", "           ", r.Paper))
		}
	})
}
