package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/results"
)

// outsider is a parent that has a network: it answers batches of float32.
type outsider struct {
	*wiretest.Client
	net  *eval.Network
	ring bool

	seen   []string // suite, corruption and severity of each batch
	images int
	result []byte // the body of the message with the rows
	said   string // the body of an error
}

// newOutsider returns one that runs the network of a file.
func newOutsider(t testing.TB, c *wiretest.Client, model string) *outsider {
	t.Helper()
	n, err := eval.LoadNetwork(model, eval.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n.Workers = 2
	return &outsider{Client: c, net: n, ring: c.Map != nil}
}

// floatsOf reads float32.
func floatsOf(b []byte) []float32 {
	x := make([]float32, len(b)/4)
	for i := range x {
		x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return x
}

// outputs are those of the network for a batch, whose images are given back.
func (o *outsider) outputs(m *wiretest.Message) ([]float32, error) {
	var at struct {
		Suite, Corruption string
		Severity          int
		Frames            []int
		Keys              []string
	}
	if err := json.Unmarshal(m.Body, &at); err != nil || len(at.Keys) != int(m.N) || at.Frames != nil && len(at.Frames) != int(m.N) {
		return nil, fmt.Errorf("batch of %d: %s, %v", m.N, m.Body, err)
	}
	o.seen = append(o.seen, fmt.Sprint(at.Suite, " ", at.Corruption, " ", at.Severity))
	o.images += int(m.N)
	x := floatsOf(o.Array(m, "images"))
	if o.ring {
		if err := o.Free(m); err != nil {
			return nil, err
		}
	}
	classes, size, n := o.net.Classes(), len(x)/int(m.N), int(m.N)
	logits := make([]float32, n*classes)
	for i := 0; i < n; i += o.net.MaxBatch() {
		k := min(n-i, o.net.MaxBatch())
		if err := o.net.Predict(logits[i*classes:][:k*classes], x[i*size:][:k*size], k); err != nil {
			return nil, err
		}
	}
	return logits, nil
}

// run answers batches until the end, or until stop says so, which is asked before each answer.
func (o *outsider) run(stop func(m *wiretest.Message, outputs []float32) ([]float32, bool)) error {
	for {
		m, err := o.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch m.Kind {
		case 'R':
			o.result = m.Body
		case 'X':
			o.said = string(m.Body)
		case 'B':
			if m.Body == nil { // of no evaluation
				continue
			}
			out, err := o.outputs(m)
			if err != nil {
				return err
			}
			if stop != nil {
				var over bool
				if out, over = stop(m, out); over {
					return nil
				}
			}
			if err := o.Answer(m, out); err != nil {
				return err
			}
		}
	}
}

// judged runs an evaluation in this process, which the outsider answers until stop says so.
func judged(t testing.TB, ring bool, model string, stop func(*wiretest.Message, []float32) ([]float32, bool), args ...string) (*outsider, outcome) {
	t.Helper()
	in, toChild := pipe(t)
	fromChild, out := pipe(t)
	c := &wiretest.Client{In: fromChild, Out: toChild}
	args = append([]string{"feed"}, args...)
	if ring {
		fd, mapped := ringMemory(t)
		args, c.Map = append(args, "--ring-fd", fmt.Sprint(fd)), mapped
	}
	o := newOutsider(t, c, model)
	var end outcome
	var errs bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		end.code = run(t.Context(), args, streams{in: in, out: out, err: &errs})
	}()
	err := o.run(stop)
	_ = toChild.Close()
	for err == nil { // what was on its way
		_, err = c.Next()
	}
	<-done
	end.err = errs.String()
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return o, end
}

// rowsOf reads the rows of a folder without what names the time, the weights and how the model is given images.
func rowsOf(t testing.TB, dir string) []results.Row {
	t.Helper()
	located, err := results.ReadFile(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	rows := results.Rows(located)
	for i := range rows {
		rows[i].Time = time.Time{}
		delete(rows[i].Versions, "weights")
		delete(rows[i].Versions, "network")
		if math.IsNaN(rows[i].Value) {
			rows[i].Value = -1
		}
	}
	return rows
}

// sameRun compares the rows and all files but those with times and options of two folders of results.
func sameRun(t testing.TB, got, want string) {
	t.Helper()
	if a, b := rowsOf(t, got), rowsOf(t, want); !reflect.DeepEqual(a, b) {
		t.Errorf("%s has %d rows, %s %d, or others", got, len(a), want, len(b))
		for i := range min(len(a), len(b)) {
			if !reflect.DeepEqual(a[i], b[i]) {
				t.Fatalf("row %d: %+v\nwant %+v", i, a[i], b[i])
			}
		}
	}
	var compared int
	err := filepath.WalkDir(want, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == results.FileName || d.Name() == "args.yaml" {
			return err
		}
		if strings.HasSuffix(path, ".versions.json") { // of the rows, which are compared but for what names the weights
			return nil
		}
		name, _ := filepath.Rel(want, path)
		a, err := os.ReadFile(filepath.Join(got, name))
		b, err2 := os.ReadFile(path)
		if !bytes.Equal(a, b) || err != nil || err2 != nil {
			t.Errorf("%s: %s differs (%v, %v)", got, name, err, err2)
		}
		compared++
		return nil
	})
	if err != nil || compared < 5 {
		t.Errorf("%d files compared, %v", compared, err)
	}
}

// judgedSuites are what these tests measure.
var judgedSuites = []string{
	"--suite", "clean,c,cbar,p,calibration", "--subset", "fog,frost,gaussian_noise", "--severity", "1,4", "--perturbation", "tilt,gaussian_noise",
	"--difficulty", "2", "--seed", "5", "--limit", "20", "--crop", "32", "--name", "net", "--logits", "--per-class", "-q",
}

// judgedNet is a network, its test set, and the folder of what augmix eval says of both.
func judgedNet(t testing.TB, suites []string) (model, in, want string) {
	t.Helper()
	in = cifarFolder(t, 60)
	model = trainedNet(t, in)
	want = filepath.Join(t.TempDir(), "want")
	augmix(t, exitDone, slices.Concat([]string{"eval", model, in, "-o", want, "--examples", "0", "-j", "2"}, suites)...)
	return model, in, want
}

// TestFeedEval: an evaluation through the feed has the rows, records, confusions and logits that augmix eval has of the same
// network, by either transport, for any size of batches and number of slots.
func TestFeedEval(t *testing.T) {
	model, in, want := judgedNet(t, judgedSuites)
	for i, c := range [][]string{{"--batch", "7", "--slots", "1", "--checksum"}, {"--batch", "64"}, {"--batch", "13", "--slots", "2", "-j", "3"}} {
		out := filepath.Join(t.TempDir(), "out")
		ring := hasRing && i != 1
		o, end := judged(t, ring, model, nil, slices.Concat([]string{in, "-o", out, "--dtype", "float32"}, judgedSuites, c)...)
		if end.code != exitDone || end.err != "" || o.said != "" {
			t.Fatalf("status %d\n%s%s", end.code, end.err, o.said)
		}
		sameRun(t, out, want)
		var said struct {
			Out  string
			Rows []map[string]any
		}
		if err := json.Unmarshal(o.result, &said); err != nil || said.Out != out || len(said.Rows) != len(rowsOf(t, out)) {
			t.Errorf("the result: %d rows, %q, %v", len(said.Rows), said.Out, err)
		}
		for _, at := range []string{"clean  0", "c fog 1", "c frost 4", "cbar brownish_noise 4", "p gaussian_noise_2 0"} {
			if !slices.Contains(o.seen, at) {
				t.Errorf("no batch is %s: %q", at, slices.Compact(o.seen))
			}
		}
		before := rowsOf(t, out)
		// Once more: nothing is measured again.
		again, end := judged(t, ring, model, nil, slices.Concat([]string{in, "-o", out, "--dtype", "float32"}, judgedSuites, c)...)
		if end.code != exitDone || again.images != 0 || again.result == nil {
			t.Errorf("again: status %d, %d images\n%s", end.code, again.images, end.err)
		}
		if !reflect.DeepEqual(rowsOf(t, out), before) {
			t.Error("again: other rows")
		}
	}
}

// TestFeedEvalResumes: a parent that ends in the middle of an evaluation loses what it has not answered, and the same command goes on
// there to the same files.
func TestFeedEvalResumes(t *testing.T) {
	model, in, want := judgedNet(t, judgedSuites)
	out := filepath.Join(t.TempDir(), "out")
	args := slices.Concat([]string{in, "-o", out, "--dtype", "float32", "--batch", "7", "--slots", "2"}, judgedSuites)
	images := 0
	stops := []int{0, 1, 9, 100, 120, 1 << 30}
	for _, after := range stops {
		batches := 0
		o, end := judged(t, hasRing && after%2 == 0, model, func(_ *wiretest.Message, out []float32) ([]float32, bool) {
			batches++
			return out, batches > after
		}, args...)
		if end.code != exitDone || end.err != "" {
			t.Fatalf("status %d\n%s", end.code, end.err)
		}
		images += o.images
	}
	sameRun(t, out, want)
	// An end loses what was on its way and the sequence at hand.
	const clean, corrupted, frames, lost = 20, 20 * 13 * 2, 20 * (31 + 30), 2*7 + 31
	if all := clean + corrupted + frames; images <= all || images > all+lost*(len(stops)-1) {
		t.Errorf("%d images for %d", images, all)
	}
}

// TestFeedEvalFromDisk: forms that lie on disk are measured as augmix eval measures them, and batches say which severities and
// frames they have.
func TestFeedEvalFromDisk(t *testing.T) {
	in, dir := cifarFolder(t, 20), t.TempDir()
	model := trainedNet(t, in)
	at := func(name string) string { return filepath.Join(dir, name) }
	augmix(t, exitDone, "corrupt", in, "--split", "test", "-o", at("c"), "--subset", "fog", "-q", "--output-format", "npy")
	augmix(t, exitDone, "perturb", in, "--split", "test", "-o", at("array"), "--subset", "tilt", "-q", "--output-format", "npy")
	augmix(t, exitDone, "perturb", in, "--split", "test", "-o", at("tree"), "--subset", "tilt", "-q", "--output-format", "folder")
	for _, p := range []string{"array", "tree"} {
		args := []string{in, "--suite", "clean,c,p", "--c", at("c"), "--p", at(p), "--subset", "fog", "--perturbation", "tilt", "--limit", "5", "--crop", "32", "--name", "net", "--logits", "-q"}
		augmix(t, exitDone, slices.Concat([]string{"eval", model, "-o", at(p + "-want"), "--examples", "0"}, args)...)
		var frames []int
		o, end := judged(t, hasRing, model, func(m *wiretest.Message, out []float32) ([]float32, bool) {
			var body struct{ Frames []int }
			_ = json.Unmarshal(m.Body, &body)
			frames = append(frames, body.Frames...)
			return out, false
		}, slices.Concat(args, []string{"-o", at(p + "-got"), "--dtype", "float32", "--batch", "40"})...)
		if end.code != exitDone || !slices.Contains(o.seen, "c fog 5") || slices.Max(frames) != len(frames)/5-1 {
			t.Fatalf("status %d, %q, frames %v\n%s%s", end.code, slices.Compact(o.seen), frames, end.err, o.said)
		}
		sameRun(t, at(p+"-got"), at(p+"-want"))
	}
}

// TestFeedEvalRefuses: outputs that are none end the evaluation with a line that says why, and leave no row; so do another number of
// classes, other data and other weights than a folder has.
func TestFeedEvalRefuses(t *testing.T) {
	in := cifarFolder(t, 60)
	model := trainedNet(t, in)
	flat := filepath.Join(t.TempDir(), "flat.npy") // without names of classes
	augmix(t, exitDone, "data", "convert", in, "-o", flat, "--split", "test", "-q")
	if err := os.Remove(filepath.Join(filepath.Dir(flat), "classes.txt")); err != nil {
		t.Fatal(err)
	}
	less := cifarFolder(t, 50)
	out := filepath.Join(t.TempDir(), "out")
	first := func(change func(m *wiretest.Message, x []float32) []float32) func(*wiretest.Message, []float32) ([]float32, bool) {
		done := false // batches behind the first are on their way already
		return func(m *wiretest.Message, x []float32) ([]float32, bool) {
			if !done {
				done, x = true, change(m, x)
			}
			return x, false
		}
	}
	nan := float32(math.NaN())
	for want, change := range map[string]func(*wiretest.Message, []float32) []float32{
		"the output of class 3 for image 2 of the batch is NaN":  func(_ *wiretest.Message, x []float32) []float32 { x[23] = nan; return x },
		"the output of class 0 for image 0 of the batch is +Inf": func(_ *wiretest.Message, x []float32) []float32 { x[0] = float32(math.Inf(1)); return x },
		"for 8 images (allowed: 320, float32 [8, 10]":            func(_ *wiretest.Message, x []float32) []float32 { return x[:79] },
		"outputs for 7 images (allowed: 8, the batch's)":         func(m *wiretest.Message, x []float32) []float32 { m.N = 7; return x[:70] },
		"outputs for message 99 (allowed: ":                      func(m *wiretest.Message, x []float32) []float32 { m.Sequence = 99; return x },
	} {
		o, end := judged(t, hasRing, model, first(change), in, "--suite", "clean", "--batch", "8", "--dtype", "float32", "--name", "net", "-o", out)
		if end.code != exitFailed || !strings.HasPrefix(end.err, "augmix: error: bad message on standard input: ") || !strings.Contains(end.err, want) ||
			!strings.Contains(o.said, `"usage"`) || o.result != nil {
			t.Errorf("%s: status %d, said %q, %s", want, end.code, o.said, end.err)
		}
	}
	if rows := rowsOf(t, out); len(rows) > 0 {
		t.Errorf("%d rows", len(rows))
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitDone, "", []string{in, "--weights", "first"}},
		{exitUsage, "another model called net (first, now second)", []string{in, "--weights", "second"}},
		{exitUsage, "another model called net (first, now outputs:10)", []string{in}},
		{exitUsage, "results of net taken otherwise (norm 0.5,0.5,0.5/0.5,0.5,0.5, now norm 0.4,0.5,0.5/0.5,0.5,0.5)", []string{in, "--weights", "first", "--mean", "0.4,0.5,0.5"}},
		{exitUsage, "other data called cifar10", []string{less, "--weights", "first"}},
		{exitDone, "", []string{in, "--name", "other"}},
		{exitUsage, "has 10 classes, the model 9", []string{in, "--classes-count", "9"}},
		{exitUsage, "has 10 classes, the model 12", []string{in, "--classes-count", "12", "--weights", "first"}},
		{exitUsage, "how many the model has (--classes-count, or --class-names)", []string{flat, "--name", "flat"}},
		{exitDone, "", []string{flat, "--classes-count", "10", "--name", "flat"}},
		{exitUsage, "another model called flat (outputs:10, now outputs:11)", []string{flat, "--classes-count", "11", "--name", "flat"}},
		{exitUsage, "suite: pgd of a model in another program", []string{in, "--suite", "pgd"}},
		{exitUsage, "--batch 128 of 9999999 outputs each", []string{flat, "--classes-count", "9999999", "--name", "flat"}},
		{exitUsage, "--quality 0 (allowed: 1 to 100; without, 85)", []string{in, "--quality", "0"}},
		{exitUsage, "--flip with --suite", []string{in, "--flip"}},
		{exitUsage, "--network with --suite", []string{in, "--network", "x"}},
		{exitUsage, "--no-shuffle with --suite", []string{in, "--no-shuffle"}},
		{exitUsage, "--cache-mb with --suite", []string{in, "--cache-mb", "16"}},
		{exitUsage, "--dtype uint8, which is not normalized", []string{in, "--dtype", "uint8", "--std", "1,1,1"}},
		{exitUsage, "severity: without --suite c or cbar", []string{in, "--severity", "3"}},
		{exitUsage, "subset: without --suite c,", []string{in, "--subset", "fog"}},
		{exitUsage, "image: without --suite c or cbar, made", []string{in, "--suite", "c", "--c", "nowhere", "--image", "raw"}},
		{exitUsage, "p: without --suite p", []string{in, "--p", "nowhere"}},
		{exitUsage, "--crop rrc:8 with --suite", []string{in, "--crop", "rrc:8"}},
		{exitUsage, "--difficulty 1-2 with --suite", []string{in, "--difficulty", "1-2"}},
		{exitFailed, "frost1.png: no such file", []string{in, "--suite", "c", "--frost-dir", "nowhere", "--weights", "first"}},
	} {
		args := slices.Concat([]string{"--suite", "clean", "--dtype", "float32", "-o", out, "-q"}, c.args)
		if !slices.Contains(args, "--name") {
			args = append(args, "--name", "net")
		}
		o, end := judged(t, false, model, nil, args...)
		if end.code != c.code || !strings.Contains(end.err, c.want) || (c.code == exitDone) != (o.result != nil) {
			t.Errorf("%v: status %d, %s, said %s", c.args, end.code, end.err, o.said)
		}
	}
	for args, want := range map[string]string{
		"--limit=3": "--limit without --suite", "--subset=fog": "--subset without --suite", "--perturbation=tilt": "--perturbation without --suite",
		"--quality=70": "--quality without --suite", "--image=raw": "--image without --suite",
		"--severity=3": "--severity 3 without --corrupt", "--difficulty=2": "--difficulty 2 without --perturb",
	} {
		if o := augmixIn(t.Context(), nil, "feed", in, args); o.code != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: status %d, %s", args, o.code, o.err)
		}
	}
}

