package datatest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/datatest"
)

// flawVariable tells a child process which promise of the book is broken.
const flawVariable = "AUGMIX_DATATEST_FLAW"

// suite is what a format's own test looks like.
func suite(flaw string) datatest.Suite {
	return datatest.Suite{
		Target: "a.book", Indexed: true, Unlabeled: true, NoClassNames: true,
		Open: func(path string) (data.Source, error) { return openBook(path, flaw) },
		Create: func(path string, _ []string, state []byte) (data.Sink, error) {
			return createBook(path, flaw, state)
		},
		Key: func(k datatest.Known, _ []string) string { return k.Key },
	}
}

// TestBook: a format that keeps every promise passes. In a child process it is the broken one.
func TestBook(t *testing.T) { suite(os.Getenv(flawVariable)).Run(t) }

// TestFlaws: every promise that a format breaks fails the test that is about it.
func TestFlaws(t *testing.T) {
	if os.Getenv(flawVariable) != "" {
		t.Skip("in the child only the book is tested")
	}
	for flaw, test := range map[string]string{
		"content":                  "content",
		"length":                   "content",
		"order":                    "order",
		"end":                      "end",
		"ownership":                "ownership",
		"keys":                     "keys",
		"random access":            "random_access",
		"truncated":                "truncated",
		"round trip":               "round_trip",
		"crash and resume":         "crash_and_resume",
		"crash without checkpoint": "crash_without_checkpoint",
		"abort":                    "abort",
		"hostile keys":             "hostile_keys",
		"bad label":                "bad_label",
		"rejected":                 "rejected",
		"damage":                   "damage",
		"full disk":                "full_disk",
	} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestBook$/^"+test+"$")
		cmd.Env = append(os.Environ(), flawVariable+"="+flaw)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "--- FAIL: TestBook/"+test) {
			t.Errorf("flaw %q passes test %s:\n%s", flaw, test, out)
		}
	}
}

func TestSamples(t *testing.T) {
	seen := map[string]bool{}
	for i, k := range datatest.Samples(9, 0, 0, 3) {
		if seen[k.Key] || k.Label < 0 || k.Label > 2 || data.CheckKey(k.Key) != nil {
			t.Errorf("sample %d: %q, label %d", i, k.Key, k.Label)
		}
		seen[k.Key] = true
	}
	for _, k := range datatest.Samples(3, 5, 4, 0) {
		if k.Label != data.NoLabel || k.Image.W != 5 || k.Image.H != 4 {
			t.Errorf("%q: label %d, %dx%d", k.Key, k.Label, k.Image.W, k.Image.H)
		}
	}
}

// A format's own test fills in a suite and runs it.
func ExampleSuite() {
	_ = func(t *testing.T) { // TestConformance of package book
		datatest.Suite{
			Target: "a.book",
			Open:   func(path string) (data.Source, error) { return openBook(path, "") },
			Create: func(path string, _ []string, state []byte) (data.Sink, error) {
				return createBook(path, "", state)
			},
			NoClassNames: true,
		}.Run(t)
	}
}
