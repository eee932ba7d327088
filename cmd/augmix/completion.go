package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/transform"
)

// completionCmd prints a completion script made from the command line's own tables.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is the end of "augmix completion --help".
func (completionCmd) Help() string {
	return `EXAMPLES
  source <(augmix completion bash)
  augmix completion zsh > "${fpath[1]}/_augmix"
  augmix completion fish > ~/.config/fish/completions/augmix.fish`
}

// Run prints the script.
func (c *completionCmd) Run(a *app) error {
	nodes := completions(a.cli.Model)
	var b strings.Builder
	switch c.Shell {
	case "bash":
		bashScript(&b, nodes)
	case "zsh":
		zshScript(&b, nodes)
	case "fish":
		fishScript(&b, nodes)
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// completion is what can follow one command.
type completion struct {
	path     string // "", "augment", "data info"
	help     string
	children []child
	flags    []flagInfo
	values   []string // of the argument, where it is one of a few words
	files    bool     // the argument is a path
}

type child struct{ name, help string }

type flagInfo struct {
	long, short string
	help        string
	takes       bool     // a value follows
	values      []string // the words it may be; nil: a path, or anything
}

// completions lists every command, the program itself first.
func completions(app *kong.Application) []completion {
	var out []completion
	var walk func(n *kong.Node, path string, inherited []flagInfo)
	walk = func(n *kong.Node, path string, inherited []flagInfo) {
		c := completion{path: path, help: n.Help, flags: slices.Clone(inherited)}
		for _, f := range n.Flags {
			if !f.Hidden {
				info := flagOf(f)
				if f.Name == "subset" {
					info.values = subsets(path)
				}
				c.flags = append(c.flags, info)
			}
		}
		for _, p := range n.Positional {
			if p.Enum != "" {
				c.values = p.EnumSlice()
			} else {
				c.files = true
			}
		}
		for _, k := range n.Children {
			if !k.Hidden {
				c.children = append(c.children, child{k.Name, k.Help})
			}
		}
		out = append(out, c)
		for _, k := range n.Children {
			if !k.Hidden {
				walk(k, strings.TrimSpace(path+" "+k.Name), c.flags)
			}
		}
	}
	walk(app.Node, "", nil)
	return out
}

func flagOf(f *kong.Flag) flagInfo {
	i := flagInfo{long: f.Name, help: f.Help, takes: !f.IsBool() && !f.IsCounter()}
	if f.Short != 0 {
		i.short = string(f.Short)
	}
	switch {
	case f.Enum != "":
		i.values = f.EnumSlice()
	case f.Name == "mix":
		for _, e := range mix.Table() {
			i.values = append(i.values, e.Spec)
		}
	case f.Name == "op":
		for _, o := range augment.Ops() {
			i.values = append(i.values, o.Name)
		}
	case f.Name == "input-format" || f.Name == "output-format":
		for _, row := range formats.Table() {
			if f.Name == "input-format" && row.Read || f.Name == "output-format" && row.Write {
				i.values = append(i.values, row.Name)
			}
		}
	}
	i.values = slices.DeleteFunc(i.values, func(v string) bool { return v == "" })
	return i
}

// subsets are the words of --subset, which two commands have.
func subsets(path string) []string {
	if path == "perturb" {
		return slices.Concat(transform.PerturbationSubsets(), perturb.Names(true))
	}
	return transform.CorruptionChoices()
}

// words returns what may stand after the command, flags included.
func (c completion) words() []string {
	var w []string
	for _, k := range c.children {
		w = append(w, k.name)
	}
	w = append(w, c.values...)
	for _, f := range c.flags {
		w = append(w, "--"+f.long)
		if f.short != "" {
			w = append(w, "-"+f.short)
		}
	}
	return w
}

func bashScript(w io.Writer, nodes []completion) {
	fmt.Fprint(w, `# bash completion for augmix; load it with: source <(augmix completion bash)
_augmix() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path="" word i
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case "$path/$word" in
`)
	var paths []string
	for _, n := range nodes {
		for _, k := range n.children {
			paths = append(paths, quote(n.path+"/"+k.name))
		}
	}
	fmt.Fprintf(w, "            %s)\n", strings.Join(paths, "|"))
	fmt.Fprint(w, `                path="${path:+$path }$word" ;;
        esac
    done
    COMPREPLY=()
    case "$path:$prev" in
`)
	for _, n := range nodes {
		for _, f := range n.flags {
			if !f.takes {
				continue
			}
			pattern := quote(n.path + ":--" + f.long)
			if f.short != "" {
				pattern += "|" + quote(n.path+":-"+f.short)
			}
			reply := `compgen -f -- "$cur"`
			if f.values != nil {
				reply = "compgen -W " + quote(strings.Join(f.values, " ")) + ` -- "$cur"`
			}
			fmt.Fprintf(w, "        %s) mapfile -t COMPREPLY < <(%s); return ;;\n", pattern, reply)
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$path\" in\n")
	for _, n := range nodes {
		reply := "compgen -W " + quote(strings.Join(n.words(), " ")) + ` -- "$cur"`
		if n.files {
			reply += `; [[ $cur == -* ]] || compgen -f -- "$cur"`
		}
		fmt.Fprintf(w, "        %s) mapfile -t COMPREPLY < <(%s) ;;\n", quote(n.path), reply)
	}
	fmt.Fprint(w, "    esac\n}\ncomplete -o filenames -F _augmix augmix\n")
}

func zshScript(w io.Writer, nodes []completion) {
	fmt.Fprint(w, `#compdef augmix
# zsh completion for augmix; put it as _augmix into a directory of $fpath
_augmix() {
    local path="" word prev="${words[CURRENT-1]}" i
    for ((i = 2; i < CURRENT; i++)); do
        word="${words[i]}"
        case "$path/$word" in
`)
	var paths []string
	for _, n := range nodes {
		for _, k := range n.children {
			paths = append(paths, quote(n.path+"/"+k.name))
		}
	}
	fmt.Fprintf(w, "            (%s)\n", strings.Join(paths, "|"))
	fmt.Fprint(w, `                path="${path:+$path }$word" ;;
        esac
    done
    local -a choices
    case "$path:$prev" in
`)
	for _, n := range nodes {
		for _, f := range n.flags {
			if !f.takes {
				continue
			}
			pattern := quote(n.path + ":--" + f.long)
			if f.short != "" {
				pattern += "|" + quote(n.path+":-"+f.short)
			}
			reply := "_files"
			if f.values != nil {
				reply = "compadd -- " + quoteAll(f.values)
			}
			fmt.Fprintf(w, "        (%s) %s; return ;;\n", pattern, reply)
		}
	}
	fmt.Fprint(w, "    esac\n    case \"$path\" in\n")
	for _, n := range nodes {
		fmt.Fprintf(w, "        (%s)\n            choices=(\n", quote(n.path))
		for _, k := range n.children {
			fmt.Fprintf(w, "                %s\n", describe(k.name, k.help))
		}
		for _, v := range n.values {
			fmt.Fprintf(w, "                %s\n", describe(v, ""))
		}
		for _, f := range n.flags {
			fmt.Fprintf(w, "                %s\n", describe("--"+f.long, f.help))
		}
		fmt.Fprint(w, "            )\n            _describe -o augmix choices\n")
		if n.files {
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

func fishScript(w io.Writer, nodes []completion) {
	fmt.Fprint(w, `# fish completion for augmix; put it into ~/.config/fish/completions/augmix.fish
function __augmix_path
    set -l path ""
    for word in (commandline -opc)[2..-1]
        switch "$path/$word"
`)
	var paths []string
	for _, n := range nodes {
		for _, k := range n.children {
			paths = append(paths, fishQuote(n.path+"/"+k.name))
		}
	}
	fmt.Fprintf(w, "            case %s\n", strings.Join(paths, " "))
	fmt.Fprint(w, `                set path (string trim "$path $word")
        end
    end
    test "$path" = "$argv[1]"
end
`)
	for _, n := range nodes {
		base := "complete -c augmix -n " + fishQuote("__augmix_path "+fishQuote(n.path))
		if !n.files {
			fmt.Fprintf(w, "%s -f\n", base)
		}
		for _, k := range n.children {
			fmt.Fprintf(w, "%s -a %s -d %s\n", base, k.name, fishQuote(k.help))
		}
		if n.values != nil {
			fmt.Fprintf(w, "%s -a %s\n", base, fishQuote(strings.Join(n.values, " ")))
		}
		for _, f := range n.flags {
			line := base + " -l " + f.long
			if f.short != "" {
				line += " -s " + f.short
			}
			switch {
			case f.values != nil:
				line += " -x -a " + fishQuote(strings.Join(f.values, " "))
			case f.takes:
				line += " -r"
			}
			fmt.Fprintf(w, "%s -d %s\n", line, fishQuote(f.help))
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
