package generate

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// stagedError is an error of the stage in the words of whoever named the output in the store.
type stagedError struct {
	error
	local, out string
}

// ofStage names out where an error of the work in the stage names local, the output there. What the operating system says, such as that
// the disk is full, is of this machine, and is said so.
func ofStage(err error, local, out Output) error {
	if err == nil || !strings.Contains(err.Error(), local.Path) {
		return err
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return fmt.Errorf("%s is made on this machine (%s says where): %w", out.Path, StageVariable, err)
	}
	return stagedError{err, local.Path, out.Path}
}

func (e stagedError) Error() string { return strings.ReplaceAll(e.error.Error(), e.local, e.out) }

func (e stagedError) Unwrap() error { return e.error }
