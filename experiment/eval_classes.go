package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/option"
)

// Values of [Eval].Among.
const (
	amongData  = "data"
	amongModel = "model"
)

// matched gives a test set the labels of what is measured.
func (r *evaluation) matched(src data.Source) (data.Source, error) {
	if r.rename != nil {
		renamed, err := r.rename.Apply(src)
		if err != nil {
			return nil, err
		}
		src = renamed
	}
	matched, err := data.MatchClasses(src, r.classes)
	if err != nil {
		return nil, option.Errorf(ErrOption, "{in}: %s has other classes than the model; take a model of these classes, or give "+
			"the classes the model's names: %w", r.In, err)
	}
	return matched, nil
}

// setClasses finds out which of the model's classes those of the test set are, sets the names that labels go by, and returns
// what is measured: the model, or where the test set has only some of its classes, the model among these.
func (r *evaluation) setClasses(src data.Source, p eval.Predictor) (eval.Predictor, error) {
	own := src.Info().Classes
	if named, ok := p.(eval.Named); ok {
		r.classes = named.ClassNames()
	}
	if r.suites[suiteCues] {
		return p, r.setCategories(p)
	}
	if numbers := r.numbersOf(own, p); numbers != nil {
		own = r.nameNumbers(own, numbers, p)
	}
	if r.classes == nil {
		r.nameByWnids(own, p)
	}
	if r.classes == nil {
		r.classes = own
		return p, r.checkNumber(len(own), p)
	}
	if _, err := r.matched(src); err != nil {
		return nil, err
	}
	if len(own) == 0 || len(own) >= p.Classes() {
		return p, nil
	}
	if imagenet.SetOf(own).Name == imagenet.O {
		logf(r.Say, "%s has the classes of ImageNet-O, whose own images show none of them: of these no error can be told, and their "+
			"place is ood, beside a test set of the same classes", r.In)
	}
	if r.Among == amongModel {
		logf(r.Say, "%s has %d of the model's %d classes: predictions are among all %[3]d", r.In, len(own), p.Classes())
		return p, nil
	}
	if len(own) < 2 {
		return nil, option.Errorf(ErrOption, "{among}: data, where %s has 1 of the model's %d classes, so that no prediction can be wrong "+
			"(allowed: data of 2 classes and up, or {the option among} model)", r.In, p.Classes())
	}
	logf(r.Say, "%s has %d of the model's %d classes: predictions are among these %[2]d, the logits of the others are left out "+
		"(%[4]v model: among all)", r.In, len(own), p.Classes(), option.Key("among"))
	var taken []int
	for _, name := range own {
		taken = append(taken, slices.Index(r.classes, name))
	}
	r.classes = own
	return eval.Among(p, taken, own)
}

