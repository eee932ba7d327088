package generate

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll makes everything on the file system of dir durable: one call in place of one for each of many thousand small
// files. Linux reports writes that failed from version 5.8 on. The error is errors.ErrUnsupported where there is no such
// call.
func syncAll(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
