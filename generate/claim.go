package generate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
)

// claim is who may write a remote output.
type claim struct {
	ID      string   `json:"id"` // by chance: what a stage holds that was made for another claim is not used
	Options []Option `json:"options"`
	basis            // empty for a folder
	Shards  int      `json:"shards"`
	By      string   `json:"by,omitempty"` // the process that made it, for messages
	// Replaces are files of an earlier output, which are removed when this one is complete.
	Replaces []string `json:"replaces,omitempty"`
	// Took: it came in the place of another, whose run may have published something, and may yet until it sees that.
	Took bool `json:"took,omitempty"`
}

func (p Output) claimPath() string { return storage.Join(p.state(), claimName) }

// read reads the claim of the output. One that is replaced meanwhile is read again.
func (c *claim) read(out Output) error {
	for tries := 3; ; tries-- {
		var now claim
		err := readJSON(out.claimPath(), &now)
		if err == nil {
			*c = now
		}
		if !errors.Is(err, storage.ErrChanged) || tries == 0 {
			return err
		}
	}
}

// process says which process this is.
func process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

// hold is the claim that a run goes by.
type hold struct {
	claim
	out  Output
	made bool // by this run, which nobody was before
}

// errPublished: another run of the same claim has published the output.
var errPublished = errors.New("published by another run")

// check returns an error that wraps ErrTaken where the output is not this run's any more, and errPublished where it is complete.
func (h hold) check() error {
	var now claim
	err := now.read(h.out)
	switch {
	case err == nil && now.ID == h.ID:
		return nil
	case err == nil:
		d := h.changes(diff(h.Options, now.Options), now.basis)
		return h.taken(now.By, append(d, shardsDiffer(h.claim, now)...))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	m, err := ReadManifest(h.out)
	switch {
	case errors.Is(err, fs.ErrNotExist) && h.ID == "": // parts that were laid there by hand have no claim
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s, by which this run wrote to %s, was removed meanwhile; nothing more was published",
			ErrTaken, h.out.claimPath(), h.out.Path)
	case err != nil:
		return err
	}
	if d := h.changes(diff(h.Options, m.options()), m.basis()); len(d) > 0 {
		return h.taken("", d)
	}
	return errPublished
}

// taken is the error about another run that has started over, with what differs in it.
func (h hold) taken(by string, differs []Difference) error {
	if by == "" {
		by = "another run"
	}
	return fmt.Errorf("%w: %s has started over in %s meanwhile; this run has stopped and wrote no %s%s", ErrTaken, by, h.out.Path,
		ManifestName, listed(differs))
}

// takenInstead returns the error of check where that is the reason for err, with which the run has failed.
func (h hold) takenInstead(err error) error {
	if taken := h.check(); errors.Is(taken, ErrTaken) {
		return taken
	}
	return err
}

