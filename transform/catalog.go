package transform

import (
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/perturb"
)

// CorruptionInfo describes a published corruption. Its form in JSON is that of "augmix list corruptions --json".
type CorruptionInfo struct {
	Name     string   `json:"name"`
	Set      string   `json:"set"`             // "common" (the 15 of mCE), "validation", "cbar"
	Group    string   `json:"group,omitempty"` // the paper's kind
	Profiles []string `json:"profiles"`
	Random   bool     `json:"random"`
	MinSide  int      `json:"min_side"` // least width and height of an image, in pixels
	// Parity says how the result compares with the published program's where that one's random numbers are replayed:
	// "exact", or the most gray levels by which a byte may differ.
	Parity string `json:"parity"`
	// Levels are the published values behind severities 1 to 5 of a corruption of cbar, in the first of its profiles.
	Levels []float64 `json:"levels,omitempty"`
	// Between says for each of the parameters, or of the levels, what it is between severities, and at 0.
	Between []string `json:"between"`
	// Parameters are their names, and Values by profile and severity, in the order of the names.
	Parameters []string               `json:"parameters,omitempty"`
	Values     map[string][][]float64 `json:"values,omitempty"`
}

// setParameters fills in what the severities of a corruption stand for.
func (r *CorruptionInfo) setParameters(c corrupt.Op) error {
	r.Values, r.Between = map[string][][]float64{}, c.Between()
	for _, p := range []corrupt.Profile{corrupt.P32, corrupt.P64, corrupt.P224, corrupt.P299} {
		for severity := 1; severity <= corrupt.Severities; severity++ {
			list, err := c.WithProfile(p).Parameters(float64(severity), 0)
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

// parity of the corruptions that are not within one gray level, as the packages' tests show it.
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

// CorruptionTable describes the corruptions of packages corrupt and corrupt/cbar, in published order.
func CorruptionTable() ([]CorruptionInfo, error) {
	var rows []CorruptionInfo
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
			r := CorruptionInfo{
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
			r := CorruptionInfo{
				Name: name, Set: "cbar", Profiles: []string{p.String()}, Random: c.Random(), MinSide: c.MinSide(),
				Parity: parityOf(name), Between: []string{c.Between()},
			}
			for s := range cbar.Severities {
				level, err := c.WithProfile(p).Level(float64(s + 1))
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

// PerturbationInfo describes a published perturbation. Its form in JSON is that of "augmix list perturbations --json".
type PerturbationInfo struct {
	Name         string         `json:"name"`
	Set          string         `json:"set"` // "common" or "extra"
	Random       bool           `json:"random"`
	Noise        bool           `json:"noise"` // frames are compared with the first
	Difficulties int            `json:"difficulties"`
	Frames       map[string]int `json:"frames"` // by profile
}

// PerturbationTable describes the perturbations of package perturb, in published order.
func PerturbationTable() ([]PerturbationInfo, error) {
	profiles := []perturb.Profile{perturb.P32, perturb.P64, perturb.P224, perturb.P299}
	var rows []PerturbationInfo
	for _, name := range perturb.Names() {
		p, err := perturb.ByName(name)
		if err != nil {
			return nil, err
		}
		r := PerturbationInfo{
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
	return rows, nil
}
