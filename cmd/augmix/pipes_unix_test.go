//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesRefused: a pipe in the place of a file that a user names is refused in one line and not opened, which would wait for ever.
func TestPipesRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := func(name string) string {
		path := filepath.Join(dir, name)
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	flat := filepath.Join(photos(t, 1), "cat")
	for name, args := range map[string][]string{
		"config":   {"version", "--config", pipe("args.yaml")},
		"npy":      {"score", pipe("logits.npy")},
		"npz":      {"score", pipe("logits.npz")},
		"csv":      {"score", pipe("logits.csv")},
		"jsonl":    {"score", pipe("logits.jsonl")},
		"parquet":  {"score", pipe("logits.parquet")},
		"torch":    {"score", pipe("logits.pt")},
		"rows":     {"report", pipe("results.jsonl"), "-o", filepath.Join(dir, "out.html")},
		"weights":  {"eval", pipe("net.safetensors"), "scenes:n=4"},
		"pth":      {"eval", pipe("net.pth"), "scenes:n=4"},
		"onnx":     {"eval", pipe("net.onnx"), "scenes:n=4"},
		"recipe":   {"run", pipe("recipe.yaml"), "-o", filepath.Join(dir, "out")},
		"classes":  {"augment", "scenes:n=4", "--classes", pipe("classes"), "-o", filepath.Join(dir, "out")},
		"labels":   {"augment", flat, "--labels", pipe("labels.csv"), "-o", filepath.Join(dir, "out")},
		"image":    {"predict", pipe("net2.safetensors"), pipe("image.png")},
		"manifest": {"verify", pipe("manifest.json")},
	} {
		o := augmixIn(t.Context(), nil, args...)
		line, rest, _ := strings.Cut(o.err, "\n")
		if o.code == exitDone || !strings.Contains(line, "regular file") || rest != "" && name != "config" {
			t.Errorf("%s: status %d, %q", name, o.code, o.err)
		}
	}
}
