package storage

import (
	"io/fs"
	"time"
)

// objectInfo describes an object, or what counts as a folder. Sys returns the ETag.
type objectInfo struct {
	name, tag string
	size      int64
	time      time.Time
	dir       bool
	plain     bool // the tag of so many digits is an MD5: the store did not encrypt the object with a key of somebody's
}

func (i objectInfo) Name() string       { return i.name }
func (i objectInfo) Size() int64        { return i.size }
func (i objectInfo) ModTime() time.Time { return i.time }
func (i objectInfo) IsDir() bool        { return i.dir }
func (i objectInfo) Sys() any           { return i.tag }
func (i objectInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
