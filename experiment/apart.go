package experiment

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
)

// maxArgs bounds an args.yaml that is read, in bytes.
const maxArgs = 1 << 20

// checkArgs returns an error where the folder dir, called name, has an args.yaml that none of the commands has written: that of a data
// set, of a run of another kind or of a person would be replaced.
func checkArgs(dir, name string, commands ...string) error {
	text, err := data.ReadFile(nil, filepath.Join(dir, generate.ArgsName), maxArgs)
	of := generate.ArgsCommand(text)
	if errors.Is(err, fs.ErrNotExist) || err == nil && slices.Contains(commands, of) {
		return nil
	}
	if err != nil {
		return err
	}
	allowed := "another folder"
	if of == "train" { // a run, and none of data, in which a folder would be a class
		allowed += ", such as " + storage.Join(name, "eval")
	}
	return badOption("out", storage.Join(name, generate.ArgsName)+" is not of augmix "+strings.Join(commands, " or ")+", and would be replaced",
		allowed)
}
