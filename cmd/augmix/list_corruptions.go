package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/transform"
)

type (
	listCorruptions struct {
		Name     []string `arg:"" optional:"" name:"NAME" help:"Print the parameters of these, by profile and severity."`
		Geometry bool     `help:"Say which corruptions and perturbations move pixels, so that boxes and masks fit no more."`
		Profile  string   `placeholder:"NAME" help:"Print the parameters of this profile (32, 64, 224, 299, or all of one of augmix list profiles) as a file for augmix corrupt --profile."`
	}
	listPerturbations struct{}
)

// corruptionColumns explains the columns, in the help and below the table.
const corruptionColumns = `  SET     common (the 15 of the mean corruption error), validation, or cbar
  KIND    of cbar the profile that has it: imagenet, cifar or both
  SIDE    least width and height of an image in pixels
  PARITY  how the result compares with the published program's when that one's
          random numbers are replayed: exact, or the most gray levels by which
          a byte may differ
augmix list corruptions NAME prints what severities 1 to 5 of NAME stand for,
and what each parameter is between them and below 1: linear, or rounded to a
whole number, halves up; at 0 it leaves the image as it is.
`

// Help is the end of "augmix list corruptions --help".
func (listCorruptions) Help() string {
	return `COLUMNS
` + corruptionColumns + `
EXAMPLES
  augmix list corruptions
  augmix list corruptions snow spatter
  augmix list corruptions --geometry
  augmix list corruptions fog --profile 224 > my.yaml
  augmix list corruptions --profile medmnist-c/pathmnist > my.yaml
  augmix list corruptions --json | jq -r '.[] | select(.group=="noise").name'`
}

// Help is the end of "augmix list perturbations --help".
func (listPerturbations) Help() string {
	return `COLUMNS
  SET     common (the ten of the mean flip rate) or extra
  FRAMES  of a sequence with --profile 32, 64, 224 and 299

EXAMPLES
  augmix list perturbations`
}

// Run prints the corruptions.
func (c *listCorruptions) Run(a *app) error {
	if c.Geometry {
		return c.geometry(a)
	}
	if c.Profile != "" {
		return c.profile(a)
	}
	rows, err := transform.CorruptionTable()
	if err != nil {
		return err
	}
	if len(c.Name) > 0 {
		return c.parameters(a, rows)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "NAME\tSET\tKIND\tRANDOM\tSIDE\tPARITY", func(row func(...any)) {
			for _, r := range rows {
				set, kind := r.Set, r.Group
				if r.Set == "cbar" {
					if kind = r.Profiles[0]; len(r.Profiles) > 1 {
						kind = "both"
					}
				}
				row(r.Name, set, kind, yes[r.Random], r.MinSide, r.Parity)
			}
		})
		fmt.Fprint(w, "\n"+corruptionColumns)
	})
}

// geometry prints what moves pixels.
func (c *listCorruptions) geometry(a *app) error {
	if len(c.Name) > 0 {
		return usagef("--geometry lists all of them and goes with no NAME")
	}
	rows := transform.GeometryTable()
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "NAME\tSET\tMOVES\tHOW", func(row func(...any)) {
			for _, r := range rows {
				moves := "no"
				if r.Moves {
					moves = "yes"
				}
				row(r.Name, r.Set, moves, r.How)
			}
		})
	})
}

// profile prints a profile as a file.
func (c *listCorruptions) profile(a *app) error {
	if text := tables.Text(c.Profile); text != "" {
		if len(c.Name) > 0 {
			return usagef("--profile %s is printed whole and goes with no NAME", c.Profile)
		}
		return printProfile(a, text)
	}
	p, err := corrupt.ParseProfile(c.Profile)
	if err != nil {
		return usagef("--profile %.80q (allowed: 32, 64, 224, 299, %s)", c.Profile, strings.Join(tables.Builtin(), ", "))
	}
	t, err := corrupt.TablesOf(p, c.Name...)
	if err != nil {
		return usagef("%w", err)
	}
	return printProfile(a, t.String())
}

// profileFile is the JSON form of a profile. augmix corrupt --profile reads it too, for JSON is YAML.
type profileFile struct {
	Base        string         `json:"base"`
	Corruptions corrupt.Values `json:"corruptions"`
}

// printProfile prints the file of a profile.
func printProfile(a *app, text string) error {
	var f struct {
		Base        any            `yaml:"base"`
		Corruptions corrupt.Values `yaml:"corruptions"`
	}
	if err := yaml.Unmarshal([]byte(text), &f); err != nil {
		return err
	}
	return a.print(profileFile{fmt.Sprint(f.Base), f.Corruptions}, func(w io.Writer) { _, _ = io.WriteString(w, text) })
}

// parameters prints what the severities of the named corruptions stand for.
func (c *listCorruptions) parameters(a *app, rows []transform.CorruptionInfo) error {
	var chosen []transform.CorruptionInfo
	for _, name := range c.Name {
		i := slices.IndexFunc(rows, func(r transform.CorruptionInfo) bool { return r.Name == name })
		if i < 0 {
			hint := suggest.Hint(name, wordsIn(rows, func(r transform.CorruptionInfo) []string { return []string{r.Name} }))
			if p := profileWith(name); p != "" {
				return usagef("%s: a corruption of profiles alone (augmix list corruptions --profile %s prints its parameters)", name, p)
			}
			return usagef("%s: no such corruption%s (augmix list corruptions names them)", name, hint)
		}
		chosen = append(chosen, rows[i])
	}
	return a.print(chosen, func(w io.Writer) {
		for i := range chosen {
			if i > 0 {
				fmt.Fprintln(w)
			}
			printParameters(w, &chosen[i])
		}
	})
}

// printParameters prints what the severities of a corruption stand for.
func printParameters(w io.Writer, r *transform.CorruptionInfo) {
	fmt.Fprintln(w, r.Name)
	names := r.Parameters
	if r.Set == "cbar" {
		names = []string{"level"}
	}
	terminal.Table(w, "  PROFILE\tSEVERITY\t"+strings.Join(names, "\t"), func(row func(...any)) {
		for i, level := range r.Levels {
			row("  "+r.Profiles[0], i+1, level)
		}
		for _, p := range r.Profiles {
			for i, values := range r.Values[p] {
				cells := []any{"  " + p, i + 1}
				for _, v := range values {
					cells = append(cells, v)
				}
				row(cells...)
			}
		}
	})
	terminal.Table(w, "  PARAMETER\tBETWEEN SEVERITIES, AS 2.5, AND BELOW 1", func(row func(...any)) {
		for i, rule := range r.Between {
			row("  "+names[i], rule)
		}
	})
}

// Run prints the perturbations.
func (*listPerturbations) Run(a *app) error {
	rows, err := transform.PerturbationTable()
	if err != nil {
		return err
	}
	yes := map[bool]string{true: "yes", false: "no"}
	return a.print(rows, func(w io.Writer) {
		terminal.Table(w, "NAME\tSET\tRANDOM\tDIFFICULTIES\tFRAMES", func(row func(...any)) {
			for _, r := range rows {
				var frames []string
				for _, p := range []string{"32", "64", "224", "299"} {
					frames = append(frames, fmt.Sprint(r.Frames[p]))
				}
				row(r.Name, r.Set, yes[r.Random], r.Difficulties, strings.Join(frames, " "))
			}
		})
	})
}