// numbersOf returns the numbers of the model's classes that names of classes are, padded with zeros or not; nil where a name is none,
// two are the same number, or all are names that the model knows. Where the model's own names are numbers, these are meant, and not the
// places of the names: folders are listed as 0, 1, 10, 2.
func (r *evaluation) numbersOf(own []string, p eval.Predictor) []int {
	known := len(r.classes) > 0
	for _, name := range own {
		known = known && slices.Contains(r.classes, name)
	}
	if known {
		return nil
	}
	named := r.namedByNumbers()
	var numbers []int
	for _, name := range own {
		n, err := strconv.Atoi(name)
		if named != nil {
			n = slices.Index(named, unpadded(name))
		}
		if err != nil || !isNumber(name) || n < 0 || n >= p.Classes() || slices.Contains(numbers, n) {
			return nil
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// namedByNumbers returns the names of the model's classes without zeros in front, nil where one is not a number.
func (r *evaluation) namedByNumbers() (names []string) {
	for _, name := range r.classes {
		if !isNumber(name) {
			return nil
		}
		names = append(names, unpadded(name))
	}
	return names
}

// isNumber reports whether the name of a class is digits alone.
func isNumber(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }

// unpadded is a number without zeros in front; 0 is "".
func unpadded(name string) string { return strings.TrimLeft(name, "0") }

// nameNumbers gives classes that are numbers the names of the model's classes of these, in the order of the numbers, which is not that
// of names: folders are listed as 0, 1, 10, 100. Of a model of 1000 classes that has wnids as names, or none, and of 1001, the numbers
// are ImageNet-1K's, as in ImageNet-V2. Another model without names gets the numbers for names.
func (r *evaluation) nameNumbers(own []string, numbers []int, p eval.Predictor) []string {
	names, what := r.classes, "the model's classes"
	wnids, most := imagenet.Classes(), slices.Max(numbers)
	size := p.Classes() == len(wnids) || p.Classes() == len(wnids)+1
	switch {
	case size && most < len(wnids) && (names == nil || imagenet.Known(names) == len(wnids)):
		names, what = wnids, "ImageNet-1K's classes"
	case names == nil:
		for i := range p.Classes() {
			names = append(names, strconv.Itoa(i))
		}
		r.classes = names
	case r.namedByNumbers() != nil:
		what = "the names of the model's classes"
	}
	pairs := make([][2]string, len(own))
	for i, name := range own {
		pairs[i] = [2]string{name, names[numbers[i]]}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return cmp.Compare(number(a[0]), number(b[0])) })
	m := data.NewClassMap("the numbers of "+what, pairs)
	r.rename = &m
	logf(r.Say, "%s: the classes are numbers from %s to %s, and are taken for those of %s", r.In, pairs[0][0], pairs[len(pairs)-1][0], what)
	return m.Classes()
}

// number is that of a class whose name is one.
func number(name string) int {
	n, _ := strconv.Atoi(name)
	return n
}

// background is the class that networks of 1001 classes have before ImageNet-1K's, as TensorFlow's.
const background = "background"

// nameByWnids gives a model without names those of ImageNet-1K, if it has as many classes, and the test set's are ImageNet-1K's
// by half: if not by all, that is refused later; a thousand classes of another choice share fewer.
func (r *evaluation) nameByWnids(own []string, p eval.Predictor) {
	names, before := imagenet.Classes(), ""
	if len(own) == 0 || 2*imagenet.Known(own) < len(own) {
		return
	}
	switch p.Classes() {
	case len(names):
	case len(names) + 1:
		names, before = slices.Insert(names, 0, background), " after the "+background
	default:
		return
	}
	r.classes = names
	logf(r.Say, "%s: the classes are wnids, and the model's %d classes, which have no names, are taken for ImageNet-1K's%s, in the "+
		"order of their wnids", r.In, p.Classes(), before)
}

// checkNumber refuses a test set of n classes whose numbers cannot be those of a model without names; 0: it has none.
func (r *evaluation) checkNumber(n int, p eval.Predictor) error {
	switch {
	case n > p.Classes():
		return option.Errorf(ErrOption, "{in}: %s has %s, the model %d", r.In, countClasses(n), p.Classes())
	case n > 0 && n < p.Classes():
		return option.Errorf(ErrOption, "{in}: %s has %s, the model %d without names, so that the numbers of classes cannot be told "+
			"(allowed: a set of all %[3]d classes, with empty ones where it lacks some, or a model that names its classes)", r.In, countClasses(n), p.Classes())
	}
	return nil
}

// countClasses says how many classes there are.
func countClasses(n int) string {
	if n == 1 {
		return "1 class"
	}
	return fmt.Sprintf("%d classes", n)
}

// amongOther is what rows say of the classes that predictions are among: how many, where that is not what the data set asks
// for, else 0. ImageNet-R and ImageNet-A ask for their own 200, other sets for all of the model's.
func (r *evaluation) amongOther(own []string, all, taken int) int {
	asks := all
	if n := len(imagenet.Classes()); all == n+1 && imagenet.Known(own) == n {
		asks = n // no set asks for the background
	}
	name := strings.TrimSuffix(r.Dataset, "-64")
	if set := imagenet.SetOf(own); set.Name == name && (name == imagenet.R || name == imagenet.A) {
		asks = len(own)
	}
	if taken == asks {
		return 0
	}
	return taken
}
