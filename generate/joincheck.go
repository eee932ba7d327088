package generate

import (
	"context"
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// readShards reads the manifests of all shards and checks that they are of one run, each in its own place.
func readShards(out Output, n int) ([]*Manifest, error) {
	var parts []*Manifest
	for i := range n {
		m, err := ReadManifest(Output{Path: out.shard(Shard{i, n})})
		if err != nil {
			return nil, err
		}
		if name := (Shard{i, n}).String(); m.Shard != "" && m.Shard != name { // earlier versions did not say it
			return nil, fmt.Errorf("%w: %s holds shard %s (remove what is wrong and make it again)", ErrShards, out.shard(Shard{i, n}), m.Shard)
		}
		parts = append(parts, m)
		if d := parts[0].basis().changes(diff(parts[0].options(), m.options()), m.basis()); len(d) > 0 {
			return nil, fmt.Errorf("%w: shards 0 and %d of %s were %w:%s", ErrShards, i, out.Path, ErrDiffers, listed(d))
		}
	}
	return parts, sameInput(out, parts)
}

// sameInput returns an error unless all shards read the same input.
func sameInput(out Output, parts []*Manifest) error {
	var others, changes []string
	for i, m := range parts {
		if m.Input == nil || parts[0].Input == nil {
			return fmt.Errorf("%w: the manifest of shard %d of %s does not say from which input it was made", ErrShards, i, out.Path)
		}
		if d := parts[0].Input.Changes(*m.Input); len(d) > 0 {
			others, changes = append(others, Shard{i, len(parts)}.String()), d
		}
	}
	if others == nil {
		return nil
	}
	wrong := "folder " + storage.Join(out.state(), data.ShardPrefix+"I-of-"+fmt.Sprint(len(parts)))
	if out.remote() { // there is no folder, and a part without this object is not there
		wrong = "object " + Output{Path: wrong[len("folder "):]}.Record(ManifestName)
	}
	return fmt.Errorf("%w: %w between the shards of %s: 0/%d and %s were made from different ones (remove the %s of each that "+
		"is wrong and make it again):\n  %s", ErrShards, ErrChanged, out.Path, len(parts), strings.Join(others, ", "),
		wrong, strings.Join(changes, "\n  "))
}

// checkFiles returns an error that wraps ErrDamaged unless each of n shards has the files that its manifest lists: they may have come
// from other machines, and what is joined of damaged ones has hashes of its own.
func checkFiles(ctx context.Context, out Output, n, workers int) error {
	for i := range n {
		part := Output{Path: out.shard(Shard{i, n})}
		d, err := Verify(ctx, part, workers)
		if err != nil {
			return err
		}
		for _, lost := range []struct {
			what  string
			files []string
		}{{"is missing", d.Missing}, {"is not what was written", d.Changed}} {
			if len(lost.files) > 0 {
				return fmt.Errorf("%w: %s %s (copy the shard again, or remove it and make it again)", ErrDamaged,
					storage.Join(part.Path, lost.files[0]), lost.what)
			}
		}
	}
	return nil
}
