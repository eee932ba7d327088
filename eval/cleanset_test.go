package eval

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// cleanOf is a clean set of the given keys, whose labels are their places modulo 2.
func cleanOf(numbered bool, keys ...string) *CleanSet {
	c := &CleanSet{classes: []string{"cat", "dog"}, names: []string{"cat", "dog"}, numbered: numbered}
	for i, key := range keys {
		c.listed = append(c.listed, listed{key, i % 2, i % 2})
	}
	c.limited = limitOf(len(keys), 0, true)
	return c
}

// cellOfList is a cell of samples KEY:LABEL.
func cellOfList(samples ...string) *cell {
	l := &cell{place: "fog/1"}
	for _, s := range samples {
		key, label, _ := strings.Cut(s, ":")
		n := data.NoLabel
		_, _ = fmt.Sscan(label, &n)
		l.list = append(l.list, listed{key, n, n})
	}
	return l
}

// TestMatch: forms go by keys where there are any, arrays by the order of labels, names beside an array by the number of each class.
func TestMatch(t *testing.T) {
	files := cleanOf(false, "cat/val/a", "dog/val/b", "cat/val/c", "dog/val/d")
	array := cleanOf(true, "test/00", "test/01", "test/02", "test/03")
	for name, c := range map[string]struct {
		clean    *CleanSet
		numbered bool
		cell     *cell
		rows     []int
		guessed  bool
		says     string
	}{
		"keys":                   {files, false, cellOfList("dog/val/d:1", "cat/val/a:0"), []int{3, 0}, false, ""},
		"without folders":        {files, false, cellOfList("cat/c:0", "dog/b:1"), []int{2, 1}, false, ""},
		"a key of none":          {files, false, cellOfList("cat/val/a:0", "cat/val/e:0"), nil, false, "cat/val/e is none of the clean set's 4"},
		"a label":                {files, false, cellOfList("cat/val/a:1"), nil, false, "cat/val/a has the label dog, in the clean set cat"},
		"twice":                  {files, false, cellOfList("cat/val/a:0", "x/a:0"), nil, false, "has one already"},
		"tree of an array":       {array, false, cellOfList("cat/test/02:0", "dog/test/01:1"), []int{2, 1}, false, ""},
		"names beside an array":  {array, false, cellOfList("x:0", "y:1"), []int{0, 1}, true, ""},
		"one more of a class":    {array, false, cellOfList("x:0", "y:0", "z:0"), nil, false, "z: the clean set has 2 images of the class cat"},
		"array":                  {array, true, cellOfList("4:0", "5:1", "6:0", "7:1"), []int{0, 1, 2, 3}, false, ""},
		"without labels":         {array, true, cellOfList("0", "1", "2", "3"), []int{0, 1, 2, 3}, false, ""},
		"array of a limit":       {array, true, cellOfList("0:0", "1:0"), []int{0, 2}, false, ""},
		"other part":             {array, true, cellOfList("0:1", "1:0"), []int{1, 2}, true, ""},
		"another order":          {array, true, cellOfList("4:0", "5:1", "6:1", "7:0"), nil, false, "image 6 has the label dog, in the clean set test/02 has cat"},
		"files in another order": {files, true, cellOfList("0:1", "1:0", "2:0", "3:1"), []int{1, 0, 2, 3}, true, ""},
		"files of other labels":  {files, true, cellOfList("0:1", "1:1", "2:1", "3:0"), nil, false, "2: the clean set has 2 images of the class dog"},
		"too many":               {array, true, cellOfList("0:0", "1:1", "2:0", "3:1", "4:0"), nil, false, "it has 5 images, the clean set 4"},
	} {
		err := c.clean.match(c.cell, c.numbered)
		switch {
		case c.says != "":
			if !errors.Is(err, ErrOther) || !strings.HasPrefix(err.Error(), "fog/1: ") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || !reflect.DeepEqual(c.cell.rows, c.rows) || c.cell.guessed != c.guessed:
			t.Errorf("%s: rows %v, guessed %v, %v", name, c.cell.rows, c.cell.guessed, err)
		}
	}
}

// TestPartOfForm: with a limit the images are those of the clean set where the form has them, else others, with a fingerprint of their own.
func TestPartOfForm(t *testing.T) {
	c := cleanOf(false, "cat/a", "dog/b", "cat/c", "dog/d")
	c.limited = limitOf(4, 2, true)
	for _, form := range []struct {
		cell *cell
		at   []int
		same bool
	}{
		{cellOfList("dog/d:1", "cat/c:0", "dog/b:1", "cat/a:0"), []int{1, 3}, true},
		{cellOfList("cat/c:0", "dog/b:1", "dog/d:1"), []int{0, 1}, false},
	} {
		if err := c.match(form.cell, false); err != nil {
			t.Fatal(err)
		}
		said := 0
		e := &Evaluator{Limit: 2, Data: "clean", Say: func(string, ...any) { said++ }}
		f := &diskForm{at: map[string][]int{}}
		if err := e.compare(f, c, "form", form.cell, true); err != nil {
			t.Fatal(err)
		}
		if at, same := c.take(form.cell, 2, true); !reflect.DeepEqual(at, form.at) || same != form.same {
			t.Errorf("images %v, the clean set's: %v", at, same)
		}
		if f.part == form.same || (f.data == "clean") != form.same || (said == 0) != form.same {
			t.Errorf("part %v, fingerprint %s, %d lines", f.part, f.data, said)
		}
	}
}
