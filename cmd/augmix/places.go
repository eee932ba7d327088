package main

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/tables"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/mixset"
)

// place says where what a flag or an argument names may lie.
type place int

const (
	noFile      place = iota // it names no file, or what opens it says where it may lie: a set, a part of a list
	read                     // a file or folder of this machine or of a store
	readHere                 // of this machine
	written                  // it is written, to this machine or to a store
	writtenHere              // it is written to this machine
)

// placesOf are the flags and arguments that mean the same in every command that has them, and places those of one command, which count
// more. A test looks that one of the two has every text that the command line takes.
var placesOf = map[string]place{
	"IN": read, "RECIPE": read, "MODEL": readHere,
	"--config": readHere, "--network": readHere, "--style-weights": readHere, "--frost-dir": readHere, "--ort": readHere,
	"--mixset-cache": writtenHere, "--weights": readHere,
	"--classes": read, "--labels": read, "--profile": read, "--data": read, "--test": read, "--c": readHere, "--cbar": readHere,
	"--p":           readHere,
	"--class-names": read,

	"--mixset": noFile, "--styles": noFile, // several joined by +, kinds among them
	"--mix": noFile, "--op": noFile, "--crop": noFile, "--fill": noFile, "--input-format": noFile, "--output-format": noFile, "--split": noFile,
	"--output-split": noFile, "--only": noFile, "--without": noFile, "--layout": noFile, "--images": noFile, "--shard": noFile, "--suite": noFile,
	"--method": noFile, "--model": noFile, "--norm": noFile, "--name": noFile, "--preprocess": noFile, "--subset": noFile,
	"--severity": noFile, "--group-by": noFile, "--difficulty": noFile, "--perturbation": noFile, "--dataset": noFile, "--mask-labels": noFile,
	"--table": noFile,
}

var places = map[string]place{
	"quickstart --out": writtenHere, "run --out": writtenHere, "train --out": writtenHere, "train --mlflow": writtenHere,
	"superres --out": writtenHere, "export --out": writtenHere, "score --out": writtenHere, "score --confusion": writtenHere,
	"score --records": writtenHere, "report --out": writtenHere, "sheet --out": writtenHere, "studio --export": writtenHere,
	"studio --static": writtenHere, "data fetch --out": writtenHere, "man --out": writtenHere,

	"augment --out": written, "mixset --out": written, "stream --out": written, "corrupt --out": written, "perturb --out": written,
	"feed --out": written, "eval --out": written, "data convert --out": written,

	"train --val": read, "train --val-labels": read, "train --outliers": read, "stream --from": read, "stream --difficulty": read,
	"eval --ood": read, "eval --ood-train": read, "eval --temperature-on": read, "predict IMAGE": read,
	"score PRED": read, "score --ood": read, "score --compare": read, "score --baseline": read, "report RUN": read,
	"studio DATA": read, "studio --runs": readHere, "verify PATH": read, "data verify PATH": read, "feed --stream": read,
	"list classes LIST": read, "list classes --wordnet": read,
	"report --model-info": readHere, "studio --model": readHere, "studio --wasm": readHere,

	"mixset KIND": noFile, "mixset --layer": noFile, "train --val-split": noFile, "train --val-only": noFile, "train --val-without": noFile,
	"train --window": noFile, "train --aux-mix": noFile, "stream --order": noFile, "feed --corrupt": noFile, "feed --perturb": noFile,
	"feed --weights": noFile, "feed --from": noFile, "eval --part": noFile, "score --bins": noFile, "report --title": noFile,
	"report --sweep": noFile, "report --figure": noFile, "cluster --name": noFile, "cluster --image": noFile, "cluster CMD": noFile,
	"studio --arch": noFile, "studio --screen": noFile, "studio --listen": noFile, "data fetch --mirror": noFile, "list corruptions --profile": noFile,
	"list corruptions NAME": noFile, "list models --spec": noFile, "list published --paper": noFile, "list published --arch": noFile,
	"list published --metric": noFile, "list published --corruption": noFile,
}

// placeOf returns the place of a flag, "--out", or an argument, "IN", of a command.
func placeOf(command, name string) (p place, known bool) {
	if p, known = places[command+" "+name]; !known {
		p, known = placesOf[name]
	}
	return p, known
}

