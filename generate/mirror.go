package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	Quality  int                 // of JPEG files, 1 to 100; 0 means data.DefaultQuality
	// Transform returns what makes the images, for one worker. They must have the size of those they are made of, and show everything in
	// its place, or in that which Warp says. A [transform.Pipeline] that flips, or has operations or a Mix that move pixels, is an error;
	// of corruptions and perturbations, transform.Moving names those that move some from under the annotations.
	Transform func() transform.MultiTransform

	// Warp, if not nil, is the map of the image of that key and size that Transform applies to it. Then Annotations, which are Tree's, are
	// rewritten with the images, by Options: there is one variant, without frames. Files about images that are left out are left out, and
	// lines of lists that name them.
	Warp        func(key string, w, h int) annotated.Warp
	Annotations *annotated.Annotations
	Options     annotated.WarpOptions

	Bare bool // the files that are not images are left to another shard
	Link bool // those files are hard links to the ones of the first tree

	bench *Benchmark // that it is of, nil for none
}

// PipelineWarp returns the map that images of p with a Shared geometry are moved by, for Mirror.Warp; it moves nothing where Shared is
// 0. seed must be the job's Seed, by which the images are moved.
func PipelineWarp(p *transform.Pipeline, seed uint64) func(key string, w, h int) annotated.Warp {
	return func(key string, w, h int) annotated.Warp {
		m := p.Affine(seed, key, w, h)
		return annotated.NewWarp([6]float64{m.A, m.B, m.C, m.D, m.E, m.F}, w, h)
	}
}

func (t Mirror) open(_ Output, state []byte) (sink, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	s, err := OpenTree(TreeOptions{Dir: t.Dir, Variants: t.Variants}, state)
	if err != nil {
		return nil, err
	}
	return &mirrorSink{treeSink: s.(*treeSink), task: t}, nil
}

// check looks, before any work, for files that could not be carried at its end, and for annotations that would all be left out.
func (t Mirror) check() error {
	if t.Annotations != nil {
		if err := t.Annotations.Lost(); err != nil {
			return err
		}
	}
	if t.Bare {
		return nil
	}
	root := slices.ContainsFunc(t.Variants, func(v transform.Variant) bool { return v.Dir() == "" })
	for _, name := range t.Tree.Carried() {
		if root && (name == ManifestName || name == ArgsName) {
			return fmt.Errorf("%w: %s, which would be a record of the output (allowed: another name)", ErrOption, t.Tree.File(name))
		}
		if st, err := os.Stat(t.Tree.File(name)); err != nil || !st.Mode().IsRegular() {
			return fmt.Errorf("%w: %s cannot be carried: it is no file, or a link to none", ErrOption, t.Tree.File(name))
		}
	}
	return nil
}

// checkOptions returns an error where the images would not be written, or would not fit their annotations.
func (t Mirror) checkOptions() error {
	if err := (data.Encoding{JPEG: true, Quality: t.Quality}).Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrOption, err)
	}
	if t.bench != nil {
		return t.bench.check()
	}
	if t.Tree == nil {
		return fmt.Errorf("%w: Tree of the task is nil (allowed: one of annotated.Open)", ErrOption)
	}
	if err := checkFuncs(false, t.Transform == nil); err != nil {
		return err
	}
	p, ok := t.plan().(*transform.Pipeline)
	if !ok {
		return nil
	}
	if moving := p.Moving(); len(moving) > 0 {
		return fmt.Errorf("%w: annotated images with what moves pixels from under boxes and masks, or mixes them: %s (allowed: what moves "+
			"nothing, and Shared)", ErrOption, strings.Join(moving, ", "))
	}
	switch {
	case p.Views > 1:
		return fmt.Errorf("%w: annotated images in %d views (allowed: 1)", ErrOption, p.Views)
	case p.Shared > 0 && t.Warp == nil:
		return fmt.Errorf("%w: annotated images with Shared %v and without Warp, so that annotations would stay (allowed: with that of "+
			"PipelineWarp)", ErrOption, p.Shared)
	}
	return nil
}

