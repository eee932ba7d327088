package generate

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/internal/parallel"
)

// What lies beside the images of an annotated tree is no sample. Whether it is what a complete output was made with is said by the
// hashes of the files that the output holds as they are, and for those that were rewritten by Manifest.Annotations.

// carriedChange says which of the files beside the images is not what the complete output of m was made with, "" where all are.
func (t Mirror) carriedChange(ctx context.Context, m *Manifest, workers int) (string, error) {
	was, known := t.carriedThen(m)
	if !known {
		return "", nil
	}
	names := t.Tree.Carried()
	if m.Annotations == nil { // none, or those of an output of an earlier version
		rewritten := t.rewritten()
		names = slices.DeleteFunc(names, rewritten.has)
		maps.DeleteFunc(was, func(name string, _ File) bool { return rewritten.has(name) })
	}
	files, err := t.hashInput(ctx, names, workers)
	if err != nil {
		return "", err
	}
	now := byPath(files)
	all := maps.Clone(was)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		before, was := was[name]
		after, is := now[name]
		switch {
		case !was:
			return name + ": was not there", nil
		case !is:
			return name + ": is not there any more", nil
		case before != after:
			return name + ": other bytes", nil
		}
	}
	return "", nil
}

// carriedThen returns what lay beside the images when the complete output of m was made. It is not known of an output without trees,
// all of whose images were rejected.
func (t Mirror) carriedThen(m *Manifest) (was map[string]File, known bool) {
	dir := t.Variants[0].Dir()
	if len(m.Parts) > 0 { // the job's first one may be new
		dir = m.Parts[0]
	}
	if t.Frames {
		dir = path.Join(dir, "frame-00")
	}
	if dir != "" {
		dir += "/"
	}
	was = map[string]File{}
	for _, f := range m.Files {
		name, ok := strings.CutPrefix(f.Path, dir)
		if !ok {
			continue
		}
		known = true
		if _, image := slices.BinarySearch(t.Tree.Images, name); !image {
			f.Path = name
			was[name] = f
		}
	}
	maps.Copy(was, byPath(m.Annotations))
	return was, known
}

// annotations returns the files of the input that are rewritten with the images, nil where there are none.
func (t Mirror) annotations(ctx context.Context, workers int) ([]File, error) {
	rewritten := t.rewritten()
	names := slices.DeleteFunc(t.Tree.Carried(), func(name string) bool { return !rewritten.has(name) })
	if len(names) == 0 {
		return nil, nil
	}
	return t.hashInput(ctx, names, workers)
}

// rewritten are the files that are not laid into an output as they are: those about one image, which are written with it, those about
// many, and lists of images.
type rewritten struct{ about, shared, lists map[string]bool }

func (r *rewritten) has(name string) bool { return r.about[name] || r.shared[name] || r.lists[name] }

// rewritten returns those files, none where images do not move.
func (t Mirror) rewritten() *rewritten {
	if t.Warp == nil {
		return new(rewritten)
	}
	return &rewritten{set(t.Annotations.About()), set(t.Annotations.Shared()), set(t.Annotations.Lists())}
}

// set is a set of names.
func set(names []string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// hashInput returns the sizes and hashes of files of the input.
func (t Mirror) hashInput(ctx context.Context, names []string, workers int) ([]File, error) {
	files := make([]File, len(names))
	err := parallel.Try(len(names), max(workers, 1), func(_, i int) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sum, size, err := digest.File(t.Tree.File(names[i]))
		files[i] = File{Path: names[i], Size: size, SHA256: sum.String()}
		return err
	})
	return files, err
}

// byPath indexes files.
func byPath(files []File) map[string]File {
	index := make(map[string]File, len(files))
	for _, f := range files {
		index[f.Path] = f
	}
	return index
}
