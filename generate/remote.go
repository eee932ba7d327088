package generate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/s3"
	"github.com/augmix-go/augmix/internal/filelock"
	"github.com/augmix-go/augmix/internal/parallel"
)

// An output in an object store is made in a folder of this machine, the stage, like any other, with its journal, and then
// published: its files are uploaded, each whole, and the manifest last. What the stage holds resumes; what is published is
// known by size and hash and not sent again. Nothing in the store is ever taken back, so nothing depends on clocks or leases:
//
//   - A run first creates OUT/.augmix/claim.json, which only one can, with its options, seed and plan. Who finds one with others stops.
//     Who finds its own goes on beside the other: both publish the same bytes under the same names.
//   - An output is complete when its manifest is there. The claim goes after it.
//   - A shard is published as OUT/.augmix/shard-I-of-N, an output by itself. Whoever finds all of them fetches, joins and
//     publishes them.

// StageVariable names the environment's variable of the folder in which remote outputs are made. Without it they are made in
// the user's cache folder.
const StageVariable = "AUGMIX_STAGE"

const (
	claimName = "claim.json"
	transfers = 16 // files that are sent or fetched at once
)

// remote reports whether the output lies in an object store.
func (p Output) remote() bool { return storage.Remote(p.Path) }

// Local returns the output in which this one is made: itself, or of one in an object store that in the stage of this machine.
func (p Output) Local() Output {
	if p.remote() {
		p.Path = filepath.Join(p.stage(), filepath.Base(p.Path))
	}
	return p
}

// stage is the folder of a remote output on this machine.
func (p Output) stage() string {
	root := os.Getenv(StageVariable)
	if root == "" {
		if cache, err := os.UserCacheDir(); err == nil {
			root = filepath.Join(cache, "augmix", "stage")
		} else {
			root = filepath.Join(os.TempDir(), "augmix-stage")
		}
	}
	sum := sha256.Sum256([]byte(s3.EnvironmentConfig().Endpoint + "\n" + p.Path))
	return filepath.Join(root, hex.EncodeToString(sum[:8]))
}

// claim is who may write a remote output.
type claim struct {
	ID      string       `json:"id"` // by chance: what a stage holds that was made for another claim is not used
	Options []jsonOption `json:"options"`
	basis                // empty for a folder
	Shards  int          `json:"shards"`
	// Replaces are files of an earlier output, which are removed when this one is complete.
	Replaces []string `json:"replaces,omitempty"`
}

func (p Output) claimPath() string { return storage.Join(p.state(), claimName) }

// runRemote is Run of a remote output.
func runRemote(ctx context.Context, j Job) (Result, error) {
	out := j.Out
	r := &run{Job: j}
	c, err := r.claimRemote(ctx, Shard{})
	if err != nil || r.already {
		return r.result(), err
	}
	if j.Out, err = out.openStage(c.ID); err != nil {
		return r.result(), err
	}
	if err := out.fetchBeside(j.Out); err != nil {
		return r.result(), err
	}
	j.Force = false // the claim is another, and so the stage is empty
	res, err := Run(ctx, j)
	if err != nil {
		return res, err
	}
	res.Already = false
	return res, publish(ctx, j.Out, out)
}

// openStage returns the output on this machine in which p is made, empty where what is there was made for another claim.
func (p Output) openStage(id string) (Output, error) {
	dir := p.stage()
	mark := filepath.Join(dir, "claim")
	if have, err := os.ReadFile(mark); err != nil || string(have) != id {
		if err := os.RemoveAll(dir); err != nil {
			return p, err
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return p, fmt.Errorf("cannot make the folder in which %s is made (%s says where): %w", p.Path, StageVariable, err)
		}
		if err := data.WriteFileAtomic(mark, []byte(id)); err != nil {
			return p, err
		}
	}
	return p.Local(), nil
}

