package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/storage/storagetest"
	"github.com/augmix-go/augmix/transform"
)

// labeledSource is a source of samples with these labels, some of which have no sample.
type labeledSource struct {
	*fakeSource
	classes []string
	labels  []int
}

func (s labeledSource) Info() data.Info {
	return data.Info{Format: "fake", Classes: s.classes, Len: len(s.labels)}
}

func (s labeledSource) Read(i int, sample *data.Sample) error {
	err := s.fakeSource.Read(i, sample)
	sample.Label = s.labels[i]
	return err
}

// labeledSets are sets whose folders do not say all of the labels, and such that do in one run and not in shards.
var labeledSets = map[string]struct {
	classes []string
	labels  []int
	list    string // of one run
}{
	"numbers missing": {nil, []int{0, 3, 3, 6, 6, 9}, "00000\n00001\n00002\n00003\n00004\n00005\n00006\n00007\n00008\n00009\n"},
	"numbers there":   {nil, []int{0, 2, 2, 1, 1, 1}, ""},
	"classes missing": {[]string{"alpha", "beta", "empty", "zeta"}, []int{0, 0, 0, 3, 3, 3}, "alpha\nbeta\nempty\nzeta\n"},
	"classes there":   {[]string{"alpha", "beta", "zeta"}, []int{0, 0, 1, 1, 2, 2}, ""},
	"no labels":       {[]string{"alpha", "zeta"}, []int{-1, -1, -1}, ""},
	"another order":   {[]string{"zeta", "alpha"}, []int{0, 0, 0, 1, 1, 1}, "zeta\nalpha\n"},
}

// labeledJob makes a tree of folders of a source, or a data set of package folder.
func labeledJob(form, dir string, src labeledSource) (Job, func(dir string, samples int) Task) {
	src.fakeSource = &fakeSource{n: len(src.labels)}
	task := func(dir string, _ int) Task {
		c := &transform.Corruptions{Names: []string{"fog", "contrast"}, Severities: []float64{1}}
		return Variants{Transform: c.Transform, Open: func(state []byte) (PartSink, error) {
			if form == "tree" {
				return OpenTree(TreeOptions{Dir: dir, Variants: c.Variants(), Classes: src.classes, Ext: ".png"}, state)
			}
			return OpenFan(len(c.Variants()), data.Encoding{}, func(v int, state []byte) (data.Sink, error) {
				return folder.Create(filepath.Join(dir, c.Variants()[v].Dir()), src.classes, folder.SinkOptions{Overwrite: true}, state)
			}, state)
		}}
	}
	j := expandJob("tree", dir, len(src.labels), nil)
	j.Source, j.Task = src, task(dir, len(src.labels))
	return j, task
}

// folders returns the folders below dir.
func folders(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// labelsIn returns the labels that are read in the folder, in the order of the labels.
func labelsIn(t *testing.T, dir string) []int {
	t.Helper()
	src, err := folder.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var labels []int
	for i := range src.Len() {
		var s data.Sample
		src.Describe(i, &s)
		labels = append(labels, s.Label)
	}
	return labels
}

// What is read has the labels of what was written, also where empty folders are lost.
func TestLabelsOfFolders(t *testing.T) {
	for name, c := range labeledSets {
		for _, form := range []string{"tree", "folder"} {
			dir := t.TempDir()
			j, _ := labeledJob(form, dir, labeledSource{classes: c.classes, labels: c.labels})
			mustRun(t, j)
			want := slices.Sorted(slices.Values(c.labels))
			for _, v := range []string{"fog/1", "contrast/1"} {
				at := filepath.Join(dir, filepath.FromSlash(v))
				if text, err := os.ReadFile(filepath.Join(at, classesName)); string(text) != c.list || c.list == "" && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s, %s: list %q (%v)", name, form, text, err)
				}
				for _, f := range c.classes {
					if exists(filepath.Join(at, f)) == (want[0] == data.NoLabel) {
						t.Errorf("%s, %s: folder %s is there or is not", name, form, f)
					}
					_ = os.Remove(filepath.Join(at, f)) // if it is empty
				}
				if got := labelsIn(t, at); !slices.Equal(got, want) {
					t.Errorf("%s, %s: labels %v, want %v", name, form, got, want)
				}
			}
		}
	}
}

// A number of six digits would sort before others.
func TestLabelTooLargeForFolders(t *testing.T) {
	for _, form := range []string{"tree", "folder"} {
		j, _ := labeledJob(form, t.TempDir(), labeledSource{labels: []int{100000}})
		if _, err := Run(t.Context(), j); !errors.Is(err, data.ErrLabel) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// Shards make the files and folders of one run, where they have samples of other classes than each other, and where some have none.
func TestShardsOfClasses(t *testing.T) {
	for name, c := range labeledSets {
		src := labeledSource{classes: c.classes, labels: c.labels}
		for _, form := range []string{"tree", "folder"} {
			whole := t.TempDir()
			j, _ := labeledJob(form, whole, src)
			mustRun(t, j)
			for _, count := range []int{2, 3, 7} {
				dir := filepath.Join(t.TempDir(), "out")
				for i := range count {
					j, task := labeledJob(form, dir, src)
					if _, _, err := RunShard(t.Context(), j, Shard{i, count}, len(c.labels), task); err != nil {
						t.Fatalf("%s, %s, shard %d of %d: %v", name, form, i, count, err)
					}
				}
				sameTree(t, tree(t, dir), tree(t, whole))
				if got, want := folders(t, dir), folders(t, whole); !slices.Equal(got, want) {
					t.Errorf("%s, %s, %d shards: folders %q, want %q", name, form, count, got, want)
				}
			}
		}
	}
}

// A store keeps no empty folders: what is published there, in one run and by shards, has the labels nevertheless.
func TestClassesInStore(t *testing.T) {
	endpoint, bucket := storagetest.Server(t)
	storagetest.Setenv(t, endpoint)
	t.Setenv(StageVariable, t.TempDir())
	for _, name := range []string{"numbers missing", "classes missing", "classes there"} {
		c := labeledSets[name]
		src := labeledSource{classes: c.classes, labels: c.labels}
		whole := t.TempDir()
		j, _ := labeledJob("tree", whole, src)
		mustRun(t, j)
		prefix := strings.ReplaceAll(name, " ", "-")
		for _, count := range []int{1, 2} {
			at := fmt.Sprintf("%s-%d", prefix, count)
			for i := range count {
				j, task := labeledJob("tree", "s3://bucket/"+at, src)
				j.Task = nil
				if _, _, err := RunShard(t.Context(), j, Shard{i, count}, len(c.labels), task); err != nil {
					t.Fatalf("%s, shard %d of %d: %v", name, i, count, err)
				}
			}
			sameTree(t, tree(t, filepath.Join(bucket, at)), tree(t, whole))
			if got, want := labelsIn(t, "s3://bucket/"+at+"/fog/1"), slices.Sorted(slices.Values(c.labels)); !slices.Equal(got, want) {
				t.Errorf("%s, %d shards: labels %v, want %v", name, count, got, want)
			}
		}
	}
}
