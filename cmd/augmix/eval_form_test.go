package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/results"
)

// Of a form that augmix corrupt wrote, rows are those of the same form made on the fly: of the severities that it has, in arrays and in
// folders, marked where frost is generated, and apart where parameters are not the published ones.
func TestEvalWrittenForms(t *testing.T) {
	set := cifarFolder(t, 20)
	net, dir := trainedNet(t, set), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	mine := in("my.yaml")
	text := strings.Replace(augmix(t, exitDone, "list", "corruptions", "contrast", "--profile", "32").out, "0.75", "0.7", 1)
	if err := os.WriteFile(mine, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	own, err := tables.Open(mine)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, written, measured string
		how                     []string
		marked                  bool
		part                    string
	}{
		{"from 0", "0-4", "1-4", []string{"--subset", "frost"}, true, ""},
		{"between", "0.5-4.5:1", "1.5,3.5", []string{"--subset", "contrast"}, false, ""},
		{"two", "1,3", "1,3", []string{"--subset", "contrast"}, false, ""},
		{"folders", "2.5,3", "2.5,3", []string{"--subset", "frost", "--output-format", "folder", "--image", "png"}, true, ""},
		{"own", "1-5", "1-5", []string{"--subset", "contrast", "--profile", mine}, false, "parameters " + own.Sum()},
	} {
		augmix(t, exitDone, append([]string{"corrupt", set, "-o", in(c.name), "--seed", "7", "--severity", c.written}, c.how...)...)
		args := []string{"eval", net, set, "--suite", "c", "--subset", c.how[1], "--severity", c.measured, "--name", "a"}
		augmix(t, exitDone, append(args, "--c", in(c.name), "-o", in(c.name+"-disk"))...)
		fly := append(args, "--seed", "7", "--image", "raw", "-o", in(c.name+"-fly"))
		if c.part != "" {
			fly = append(fly, "--profile", mine)
		}
		augmix(t, exitDone, fly...)
		made := byKey(t, filepath.Join(in(c.name+"-fly"), results.FileName))
		disk := byKey(t, filepath.Join(in(c.name+"-disk"), results.FileName))
		if len(disk) == 0 || len(disk) != len(made) {
			t.Errorf("%s: %d rows from disk, %d on the fly", c.name, len(disk), len(made))
		}
		for k, r := range disk {
			if m := made[k]; m.Value != r.Value || m.N != r.N {
				t.Errorf("%s: %v: %v of %d from disk, %v of %d on the fly", c.name, k, r.Value, r.N, m.Value, m.N)
			}
			if k.Part != c.part || (r.Versions[results.VersionFrost] == results.FrostGenerated) != c.marked {
				t.Errorf("%s: %v says %v", c.name, k, r.Versions)
			}
		}
	}
	for name, want := range map[string]string{
		"from 0": "severity 5 (allowed: 0, 1, 2, 3, 4, which", "two": "severity 2 (allowed: 1, 3, which", "folders": "severity 1 (allowed: 2.5, 3, which",
	} {
		subset := "frost"
		if name == "two" {
			subset = "contrast"
		}
		o := augmix(t, exitUsage, "eval", net, set, "--suite", "c", "--subset", subset, "--c", in(name))
		if !strings.Contains(o.err, want) {
			t.Errorf("%s: says %q, want %q", name, o.err, want)
		}
	}
}
