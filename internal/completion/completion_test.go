package completion

import (
	"io"
	"strings"
	"testing"
)

// Help texts and words with quotes, colons and backslashes are one word of each shell's script.
func TestQuotes(t *testing.T) {
	commands := []Command{
		{Children: []Child{{"say", `it's a "thing"`}}},
		{Path: "say", Flags: []Flag{{Long: "word", Short: "w", Help: `a\b`, Takes: true, Values: []string{"a:b", "it's"}}}, Files: true},
	}
	for name, c := range map[string]struct {
		write func(io.Writer, []Command)
		want  []string
	}{
		"bash": {Bash, []string{`'/say'`, `'say:--word'|'say:-w')`, `'a:b it'\''s'`, `compgen -f`}},
		"zsh":  {Zsh, []string{`'say:it'\''s a "thing"'`, `compadd -- 'a:b' 'it'\''s'`, `_files`}},
		"fish": {Fish, []string{`-d 'it\'s a "thing"'`, `-l word -s w -x -a 'a:b it\'s' -d 'a\\b'`}},
	} {
		var b strings.Builder
		c.write(&b, commands)
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s lacks %s:\n%s", name, want, b.String())
			}
		}
	}
}
