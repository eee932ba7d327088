package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// LabelList is the labels of image files in a text file of their own, as flat folders come with them. A line is
//
//	ILSVRC2012_val_00000001.JPEG 65      file and label, between them blanks or a tab
//	ILSVRC2012_val_00000001.JPEG,cat     the same as CSV, with or without a head line; semicolons do too
//	65                                   the label alone, the n-th line for the n-th file by name
//
// A label is a class number from 0, or the name of a class: where classes are named by numbers, the same in every line. Of a CSV
// file with more columns a head line says which two count; where several could, the file is of the first name in fileColumns that is
// there (an id beside a filename is no file), and so is the label of labelColumns.
type LabelList struct {
	path  string
	rows  []labelRow
	alone bool // labels without files
}

type labelRow struct {
	line        int
	file, label string
}

// maxLabelList bounds the file: ten million lines of ordinary length.
const maxLabelList = 1 << 29

// maxLabel is the largest class number of a list.
const maxLabel = 1<<24 - 1

// Names of the columns in a head line, in lower case, the surest first.
var (
	fileColumns  = []string{"file", "filename", "file_name", "image", "image_name", "imageid", "image_id", "path", "name", "key", "id"}
	labelColumns = []string{"label", "class", "class_name", "classname", "class_id", "target", "category", "y"}
)

// ReadLabelList reads a list. The error wraps [ErrFormat] and names the line.
func ReadLabelList(path string) (*LabelList, error) {
	text, err := ReadFile(nil, path, maxLabelList)
	if err != nil {
		return nil, fmt.Errorf("cannot read the labels: %w", err)
	}
	l := &LabelList{path: path}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%w: %s is no text (allowed: lines of file and label; arrays of labels go with arrays of images)",
			ErrFormat, path)
	}
	first, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	switch {
	case bytes.IndexByte(first, ',') >= 0:
		err = l.readCSV(text, ',')
	case bytes.IndexByte(first, ';') >= 0:
		err = l.readCSV(text, ';')
	default:
		err = l.readLines(text)
	}
	if err == nil && len(l.rows) == 0 {
		err = fmt.Errorf("%w: %s is empty", ErrFormat, path)
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// wrong is an error about a line.
func (l *LabelList) wrong(line int, is error, format string, args ...any) error {
	return fmt.Errorf("%s line %d: %w: %s", l.path, line, is, fmt.Sprintf(format, args...))
}

// readLines reads lines of fields with blanks between them. A file name may hold blanks.
func (l *LabelList) readLines(text []byte) error {
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		cut := strings.LastIndexAny(line, " \t")
		if tab := strings.IndexByte(line, '\t'); tab >= 0 {
			cut = tab
		}
		row := labelRow{line: n, label: strings.TrimSpace(line[cut+1:])}
		if cut >= 0 {
			row.file = strings.TrimSpace(line[:cut])
		}
		switch {
		case len(l.rows) == 0:
			l.alone = cut < 0
			if !l.alone && isColumn(fileColumns, row.file) && isColumn(labelColumns, row.label) {
				continue
			}
		case l.alone != (cut < 0):
			return l.wrong(n, ErrFormat, "%.80q (allowed: a file and a label in every line, or a label alone in every line)", line)
		}
		l.rows = append(l.rows, row)
	}
	return nil
}

func isColumn(names []string, name string) bool {
	return slices.Contains(names, strings.ToLower(strings.TrimSpace(name)))
}

// columnOf returns the column of a head line that has the first of the names that is there, -1 where none is.
func columnOf(names, head []string) int {
	for _, name := range names {
		if i := slices.IndexFunc(head, func(s string) bool { return isColumn([]string{name}, s) }); i >= 0 {
			return i
		}
	}
	return -1
}

