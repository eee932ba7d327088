package folder_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/raster"
)

func open(path string) (data.Source, error) { return folder.Open(path) }

func creator(o folder.SinkOptions) func(string, []string, []byte) (data.Sink, error) {
	return func(path string, classes []string, state []byte) (data.Sink, error) {
		return folder.Create(path, classes, o, state)
	}
}

func key(k datatest.Known, classes []string) string {
	if k.Label == data.NoLabel {
		return k.Key[:5] + "_" + k.Key[6:]
	}
	return classes[k.Label] + "/" + k.Key
}

func TestConformancePNG(t *testing.T) {
	datatest.Suite{
		Open: open, Create: creator(folder.SinkOptions{}), Indexed: true, Key: key, Unlabeled: true, EarlyFiles: true,
	}.Run(t)
}

func TestConformanceJPEG(t *testing.T) {
	datatest.Suite{
		W: 16, H: 24, Open: open, Create: creator(folder.SinkOptions{Encoding: data.Encoding{JPEG: true}}),
		Indexed: true,
		Key:     key, Unlabeled: true, EarlyFiles: true, Tolerance: 9,
		PrefixOK: true, // a file that lacks only its end marker is whole
	}.Run(t)
}

// TestNumberedFolders: labels without names make numbered folders, whose numbers are kept whatever is missing.
func TestNumberedFolders(t *testing.T) {
	root := t.TempDir()
	sink, err := folder.Create(root, nil, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(2, 2)
	for i, label := range []int{3, 1, 3} {
		it := data.Item{Key: fmt.Sprint("k", i), Label: label, Image: m}
		if err := sink.Put(&it); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := src.Info().Classes; !slices.Equal(got, []string{"00000", "00001", "00002", "00003"}) {
		t.Errorf("classes %q", got)
	}
	if got := labels(t, src); !slices.Equal(got, []int{1, 3, 3}) {
		t.Errorf("labels %v", got)
	}
	if sink, err = folder.Create(t.TempDir(), nil, folder.SinkOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := sink.Put(&data.Item{Key: "k", Label: 100000, Image: m}); !errors.Is(err, data.ErrLabel) {
		t.Errorf("label 100000: %v", err)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func labels(t *testing.T, src data.Source) []int {
	t.Helper()
	var out []int
	for _, s := range samples(t, src) {
		out = append(out, s.Label)
	}
	return out
}

func keys(t *testing.T, src data.Source) []string {
	t.Helper()
	var out []string
	for _, s := range samples(t, src) {
		out = append(out, s.Key)
	}
	return out
}

func samples(t *testing.T, src data.Source) []data.Sample {
	t.Helper()
	var out []data.Sample
	for {
		var s data.Sample
		err := src.Next(&s)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
}

// makeFiles makes files with one and the same image in them; a path that ends in a slash makes a folder.
func makeFiles(t *testing.T, paths ...string) string {
	t.Helper()
	root := t.TempDir()
	file, err := data.Encoding{}.Append(nil, raster.New(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		name := filepath.Join(root, filepath.FromSlash(p))
		if strings.HasSuffix(p, "/") {
			err = os.MkdirAll(name, 0o777)
		} else if err = os.MkdirAll(filepath.Dir(name), 0o777); err == nil {
			err = os.WriteFile(name, file, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestTorchvisionOrder: the order is that of sorted(os.walk(...)), in which a folder's path is compared as a string, so
// that "a-b" comes between "a" and "a/deep" ('-' is before '/'), and capitals before small letters.
func TestTorchvisionOrder(t *testing.T) {
	root := makeFiles(t,
		"beta/x.png", "alpha/z.png", "alpha/a/2.png", "alpha/a-b/1.jpg", "alpha/a/10.PNG", "alpha/a/deep/3.png",
		"Zeta/1.webp", "empty/",
		"beta/notes.txt", "beta/.hidden.png", ".ipynb_checkpoints/c.png", "alpha/.git/c.png", "loose.png",
		"beta/y.partial",
	)
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := src.Info().Classes, []string{"Zeta", "alpha", "beta", "empty"}; !slices.Equal(got, want) {
		t.Errorf("classes %q, want %q", got, want)
	}
	want := []string{"Zeta/1", "alpha/z", "alpha/a/10", "alpha/a/2", "alpha/a-b/1", "alpha/a/deep/3", "beta/x"}
	all := samples(t, src)
	for i, s := range all {
		if i >= len(want) || s.Key != want[i] {
			t.Errorf("sample %d is %s", i, s.Key)
		}
	}
	if len(all) != len(want) || all[6].Label != 2 || all[0].Label != 0 {
		t.Errorf("%d samples, want %d", len(all), len(want))
	}
	if want := filepath.Join(root, "alpha", "a", "10.PNG"); all[2].Name != want {
		t.Errorf("Name %s, want %s", all[2].Name, want)
	}
}

func TestFlat(t *testing.T) {
	// Folders without an image do not make classes of what lies beside them.
	src, err := folder.Open(makeFiles(t, "b.png", "a.jpg", "a.png", "annotations/", ".c.png"))
	if err != nil {
		t.Fatal(err)
	}
	all := samples(t, src)
	if len(all) != 3 || all[0].Key != "a.jpg" || all[1].Key != "a.png" || all[2].Key != "b" {
		t.Errorf("%d samples", len(all))
	}
	if info := src.Info(); info.Classes != nil || info.Len != 3 || all[0].Label != data.NoLabel {
		t.Errorf("%+v, label %d", info, all[0].Label)
	}
}

func TestLinks(t *testing.T) {
	root := makeFiles(t, "cat/1.png", "cat/deep/2.png", "store/3.png")
	for name, to := range map[string]string{
		"cat/deep/up":   "../..",       // a loop through the root
		"cat/self":      ".",           // a loop of one
		"cat/deep/to":   "../../store", // another folder
		"dog":           "store",       // a class
		"cat/dead.png":  "nowhere.png", // leads nowhere: not an image
		"cat/other.png": "../store/3.png",
	} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(name))); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var s data.Sample
	for {
		err := src.Next(&s)
		if err == io.EOF {
			break
		}
		var se *data.SampleError
		if err != nil && (!errors.As(err, &se) || !errors.Is(err, fs.ErrNotExist) ||
			!strings.HasSuffix(s.Name, "dead.png")) {
			t.Fatal(err)
		}
		got = append(got, s.Key)
	}
	want := []string{"cat/1", "cat/dead", "cat/other", "cat/deep/2", "cat/deep/to/3", "dog/3", "store/3"}
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

func TestClassesFile(t *testing.T) {
	for _, c := range []struct {
		name, list string
		want       []string
	}{
		{"another order and an empty class", "dog\nant\ncat\n", []string{"dog", "ant", "cat"}},
		{"names that no folder can have", "cat\ndog\na/b\n", []string{"cat", "dog", "a/b"}},
		{"another meaning", "1 001.Black_footed_Albatross\n", []string{"cat", "dog"}},
		{"a class is missing", "cat\n", []string{"cat", "dog"}},
		{"a class twice", "cat\ndog\ncat\n", []string{"cat", "dog"}},
		{"an empty list", "", []string{"cat", "dog"}},
	} {
		root := makeFiles(t, "cat/1.png", "dog/2.png")
		if err := os.WriteFile(filepath.Join(root, "classes.txt"), []byte(c.list), 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Info().Classes; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		for i, l := range labels(t, src) {
			if key := []string{"cat", "dog"}; !slices.Contains(key, c.want[l]) {
				t.Errorf("%s: sample %d has label %d", c.name, i, l)
			}
		}
	}
}

// A list of some of the folders is not ignored in silence, and one that a sink has written for other numbers is an error.
func TestListOfSomeClasses(t *testing.T) {
	root := makeFiles(t, "cat/1.png", "dog/2.png", "eel/3.png")
	list := filepath.Join(root, "classes.txt")
	for text, note := range map[string]string{
		"dog\ncat\n":           list + " names 2 of the 3 class folders, not eel, and is not used",
		"eel\ndog\ncat\n":      "",
		"1 001.Albatross\n":    "",
		"dog\ncat\nowl\neel\n": "",
	} {
		if err := os.WriteFile(list, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Info().Note; !strings.HasPrefix(got, note) || note == "" && got != "" {
			t.Errorf("%q: note %q", text, got)
		}
	}
	root = makeFiles(t, "00000/1.png", "00003/2.png", "00006/3.png")
	list = filepath.Join(root, "classes.txt")
	if err := os.WriteFile(list, []byte("00000\n00001\n00002\n00003\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Open(root); !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), list+" lists the class folders 00000 to 00003") ||
		!strings.Contains(err.Error(), "a folder 00006") {
		t.Errorf("numbers: %v", err)
	}
	if src, err := folder.OpenUnlabeled(root); err != nil || src.Len() != 3 || src.Info().Note != "" {
		t.Errorf("without labels: %v", err)
	}
}

// TestClassNames: order and names come back whatever they are, and folders stay inside.
func TestClassNames(t *testing.T) {
	classes := []string{"zebra", "../../etc", "a/b", ".hidden", "ant", "con:1"}
	parent := t.TempDir()
	root := filepath.Join(parent, "in", "set")
	sink, err := folder.Create(root, classes, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(1, 1)
	for label := range classes {
		if err := sink.Put(&data.Item{Key: fmt.Sprint("k", label), Label: label, Image: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	if got := list(t, root); !slices.Equal(got, []string{
		"_._.._etc", "_hidden", "a_b", "ant", "classes.txt", "con_1", "zebra",
	}) {
		t.Errorf("folders %q", got)
	}
	if got := list(t, parent); len(got) != 1 {
		t.Errorf("outside: %q", got)
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := src.Info().Classes; !slices.Equal(got, classes) {
		t.Errorf("classes %q", got)
	}
	for i, s := range samples(t, src) {
		if want := fmt.Sprintf("/k%d", i); !strings.HasSuffix(s.Key, want) || s.Label != i {
			t.Errorf("sample %d is %s with label %d", i, s.Key, s.Label)
		}
	}
	for _, bad := range [][]string{{"a/b", "a:b"}, {"a", "a"}, {""}, {"x\ny"}, {strings.Repeat("x", 201)}} {
		if _, err := folder.Create(t.TempDir(), bad, folder.SinkOptions{}, nil); !errors.Is(err, data.ErrLabel) {
			t.Errorf("classes %.20q: %v", bad, err)
		}
	}
}

func TestSinkKeys(t *testing.T) {
	root := t.TempDir()
	sink, err := folder.Create(root, []string{"cat"}, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(1, 1)
	for _, key := range []string{"cat/1", "x/.y/2", "catalog/3", "4.jpg"} {
		if err := sink.Put(&data.Item{Key: key, Label: 0, Image: m}); err != nil {
			t.Fatal(err)
		}
	}
	// The class in front of a key is not repeated, so that this one is taken.
	if err := sink.Put(&data.Item{Key: "1", Label: 0, Image: m}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a name that is taken: %v", err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keys(t, src), []string{"cat/1", "cat/4.jpg", "cat/catalog/3", "cat/x/_y/2"}; !slices.Equal(got,
		want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	if err := sink.Put(&data.Item{Key: "late", Label: 0, Image: m}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if _, err := sink.Checkpoint(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Checkpoint after Close: %v", err)
	}
}

// TestSinkKeysOfClasses: a class whose name cannot be a folder's is not repeated below the folder that stands for it.
func TestSinkKeysOfClasses(t *testing.T) {
	root := t.TempDir()
	sink, err := folder.Create(root, []string{"a:b", "star*", "quo\"te"}, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for label, key := range []string{"a%3Ab/1", "star*/deep/2", "quo\"te/3"} {
		if err := sink.Put(&data.Item{Key: key, Label: label, Image: raster.New(1, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := keys(t, src), []string{"a_b/1", "star_/deep/2", "quo_te/3"}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// TestFileAndFolder: of keys that need a file and a folder of one name the error says so, named already or not.
func TestFileAndFolder(t *testing.T) {
	for _, keys := range [][]string{{"a", "a.png/c"}, {"a.png/c", "a"}, {"a", "a.png/b/c"}} {
		for _, named := range []bool{false, true} {
			sink, err := folder.Create(t.TempDir(), []string{"cat"}, folder.SinkOptions{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				if err = sink.Put(&data.Item{Key: key, Label: 0, Image: raster.New(2, 2)}); err == nil && named {
					_, err = sink.Checkpoint()
				}
				if err != nil {
					break
				}
			}
			err = errors.Join(err, sink.Close())
			if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "a.png: other samples lie in a folder of that name") &&
				!strings.Contains(err.Error(), "cannot make the folder ") {
				t.Errorf("%q, named %t: %v", keys, named, err)
			}
		}
	}
}

func TestOverwrite(t *testing.T) {
	root := makeFiles(t, "cat/1.png", "cat/old.png")
	if _, err := folder.Create(root, []string{"cat"}, folder.SinkOptions{}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is not empty: %v", err)
	}
	sink, err := folder.Create(root, []string{"cat"}, folder.SinkOptions{Overwrite: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(3, 3)
	if err := sink.Put(&data.Item{Key: "1", Label: 0, Image: m}); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	var got raster.Image
	all := samples(t, src)
	if err := all[0].Decode(&got); err != nil || len(all) != 2 || got.W != 3 {
		t.Errorf("%d samples, the first %d wide (%v)", len(all), got.W, err)
	}
}

// A link to an empty folder is an empty folder.
func TestCreateBehindLink(t *testing.T) {
	base := t.TempDir()
	link := filepath.Join(base, "link")
	if err := errors.Join(os.Mkdir(filepath.Join(base, "real"), 0o755), os.Symlink("real", link)); err != nil {
		t.Skip("this system has no links:", err)
	}
	if _, err := folder.Create(link, []string{"cat"}, folder.SinkOptions{}, nil); err != nil {
		t.Error(err)
	}
}

// TestResumeOverOtherContent: a file that an earlier run left after its checkpoint must be the one that is put again.
func TestResumeOverOtherContent(t *testing.T) {
	root := t.TempDir()
	sink, err := folder.Create(root, []string{"cat"}, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(3, 3)
	if err := sink.Put(&data.Item{Key: "1", Label: 0, Image: m}); err != nil {
		t.Fatal(err)
	}
	state, err := sink.Checkpoint()
	if err != nil {
		t.Fatal(err)
	}
	if sink, err = folder.Create(root, []string{"cat"}, folder.SinkOptions{}, state); err != nil {
		t.Fatal(err)
	}
	m.Fill(raster.RGB{R: 1})
	if err := sink.Put(&data.Item{Key: "1", Label: 0, Image: m}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a sample from before the checkpoint: %v", err)
	}
	if err := sink.Abort(); err != nil {
		t.Error(err)
	}
	if _, err := folder.Create(root, nil, folder.SinkOptions{Encoding: data.Encoding{JPEG: true}}, state); err == nil {
		t.Error("going on with another encoding is accepted")
	}
}

// TestEncodedByWorkers: a file that a worker has encoded goes to the disk as it is.
func TestEncodedByWorkers(t *testing.T) {
	root := t.TempDir()
	var sink data.FileSink
	sink, err := folder.Create(root, nil, folder.SinkOptions{Encoding: data.Encoding{Level: data.LevelBest}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(9, 9)
	file, err := sink.Encoding().Append(nil, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := sink.Put(&data.Item{Key: "k", Label: data.NoLabel, Image: m, File: file}); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "k.png")); err != nil || string(got) != string(file) {
		t.Errorf("other bytes (%v)", err)
	}
}

// TestManyFiles goes beyond the number of files that are synced together.
func TestManyFiles(t *testing.T) {
	root := t.TempDir()
	sink, err := folder.Create(root, []string{"a", "b"}, folder.SinkOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(1, 1)
	for i := range 150 {
		if err := sink.Put(&data.Item{Key: fmt.Sprintf("%03d", i), Label: i % 2, Image: m}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(list(t, filepath.Join(root, "a"))); n < 64 {
		t.Errorf("%d files have their names before Close", n)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil || src.Len() != 150 {
		t.Errorf("%d files (%v)", src.Len(), err)
	}
}

func TestErrors(t *testing.T) {
	root := makeFiles(t, "cat/1.png")
	file := filepath.Join(root, "cat", "1.png")
	if _, err := folder.Open(file); !errors.Is(err, data.ErrFormat) || !strings.Contains(err.Error(), file) {
		t.Errorf("a file: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("the superuser may list every folder")
	}
	dir := filepath.Join(root, "cat")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o777)
	if _, err := folder.Open(root); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) {
		t.Errorf("an unreadable folder: %v", err)
	}
}

func Example() {
	root, err := os.MkdirTemp("", "augmix")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)

	sink, err := folder.Create(root, []string{"cat", "dog"}, folder.SinkOptions{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := raster.New(8, 8)
	for i, label := range []int{0, 1, 1} {
		if err := sink.Put(&data.Item{Key: fmt.Sprintf("img%d", i), Label: label, Image: m}); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := sink.Close(); err != nil {
		fmt.Println(err)
		return
	}

	src, err := folder.Open(root)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	var s data.Sample
	for src.Next(&s) == nil {
		fmt.Println(s.Key, src.Info().Classes[s.Label])
	}
	// Output:
	// cat/img0 cat
	// dog/img1 dog
	// dog/img2 dog
}

func BenchmarkRead(b *testing.B) {
	root := b.TempDir()
	sink, err := folder.Create(root, nil, folder.SinkOptions{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	m := raster.New(32, 32)
	for i := range 200 {
		if err := sink.Put(&data.Item{Key: fmt.Sprint(i), Label: data.NoLabel, Image: m}); err != nil {
			b.Fatal(err)
		}
	}
	if err := sink.Close(); err != nil {
		b.Fatal(err)
	}
	src, err := folder.Open(root)
	if err != nil {
		b.Fatal(err)
	}
	var s data.Sample
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := src.Read(i%src.Len(), &s); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

// BenchmarkPut measures what writing costs beyond encoding: files, syncs, names.
func BenchmarkPut(b *testing.B) {
	sink, err := folder.Create(b.TempDir(), nil, folder.SinkOptions{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	m := raster.New(32, 32)
	file, err := sink.Encoding().Append(nil, m)
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := sink.Put(&data.Item{Key: fmt.Sprint(i), Label: data.NoLabel, Image: m, File: file}); err != nil {
			b.Fatal(err)
		}
		i++
	}
	if err := sink.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
}

// Images beside class folders are counted; in a flat folder there are none such.
func TestIgnored(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.png", "b.JPEG", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	check := func(samples, ignored int) {
		t.Helper()
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if info := src.Info(); info.Len != samples || info.Ignored != ignored {
			t.Errorf("%d samples, %d ignored; want %d and %d", info.Len, info.Ignored, samples, ignored)
		}
	}
	check(2, 0)
	if err := os.Mkdir(filepath.Join(root, "cat"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "cat", "c.png"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(1, 2)
	src, err := folder.OpenUnlabeled(root)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range samples(t, src) {
		if keys = append(keys, s.Key); s.Label != data.NoLabel {
			t.Errorf("%s has the label %d", s.Key, s.Label)
		}
	}
	if info := src.Info(); !slices.Equal(keys, []string{"cat/c", "a", "b"}) || info.Ignored != 0 || info.Classes != nil {
		t.Errorf("without labels %q, %+v", keys, info)
	}
}

// A folder without images that has tar files says how these are read.
func TestTarFilesInFolder(t *testing.T) {
	for want, files := range map[string][]string{
		"; there are tar files, such as a/x-0.tar: name the folder that they lie in, ROOT/a, or several as ROOT/a/{000..146}.tar": {"a/x-0.tar", "b/x-0.tgz"},
		"; its tar files, such as y.tar.gz, are read as format wds":                                                               {"a/x.tar", "y.tar.gz"},
	} {
		root := t.TempDir()
		for _, name := range files {
			name = filepath.Join(root, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("x"), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		if note := strings.ReplaceAll(src.Info().Note, root, "ROOT"); !strings.HasSuffix(note, want) {
			t.Errorf("note %q, want %q", note, want)
		}
	}
}

// A folder without a file that is an image by its name says so, and JPEG files have several names.
func TestNamesOfImages(t *testing.T) {
	root := t.TempDir()
	put := func(name string) *folder.Source {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(root, "cat"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "cat", name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		src, err := folder.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	if info := put("a.heic").Info(); info.Len != 0 || !strings.Contains(info.Note, "no file in "+root+" is an image by its name (read are .jpg,") {
		t.Errorf("%d samples, note %q", info.Len, info.Note)
	}
	if info := put("b.JFIF").Info(); info.Len != 1 || info.Note != "" {
		t.Errorf("%d samples, note %q", info.Len, info.Note)
	}
	if info := put("c.jpe").Info(); info.Len != 2 {
		t.Errorf("%d samples", info.Len)
	}
}
