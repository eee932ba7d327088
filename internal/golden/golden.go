// Package golden replays expected outputs in tests. A golden folder holds one folder a group ("ops", "corrupt", ...)
// with a manifest.json that lists cases: an operation, its parameters, input files, expected files and a tolerance.
//
// [Run] reads a group from two places: the project's own testdata/golden at the module root, which is made by
// tools/oracle and always there, and an external folder, which is the one named by the environment variable
// AUGMIX_GOLDEN or else ../shared/golden beside the module root. Without an external folder the subtest "external"
// skips and says so; if AUGMIX_GOLDEN names a folder that does not exist, the test fails. A script that must have the
// external goldens sets AUGMIX_GOLDEN, or looks for a skipped ".../external" in the output of go test -v. The test
// cache does not see changes in the external folder: use -count=1.
//
// What cannot pass by accident: an operation without a replay function fails, a case that compared nothing fails, a
// function for an operation that no case has fails, a function that skips fails, a missing file fails. The only
// exceptions are listed in [NotBuilt].
package golden

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// EnvDir is the environment variable that names the external golden folder.
const EnvDir = "AUGMIX_GOLDEN"

// NotBuilt lists, as "group/operation", the operations that the project does not have yet, and why. Their cases do not
// fail; every run logs how many there were. An operation must leave the list when it gets a replay function: [Run]
// fails on one that has both.
var NotBuilt = map[string]string{}

// Func replays one case: it computes the result from the inputs and compares it with the functions of this package.
type Func func(t *testing.T, c *Case)

// Run replays every case of group in every golden folder, each as a subtest own/CASE or external/CASE. ops maps each
// operation of the group to its replay function. An operation that is tested in another package gets [Elsewhere].
func Run(t *testing.T, group string, ops map[string]Func) {
	t.Helper()
	run(t, &replayer{group: group, ops: ops})
}

// RunSome is [Run] for a package that has only some of a group's operations: cases of other operations are left out,
// and their number is logged. Every group needs a Run in some package; a test of this package looks for it.
func RunSome(t *testing.T, group string, ops map[string]Func) {
	t.Helper()
	run(t, &replayer{group: group, ops: ops, some: true})
}

// replayer holds what one Run knows.
type replayer struct {
	module string // root folder of the module
	group  string
	ops    map[string]Func
	some   bool            // operations without a function are no failure
	used   map[string]bool // operations met so far
}

func run(t *testing.T, r *replayer) {
	t.Helper()
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	r.module, r.used = module, map[string]bool{}
	group := r.group
	own := filepath.Join(module, "testdata", "golden")
	ownHas := isDir(filepath.Join(own, group))
	if ownHas {
		t.Run("own", func(t *testing.T) { r.root(t, own) })
	}
	external, reason, err := externalRoot(module)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case reason != "":
	case !isDir(filepath.Join(external, group)) && ownHas:
		t.Logf("golden: group %q is the project's own: %s has none", group, external)
		return
	default:
		ran := false // not if the flag -run selects other subtests
		t.Run("external", func(t *testing.T) { ran = true; r.root(t, external) })
		if ran {
			r.checkUsed(t)
		}
		return
	}
	t.Run("external", func(t *testing.T) { t.Skip(reason) })
}

// checkUsed finds replay functions that no case called for, which are misspelt or stale. It fails on them only when the
// external folder is the usual one: a folder that AUGMIX_GOLDEN names may hold a selection.
func (r *replayer) checkUsed(t *testing.T) {
	t.Helper()
	report := t.Errorf
	if os.Getenv(EnvDir) != "" {
		report = t.Logf
	}
	for op := range r.ops {
		if !r.used[op] {
			report("golden: group %q: no case has the operation %q", r.group, op)
		}
	}
}

// externalRoot returns the external golden folder, or the reason why there is none.
func externalRoot(module string) (dir, reason string, err error) {
	if dir = os.Getenv(EnvDir); dir != "" {
		if !isDir(dir) {
			return "", "", fmt.Errorf("golden: %s is %q, which is not a folder", EnvDir, dir)
		}
		return dir, "", nil
	}
	dir = filepath.Join(filepath.Dir(module), "shared", "golden")
	if !isDir(dir) {
		return "", fmt.Sprintf("external goldens skipped: %s is not set and %s does not exist", EnvDir, dir), nil
	}
	return dir, "", nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// moduleRoot walks up from the working directory to the folder of this module's go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("golden: %w", err)
	}
	for {
		b, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(b), "module github.com/augmix-go/augmix\n") {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("golden: no go.mod of the project above the working directory")
		}
		dir = up
	}
}

