package generate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// A complete output whose parts lie in files of their own, such as the corruptions and severities of ImageNet-C's tree, can
// get more of them. The new parts are made as an output by itself in the state directory, with a journal and a manifest like
// any other. When they are complete a mark is set, their files are moved to where they belong, and the manifest is replaced:
// until then the old one holds, and the output is not read. Whoever finds the mark finishes the move.

const (
	moreDir   = "more"          // the new parts, below the state directory
	movedName = data.MovingName // the mark
)

func (p Output) more() Output { return Output{Path: storage.Join(p.state(), moreDir)} }

func (p Output) moving() bool { return exists(storage.Join(p.state(), movedName)) }

// Parts returns the parts that the complete output at p was made of, nil where there is none or where it has no parts.
func Parts(p Output) ([]string, error) {
	if p.moving() {
		if _, err := finishMove(p); err != nil {
			return nil, err
		}
	}
	m, err := ReadManifest(p)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return m.Parts, nil
}

// lacking returns the job's parts that the output of manifest m does not hold.
func (j *Job) lacking(m *Manifest) []string {
	return slices.DeleteFunc(slices.Clone(j.Parts), func(part string) bool { return slices.Contains(m.Parts, part) })
}

// differences lists the options in which the job differs from a complete output, and those of their basis, but for those that say which parts
// there are. Options of SomeParts that only new parts have are none.
func (j *Job) differences(m *Manifest) []Difference {
	was, now := m.options(), j.Options
	if m.Parts != nil && j.Parts != nil {
		about := func(o Option) bool { return slices.Contains(j.PartOptions, o.Name) }
		was, now = slices.DeleteFunc(was, about), slices.DeleteFunc(slices.Clone(now), about)
		if len(j.lacking(m)) > 0 {
			now = slices.DeleteFunc(now, func(o Option) bool {
				_, set := m.Options[o.Name]
				return !set && slices.Contains(j.SomeParts, o.Name)
			})
		}
	}
	return m.basis().changes(diff(was, now), j.basis())
}

// extensible returns the manifest of a complete output that lacks parts of the job, nil where there is no such thing.
func (r *run) extensible() (*Manifest, error) {
	if r.Parts == nil || r.PartTask == nil || r.Force || r.Out.stream() || r.Out.File {
		return nil, nil
	}
	m, err := ReadManifest(r.Out)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil || m.Parts == nil || len(r.lacking(m)) == 0 {
		return nil, err
	}
	return m, nil
}

// extend makes the parts that the complete output lacks.
func (r *run) extend(ctx context.Context) (Result, error) {
	lock, err := r.Out.lock()
	if err != nil {
		return Result{}, err
	}
	defer lock.Close()
	m, err := r.extensible()
	if err != nil {
		return Result{}, err
	}
	if m == nil {
		return Result{}, fmt.Errorf("%w: another process has changed %s in the meantime", ErrBusy, r.Out.Path)
	}
	if err := r.checkExtension(ctx, m); err != nil {
		return Result{}, err
	}
	parts := r.lacking(m)
	job := r.Job
	job.Out, job.Parts, job.PartTask, job.PartOptions = r.Out.more(), parts, nil, nil
	job.Task = r.PartTask(job.Out.Path, parts)
	job.Options = append(slices.Clone(r.Options), Option{moreOption, strings.Join(parts, " ")})
	res, err := runMore(ctx, job)
	if err != nil {
		return res, err
	}
	if err := m.compatible(r.Out, res.Manifest); err != nil {
		return res, errors.Join(err, os.RemoveAll(job.Out.Path)) // else the next run would find them complete
	}
	if err := data.WriteFileAtomic(filepath.Join(r.Out.state(), movedName), nil); err != nil {
		return res, err
	}
	res.Manifest, err = r.Out.move()
	res.Already = false
	return res, err
}

// runMore makes new parts, or what an earlier run left of the same ones. Others, abandoned or damaged, nobody asked to keep: they
// are in the state directory, and make room.
func runMore(ctx context.Context, job Job) (Result, error) {
	res, err := Run(ctx, job)
	stale := func(target error) bool { return errors.Is(err, target) }
	if !slices.ContainsFunc([]error{ErrDiffers, ErrChanged, ErrDamaged, ErrRecord}, stale) {
		return res, err
	}
	if err := os.RemoveAll(job.Out.Path); err != nil {
		return res, err
	}
	return Run(ctx, job)
}

