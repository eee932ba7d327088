// Package wds reads and writes data sets in the WebDataset form: tar files ("shards") in which the files of one sample
// follow each other and share a name up to the first dot of the base name.
//
//	part0/0001.jpg  part0/0001.cls  part0/0002.jpg  part0/0002.json ...
//
// That common name is the sample's key, the rest, in lower case, the entry's kind. The image is the entry of kind
// jpg, jpeg, png, webp, bmp, gif, tif or tiff, the first in this order where there are several. The label is the
// decimal number in the entry of kind cls; without one, the integer under "label" in the entry of kind json;
// without both, there is none. A sample without such an image may hold several views of one: entries of the kinds v0.jpg,
// v1.jpg and so on, up to v63, of any of those formats. They are read as samples with the keys KEY-v0, KEY-v1 and so on,
// which share the label. Class names are read from a file classes.txt beside the shards, one a line. Other
// entries are skipped, and so are directories, names without a dot or with one in front, and names whose first element
// is like __this__.
//
// Shards are plain tar files or compressed by gzip, detected by their first bytes. Plain ones on disk are indexed by
// one pass over their headers and then read at random; compressed ones, pipes and standard input are read from front to
// end.
//
// Shards are untrusted: an entry with an absolute name or a ".." in it, a link or a device is an error of the whole data set
// with [data.ErrUnsafe], though nothing here writes to where an entry points. A shard that ends early is an error, even
// where it ends between two entries.
package wds

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Name is the name of the format in the table.
const Name = "wds"

// classesFile is the list of classes beside the shards.
const classesFile = "classes.txt"

// maxClassesFile limits the size of that list.
const maxClassesFile = 16 << 20

// Options are the choices of Open; the zero value is the default.
type Options struct {
	// ShardKeys puts the shard's name without its extension in front of every key, for data sets that use the same
	// names in all shards. An indexed data set with keys that are not distinct is rejected without it.
	ShardKeys bool
	// Stream reads from front to end even where an index could be made, and so begins at once.
	Stream bool
}

// Open opens a data set. path is one shard, a folder of shards (those named *.tar, *.tar.gz or *.tgz, in the order of
// their names), a pattern such as "data-{000000..000146}.tar", several of these joined by "::", or "-" for one shard on
// standard input. The source is a [*Set] if all shards are plain files and o.Stream is not set, otherwise a [*Stream].
//
// Errors wrap [data.ErrFormat], [data.ErrUnsafe], [data.ErrUnsupported] or a file-system error and name the shard, and
// the entry where there is one.
func Open(path string, o Options) (data.Source, error) {
	if path == "-" {
		return NewStream(os.Stdin, "standard input", o), nil
	}
	shards, err := Shards(path)
	if err != nil {
		return nil, err
	}
	plain, err := allPlain(shards, path)
	if err != nil {
		return nil, err
	}
	classes, err := readClasses(storage.Dir(shards[0]))
	if err != nil {
		return nil, err
	}
	if plain && !o.Stream {
		return openSet(shards, classes, o)
	}
	return openStream(shards, classes, o), nil
}

// allPlain reports whether all shards are regular files that are not compressed. A pipe may only be the one shard that path
// names, and is not opened here: what is read from it is gone.
func allPlain(shards []string, path string) (bool, error) {
	plain := true
	for _, s := range shards {
		st, err := storage.Stat(s)
		if err != nil {
			return false, fmt.Errorf("cannot open the shard: %w", err)
		}
		if st.IsDir() {
			return false, fmt.Errorf("%w: %s is a folder, not a shard", data.ErrFormat, s)
		}
		if !st.Mode().IsRegular() {
			if s != path {
				return false, fmt.Errorf("%w: the shard %s is not a regular file", data.ErrFormat, s)
			}
			plain = false
			continue
		}
		gz, err := isGzip(s)
		if err != nil {
			return false, err
		}
		plain = plain && !gz
	}
	return plain, nil
}

func isGzip(name string) (bool, error) {
	f, err := data.OpenFile(name)
	if err != nil {
		return false, fmt.Errorf("cannot open the shard: %w", err)
	}
	defer f.Close()
	var b [2]byte
	if _, err := io.ReadFull(f, b[:]); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, fmt.Errorf("cannot read the shard: %w", err)
	}
	return b == [2]byte{0x1f, 0x8b}, nil
}

// readClasses reads the class names in a folder, nil if there are none.
func readClasses(dir string) ([]string, error) {
	name := storage.Join(dir, classesFile)
	text, err := data.ReadFile(nil, name, maxClassesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the class names: %w", err)
	}
	classes := data.DecodeLines(text)
	if len(classes) == 0 {
		return nil, fmt.Errorf("%w: %s is empty", data.ErrFormat, name)
	}
	return classes, nil
}