// readCSV reads lines of columns with commas, or what stands for them, between them.
func (l *LabelList) readCSV(text []byte, comma rune) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = comma
	r.FieldsPerRecord, r.ReuseRecord, r.TrimLeadingSpace = -1, true, true
	file, label, width := 0, 1, 2
	for first := true; ; first = false {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
			return l.wrong(bad.Line, ErrFormat, "%v", bad.Err)
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		if first {
			f, k := columnOf(fileColumns, record), columnOf(labelColumns, record)
			if f >= 0 && k >= 0 {
				file, label, width = f, k, len(record)
				continue
			}
		}
		if len(record) != width {
			return l.wrong(line, ErrFormat, "%d columns (allowed: %d; of more than two a head line must say which are file and label)",
				len(record), width)
		}
		l.rows = append(l.rows, labelRow{line, strings.TrimSpace(record[file]), strings.TrimSpace(record[label])})
	}
}

// Assign returns the label of each of files, which are slash-separated paths below root, and the names of the classes:
// those given, which are wanted where the list holds numbers or names of them, or the names in the list, sorted, or nil
// where it holds numbers. The list may name a file by its path below root, by the end of that path, or without extension.
// Errors wrap [ErrFormat] for a file that is not there, has no line or several, and [ErrLabel] for a label that cannot be.
func (l *LabelList) Assign(root string, files, classes []string) (labels []int, names []string, err error) {
	owner, err := l.match(root, files)
	if err != nil {
		return nil, nil, err
	}
	number, names, err := l.numbers(classes)
	if err != nil {
		return nil, nil, err
	}
	labels = make([]int, len(files))
	for i, row := range owner {
		labels[i] = number[row]
	}
	return labels, names, nil
}

// match returns the row of each file.
func (l *LabelList) match(root string, files []string) ([]int, error) {
	owner := make([]int, len(files))
	if l.alone {
		return owner, l.matchOrder(root, files, owner)
	}
	found := indexFiles(files)
	for i := range owner {
		owner[i] = -1
	}
	for i, row := range l.rows {
		k, ok := found.find(row.file)
		switch {
		case !ok:
			hint := ""
			if i == 0 && isColumn(fileColumns, row.file) {
				hint = " (a head line names the labels " + strings.Join(labelColumns, ", ") + ")"
			}
			return nil, l.wrong(row.line, ErrFormat, "there is no image %.120q in %s%s", row.file, root, hint)
		case k < 0:
			return nil, l.wrong(row.line, ErrFormat, "%.120q names several images in %s (allowed: the path below it)", row.file, root)
		case owner[k] >= 0:
			return nil, l.wrong(row.line, ErrFormat, "image %.120q has a label in line %d already", row.file, l.rows[owner[k]].line)
		}
		owner[k] = i
	}
	if k := slices.Index(owner, -1); k >= 0 {
		return nil, fmt.Errorf("%s: %w: no line for the image %.120q in %s", l.path, ErrFormat, files[k], root)
	}
	return owner, nil
}

// matchOrder gives the n-th file by name the n-th row.
func (l *LabelList) matchOrder(root string, files []string, owner []int) error {
	if len(files) != len(l.rows) {
		return fmt.Errorf("%s: %w: %d labels for %d images in %s", l.path, ErrFormat, len(l.rows), len(files), root)
	}
	for i := range owner {
		owner[i] = i
	}
	slices.SortFunc(owner, func(a, b int) int { return strings.Compare(files[a], files[b]) })
	for i := 1; i < len(owner); i++ {
		if a, b := files[owner[i-1]], files[owner[i]]; numbersFall(a, b) {
			return fmt.Errorf("%s: %w: its lines name no files, and the order of %.80q and %.80q is not sure (allowed: names that sort "+
				"as their numbers do, or lines of file and label)", l.path, ErrFormat, a, b)
		}
	}
	order := slices.Clone(owner)
	for row, k := range order {
		owner[k] = row
	}
	return nil
}

