package folder

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
)

// others are the files that are no images by their names.
type others struct {
	n   int
	tar string // one of the tar files among them, in the root if there is one, "" for none
}

// add counts a file, a slash-separated path below the root.
func (o *others) add(name string) {
	o.n++
	isTar := slices.ContainsFunc([]string{".tar", ".tar.gz", ".tgz"}, func(ext string) bool { return strings.HasSuffix(name, ext) })
	if isTar && (o.tar == "" || strings.Contains(o.tar, "/") && !strings.Contains(name, "/")) {
		o.tar = name
	}
}

// howRead says how tar files among them, which may well be the data, are read: they are detected only in a folder of nothing else.
func (o *others) howRead(root string) string {
	if o.tar == "" {
		return ""
	}
	dir, name := path.Split(path.Clean(o.tar))
	if dir == "" {
		return fmt.Sprintf("; its tar files, such as %s, are read as format wds", name)
	}
	in := storage.Join(root, dir)
	return fmt.Sprintf("; there are tar files, such as %s: name the folder that they lie in, %s, or several as %s", o.tar, in,
		storage.Join(in, "{000..146}.tar"))
}
