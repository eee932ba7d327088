package wds

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// maxShards limits the names that a pattern stands for.
const maxShards = 1 << 20

// Shards returns the files that a path stands for, in order; see [Open] for the forms. {000000..000146} stands for the
// integers from the first to the second, padded to the width of the first; {train,val} for each of the words. A
// pattern may hold several of them, of which the last changes fastest. A name that exists as it is is not a pattern.
// Files are not opened and need not exist.
func Shards(path string) ([]string, error) {
	var all []string
	for spec := range strings.SplitSeq(path, "::") {
		st, err := storage.Stat(spec)
		var names []string
		switch {
		case err == nil && st.IsDir():
			names, err = inFolder(spec)
		case err == nil || !strings.Contains(spec, "{"):
			names, err = []string{spec}, nil
		default:
			names, err = expand(spec)
		}
		if err != nil {
			return nil, err
		}
		if len(all)+len(names) > maxShards {
			return nil, tooMany(path)
		}
		all = append(all, names...)
	}
	return all, nil
}

func tooMany(path string) error {
	return fmt.Errorf("%w: %.200q stands for more than %d shards", data.ErrUnsupported, path, maxShards)
}

// inFolder returns the shards of a folder.
func inFolder(dir string) ([]string, error) {
	entries, err := storage.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot list the folder of shards: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && shardStem(name) != name {
			names = append(names, storage.Join(dir, name))
		}
	}
	if names == nil {
		return nil, fmt.Errorf("%w: %s holds no shards (wanted: *.tar, *.tar.gz, *.tgz)", data.ErrFormat, dir)
	}
	return names, nil
}

// shardStem returns a shard's base name without the extension of one, or the base name if it has none.
func shardStem(path string) string {
	base := filepath.Base(path)
	for _, ext := range []string{".tar", ".tar.gz", ".tgz"} {
		if stem, ok := strings.CutSuffix(base, ext); ok && stem != "" {
			return stem
		}
	}
	return base
}

// expand returns the names that a pattern stands for.
func expand(spec string) ([]string, error) {
	names := []string{""}
	rest := spec
	for rest != "" {
		lit, braced, found := strings.Cut(rest, "{")
		var words []string
		if rest = ""; found {
			var inner string
			if inner, rest, found = strings.Cut(braced, "}"); !found || strings.Contains(inner, "{") {
				return nil, fmt.Errorf("%w: shard pattern %.200q has unpaired or nested braces", data.ErrUnsupported, spec)
			}
			var err error
			if words, err = alternatives(inner, spec); err != nil {
				return nil, err
			}
		} else {
			words = []string{""}
		}
		if len(names)*len(words) > maxShards {
			return nil, tooMany(spec)
		}
		longer := make([]string, 0, len(names)*len(words))
		for _, n := range names {
			for _, w := range words {
				longer = append(longer, n+lit+w)
			}
		}
		names = longer
	}
	return names, nil
}

// alternatives returns what the inside of a pair of braces stands for.
func alternatives(inner, spec string) ([]string, error) {
	first, last, isRange := strings.Cut(inner, "..")
	if !isRange {
		return strings.Split(inner, ","), nil
	}
	lo, err1 := strconv.ParseUint(first, 10, 32)
	hi, err2 := strconv.ParseUint(last, 10, 32)
	if err1 != nil || err2 != nil || lo > hi {
		return nil, fmt.Errorf("%w: shard pattern %.200q has the range {%.50s} (allowed: {FIRST..LAST}, integers)",
			data.ErrUnsupported, spec, inner)
	}
	if hi-lo >= maxShards {
		return nil, tooMany(spec)
	}
	words := make([]string, 0, hi-lo+1)
	for n := lo; n <= hi; n++ {
		words = append(words, fmt.Sprintf("%0*d", len(first), n))
	}
	return words, nil
}
