//go:build unix

package storage

import (
	"errors"
	"syscall"
)

// isInvalid reports the error by which some network file systems say that a folder cannot be synced.
func isInvalid(err error) bool { return errors.Is(err, syscall.EINVAL) }
