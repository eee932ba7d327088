package main

import (
	"bytes"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestNamesOnTerminal: names of classes and files are shown, never obeyed.
func TestNamesOnTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can have such a name")
	}
	dir := filepath.Join(t.TempDir(), "set\x1b]0;title\x07")
	for i, class := range []string{"\x1b[31mred", "two\nlines"} {
		write(t, filepath.Join(dir, class, "good.png"), testImage(t, i, 8, 8))
		write(t, filepath.Join(dir, class, "bad\x1b[2J\n.png"), []byte("no image"))
	}
	for _, args := range [][]string{
		{"data", "info", dir},
		{"data", "verify", dir},
		{"augment", dir, "-o", filepath.Join(t.TempDir(), "out"), "--on-error", "skip"},
		{"augment", dir, "-o", filepath.Join(t.TempDir(), "out")},
		{"data", "info", dir + "/none"},
	} {
		o := augmixIn(t.Context(), nil, args...)
		if said := o.out + o.err; strings.ContainsAny(said, "\x1b\x07") || !strings.Contains(said, `\`) {
			t.Errorf("%q says %q", args[:2], said)
		}
		for _, line := range strings.Split(o.out+o.err, "\n") {
			if strings.HasPrefix(line, "lines") || strings.HasPrefix(line, ".png") {
				t.Errorf("%q breaks its lines: %q", args[:2], line)
			}
		}
	}
}

// TestNamesOfTrainAndPredict: the error of a training, and CSV on a terminal, show names too; CSV in a file has them as they are.
func TestNamesOfTrainAndPredict(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file can have such a name")
	}
	dir := t.TempDir()
	bad, good := filepath.Join(dir, "bad"), filepath.Join(dir, "good")
	write(t, filepath.Join(bad, "new\nline", "0.png"), []byte("no image"))
	for i := range 4 {
		write(t, filepath.Join(bad, "cat", string(rune('a'+i))+".png"), testImage(t, i, 16, 16))
		write(t, filepath.Join(good, []string{"cat", "\x1b[31mred"}[i%2], string(rune('a'+i))+".png"), testImage(t, i, 16, 16))
	}
	flags := []string{"--model", "densenet-7-2", "--epochs", "1", "--batch", "4", "-o", filepath.Join(dir, "run")}
	o := augmix(t, exitFailed, append([]string{"train", "--data", bad}, flags...)...)
	if !strings.Contains(o.err, `new\nline/0.png`) || strings.Count(o.err, "\n") != 1 {
		t.Errorf("train says %q", o.err)
	}
	augmix(t, exitDone, append([]string{"train", "--data", good, "-q"}, flags...)...)
	args := []string{"predict", filepath.Join(dir, "run", "model.safetensors"), good, "--csv"}
	if o := augmix(t, exitDone, args...); !strings.Contains(o.out, "\x1b[31mred") {
		t.Errorf("a file gets %q", o.out)
	}
	var out, errs bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(""), out: &out, err: &errs, shown: true})
	if code != exitDone || strings.Contains(out.String(), "\x1b") || !strings.Contains(out.String(), `\x1b[31mred`) {
		t.Errorf("%d: a terminal gets %q, %s", code, out.String(), errs.String())
	}
}
