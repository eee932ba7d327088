package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// An output in many files has some of them long before its end, so that a folder of 59 of 300 images looks like a data set. To open one
// is an error and not a note: no run of this module reads its own output, who trains on a fifth of the data finds out when the numbers
// are in, and a note is lost in the log of a cluster. Who wants what there is can have it, without the state. A file by itself is whole
// as soon as it has its name, and is not looked at; nor are folders of others, which have no state.

// levels is how many folders above a data set may be the output that it is a part of: OUT/fog/3.
const levels = 2

// checkFinished returns an error that wraps data.ErrUnfinished where path is a folder of an output that no run has completed. In a store
// the list of the folder, top, says whether there is anything to look at, and it does not look above.
func checkFinished(path string, top []fs.DirEntry) error {
	if storage.Remote(path) {
		if !slices.ContainsFunc(top, func(e fs.DirEntry) bool { return e.Name() == data.StateDir }) {
			return nil
		}
		_, err := finished(storage.Clean(path))
		return err
	}
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		return nil
	}
	dir, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for range levels + 1 {
		if whole, err := finished(dir); whole || err != nil {
			return err
		}
		dir = filepath.Dir(dir)
	}
	return nil
}

// finished reports whether a folder is a complete output. The error wraps data.ErrUnfinished.
func finished(dir string) (whole bool, err error) {
	manifest, state := storage.Join(dir, data.ManifestName), storage.Join(dir, data.StateDir)
	if !storage.Remote(dir) {
		if _, err := os.Stat(manifest); err == nil {
			return true, notMoving(dir, filepath.Join(state, data.MovingName))
		}
	}
	entries, err := storage.ReadDir(state)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return false, nil // opening the data set says what is wrong with it
	case errors.Is(err, storage.ErrStore):
		// After all the tries, which opening the data set would make again.
		return false, fmt.Errorf("cannot tell whether the output %s is complete: %w", dir, err)
	case err != nil:
		return false, nil
	}
	at := slices.IndexFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == data.JournalName || e.Name() == data.ClaimName || strings.HasPrefix(e.Name(), data.ShardPrefix)
	})
	if at < 0 {
		return false, nil
	}
	if _, err := storage.Stat(manifest); !errors.Is(err, fs.ErrNotExist) {
		return err == nil, err // complete, and what is left in the state has nothing to say
	}
	return false, fmt.Errorf("%w: %s has no %s, for %s has not come to its end (that command, given again, finishes it; without %s what "+
		"is there is read as it is)", data.ErrUnfinished, dir, data.ManifestName, begunBy(storage.Join(state, entries[at].Name())), state)
}

// notMoving returns an error where a complete output lacks files of parts that it is about to get.
func notMoving(dir, mark string) error {
	if _, err := os.Lstat(mark); err != nil {
		return nil
	}
	return fmt.Errorf("%w: %s gets new parts, and not all of their files lie there yet (the command that made them, given again, finishes it, "+
		"as augmix verify does)", data.ErrUnfinished, dir)
}

// mostState is the largest journal or claim that is read, in bytes.
const mostState = 64 << 20

// begunBy says which command has begun an output, as far as its journal or claim says.
func begunBy(name string) string {
	type option struct{ Name, Value string }
	var state struct {
		Options []option
		Journal struct{ Options []option }
	}
	const unknown = "the run that writes it"
	if strings.HasPrefix(filepath.Base(name), data.ShardPrefix) {
		return unknown
	}
	text, err := storage.ReadFile(name, mostState)
	if err != nil || json.Unmarshal(text, &state) != nil {
		return unknown
	}
	said := map[string]string{}
	for _, o := range slices.Concat(state.Options, state.Journal.Options) {
		said[o.Name] = o.Value
	}
	if said["command"] == "" {
		return unknown
	}
	return strings.TrimSpace(fmt.Sprintf("augmix %s %s", said["command"], said["in"]))
}
