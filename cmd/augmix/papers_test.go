package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
)

// TestPapersPage: docs/papers.md has each of its 170 things once, counts its verdicts right, and every file, test, command, flag,
// recipe, method, network and spec that it names is there.
func TestPapersPage(t *testing.T) {
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "papers.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := knownNames(t)
	tests := testNames(t, root)
	counts := map[string]int{}
	n := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if number := strings.TrimPrefix(cells[0], "| "); len(cells) == 4 && number != "|" {
			if n++; number != fmt.Sprint(n) {
				t.Fatalf("row %s comes after %d", number, n-1)
			}
			counts[cells[2]]++
		}
		for _, match := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
			name := match[1]
			_, statErr := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
			switch {
			case strings.HasPrefix(name, "Test"):
				if name != "Test" && !tests[name] {
					t.Errorf("there is no test %s", name)
				}
			case strings.HasPrefix(name, "augmix ") || strings.HasPrefix(name, "--"):
				for _, word := range strings.Fields(name)[:max(1, len(strings.Fields(name))-1)] {
					if word != "augmix" && !known[word] {
						t.Errorf("%s: there is no command or flag %s", name, word)
					}
				}
			case statErr == nil || known[name] || known[strings.Split(name, ": ")[0]]:
			default:
				if _, err := mix.ParseSpec(name); err == nil {
					continue
				}
				if _, err := models.Input(name); err != nil {
					t.Errorf("%q is no file, recipe, method, key, network, mix or mixing set", name)
				}
			}
		}
	}
	if n != 170 {
		t.Errorf("%d rows", n)
	}
	for _, verdict := range []string{"there", "differs", "not there"} {
		if line := "- **" + verdict + "**"; counts[verdict] == 0 {
			if strings.Contains(string(page), line) {
				t.Errorf("no row is %q, the page counts some", verdict)
			}
			continue
		}
		if !regexp.MustCompile(fmt.Sprintf(`\*\*%s\*\*[^\n]*\(%d\)`, verdict, counts[verdict])).Match(page) {
			t.Errorf("%d rows are %q, the page counts otherwise", counts[verdict], verdict)
		}
		delete(counts, verdict)
	}
	if len(counts) > 0 {
		t.Errorf("other verdicts: %v", counts)
	}
}

// knownNames are the words that a page may name: commands, flags, recipes and their methods and keys, mixing sets, options of mixes.
func knownNames(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{"style": true, "subtype": true, "traditional": true} // parts of ICONS-50
	parser := newParser(&cli{}, nil)
	var add func(n *kong.Node)
	add = func(n *kong.Node) {
		known[n.Name] = true
		for _, f := range n.Flags {
			known["--"+f.Name] = true
		}
		for _, c := range n.Children {
			add(c)
		}
	}
	add(parser.Model.Node)
	for _, name := range recipe.Names() {
		known[name] = true
		text, err := recipe.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range text.Methods() {
			known[method] = true
		}
	}
	config := reflect.TypeFor[train.Config]()
	for i := range config.NumField() {
		key, _, _ := strings.Cut(config.Field(i).Tag.Get("yaml"), ",")
		known[key] = true
	}
	for _, kind := range mixset.Kinds() {
		known[kind.Name] = true
	}
	for _, e := range mix.Table() {
		for _, o := range e.Options {
			known[o.Key] = true
		}
	}
	return known
}

// testNames are the tests of the module.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() && slices.Contains([]string{".git", "testdata", "docs"}, e.Name()) {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
