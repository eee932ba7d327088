package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// CleanSet is what forms on disk are compared with: the keys and the labels of the clean set.
type CleanSet struct {
	classes  []string // names as the set has them, for fingerprints
	names    []string // of the classes that labels are measured by
	numbered bool     // keys are numbers of rows, which other files of the same images need not have
	listed   []listed
	limited  []int          // rows that are looked at, ascending
	places   map[string]int // rows by the keys that forms may have of them
	files    map[string]int // rows by the last part of their keys, -1 where several share one
}

// listed is a sample of a list.
type listed struct {
	key   string
	label int // as it is measured
	own   int // as the set has it
}

// numberedFormats are those whose keys are numbers of rows.
var numberedFormats = map[string]bool{"cifar10": true, "cifar100": true, "npy": true, "npz": true, "medmnist": true, "svhn": true}

// ListClean lists a clean set, of which limit samples are looked at, 0: all. open gives it as it is, matched with the labels by which
// it is measured. No image is read where the set knows its samples without.
func ListClean(ctx context.Context, open, matched func() (data.Source, error), limit int) (*CleanSet, error) {
	c := &CleanSet{}
	own, info, err := listOf(ctx, open)
	if err != nil {
		return nil, err
	}
	c.classes, c.numbered = info.Classes, numberedFormats[info.Format]
	if c.listed, info, err = listOf(ctx, matched); err != nil {
		return nil, err
	}
	c.names = info.Classes
	for i := range c.listed {
		c.listed[i].own = own[min(i, len(own)-1)].label
	}
	src, err := open()
	if err != nil {
		return nil, err
	}
	_, indexed := src.(data.Indexed)
	c.limited = limitOf(len(c.listed), limit, indexed)
	return c, src.Close()
}

// limitOf returns the rows of n that data.Limit takes.
func limitOf(n, limit int, indexed bool) []int {
	if limit <= 0 || limit > n {
		limit = n
	}
	rows := make([]int, limit)
	for i := range rows {
		rows[i] = i
		if indexed {
			rows[i] = i * n / limit
		}
	}
	return rows
}

// listOf opens a source and lists its samples.
func listOf(ctx context.Context, open func() (data.Source, error)) (list []listed, info data.Info, err error) {
	src, err := open()
	if err != nil {
		return nil, info, err
	}
	list, err = readList(ctx, src)
	return list, src.Info(), errors.Join(err, src.Close())
}

// readList lists the samples of a source, without reading images where it knows them without.
func readList(ctx context.Context, src data.Source) (list []listed, err error) {
	var s data.Sample
	all, indexed := src.(data.Indexed)
	for i := 0; ; i++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if indexed && i == all.Len() {
			return list, nil
		}
		if indexed {
			err = data.Describe(all, i, &s)
		} else {
			err = src.Next(&s)
		}
		var bad *data.SampleError
		switch {
		case err == io.EOF:
			return list, nil
		case errors.As(err, &bad): // the measurement's error
			s.Key, s.Label = bad.Key, data.NoLabel
		case err != nil:
			return nil, err
		}
		list = append(list, listed{key: s.Key, label: s.Label, own: s.Label})
	}
}

// find returns the row of the sample that a form has under a key.
func (c *CleanSet) find(key string) (int, bool) {
	if c.places == nil {
		c.index()
	}
	if row, ok := c.places[key]; ok {
		return row, true
	}
	row, ok := c.files[path.Base(key)]
	return row, ok && row >= 0
}

// index finds out the keys that forms may have of each sample: its own, that in the folder of its class, where its own does not begin
// with that, and the file's name where no other sample has it, as trees of ImageNet and its forms differ in the folders between.
func (c *CleanSet) index() {
	c.places, c.files = make(map[string]int, 2*len(c.listed)), make(map[string]int, len(c.listed))
	for row := range c.listed {
		s := &c.listed[row]
		base := path.Base(s.key)
		if _, taken := c.files[base]; taken || c.numbered {
			c.files[base] = -1
		} else {
			c.files[base] = row
		}
		if place := c.placeOf(s); place != s.key {
			c.places[place] = row
		}
	}
	for row := range c.listed { // a sample's own key goes before another's place
		c.places[c.listed[row].key] = row
	}
}

// placeOf returns the key of a sample in the trees that package generate writes: no element begins with a dot, in the folder of its
// class, or flat where it has none.
func (c *CleanSet) placeOf(s *listed) string {
	elems := strings.Split(s.key, "/")
	for i, e := range elems {
		if strings.HasPrefix(e, ".") {
			elems[i] = "_" + e[1:]
		}
	}
	if s.own == data.NoLabel {
		return strings.Join(elems, "_")
	}
	dir := fmt.Sprintf("%05d", s.own)
	if s.own < len(c.classes) {
		var err error
		if dir, err = data.ClassFolder(c.classes[s.own]); err != nil {
			return s.key
		}
	}
	if elems[0] != dir || len(elems) == 1 {
		elems = append([]string{dir}, elems...)
	}
	return strings.Join(elems, "/")
}

// renumber gives samples whose labels are the set's own those by which it is measured. A class that it has no sample of is no label.
func (c *CleanSet) renumber(list []listed) {
	labels := map[int]int{}
	for i := range c.listed {
		labels[c.listed[i].own] = c.listed[i].label
	}
	for i := range list {
		label, ok := labels[list[i].own]
		if !ok {
			label = data.NoLabel
		}
		list[i].label = label
	}
}

// class names a label.
func (c *CleanSet) class(label int) string {
	switch {
	case label == data.NoLabel:
		return "none"
	case label < len(c.names):
		return c.names[label]
	}
	return fmt.Sprint(label)
}

// sign returns the fingerprint of some of the samples, as data.Sign has it.
func (c *CleanSet) sign(rows []int) string {
	s := data.NewSigner(c.classes)
	for _, row := range rows {
		s.Add(&data.Sample{Key: c.listed[row].key, Label: c.listed[row].own})
	}
	return s.Sum().Samples
}
