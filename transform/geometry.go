package transform

import (
	"cmp"
	"slices"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/internal/corruption"
	"github.com/augmix-go/augmix/perturb"
)

// GeometryInfo says of a corruption or perturbation whether what an image shows stays in its place, under boxes and masks. Its form
// in JSON is that of "augmix list corruptions --geometry --json".
type GeometryInfo struct {
	Name  string `json:"name"`
	Set   string `json:"set"` // "C", "C-bar", "P"
	Moves bool   `json:"moves"`
	How   string `json:"how,omitempty"` // of those that move pixels, and of those that smear them away from their place
}

// smears are the corruptions and perturbations that spread a pixel to one side, and are not said to move it.
var smears = map[string]string{
	"motion_blur":                     "smears to one side of a random direction",
	"zoom_blur":                       "smears away from the middle",
	"transverse_chromatic_abberation": "smears colors apart",
}

// motions are the perturbations that do, frame by frame more.
var motions = map[string]string{
	"translate": "shifts from left to right",
	"rotate":    "turns around the middle",
	"tilt":      "a perspective around the middle",
	"scale":     "scales around the middle",
	"shear":     "shears along the rows",
}

// GeometryTable says of all corruptions of packages corrupt and corrupt/cbar and of all perturbations whether they move pixels.
func GeometryTable() []GeometryInfo {
	var rows []GeometryInfo
	seen := map[string]bool{}
	add := func(set string, how map[string]string, names []string) {
		for _, name := range names {
			if !seen[set+name] {
				rows = append(rows, GeometryInfo{name, set, how[name] != "", cmp.Or(how[name], smears[name])})
			}
			seen[set+name] = true
		}
	}
	names, _ := corrupt.Names("all")
	add("C", corruption.Moves, names)
	for _, p := range []cbar.Profile{cbar.ImageNet, cbar.CIFAR} {
		names, _ = cbar.Names(p)
		add("C-bar", corruption.Moves, names)
	}
	add("P", motions, perturb.Names())
	return rows
}

// Moving returns those of the corruptions and perturbations that move pixels, so that boxes and masks which stay fit no more.
func Moving(names []string) []string {
	var moving []string
	for _, r := range GeometryTable() {
		if r.Moves && slices.Contains(names, r.Name) && !slices.Contains(moving, r.Name) {
			moving = append(moving, r.Name)
		}
	}
	return moving
}
