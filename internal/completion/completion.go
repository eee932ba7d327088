// Package completion writes shell completion scripts of the program: what may follow each command, for bash, zsh and fish.
package completion

import (
	"fmt"
	"io"
	"strings"
)

// Command is what can follow one command.
type Command struct {
	Path     string // "", "augment", "data info"
	Help     string
	Children []Child
	Flags    []Flag
	Values   []string // of the argument, where it is one of a few words
	Files    bool     // the argument is a path
}

// Child is a command of a command.
type Child struct{ Name, Help string }

// Flag is a flag of a command.
type Flag struct {
	Long, Short string
	Help        string
	Takes       bool     // a value follows
	Values      []string // the words it may be; nil: a path, or anything
	List        bool     // several of the words, separated by commas
	Files       bool     // a path as well
}

// words returns what may stand after the command, flags included.
func (c Command) words() []string {
	var w []string
	for _, k := range c.Children {
		w = append(w, k.Name)
	}
	w = append(w, c.Values...)
	for _, f := range c.Flags {
		w = append(w, "--"+f.Long)
		if f.Short != "" {
			w = append(w, "-"+f.Short)
		}
	}
	return w
}

// paths returns PATH/CHILD of every command of a command, as words of a shell.
func paths(commands []Command, quote func(string) string) (list []string) {
	for _, c := range commands {
		for _, k := range c.Children {
			list = append(list, quote(c.Path+"/"+k.Name))
		}
	}
	return list
}