// manifest is the part of manifest.json that this package uses; the header's other fields are for people.
type manifest struct {
	Group string            `json:"group"`
	Cases []json.RawMessage `json:"cases"`
}

// load reads the cases of one group.
func load(root, group string) ([]*Case, error) {
	dir := filepath.Join(root, group)
	path := filepath.Join(dir, "manifest.json")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	cases, err := parse(b, group, dir)
	if err != nil {
		return nil, fmt.Errorf("golden: %s: %w", path, err)
	}
	return cases, nil
}

// parse reads the cases of a manifest whose files lie in dir.
func parse(b []byte, group, dir string) ([]*Case, error) {
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, err
	}
	if m.Group != group || len(m.Cases) == 0 {
		return nil, fmt.Errorf("group %q with %d cases, want %q with some", m.Group, len(m.Cases), group)
	}
	var cases []*Case
	seen := map[string]bool{}
	for i, raw := range m.Cases {
		c := &Case{Group: group, Dir: dir}
		if err := json.Unmarshal(raw, c); err != nil {
			return nil, fmt.Errorf("case %d: %w", i, err)
		}
		if err := json.Unmarshal(raw, &c.Fields); err != nil {
			return nil, fmt.Errorf("case %d: %w", i, err)
		}
		if c.Name == "" || c.Op == "" || seen[c.Name] {
			return nil, fmt.Errorf("case %d: name %q or operation %q empty or given twice", i, c.Name, c.Op)
		}
		seen[c.Name] = true
		cases = append(cases, c)
	}
	return cases, nil
}

// root replays the group of one golden folder.
func (r *replayer) root(t *testing.T, root string) {
	cases, err := load(root, r.group)
	if err != nil {
		t.Fatal(err)
	}
	absent, elsewhere, others := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range cases {
		r.used[c.Op] = true
		key := r.group + "/" + c.Op
		f, why := r.ops[c.Op], NotBuilt[key]
		switch {
		case f == nil && why != "":
			absent[c.Op]++
		case f == nil && r.some:
			others[c.Op]++
		case f != nil && why != "":
			t.Errorf("golden: operation %q has a replay function: remove %q from NotBuilt", c.Op, key)
		default:
			t.Run(c.Name, func(t *testing.T) { r.replay(t, c, f) })
			if c.elsewhere != "" {
				elsewhere[c.Op+" (in "+c.elsewhere+")"]++
			}
		}
	}
	logCounts(t, "not built yet", absent)
	logCounts(t, "replayed elsewhere", elsewhere)
	logCounts(t, "of other operations left out", others)
}

// replay runs one case and checks that it compared something.
func (r *replayer) replay(t *testing.T, c *Case, f Func) {
	if f == nil {
		t.Fatalf("golden: operation %q of group %q has no replay function", c.Op, c.Group)
	}
	defer func() {
		if t.Skipped() {
			t.Errorf("golden: the replay function of operation %q skipped", c.Op)
		}
	}()
	c.t = t
	f(t, c)
	switch {
	case c.elsewhere != "":
		if err := checkElsewhere(r.module, c); err != nil {
			t.Fatal(err)
		}
	case c.compared.Load() == 0 && !t.Failed():
		t.Fatalf("golden: the replay function of operation %q compared nothing", c.Op)
	}
}

func logCounts(t *testing.T, what string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	var parts []string
	total := 0
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
		total += n
	}
	slices.Sort(parts)
	t.Logf("golden: %d cases %s: %s", total, what, strings.Join(parts, ", "))
}

// Elsewhere is the replay function of an operation that the tests of another package replay; pkg is the folder of that
// package below the module root. It fails unless a test file there calls this package and names the operation, quoted,
// without passing it on in its turn.
func Elsewhere(pkg string) Func {
	return func(_ *testing.T, c *Case) { c.elsewhere = pkg }
}

func checkElsewhere(module string, c *Case) error {
	files, err := filepath.Glob(filepath.Join(module, filepath.FromSlash(c.elsewhere), "*_test.go"))
	if err != nil {
		return fmt.Errorf("golden: %w", err)
	}
	passedOn := regexp.MustCompile(`"` + regexp.QuoteMeta(c.Op) + `":\s*golden\.Elsewhere`)
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("golden: %w", err)
		}
		s := string(b)
		if strings.Contains(s, "golden.Run") && strings.Contains(s, `"`+c.Op+`"`) && !passedOn.MatchString(s) {
			return nil
		}
	}
	return fmt.Errorf("golden: no test in %s replays the operation %q", c.elsewhere, c.Op)
}
