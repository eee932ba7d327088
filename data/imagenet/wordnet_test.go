package imagenet_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/augmix-go/augmix/data/imagenet"
)

// nouns is a small tree as WordNet writes it: an animal; a dog and a pet are animals, a poodle is a dog, a lapdog a dog and a pet, Laika
// an instance of a dog. The second pointer of the dog is to what it is a member of.
const nouns = "  1 This software and database is being provided to you\n" +
	"00000001 03 n 01 animal 0 001 ~ 00000002 n 0000 | a living thing  \n" +
	"00000002 05 n 02 dog 0 domestic_dog 0 002 @ 00000001 n 0000 #m 00000009 n 0000 | barks | at night  \n" +
	"00000003 05 n 01 poodle 0 001 @ 00000002 n 0000 | has curls  \n" +
	"00000004 05 n 01 pet 0 001 @ 00000001 n 0000 | lives with people  \n" +
	"00000005 05 n 01 lapdog 0 002 @ 00000004 n 0000 @ 00000002 n 0000 | is small  \n" +
	"00000006 05 n 01 Laika 0 001 @i 00000002 n 0000 | was in space  \n" +
	"00000009 14 n 01 pack 0 000 | of dogs  \n"

func ExampleWordNet_Below() {
	w, err := imagenet.ReadWordNet(strings.NewReader(nouns))
	if err != nil {
		fmt.Println(err)
		return
	}
	pairs, _, err := w.Below([][2]string{{"n00000002", "dog"}})
	fmt.Println(pairs, err)
	// Output: [[n00000002 dog] [n00000003 dog] [n00000005 dog] [n00000006 dog]] <nil>
}

// TestBelow: the nearest class above wins, what is equally near to two is shared, two of one name are one class.
func TestBelow(t *testing.T) {
	w, err := imagenet.ReadWordNet(strings.NewReader(nouns))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		broad  [][2]string
		pairs  string
		shared string
	}{
		{
			[][2]string{{"n00000004", "pet"}, {"n00000002", "dog"}},
			"[[n00000004 pet] [n00000002 dog] [n00000003 dog] [n00000006 dog]]", "[n00000005]",
		},
		{
			[][2]string{{"n00000001", "other"}, {"n00000002", "dog"}},
			"[[n00000001 other] [n00000004 other] [n00000002 dog] [n00000003 dog] [n00000005 dog] [n00000006 dog]]", "[]",
		},
		{
			[][2]string{{"n00000004", "mine"}, {"n00000002", "mine"}},
			"[[n00000002 mine] [n00000003 mine] [n00000004 mine] [n00000005 mine] [n00000006 mine]]", "[]",
		},
	} {
		pairs, shared, err := w.Below(c.broad)
		if fmt.Sprint(pairs) != c.pairs || fmt.Sprint(shared) != c.shared || err != nil {
			t.Errorf("%v: %v, shared %v, %v", c.broad, pairs, shared, err)
		}
	}
	if _, _, err := w.Below([][2]string{{"n00000077", "yeti"}}); !errors.Is(err, imagenet.ErrWordNet) || !strings.Contains(err.Error(), "n00000077, yeti") {
		t.Errorf("no such number: %v", err)
	}
}

// TestReadWordNetRefuses: what is not WordNet's file of nouns is refused with its line, within bounds.
func TestReadWordNetRefuses(t *testing.T) {
	for text, says := range map[string]string{
		"":                                  "empty",
		"  a license alone\n":               "empty",
		"00000001 03 v 01 walk 0 000 | .\n": "line 1 is none",
		"00000001 03 n zz dog 0 000 | .\n":  "line 1 is none",
		"00000001 03 n ff dog 0 000 | .\n":  "line 1 is none",
		"00000001 03 n 01 dog 0 009 @ 00000002 n 0000 | less than it says\n": "line 1 is none",
		nouns + "1 2 3\n":                         "line 9 is none",
		nouns + strings.Repeat("x", 1<<17) + "\n": "after line 8",
	} {
		if _, err := imagenet.ReadWordNet(strings.NewReader(text)); !errors.Is(err, imagenet.ErrWordNet) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q: %v, want %q", text, err, says)
		}
	}
	var many strings.Builder
	for i := range 1<<18 + 1 {
		fmt.Fprintf(&many, "%08d 03 n 01 x 0 000 | .\n", i)
	}
	if _, err := imagenet.ReadWordNet(strings.NewReader(many.String())); !errors.Is(err, imagenet.ErrWordNet) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many: %v", err)
	}
}

// TestBroad: 25 classes, each number and each name once.
func TestBroad(t *testing.T) {
	var wnids, names []string
	for _, b := range imagenet.Broad() {
		wnids, names = append(wnids, b[0]), append(names, b[1])
	}
	slices.Sort(wnids)
	slices.Sort(names)
	if len(slices.Compact(wnids)) != 25 || len(slices.Compact(names)) != 25 || slices.Contains(names, "") {
		t.Errorf("%v", imagenet.Broad())
	}
}

func FuzzReadWordNet(f *testing.F) {
	f.Add(nouns)
	f.Add("00000001 03 n 02 a 0 b 0 001 @ 00000001 n 0000 | .\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := imagenet.ReadWordNet(strings.NewReader(text))
		if err != nil {
			return
		}
		// Above itself, or in a circle: nothing hangs.
		pairs, shared, err := w.Below([][2]string{{"n00000001", "a"}, {"n00000002", "b"}})
		if err == nil && len(pairs)+len(shared) < 2 {
			t.Errorf("%q: %v, %v without the broad classes themselves", text, pairs, shared)
		}
	})
}
