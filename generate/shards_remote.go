package generate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/filelock"
	"github.com/augmix-go/augmix/internal/parallel"
)

// joinRemote is Join of a remote output all of whose n shards are published.
func joinRemote(ctx context.Context, out Output, n, workers int) (*Manifest, error) {
	parts, err := readShards(out, n) // in the store, before anything is fetched, for what they are like here may be out of date
	if err != nil {
		return joinedByOther(out, err)
	}
	h, ours, err := holdOfShards(out, parts)
	if err != nil || !ours {
		return nil, err
	}
	local, err := Output{Path: storage.Join(out.Path, "join")}.openStage(h.ID) // apart from the stages of shards
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
		if err := fetchShards(ctx, out, local, parts); err != nil {
			return joinedByOther(out, err)
		}
		if m, _, err := Join(ctx, local, workers); err != nil {
			return m, ofStage(err, local, out)
		}
	}
	if err := publish(ctx, local, out, h); err != nil && !errors.Is(err, errPublished) {
		return nil, err
	}
	m, err := ReadManifest(out)
	if err != nil {
		return nil, err
	}
	return m, removeShards(ctx, out)
}

// holdOfShards returns the claim of the run that made the parts. ours is false where another run has claimed the output meanwhile, which
// these parts are none of. Parts that were copied there have no claim.
func holdOfShards(out Output, parts []*Manifest) (h hold, ours bool, err error) {
	h = hold{out: out}
	h.Options, h.basis, h.Shards = parts[0].options(), parts[0].basis(), len(parts)
	var c claim
	err = c.read(out)
	if errors.Is(err, fs.ErrNotExist) {
		return h, true, nil
	}
	if err != nil {
		return h, false, err
	}
	ours = c.Shards == h.Shards && len(c.changes(diff(c.Options, h.Options), h.basis)) == 0
	h.claim = c
	return h, ours, nil
}

// joinedByOther returns the manifest of an output that another process has joined meanwhile, or the error.
func joinedByOther(out Output, err error) (*Manifest, error) {
	if m, err2 := ReadManifest(out); err2 == nil {
		return m, nil
	}
	return nil, err
}

// fetchShards copies the shards of a remote output to this machine. What an earlier try has fetched counts where it is the same.
func fetchShards(ctx context.Context, out, local Output, parts []*Manifest) error {
	for i, m := range parts {
		sh := Shard{i, len(parts)}
		from, to := Output{Path: out.shard(sh)}, Output{Path: local.shard(sh)}
		if have, err := ReadManifest(to); err == nil && reflect.DeepEqual(have, m) {
			continue
		}
		if err := os.RemoveAll(to.Path); err != nil {
			return err
		}
		if err := fetchShard(ctx, from, to, m); err != nil {
			return err
		}
	}
	return nil
}

// fetchShard copies the shard of the manifest m, which comes last.
func fetchShard(ctx context.Context, from, to Output, m *Manifest) error {
	err := parallel.Try(len(m.Files), transfers, func(_, i int) error {
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
	return nil
}

// removeShards removes the shards that lie at a remote output and are nobody's any more: it is complete, or another run has claimed it.
func removeShards(ctx context.Context, out Output) error {
	var names []string // few beside the samples: the files of shards are tar files and arrays, or as many as the output's
	for e, err := range storage.List(ctx, out.state()) {
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name, storage.Join(out.state(), data.ShardPrefix)) {
			names = append(names, e.Name)
		}
	}
	slices.Reverse(names)
	return parallel.Try(len(names), transfers, func(_, i int) error { return removeObject(ctx, names[i]) })
}

// clearShards is removeShards of an output on this machine, whose lock the caller holds.
func (p Output) clearShards() error {
	entries, err := os.ReadDir(p.state())
	if err != nil {
		return ignoreMissing(err)
	}
	for _, e := range entries { // "joining" comes first: without it nobody takes what is left for a Join to go on with
		if e.Name() != joiningName && !strings.HasPrefix(e.Name(), data.ShardPrefix) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(p.state(), e.Name())); err != nil {
			return err
		}
	}
	return nil
}
