package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/npy"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/transform"
)

// colors is a model of 8x8 images with three classes: the logits are ten times the red, green and blue of the first
// pixel, in [0, 1].
func colors() *Func {
	return &Func{H: 8, W: 8, Class: 3, Batch: 4, Norm: mix.Unit, Do: func(dst, x []float32, n int) error {
		for i := range n {
			for c := range 3 {
				dst[3*i+c] = 10 * x[i*192+64*c]
			}
		}
		return nil
	}}
}

// painted is a set of flat images of the given colors and classes.
func painted(list []raster.RGB, labels []int) *memory {
	set := &memory{format: "npy", classes: 3}
	for i, c := range list {
		m := raster.New(8, 8)
		m.Fill(c)
		set.samples = append(set.samples, sample{fmt.Sprintf("set/%02d", i), labels[i], m})
	}
	return set
}

// writeForm writes a -C array whose images are flat: at severity 3 the given colors, else those of the clean set.
func writeForm(t *testing.T, dir, name string, clean *memory, third []raster.RGB) {
	t.Helper()
	n := len(clean.samples)
	var pix []uint8
	var labels []int64
	for severity := 1; severity <= 5; severity++ {
		for i := range n {
			c := clean.samples[i].image.At(0, 0)
			if severity == 3 {
				c = third[i]
			}
			for range 64 {
				pix = append(pix, c.R, c.G, c.B)
			}
			labels = append(labels, int64(clean.samples[i].label))
		}
	}
	err := npy.WriteFile(filepath.Join(dir, name+".npy"), &npy.Array{Shape: []int{5 * n, 8, 8, 3}, Data: pix})
	if err == nil {
		err = npy.WriteFile(filepath.Join(dir, "labels.npy"), &npy.Array{Shape: []int{5 * n}, Data: labels})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lastRows are the rows of the latest galleried Evaluator of each directory.
var lastRows = map[string]*results.Appender{}

// galleried is an Evaluator that goes on in a run directory, where the one before it has ended.
func galleried(t *testing.T, p Predictor, dir string, each int) *Evaluator {
	t.Helper()
	e := &Evaluator{Model: Model{Predictor: p, Name: "m"}, Dataset: "own", Workers: 2}
	path := filepath.Join(dir, results.FileName)
	if a := lastRows[dir]; a != nil {
		_ = a.Close()
	}
	var err error
	if e.Results, err = results.OpenAppend(path); err != nil {
		t.Fatal(err)
	}
	lastRows[dir] = e.Results
	t.Cleanup(func() { _ = e.Results.Close() })
	known, err := results.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	e.Known = results.Rows(known)
	if e.Records, err = OpenRecorder(filepath.Join(dir, records.FileName)); err != nil {
		t.Fatal(err)
	}
	if e.Examples, err = OpenExamples(dir, each); err != nil {
		t.Fatal(err)
	}
	return e
}

var (
	red    = raster.RGB{R: 255}
	green  = raster.RGB{G: 255}
	blue   = raster.RGB{B: 255}
	grayed = raster.RGB{R: 255, G: 200} // red with some doubt
)

func keys(list []results.Example) (out []string) {
	for _, e := range list {
		out = append(out, e.Corruption+" "+e.Key)
	}
	return out
}

// Which images are kept, by hand: of a corruption's mistakes at severity 3 that are right when clean the most
// confident one, of a class that is not shown yet where there is one.
func TestExamplesChosen(t *testing.T) {
	clean := painted([]raster.RGB{red, red, green, blue, blue, red}, []int{0, 0, 1, 2, 0, 0})
	dir, form := t.TempDir(), t.TempDir()
	// 4 is wrong when clean; 5 is right.
	writeForm(t, form, "fog", clean, []raster.RGB{green, grayed, green, blue, green, {R: 200, G: 255}})
	writeForm(t, form, "snow", clean, []raster.RGB{blue, red, {G: 200, B: 255}, blue, red, red})
	writeForm(t, form, "frost", clean, []raster.RGB{red, red, green, blue, blue, red})
	c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog", "snow", "frost"}, Open: clean.again, Dir: form}
	e := galleried(t, colors(), dir, 1)
	src, _ := clean.again()
	if err := errors.Join(e.Clean(t.Context(), src, Prepare{}), e.Corruptions(t.Context(), c)); err != nil {
		t.Fatal(err)
	}
	list, err := results.ReadExamples(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Under fog 0 (e^10 to 1) is more confident than 5; under snow 0 is again, but class 1 is not shown yet.
	if want := []string{"fog set/00", "snow set/02"}; !slices.Equal(keys(list), want) {
		t.Fatalf("%v, want %v", keys(list), want)
	}
	first := list[0]
	if first.Severity != 3 || first.Label != "class0" || first.CleanPred != "class0" || first.Pred != "class1" ||
		first.CleanConf < 0.9999 || first.Conf < 0.9999 || first.Model != "m" || first.Dataset != "own-c" ||
		first.View != (results.View{}) {
		t.Errorf("%+v", first)
	}
	for name, want := range map[string]raster.RGB{first.Image: green, first.Clean: red} {
		file, err := os.ReadFile(filepath.Join(dir, "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		var m raster.Image
		err = (&data.Sample{Name: name, Data: file}).Decode(&m)
		if err != nil || m.W != 8 || m.H != 8 || m.At(7, 7) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("again", func(t *testing.T) { again(t, dir, clean, c) })
	t.Run("more", func(t *testing.T) {
		e := galleried(t, colors(), dir, 3)
		if err := e.Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		list, err := results.ReadExamples(dir)
		want := []string{"fog set/00", "fog set/05", "snow set/02", "snow set/00"}
		if got := keys(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v (%v), want %v", got, err, want)
		}
	})
}

// again: a run that is complete reads no image and changes nothing; examples that were removed come back the same,
// unless the images are not there any more.
func again(t *testing.T, dir string, clean *memory, c *CorruptionSuite) {
	before := readTree(t, dir)
	closed := *c
	closed.Open = func() (data.Source, error) { return nil, errors.New("read again") }
	closed.Dir = "nowhere"
	e := galleried(t, &Func{Class: 3}, dir, 1)
	if err := e.Corruptions(t.Context(), &closed); err != nil {
		t.Fatal(err)
	}
	if after := readTree(t, dir); !reflect.DeepEqual(before, after) {
		t.Error("a run that has everything changes its folder")
	}
	if err := os.RemoveAll(filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	closed.Open = clean.again
	if err := galleried(t, colors(), dir, 1).Corruptions(t.Context(), &closed); err != nil {
		t.Errorf("without the form: %v", err)
	}
	counted := colors()
	images := 0
	do := counted.Do
	counted.Do = func(dst, x []float32, n int) error {
		images += n
		return do(dst, x, n)
	}
	if err := galleried(t, counted, dir, 1).Corruptions(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if after := readTree(t, dir); !reflect.DeepEqual(before, after) {
		t.Error("examples that were removed do not come back the same")
	}
	if images != 2*2+2*2 { // clean and corrupted, of two mistakes each
		t.Errorf("%d images went through the model for it", images)
	}
}

// stopping is a model that fails after so many images.
func stopping(left *int) *Func {
	m := colors()
	do := m.Do
	m.Do = func(dst, x []float32, n int) error {
		if *left -= n; *left < 0 {
			return errors.New("stopped")
		}
		return do(dst, x, n)
	}
	return m
}

// Wherever a run is stopped, its examples are those of corruptions that were measured, all their images are there,
// and going on ends where an uninterrupted run ends. The clean images are not measured before: those few that are
// needed are looked at then.
func TestExamplesInterrupted(t *testing.T) {
	set := &memory{format: "folder", classes: 3}
	for i := range 24 {
		m := raster.New(8, 8)
		m.Fill(raster.RGB{R: uint8(40 * (i % 6)), G: uint8(50 * (i % 5)), B: 128})
		label := 2 // what colors says, but for one in seven
		if top := m.At(0, 0); top.R > max(top.G, 128) {
			label = 0
		} else if top.G > 128 {
			label = 1
		}
		if i%7 == 0 {
			label = (label + 1) % 3
		}
		set.samples = append(set.samples, sample{fmt.Sprintf("test/%02d", i), label, m})
	}
	c := &CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"gaussian_noise", "impulse_noise", "shot_noise"}, Open: set.again,
		Plan: transform.Corruptions{Severities: []float64{2, 4, 5}}, Seed: 1,
	}
	whole := t.TempDir()
	left := 1 << 20
	if err := galleried(t, stopping(&left), whole, 2).Corruptions(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	images := 1<<20 - left
	want := readTree(t, filepath.Join(whole, "examples"))
	if n := strings.Count(want["examples.jsonl"], "\n"); n != 6 {
		t.Fatalf("%d examples", n)
	}
	for i := range 7 {
		dir, after := t.TempDir(), (1+2*i)*images/14
		left := after
		err := galleried(t, stopping(&left), dir, 2).Corruptions(t.Context(), c)
		list, err1 := results.ReadExamples(dir)
		if err1 != nil {
			t.Fatal(err1)
		}
		for _, e := range list {
			for _, name := range []string{e.Image, e.Clean} {
				if _, err := os.Stat(filepath.Join(dir, "examples", name)); err != nil {
					t.Fatalf("stopped after %d: %v", after, err)
				}
			}
		}
		if err == nil || len(list)%2 != 0 || len(list) < 6*i/7-2 {
			t.Errorf("stopped after %d images: %v with %d examples", after, err, len(list))
		}
		if err := galleried(t, colors(), dir, 2).Corruptions(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := readTree(t, filepath.Join(dir, "examples")); !reflect.DeepEqual(got, want) {
			t.Errorf("stopped after %d images and gone on, other examples:\n%s\nwant\n%s", after,
				got["examples.jsonl"], want["examples.jsonl"])
		}
	}
}

// A form in another order than the clean set, or of another number of images, gives no examples rather than wrong
// pairs.
func TestExamplesUnpaired(t *testing.T) {
	clean := painted([]raster.RGB{red, red, green, blue}, []int{0, 0, 1, 2})
	for name, other := range map[string]*memory{
		"order": painted([]raster.RGB{green, red, red, blue}, []int{1, 0, 0, 2}),
		"fewer": painted([]raster.RGB{red, red, green}, []int{0, 0, 1}),
	} {
		dir, form := t.TempDir(), t.TempDir()
		writeForm(t, form, "fog", other, []raster.RGB{red, blue, green, green}[:len(other.samples)])
		e := galleried(t, colors(), dir, 2)
		src, _ := clean.again()
		c := &CorruptionSuite{Suffix: results.SuffixC, Names: []string{"fog"}, Open: clean.again, Dir: form}
		if err := errors.Join(e.Clean(t.Context(), src, Prepare{}), e.Corruptions(t.Context(), c)); err != nil {
			t.Fatal(err)
		}
		if list, err := results.ReadExamples(dir); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", name, keys(list), err)
		}
	}
	for _, k := range []struct {
		clean, corrupted, dir string
		same                  bool
	}{
		{"test/07", "test/07", "", true},
		{"test/07", "cat/test/07", "x", true},
		{"cat/a", "a", "x", true},
		{"test/07", "test/08", "x", false},
		{"test/07", "07", "", true},
		{"test/07", "12", "x", true}, // an array
		{"test/07", "12", "", false},
		{"test/107", "07", "", false},
	} {
		if got := sameImage(k.clean, k.corrupted, &CorruptionSuite{Dir: k.dir}); got != k.same {
			t.Errorf("%+v: %v", k, got)
		}
	}
}

// Under a limit, and with ten crops, the images are those that were measured; larger ones are kept smaller, as JPEG.
func TestExamplesOfTenCropsAndLimit(t *testing.T) {
	set := &memory{format: "folder", classes: 3}
	for i := range 20 {
		m := raster.New(700, 350)
		m.Fill([]raster.RGB{{R: 150}, {G: 150}}[i/4%2])
		set.samples = append(set.samples, sample{fmt.Sprintf("a/%02d", i), i / 4 % 2, m})
	}
	dir := t.TempDir()
	e := galleried(t, colors(), dir, 2)
	e.Limit, e.TenCrop = 5, true
	c := &CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"contrast", "brightness"}, Open: set.again,
		Plan: transform.Corruptions{Severities: []float64{5}},
	}
	dazzled := colors() // what is bright is taken for the third class
	do := dazzled.Do
	dazzled.Do = func(dst, x []float32, n int) error {
		err := do(dst, x, n)
		for i := range n {
			dst[3*i+2] = 2.5*max(dst[3*i], dst[3*i+1]) - 10
		}
		return err
	}
	e.Predictor = dazzled
	if err := e.Corruptions(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	list, err := results.ReadExamples(dir)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, x := range list {
		var n int
		_, err := fmt.Sscanf(x.Key, "a/%02d", &n)
		if err != nil || n%4 != 0 || x.View != (results.View{TenCrop: true, Limit: 5}) || x.Pred != "class2" {
			t.Errorf("%+v", x)
		}
		file, err := os.ReadFile(filepath.Join(dir, "examples", x.Image))
		var m raster.Image
		if err == nil {
			err = (&data.Sample{Name: x.Image, Data: file}).Decode(&m)
		}
		if err != nil || m.W != 320 || m.H != 160 || filepath.Ext(x.Image) != ".jpg" || len(file) > 20000 {
			t.Errorf("%s: %dx%d, %d bytes, %v", x.Image, m.W, m.H, len(file), err)
		}
	}
}

// Images that are not shown any more go; files that are not of this package stay.
func TestExamplesSweep(t *testing.T) {
	dir := t.TempDir()
	g, err := OpenExamples(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := raster.New(4, 4)
	one := func(v uint8) []flip {
		a := &look{key: "k", name: "x", said: "x", conf: 1}
		b := &look{key: "k", name: "x", said: "y", conf: 1}
		m.Fill(raster.RGB{R: v})
		a.image.CopyFrom(m)
		b.image.CopyFrom(m)
		return []flip{{a, b}}
	}
	row := results.Row{Model: "m", Dataset: "own-c", Corruption: "fog", Severity: 3}
	if err := g.put(row, one(1)); err != nil {
		t.Fatal(err)
	}
	old := g.list[0]
	for _, name := range []string{"mine.png", "fog-3.png", "README"} {
		if err := os.WriteFile(filepath.Join(dir, "examples", name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.put(row, one(2)); err != nil {
		t.Fatal(err)
	}
	files := readTree(t, filepath.Join(dir, "examples"))
	now := g.list[0]
	if len(g.list) != 1 || len(files) != 3+3 || files[now.Image] == "" || files[now.Clean] == "" ||
		files[old.Image] != "" || files[old.Clean] != "" {
		t.Errorf("%v of %v", g.list, files)
	}
}

func ExampleExampleStore() {
	dir, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	// A model that takes images by their brightness, and a corruption of brightness.
	set := openGrays(20, 110, 120, 200)
	e := &Evaluator{Model: Model{Predictor: brightness{}, Name: "m"}, Dataset: "grays"}
	e.Records, _ = OpenRecorder(filepath.Join(dir, records.FileName))
	e.Examples, _ = OpenExamples(dir, 1)
	err = e.Corruptions(context.Background(), &CorruptionSuite{
		Suffix: results.SuffixC, Names: []string{"brightness"}, Open: set,
		Plan: transform.Corruptions{Severities: []float64{3}},
	})
	list, _ := results.ReadExamples(dir)
	fmt.Println(err, list[0].Corruption, list[0].Key, list[0].CleanPred, list[0].Pred)
	// Output: <nil> brightness 2 1 0
}
