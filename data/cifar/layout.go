package cifar

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/pickle"
)

// publishedFolders are the folders that the published archives unpack to.
var publishedFolders = []string{"cifar-10-batches-bin", "cifar-10-batches-py", "cifar-100-binary", "cifar-100-python"}

// batchFiles is the number of training files of CIFAR-10.
const batchFiles = 5

// part is one data file of a set.
type part struct {
	name   string // base name
	stem   string // name without ".bin": first element of the keys
	kind   Kind
	pickle bool
	train  bool
	number int // of data_batch_N
}

// parsePart recognizes the published names of data files.
func parsePart(name string) (part, bool) {
	stem, bin := strings.CutSuffix(name, ".bin")
	p := part{name: name, stem: stem, pickle: !bin, kind: CIFAR100}
	switch stem {
	case "train":
		p.train = true
		return p, true
	case "test":
		return p, true
	}
	p.kind = CIFAR10
	if stem == "test_batch" {
		return p, true
	}
	digits, ok := strings.CutPrefix(stem, "data_batch_")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return part{}, false
	}
	p.train, p.number = true, n
	return p, true
}

// choose returns the parts that the options select from the names of a folder or an archive, in the data set's order. A
// folder that holds the binary and the Python version is read in the binary one.
func choose(names []string, o Options) ([]part, error) {
	groups := map[Kind]map[bool][]part{}
	for _, n := range names {
		p, ok := parsePart(n)
		if !ok || o.Kind != Auto && p.kind != o.Kind {
			continue
		}
		if groups[p.kind] == nil {
			groups[p.kind] = map[bool][]part{}
		}
		groups[p.kind][p.pickle] = append(groups[p.kind][p.pickle], p)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%w: no CIFAR files (wanted: data_batch_1.bin ..., test_batch.bin; train.bin, test.bin; "+
			"or the same without .bin from the Python version)", data.ErrFormat)
	}
	if len(groups) > 1 {
		return nil, fmt.Errorf("%w: both CIFAR-10 and CIFAR-100 (choose one kind)", data.ErrFormat)
	}
	for _, versions := range groups {
		if parts := versions[false]; parts != nil {
			return chooseSplit(parts, o.Split)
		}
		return chooseSplit(versions[true], o.Split)
	}
	return nil, nil
}

// chooseSplit picks and orders the parts of a split.
func chooseSplit(parts []part, split Split) ([]part, error) {
	var train, test []part
	for _, p := range parts {
		if p.train {
			train = append(train, p)
		} else {
			test = append(test, p)
		}
	}
	slices.SortFunc(train, func(a, b part) int { return a.number - b.number })
	if split == Anything {
		switch {
		case len(train) > 0 && len(test) > 0:
			return nil, fmt.Errorf("%w: train and test files (choose split train, test or all)", data.ErrSplit)
		case len(train) > 0:
			split = Train
		default:
			split = Test
		}
	}
	if split != Test {
		if err := checkTrain(train); err != nil {
			return nil, err
		}
	}
	if split != Train && len(test) == 0 {
		return nil, fmt.Errorf("%w: no test file (allowed: split train)", data.ErrFormat)
	}
	switch split {
	case Train:
		return train, nil
	case Test:
		return test, nil
	}
	return append(train, test...), nil
}

// splitOf returns the split that all parts are of, "" where they are of both.
func splitOf(parts []part) string {
	split := Test
	if parts[0].train {
		split = Train
	}
	if slices.ContainsFunc(parts, func(p part) bool { return p.train != parts[0].train }) {
		return ""
	}
	return string(split)
}

// checkTrain rejects a training set with missing files: reading what is there would silently be another data set.
func checkTrain(train []part) error {
	if len(train) == 0 {
		return fmt.Errorf("%w: no training file (allowed: split test)", data.ErrFormat)
	}
	if train[0].kind == CIFAR100 {
		return nil
	}
	for i := range max(len(train), batchFiles) {
		if i >= len(train) || train[i].number != i+1 {
			ext := ".bin"
			if train[0].pickle {
				ext = ""
			}
			return fmt.Errorf("%w: data_batch_%d%s is missing", data.ErrFormat, i+1, ext)
		}
	}
	return nil
}

