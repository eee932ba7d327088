package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/augmix-go/augmix/internal/digest"
	"github.com/augmix-go/augmix/results"
)

var augmix string // the program

func TestMain(m *testing.M) {
	flag.Parse()
	beam.Init()
	quiet()
	dir, err := os.MkdirTemp("", "augmix-beam")
	if err == nil {
		augmix = filepath.Join(dir, "augmix")
		build := exec.Command("go", "build", "-ldflags=-s -w", "-o", augmix, "./cmd/augmix")
		build.Dir, build.Stderr = "..", os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// plain runs augmix itself and returns what it says.
func plain(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(augmix, args...).CombinedOutput()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != exitRejected) {
		t.Fatalf("augmix %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// piped runs a command as a pipeline on prism and returns the exit code and what was said.
func piped(t *testing.T, program string, n int, args ...string) (int, string) {
	t.Helper()
	*path, *parts, *tries = program, n, 20
	var said bytes.Buffer
	code := run(t.Context(), args, &said)
	return code, said.String()
}

// sums returns the SHA-256 of every file below dir.
func sums(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, _, err := digest.File(path)
		rel, _ := filepath.Rel(dir, path)
		all[rel] = fmt.Sprintf("%x", sum)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(t *testing.T, got, want string) {
	t.Helper()
	g, w := sums(t, got), sums(t, want)
	for name := range w {
		if g[name] != w[name] {
			t.Errorf("%s differs or is missing", name)
		}
	}
	if len(g) != len(w) || len(w) < 3 {
		t.Errorf("%d files, want %d", len(g), len(w))
	}
}

// testImages makes a set as CIFAR-10 is, an array, and a folder of others with two files that are no images.
func testImages(t *testing.T) (array, folder string) {
	t.Helper()
	dir := t.TempDir()
	array, folder = filepath.Join(dir, "in.npy"), filepath.Join(dir, "in")
	plain(t, "data", "convert", "scenes:n=40,size=32", "-o", array, "-q")
	plain(t, "data", "convert", "scenes:n=24,size=32", "-o", folder, "--output-format", "folder", "-q")
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*.png"))
	if err != nil || len(files) != 24 {
		t.Fatal(files, err)
	}
	for _, at := range []int{20, 3} {
		if err := os.WriteFile(files[at], []byte("no image"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return array, folder
}

// A pipeline leaves the files of the plain command, byte for byte.
func TestSameBytes(t *testing.T) {
	array, folder := testImages(t)
	for name, c := range map[string]struct {
		code int
		args []string
	}{
		"CIFAR-10-C": {exitDone, []string{"corrupt", array, "--subset", "fog,pixelate,contrast"}},
		"tar files":  {exitRejected, []string{"corrupt", folder, "--subset", "fog", "--output-format", "wds", "--per-shard", "7", "--on-error", "skip"}},
		"sequences":  {exitRejected, []string{"perturb", folder, "--subset", "tilt", "--on-error", "skip"}},
		"views":      {exitRejected, []string{"augment", folder, "--views", "2", "--mix", "augmix+cutmix", "--output-format", "folder", "--on-error", "skip"}},
		"epochs":     {exitDone, []string{"augment", array, "--epochs", "2", "--output-format", "wds", "--shuffle"}},
	} {
		t.Run(name, func(t *testing.T) {
			whole, out := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "out")
			plain(t, append(c.args, "-o", whole, "-q")...)
			code, said := piped(t, augmix, 5, append(c.args, "-o", out)...)
			if code != c.code {
				t.Fatalf("exit code %d, want %d: %s", code, c.code, said)
			}
			same(t, out, whole)
			text, err := os.ReadFile(out + rejectedSuffix)
			if c.code == exitRejected {
				lines := strings.Split(strings.TrimSpace(string(text)), "\n")
				if err != nil || len(lines) != 2 || lines[0] > lines[1] || !strings.Contains(lines[0], `"reason":`) {
					t.Errorf("rejected: %s %v", text, err)
				}
			} else if err == nil {
				t.Errorf("rejected: %s", text)
			}
			if again, said := piped(t, augmix, 5, append(c.args, "-o", out)...); again != c.code {
				t.Errorf("a second time: %d: %s", again, said)
			}
			same(t, out, whole)
		})
	}
}

// Workers that are killed in the middle of their work are replaced.
func TestKilledWorkers(t *testing.T) {
	array, _ := testImages(t)
	dir := t.TempDir()
	// The first 12 processes are killed, and fail, after a time that grows.
	script := filepath.Join(dir, "killed")
	err := os.WriteFile(script, []byte(`#!/bin/sh
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
  if mkdir "`+dir+`/kill-$i" 2>/dev/null; then
    "`+augmix+`" "$@" & pid=$!
    sleep "0.0$i"
    kill -KILL $pid; wait $pid
    exit 137
  fi
done
exec "`+augmix+`" "$@"
`), 0o777)
	if err != nil {
		t.Fatal(err)
	}
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	args := []string{"corrupt", array, "--subset", "fog,contrast,pixelate,snow", "--checkpoint", "20ms", "-o"}
	plain(t, append(args, whole)...)
	code, said := piped(t, script, 4, append(args, out)...)
	if code != exitDone || !strings.Contains(said, "again 12 times") {
		t.Fatalf("exit code %d: %s", code, said)
	}
	same(t, out, whole)
}

// What is wrong ends the pipeline with augmix's own words.
func TestRefused(t *testing.T) {
	array, _ := testImages(t)
	out := filepath.Join(t.TempDir(), "out")
	for want, args := range map[string][]string{
		"did you mean \"pixelate\"?":                      {"corrupt", array, "-o", out, "--subset", "pixelat"},
		"eval -o s3://b/run (allowed: a folder on a disk": {"eval", "net.safetensors", array, "--suite", "clean", "-o", "s3://b/run"},
		"--shard=0/2 (allowed: none":                      {"corrupt", array, "-o", out, "--shard=0/2"},
		"command \"train\" (allowed: corrupt, augment":    {"train"},
		"command \"\" (allowed":                           {},
	} {
		if code, said := piped(t, augmix, 3, args...); code != exitUsage || !strings.Contains(said, want) || strings.Count(said, "\n") > 1 {
			t.Errorf("%q: %d: %s", args, code, said)
		}
	}
	if left, _ := filepath.Glob("s3:*"); len(left) > 0 {
		t.Errorf("left here: %q", left)
	}
	missing := filepath.Join(t.TempDir(), "none")
	if code, said := piped(t, missing, 2, "corrupt", array, "-o", out); code != exitFailed || !strings.Contains(said, "--augmix says where") {
		t.Errorf("%d: %s", code, said)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (program{Path: augmix, Tries: 3}).run(ctx, []string{"version"}); err == nil {
		t.Error("it runs when it is canceled")
	}
}

// An evaluation in parts leaves the rows of one run, but for their time, and the same records.
func TestEval(t *testing.T) {
	array, _ := testImages(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	plain(t, "train", "--data", array, "-o", at("net"), "--model", "wrn-10-1", "--crop", "pad4:32", "--batch", "20", "--epochs", "1", "-q")
	args := []string{
		"eval", at("net/model.safetensors"), array, "--suite=clean,c,cbar,p,calibration", "--subset", "common", "--perturbation",
		"tilt,shot_noise", "--severity", "2-3", "--per-class", "--reference-binning", "--logits", "--limit", "10", "-o",
	}
	plain(t, append(args, at("whole"))...)
	for range 2 {
		if code, said := piped(t, augmix, 1, append(args, at("out"))...); code != exitDone {
			t.Fatal(said)
		}
		if got, want := rows(t, at("out")), rows(t, at("whole")); len(want) < 200 || !slices.Equal(got, want) {
			t.Errorf("%d rows, want %d", len(got), len(want))
		}
		got, want := sums(t, at("out")), sums(t, at("whole"))
		delete(got, "results.jsonl")
		delete(want, "results.jsonl")
		if len(want) < 20 || !maps.Equal(got, want) {
			for name := range want {
				if got[name] != want[name] {
					t.Errorf("%s differs or is missing", name)
				}
			}
			t.Errorf("%d files, want %d", len(got), len(want))
		}
	}
	if _, err := os.Stat(at("out.parts")); err == nil {
		t.Error("the parts are still there")
	}
}

// Each part of an evaluation has the flags of its suite.
func TestMeasurements(t *testing.T) {
	_, parts, err := measurements([]string{
		"eval", "m", "in", "--suite", "clean,c,cbar,p", "--subset", "fog", "--perturbation=tilt", "--severity=2", "--c", "dir", "--image", "raw",
		"--difficulty", "2", "--profile", "32", "--seed", "3", "-o", "out",
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range parts {
		got[p.Name] = strings.Join(p.Args, " ")
	}
	if want := map[string]string{
		"clean":  "eval m in --seed 3 --suite clean --examples 0",
		"c-fog":  "eval m in --severity=2 --c dir --seed 3 --suite c --examples 0 --subset fog",
		"cbar":   "eval m in --severity=2 --image raw --profile 32 --seed 3 --suite cbar --examples 0",
		"p-tilt": "eval m in --difficulty 2 --profile 32 --seed 3 --suite p --examples 0 --perturbation tilt",
	}; !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// rows returns the rows of a folder of results, sorted, without their time.
func rows(t *testing.T, dir string) []string {
	t.Helper()
	all, err := results.ReadFile(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, r := range all {
		r.Time = time.Unix(1, 0)
		line, err := r.AppendLine(nil)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return lines
}
