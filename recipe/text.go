package recipe

import (
	"io"

	"github.com/augmix-go/augmix/internal/yamltext"
)

// ErrText: a YAML text beyond the limits of [ReadText].
var ErrText = yamltext.ErrText

// ReadText reads a YAML text, a recipe or a file of flags, to its end and refuses, before it is decoded, one of more than
// 64 KiB, with a line of more than 4 KiB, with more than 1000 opening brackets, whether they nest or not, or whose aliases stand for more
// than 100,000 values. The error wraps ErrText or is that of r.
func ReadText(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, yamltext.MaxBytes+1))
	if err == nil {
		err = yamltext.Check(text)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}
