package generate

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/augmix-go/augmix/data"
)

// Records are small files beside the manifest. All but args.yaml are data, such as the map from the images of a stream to their
// corruptions: the manifest has their hashes, and an output without them is damaged. args.yaml is for people to edit, and what it
// says is among the manifest's options.

// checked returns the names of the records that are data.
func checked(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == ArgsName })
}

// laid reports whether the record of that name is there as it is to be.
func (r *run) laid(name string) bool {
	path := r.Out.Record(name)
	if name == ArgsName {
		return exists(path)
	}
	text, err := data.ReadFile(nil, path, maxRecord)
	return err == nil && bytes.Equal(text, r.Records[name])
}

// recordSums returns the hashes of the records, which must be what the run has written, nil where there are none.
func (r *run) recordSums(ctx context.Context) (map[string]string, error) {
	var names, paths []string
	noted := map[string]data.FileSum{}
	for _, name := range checked(r.journal.Records) {
		text, ok := r.Records[name]
		if !ok {
			continue // of an earlier run by another program
		}
		path := r.Out.recordName(name)
		names, paths = append(names, name), append(paths, path)
		noted[path] = data.FileSum{Path: path, Size: int64(len(text)), CRC: data.UpdateCRC(0, text)}
	}
	if names == nil {
		return nil, nil
	}
	files, _, err := hashFiles(ctx, r.Out, paths, noted, r.Workers)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for i, f := range files {
		sums[names[i]] = f.SHA256
	}
	return sums, nil
}

// lostRecords returns the paths of the records that are not there, and of those that are not what was written, beneath the root.
func (m *Manifest) lostRecords(ctx context.Context, p Output) (missing, changed []string, err error) {
	sums := map[string]string{} // by path
	var there []string
	for _, name := range checked(m.Records) {
		path := p.recordName(name)
		if !exists(p.within(path)) {
			missing = append(missing, path)
			continue
		}
		there, sums[path] = append(there, path), m.RecordSums[name]
	}
	there, changed, err = regular(p, there)
	if err != nil {
		return nil, nil, err
	}
	files, _, err := hashFiles(ctx, p, there, nil, 1)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		if want := sums[f.Path]; want != "" && want != f.SHA256 {
			changed = append(changed, f.Path)
		}
	}
	return missing, changed, nil
}

// whole returns an error that wraps ErrDamaged where a file of the complete output is not there with its size, or a record not as it
// was written.
func (m *Manifest) whole(ctx context.Context, p Output) error {
	missing, err := m.missing(p)
	if err != nil {
		return err
	}
	if missing != "" {
		return fmt.Errorf("%w: %s was complete, but %s is missing or has another size", ErrDamaged, p.Path, missing)
	}
	return m.wholeRecords(ctx, p)
}

// wholeRecords is whole of the records alone.
func (m *Manifest) wholeRecords(ctx context.Context, p Output) error {
	missing, changed, err := m.lostRecords(ctx, p)
	if err == nil && len(missing)+len(changed) > 0 {
		lost := slices.Concat(missing, changed)[0]
		err = fmt.Errorf("%w: %s was complete, but %s is missing or not what was written", ErrDamaged, p.Path, lost)
	}
	return err
}