// TestFeedEvalClassNames: a model whose outputs have another order, or more classes than the data, is measured by the names of its
// outputs, and keeps the examples that augmix eval keeps.
func TestFeedEvalClassNames(t *testing.T) {
	suites := []string{"--suite", "clean,c", "--subset", "fog", "--severity", "3", "--crop", "32", "--name", "net", "--per-class", "-q", "--examples", "2"}
	in := cifarFolder(t, 60)
	model, dir := trainedNet(t, in), t.TempDir()
	want, names := filepath.Join(dir, "want"), filepath.Join(dir, "names.txt")
	augmix(t, exitDone, slices.Concat([]string{"eval", model, in, "-o", want}, suites)...)
	net, err := eval.LoadNetwork(model, eval.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Clone(net.ClassNames())
	slices.Reverse(list)
	write := func(list []string) {
		if err := os.WriteFile(names, []byte(strings.Join(list, "\n")+"\n\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(list)
	reversed := func(more int) func(_ *wiretest.Message, x []float32) ([]float32, bool) {
		return func(_ *wiretest.Message, x []float32) (out []float32, over bool) {
			for row := range slices.Chunk(x, 10) {
				row = slices.Clone(row)
				slices.Reverse(row)
				out = append(append(out, row...), make([]float32, more)...)
			}
			return out, false
		}
	}
	out := filepath.Join(dir, "out")
	args := slices.Concat([]string{in, "--dtype", "float32", "--class-names", names}, suites)
	write(slices.Insert(slices.Clone(list), 3, " "))
	if _, end := judged(t, hasRing, model, reversed(0), append(args, "-o", out)...); end.code != exitUsage || !strings.Contains(end.err, "names.txt: line 4 is empty (allowed: a name a line)") {
		t.Errorf("status %d: %s", end.code, end.err)
	}
	write(list)
	o, end := judged(t, hasRing, model, reversed(0), append(args, "-o", out)...)
	if end.code != exitDone || end.err != "" || !slices.Equal(o.Hello.Classes, list) {
		t.Fatalf("status %d, classes %q\n%s%s", end.code, o.Hello.Classes, end.err, o.said)
	}
	errorsOf := func(dir string) (found []results.Row) {
		for _, r := range rowsOf(t, dir) {
			if r.Metric == results.Top1Error && r.Class == "" {
				r.Versions = nil
				found = append(found, r)
			}
		}
		return found
	}
	if got, want := errorsOf(out), errorsOf(want); len(got) != 2 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	shown := func(dir string) (files []string) {
		found, _ := filepath.Glob(filepath.Join(dir, "examples", "*.png"))
		for _, f := range found {
			files = append(files, filepath.Base(f))
		}
		return files
	}
	if got, want := shown(out), shown(want); len(want) < 2 || !slices.Equal(got, want) {
		t.Errorf("examples %q, want %q", got, want)
	}

	write(append(list, "none of these"))
	more := filepath.Join(dir, "more")
	if _, end = judged(t, false, model, reversed(1), append(args, "-o", more)...); end.code != exitDone {
		t.Fatalf("status %d\n%s", end.code, end.err)
	}
	if got := errorsOf(more); len(got) != 2 || got[0].Value != errorsOf(want)[0].Value || got[0].Among != 10 {
		t.Errorf("%+v", got)
	}
	write(list[1:])
	if _, end = judged(t, false, model, nil, append(args, "-o", more)...); end.code != exitUsage || !strings.Contains(end.err, "has other classes than the model") {
		t.Errorf("status %d\n%s", end.code, end.err)
	}
}

// TestFeedEvalArgs: the args.yaml of an evaluation alone runs it again.
func TestFeedEvalArgs(t *testing.T) {
	in, dir := cifarFolder(t, 60), t.TempDir()
	model := trainedNet(t, in)
	first, again := filepath.Join(dir, "first"), filepath.Join(dir, "again")
	_, end := judged(t, false, model, nil, in, "--suite", "clean,c", "--subset", "fog", "--severity", "2", "--dtype", "float32", "--batch", "13", "--mean",
		"0.4,0.5,0.6", "--std", "0.2,0.25,0.3", "--weights", "w1", "--crop", "32", "--name", "net", "--logits", "--per-class", "-o", first, "-q")
	if end.code != exitDone {
		t.Fatal(end.err)
	}
	o, end := judged(t, false, model, nil, "--config", filepath.Join(first, "args.yaml"), "-o", again, "-q")
	if end.code != exitDone || o.Hello.Batch != 13 {
		t.Fatalf("status %d, batches of %d\n%s", end.code, o.Hello.Batch, end.err)
	}
	sameRun(t, again, first)
	if text, err := os.ReadFile(filepath.Join(again, "args.yaml")); err != nil || !strings.Contains(string(text), "weights: w1") {
		t.Errorf("%s%v", text, err)
	}
}

// TestFeedProgress: a feed says on standard error how far it is where that is asked for.
func TestFeedProgress(t *testing.T) {
	defer func(was time.Duration) { progress.Every = was }(progress.Every)
	progress.Every = time.Nanosecond
	in := cifarFolder(t, 60)
	model := trainedNet(t, in)
	for _, args := range [][]string{
		{in, "--suite", "clean,c", "--subset", "fog", "--severity", "3", "--dtype", "float32", "--batch", "10", "--name", "net"},
		{in, "--split", "train", "--epochs", "2", "--batch", "10"},
	} {
		_, end := judged(t, false, model, nil, args...)
		if end.code != exitDone || end.err != "" {
			t.Errorf("unasked: status %d, %q", end.code, end.err)
		}
		_, end = judged(t, false, model, nil, append(args, "--progress")...)
		if line := "all forms 1/1: "; end.code != exitDone || !strings.Contains(end.err, line) && !strings.Contains(end.err, "feed, epoch 1: ") {
			t.Errorf("status %d, %q", end.code, end.err)
		}
	}
}
