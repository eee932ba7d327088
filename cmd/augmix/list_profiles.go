package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/internal/terminal"
)

// listProfiles prints the built-in profiles.
type listProfiles struct{}

// Help is the end of "augmix list profiles --help".
func (listProfiles) Help() string {
	return `WHERE THE NAMES GO
  To --profile of augmix corrupt, stream, feed and eval, beside auto, 32, 64, 224, 299 and files of your
  own. corrupt and eval then make the corruptions of the profile, stream and feed those that are named.
  augmix list corruptions --profile NAME prints the parameters and their source.

EXAMPLES
  augmix list profiles
  augmix list profiles --json | jq -r '.[].name'`
}

type profileRow struct {
	Name        string   `json:"name"`
	About       string   `json:"about"`
	Corruptions []string `json:"corruptions"`
}

// profileWith returns the first built-in profile that has a corruption, "" if there is none.
func profileWith(corruption string) string {
	for _, name := range tables.Builtin() {
		if s, err := tables.Open(name); err == nil && slices.Contains(s.Names, corruption) {
			return name
		}
	}
	return ""
}

// Run prints the profiles.
func (*listProfiles) Run(a *app) error {
	var rows []profileRow
	for _, name := range tables.Builtin() {
		s, err := tables.Open(name)
		if err != nil {
			return err
		}
		rows = append(rows, profileRow{name, tables.About(name), s.Names})
	}
	return a.print(rows, func(w io.Writer) {
		for i, r := range rows {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprint(w, terminal.Wrap(r.Name+": ", "  ", r.About), terminal.Wrap("  ", "  ", strings.Join(r.Corruptions, ", ")))
		}
	})
}