// release removes the claim, unless it is another's by now.
func (h hold) release(ctx context.Context) error {
	var now claim
	err := now.read(h.out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && now.ID != h.ID {
		return nil
	}
	if err != nil {
		return err
	}
	return removeObject(ctx, h.out.claimPath())
}

// claimRemote decides what lies at the output means, and claims it or joins the claim that is there. A complete output of
// these options sets already. samples is their number in the source, -1 where that is not known.
func (r *run) claimRemote(ctx context.Context, sh Shard, samples int) (hold, error) {
	out := r.Out
	mine := hold{out: out, claim: claim{
		ID: rand.Text(), Options: append([]Option{}, r.Options...), basis: r.basis(), Shards: sh.Count, By: process(),
	}}
	m, err := ReadManifest(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return mine, err
	}
	if m != nil && !r.Force {
		return mine, r.remoteComplete(ctx, m)
	}
	theirs := hold{out: out}
	err = theirs.claim.read(out)
	switch {
	case err == nil && !r.Force:
		return theirs, theirs.agree(out, mine.claim)
	case err == nil:
		mine.Replaces, mine.Took = theirs.Replaces, true
	case !errors.Is(err, fs.ErrNotExist):
		return mine, err
	case m == nil:
		if err := out.vacantRemote(ctx, r.fresh().Records); err != nil {
			if m, err := ReadManifest(out); err == nil && !r.Force { // another process has just come to its end
				return mine, r.remoteComplete(ctx, m)
			}
			return mine, err
		}
		if !r.Force && sh.Count == 0 && Sharded(out) {
			return mine, differs(out.Path, "unfinished", Difference{"shards", "set", notSet})
		}
	}
	if m != nil {
		for _, f := range m.Files {
			mine.Replaces = append(mine.Replaces, f.Path)
		}
		mine.Replaces = append(mine.Replaces, out.records(m.Records)...)
	}
	// A claim keeps others out: whatever can be known to fail without one has to fail before it.
	if err := r.ready(samples); err != nil {
		return mine, err
	}
	text, err := json.Marshal(mine.claim)
	if err != nil {
		return mine, err
	}
	err = putObject(ctx, out.claimPath(), text, storage.CreateOptions{Absent: !r.Force})
	if errors.Is(err, fs.ErrExist) { // another process was faster
		if err := theirs.claim.read(out); err != nil {
			return mine, err
		}
		return theirs, theirs.agree(out, mine.claim)
	}
	if err == nil && r.Force { // from here on the old output is none, also one that was completed since it was looked for
		err = removeObject(ctx, out.Record(ManifestName))
	}
	mine.made = err == nil
	return mine, err
}

// ready returns an error where a run to the remote output could not begin.
func (r *run) ready(samples int) error {
	if err := r.checkEmpty(samples); err != nil {
		return err
	}
	if err := r.Out.checkStage(); err != nil {
		return err
	}
	if !r.Force {
		return nil
	}
	// The stage is one folder, whichever run it is of: that of a run on this machine must not be emptied under it.
	path := filepath.Join(r.Out.Local().state(), lockName)
	if !exists(path) {
		return nil
	}
	f, err := filelock.Open(path)
	if errors.Is(err, filelock.ErrLocked) {
		return fmt.Errorf("%w: another process of this machine makes %s; it has to end first", ErrBusy, r.Out.Path)
	}
	if err != nil {
		return ignoreMissing(err)
	}
	return f.Close()
}

// agree returns an error unless a run of the claim may write what one of the claim mine writes.
func (c claim) agree(out Output, mine claim) error {
	d := c.changes(diff(c.Options, mine.Options), mine.basis)
	d = append(d, shardsDiffer(c, mine)...)
	if len(d) > 0 {
		return differs(out.Path, "unfinished", d...)
	}
	return nil
}

func shardsDiffer(was, now claim) []Difference {
	if was.Shards == now.Shards {
		return nil
	}
	return []Difference{{"shards", fmt.Sprint(was.Shards), fmt.Sprint(now.Shards)}}
}

// checkStage returns an error where the stage of a remote output cannot be made.
func (p Output) checkStage() error {
	root := filepath.Dir(p.stage())
	err := os.MkdirAll(root, 0o700)
	if err == nil {
		var try string
		if try, err = os.MkdirTemp(root, ".try-"); err == nil {
			err = os.Remove(try)
		}
	}
	return p.stageError(err)
}

// stageError says whose stage cannot be made.
func (p Output) stageError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot make the folder in which %s is made (%s says where): %w", p.Path, StageVariable, err)
}

// removeReplaced removes the files that the complete output of the manifest m replaces: those that its claim names, and where it took
// another's, whatever else is there, for that has published it.
func (h hold) removeReplaced(ctx context.Context, m *Manifest) error {
	names, err := h.replaced(ctx)
	if err != nil {
		return err
	}
	for _, name := range h.out.without(names, m) {
		if err := removeObject(ctx, h.out.within(name)); err != nil {
			return err
		}
	}
	if h.Took {
		return removeShards(ctx, h.out)
	}
	return nil
}

// replaced lists the files that an earlier output had, those of this one among them.
func (h hold) replaced(ctx context.Context) ([]string, error) {
	p, names := h.out, h.Replaces
	for _, name := range names {
		if err := checkPath(p.claimPath(), name); err != nil {
			return nil, err
		}
	}
	if !h.Took {
		return names, nil
	}
	there, err := p.sizes(ctx) // of one file: those that belong to it alone
	if err != nil {
		return nil, err
	}
	return slices.AppendSeq(slices.Clone(names), maps.Keys(there)), nil
}
