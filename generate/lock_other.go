//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package generate

import "os"

// lock opens the lock file; this system gives no lock that ends with the process, so that two runs at one output are the
// caller's to avoid.
func lock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
}
