package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestListClasses: the list is what --classes reads; what cannot be read is said with the file.
func TestListClasses(t *testing.T) {
	dir := t.TempDir()
	nouns, broad, none := filepath.Join(dir, "data.noun"), filepath.Join(dir, "broad.txt"), filepath.Join(dir, "none")
	write(t, nouns, []byte("00000001 05 n 01 dog 0 000 | barks  \n00000002 05 n 01 poodle 0 001 @ 00000001 n 0000 | has curls  \n"+
		"00000003 05 n 01 cat 0 000 | purrs  \n00000004 05 n 01 catdog 0 002 @ 00000001 n 0000 @ 00000003 n 0000 | does both  \n"))
	write(t, broad, []byte("n00000001 dog\nn00000003 cat # purrs\n"))
	o := augmix(t, exitDone, "list", "classes", broad, "--wordnet", nouns)
	if o.out != "n00000001 dog\nn00000002 dog\nn00000003 cat\n" || !strings.Contains(o.err, "two classes: 1 noun\n") {
		t.Errorf("%q, %q", o.out, o.err)
	}
	if o := augmix(t, exitDone, "list", "classes", broad, "--wordnet", nouns, "--json"); !strings.Contains(o.out, `"wnid": "n00000002"`) {
		t.Errorf("%q", o.out)
	}
	for _, c := range []struct{ broad, nouns, says string }{
		{none, nouns, none}, {broad, none, "--wordnet"}, {nouns, nouns, "data.noun:1"}, {broad, broad, "broad.txt: not WordNet's nouns: line 1"},
	} {
		if o := augmix(t, exitFailed, "list", "classes", c.broad, "--wordnet", c.nouns); !strings.Contains(o.err, c.says) || o.out != "" {
			t.Errorf("%s, %s: %q, want %q", c.broad, c.nouns, o.err, c.says)
		}
	}
}
