package main

import (
	"slices"
	"sync"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/experiment"
	"github.com/augmix-go/augmix/internal/completion"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/models"
	"github.com/augmix-go/augmix/perturb"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/transform"
)

// flagWords are the words of flags that come from tables. Those in the second map may be paths as well.
var flagWords, flagWordsOrPaths = map[string]func() []string{
	"mix": func() []string { return wordsIn(mix.Table(), func(e mix.Entry) []string { return []string{e.Spec} }) },
	"op": func() []string {
		return wordsIn(augment.Ops(), func(o *augment.Op) []string { return []string{o.Name} })
	},
	"model": modelSpecs,
	"spec":  modelSpecs,
	"suite": func() []string {
		return wordsIn(experiment.Suites(), func(s experiment.Suite) []string { return []string{s.Name} })
	},
	"method":       methods,
	"norm":         func() []string { return []string{"half", "imagenet", "unit"} },
	"perturbation": perturbations,
	"perturb":      perturbations,
	"corrupt":      transform.CorruptionChoices,
	"table":        help, // the names are those of a report's own tables, which it lists
	"figure":       help,
	"input-format": func() []string { return formatNames(func(r formats.Format) bool { return r.Read }) },
	"output-format": func() []string {
		return formatNames(func(r formats.Format) bool { return r.Write })
	},
}, map[string]func() []string{
	"mixset":   mixsets,
	"profile":  func() []string { return slices.Concat([]string{"auto", "32", "64", "224", "299"}, tables.Builtin()) },
	"baseline": func() []string { return []string{"alexnet", "auto", "none"} },
}

// argumentWords are the words of the first argument, by its name in the help.
var argumentWords = map[string]func() []string{"RECIPE": recipe.Names, "KIND": mixsets}

func perturbations() []string {
	return slices.Concat(transform.PerturbationSubsets(), perturb.Names())
}

func help() []string { return []string{"help"} }

// wordsIn gathers words of a table.
func wordsIn[R any](table []R, words func(R) []string) (list []string) {
	for _, row := range table {
		list = append(list, words(row)...)
	}
	return list
}

func formatNames(ok func(formats.Format) bool) []string {
	return wordsIn(formats.Table(), func(r formats.Format) []string {
		if !ok(r) {
			return nil
		}
		return []string{r.Name}
	})
}

func modelSpecs() []string {
	return wordsIn(models.Table(), func(e models.Entry) []string { return e.Specs })
}

func mixsets() []string {
	return wordsIn(mixset.Kinds(), func(k mixset.Kind) []string { return []string{k.Name} })
}

// methods are those of all built-in recipes. Several commands ask for them, and reading the recipes takes 0.1 s.
var methods = sync.OnceValue(func() []string {
	var list []string
	for _, name := range recipe.Names() {
		if r, err := recipe.Read(name); err == nil {
			list = append(list, r.Methods()...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
})

// wordsOf gives a flag of a command its words.
func wordsOf(f *completion.Flag, path string) {
	f.List = slices.Contains([]string{"subset", "suite", "op", "perturbation", "perturb", "corrupt"}, f.Long)
	switch words, either := flagWords[f.Long], flagWordsOrPaths[f.Long]; {
	case f.Values != nil || !f.Takes || f.Long == "model" && (path == "score" || path == "studio"): // a name of one's own, a file
	case f.Long == "arch" && path == "studio":
		f.Values = modelSpecs()
	case f.Long == "subset" && path == "perturb":
		f.Values = flagWords["perturbation"]()
	case f.Long == "subset":
		f.Values = transform.CorruptionChoices()
	case words != nil:
		f.Values = words()
	case either != nil:
		f.Values, f.Files = either(), true
	}
}
