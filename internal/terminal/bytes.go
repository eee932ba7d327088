package terminal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes as people type it: a number, alone or with K, M or G for powers of 1024.
type Bytes int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *Bytes) UnmarshalText(text []byte) error {
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
	*b = Bytes(n << shift)
	return nil
}
