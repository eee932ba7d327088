package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/feed"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/feedwire/wiretest"
	"github.com/augmix-go/augmix/internal/npy"
)

// fed is what a feed sent.
type fed struct {
	wiretest.Client
	code     int
	messages []*wiretest.Message // slots are copies
	errs     bytes.Buffer
}

// kinds are the kinds of the messages but for heartbeats.
func (f *fed) kinds() (kinds string) {
	for _, m := range f.messages {
		if m.Kind != 'S' {
			kinds += string(m.Kind)
		}
	}
	return kinds
}

// array joins an array of all batches, sample by sample, the views of a sample together.
func (f *fed) array(name string) (out []byte) {
	for _, m := range f.messages {
		if m.Kind != 'B' {
			continue
		}
		all, views := f.Array(m, name), 1
		if name == "images" {
			views = f.Hello.Views
		}
		size := len(all) / views / int(m.N)
		for i := range int(m.N) {
			for v := range views {
				out = append(out, all[(v*int(m.N)+i)*size:][:size]...)
			}
		}
	}
	return out
}

// feedAll runs a feed in this process to its end, or until stop says so.
func feedAll(t testing.TB, ring bool, stop func(m *wiretest.Message) bool, args ...string) *fed {
	t.Helper()
	in, toChild := pipe(t)
	fromChild, out := pipe(t)
	f := &fed{Client: wiretest.Client{In: fromChild, Out: toChild}}
	args = append([]string{"feed"}, args...)
	if ring {
		fd, mapped := ringMemory(t)
		args, f.Map = append(args, "--ring-fd", fmt.Sprint(fd)), mapped
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer out.Close()
		f.code = run(t.Context(), args, streams{in: in, out: out, err: &f.errs})
	}()
	for {
		m, err := f.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		lent := *m
		m.Memory = bytes.Clone(m.Memory)
		f.messages = append(f.messages, m)
		if stop != nil && stop(m) {
			_ = toChild.Close()
			stop = nil
		}
		if ring && m.Kind == 'B' {
			_ = f.Free(&lent)
		}
	}
	<-done
	return f
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// readNPY returns the bytes of an array of uint8.
func readNPY(t testing.TB, path string) []byte {
	t.Helper()
	a, err := npy.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return a.Data.([]uint8)
}

// TestFeedIsAugment: a feed gives, byte for byte, the images and soft labels that augmix augment writes, with any number of
// workers, by either transport, resumed or not.
func TestFeedIsAugment(t *testing.T) {
	in := photos(t, 19)
	for _, c := range []struct {
		args  []string
		views string
	}{
		{[]string{"--mix", "augmix"}, "3"},
		{[]string{"--mix", "standard+autoaugment"}, "1"},
		{[]string{"--mix", "pixmix", "--mixset", "fractals-n4"}, "2"},
		{[]string{"--mix", "augmix+cutmix"}, "1"},
		{[]string{"--mix", "mixup"}, "1"},
		{[]string{"--mix", "none", "--size", "30"}, "1"},
	} {
		out := filepath.Join(t.TempDir(), "out.npy")
		args := append([]string{in, "--crop", "rrc:20", "--flip", "--seed", "7", "--views", c.views}, c.args...)
		augmix(t, exitDone, append([]string{"augment", "-o", out, "--epoch", "2"}, args...)...)
		want := readNPY(t, out)
		args = append(args, "--no-shuffle", "--tail", "short", "--batch", "6", "--epochs", "3", "--output-layout", "nhwc", "--checksum")
		for i, workers := range []string{"1", "2", "7"} {
			from, skip := "2:0", 0
			if i == 2 {
				from, skip = "2:12", 12*len(want)/19
			}
			cache := []string{"0", "1", "64"}[i]
			f := feedAll(t, i%2 == 0 && hasRing, nil, append(args, "-j", workers, "--from", from, "--cache-mb", cache)...)
			if f.code != exitDone || !bytes.Equal(f.array("images"), want[skip:]) {
				t.Fatalf("%v, %s workers: status %d, other images than augment's\n%s", c.args, workers, f.code, &f.errs)
			}
			if soft := f.array("targets"); soft != nil {
				labels := softLabels(t, strings.TrimSuffix(out, ".npy")+"_"+generate.TargetsName, 3)
				if !bytes.Equal(soft, labels[len(labels)-len(soft):]) {
					t.Errorf("%v: other labels than augment's", c.args)
				}
			} else if strings.Contains(c.args[1], "mixup") || strings.Contains(c.args[1], "cutmix") {
				t.Errorf("%v: no soft labels", c.args)
			}
			if want := []string{"HBBBBEZ", "HBBBBEZ", "HBBEZ"}[i]; f.kinds() != want {
				t.Errorf("messages %s, want %s", f.kinds(), want)
			}
		}
	}
}

// softLabels reads soft labels as float32 [n, classes].
func softLabels(t *testing.T, path string, classes int) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for line := range strings.Lines(string(text)) {
		var row struct {
			Target []struct {
				Class  int
				Weight float32
			}
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		dense := make([]float32, classes)
		for _, s := range row.Target {
			dense[s.Class] = s.Weight
		}
		if out, err = binary.Append(out, binary.LittleEndian, dense); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestFeedForms: a feed of corruptions and perturbations gives what augmix corrupt and augmix perturb write.
func TestFeedForms(t *testing.T) {
	in, dir := "scenes:n=9,size=32,seed=1", t.TempDir()
	augmix(t, exitDone, "corrupt", in, "--split", "test", "-o", filepath.Join(dir, "c"), "--subset", "fog,gaussian_noise,blue_noise_sample", "--severity", "2,5", "--output-format", "npy", "--seed", "3")
	augmix(t, exitDone, "perturb", in, "--split", "test", "-o", filepath.Join(dir, "p"), "--subset", "tilt,gaussian_noise", "--output-format", "npy", "--seed", "3")
	common := []string{in, "--split", "test", "--no-shuffle", "--tail", "short", "--batch", "4", "--epochs", "1", "--output-layout", "nhwc", "--seed", "3"}
	f := feedAll(t, hasRing, nil, append(common, "--corrupt", "fog,gaussian_noise,blue_noise_sample", "--severity", "2,5")...)
	if f.code != exitDone || len(f.Hello.Forms) != 6 || f.Hello.Views != 6 {
		t.Fatalf("status %d, forms %v\n%s", f.code, f.Hello.Forms, &f.errs)
	}
	size, n := 32*32*3, f.Hello.Samples
	got := f.array("images")
	for form := range 6 {
		file := readNPY(t, filepath.Join(dir, "c", f.Hello.Forms[form].Name+".npy"))
		for i := range n {
			if !bytes.Equal(got[(i*6+form)*size:][:size], file[(form%2*n+i)*size:][:size]) {
				t.Fatalf("form %d of image %d differs from %s", form, i, f.Hello.Forms[form].Name)
			}
		}
	}
	f = feedAll(t, false, nil, append(common, "--perturb", "tilt,gaussian_noise")...)
	if f.code != exitDone {
		t.Fatalf("status %d\n%s", f.code, &f.errs)
	}
	got = f.array("images")
	at := 0
	for at < len(f.Hello.Forms) {
		name, frames := f.Hello.Forms[at].Name, 0
		for at+frames < len(f.Hello.Forms) && f.Hello.Forms[at+frames].Name == name {
			frames++
		}
		file := readNPY(t, filepath.Join(dir, "p", name+".npy"))
		for i := range n {
			if !bytes.Equal(got[(i*len(f.Hello.Forms)+at)*size:][:frames*size], file[i*frames*size:][:frames*size]) {
				t.Fatalf("%s of image %d differs", name, i)
			}
		}
		at += frames
	}
}

// TestFeedErrors: whatever is wrong is said as a message and on standard error, with the status that it has elsewhere.
func TestFeedErrors(t *testing.T) {
	in := photos(t, 12)
	empty := t.TempDir()
	flat := filepath.Join(t.TempDir(), "flat")
	write(t, filepath.Join(flat, "a.png"), testImage(t, 1, 20, 20))
	write(t, filepath.Join(flat, "b.png"), testImage(t, 2, 20, 20))
	bad := photos(t, 12)
	write(t, filepath.Join(bad, "cat", "0003.png"), []byte("no image"))
	crop := []string{"--crop", "16", "--batch", "4", "--epochs", "1"}
	for _, c := range []struct {
		code       int
		kind, want string
		args       []string
	}{
		{exitFailed, "input", "no such file", []string{filepath.Join(in, "none")}},
		{exitFailed, "input", "", []string{empty}},
		{exitUsage, "usage", "cannot be the data", []string{"-"}},
		{exitUsage, "usage", "--batch 0 (allowed: 1 and up)", []string{in, "--batch", "0"}},
		{exitUsage, "usage", "12 samples make no --batch of 128", []string{in}},
		{exitUsage, "usage", "did you mean \"augmix\"", []string{in, "--mix", "agumix"}},
		{exitUsage, "usage", "rank 2 (allowed: 0 to 1)", []string{in, "--rank", "2", "--world-size", "2", "--batch", "2"}},
		{exitUsage, "usage", "0:3 is between two batches", append([]string{in, "--from", "0:3"}, crop...)},
		{exitUsage, "usage", `--from "x"`, append([]string{in, "--from", "x"}, crop...)},
		{exitUsage, "usage", "--ring-fd: file descriptor 9999", append([]string{in, "--ring-fd", "9999"}, crop...)},
		{exitUsage, "usage", "--crop rrc:8 with --corrupt", []string{in, "--corrupt", "fog", "--crop", "rrc:8"}},
		{exitUsage, "usage", "no --mix, --views or --flip", []string{in, "--corrupt", "fog", "--flip"}},
		{exitUsage, "usage", "--mix with --corrupt or --perturb", []string{in, "--corrupt", "fog", "--mix", "augmix"}},
		{exitUsage, "usage", "--mixset with --corrupt or --perturb", []string{in, "--corrupt", "fog", "--mixset", "nowhere"}},
		{exitUsage, "usage", "--network with --corrupt or --perturb", []string{in, "--perturb", "tilt", "--network", "nowhere.npz"}},
		{exitUsage, "usage", "--mixset-cache with --corrupt or --perturb", []string{in, "--perturb", "tilt", "--mixset-cache", "auto"}},
		{exitUsage, "usage", "no method of --mix mixes images in", append([]string{in, "--mixset", "fractals"}, crop...)},
		{exitUsage, "usage", "--severity 2 with --stream", []string{in, "--stream", "continual", "--severity", "2"}},
		{exitUsage, "usage", "--profile 224 without --corrupt", append([]string{in, "--profile", "224", "--mix", "corrupt-fog-s5"}, crop...)},
		{exitUsage, "usage", "--frost-dir without --corrupt", append([]string{in, "--frost-dir", in, "--mix", "corrupt-frost-s5"}, crop...)},
		{exitUsage, "usage", "--frost-dir without --corrupt", []string{in, "--frost-dir", in, "--perturb", "tilt"}},
		{exitUsage, "usage", "--dtype uint8, which is not normalized", append([]string{in, "--std", "1,1,1"}, crop...)},
		{exitUsage, "usage", "--mean and --std: 2 and 3", append([]string{in, "--mean", "1,2"}, crop...)},
		{exitFailed, "input", "labels", append([]string{flat, "--mix", "mixup"}, "--batch", "2", "--crop", "16")},
		{exitFailed, "input", "0003.png", append([]string{bad}, crop...)},
	} {
		f := feedAll(t, false, nil, c.args...)
		last := f.messages[len(f.messages)-1]
		var x struct{ Code, Message string }
		if last.Kind != 'X' || json.Unmarshal(last.Body, &x) != nil || x.Code != c.kind || !strings.Contains(x.Message, c.want) {
			t.Errorf("%v: %c %s, want %s: %s", c.args, last.Kind, last.Body, c.kind, c.want)
		}
		if f.code != c.code || !strings.Contains(f.errs.String(), c.want) {
			t.Errorf("%v: status %d, said %s", c.args, f.code, &f.errs)
		}
	}
	f := feedAll(t, false, nil, append([]string{bad, "--on-error", "skip"}, crop...)...)
	if k := f.kinds(); f.code != exitDone || strings.Count(k, "W") != 1 || strings.Count(k, "B") != 3 {
		t.Fatalf("skipping: status %d, messages %s", f.code, k)
	}
	for _, m := range f.messages {
		var w refusal
		if m.Kind == 'W' && (json.Unmarshal(m.Body, &w) != nil || w.Key != "cat/0003" || !strings.Contains(w.File, "0003.png") || w.Reason == "") {
			t.Errorf("said %s", m.Body)
		}
		if m.Kind == 'E' && string(m.Body) != `{"epoch":0,"samples":12,"refused":1}` {
			t.Errorf("at the end %s", m.Body)
		}
	}
}

// TestFeedStops: a parent that ends its messages ends the feed, with status 0.
func TestFeedStops(t *testing.T) {
	for _, ring := range []bool{false, hasRing} {
		batches := 0
		f := feedAll(t, ring, func(m *wiretest.Message) bool {
			if m.Kind == 'B' {
				batches++
			}
			return batches == 5
		}, "scenes:n=40,size=16,seed=1", "--batch", "8", "--mix", "augmix")
		if f.code != exitDone || f.errs.String() != "" {
			t.Errorf("status %d: %s", f.code, &f.errs)
		}
	}
	o := augmixIn(t.Context(), nil, "feed", "scenes:n=40,size=16,seed=1", "--batch", "8") // nobody's standard input
	if o.code != exitDone || o.err != "" {
		t.Errorf("without a parent: %d, %s", o.code, o.err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	r, _ := pipe(t)
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"feed", "scenes:n=40,size=16,seed=1", "--batch", "8"}, streams{in: r, out: &out, err: &errs}); code != exitInterrupted ||
		!strings.Contains(out.String(), `{"code":"io","message":"interrupted"}`) {
		t.Errorf("interrupted: %d, %q, %s", code, out.String(), &errs)
	}
}

// TestTenFeeds: several at once in one process do not disturb each other.
func TestTenFeeds(t *testing.T) {
	args := func(seed int) []string {
		return []string{"scenes:n=24,size=16,seed=1", "--batch", "8", "--mix", "augmix", "--epochs", "1", "--seed", fmt.Sprint(seed)}
	}
	done := make(chan *fed)
	for i := range 10 {
		go func() { done <- feedAll(t, hasRing && i%2 == 0, nil, args(i%2)...) }()
	}
	seen := map[string]int{}
	for range 10 {
		seen[string((<-done).array("images"))]++
	}
	if len(seen) != 2 {
		t.Errorf("%d different feeds of two seeds", len(seen))
	}
}

// TestFeedFlags: names in help are those that package feed knows.
func TestFeedFlags(t *testing.T) {
	help := augmix(t, exitDone, "feed", "--help").out
	if strings.Contains(help, "\n  3 ") || !strings.Contains(help, "also where inputs were refused") {
		t.Error("feed --help has an exit status that a feed with refused inputs does not have")
	}
	for _, name := range []string{feed.Drop.String(), feed.Short.String(), feed.Pad.String(), feed.Float16.String(), feed.BFloat16.String(), feed.NHWC.String()} {
		if !strings.Contains(help, name) {
			t.Errorf("the help does not say %s", name)
		}
	}
	if i := slices.Index(strings.Fields(help), "EXAMPLES"); i < 0 {
		t.Error("no examples")
	}
}
