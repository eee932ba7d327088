package main

import (
	"errors"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/terminal"
)

// plainError is an error in other words.
type plainError struct {
	error
	text string
}

func (e plainError) Error() string { return e.text }

func (e plainError) Unwrap() error { return e.error }

// plain keeps the name of a sample within its line: it comes from an archive or a folder and may hold any character.
func plain(err error) error {
	var bad *data.SampleError
	if !errors.As(err, &bad) || bad.Name == "" {
		return err
	}
	return plainError{err, strings.ReplaceAll(err.Error(), bad.Name, terminal.OneLine(bad.Name))}
}
