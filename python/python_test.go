package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// interpreter returns a Python that has numpy: AUGMIX_PYTHON, Debian's, or the one in PATH.
func interpreter(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("AUGMIX_PYTHON"), "/usr/bin/python3", "python3"} {
		if name != "" && exec.Command(name, "-c", "import sys, numpy; assert sys.version_info >= (3, 9)").Run() == nil {
			return name
		}
	}
	t.Skip("no Python 3.9 or later with numpy")
	return ""
}

// program builds augmix, unless AUGMIX_TEST_BINARY names one.
func program(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("AUGMIX_TEST_BINARY"); given != "" {
		return given
	}
	at := filepath.Join(t.TempDir(), "augmix")
	if said, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", at, "../cmd/augmix").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return at
}

// ran is unittest's last line but two; skipped are the reasons of what it left out.
var (
	ran     = regexp.MustCompile(`Ran ([0-9]+) tests? in`)
	skipped = regexp.MustCompile(`skipped ['"](.*)['"]\n`)
)

// together are the files whose tests run in one process, as loading PyTorch takes a second.
var together = []string{"test_evaluation_real.py", "test_examples.py", "test_torch.py"}

// runner runs the tests of the files that its arguments name, as unittest's discover does with one file.
const runner = `
import sys, unittest
loader = unittest.TestLoader()
suite = unittest.TestSuite(loader.discover(".", name) for name in sys.argv[1:])
sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
`

// TestPython runs the tests of the Python package with the program that this module builds, a file of tests or several each.
func TestPython(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the child of these tests is a shell script, and they look at /proc: Linux only")
	}
	python := interpreter(t)
	env := append(os.Environ(), "AUGMIX_TEST_BINARY="+program(t), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1")
	files, err := filepath.Glob("tests/test_*.py")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files of tests, %v", len(files), err)
	}
	groups := [][]string{together}
	for _, file := range files {
		if name := filepath.Base(file); !slices.Contains(together, name) {
			groups = append(groups, []string{name})
		}
	}
	// They mostly wait for processes and time limits, so that more of them run together than t.Parallel lets.
	var begun []func() ([]byte, error)
	for _, names := range groups {
		c := exec.CommandContext(t.Context(), python, slices.Concat([]string{"-W", "error::ResourceWarning", "-c", runner}, names)...)
		c.Dir, c.Env = "tests", env
		run := sync.OnceValues(c.CombinedOutput)
		begun = append(begun, run)
		go run()
	}
	for i, names := range groups {
		t.Run(strings.ReplaceAll(strings.Join(names, " "), ".py", ""), func(t *testing.T) {
			said, err := begun[i]()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			m := ran.FindSubmatch(said)
			if m == nil {
				t.Fatalf("unittest says\n%s", said)
			}
			reasons := skipped.FindAllSubmatch(said, -1)
			for _, reason := range reasons {
				t.Logf("left out: %s", reason[1])
			}
			// A file whose first lines find that something is not installed counts as one test that is left out.
			if count, _ := strconv.Atoi(string(m[1])); count <= len(reasons) {
				t.Skip("all of it was left out")
			}
			t.Logf("%s tests", m[1])
		})
	}
}
