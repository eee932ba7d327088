package robustbench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// folder is where the files of a data set lie beneath a checkout of the leaderboard.
func folder(dir, dataset string) string {
	return filepath.Join(dir, "model_info", dataset, "corruptions")
}

// Write puts an entry into dir: the file of the model, in place of an earlier one, and its line in the table of accuracies, whose
// other lines stay. dir may be a checkout of the leaderboard's repository. The file of the model is written last, so that no file is
// without its line.
func Write(dir string, e *Entry) error {
	if err := storage.CheckLocal(dir); err != nil {
		return err
	}
	if e == nil {
		return fmt.Errorf("%w: the entry is nil (allowed: one of FromRows)", ErrAbout)
	}
	if !isID(e.ID) {
		return fmt.Errorf("%w: the model is called %q, which cannot be the name of a file", ErrAbout, e.ID)
	}
	text, err := new(e.file()).encode()
	if err != nil {
		return err
	}
	to := folder(dir, e.Dataset)
	path := filepath.Join(to, tableName)
	t, err := openTable(path)
	if errors.Is(err, fs.ErrNotExist) {
		t, err = newTable(), os.MkdirAll(to, 0o777)
	}
	if err != nil {
		return err
	}
	t.put(e)
	lines, err := t.encode()
	if err != nil {
		return err
	}
	if err := data.WriteFileAtomic(path, lines); err != nil {
		return err
	}
	return data.WriteFileAtomic(filepath.Join(to, e.ID+".json"), text)
}

// maxTable is the most bytes of a table; a line has about a thousand.
const maxTable = 16 << 20

func openTable(path string) (*table, error) {
	text, err := data.ReadFile(nil, path, maxTable)
	if err != nil {
		return nil, err
	}
	t, err := readTable(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
