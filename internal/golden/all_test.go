package golden

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryGroupLoads reads every manifest of every golden folder that is there, and every file that a case names, so
// that the form of the folders and this package cannot drift apart.
func TestEveryGroupLoads(t *testing.T) {
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	roots := []string{filepath.Join(module, "testdata", "golden")}
	for _, group := range []string{"augmix", "geometry", "ops"} {
		if !isDir(filepath.Join(roots[0], group)) {
			t.Errorf("the project's own group %q is missing: run tools/oracle", group)
		}
	}
	external, reason, err := externalRoot(module)
	if err != nil {
		t.Fatal(err)
	}
	if reason == "" {
		roots = append(roots, external)
	} else {
		t.Log(reason)
	}
	for _, root := range roots {
		manifests, err := filepath.Glob(filepath.Join(root, "*", "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range manifests {
			group := filepath.Base(filepath.Dir(path))
			t.Run(filepath.Base(filepath.Dir(root))+"/"+group, func(t *testing.T) { loadAll(t, root, group) })
		}
	}
}

func loadAll(t *testing.T, root, group string) {
	cases, err := load(root, group)
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, c := range cases {
		c.t = t
		for _, f := range filesOf(c) {
			if read[f] {
				continue
			}
			read[f] = true
			switch filepath.Ext(f) {
			case ".npy":
				if c.Array(f).Len() == 0 {
					t.Errorf("%s: %s is empty", c.Name, f)
				}
			case ".png":
				if len(c.ImagesOf(f)) != 1 {
					t.Errorf("%s: %s is no image", c.Name, f)
				}
			case ".json":
				var v any
				c.JSON(&v, f)
			default:
				if len(c.File(f)) == 0 {
					t.Errorf("%s: %s is empty", c.Name, f)
				}
			}
		}
		if c.Tolerance == (Tolerance{}) {
			t.Errorf("%s: no tolerance that this package knows", c.Name)
		}
		if used := strings.Count(string(mustJSON(t, c.Fields)), `.npy"`); used < len(filesOfType(c, ".npy")) {
			t.Errorf("%s: %d npy files in the entry, %d found", c.Name, used, len(filesOfType(c, ".npy")))
		} else if used > len(filesOfType(c, ".npy")) {
			t.Errorf("%s: a field of the entry names npy files that Case does not cover", c.Name)
		}
	}
	t.Logf("%d cases, %d files", len(cases), len(read))
}

func mustJSON(t *testing.T, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// filesOf lists every file that a case names.
func filesOf(c *Case) []string {
	var out []string
	for _, list := range [][]string{c.Inputs, c.Expected, c.Alt, c.Debug, c.Stream, c.ChainsU8, c.Photos, c.Logits} {
		out = append(out, list...)
	}
	for _, list := range [][][2]string{c.Weights, c.Gradients} {
		for _, pair := range list {
			out = append(out, pair[1])
		}
	}
	for _, f := range c.Draws {
		out = append(out, f)
	}
	if c.Predicted != "" {
		out = append(out, c.Predicted)
	}
	return out
}

func filesOfType(c *Case, ext string) []string {
	var out []string
	for _, f := range filesOf(c) {
		if strings.HasSuffix(f, ext) {
			out = append(out, f)
		}
	}
	return out
}

// TestCompleteRuns checks that a group of which some package replays a part is replayed in full by a Run somewhere.
func TestCompleteRuns(t *testing.T) {
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`golden\.(Run|RunSome)\(t, "(\w+)"`)
	complete, part := map[string]bool{}, map[string]string{}
	err = filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || filepath.Base(filepath.Dir(path)) == "golden" {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range call.FindAllStringSubmatch(string(b), -1) {
			if m[1] == "Run" {
				complete[m[2]] = true
			} else {
				part[m[2]] = path
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for group, path := range part {
		if !complete[group] {
			t.Errorf("%s replays a part of group %q, and no test calls golden.Run(t, %q, ...)", path, group, group)
		}
	}
}