// numbersFall reports whether two names that follow each other as text are in another order as people count: 10.png before
// 2.png.
func numbersFall(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && isDigit(a[i-1]) {
		i--
	}
	x, y := digitsOf(a[i:]), digitsOf(b[i:])
	return x != "" && y != "" && (len(x) > len(y) || len(x) == len(y) && x > y)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// digitsOf returns the number that s begins with, without zeros in front.
func digitsOf(s string) string {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if end == 0 {
		return ""
	}
	return "0" + strings.TrimLeft(s[:end], "0")
}

// fileIndex finds files by what a list may call them; -1 stands for several.
type fileIndex struct {
	paths map[string]int // below the root, with and without extension
	names map[string]int // the last elements of those
}

func indexFiles(files []string) fileIndex {
	x := fileIndex{paths: map[string]int{}, names: map[string]int{}}
	add := func(m map[string]int, name string, i int) {
		if k, taken := m[name]; taken && k != i {
			i = -1
		}
		m[name] = i
	}
	for i, f := range files {
		add(x.paths, TrimImageExt(f), i)
		add(x.names, TrimImageExt(path.Base(f)), i)
	}
	for i, f := range files { // a name with its extension counts more than one of another file without
		x.paths[f] = i
		delete(x.names, path.Base(f))
	}
	for i, f := range files {
		add(x.names, path.Base(f), i)
	}
	return x
}

// find returns the file that a list calls name: by its path below the root, with folders before it or not (val/x.jpg is found
// in the folder val), or by the last element of that path alone.
func (x fileIndex) find(name string) (int, bool) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
		if i, ok := x.paths[rest]; ok {
			return i, true
		}
	}
	if strings.Contains(name, "/") {
		return 0, false
	}
	i, ok := x.names[name]
	return i, ok
}

// numbers returns the class number of each row and the names of the classes.
func (l *LabelList) numbers(classes []string) ([]int, []string, error) {
	byName := map[string]int{}
	for i, c := range classes {
		byName[c] = i
	}
	numeric := isNumber(l.rows[0].label)
	if classes == nil && !numeric {
		for _, row := range l.rows {
			byName[row.label] = 0
		}
		for name := range byName {
			classes = append(classes, name)
		}
		slices.Sort(classes)
		for i, c := range classes {
			byName[c] = i
		}
	}
	if err := l.checkMeaning(byName); err != nil {
		return nil, nil, err
	}
	numbers := make([]int, len(l.rows))
	for i, row := range l.rows {
		n, err := strconv.Atoi(row.label)
		named, known := byName[row.label]
		switch {
		case row.label == "":
			return nil, nil, l.wrong(row.line, ErrLabel, "the label is missing")
		case isNumber(row.label) != numeric:
			return nil, nil, l.wrong(row.line, ErrLabel, "%.80q, line %d has %.80q (allowed: numbers in every line, or names in every line)",
				row.label, l.rows[0].line, l.rows[0].label)
		case known:
			n = named
		case !numeric:
			return nil, nil, l.wrong(row.line, ErrLabel, "%.80q is none of the %d classes", row.label, len(classes))
		case err != nil || n < 0 || n > maxLabel || classes != nil && n >= len(classes):
			most := maxLabel
			if classes != nil {
				most = len(classes) - 1
			}
			return nil, nil, l.wrong(row.line, ErrLabel, "%.80q (allowed: 0 to %d)", row.label, most)
		}
		numbers[i] = n
	}
	return numbers, classes, nil
}

// checkMeaning returns an error where classes are named by numbers and some rows' labels are such names, and others can be only
// numbers of classes: one of 0, 1, 2 for classes 1, 2, 3 would be read in another way than the rest.
func (l *LabelList) checkMeaning(byName map[string]int) error {
	named, other := -1, -1
	for i, row := range l.rows {
		if _, known := byName[row.label]; known {
			named = max(named, i)
		} else if other < 0 && isNumber(row.label) {
			other = i
		}
	}
	if named < 0 || other < 0 || !isNumber(l.rows[named].label) {
		return nil
	}
	return l.wrong(l.rows[other].line, ErrLabel, "%.80q is no class, and line %d has the class named %.80q (allowed: names of classes in "+
		"every line, or class numbers from 0 where no class is named by a number of them)", l.rows[other].label, l.rows[named].line,
		l.rows[named].label)
}

func isNumber(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}
