package main

import (
	"errors"
	"fmt"

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
	return nil
}

// limitHint names the flags that move the limits an error is about.
func limitHint(err error) string {
	if errors.Is(err, data.ErrLimit) {
		return " (set by --max-pixels and --max-memory)"
	}
	return ""
}
