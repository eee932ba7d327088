package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/perturb"
)

type (
	listCorruptions struct {
		Name []string `arg:"" optional:"" name:"NAME" help:"Print the parameters of these, by profile and severity."`
	}
	listPerturbations struct{}
)

// Help is the end of "augmix list corruptions --help".
func (listCorruptions) Help() string {
	return `COLUMNS
  SET     common (the 15 of the mean corruption error), validation, or cbar, with the profiles that
          have it
  SIDE    least width and height of an image
  PARITY  how the result compares with the published program's when that one's random numbers are
          replayed: exact, or the most grey levels by which a byte may differ
  LEVELS  cbar: the published severity values behind severities 1 to 5, in the first of the profiles;
          for the others, which have several parameters and profiles, give a NAME

EXAMPLES
  augmix list corruptions
  augmix list corruptions snow spatter
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

type corruptionRow struct {
	Name     string    `json:"name"`
	Set      string    `json:"set"`             // "common", "validation", "cbar"
	Group    string    `json:"group,omitempty"` // the paper's kind
	Profiles []string  `json:"profiles"`
	Random   bool      `json:"random"`
	MinSide  int       `json:"min_side"`
	Parity   string    `json:"parity"`
	Levels   []float64 `json:"levels,omitempty"`
	// Parameters are their names, and Values by profile and severity, in the order of the names.
	Parameters []string               `json:"parameters,omitempty"`
	Values     map[string][][]float64 `json:"values,omitempty"`
}

// setParameters fills in what the severities of a corruption stand for.
func (r *corruptionRow) setParameters(c corrupt.Op) error {
	r.Values = map[string][][]float64{}
	for _, p := range []corrupt.Profile{corrupt.P32, corrupt.P64, corrupt.P224, corrupt.P299} {
		for severity := 1; severity <= corrupt.Severities; severity++ {
			list, err := c.WithProfile(p).Parameters(severity, 0)
			if err != nil {
				return err
			}
			r.Parameters = nil
			var values []float64
			for _, v := range list {
				r.Parameters, values = append(r.Parameters, v.Name), append(values, v.Value)
			}
			r.Values[p.String()] = append(r.Values[p.String()], values)
		}
	}
	return nil
}

// parity of the corruptions that are not within one grey level, as the packages' tests show it.
var parity = map[string]string{
	"impulse_noise": "exact", "pixelate": "exact", "jpeg_compression": "exact", "glass_blur": "2",
	"blue_noise_sample": "exact", "checkerboard_cutout": "exact",
}

func parityOf(name string) string {
	if p := parity[name]; p != "" {
		return p
	}
	return "1"
}

// corruptionRows lists both packages' corruptions.
func corruptionRows() ([]corruptionRow, error) {
	var rows []corruptionRow
	for _, set := range []string{"common", "validation"} {
		names, err := corrupt.Names(set)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			c, err := corrupt.ByName(name)
			if err != nil {
				return nil, err
			}
			r := corruptionRow{
				Name: name, Set: set, Profiles: []string{"32", "64", "224", "299"}, Random: c.Random(), MinSide: c.MinSide(),
				Parity: parityOf(name),
			}
			if err := r.setParameters(c); err != nil {
				return nil, err
			}
			for _, group := range []string{"noise", "blur", "weather", "digital"} {
				if members, err := corrupt.Names(group); err == nil && slices.Contains(members, name) {
					r.Group = group
				}
			}
			rows = append(rows, r)
		}
	}
	at := map[string]int{}
	for _, p := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		names, err := cbar.Names(p)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if i, ok := at[name]; ok {
				rows[i].Profiles = append(rows[i].Profiles, p.String())
				continue
			}
			c, err := cbar.ByName(name)
			if err != nil {
				return nil, err
			}
			r := corruptionRow{
				Name: name, Set: "cbar", Profiles: []string{p.String()}, Random: c.Random(), MinSide: c.MinSide(),
				Parity: parityOf(name),
			}
			for s := range cbar.Severities {
				level, err := c.WithProfile(p).Level(s + 1)
				if err != nil {
					return nil, err
				}
				r.Levels = append(r.Levels, level)
			}
			at[name] = len(rows)
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// Run prints the corruptions.
func (c *listCorruptions) Run(a *app) error {
	rows, err := corruptionRows()
	if err != nil {
		return err
	}
	if len(c.Name) > 0 {
		return c.parameters(a, rows)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	return a.print(rows, func(w io.Writer) {
		table(w, "NAME\tSET\tKIND\tRANDOM\tSIDE\tPARITY\tLEVELS", func(row func(...any)) {
			for _, r := range rows {
				set, kind, levels := r.Set, r.Group, strings.Trim(fmt.Sprint(r.Levels), "[]")
				if r.Set == "cbar" {
					set, kind = "cbar "+strings.Join(r.Profiles, "+"), "-"
				}
				if levels == "" {
					levels = "-"
				}
				row(r.Name, set, kind, yes[r.Random], r.MinSide, r.Parity, levels)
			}
		})
	})
}

// parameters prints what the severities of the named corruptions stand for.
func (c *listCorruptions) parameters(a *app, rows []corruptionRow) error {
	var chosen []corruptionRow
	for _, name := range c.Name {
		i := slices.IndexFunc(rows, func(r corruptionRow) bool { return r.Name == name })
		if i < 0 {
			return usagef("%s: no such corruption (augmix list corruptions names them)", name)
		}
		chosen = append(chosen, rows[i])
	}
	return a.print(chosen, func(w io.Writer) {
		for i := range chosen {
			if i > 0 {
				fmt.Fprintln(w)
			}
			chosen[i].print(w)
		}
	})
}

// print prints a corruption's parameters.
func (r *corruptionRow) print(w io.Writer) {
	fmt.Fprintln(w, r.Name)
	names := r.Parameters
	if r.Set == "cbar" {
		names = []string{"level"}
	}
	table(w, "  PROFILE\tSEVERITY\t"+strings.Join(names, "\t"), func(row func(...any)) {
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
}

type perturbationRow struct {
	Name         string         `json:"name"`
	Set          string         `json:"set"` // "common" or "extra"
	Random       bool           `json:"random"`
	Noise        bool           `json:"noise"` // frames are compared with the first
	Difficulties int            `json:"difficulties"`
	Frames       map[string]int `json:"frames"` // by profile
}

// Run prints the perturbations.
func (*listPerturbations) Run(a *app) error {
	profiles := []perturb.Profile{perturb.P32, perturb.P64, perturb.P224, perturb.P299}
	var rows []perturbationRow
	for _, name := range perturb.Names(true) {
		p, err := perturb.ByName(name)
		if err != nil {
			return err
		}
		r := perturbationRow{
			Name: name, Set: "common", Random: p.Random(), Noise: p.Noise(), Difficulties: p.Difficulties(),
			Frames: map[string]int{},
		}
		if p.Extra() {
			r.Set = "extra"
		}
		for _, profile := range profiles {
			r.Frames[profile.String()] = p.Frames(profile)
		}
		rows = append(rows, r)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	return a.print(rows, func(w io.Writer) {
		table(w, "NAME\tSET\tRANDOM\tDIFFICULTIES\tFRAMES", func(row func(...any)) {
			for _, r := range rows {
				var frames []string
				for _, p := range profiles {
					frames = append(frames, fmt.Sprint(r.Frames[p.String()]))
				}
				row(r.Name, r.Set, yes[r.Random], r.Difficulties, strings.Join(frames, " "))
			}
		})
	})
}
