package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// OpenLabeled lists the folder at root like [Open] and takes the labels from the text file at list, see [data.LabelList].
// Every image below root is a sample, in whatever folder it lies; each must have its line and each line its image.
func OpenLabeled(root, list string) (*Source, error) {
	labels, err := data.ReadLabelList(list)
	if err != nil {
		return nil, err
	}
	found, err := walkRoot(root)
	if err != nil {
		return nil, fmt.Errorf("cannot list the image folder: %w", err)
	}
	rel := found.flat
	for _, c := range found.classes {
		rel = append(rel, c.files...)
	}
	slices.Sort(rel)
	var names []string
	text, err := data.ReadFile(nil, storage.Join(root, classesFile), maxClassesFile)
	switch {
	case err == nil:
		names = data.DecodeLines(text)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read the list of classes: %w", err)
	}
	s := &Source{list: list, info: data.Info{Format: Name}}
	if s.labels, s.info.Classes, err = labels.Assign(root, rel, names); err != nil {
		return nil, err
	}
	if s.info.Classes == nil && len(s.labels) > 0 && slices.Min(s.labels) == 1 {
		s.info.Note = fmt.Sprintf("the labels in %s run from 1 to %d, and class numbers count from 0; those of ILSVRC's ground truth are in "+
			"an order of their own, not that of the sorted class folders", list, slices.Max(s.labels))
	}
	s.files(root, rel)
	return s, nil
}
