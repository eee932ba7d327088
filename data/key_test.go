package data_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/augmix-go/augmix/data"
)

func TestCheckKey(t *testing.T) {
	for _, key := range []string{
		"a", "a/b", "n01440764/ILSVRC2012_val_00000293", "a.b", "..a", "a..", "日本/語", "a b",
		"ab:c",
	} {
		if err := data.CheckKey(key); err != nil {
			t.Error(err)
		}
	}
	for _, key := range []string{
		"", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", `a\b`, "a\x00", "a\nb", "\x7f", "c:x", "\xff",
		strings.Repeat("x", 1025),
	} {
		if err := data.CheckKey(key); !errors.Is(err, data.ErrUnsafe) {
			t.Errorf("key %.20q: %v, want ErrUnsafe", key, err)
		}
	}
}

func TestIsImageName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.jpg": true, "a.JPEG": true, "a.b.Png": true, "x/a.tif": true, "a.txt": false, "png": false,
		"a.png.partial": false,
		".png":          true, "": false,
	} {
		if got := data.IsImageName(name); got != want {
			t.Errorf("IsImageName(%q) = %t", name, got)
		}
	}
	if got := data.TrimImageExt("a.tar.jpg"); got != "a.tar" {
		t.Errorf("TrimImageExt gives %q", got)
	}
	if got := data.TrimImageExt("a.tar"); got != "a.tar" {
		t.Errorf("TrimImageExt gives %q", got)
	}
}

func TestUniqueKeys(t *testing.T) {
	for _, c := range []struct{ paths, want []string }{
		{nil, []string{}},
		{[]string{"c/a.png", "c/b.jpg"}, []string{"c/a", "c/b"}},
		{[]string{"c/a.png", "c/a.jpg", "c/b.jpg"}, []string{"c/a.png", "c/a.jpg", "c/b"}},
		// The key "a.jpg" that a clash gives the first is also the short key of the third.
		{[]string{"a.jpg", "a.png", "a.jpg.png"}, []string{"a.jpg", "a.png", "a.jpg.png"}},
		{[]string{`a\b.png`, "c\x01.png", "d\xff.png", "x:y.png"}, []string{"a%5Cb", "c%01", "d%FF", "x%3Ay"}},
		{[]string{"c\x01.png", "c%01.png"}, []string{"c%01", "c%01.png~2"}},
		{[]string{"a.png", "a.png", "", ""}, []string{"a", "a.png~2", "", "~2"}},
	} {
		if got := data.UniqueKeys(c.paths); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.paths, got, c.want)
		}
	}
}

func TestUniqueKeysAreUnique(t *testing.T) {
	elem := rapid.StringMatching(`[a\x01%01~2]{1,3}(\.png|\.jpg){0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(elem, 0, 12, func(s string) string { return s }).Draw(t, "paths")
		keys := data.UniqueKeys(paths)
		seen := map[string]bool{}
		for i, k := range keys {
			if seen[k] {
				t.Fatalf("%q twice in %q for %q", k, keys, paths)
			}
			seen[k] = true
			if err := data.CheckKey(k); err != nil {
				t.Fatalf("%q: %v", paths[i], err)
			}
		}
	})
}

func ExampleUniqueKeys() {
	fmt.Println(data.UniqueKeys([]string{"cat/1.png", "cat/2.png", "cat/2.jpg"}))
	// Output: [cat/1 cat/2.png cat/2.jpg]
}
