package main

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// lines are command lines that parse, without the name of the program: arguments first. A new command is a line here.
var lines = map[string][]string{
	"quickstart": {}, "run": {"x", "--out=x"}, "augment": {"x", "--out=x"}, "mixset": {"fractals", "--out=x"}, "train": {"x", "--out=x"},
	"superres": {"x", "--out=x"}, "stream": {"x", "--out=x"}, "corrupt": {"x", "--out=x"}, "perturb": {"x", "--out=x"}, "feed": {"x"},
	"eval": {"x", "x"}, "predict": {"x", "x"}, "export": {"x", "--out=x"}, "score": {"x"}, "report": {"x"}, "sheet": {"x", "--out=x"},
	"studio": {"x"}, "data info": {"x"}, "data convert": {"x", "--out=x"}, "data fetch": {"cifar10"}, "data verify": {"x"}, "verify": {"x"},
	"list classes": {"x"}, "man": {"--out=x"},
}

// outputs are all flags by which a command writes to paths of this machine alone.
var outputs = []string{
	"augment --mixset-cache", "data fetch --out", "export --out", "feed --mixset-cache", "man --out", "quickstart --out", "report --out",
	"run --out", "score --confusion", "score --out", "score --records", "sheet --mixset-cache", "sheet --out", "studio --export",
	"studio --static", "superres --out", "train --mlflow", "train --out",
}

// eachText calls do with each flag and argument that takes texts of any form, of each command; at is the position of an argument, -1 of
// a flag.
func eachText(t *testing.T, do func(command, name string, at int)) {
	text := func(v reflect.Value) bool {
		of := v.Type()
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Map || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		return of.Kind() == reflect.String
	}
	err := kong.Visit(newParser(&cli{}, nil).Model, func(v kong.Visitable, next kong.Next) error {
		if n, ok := v.(*kong.Node); ok && n.Type == kong.CommandNode && len(n.Children) == 0 {
			command := strings.TrimPrefix(n.FullPath(), "augmix ")
			for i, p := range n.Positional {
				if p.Enum == "" && text(p.Target) {
					do(command, p.Name, i)
				}
			}
			for _, f := range n.Flags {
				if f.Enum == "" && text(f.Target) {
					do(command, "--"+f.Name, -1)
				}
			}
		}
		return next(nil)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Of every text that the command line takes it is said whether it names a file and where that may lie, so that no new one can be
// forgotten; and nothing else is said.
func TestPlacesKnown(t *testing.T) {
	used := map[string]bool{"--config": true}
	var local []string
	eachText(t, func(command, name string, _ int) {
		p, known := placeOf(command, name)
		if !known {
			t.Errorf("augmix %s: %s is not in places.go: say whether it names a file, and where that may lie", command, name)
		}
		used[command+" "+name], used[name] = true, true
		if p == writtenHere {
			local = append(local, command+" "+name)
		}
	})
	for _, table := range []map[string]place{placesOf, places} {
		for name := range table {
			if !used[name] {
				t.Errorf("places.go: there is no %s", name)
			}
		}
	}
	if slices.Sort(local); !slices.Equal(local, outputs) {
		t.Errorf("outputs on this machine: %q, want %q", local, outputs)
	}
}

// A URL is refused in one line, before any work, wherever a file of this machine is named; and one of another scheme than s3 wherever
// files and stores are.
func TestPlacesRefuse(t *testing.T) {
	t.Chdir(t.TempDir())
	eachText(t, func(command, name string, at int) {
		p, _ := placeOf(command, name)
		if p == noFile {
			return
		}
		line, ok := lines[command]
		if !ok {
			t.Fatalf("augmix %s is not in lines", command)
		}
		for _, url := range []string{"s3://out/x.png", "gs://out/x.png", "https://host/x.png", "file:///x.png"} {
			want := name + " " + url + ": this is "
			if p == read || p == written {
				want = name + " " + url + ": remote paths of this kind are not "
			}
			if strings.HasPrefix(url, "s3:") && (p == read || p == written) {
				continue
			}
			args := append(strings.Fields(command), line...)
			switch {
			case at >= 0:
				args[len(strings.Fields(command))+at] = url
			case name == "--ood" && command == "eval":
				args = append(args, "--ood=a="+url)
			default:
				args = append(args, name+"="+url)
			}
			if o := augmix(t, exitUsage, args...); !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
				t.Errorf("%q: %q, want %q", args, o.err, want)
			}
		}
	})
	for want, args := range map[string][]string{
		"--manifest-only --out s3://out/man: this is written":            {"stream", "x", "-o", "s3://out/man", "--manifest-only"},
		"--config s3://b/args.yaml: this is read from paths":             {"data", "info", "x", "--config", "s3://b/args.yaml"},
		"--out s3://out/run: this is written to paths of this":           {"cluster", "slurm", "--tasks=1", "train", "x", "-o", "s3://out/run"},
		"write: augment, corrupt, data convert, eval, feed, mixset, per": {"sheet", "-o", "s3://out/x.png"},
	} {
		if o := augmix(t, exitUsage, args...); !strings.Contains(o.err, want) {
			t.Errorf("%q: %q, want %q", args, o.err, want)
		}
	}
	if left, err := os.ReadDir("."); len(left) > 0 || err != nil {
		t.Errorf("made %v, %v", left, err)
	}
}
