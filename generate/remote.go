package generate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/storage/s3"
)

// An output in an object store is made in a folder of this machine, the stage, like any other, with its journal, and then
// published: its files are uploaded, each whole, and the manifest last. What the stage holds resumes; what is published is
// known by size and hash and not sent again. Nothing depends on clocks or leases:
//
//   - A run first creates OUT/.augmix/claim.json, which only one can, with its options, seed and plan. Who finds one with others stops.
//     Who finds its own goes on beside the other: both publish the same bytes under the same names. With Force a run replaces the claim,
//     and the one before it stops when it looks at it the next time, at the latest before its manifest.
//   - An output is complete when its manifest is there. The claim goes after it.
//   - A shard is published as OUT/.augmix/shard-I-of-N, an output by itself. Whoever finds all of them fetches, joins and
//     publishes them.

// StageVariable names the environment's variable of the folder in which remote outputs are made. Without it they are made in
// the user's cache folder.
const StageVariable = "AUGMIX_STAGE"

const (
	claimName = data.ClaimName
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

// runRemote is Run of a remote output.
func runRemote(ctx context.Context, j Job) (Result, error) {
	out := j.Out
	r := &run{Job: j}
	h, err := r.claimRemote(ctx, Shard{}, j.Source.Info().Len)
	if err != nil || r.already {
		return r.result(), err
	}
	res, err := j.runStaged(ctx, h)
	if err != nil {
		return res, h.withdraw(ctx, res, h.takenInstead(err))
	}
	res.Already = false
	err = publish(ctx, out.Local(), out, h)
	if errors.Is(err, errPublished) {
		err = nil
	}
	return res, err
}

// runStaged makes the output on this machine.
func (j Job) runStaged(ctx context.Context, h hold) (Result, error) {
	out := j.Out
	// Parts that a run by shards left there are not of this output, and would be put together over it.
	if err := removeShards(ctx, out); err != nil {
		return Result{}, err
	}
	var err error
	if j.Out, err = out.openStage(h.ID); err != nil {
		return Result{}, err
	}
	if err := out.fetchBeside(j.Out); err != nil {
		return Result{}, err
	}
	j.Force = false // the claim is another, and so the stage is empty
	res, err := Run(ctx, j)
	return res, ofStage(err, j.Out, out)
}

// withdraw takes the claim of a run back that has failed with err before anything was done: others could not begin with other options.
// One that replaces an output stays, for its list of files.
func (h hold) withdraw(ctx context.Context, res Result, err error) error {
	if !h.made || res.Done > 0 || h.Took || h.Replaces != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return errors.Join(err, h.release(ctx), os.RemoveAll(h.out.stage()))
}

// openStage returns the output on this machine in which p is made, empty where what is there was made for another claim.
func (p Output) openStage(id string) (Output, error) {
	dir := p.stage()
	mark := filepath.Join(dir, "claim")
	if have, err := os.ReadFile(mark); err != nil || string(have) != id {
		if err := os.RemoveAll(dir); err != nil {
			return p, p.stageError(err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return p, p.stageError(err)
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
	h, err := r.claimRemote(ctx, sh, total)
	if err != nil || r.already {
		return r.result(), nil, err
	}
	if err := r.checkEmpty(total); err != nil {
		return r.result(), nil, err
	}
	res, err := j.publishPart(ctx, h, sh, total, task)
	if err == nil {
		err = h.check()
	}
	if errors.Is(err, errPublished) { // the others were faster: this shard came late or twice
		if res.Manifest, err = ReadManifest(out); err == nil {
			err = removeShards(ctx, out)
		}
		return res, nil, err
	}
	if err != nil {
		return res, nil, err
	}
	return joinLast(ctx, res, out, j.Workers)
}

// publishPart makes a part and publishes it, unless it is there.
func (j Job) publishPart(ctx context.Context, h hold, sh Shard, total int, task func(dir string, samples int) Task) (Result, error) {
	part := Output{Path: h.out.shard(sh)}
	m, err := ReadManifest(part)
	if err == nil {
		if d := m.basis().changes(diff(m.options(), j.Options), j.basis()); len(d) > 0 {
			return Result{}, differs(part.Path, "complete", d...)
		}
		return Result{Manifest: m, Already: true, Rejected: m.Rejected, Progress: Progress{
			Total: m.Samples, Done: m.Samples, Resumed: m.Samples, Rejected: len(m.Rejected), Items: m.Items,
		}}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Result{}, err
	}
	if j.Out, err = part.openStage(h.ID); err != nil {
		return Result{}, err
	}
	res, err := j.runPart(ctx, sh, total, task)
	if err != nil {
		return res, h.takenInstead(ofStage(err, j.Out, part))
	}
	return res, publish(ctx, j.Out, part, h)
}

// remoteComplete compares the job with a complete remote output.
func (r *run) remoteComplete(ctx context.Context, m *Manifest) error {
	if d := r.differences(m); len(d) > 0 && !r.Out.gone() {
		return differs(r.Out.Path, "complete", d...)
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
	return errors.Join(r.clearClaim(ctx, m), os.RemoveAll(r.Out.stage())) // which a crash may have left
}

// clearClaim removes the claim of the complete output of m. That of a run that starts over, and is about to remove the manifest, stays.
func (r *run) clearClaim(ctx context.Context, m *Manifest) error {
	h := hold{out: r.Out}
	err := h.claim.read(r.Out)
	if err != nil {
		return ignoreMissing(err)
	}
	if h.Took || h.Replaces != nil || len(h.changes(diff(h.Options, m.options()), m.basis())) > 0 {
		return nil
	}
	return h.release(ctx)
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
