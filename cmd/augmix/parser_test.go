package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestParserOfOneCommand: a parser that knows one command only says and reads what one of all commands does.
func TestParserOfOneCommand(t *testing.T) {
	helpOfAll := helper(nil)
	for _, path := range commands(t) {
		args := append(strings.Fields(path), "--help")
		want := helpOfAll(t, args)
		if got := helper(args)(t, args); got != want {
			t.Errorf("%q --help of one command:\n%s\nof all:\n%s", path, got, want)
		}
	}
	if n := len(newParser(&cli{}, []string{"eval", "m", "x"}).Model.Children); n != 1 {
		t.Errorf("%d commands are made for eval, want 1", n)
	}
	for args, want := range map[string]int{"data info x": 1, "data": 4, "data --help": 4, "data inf": 4, "list ops": 1} {
		m := newParser(&cli{}, strings.Fields(args)).Model
		if len(m.Children) != 1 || len(m.Children[0].Children) != want {
			t.Errorf("%s: %d commands of the group are made, want %d", args, len(m.Children[0].Children), want)
		}
	}
	all := len(newParser(&cli{}, nil).Model.Children)
	for _, args := range [][]string{{"-q", "eval"}, {"evil"}, {"--help"}, {"eval", "--config", "a.yaml"}, {"eval", "--config=a.yaml"}} {
		if n := len(newParser(&cli{}, args).Model.Children); n != all {
			t.Errorf("%q: %d commands are made, want all %d", args, n, all)
		}
	}
}

// helper returns what gives the help that args ask for, from the parser that is made for made.
func helper(made []string) func(t *testing.T, args []string) string {
	var b bytes.Buffer
	parser := newParser(&cli{}, made, kong.Writers(&b, &b), kong.Exit(func(int) {}))
	return func(t *testing.T, args []string) string {
		t.Helper()
		b.Reset()
		_, _ = parser.Parse(slices.Clone(args))
		if b.Len() == 0 {
			t.Fatalf("%q says nothing", args)
		}
		return b.String()
	}
}

func BenchmarkParser(b *testing.B) {
	for _, args := range [][]string{nil, {"eval"}, {"version"}} {
		b.Run(strings.Join(append([]string{"commands"}, args...), "-"), func(b *testing.B) {
			for b.Loop() {
				newParser(&cli{}, args)
			}
		})
	}
}

// Mistyped flags and values get a suggestion, and what standard output cannot be names the command that streams.
func TestMistyped(t *testing.T) {
	in := photos(t, 2)
	for _, c := range []struct {
		says string
		args []string
	}{
		{`did you mean "--severity"?`, []string{"corrupt", in, "-o", "x", "--severities", "3"}},
		{`split "tes", did you mean "test"? (allowed: train, test, val, all, extra)`, []string{"augment", in, "-o", "x.npz", "--split", "tes"}},
		{`split "tes", did you mean "test"?`, []string{"train", "--data", in, "--model", "densenet-7-2", "-o", "x", "--split", "tes"}},
		{"augmix feed", []string{"augment", in, "-o", "-", "--output-format", "npy"}},
	} {
		if o := augmix(t, exitUsage, c.args...); !strings.Contains(o.err, c.says) {
			t.Errorf("%q says %q, want %q", c.args, o.err, c.says)
		}
	}
}
