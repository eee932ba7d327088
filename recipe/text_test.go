package recipe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTextLimits(t *testing.T) {
	for name, text := range map[string]string{
		"nested lists":    "model: " + strings.Repeat("[", 100000),
		"nested maps":     "model: " + strings.Repeat("{a: ", 12000),
		"hidden closers":  strings.Repeat("[ '\n]\n',\n", 4000),
		"nested in lines": strings.Repeat("- ", 30000),
		"size":            strings.Repeat("# a comment\n", 6000),
	} {
		if _, err := ReadText(strings.NewReader(text)); !errors.Is(err, ErrText) {
			t.Errorf("%s: %v", name, err)
		}
		path := filepath.Join(t.TempDir(), "r.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := Read(path); !errors.Is(err, ErrRecipe) || !errors.Is(err, ErrText) {
			t.Errorf("%s as a recipe: %v", name, err)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
	for _, name := range Names() {
		text, _ := BuiltIn(name)
		if _, err := ReadText(strings.NewReader(string(text))); err != nil {
			t.Errorf("built-in recipe %s: %v", name, err)
		}
	}
}