func (t Mirror) worker() worker {
	w := &mirrorWorker{task: t, transform: t.Transform()}
	w.append = func(dst []byte, m *raster.Image) ([]byte, error) {
		if m.W != w.src.W || m.H != w.src.H {
			return nil, fmt.Errorf("%w: %dx%d made of %dx%d, so that annotations would not fit (allowed: the same)", ErrSize, m.W, m.H, w.src.W, w.src.H)
		}
		return annotated.Append(dst, m, w.sample, cmp.Or(t.Quality, data.DefaultQuality))
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
	task      Mirror
	transform transform.MultiTransform
	decoder   data.Decoder
	src, gray raster.Image
	alpha     alpha
	sample    *data.Sample
	append    encoder
}

func (w *mirrorWorker) make(ctx context.Context, c *cell, key rng.Key, _ encoder) error {
	defer w.decoder.Release(&w.src)
	if err := w.alpha.read(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	if err := transform.DecodeBy(ctx, &w.decoder, &w.src, &c.sample, w.transform, key); err != nil {
		return err
	}
	w.sample = &c.sample
	c.parts.Reset(inGray(w.alpha.with(w.append), w.sample, &w.gray))
	if err := transform.SetKey(w.transform, c.sample.Key); err != nil {
		return err
	}
	if err := w.transform.Apply(&c.parts, &w.src, key); err != nil || w.task.Warp == nil {
		return err
	}
	g := w.task.Warp(c.sample.Key, w.src.W, w.src.H)
	files, err := w.task.Annotations.Warped(w.task.Tree.Path(c.sample.Key), c.sample.Data, g, w.task.Options)
	for i, f := range files {
		c.parts.AddFile(0, 1+i, 0, 0, f.Data)
	}
	return err
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
	if s.task.Warp != nil {
		return s.putWarped(name, parts)
	}
	if err := s.writeAll(parts, func(i int) string {
		dir := s.o.Variants[parts[i].Variant].Dir()
		if s.task.Frames {
			dir = path.Join(dir, fmt.Sprintf("frame-%02d", parts[i].Frame))
		}
		return path.Join(dir, name)
	}); err != nil {
		return 0, err
	}
	return len(parts), s.counted()
}

// putWarped writes the image of that path, which is the first part, and the files about it.
func (s *mirrorSink) putWarped(image string, parts []transform.Part) (int, error) {
	names := append([]string{image}, s.task.Annotations.Files(image)...)
	if err := s.writeAll(parts, func(i int) string { return path.Join(s.o.Variants[0].Dir(), names[i]) }); err != nil {
		return 0, err
	}
	return 1, s.counted()
}

// counted counts a sample.
func (s *mirrorSink) counted() error {
	s.st.Count++
	if len(s.pending) >= mostPending {
		s.err = s.flush()
	}
	return s.err
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
	rewritten := s.task.rewritten()
	for _, name := range s.task.Tree.Carried() {
		if rewritten.about[name] {
			continue
		}
		to := filepath.Join(tree, filepath.FromSlash(name))
		if exists(to) {
			continue
		}
		if err := s.mkdir(filepath.Dir(to)); err != nil {
			return err
		}
		if rewritten.shared[name] {
			if err := s.warpShared(tree, name); err != nil {
				return err
			}
		} else if rewritten.lists[name] {
			if err := s.writeList(tree, name); err != nil {
				return err
			}
		} else if first != "" {
			if err := os.Link(filepath.Join(first, filepath.FromSlash(name)), to); err != nil {
				return fmt.Errorf("cannot link %s (copies need no links): %w", name, err)
			}
		} else if err := s.copy(to, s.task.Tree.File(name)); err != nil {
			return err
		}
	}
	return nil
}

// writeList rewrites a list of images, of those that are in the tree.
func (s *mirrorSink) writeList(tree, name string) error {
	return s.stream(filepath.Join(tree, filepath.FromSlash(name)), func(w io.Writer) error {
		return s.task.Annotations.WriteList(w, name, func(image string) bool {
			return exists(filepath.Join(tree, filepath.FromSlash(image)))
		})
	})
}

// warpShared rewrites a file of annotations of many images, of those that are in the tree.
func (s *mirrorSink) warpShared(tree, name string) error {
	return s.stream(filepath.Join(tree, filepath.FromSlash(name)), func(w io.Writer) error {
		return s.task.Annotations.WarpShared(w, name, s.task.Options, func(image string, width, height int) (annotated.Warp, bool) {
			if !exists(filepath.Join(tree, filepath.FromSlash(image))) {
				return annotated.Warp{}, false
			}
			return s.task.Warp(s.task.Tree.Key(image), width, height), true
		})
	})
}

// copy puts a copy of a regular file under the temporary name.
func (s *mirrorSink) copy(name, from string) error {
	in, err := data.OpenFile(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return s.stream(name, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// stream puts what make writes under the temporary name.
func (s *mirrorSink) stream(name string, make func(w io.Writer) error) error {
	out, err := data.CreateNew(temporary(name))
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	crc := crcWriter(0)
	err = make(io.MultiWriter(out, &crc))
	st, err2 := out.Stat()
	if err := errors.Join(err, err2, out.Close()); err != nil {
		return fmt.Errorf("cannot make %s: %w", name, err)
	}
	s.pending = append(s.pending, data.FileSum{Path: name, Size: st.Size(), CRC: uint32(crc)})
	return nil
}
