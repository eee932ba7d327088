package feedwire

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pipeBytes is how much a pipe is asked to hold: what Linux allows anyone. Every slot goes through it in fewer pieces then.
const pipeBytes = 1 << 20

// widen makes a pipe hold more, where it is one and the system lets it.
func widen(w io.Writer) {
	f, ok := w.(*os.File)
	if !ok {
		return
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeBytes) })
}