// Bash writes the script for bash, which is loaded with: source <(augmix completion bash).
func Bash(w io.Writer, commands []Command) {
	fmt.Fprint(w, `# bash completion for augmix; load it with: source <(augmix completion bash)
_augmix() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" word i
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case "$path/$word" in
`)
	fmt.Fprintf(w, "            %s)\n", strings.Join(paths(commands, quote), "|"))
	fmt.Fprint(w, `                path="${path:+$path }$word" ;;
        esac
    done
    COMPREPLY=()
    if [[ $cur == "=" ]]; then # --flag=, which bash takes for several words
        cur=""
    elif [[ $prev == "=" ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case "$path:$prev" in
`)
	for _, n := range commands {
		for _, f := range n.Flags {
			if !f.Takes {
				continue
			}
			pattern := quote(n.Path + ":--" + f.Long)
			if f.Short != "" {
				pattern += "|" + quote(n.Path+":-"+f.Short)
			}
			reply := `compgen -f -- "$cur"`
			words := quote(strings.Join(f.Values, " "))
			switch {
			case f.List:
				reply = `compgen -P "${cur%"${cur##*,}"}" -W ` + words + ` -- "${cur##*,}"`
			case f.Files:
				reply = "compgen -W " + words + ` -- "$cur"; compgen -f -- "$cur"`
			case f.Values != nil:
				reply = "compgen -W " + words + ` -- "$cur"`
			}
			fmt.Fprintf(w, "        %s) %s; return ;;\n", pattern, bashReply(reply))
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$path\" in\n")
	for _, n := range commands {
		reply := "compgen -W " + quote(strings.Join(n.words(), " ")) + ` -- "$cur"`
		if n.Files {
			reply += `; [[ $cur == -* ]] || compgen -f -- "$cur"`
		}
		fmt.Fprintf(w, "        %s) %s ;;\n", quote(n.Path), bashReply(reply))
	}
	fmt.Fprint(w, "    esac\n}\ncomplete -F _augmix augmix\n")
}

// bashReply makes the reply what may follow. Only replies with files are taken for such, as a command that a folder is called like would
// get a slash.
func bashReply(reply string) string {
	text := "mapfile -t COMPREPLY < <(" + reply + ")"
	if strings.Contains(reply, "compgen -f") {
		text = "compopt -o filenames 2>/dev/null; " + text // there is none outside of a completion
	}
	return text
}

// Zsh writes the script for zsh, the file _augmix of a folder of fpath. Its variable is not called path, which zsh ties to PATH.
func Zsh(w io.Writer, commands []Command) {
	fmt.Fprint(w, `#compdef augmix
# zsh completion for augmix; put it as _augmix into a directory of $fpath
_augmix() {
    local at="" word prev="${words[CURRENT-1]}" i
    for ((i = 2; i < CURRENT; i++)); do
        word="${words[i]}"
        case "$at/$word" in
`)
	fmt.Fprintf(w, "            (%s)\n", strings.Join(paths(commands, quote), "|"))
	fmt.Fprint(w, `                at="${at:+$at }$word" ;;
        esac
    done
    local -a choices flags
    if [[ "${words[CURRENT]}" == --*=* ]]; then
        prev="${words[CURRENT]%%=*}"
        compset -P '*='
    fi
    case "$at:$prev" in
`)
	for _, n := range commands {
		for _, f := range n.Flags {
			if !f.Takes {
				continue
			}
			pattern := quote(n.Path + ":--" + f.Long)
			if f.Short != "" {
				pattern += "|" + quote(n.Path+":-"+f.Short)
			}
			reply := "_files"
			if f.Values != nil {
				reply = "compadd -- " + quoteAll(f.Values)
			}
			if f.List {
				reply = "compset -P '*,'; " + reply
			}
			if f.Files {
				reply += "; _files"
			}
			fmt.Fprintf(w, "        (%s) %s; return ;;\n", pattern, reply)
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$at\" in\n")
	for _, n := range commands {
		fmt.Fprintf(w, "        (%s)\n            choices=(\n", quote(n.Path))
		for _, k := range n.Children {
			fmt.Fprintf(w, "                %s\n", describe(k.Name, k.Help))
		}
		for _, v := range n.Values {
			fmt.Fprintf(w, "                %s\n", describe(v, ""))
		}
		fmt.Fprint(w, "            )\n            flags=(\n")
		for _, f := range n.Flags {
			fmt.Fprintf(w, "                %s\n", describe("--"+f.Long, f.Help))
		}
		// Of words that are described as options zsh shows none before a dash is written.
		fmt.Fprint(w, "            )\n            _describe augmix choices\n            _describe -o option flags\n")
		if n.Files {
			fmt.Fprint(w, "            _files\n")
		}
		fmt.Fprint(w, "            ;;\n")
	}
	fmt.Fprint(w, "    esac\n}\nif [[ $funcstack[1] == _augmix ]]; then _augmix \"$@\"; else compdef _augmix augmix; fi\n")
}

// describe writes zsh's word:description, where a colon of the word needs a backslash.
func describe(word, help string) string {
	return quote(strings.ReplaceAll(word, ":", `\:`) + ":" + help)
}

// Fish writes the script for fish.
func Fish(w io.Writer, commands []Command) {
	fmt.Fprint(w, `# fish completion for augmix; put it into ~/.config/fish/completions/augmix.fish
function __augmix_path
    set -l path ""
    for word in (commandline -opc)[2..-1]
        switch "$path/$word"
`)
	fmt.Fprintf(w, "            case %s\n", strings.Join(paths(commands, fishQuote), " "))
	fmt.Fprint(w, `                set path (string trim "$path $word")
        end
    end
    test "$path" = "$argv[1]"
end
function __augmix_list
    set -l head (string replace -r '[^,]*$' '' -- (commandline -ct))
    for word in $argv
        echo $head$word
    end
end
`)
	for _, n := range commands {
		base := "complete -c augmix -n " + fishQuote("__augmix_path "+fishQuote(n.Path))
		if !n.Files {
			fmt.Fprintf(w, "%s -f\n", base)
		}
		for _, k := range n.Children {
			fmt.Fprintf(w, "%s -a %s -d %s\n", base, k.Name, fishQuote(k.Help))
		}
		if n.Values != nil {
			fmt.Fprintf(w, "%s -a %s\n", base, fishQuote(strings.Join(n.Values, " ")))
		}
		for _, f := range n.Flags {
			line := base + " -l " + f.Long
			if f.Short != "" {
				line += " -s " + f.Short
			}
			switch {
			case f.List:
				line += " -x -a " + fishQuote("(__augmix_list "+strings.Join(f.Values, " ")+")")
			case f.Files:
				line += " -r -a " + fishQuote(strings.Join(f.Values, " "))
			case f.Values != nil:
				line += " -x -a " + fishQuote(strings.Join(f.Values, " "))
			case f.Takes:
				line += " -r"
			}
			fmt.Fprintf(w, "%s -d %s\n", line, fishQuote(f.Help))
		}
	}
}

// quote writes a word for bash and zsh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func quoteAll(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = quote(w)
	}
	return strings.Join(q, " ")
}

// fishQuote writes a word for fish, where a backslash keeps its meaning before a quote and itself.
func fishQuote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
}
