package data_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
)

// assign writes a list and gives files its labels.
func assign(t *testing.T, text string, files, classes []string) ([]int, []string, error) {
	t.Helper()
	list := filepath.Join(t.TempDir(), "labels.txt")
	if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := data.ReadLabelList(list)
	if err != nil {
		return nil, nil, err
	}
	return l.Assign("photos", files, classes)
}

func TestLabelList(t *testing.T) {
	val := []string{"val_01.JPEG", "val_02.JPEG", "val_10.JPEG"}
	deep := []string{"a/1.png", "b/1.png", "b/2.png"}
	for _, c := range []struct {
		name, text     string
		files, classes []string
		want           []int
		names          []string
	}{
		{"val.txt", "val_01.JPEG 65\nval_10.JPEG 3\nval_02.JPEG 970\n", val, nil, []int{65, 970, 3}, nil},
		{"tabs, Windows, no end", "val_01.JPEG\t1\r\nval_02.JPEG\t0\r\n\r\nval_10.JPEG\t1", val, nil, []int{1, 0, 1}, nil},
		{"names of classes", "val_01.JPEG dog\nval_02.JPEG cat\nval_10.JPEG dog\n", val, nil, []int{1, 0, 1}, []string{"cat", "dog"}},
		{"names with a list", "val_01.JPEG dog\nval_02.JPEG cat\nval_10.JPEG dog\n", val, []string{"dog", "cat", "eel"}, []int{0, 1, 0}, []string{"dog", "cat", "eel"}},
		{"numbers with a list", "val_01.JPEG 2\nval_02.JPEG 0\nval_10.JPEG 1\n", val, []string{"dog", "cat", "eel"}, []int{2, 0, 1}, []string{"dog", "cat", "eel"}},
		{"CSV", "val_01.JPEG,great white shark\nval_02.JPEG, eel\nval_10.JPEG,eel\n", val, nil, []int{1, 0, 0}, []string{"eel", "great white shark"}},
		{"CSV with a head line, a mark and more columns", "\ufeffid,ImageId,Label\n7,val_01,4\n8,val_02,5\n9,val_10,6\n", val, nil, []int{4, 5, 6}, nil},
		{"an id that is another file's number", "id,filename,label\n0,2.png,two\n1,0.png,zero\n2,1.png,one\n", []string{"0.png", "1.png", "2.png"}, nil, []int{2, 0, 1}, []string{"one", "two", "zero"}},
		{"class beside label", "class,image,label\neel,val_01,4\ncat,val_02,5\ndog,val_10,6\n", val, nil, []int{4, 5, 6}, nil},
		{"names that are numbers", "val_01.JPEG 3\nval_02.JPEG 1\nval_10.JPEG 10\n", val, []string{"1", "10", "2", "3"}, []int{3, 0, 1}, []string{"1", "10", "2", "3"}},
		{"CSV with columns", "width,filename,class\n7,\"val_01.JPEG\",4\n8,val_02.JPEG,5\n9,val_10,6\n", val, nil, []int{4, 5, 6}, nil},
		{"semicolons", "filename;class\nval_01.JPEG;4\nval_02.JPEG;5\nval_10.JPEG;6\n", val, nil, []int{4, 5, 6}, nil},
		{"numbers alone", "4\n5\n6\n", val, nil, []int{4, 5, 6}, nil},
		{"folders before the names", "./val/val_01.JPEG 4\n/data/val/val_02.JPEG 5\nval_10.JPEG 6\n", val, nil, []int{4, 5, 6}, nil},
		{"paths", "a/1.png 4\nb/1.png 5\n2.png 6\n", deep, nil, []int{4, 5, 6}, nil},
		{"blanks in a name", "my cat.jpg 4\n", []string{"my cat.jpg"}, nil, []int{4}, nil},
	} {
		labels, names, err := assign(t, c.text, c.files, c.classes)
		if err != nil || !slices.Equal(labels, c.want) || !slices.Equal(names, c.names) {
			t.Errorf("%s: %v %q (%v), want %v %q", c.name, labels, names, err, c.want, c.names)
		}
	}
}

