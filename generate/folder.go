package generate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/internal/filelock"
	"github.com/augmix-go/augmix/internal/parallel"
)

// InFolder calls do with a folder on this machine that stands for dir, which gets more files again and again, such as the results
// of evaluations: dir itself, or where that lies in an object store the stage, which is filled with what is there first and
// published when do returns, also with an error: what it left is whole, as on a disk. Files come in order, those of the names in
// last at the end. Only a process that is killed leaves its stage, which do finds the next time, and its claim, by which until
// then only a call with these options goes on.
func InFolder(ctx context.Context, dir string, options []Option, last []string, do func(dir string) error) (failed error) {
	out := Output{Path: storage.Clean(dir)}
	if !out.remote() {
		return do(dir)
	}
	mine := claim{ID: rand.Text(), Options: append([]Option{}, options...)}
	c, err := out.claimFolder(ctx, mine)
	if err != nil {
		return err
	}
	begun := false
	defer func() {
		if !begun && c.ID == mine.ID { // nothing was done that the claim would keep for a later call
			failed = errors.Join(failed, removeObject(context.WithoutCancel(ctx), out.claimPath()))
		}
	}()
	local, err := out.openStage(c.ID)
	if err != nil {
		return err
	}
	lock, err := filelock.Open(filepath.Join(filepath.Dir(local.Path), lockName))
	if errors.Is(err, filelock.ErrLocked) {
		return fmt.Errorf("%w: another process on this machine writes to %s", ErrBusy, dir)
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := out.fetchFolder(ctx, local); err != nil {
		return err
	}
	begun = true
	failed = ofStage(do(local.Path), local, out)
	ctx = context.WithoutCancel(ctx) // who interrupts do wants what it has done
	var now claim
	if err := now.read(out); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(failed, err)
	}
	if now.ID != c.ID { // one with these options, beside this one
		err := fmt.Errorf("%w: another process has written to %s meanwhile; nothing was published; run it again", ErrBusy, dir)
		return errors.Join(failed, err)
	}
	if err := out.publishFolder(ctx, local, last); err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, removeObject(ctx, out.claimPath()), local.removeLocal())
}

// claimFolder claims a folder that may hold something, or joins the claim that is there.
func (p Output) claimFolder(ctx context.Context, mine claim) (claim, error) {
	if err := p.checkStage(); err != nil { // before a claim that would keep others out
		return mine, err
	}
	text, err := json.Marshal(mine)
	if err != nil {
		return mine, err
	}
	err = putObject(ctx, p.claimPath(), text, storage.CreateOptions{Absent: true})
	if !errors.Is(err, fs.ErrExist) {
		return mine, err
	}
	var theirs claim
	if err := theirs.read(p); err != nil {
		return mine, err
	}
	return theirs, theirs.agree(p, mine)
}

// fetchFolder copies what is there to local, but for what local, which a process left that was killed, has already.
func (p Output) fetchFolder(ctx context.Context, local Output) error {
	var names []string
	for e, err := range storage.List(ctx, p.Path) {
		if err != nil {
			return err
		}
		name := strings.TrimPrefix(e.Name, p.Path+"/")
		if strings.HasPrefix(name, stateDir+"/") || exists(local.within(name)) {
			continue
		}
		if err := checkPath(p.Path, name); err != nil {
			return err
		}
		names = append(names, name)
	}
	return parallel.Try(len(names), transfers, func(_, i int) error {
		return copyFile(ctx, p.within(names[i]), local.within(names[i]), File{})
	})
}

// publishFolder uploads what of local is not there with the same hash.
func (p Output) publishFolder(ctx context.Context, local Output, last []string) error {
	var names, end []string
	err := filepath.WalkDir(local.Path, func(file string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!e.Type().IsRegular() || strings.HasSuffix(file, storage.TempSuffix)) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(local.Path, file)
		if name = filepath.ToSlash(name); slices.Contains(last, path.Base(name)) {
			end = append(end, name)
		} else {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	send := func(name string) error {
		sum, size, err := digest.File(local.within(name))
		if err != nil || remoteSum(ctx, p.within(name)) == sum.String() {
			return err
		}
		return copyFile(ctx, local.within(name), p.within(name), File{SHA256: sum.String(), Size: size})
	}
	err = parallel.Try(len(names), transfers, func(_, i int) error { return send(names[i]) })
	for _, name := range end {
		if err == nil {
			err = send(name)
		}
	}
	return err
}
