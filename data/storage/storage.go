// Package storage reads and writes files of the disk and objects of an S3 store by one interface, [Store]. [For] picks the
// store by the name: s3://BUCKET/KEY is an object, anything else a path of this machine. [Open], [Stat], [ReadDir] and [Join]
// are those of package os for either.
//
// Objects have no folders. What ends at a slash of some key counts as one, as far as names are concerned.
//
// The S3 store is package data/storage/s3, which a program has where it imports that package or one of those that open whatever a
// user names, such as data/formats, generate, predictions and results. It is as large as the rest of the module, so that a
// program that only reads files does without.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Scheme begins the names of objects.
const Scheme = "s3://"

// Errors. What concerns one name also wraps [fs.ErrNotExist], [fs.ErrExist] or [fs.ErrPermission] where one of these is meant.
var (
	// ErrName: a name that no object can have.
	ErrName = errors.New("bad name of an object")
	// ErrChanged: an object that was replaced between two reads of it.
	ErrChanged = errors.New("replaced while it was read")
	// ErrStore: the store failed, or cannot be reached, after every retry.
	ErrStore = errors.New("the object store failed")
)

// Failed reports whether an error is the store's, and says nothing of the file that was asked for.
func Failed(err error) bool { return errors.Is(err, ErrStore) || errors.Is(err, ErrChanged) }

// Store holds files by name. It is safe for concurrent use.
type Store interface {
	// Open opens a file for reading, in order and at any place. It stays the file that was opened: where it is replaced, reading
	// gives the old bytes or ErrChanged.
	Open(name string) (File, error)
	// Stat describes a file or a folder. The error of what is not there wraps fs.ErrNotExist.
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a folder, sorted by name. Names that end with TempSuffix are listed too.
	ReadDir(name string) ([]fs.DirEntry, error)
	// List yields every finished file below a folder at any depth, in an order of its own; a folder that is not there is
	// empty. It does not hold them in memory. An error is the last it yields.
	List(ctx context.Context, folder string) iter.Seq2[Entry, error]
	// Create begins a file, with the folders it needs, that appears whole when Commit returns nil, and not before.
	Create(ctx context.Context, name string, o CreateOptions) (Writer, error)
	// Remove removes a file. It is no error where there is none.
	Remove(ctx context.Context, name string) error
}

// File is an open file. ReadAt may be called from several goroutines at once.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// Writer is a file being written. After an error of Write or Commit nothing has appeared, but for a store that took the file
// and whose answer was lost. Abort drops it, and does nothing after Commit.
type Writer interface {
	io.Writer
	Commit() error
	Abort()
}

// CreateOptions are the choices of Create; the zero value replaces what has the name.
type CreateOptions struct {
	// Absent makes Commit fail, with an error that wraps fs.ErrExist, where the name is taken. Of several who write a name so at
	// once, one succeeds.
	Absent bool
	// SHA256 is the hash of what will be written, in hexadecimal, "" where it is not known. An object keeps it, see [Entry], and
	// Commit fails where what was written has another.
	SHA256 string
	// Size is how many bytes will be written, 0 where it is not known: up to 78 GiB then.
	Size int64
}

// Entry is a file that was listed.
type Entry struct {
	Name string // whole, as Open takes it
	Size int64  // bytes
	Time time.Time
	Tag  string // the ETag of an object
}

// Remote reports whether name is that of an object.
func Remote(name string) bool { return strings.HasPrefix(name, Scheme) }

// URL returns the scheme of a name that looks like a URL, in small letters, "" of any other: s3 of s3://bucket/key. "./s3://x" is a
// path.
func URL(name string) string {
	scheme, _, ok := strings.Cut(name, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme == "" || strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") != "" {
		return ""
	}
	return scheme
}

// ErrLocal: a URL where only files of this machine are written.
var ErrLocal = errors.New("not written to stores")

// CheckLocal returns an error that wraps ErrLocal for a name that looks like a URL: what writes files of this machine would make a
// folder called s3: of it.
func CheckLocal(name string) error {
	if URL(name) == "" {
		return nil
	}
	return fmt.Errorf("%s: %w (allowed: a path of this machine; package generate writes data sets to stores)", name, ErrLocal)
}

// Clean is [filepath.Clean] of a path; of an object's name it only removes slashes at the end, for a key may be anything.
func Clean(name string) string {
	if Remote(name) {
		return Scheme + strings.TrimRight(name[len(Scheme):], "/")
	}
	return filepath.Clean(name)
}

