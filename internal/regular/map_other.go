//go:build !unix

package regular

import (
	"errors"
	"os"
)

// Map is not there.
func Map(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// Unmap is not there.
func Unmap([]byte) error { return errors.ErrUnsupported }

// Forget is not there.
func Forget([]byte) error { return errors.ErrUnsupported }
