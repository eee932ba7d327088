package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Mirror is the task of making trees like the one that the samples lie in, one for each variant, or for each of its frames:
// every image under its own name and in its own format, every other file byte for byte. The source's samples are those of Tree.
type Mirror struct {
	Tree     *annotated.Tree
	Dir      string              // trees lie in Dir/VARIANT or Dir/VARIANT/frame-00 and so on
	Variants []transform.Variant // one of no name is Dir itself
	Frames   bool                // a variant is a sequence, and each of its frames a tree
	Quality  int                 // of JPEG files, 1 to 100
	// Transform returns what makes the images, for one worker. They must have the size of those they are made of.
	Transform func() transform.MultiTransform

	Bare bool // the files that are not images are left to another shard
	Link bool // those files are hard links to the ones of the first tree
}

func (t Mirror) open(_ Output, state []byte) (sink, error) {
	s, err := OpenTree(TreeOptions{Dir: t.Dir, Variants: t.Variants}, state)
	if err != nil {
		return nil, err
	}
	return &mirrorSink{treeSink: s.(*treeSink), task: t}, nil
}

func (t Mirror) worker() worker {
	w := &mirrorWorker{transform: t.Transform()}
	w.append = func(dst []byte, m *raster.Image) ([]byte, error) {
		if m.W != w.src.W || m.H != w.src.H {
			return nil, fmt.Errorf("%w: %dx%d made of %dx%d, so that annotations would not fit (allowed: the same)", ErrSize, m.W, m.H, w.src.W, w.src.H)
		}
		return annotated.Append(dst, m, w.sample, t.Quality)
	}
	return w
}

func (t Mirror) images() int { return 0 }

// Layout is the layout of the trees, whose other files it does not count.
func (t Mirror) Layout() Layout {
	return Layout{Size: func(_, images int, bytes int64) (int, int64) { return images, bytes }}
}

// mirrorWorker is the worker of Mirror. It encodes by itself, for the format is the sample's.
type mirrorWorker struct {
	transform transform.MultiTransform
	decoder   data.Decoder
	src       raster.Image
	sample    *data.Sample
	append    encoder
}

func (w *mirrorWorker) make(ctx context.Context, c *cell, key rng.Key, _ encoder) error {
	defer w.decoder.Release(&w.src)
	if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &c.sample, nil, key); err != nil {
		return err
	}
	w.sample = &c.sample
	c.parts.Reset(w.append)
	return w.transform.Apply(&c.parts, &w.src, key)
}

// mirrorSink is a tree of files whose names are those of the input.
type mirrorSink struct {
	*treeSink
	task Mirror
}

func (s *mirrorSink) encoder() encoder { return nil }

func (s *mirrorSink) finished() []data.FileSum { return s.Finished() }

// put writes the images of one sample.
func (s *mirrorSink) put(c *cell) (int, error) {
	parts := c.parts.All()
	name := s.task.Tree.Path(c.sample.Key)
	if err := data.CheckFileName(name); err != nil {
		return 0, reject(c.sample.Key, err)
	}
	if err := s.writeAll(parts, func(c *transform.Part) string {
		dir := s.o.Variants[c.Variant].Dir()
		if s.task.Frames {
			dir = path.Join(dir, fmt.Sprintf("frame-%02d", c.Frame))
		}
		return path.Join(dir, name)
	}); err != nil {
		return 0, err
	}
	s.st.Count++
	if len(s.pending) >= mostPending {
		s.err = s.flush()
	}
	return len(parts), s.err
}

// Close names the last images and lays the other files beside those of every tree.
func (s *mirrorSink) Close() error {
	if s.err == nil {
		s.err = s.flush()
	}
	if s.err != nil || s.task.Bare {
		return s.err
	}
	first := ""
	for _, v := range s.o.Variants {
		var trees []string
		if trees, s.err = s.trees(v); s.err != nil {
			return s.err
		}
		for _, tree := range trees {
			if s.err = errors.Join(s.carry(tree, first), s.flush()); s.err != nil {
				return s.err
			}
			if s.task.Link && first == "" {
				first = tree
			}
		}
	}
	return nil
}

// trees returns the trees of a variant.
func (s *mirrorSink) trees(v transform.Variant) ([]string, error) {
	dir := filepath.Join(s.o.Dir, filepath.FromSlash(v.Dir()))
	if !s.task.Frames {
		return []string{dir}, nil
	}
	entries, err := os.ReadDir(dir)
	var trees []string
	for _, e := range entries {
		trees = append(trees, filepath.Join(dir, e.Name()))
	}
	return trees, ignoreMissing(err) // all samples may have been rejected
}

// carry lays the files that are not images into a tree: links to those of the tree first, or copies where that is "". Files that are
// there are whole: an earlier run that was cut off here left them.
func (s *mirrorSink) carry(tree, first string) error {
	for _, name := range s.task.Tree.Carried() {
		to := filepath.Join(tree, filepath.FromSlash(name))
		if exists(to) {
			continue
		}
		if err := s.mkdir(filepath.Dir(to)); err != nil {
			return err
		}
		if first != "" {
			if err := os.Link(filepath.Join(first, filepath.FromSlash(name)), to); err != nil {
				return fmt.Errorf("cannot link %s (copies need no links): %w", name, err)
			}
		} else if err := s.copy(to, s.task.Tree.File(name)); err != nil {
			return err
		}
	}
	return nil
}

// copy puts a copy of a regular file under the temporary name.
func (s *mirrorSink) copy(name, from string) error {
	in, err := data.OpenFile(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := data.CreateNew(temporary(name))
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	crc := crcWriter(0)
	size, err := io.Copy(io.MultiWriter(out, &crc), in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("cannot copy %s to %s: %w", from, name, err)
	}
	s.pending = append(s.pending, data.FileSum{Path: name, Size: size, CRC: uint32(crc)})
	return nil
}
