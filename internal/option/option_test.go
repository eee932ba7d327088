package option

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
)

var errKind = errors.New("pkg: bad option")

// flags calls two keys as a command line does.
func flags(key string) string {
	return map[string]string{"frost-dir": "--frost-dir", "in": "IN", "among": "--among"}[key]
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		err           error
		plain, called string
	}{
		{
			Errorf(errKind, "{frost-dir}: %q (allowed: a folder)", "x"),
			`pkg: bad option: frost-dir: "x" (allowed: a folder)`, `--frost-dir: "x" (allowed: a folder)`,
		},
		{
			Errorf(errKind, "{lr}: %v (allowed: above 0)", 0), // no flag of the command
			"pkg: bad option: lr: 0 (allowed: above 0)", "pkg: bad option: lr: 0 (allowed: above 0)",
		},
		{
			Errorf(errKind, "%s has 3 classes (allowed: 2, or {the option among} model)", "{in}"), // a file of that name
			"pkg: bad option: {in} has 3 classes (allowed: 2, or the option among model)",
			"pkg: bad option: {in} has 3 classes (allowed: 2, or --among model)",
		},
		{
			Errorf(errKind, "%v, %v: %v", Key("frost-dir"), Key("lr"), Keys{"in", "x"}),
			"pkg: bad option: frost-dir, lr: in, x", "--frost-dir, lr: IN, x",
		},
		{Errorf(errKind, "{in} and {lr}: 100%%"), "pkg: bad option: in and lr: 100%", "IN and lr: 100%"},
	} {
		var e *Error
		if !errors.As(c.err, &e) {
			t.Fatalf("%v is no *Error", c.err)
		}
		if c.err.Error() != c.plain || e.Text(flags) != c.called {
			t.Errorf("%q and %q, want %q and %q", c.err, e.Text(flags), c.plain, c.called)
		}
	}
}

func TestUnwrap(t *testing.T) {
	inner := Errorf(io.ErrUnexpectedEOF, "{in}: short")
	err := fmt.Errorf("run: %w", Errorf(errKind, "{frost-dir}: %w and %w", inner, io.ErrClosedPipe))
	for _, want := range []error{errKind, io.ErrUnexpectedEOF, io.ErrClosedPipe} {
		if !errors.Is(err, want) {
			t.Errorf("%v does not wrap %v", err, want)
		}
	}
	if errors.Is(Errorf(errKind, "{in}: %v", io.EOF), io.EOF) {
		t.Error("what is only formatted is wrapped")
	}
	var keys [][]string
	for e := range All(err) {
		keys = append(keys, e.Keys())
	}
	if len(keys) != 2 || !slices.Equal(keys[0], []string{"frost-dir"}) || !slices.Equal(keys[1], []string{"in"}) {
		t.Errorf("keys %v", keys)
	}
	for range All(err) { // stops where the caller does
		break
	}
}
