package main

import (
	"testing"

	"golang.org/x/sys/unix"
)

// hasRing says that a feed can use a ring here.
const hasRing = true

// ringMemory makes a memory file for a feed in this process and returns its descriptor, which the feed closes, and what maps
// it.
func ringMemory(t testing.TB) (fd int, mapped func(size int) []byte) {
	t.Helper()
	fd, err := unix.MemfdCreate("ring", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	mine, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fd, func(size int) []byte {
		mem, err := unix.Mmap(mine, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			t.Error(err)
			return nil
		}
		_ = unix.Close(mine)
		t.Cleanup(func() { _ = unix.Munmap(mem) })
		return mem
	}
}
