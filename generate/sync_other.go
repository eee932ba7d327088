//go:build !linux

package generate

import "errors"

// syncAll says that files must be made durable one by one here.
func syncAll(string) error { return errors.ErrUnsupported }