// checkPlaces refuses names of files that a command would take for those of this machine, and that look like a URL: it would write to a
// folder called s3: and say that all went well.
func checkPlaces(ctx *kong.Context) error {
	command := ctx.Selected()
	if command == nil {
		return nil
	}
	path := strings.TrimPrefix(command.FullPath(), "augmix ")
	var err error
	for _, p := range command.Positional {
		err = cmp.Or(err, checkPlace(path, p.Name, texts(p.Target)))
	}
	for _, f := range ctx.Flags() {
		err = cmp.Or(err, checkPlace(path, "--"+f.Name, texts(reflect.ValueOf(ctx.FlagValue(f)))))
	}
	return err
}

// namesLocal reports whether a command names a file or a folder that is not in a store. A task of it needs a disk that has it.
func namesLocal(ctx *kong.Context) bool {
	command := ctx.Selected()
	path := strings.TrimPrefix(command.FullPath(), "augmix ")
	local := func(name string) func(string) bool {
		return func(value string) bool { return isLocal(path, name, value) }
	}
	for _, p := range command.Positional {
		if slices.ContainsFunc(texts(p.Target), local(p.Name)) {
			return true
		}
	}
	for _, f := range ctx.Flags() {
		if f.Enum == "" && slices.ContainsFunc(texts(reflect.ValueOf(ctx.FlagValue(f))), local("--"+f.Name)) {
			return true
		}
	}
	return false
}

// isLocal reports whether the value of a flag or an argument names a file of this machine, which need not be there yet.
func isLocal(command, name, value string) bool {
	if name == "--mixset" || name == "--styles" {
		return slices.ContainsFunc(strings.Split(value, "+"), ownSet)
	}
	p, _ := placeOf(command, name)
	return p != noFile && value != "" && value != formats.Standard && !storage.Remote(value) && !builtIn(name, value)
}

// ownSet reports whether a set of images is not generated, but a file or a folder of this machine.
func ownSet(set string) bool {
	return set != "" && !storage.Remote(set) && (len(mixset.Paths(set)) > 0 || mixset.Check(set) != nil)
}

// builtIn reports whether a flag that may name a file has a value that is the program's own.
func builtIn(name, value string) bool {
	switch name {
	case "--classes":
		return slices.Contains(formats.ClassMaps(), value)
	case "--profile":
		_, err := corrupt.ParseProfile(value)
		return err == nil || tables.Text(value) != ""
	case "--mixset-cache":
		return value == "auto"
	}
	return false
}

// checkPlace looks at the values of a flag or an argument.
func checkPlace(command, name string, values []string) error {
	p, _ := placeOf(command, name)
	for _, v := range values {
		scheme := storage.URL(v)
		if scheme == "" || p == noFile || storage.Remote(v) && (p == read || p == written) {
			continue
		}
		return usageError{p.refuse(name, v)}
	}
	return nil
}

// refuse is the error about a URL in a place that has none of its kind.
func (p place) refuse(name, value string) error {
	switch p {
	case writtenHere:
		return fmt.Errorf("%s %s: this is written to paths of this machine only (to s3://BUCKET/PREFIX write: %s)", name, value,
			strings.Join(storing(), ", "))
	case readHere:
		return fmt.Errorf("%s %s: this is read from paths of this machine only (from s3://BUCKET/KEY are read: data sets, labels, lists of "+
			"classes, recipes, predictions, results)", name, value)
	case written:
		return fmt.Errorf("%s %s: remote paths of this kind are not written (allowed: s3://BUCKET/PREFIX, paths of this machine)", name, value)
	}
	return fmt.Errorf("%s %s: remote paths of this kind are not read (allowed: s3://BUCKET/KEY, files and folders of this machine)", name, value)
}

// storing are the commands whose output may be in a store.
func storing() (commands []string) {
	for name, p := range places {
		if command, ok := strings.CutSuffix(name, " --out"); ok && p == written {
			commands = append(commands, command)
		}
	}
	slices.Sort(commands)
	return commands
}

// texts returns the texts that a value holds: one, those of a list, or the values of a map.
func texts(v reflect.Value) (all []string) {
	if !v.IsValid() {
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		return []string{v.String()}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, texts(v.Index(i))...)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			all = append(all, texts(v.MapIndex(k))...)
		}
	case reflect.Pointer:
		return texts(v.Elem())
	}
	return all
}