// Join is [filepath.Join], or joins names to that of an object or folder in a store.
func Join(name string, elem ...string) string {
	if Remote(name) {
		return Scheme + path.Join(append([]string{name[len(Scheme):]}, elem...)...)
	}
	return filepath.Join(append([]string{name}, elem...)...)
}

// Abs is [filepath.Abs]; the name of an object is whole.
func Abs(name string) (string, error) {
	if Remote(name) {
		return Clean(name), nil
	}
	return filepath.Abs(name)
}

// Dir is [filepath.Dir], or the name without its last element. A bucket's is the bucket.
func Dir(name string) string {
	if !Remote(name) {
		return filepath.Dir(name)
	}
	name = Clean(name)
	if i := strings.LastIndexByte(name[len(Scheme):], '/'); i >= 0 {
		return name[:len(Scheme)+i]
	}
	return name
}

// For returns the store that name is in.
func For(name string) (Store, error) {
	if !Remote(name) {
		return Disk{}, nil
	}
	if objects == nil {
		return nil, fmt.Errorf("%s: %w", name, noStoreError{})
	}
	s, err := objects()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// noStoreError is the ErrStore of a program without one.
type noStoreError struct{}

func (noStoreError) Error() string {
	return "this program has no object store (import github.com/augmix-go/augmix/data/storage/s3)"
}

// Is makes it ErrStore.
func (noStoreError) Is(target error) bool { return target == ErrStore }

// objects returns the store of all objects; nil: there is none.
var objects func() (Store, error)

// Register makes For find objects in the store that open returns, which is called each time. Package data/storage/s3 does so when
// a program begins.
func Register(open func() (Store, error)) { objects = open }

// Open opens a file by its name, wherever it is.
func Open(name string) (File, error) {
	s, err := For(name)
	if err != nil {
		return nil, err
	}
	return s.Open(name)
}

// Stat describes a file or folder by its name, wherever it is.
func Stat(name string) (fs.FileInfo, error) {
	s, err := For(name)
	if err != nil {
		return nil, err
	}
	return s.Stat(name)
}

// ReadDir lists a folder by its name, wherever it is.
func ReadDir(name string) ([]fs.DirEntry, error) {
	s, err := For(name)
	if err != nil {
		return nil, err
	}
	return s.ReadDir(name)
}

// List lists a folder's files at any depth, wherever it is.
func List(ctx context.Context, folder string) iter.Seq2[Entry, error] {
	s, err := For(folder)
	if err != nil {
		return func(yield func(Entry, error) bool) { yield(Entry{}, err) }
	}
	return s.List(ctx, folder)
}

// statAlone is up to how many files StatAll asks for one by one.
const statAlone = 64

// StatAll calls visit for each name with what Stat would give. Many objects of one folder are listed in its place, a request
// for a thousand.
func StatAll(ctx context.Context, folder string, names []string, visit func(i int, st fs.FileInfo, err error) error) error {
	found := map[string]Entry{}
	if Remote(folder) && folder != Scheme && len(names) > statAlone {
		wanted := make(map[string]struct{}, len(names))
		for _, name := range names {
			wanted[name] = struct{}{}
		}
		for e, err := range List(ctx, folder) {
			if err != nil {
				return err
			}
			if _, ok := wanted[e.Name]; ok {
				found[e.Name] = e
			}
		}
	}
	for i, name := range names {
		var st fs.FileInfo
		var err error
		if e, ok := found[name]; ok {
			st = ObjectInfo{Object: e}
		} else {
			st, err = Stat(name)
		}
		if err := visit(i, st, err); err != nil {
			return err
		}
	}
	return nil
}

// listedAlone is up to how many objects MayBe lists: fewer than come with one request.
const listedAlone = 999

// MayBe returns those of the names, all of one folder, that may be there. In a store, where asking for a name that is not there takes two
// requests, one list says it for a folder of few objects; otherwise it returns all of them, and so it does on this machine. The error is
// that of a store that failed.
func MayBe(names []string) ([]string, error) {
	if len(names) == 0 || !Remote(names[0]) {
		return names, nil
	}
	found := map[string]bool{}
	for e, err := range List(context.Background(), Dir(names[0])) {
		switch {
		case Failed(err):
			return nil, err
		case err != nil, len(found) == listedAlone:
			return names, nil
		}
		found[e.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !found[name] }), nil
}

// Usable reports whether a key's elements can be names of files: a key may hold "..", or two slashes in a row.
func Usable(rel string) bool {
	return !slices.ContainsFunc(strings.Split(rel, "/"), func(e string) bool { return e == "" || e == "." || e == ".." })
}
