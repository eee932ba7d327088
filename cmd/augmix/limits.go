package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// byteSize is a flag of bytes: a number, alone or with K, M or G for powers of 1024.
type byteSize int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *byteSize) UnmarshalText(text []byte) error {
	digits, shift := string(text), 0
	for i, unit := range []string{"K", "M", "G"} {
		if d, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = d, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64>>shift {
		return fmt.Errorf("size %q (allowed: a positive number of bytes, alone or with K, M or G, such as 512M)", text)
	}
	*b = byteSize(n << shift)
	return nil
}

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
