package storage

import (
	"io/fs"
	"path"
	"time"
)

// ObjectInfo describes an object, or what counts as a folder: an [fs.FileInfo] whose Sys is the ETag.
type ObjectInfo struct {
	Object Entry
	Folder bool
}

// Name returns the last element of the object's name.
func (i ObjectInfo) Name() string { return path.Base(i.Object.Name) }

// Size returns the object's bytes.
func (i ObjectInfo) Size() int64 { return i.Object.Size }

// ModTime returns when the object was written.
func (i ObjectInfo) ModTime() time.Time { return i.Object.Time }

// IsDir reports whether it is a folder.
func (i ObjectInfo) IsDir() bool { return i.Folder }

// Sys returns the ETag, a string.
func (i ObjectInfo) Sys() any { return i.Object.Tag }

// Mode is that of a file or folder that all may read and write.
func (i ObjectInfo) Mode() fs.FileMode {
	if i.Folder {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