// fetchBeside copies the files that p may share with other outputs to local, so that what is made there is what would be
// made beside them.
func (p Output) fetchBeside(local Output) error {
	for _, name := range p.Beside {
		if exists(local.within(name)) || !p.File {
			continue
		}
		text, err := data.ReadFile(nil, p.within(name), maxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = data.WriteFileAtomic(local.within(name), text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runShardRemote is RunShard of a remote output.
func runShardRemote(ctx context.Context, j Job, sh Shard, total int, task func(dir string, samples int) Task) (
	Result, []string, error,
) {
	out := j.Out
	r := &run{Job: j}
	c, err := r.claimRemote(ctx, sh)
	if err != nil || r.already {
		return r.result(), nil, err
	}
	if err := r.checkEmpty(total); err != nil {
		return r.result(), nil, err
	}
	part := Output{Path: out.shard(sh)}
	var res Result
	m, err := ReadManifest(part)
	switch {
	case err == nil:
		if d := m.basis().changes(diff(m.options(), j.Options), j.basis()); len(d) > 0 {
			return Result{}, nil, differs(part.Path, "complete", d)
		}
		res = Result{Manifest: m, Already: true, Rejected: m.Rejected, Progress: Progress{
			Total: m.Samples, Done: m.Samples, Resumed: m.Samples, Rejected: len(m.Rejected), Items: m.Items,
		}}
	case !errors.Is(err, fs.ErrNotExist):
		return Result{}, nil, err
	default:
		if j.Out, err = part.openStage(c.ID); err != nil {
			return Result{}, nil, err
		}
		if res, err = j.runPart(ctx, sh, total, task); err != nil {
			return res, nil, err
		}
		if err := publish(ctx, j.Out, part); err != nil {
			return res, nil, err
		}
	}
	if m, err := ReadManifest(out); err == nil { // the others were faster: this shard came late or twice
		res.Manifest = m
		return res, nil, removeShards(ctx, out)
	}
	m, waiting, err := Join(ctx, out, j.Workers)
	if errors.Is(err, ErrBusy) {
		return res, nil, nil // the process of another shard does it
	}
	if m != nil {
		res.Manifest = m
	}
	return res, waiting, err
}

// claimRemote decides what lies at the output means, and claims it or joins the claim that is there. A complete output of
// these options sets already.
func (r *run) claimRemote(ctx context.Context, sh Shard) (claim, error) {
	out := r.Out
	mine := claim{ID: rand.Text(), Options: toJSON(r.Options), basis: r.basis(), Shards: sh.Count}
	m, err := ReadManifest(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return mine, err
	}
	if m != nil && !r.Force {
		return mine, r.remoteComplete(ctx, m)
	}
	var theirs claim
	err = readJSON(out.claimPath(), &theirs)
	switch {
	case err == nil && !r.Force:
		return theirs, theirs.agree(out, mine)
	case err == nil:
		mine.Replaces = theirs.Replaces
	case !errors.Is(err, fs.ErrNotExist):
		return mine, err
	case m == nil:
		if err := out.vacantRemote(ctx, r.fresh().Records); err != nil {
			if m, err := ReadManifest(out); err == nil && !r.Force { // another process has just come to its end
				return mine, r.remoteComplete(ctx, m)
			}
			return mine, err
		}
	}
	if m != nil {
		for _, f := range m.Files {
			mine.Replaces = append(mine.Replaces, f.Path)
		}
		mine.Replaces = append(mine.Replaces, out.records(m.Records)...)
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return mine, err
	}
	err = putObject(ctx, out.claimPath(), text, storage.CreateOptions{Absent: !r.Force})
	if errors.Is(err, fs.ErrExist) { // another process was faster
		if err := readJSON(out.claimPath(), &theirs); err != nil {
			return mine, err
		}
		return theirs, theirs.agree(out, mine)
	}
	if err == nil && m != nil { // from here on the old output is none
		err = removeObject(ctx, out.Record(ManifestName))
	}
	return mine, err
}

// agree returns an error unless a run of the claim may write what one of the claim mine writes.
func (c claim) agree(out Output, mine claim) error {
	d := c.changes(diff(fromJSON(c.Options), fromJSON(mine.Options)), mine.basis)
	if c.Shards != mine.Shards {
		d = append(d, fmt.Sprintf("shards: was %d, now %d", c.Shards, mine.Shards))
	}
	if len(d) > 0 {
		return differs(out.Path, "unfinished", d)
	}
	return nil
}

// remoteComplete compares the job with a complete remote output.
func (r *run) remoteComplete(ctx context.Context, m *Manifest) error {
	if d := r.differences(m); len(d) > 0 {
		return differs(r.Out.Path, "complete", d)
	}
	if lacking := r.lacking(m); len(lacking) > 0 {
		return fmt.Errorf("%w: %s is complete without %s, and an output in an object store gets no more parts (allowed: another name)",
			ErrOption, r.Out.Path, strings.Join(lacking, ", "))
	}
	sizes, err := r.Out.sizes(ctx)
	if err != nil {
		return err
	}
	for _, f := range m.Files {
		if size, ok := sizes[f.Path]; !ok || size != f.Size {
			return fmt.Errorf("%w: %s was complete, but %s is missing or has another size", ErrDamaged, r.Out.Path, f.Path)
		}
	}
	if err := m.wholeRecords(ctx, r.Out); err != nil {
		return err
	}
	if err := r.sameInput(ctx, m); err != nil {
		return err
	}
	r.manifest, r.already = m, true
	return errors.Join(removeObject(ctx, r.Out.claimPath()), os.RemoveAll(r.Out.stage())) // which a crash may have left
}

// sizes returns the size of every object of the output, by its path below the root, without those of its state.
func (p Output) sizes(ctx context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	if p.File {
		for _, path := range p.files() {
			switch st, err := storage.Stat(path); {
			case err == nil:
				sizes[filepath.Base(path)] = st.Size()
			case !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
		}
		return sizes, nil
	}
	for e, err := range storage.List(ctx, p.Path) {
		if err != nil {
			return nil, err
		}
		if rel := strings.TrimPrefix(e.Name, p.Path+"/"); !strings.HasPrefix(rel, stateDir+"/") {
			sizes[rel] = e.Size
		}
	}
	return sizes, nil
}

// vacantRemote is vacant of a remote output.
func (p Output) vacantRemote(ctx context.Context, records []string) error {
	occupied := func(name string) error {
		return fmt.Errorf("%w: %s holds %s and no run of this program began there; choose another name or empty it", ErrOccupied, p.Path, name)
	}
	for _, path := range p.taken(records) {
		if exists(path) {
			return occupied(path)
		}
	}
	if p.File {
		return nil
	}
	for e, err := range storage.List(ctx, p.Path) {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(e.Name, p.state()+"/") {
			return occupied(strings.TrimPrefix(e.Name, p.Path+"/"))
		}
	}
	return nil
}

// publish uploads the complete output local as out, its manifest last, and removes local and the claim.
func publish(ctx context.Context, local, out Output) error {
	m, err := ReadManifest(local)
	if err != nil {
		return err
	}
	there, err := out.sizes(ctx)
	if err != nil {
		return err
	}
	err = parallel.Try(len(m.Files), transfers, func(_, i int) error {
		f := m.Files[i]
		if size, ok := there[f.Path]; ok && size == f.Size && remoteSum(ctx, out.within(f.Path)) == f.SHA256 {
			return nil
		}
		return copyFile(ctx, local.within(f.Path), out.within(f.Path), f)
	})
	if err != nil {
		return err
	}
	for _, name := range append(slices.Clone(m.Records), ManifestName) {
		text, err := os.ReadFile(local.Record(name))
		if err == nil {
			err = putObject(ctx, out.Record(name), text, storage.CreateOptions{})
		}
		if err != nil {
			return err
		}
	}
	if err := out.removeReplaced(ctx, m); err != nil {
		return err
	}
	return errors.Join(removeObject(ctx, out.claimPath()), local.removeLocal())
}

// removeReplaced removes what an output that this one replaces had and this one has not.
func (p Output) removeReplaced(ctx context.Context, m *Manifest) error {
	var c claim
	if err := readJSON(p.claimPath(), &c); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	keep := map[string]bool{}
	for _, name := range p.records(m.Records) {
		keep[name] = true
	}
	for _, f := range m.Files {
		keep[f.Path] = true
	}
	for _, name := range c.Replaces {
		if err := checkPath(p.claimPath(), name); err != nil {
			return err
		}
		if !keep[name] && !(p.File && slices.Contains(p.Beside, name)) {
			if err := removeObject(ctx, p.within(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeLocal removes the stage of an output that is published.
func (p Output) removeLocal() error {
	return os.RemoveAll(filepath.Dir(p.Path))
}

// copyFile copies a file whose hash is known, from or to a store.
func copyFile(ctx context.Context, from, to string, f File) error {
	in, err := storage.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := storage.For(to)
	if err != nil {
		return err
	}
	w, err := s.Create(ctx, to, storage.CreateOptions{SHA256: f.SHA256, Size: f.Size})
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := io.Copy(w, in); err != nil {
		return err
	}
	return w.Commit()
}

func putObject(ctx context.Context, name string, text []byte, o storage.CreateOptions) error {
	s, err := storage.For(name)
	if err != nil {
		return err
	}
	w, err := s.Create(ctx, name, o)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Commit()
}

func removeObject(ctx context.Context, name string) error {
	s, err := storage.For(name)
	if err != nil {
		return err
	}
	return s.Remove(ctx, name)
}

// remoteSum is the hash that an object was uploaded with, "" where none is known.
func remoteSum(ctx context.Context, name string) string {
	s, err := storage.For(name)
	if err != nil {
		return ""
	}
	sum, err := s.(*s3.Store).Sum(ctx, name)
	if err != nil {
		return "" // sending it again says what is wrong
	}
	return sum
}

// joinRemote is Join of a remote output all of whose n shards are published.
func joinRemote(ctx context.Context, out Output, n, workers int) (*Manifest, error) {
	var c claim
	if err := readJSON(out.claimPath(), &c); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	local, err := Output{Path: storage.Join(out.Path, "join")}.openStage(c.ID) // apart from the stages of shards
	if err != nil {
		return nil, err
	}
	lock, err := filelock.Open(filepath.Join(filepath.Dir(local.Path), lockName))
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("%w: another process joins %s", ErrBusy, out.Path)
	}
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if !exists(local.Record(ManifestName)) {
		if err := fetchShards(ctx, out, local, n); err != nil {
			return joinedByOther(out, err)
		}
		if m, _, err := Join(ctx, local, workers); err != nil {
			return m, err
		}
	}
	if err := publish(ctx, local, out); err != nil {
		return nil, err
	}
	m, err := ReadManifest(out)
	if err != nil {
		return nil, err
	}
	return m, removeShards(ctx, out)
}

// joinedByOther returns the manifest of an output that another process has joined meanwhile, or the error.
func joinedByOther(out Output, err error) (*Manifest, error) {
	if m, err2 := ReadManifest(out); err2 == nil {
		return m, nil
	}
	return nil, err
}

// fetchShards copies the shards of a remote output to this machine.
func fetchShards(ctx context.Context, out, local Output, n int) error {
	for i := range n {
		from, to := Output{Path: out.shard(Shard{i, n})}, Output{Path: local.shard(Shard{i, n})}
		if exists(to.Record(ManifestName)) {
			continue // an earlier try had it whole
		}
		m, err := ReadManifest(from)
		if err != nil {
			return err
		}
		err = parallel.Try(len(m.Files), transfers, func(_, i int) error {
			return copyFile(ctx, from.within(m.Files[i].Path), to.within(m.Files[i].Path), m.Files[i])
		})
		if err != nil {
			return err
		}
		for _, name := range append(slices.Clone(m.Records), ManifestName) {
			text, err := data.ReadFile(nil, from.Record(name), maxRecord)
			if err == nil {
				err = data.WriteFileAtomic(to.Record(name), text)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// removeShards removes the shards of a remote output that is complete.
func removeShards(ctx context.Context, out Output) error {
	var names []string // few beside the samples: the files of shards are tar files and arrays, or as many as the output's
	for e, err := range storage.List(ctx, out.state()) {
		if err != nil {
			return err
		}
		names = append(names, e.Name)
	}
	slices.Reverse(names)
	return parallel.Try(len(names), transfers, func(_, i int) error { return removeObject(ctx, names[i]) })
}
