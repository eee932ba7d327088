package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/train"
)

// output writes a manifest as a command does, and the files that it lists.
func output(t *testing.T, path, options string, files ...string) {
	t.Helper()
	list := ""
	for _, name := range files {
		full := filepath.Join(path, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf(`,{"path":%q}`, name)
	}
	text := fmt.Sprintf(`{"version":1,"options":{%s},"files":[%s]}`, options, strings.TrimPrefix(list, ","))
	if err := os.WriteFile(filepath.Join(path, generate.ManifestName), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestMadeWith: marks of training images come from the manifest that lists them, of the part that they are.
func TestMadeWith(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	output(t, in("corrupted"), `"command":"corrupt","subset":"[fog snow lines spatter]"`, "fog/3/cat/1.png", "snow/3/cat/1.png", "lines.npy")
	output(t, in("mixed"), `"command":"augment","mix":"corrupt-frost-p1+gaussian","op":"[rotate:10 contrast@3]"`, "cat/1.png")
	output(t, in("clean"), `"command":"augment","mix":"augmix"`, "cat/1.png")
	output(t, in("split/train"), `"command":"stream","subset":"[fog]"`, "data-000.tar")
	output(t, in("epochs/epoch-001"), `"command":"augment","mix":"gaussian"`, "cat/1.png")
	output(t, in("epochs/epoch-002"), `"command":"augment","mix":"gaussian"`, "cat/1.png")
	if err := os.MkdirAll(in("corrupted/own/cat"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ path, split, c, bar, validation string }{
		{"corrupted", "", "fog, snow", "lines", "spatter"},
		{"corrupted/fog/3", "", "fog", "", ""},
		{"corrupted/lines.npy", "", "", "lines", ""},
		{"corrupted/own", "", "", "", ""},
		{"mixed", "", "contrast, frost, gaussian noise", "", ""},
		{"clean", "", "", "", ""},
		{"split", "train", "fog", "", ""},
		{"split/train/data-{000..003}.tar", "", "fog", "", ""},
		{"epochs", "", "gaussian noise", "", ""},
		{"nowhere", "", "", "", ""},
	} {
		m := (&Train{}).madeWith(&train.Config{Data: in(x.path), Split: x.split})
		if m.err != nil || m.marks[results.VersionTrainedOn] != x.c || m.marks[results.VersionTrainedOnBar] != x.bar ||
			m.marks[results.VersionTrainedOnValidation] != x.validation || (len(m.manifests) > 0) != (len(m.marks) > 0) {
			t.Errorf("%s: %+v", x.path, m)
		}
	}
	if err := os.WriteFile(in("clean/manifest.json"), []byte(`["of another program"]`), 0o666); err != nil {
		t.Fatal(err)
	}
	m, said := (&Train{}).madeWith(&train.Config{Data: in("clean")}), ""
	m.say(func(format string, args ...any) { said += fmt.Sprintf(format, args...) }, "clean")
	if len(m.marks) > 0 || !strings.Contains(said, "clean: what its images were made with is not known") || !strings.Contains(said, in("clean/manifest.json")) {
		t.Errorf("another program's manifest: %v, %s", m.marks, said)
	}
}
