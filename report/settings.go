package report

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/mix"
)

// settings are the options of a model's training by their keys. The numbers of its mix have keys of their own, such as "augmix-w" for
// the width in "augmix-m3-w3-d-1", with their defaults where the spec leaves them out; "mix" is the spec without them.
type settings map[string]string

// idle are options that say how a training ran and not what came of it.
var idle = []string{"workers", "cache-mb", "eval-every"}

// trainingSettings reads the options of a training, nil where the text has none.
func trainingSettings(args string) settings {
	s := settings(topLevel(args))
	if s["epochs"] == "" || s["model"] == "" {
		return nil
	}
	for _, key := range idle {
		delete(s, key)
	}
	if from := extendedFrom(args); from != "" { // with a schedule that depends on the epochs the weights are others
		s["extended-from"] = from + " epochs"
	}
	stages := strings.Split(s["mix"], "+")
	for i, stage := range stages {
		name, _, _ := strings.Cut(stage, "-")
		for _, o := range mixOptions(name) {
			number := regexp.MustCompile("-" + o.Key + `(-?[0-9][0-9.e+-]*)(-[a-z]|$)`)
			value := o.Default
			if m := number.FindStringSubmatchIndex(stages[i]); m != nil {
				value = stages[i][m[2]:m[3]]
				stages[i] = stages[i][:m[0]] + stages[i][m[3]:]
			}
			s[name+"-"+o.Key] = value
		}
	}
	s["mix"] = strings.Join(stages, "+")
	return s
}

var extension = regexp.MustCompile(`(?m)^# extended after \d+ steps, before which it had (\d+) epochs$`)

// extendedFrom lists how many epochs a training had before it was given more, each time, as the comments of its args.yaml say it.
func extendedFrom(args string) string {
	var list []string
	for _, m := range extension.FindAllStringSubmatch(args, -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, ", ")
}

// against returns the options in which two trainings differ, sorted.
func (s settings) against(o settings) []string {
	keys := map[string]bool{}
	for _, pair := range [][2]settings{{s, o}, {o, s}} {
		for key, value := range pair[0] {
			if other, ok := pair[1][key]; !ok || other != value {
				keys[key] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

// mixOptions are the options of a stage of a mix whose values are numbers.
func mixOptions(name string) []mix.Option {
	var list []mix.Option
	for _, e := range mix.Table() {
		for _, o := range e.Options {
			if e.Name == name && (o.Kind == mix.Number || o.Kind == mix.Integer) {
				list = append(list, o)
			}
		}
	}
	return list
}

// about says what a setting is.
func about(key string) string {
	if stage, option, ok := strings.Cut(key, "-"); ok {
		for _, o := range mixOptions(stage) {
			if o.Key == option {
				return stage + ", " + o.Doc
			}
		}
	}
	return key
}
