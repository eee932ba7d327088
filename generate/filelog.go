package generate

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// Sinks of many files give most of them their names long before the run is complete, others at its end. Each file is noted in the
// state with its size and checksum, so that one that is lost or damaged until then is found before a manifest vouches for it.

const filesName = "files"

// filesMark is how much of the notes a checkpoint made durable.
type filesMark struct {
	Size int64  `json:"size"`
	CRC  uint32 `json:"crc"`
}

func (p Output) notes() string { return filepath.Join(p.state(), filesName) }

// noteFinished adds the files that the sink has finished since the last checkpoint.
func (r *run) noteFinished(out sink) error {
	files := slices.Clone(out.finished())
	for i := range files {
		rel, err := filepath.Rel(r.Out.root(), files[i].Path)
		if err != nil {
			return err
		}
		files[i].Path = filepath.ToSlash(rel)
	}
	return r.note(files)
}

// note adds files, whose paths are those of a manifest.
func (r *run) note(files []data.FileSum) error {
	if len(files) == 0 {
		return nil
	}
	var text []byte
	for _, f := range files {
		text = fmt.Appendf(text, "%08x %d %q\n", f.CRC, f.Size, f.Path)
	}
	f, err := r.openNotes()
	if err != nil {
		return err
	}
	_, err = f.WriteAt(text, r.journal.Files.Size)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot note finished files: %w", err)
	}
	r.journal.Files.Size += int64(len(text))
	r.journal.Files.CRC = data.UpdateCRC(r.journal.Files.CRC, text)
	return nil
}

// openNotes opens the notes where the last checkpoint left them: what a crash cut off after it goes.
func (r *run) openNotes() (*os.File, error) {
	if r.journal.Files.Size == 0 {
		return data.CreateNew(r.Out.notes())
	}
	f, err := os.OpenFile(r.Out.notes(), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(r.journal.Files.Size); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// noted returns the files that the sink has finished, by path. The error wraps ErrDamaged where the notes are not what was
// written, or a file was written twice.
func (r *run) noted() (map[string]data.FileSum, error) {
	mark := r.journal.Files
	if mark.Size == 0 {
		return nil, nil
	}
	text, err := data.ReadFile(nil, r.Out.notes(), maxRecord)
	if err != nil || int64(len(text)) < mark.Size || data.UpdateCRC(0, text[:mark.Size]) != mark.CRC {
		return nil, errors.Join(fmt.Errorf("%w: %s is not what was written", ErrDamaged, r.Out.notes()), err)
	}
	files := map[string]data.FileSum{}
	lines := bufio.NewScanner(strings.NewReader(string(text[:mark.Size])))
	for lines.Scan() {
		var f data.FileSum
		if _, err := fmt.Sscanf(lines.Text(), "%x %d %q", &f.CRC, &f.Size, &f.Path); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, r.Out.notes(), err)
		}
		if _, twice := files[f.Path]; twice { // which a sink that was opened again cannot know
			return nil, fmt.Errorf("%w: two samples were written to %s, the second after an interruption (allowed: keys that give each a "+
				"file of its own)", ErrDamaged, r.Out.within(f.Path))
		}
		files[f.Path] = f
	}
	return files, lines.Err()
}