// identify detects what a single data file is: by its name, its first byte and its length, in this order. A pickle
// begins with byte 0x80, which no label of the published sets is.
func identify(path string, want Kind) (part, error) {
	f, err := data.OpenFile(path)
	if err != nil {
		return part{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return part{}, err
	}
	name := filepath.Base(path)
	p, known := parsePart(name)
	if !known {
		var first [1]byte
		if _, err := f.ReadAt(first[:], 0); err != nil && !errors.Is(err, io.EOF) {
			return part{}, err
		}
		ext := filepath.Ext(name)
		p = part{name: name, stem: strings.TrimSuffix(name, ext), pickle: ext != ".bin" && first[0] == pickle.Proto}
	}
	if !known || want != Auto {
		p.kind = want
	}
	if p.kind != Auto {
		return p, nil
	}
	if p.pickle {
		p.kind, err = pickleKind(f, st.Size())
	} else {
		p.kind, err = binaryKind(st.Size())
	}
	if err != nil {
		return part{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// binaryKind detects the kind of a file of records from its length.
func binaryKind(size int64) (Kind, error) {
	is10 := size%int64(CIFAR10.head()+pixels) == 0
	is100 := size%int64(CIFAR100.head()+pixels) == 0
	switch {
	case size == 0:
		return Auto, fmt.Errorf("%w: empty file", data.ErrFormat)
	case is10 && is100:
		return Auto, fmt.Errorf("%w: %d bytes can be CIFAR-10 or CIFAR-100 (choose a kind)", data.ErrUnsupported, size)
	case is10:
		return CIFAR10, nil
	case is100:
		return CIFAR100, nil
	}
	return Auto, fmt.Errorf("%w: %d bytes are no integer of records of %d or %d",
		data.ErrFormat, size, CIFAR10.head()+pixels, CIFAR100.head()+pixels)
}

// meta is the class names of a data set.
type meta struct{ fine, coarse []string }

func (m meta) labels(coarse bool) []string {
	if coarse {
		return m.coarse
	}
	return m.fine
}

// maxMeta limits the size of a file of class names. The published ones have at most about a kilobyte.
const maxMeta = 1 << 20

// names is one list of class names: the file or the key it has in a data set, and where it goes.
type names struct {
	from string
	to   *[]string
}

// readMeta reads the class names that lie beside a part; read returns an error that is [fs.ErrNotExist] for a file that
// is not there, and the names of the published data set stand in for it.
func readMeta(p part, read func(name string) ([]byte, error)) (meta, error) {
	m := meta{fine: Classes10()}
	text, pickled := []names{{"batches.meta.txt", &m.fine}}, []names{{"label_names", &m.fine}}
	file := "batches.meta"
	if p.kind == CIFAR100 {
		m = meta{fine: Classes100(), coarse: Coarse100()}
		text = []names{{"fine_label_names.txt", &m.fine}, {"coarse_label_names.txt", &m.coarse}}
		pickled = []names{{"fine_label_names", &m.fine}, {"coarse_label_names", &m.coarse}}
		file = "meta"
	}
	var err error
	if p.pickle {
		err = readPickledMeta(file, pickled, read)
	} else {
		err = readTextMeta(text, read)
	}
	return m, err
}

func readTextMeta(lists []names, read func(name string) ([]byte, error)) error {
	for _, l := range lists {
		text, err := read(l.from)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			*l.to, err = checkNames(splitNames(string(text)))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.from, err)
		}
	}
	return nil
}

func readPickledMeta(file string, lists []names, read func(name string) ([]byte, error)) error {
	src, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	d, err := unpickleDict(src)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, l := range lists {
		v, ok := d.Get(l.from)
		if !ok {
			return fmt.Errorf("%s: %w: no %q", file, data.ErrFormat, l.from)
		}
		if *l.to, err = textList(v); err != nil {
			return fmt.Errorf("%s: %q: %w", file, l.from, err)
		}
	}
	return nil
}

// splitNames returns the lines of a list of names. The published lists end in an empty line or two.
func splitNames(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			names = append(names, line)
		}
	}
	return names
}

// maxClasses is the number of values a label byte has.
const maxClasses = 256

func checkNames(names []string) ([]string, error) {
	if len(names) == 0 || len(names) > maxClasses {
		return nil, fmt.Errorf("%w: %d class names (allowed: 1 to %d)", data.ErrFormat, len(names), maxClasses)
	}
	return names, nil
}
