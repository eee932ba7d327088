package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
)

// apply makes the common flags of the process hold.
func (c *common) apply() error {
	if c.MaxPixels < 0 {
		return fmt.Errorf("--max-pixels=%d (allowed: at least 1)", c.MaxPixels)
	}
	err := data.SetDecodeLimits(data.DecodeLimits{MaxPixels: c.MaxPixels, MaxMemory: int64(c.MaxMemory)})
	if err != nil {
		return fmt.Errorf("--max-pixels, --max-memory: %w", err)
	}
	if c.MaxMemory != 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(c.MaxMemory) + beside)
	}
	return nil
}

// beside is what a command with --max-memory has besides the images that are counted, before the garbage of images that are let go is
// collected more often than by default. Without the flag it is not: what is not counted, such as a mixing set, may take more.
const beside = 256 << 20

// checkLimits refuses a limit of 0 on the command line, which looks like no samples and is no limit. In files of flags 0 stays what
// args.yaml says where none was given.
func checkLimits(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil || p.Resolved || p.Flag.Name != "limit" && !strings.HasSuffix(p.Flag.Name, "-limit") {
			continue
		}
		if ctx.FlagValue(p.Flag) == 0 {
			return fmt.Errorf("--%s 0 (allowed: from 1; without the flag, all samples)", p.Flag.Name)
		}
	}
	return nil
}

// limitHint names the flags that move the limits an error is about.
func limitHint(err error) string {
	if errors.Is(err, data.ErrLimit) {
		return " (set by --max-pixels and --max-memory)"
	}
	return ""
}
