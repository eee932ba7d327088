package generate

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/parallel"
)

// checkEvery is after how many files a run looks whether its claim still holds.
const checkEvery = 16

// publish uploads the complete output local as out, its manifest last, and removes local and the claim h. out is that of the claim, or a
// part of it. It stops with the error of h where that does not hold any more; errPublished is no failure.
func publish(ctx context.Context, local, out Output, h hold) error {
	err := h.check()
	if err == nil {
		err = send(ctx, local, out, h)
	}
	switch {
	case errors.Is(err, errPublished):
		return errors.Join(local.removeLocal(), err)
	case err != nil:
		return ofStage(err, local, out)
	case out.Path != h.out.Path: // a part
		return local.removeLocal()
	}
	return errors.Join(h.release(ctx), local.removeLocal())
}

// send uploads the complete output local as out, and removes what that replaces.
func send(ctx context.Context, local, out Output, h hold) error {
	m, err := ReadManifest(local)
	if err != nil {
		return err
	}
	sent, err := sendFiles(ctx, local, out, m, h)
	if err == nil && h.Took && sent > 0 { // the run that the claim was taken from may have replaced some before it saw that
		_, err = sendFiles(ctx, local, out, m, h)
	}
	if err == nil {
		err = sendRecords(ctx, local, out, m, h)
	}
	if err != nil || out.Path != h.out.Path {
		return err
	}
	if err := h.check(); errors.Is(err, ErrTaken) { // at this moment: the manifest is not to vouch for the other's files
		return errors.Join(out.takeBack(ctx, m), err)
	} else if err != nil {
		return err
	}
	return h.removeReplaced(ctx, m)
}

// sendFiles uploads the files of the manifest that are not there, and says how many those were.
func sendFiles(ctx context.Context, local, out Output, m *Manifest, h hold) (int, error) {
	there, err := out.sizes(ctx)
	if err != nil {
		return 0, err
	}
	var sent atomic.Int64
	err = parallel.Try(len(m.Files), transfers, func(_, i int) error {
		f := m.Files[i]
		if size, ok := there[f.Path]; ok && size == f.Size && remoteSum(ctx, out.within(f.Path)) == f.SHA256 {
			return nil
		}
		if sent.Add(1)%checkEvery == 0 || f.Size >= checkSize {
			if err := h.check(); err != nil {
				return err
			}
		}
		return copyFile(ctx, local.within(f.Path), out.within(f.Path), f)
	})
	return int(sent.Load()), err
}

// checkSize is from how many bytes on the claim is looked at before each file.
const checkSize = 8 << 20

// sendRecords uploads the records, the manifest last.
func sendRecords(ctx context.Context, local, out Output, m *Manifest, h hold) error {
	for _, name := range append(slices.Clone(m.Records), ManifestName) {
		text, err := os.ReadFile(local.Record(name))
		if err == nil && name == ManifestName {
			err = h.check()
		}
		if err == nil {
			err = putObject(ctx, out.Record(name), text, storage.CreateOptions{})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeBack removes the manifest m, if it is the one that is there.
func (p Output) takeBack(ctx context.Context, m *Manifest) error {
	there, err := ReadManifest(p)
	if err != nil {
		return ignoreMissing(err)
	}
	if !reflect.DeepEqual(there, m) {
		return nil
	}
	return removeObject(ctx, p.Record(ManifestName))
}

// without returns the names that are none of the files and records of the manifest m.
func (p Output) without(names []string, m *Manifest) []string {
	keep := map[string]bool{}
	for _, name := range p.records(m.Records) {
		keep[name] = true
	}
	for _, f := range m.Files {
		keep[f.Path] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return keep[name] || p.File && slices.Contains(p.Beside, name)
	})
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

// remoteSum is the hash that an object was uploaded with, "" where none is known, as in a store that keeps none: it is sent again.
func remoteSum(ctx context.Context, name string) string {
	s, err := storage.For(name)
	if err != nil {
		return ""
	}
	keeps, ok := s.(interface {
		Sum(ctx context.Context, name string) (string, error)
	})
	if !ok {
		return ""
	}
	sum, err := keeps.Sum(ctx, name)
	if err != nil {
		return "" // sending it again says what is wrong
	}
	return sum
}