// moreOption is an option of new parts alone: which they are.
const moreOption = "new parts"

// checkExtension returns an error where new parts would not be of the same input, or the output is not whole.
func (r *run) checkExtension(ctx context.Context, m *Manifest) error {
	if d := r.differences(m); len(d) > 0 {
		return differs(r.Out.Path, "complete", d...)
	}
	if err := m.whole(ctx, r.Out); err != nil {
		return err
	}
	return r.sameInput(ctx, m)
}

// compatible returns an error where the parts in the manifest more cannot join those of m.
func (m *Manifest) compatible(out Output, more *Manifest) error {
	if m.Samples != more.Samples || m.Content != more.Content {
		return changed(out.Path, "made", []string{"samples: other bytes, keys or labels"})
	}
	rejected := func(a, b data.Rejected) bool { return a.Index == b.Index && a.Key == b.Key }
	if !slices.EqualFunc(m.Rejected, more.Rejected, rejected) {
		return fmt.Errorf("%w: the new parts of %s leave out other samples than those that are there (%d, not %d); make all in one run",
			ErrDiffers, out.Path, len(more.Rejected), len(m.Rejected))
	}
	have := byPath(m.Files)
	for _, f := range more.Files {
		if old, ok := have[f.Path]; ok && old != f {
			return fmt.Errorf("%w: %s of %s would change for the parts that are there; make all in one run", ErrDiffers, f.Path, out.Path)
		}
	}
	return nil
}

// finishMove moves new parts that an earlier run had begun to move, and returns the manifest.
func finishMove(out Output) (*Manifest, error) {
	lock, err := out.lock()
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if out.moving() {
		return out.move()
	}
	return ReadManifest(out)
}

// move lays complete new parts to those that are there and replaces the manifest.
func (p Output) move() (*Manifest, error) {
	m, err := ReadManifest(p)
	if err != nil {
		return nil, err
	}
	more, err := ReadManifest(p.more())
	if errors.Is(err, os.ErrNotExist) { // the last move ended when all was done
		return m, p.removeState()
	}
	if err != nil {
		return nil, err
	}
	if err := p.moveFiles(more); err != nil {
		return nil, err
	}
	files := byPath(slices.Concat(m.Files, more.Files))
	all := *more // its options are those of all parts
	delete(all.Options, moreOption)
	all.Parts = slices.Clone(m.Parts)
	for _, part := range more.Parts {
		if !slices.Contains(all.Parts, part) { // a move that was cut off had written the manifest
			all.Parts = append(all.Parts, part)
			all.Items = m.Items + more.Items
		}
	}
	if len(all.Parts) == len(m.Parts) {
		all.Items = m.Items
	}
	slices.Sort(all.Parts)
	all.Files, all.Bytes = nil, 0
	for _, f := range files {
		all.Files, all.Bytes = append(all.Files, f), all.Bytes+f.Size
	}
	slices.SortFunc(all.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, name := range more.Records {
		text, err := os.ReadFile(p.more().Record(name))
		if err != nil {
			return nil, err
		}
		if err := data.WriteFileAtomic(p.Record(name), text); err != nil {
			return nil, err
		}
	}
	if err := all.write(p); err != nil {
		return nil, err
	}
	return &all, p.removeState()
}

// moveFiles moves the files of new parts that are not there yet.
func (p Output) moveFiles(more *Manifest) error {
	root, err := os.OpenRoot(p.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	from, err := filepath.Rel(p.Path, p.more().Path)
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, f := range more.Files {
		name := filepath.FromSlash(f.Path)
		if _, err := root.Lstat(name); err == nil {
			continue // moved before, or of all parts
		}
		dir := filepath.Dir(name)
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := root.Rename(filepath.Join(from, name), name); err != nil {
			return fmt.Errorf("cannot move %s to %s: %w", f.Path, p.Path, err)
		}
		for ; !dirs[dir]; dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	return p.moveFolders(root, from, dirs)
}

// moveFolders makes the folders without files, such as those of classes without a sample, and syncs the names.
func (p Output) moveFolders(root *os.Root, from string, dirs map[string]bool) error {
	err := filepath.WalkDir(p.more().Path, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(p.more().Path, path)
		if err == nil && rel != "." {
			err = root.MkdirAll(rel, 0o777)
		}
		return err
	})
	for dir := range dirs {
		err = errors.Join(err, storage.SyncDir(filepath.Join(p.Path, dir)))
	}
	return err
}