// Errors name the list, the line and what is wrong.
func TestLabelListErrors(t *testing.T) {
	files := []string{"1.png", "2.png"}
	for _, c := range []struct {
		text  string
		files []string
		names []string
		is    error
		want  string
	}{
		{"1.png 0\n3.png 1\n", files, nil, data.ErrFormat, `labels.txt line 2: bad data: there is no image "3.png" in photos`},
		{"1.png 0\n", files, nil, data.ErrFormat, `labels.txt: bad data: no line for the image "2.png" in photos`},
		{"1.png 0\n\n2.png 1\n1.png 0\n", files, nil, data.ErrFormat, `labels.txt line 4: bad data: image "1.png" has a label in line 1 already`},
		{"1.png 0\n2.png -1\n", files, nil, data.ErrLabel, `line 2: bad label: "-1" (allowed: 0 to 16777215)`},
		{"1.png 0\n2.png 99999999999999999999\n", files, nil, data.ErrLabel, `line 2: bad label: "99999999999999999999" (allowed: 0 to 16777215)`},
		{"1.png 0\n2.png 2\n", files, []string{"a", "b"}, data.ErrLabel, `line 2: bad label: "2" (allowed: 0 to 1)`},
		{"1.png a\n2.png c\n", files, []string{"a", "b"}, data.ErrLabel, `line 2: bad label: "c" is none of the 2 classes`},
		{"1.png 0\n2.png 1\n", files, []string{"1", "2", "3"}, data.ErrLabel, `line 1: bad label: "0" is no class, and line 2 has the class named "1" (allowed: names`},
		{"1.png 0\n2.png cat\n", files, nil, data.ErrLabel, `line 2: bad label: "cat", line 1 has "0" (allowed: numbers in every line`},
		{"1.png,0\n2.png,\n", files, nil, data.ErrLabel, `line 2: bad label: the label is missing`},
		{"1.png,0\n2.png,1,5\n", files, nil, data.ErrFormat, `line 2: bad data: 3 columns (allowed: 2`},
		{"1.png,0\n\"2.png,1\n", files, nil, data.ErrFormat, `line 2: bad data: extraneous`},
		{"1.png 0\n7\n", files, nil, data.ErrFormat, `line 2: bad data: "7" (allowed: a file and a label in every line`},
		{"0\n1\n2\n", files, nil, data.ErrFormat, `3 labels for 2 images in photos`},
		{"0\n1\n", []string{"10.png", "2.png"}, nil, data.ErrFormat, `the order of "10.png" and "2.png" is not sure`},
		{"x/1.png 0\n2.png 1\n", []string{"a/1.png", "a/2.png"}, nil, data.ErrFormat, `line 1: bad data: there is no image "x/1.png"`},
		{"1.png 0\n", []string{"a/1.png", "b/1.png"}, nil, data.ErrFormat, `"1.png" names several images in photos`},
		{"file,number\n1.png,0\n2.png,1\n", files, nil, data.ErrFormat, `line 1: bad data: there is no image "file" in photos (a head line names the labels label, class,`},
		{"\n \n", files, nil, data.ErrFormat, `is empty`},
		{"\x93NUMPY\x00", files, nil, data.ErrFormat, `is no text`},
	} {
		_, _, err := assign(t, c.text, c.files, c.names)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzLabelList(f *testing.F) {
	f.Add("1.png 0\n2.png 1\n", "1.png")
	f.Add("a,b,c\n1.png,3\n", "x/1.png")
	f.Add("3\n4", "10.png")
	f.Fuzz(func(t *testing.T, text, file string) {
		files := []string{"2.png", "a/" + file}
		labels, _, err := assign(t, text, files, nil)
		if err == nil && (len(labels) != len(files) || labels[0] < 0 || labels[1] < 0) {
			t.Errorf("labels %v", labels)
		}
	})
}
