package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// The root of an output of corruptions, perturbations or epochs holds data sets, a folder each. Read as one set it would have classes
// named fog or epoch-001, and every image several times: who trains on it by mistake sees it in no message.

// apart are how many folders below the root of an output of a command its data sets lie: OUT/fog/1, OUT/brightness.
var apart = map[string]int{"corrupt": 2, "perturb": 1}

var epochName = regexp.MustCompile(`^epoch-\d{3,}$`) // as package generate has them

// checkSingle returns an error that wraps data.ErrUnsupported where path is a folder of several data sets that this module wrote.
func checkSingle(path string) error {
	of, sets := outputSets(path)
	if len(sets) == 0 {
		return nil
	}
	const most = 3
	more := ""
	if n := len(sets); n > most {
		more = fmt.Sprintf(" and %d more", n-most)
		sets = sets[:most]
	}
	return fmt.Errorf("%w: %s is an output of augmix %s, which holds data sets and is none itself (allowed: one of them: %s%s)",
		data.ErrUnsupported, path, of, strings.Join(sets, ", "), more)
}

// Sets returns the data sets in an output of this module that is none itself, of corruptions or of epochs. It returns nil for
// anything else.
func Sets(path string) []string {
	_, sets := outputSets(path)
	return sets
}

// outputSets returns the data sets in an output of this module, and the command that wrote it; none where path is a data set itself.
func outputSets(path string) (command string, sets []string) {
	command = writtenBy(path)
	if depth := apart[command]; depth > 0 {
		return command, below(path, depth)
	}
	if command != "" {
		return "", nil
	}
	if !storage.Remote(path) { // of which it asks for no more than needed
		if command := writtenBy(storage.Join(path, "..")); apart[command] == 2 { // OUT/fog
			return command, below(path, 1)
		}
	}
	epochs := below(path, 1)
	if len(epochs) == 0 || slices.ContainsFunc(epochs, func(dir string) bool { return !epochName.MatchString(filepath.Base(dir)) }) {
		return "", nil
	}
	if command := writtenBy(epochs[0]); command != "" {
		return command, epochs
	}
	return "", nil
}

// below returns the folders that lie some levels below dir. Where there are none it returns the arrays in dir, which corruptions can
// be too.
func below(dir string, levels int) (sets []string) {
	if levels == 0 {
		return []string{dir}
	}
	entries, _ := storage.ReadDir(dir) // whoever opens it says what is wrong
	var arrays []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case isFolder(dir, e):
			sets = append(sets, below(storage.Join(dir, name), levels-1)...)
		case hasExt(".npy", ".npz")(name) && name != "labels.npy":
			arrays = append(arrays, storage.Join(dir, name))
		}
	}
	if len(sets) == 0 {
		return arrays
	}
	return sets
}

// writtenBy returns the command that wrote an output, as the manifest in it says; "" where there is none of this module. Of the
// manifest, which can be large, it reads the beginning.
func writtenBy(dir string) string {
	f, err := data.OpenFile(storage.Join(dir, data.ManifestName))
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 1 << 20 // in bytes; the options are near the front
	d := json.NewDecoder(io.LimitReader(f, most))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ""
		}
		var options map[string]string
		if name == "options" {
			if d.Decode(&options) != nil {
				return ""
			}
			return options["command"]
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return ""
		}
	}
	return ""
}
