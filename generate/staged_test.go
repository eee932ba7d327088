package generate

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

// TestOfStage: an error of the work in the stage names the place in the store, but for what the disk of this machine says.
func TestOfStage(t *testing.T) {
	local, out := Output{Path: "/stage/519d/c100"}, Output{Path: "s3://b/o/c100"}
	full := &fs.PathError{Op: "write", Path: "/stage/519d/c100/x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("cannot write to /stage/519d/c100: %w", ErrOption), "cannot write to s3://b/o/c100: " + ErrOption.Error()},
		{errors.Join(ErrOption, ErrBusy), ErrOption.Error() + "\n" + ErrBusy.Error()},
		{full, "s3://b/o/c100 is made on this machine (AUGMIX_STAGE says where): " + full.Error()},
	} {
		err := ofStage(c.err, local, out)
		if err.Error() != c.want || errors.Is(c.err, ErrOption) && !errors.Is(err, ErrOption) {
			t.Errorf("%v became %v", c.err, err)
		}
	}
	if err := ofStage(nil, local, out); err != nil {
		t.Error(err)
	}
}
