package completion

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestShells asks each shell that there is what its script completes.
func TestShells(t *testing.T) {
	commands := []Command{
		{Children: []Child{{"run", "Run."}, {"list", "List."}}, Flags: []Flag{{Long: "quiet"}}},
		{Path: "run", Values: []string{"quick", "long"}, Files: true, Flags: []Flag{
			{Long: "suite", Takes: true, List: true, Values: []string{"clean", "c", "cbar"}},
			{Long: "mix", Short: "m", Takes: true, Values: []string{"augmix-m3", "none"}},
			{Long: "set", Takes: true, Files: true, Values: []string{"fractals"}},
		}},
		{Path: "list", Children: []Child{{"models", "Networks."}}},
		{Path: "list models"},
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file.yaml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for shell, s := range map[string]struct {
		write func(io.Writer, []Command)
		ask   string // a script that completes "$@" and prints a word a line
	}{
		"bash": {Bash, `source ./script; COMP_WORDS=(); for w in "$@"; do case $w in
			(--*=) COMP_WORDS+=("${w%=}" =) ;; (--*=*) COMP_WORDS+=("${w%%=*}" = "${w#*=}") ;; (*) COMP_WORDS+=("$w") ;; esac; done;
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _augmix; printf '%s\n' "${COMPREPLY[@]}"`},
		"zsh": {Zsh, `compdef() { : }; compset() { local rest=${words[CURRENT]##*${2#?}}; PRE=${PRE:-}
				[[ $rest == ${words[CURRENT]} ]] || PRE=${words[CURRENT]%"$rest"} }
			compadd() { shift; for w in "$@"; do print -r -- "$PRE$w"; done }
			_describe() { [[ $1 == -o && ${words[CURRENT]} != -* ]] && return # as the real one
				for w in "${(@P)@[-1]}"; do print -r -- "${w%%:*}"; done }; _files() { print -l -- *(N) }
			source ./script; words=("$@"); CURRENT=$#; _augmix`},
		"fish": {Fish, `source ./script; complete -C (string join ' ' -- $argv) | string replace -r '\t.*' ''; true`},
	} {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("there is no " + shell)
			}
			after := func(flag string, values ...string) []string { // bash completes what comes after the sign alone
				for i := range values {
					if shell != "bash" {
						values[i] = flag + values[i]
					}
				}
				return values
			}
			var b strings.Builder
			s.write(&b, commands)
			if err := os.WriteFile(filepath.Join(dir, "script"), []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				line  []string
				has   []string
				hasNo []string
			}{
				{[]string{"augmix", ""}, []string{"run", "list"}, []string{"models"}},
				{[]string{"augmix", "--"}, []string{"--quiet"}, nil},
				{[]string{"augmix", "list", ""}, []string{"models"}, []string{"run"}},
				{[]string{"augmix", "run", ""}, []string{"quick", "long", "file.yaml"}, []string{"models"}},
				{[]string{"augmix", "run", "--mix", ""}, []string{"augmix-m3", "none"}, []string{"file.yaml"}},
				{[]string{"augmix", "run", "-m", ""}, []string{"augmix-m3", "none"}, []string{"file.yaml"}},
				{[]string{"augmix", "run", "--suite", ""}, []string{"clean", "c", "cbar"}, []string{"file.yaml"}},
				{[]string{"augmix", "run", "--suite", "clean,c"}, []string{"clean,c", "clean,cbar"}, []string{"file.yaml"}},
				{[]string{"augmix", "run", "--suite=c"}, after("--suite=", "clean", "cbar"), []string{"file.yaml", "quick"}},
				{[]string{"augmix", "run", "--suite="}, after("--suite=", "clean", "cbar"), []string{"file.yaml", "quick"}},
				{[]string{"augmix", "run", "--suite=clean,cb"}, after("--suite=", "clean,cbar"), []string{"file.yaml", "quick"}},
				{[]string{"augmix", "run", "--set", ""}, []string{"fractals", "file.yaml"}, []string{"quick"}},
			} {
				args := map[string][]string{"bash": {"--norc", "-c"}, "zsh": {"-f", "-c"}, "fish": {"--no-config", "-c"}}[shell]
				args = append(args, s.ask)
				if shell != "fish" {
					args = append(args, shell) // $0
				}
				cmd := exec.Command(program, append(args, c.line...)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
				out, err := cmd.CombinedOutput()
				words := strings.Fields(string(out))
				if err != nil {
					t.Fatalf("%q: %v: %s", c.line, err, out)
				}
				for _, w := range c.has {
					if !slices.Contains(words, w) {
						t.Errorf("%q completes to %q, not to %q", c.line, words, w)
					}
				}
				for _, w := range c.hasNo {
					if slices.Contains(words, w) {
						t.Errorf("%q completes to %q", c.line, w)
					}
				}
			}
		})
	}
}
