package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/digest"
)

func (r *run) fresh() *journal {
	names := make([]string, 0, len(r.Records))
	for name := range r.Records {
		names = append(names, name)
	}
	slices.Sort(names)
	return &journal{
		Options: append([]Option{}, r.Options...), basis: r.basis(), Source: r.source, Records: names, Rejected: []data.Rejected{}, Phase: writing,
		PIDs: []int{os.Getpid()},
	}
}

// open decides what an existing output means and takes the lock. It leaves the journal of the run to do.
func (r *run) open(ctx context.Context) (unlock func(), err error) {
	// Before the lock, because the lock's directory must not be made in a folder that is not ours.
	if _, err := r.look(ctx); err != nil || r.already {
		return nil, err
	}
	if err := r.checkEmpty(r.total); err != nil {
		return nil, err
	}
	if r.whole != nil {
		r.source = *r.whole
		r.source.Content = "" // whoever resumes a shard has the files that it was begun with
		r.source.Samples = r.Source.Info().Len
	} else if r.source, err = data.TakeFingerprint(r.Source); err != nil {
		return nil, err
	}
	if r.labels, err = r.labelsSum(); err != nil {
		return nil, err
	}
	f, err := r.Out.lock()
	if err != nil {
		return nil, err
	}
	r.locked = true
	unlock = func() {
		r.locked = false
		_ = f.Close()
	}
	// And under it, because another process may have finished between the two.
	m, err := r.look(ctx)
	if err == nil && !r.already {
		err = r.claim(m)
	}
	if err != nil || r.already {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// look returns the manifest of a finished run that Force is to clear away, nil where there is none.
func (r *run) look(ctx context.Context) (*Manifest, error) {
	m, err := r.complete(ctx)
	if err == nil && m == nil && !exists(r.Out.journal()) {
		err = r.Out.vacant(r.fresh().Records)
		if exists(r.Out.journal()) { // another process has begun in the meantime: the lock decides
			err = nil
		} else if err != nil && exists(r.Out.Record(ManifestName)) { // or was at its end, when the journal goes
			m, err = r.complete(ctx)
		}
	}
	if err == nil && !r.already && !r.Force && Sharded(r.Out) {
		err = differs(r.Out.Path, "unfinished", Difference{"shards", "set", notSet})
	}
	return m, err
}

// complete looks for the manifest of a finished run: nil when there is none, the manifest to clear away under Force.
func (r *run) complete(ctx context.Context) (*Manifest, error) {
	m, err := ReadManifest(r.Out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case r.Force:
		return m, nil
	}
	d := r.differences(m)
	if lacking := r.lacking(m); len(d) == 0 && len(lacking) > 0 {
		d = []Difference{{"parts", strings.Join(m.Parts, ", "), "also " + strings.Join(lacking, ", ")}}
	}
	if len(d) > 0 && !r.Out.gone() {
		return nil, differs(r.Out.Path, "complete", d...)
	}
	if err := m.whole(ctx, r.Out); err != nil {
		return nil, err
	}
	if err := r.sameInput(ctx, m); err != nil {
		return nil, err
	}
	r.manifest, r.already = m, true
	if exists(r.Out.more().Path) { // more parts are under way
		return m, nil
	}
	// A crash between the manifest and the end of the state directory leaves the latter; it has nothing to say.
	return m, r.clearState()
}

// clearState removes the state directory of a complete output, unless another process holds its lock: that one does.
func (r *run) clearState() error {
	if !exists(r.Out.state()) {
		return nil
	}
	if !r.locked {
		f, err := r.Out.lock()
		if errors.Is(err, ErrBusy) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
	}
	return r.Out.removeState()
}

func changed(path, since string, lines []string) error {
	return fmt.Errorf("%w since %s was %s (allowed: the input as it was):\n  %s", ErrChanged, path, since,
		strings.Join(lines, "\n  "))
}

// sameInput returns an error where what the source says of itself, or what lies beside the images of an annotated tree, is not what the
// complete output of m was made of.
func (r *run) sameInput(ctx context.Context, m *Manifest) error {
	info := r.Source.Info()
	if info.Len >= 0 && info.Len != m.Samples {
		return changed(r.Out.Path, "made", []string{fmt.Sprintf("samples: were %d, now %d", m.Samples, info.Len)})
	}
	if !slices.Equal(info.Classes, m.Classes) {
		return changed(r.Out.Path, "made", []string{"classes: other names or another order"})
	}
	if sum, err := r.labelsSum(); err != nil {
		return err
	} else if sum != m.Labels && sum != "" && m.Labels != "" {
		return changed(r.Out.Path, "made", []string{"labels: " + r.Labels + " has other bytes"})
	}
	t, ok := r.Task.(Mirror)
	if !ok || t.Bare && r.whole != nil { // a part that leaves them to another
		return nil
	}
	change, err := t.carriedChange(ctx, m, r.Workers)
	if err == nil && change != "" {
		err = changed(r.Out.Path, "made", []string{change})
	}
	return err
}

// labelsSum returns the SHA-256 of the file Labels, "" where there is none or where it is a pipe, which is another at each run.
func (j *Job) labelsSum() (string, error) {
	if j.Labels == "" {
		return "", nil
	}
	st, err := storage.Stat(j.Labels)
	if err != nil {
		return "", fmt.Errorf("cannot look at the labels: %w", err)
	}
	if !st.Mode().IsRegular() {
		return "", nil
	}
	f, err := storage.Open(j.Labels)
	if err != nil {
		return "", fmt.Errorf("cannot look at the labels: %w", err)
	}
	defer f.Close()
	sum, _, err := digest.Reader(f)
	return sum.String(), err
}

// checkEmpty returns ErrEmpty for a source of no samples.
func (r *run) checkEmpty(samples int) error {
	if samples != 0 || r.whole != nil {
		return nil
	}
	err := ErrEmpty
	if r.In != "" {
		err = fmt.Errorf("%s: %w", r.In, ErrEmpty)
	}
	return fmt.Errorf("%w: nothing to write to %s", err, cmp.Or(r.Out.Path, "the stream"))
}

// exists reports whether something has a name. What cannot be looked at is there: whoever opens it gets the error, and nothing is
// made in its place.
func exists(path string) bool {
	var err error
	if storage.Remote(path) {
		_, err = storage.Stat(path)
	} else {
		_, err = os.Lstat(path)
	}
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// claim, under the lock, makes the journal of this run: an earlier one's, or a new one where nothing lies.
func (r *run) claim(finished *Manifest) error {
	if r.Force { // before there is a journal: the parts of a run by shards go before this run's files lie there
		if err := r.Out.clearShards(); err != nil {
			return err
		}
	}
	old, err := readJournal(r.Out)
	bad := errors.Is(err, ErrRecord)
	switch {
	case bad && !r.Force:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil && !bad:
		return err
	}
	if old != nil && !r.Force {
		d := old.changes(diff(old.Options, r.Options), r.basis())
		if len(d) > 0 && old.Next > 0 {
			return differs(r.Out.Path, "unfinished", d...)
		}
		if len(d) > 0 { // nothing was done yet that could be lost
			return r.restart(old)
		}
		if d := old.Source.Changes(r.source); len(d) > 0 && old.Next > 0 {
			return changed(r.Out.Path, "begun", d)
		}
		r.journal, r.resumed = old, old.Next
		old.Source = r.source
		if pid := os.Getpid(); !slices.Contains(old.PIDs, pid) {
			old.PIDs = append(old.PIDs, pid)
		}
		if err := r.journal.write(r.Out); err != nil {
			return err
		}
		return r.layRecords()
	}
	switch {
	case finished != nil:
		err = errors.Join(os.RemoveAll(r.Out.more().Path), r.Out.clearFinished(finished))
	case exists(r.Out.journal()):
		return r.restart(old)
	}
	if err != nil {
		return err
	}
	return r.begin()
}

// restart clears an unfinished output away and begins anew. old is nil when its journal cannot be read.
func (r *run) restart(old *journal) error {
	names := r.fresh().Records
	var earlier []int
	if old != nil {
		names, earlier = old.Records, old.PIDs
	} else {
		earlier = salvagePIDs(r.Out)
	}
	if err := r.Out.clearUnfinished(names); err != nil {
		return err
	}
	return r.begin(earlier...)
}

// begin makes the journal and the records of a new run where nothing lies.
// earlier are the processes that worked on it before, whose temporary files may lie there yet.
func (r *run) begin(earlier ...int) error {
	r.journal = r.fresh()
	r.journal.PIDs = append(r.journal.PIDs, earlier...)
	// The journal comes first: from here on whatever lies there is this run's.
	if err := r.journal.write(r.Out); err != nil {
		return err
	}
	return r.layRecords()
}

// layRecords writes the records that are not there: all of them at first, later those that a crash cut off or that were changed.
func (r *run) layRecords() error {
	for name, text := range r.Records {
		if r.laid(name) {
			continue
		}
		if err := data.WriteFileAtomic(r.Out.Record(name), text); err != nil {
			return err
		}
	}
	return nil
}
