package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/stream"
)

// writeManifest writes the manifest of a stream of so many positions, and no images.
func (c *streamCmd) writeManifest(a *app, positions int, manifest []byte) error {
	if c.Out == formats.Standard {
		_, err := a.out.Write(manifest)
		return err
	}
	there, err := c.hasManifest(manifest)
	if err != nil {
		return err
	}
	s := summary{Out: c.Out, Samples: positions, Already: there && !c.Force, Rejected: []data.Rejected{}}
	if s.Already {
		a.say("%s is complete: %s; nothing to do (--force writes it again)", c.Out, terminal.Count(positions, "position"))
	} else {
		if err := data.WriteFileAtomic(c.Out, manifest); err != nil {
			return err
		}
		a.say("%s: %s", c.Out, terminal.Count(positions, "position"))
	}
	return finish(a, generate.Output{Path: c.Out, File: true}, s)
}

// hasManifest reports whether OUT is the manifest already. Anything else there is an error, but for that of another stream with --force.
func (c *streamCmd) hasManifest(manifest []byte) (bool, error) {
	f, err := data.OpenFile(c.Out)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, int64(len(manifest))+1)) // more than that is another file
	switch {
	case err != nil:
		return false, err
	case bytes.Equal(old, manifest):
		return true, nil
	case !stream.IsManifest(old):
		return false, fmt.Errorf("%w: %s is there already and is no manifest of a stream; choose another name or remove it",
			generate.ErrOccupied, c.Out)
	case !c.Force:
		return false, fmt.Errorf("%w: %s is the manifest of another stream (--force replaces it)", generate.ErrOccupied, c.Out)
	}
	return false, nil
}
