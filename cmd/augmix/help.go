package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// exitStatus ends the help text of a command that says nothing else, see exitStatusOf.
const exitStatus = `EXIT STATUS
  0    done
  1    failed
  2    the command line is wrong
  3    done, but some inputs were rejected; they are listed
  130  interrupted; what is done is kept where the command says so`

// exitStatusOf is what a command says of its exit status where that is not what others have.
func exitStatusOf(n *kong.Node) string {
	if n.Target.IsValid() && n.Target.CanInterface() {
		if own, ok := n.Target.Interface().(interface{ exitStatus() string }); ok {
			return own.exitStatus()
		}
	}
	return exitStatus
}

// printHelp is kong's help with the command's details, its examples and the exit status at the end, in their own lines.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	node := ctx.Selected()
	if node == nil {
		node = ctx.Model.Node
	}
	detail := node.Detail
	node.Detail = ""
	err := kong.DefaultHelpPrinter(options, ctx)
	node.Detail = detail
	if err != nil {
		return err
	}
	if node == ctx.Model.Node {
		detail = appHelp
	}
	if detail = strings.TrimSpace(detail); detail != "" {
		detail += "\n\n"
	}
	_, err = fmt.Fprintf(ctx.Stdout, "\n%s\n", wrapHelp(detail+exitStatusOf(node), columnsOf(ctx.Stdout)))
	return err
}

// customary turns what people type elsewhere into what this command line has: nothing or a group alone, "help CMD" and
// --version.
func customary(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	}
	for f := range commandFields(reflect.TypeFor[cli]()) {
		if len(args) == 1 && commandName(f) == args[0] && isGroup(f.Type) {
			return []string{args[0], "--help"}
		}
	}
	return args
}

const appHelp = `EXAMPLES
  augmix sheet -o sheet.png                     see what the augmentations do
  augmix sheet cat.jpg -o cat-sheet.png         the same on your own image
  augmix augment photos -o mixed --crop rrc:224 --flip
  augmix augment cifar-10-batches-py -o mixed.npy --views 3 --crop pad4:32 --flip
  augmix corrupt cifar-10-batches-bin -o CIFAR-10-C
  augmix perturb photos -o photos-P --size 256 --crop 224
  augmix data info photos                       what is in a data set`
