//go:build !windows

package filelock

import "os"

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) }
