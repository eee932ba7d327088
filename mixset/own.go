package mixset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/raster"
)

// ownVersion is raised when the images of a path become other pixels than before.
const ownVersion = 2

// border is the black border of images that have the training size already: 32x32 images of 300K Random Images are
// padded by 4 and cropped to 32 in the published program.
const border = 4

// openOwn opens the images of a path.
func openOwn(ctx context.Context, p parsed, o Options) (*Set, error) {
	s := &Set{spec: p.path, side: Side(o.Size)}
	own := &ownSet{path: p.path, size: o.Size, side: s.side, small: o.Small}
	defer own.close()
	if o.Cache != "" && !o.Small { // what is looked at once
		state, err := fingerprint(p.path)
		if err != nil {
			return nil, err
		}
		abs, err := storage.Abs(p.path)
		if err != nil {
			return nil, err
		}
		if state != "" {
			own.state = state
			id := identity{Kind: "own", Path: abs, State: state, Version: ownVersion, Side: s.side}
			if err := s.throughCache(ctx, o, id, own.open, own.again); err != nil {
				return nil, err
			}
			return s, nil
		}
	}
	n, mk, err := own.open()
	if err != nil {
		return nil, err
	}
	s.img = make([]raster.Image, n)
	err = inOrder(ctx, n, o, mk, func(m *raster.Image, i int) error {
		s.img[i] = *m.Clone()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ownSet reads the images of a data set.
type ownSet struct {
	path       string
	size, side int
	small      bool   // smaller images are taken as they are
	state      string // fingerprint of path, for again

	source  data.Source
	indexed data.Indexed
	samples []data.Sample // of a source that is read from front to end only
	scratch sync.Pool
}

// ownScratch is what one worker keeps from image to image.
type ownScratch struct {
	sample data.Sample
	src    raster.Image
	resize augment.Resizer
}

// open opens the source and returns the number of its images and what makes them.
func (s *ownSet) open() (int, maker, error) {
	src, err := formats.Open(s.path, formats.Options{Unlabeled: true})
	if err != nil {
		return 0, nil, err
	}
	s.source = src
	s.scratch.New = func() any { return new(ownScratch) }
	n := 0
	if ix, ok := src.(data.Indexed); ok {
		s.indexed, n = ix, ix.Len()
	} else if n, err = s.readAll(); err != nil {
		return 0, nil, err
	}
	if n == 0 {
		return 0, nil, fmt.Errorf("%w: %s holds no image (allowed: a folder or data set with at least one)", ErrEmpty,
			s.path)
	}
	if n > MaxCount {
		return 0, nil, fmt.Errorf("%w: %s holds %d images (allowed: at most %d)", ErrSpec, s.path, n, MaxCount)
	}
	return n, s.make, nil
}

// readAll reads a source without random access: encoded images are kept in memory.
func (s *ownSet) readAll() (int, error) {
	for {
		var one data.Sample
		err := s.source.Next(&one)
		if errors.Is(err, io.EOF) {
			return len(s.samples), nil
		}
		if err != nil {
			return 0, err
		}
		s.samples = append(s.samples, one)
		if len(s.samples) > MaxCount {
			return len(s.samples), nil
		}
	}
}

func (s *ownSet) make(dst *raster.Image, i int) error {
	k := s.scratch.Get().(*ownScratch)
	defer s.scratch.Put(k)
	one := &k.sample
	if s.indexed == nil {
		one = &s.samples[i]
	} else if err := s.indexed.Read(i, one); err != nil {
		return err
	}
	if err := one.Decode(&k.src); err != nil {
		return err
	}
	w, h := k.src.W, k.src.H
	switch {
	case one.Form != data.Encoded && w == s.size && h == s.size:
		dst.Reset(w+2*border, h+2*border)
		dst.Fill(raster.RGB{})
		raster.CopyRect(dst, image.Pt(border, border), &k.src, k.src.Bounds())
	case min(w, h) < s.size && s.small:
		dst.CopyFrom(&k.src)
	case min(w, h) < s.size:
		return fmt.Errorf("%w: %s is %dx%d (allowed: both sides at least %d, as training images)",
			ErrSmall, one.Name, w, h, s.size)
	default:
		return resize(&k.resize, dst, &k.src, s.side)
	}
	return nil
}

// again makes image i of a set that is closed, if its files are what they were.
func (s *ownSet) again(dst *raster.Image, i int) error {
	state, err := fingerprint(s.path)
	if err != nil {
		return err
	}
	if state != s.state {
		return fmt.Errorf("%s is not what it was", s.path)
	}
	own := &ownSet{path: s.path, size: s.size, side: s.side}
	defer own.close()
	_, read, err := own.open()
	if err != nil {
		return err
	}
	return read(dst, i)
}

func (s *ownSet) close() {
	if s.source != nil {
		_ = s.source.Close()
	}
}

// resize makes the shorter side of src side pixels by Pillow's antialiased bilinear filter, as torchvision's Resize
// does. The longer side is truncated to a whole number of pixels.
func resize(z *augment.Resizer, dst, src *raster.Image, side int) error {
	w, h := side, side
	if src.W < src.H {
		h = side * src.H / src.W
	} else {
		w = side * src.W / src.H
	}
	if err := raster.CheckSize(w, h); err != nil {
		return err
	}
	if w == src.W && h == src.H {
		dst.CopyFrom(src)
		return nil
	}
	z.Resize(dst, src, w, h, augment.Bilinear)
	return nil
}

// Glance returns a digest by which what lies in the files and folders of the user's that a spec names is told from what lay there at
// another time: that of [data.Glance], to which a copy is the same, or, in an object store, one of the names, sizes and ETags there. Those
// of several are joined by '+'. It is "" where the spec names none.
func Glance(spec string) (string, error) {
	var all []string
	for _, path := range Paths(spec) {
		one, err := glance(path)
		if err != nil {
			return "", err
		}
		all = append(all, one)
	}
	return strings.Join(all, "+"), nil
}

// glance is Glance of one path.
func glance(path string) (string, error) {
	if storage.Remote(path) { // where looking into files takes a request for each
		if sum, err := fingerprintRemote(path); sum != "" || err != nil {
			return sum, err
		}
	}
	src, err := formats.Open(path, formats.Options{Unlabeled: true})
	if err != nil {
		return "", err
	}
	defer src.Close()
	return data.Glance(src)
}

// fingerprint returns a hash of the names, sizes and times of the files at and below path, "" if path is a pattern and
// not a file or folder.
func fingerprint(path string) (string, error) {
	if storage.Remote(path) {
		return fingerprintRemote(path)
	}
	if _, err := os.Stat(path); err != nil {
		return "", nil
	}
	w := stater{sum: sha256.New()}
	if err := w.walk(path, "."); err != nil {
		return "", err
	}
	return hex.EncodeToString(w.sum.Sum(nil)), nil
}

// maxLinks bounds the links to folders that are followed, so that folders which link to each other make no endless tree.
const maxLinks = 100_000

// stater adds up what a file system says of files. Links are followed, as package folder follows them.
type stater struct {
	sum   hash.Hash
	links int
	above []fs.FileInfo // the folders that hold the one at hand
}

// walk adds what lies at and below path, which is called rel below the root.
func (w *stater) walk(path, rel string) error {
	st, err := os.Stat(path)
	if err != nil {
		return nil // a dangling link; reading it is an error later
	}
	fmt.Fprintf(w.sum, "%q %d %d\n", rel, st.Size(), st.ModTime().UnixNano())
	if !st.IsDir() || slices.ContainsFunc(w.above, func(a fs.FileInfo) bool { return os.SameFile(a, st) }) {
		return nil
	}
	w.above = append(w.above, st)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if e.Type()&fs.ModeSymlink != 0 && isFolder(name) {
			if w.links++; w.links > maxLinks {
				return fmt.Errorf("%w: more than %d links to folders below %s", ErrSpec, maxLinks, path)
			}
		}
		if err := w.walk(name, filepath.Join(rel, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func isFolder(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// fingerprintRemote is fingerprint of an object or of what lies below it in a store: names, sizes and ETags.
func fingerprintRemote(path string) (string, error) {
	st, err := storage.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if !st.IsDir() {
		fmt.Fprintf(h, "%d %q\n", st.Size(), st.Sys())
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	for e, err := range storage.List(context.Background(), path) {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d %q\n", e.Name, e.Size, e.Tag)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
