package data

import (
	"fmt"
	"strings"

	"github.com/augmix-go/augmix/internal/option"
)

// Unlabeled returns the error, which wraps [ErrLabel], of the sample key without a label where one is needed.
func Unlabeled(key string) error {
	return option.Errorf(ErrLabel, "%s has no label (allowed: images with labels, such as those in folders of their classes; or a list, "+
		"{the option labels})", key)
}

// LabelRule watches the labels that a sink is given: all samples have one or none has, and with class names a label is
// one of them. The zero value is a data set of which nothing is known yet.
type LabelRule struct {
	Seen    bool `json:"seen"`    // a sample was put
	Labeled bool `json:"labeled"` // the samples have labels; of no meaning before the first
}

// Check returns an error that wraps [ErrLabel] and names key unless the label can join those before it. classes is the
// number of class names, 0 for none.
func (r *LabelRule) Check(key string, label, classes int) error {
	switch {
	case label < NoLabel:
		return fmt.Errorf("%w: sample %q has label %d (allowed: 0 and up, %d for none)", ErrLabel, key, label, NoLabel)
	case classes > 0 && label >= classes:
		return fmt.Errorf("%w: sample %q has label %d (allowed: 0 to %d)", ErrLabel, key, label, classes-1)
	case r.Seen && r.Labeled && label == NoLabel:
		return fmt.Errorf("%w: sample %q has no label, the samples before it have", ErrLabel, key)
	case r.Seen && !r.Labeled && label != NoLabel:
		return fmt.Errorf("%w: sample %q has label %d, the samples before it have none", ErrLabel, key, label)
	}
	r.Seen, r.Labeled = true, label != NoLabel
	return nil
}

// ClassFolder returns the folder of a class: its name, with what cannot be in a file name, or would reach outside or be
// hidden, replaced by an underscore. A name of no bytes or more than 200 is rejected with [ErrLabel].
func ClassFolder(class string) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, class)
	if strings.HasPrefix(name, ".") {
		name = "_" + name[1:]
	}
	if name == "" || len(name) > 200 {
		return "", fmt.Errorf("%w: class name %.80q cannot name a folder (allowed: 1 to 200 bytes)", ErrLabel,
			class)
	}
	return name, nil
}
