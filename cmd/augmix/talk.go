package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
)

// fail says an error.
func (a *app) fail(err error) {
	label := "error:"
	if a.color {
		label = "\x1b[1;31m" + label + "\x1b[0m"
	}
	fmt.Fprintf(a.err, "augmix: %s %s\n", label, a.errorText(err))
}

// errorText is what is said of an error.
func (a *app) errorText(err error) string {
	return terminal.Message("%v%s", plain(plainError{err, a.names.error(err)}), limitHint(err))
}

// say talks, unless quiet.
func (a *app) say(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintf(a.err, "augmix: %s\n", terminal.Message(format, a.names.named(args)...))
	}
}

// detail talks when verbose.
func (a *app) detail(format string, args ...any) {
	if a.Verbose {
		fmt.Fprintf(a.err, "augmix: %s\n", terminal.Message(format, a.names.named(args)...))
	}
}

// print writes a result: as JSON where that is asked for, otherwise by text.
func (a *app) print(v any, text func(w io.Writer)) error {
	if a.JSON {
		e := json.NewEncoder(a.out)
		e.SetIndent("", "  ")
		return e.Encode(v)
	}
	var b strings.Builder
	text(&b)
	_, err := io.WriteString(a.out, terminal.Printable(b.String()))
	return err
}

// bar returns the progress of a run, silent when quiet.
func (a *app) bar(label string, unit progress.Unit, total, first int) *progress.Bar {
	if a.Quiet {
		return progress.New(nil, label, unit, total, first)
	}
	return progress.New(a.err, label, unit, total, first)
}
