package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrText: a YAML text beyond the limits of [ReadText].
var ErrText = errors.New("YAML that is too large or too nested")

// Limits of a YAML text that somebody else wrote. The parser's time and memory grow with the square of the nesting, of the
// tokens in a line and of the keys; within these limits it takes seconds at most.
const (
	maxText     = 64 << 10 // bytes
	maxLine     = 4 << 10  // bytes
	maxBrackets = 1000
)

// ReadText reads a YAML text, a recipe or a file of flags, to its end and refuses, before it is parsed, one of more than
// 64 KiB, with a line of more than 4 KiB, or with more than 1000 opening brackets, whether they nest or not. The error wraps
// ErrText or is that of r.
func ReadText(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("%w (allowed: at most %d bytes)", ErrText, maxText)
	}
	n := 1
	for line := range bytes.Lines(text) {
		if len(line) > maxLine {
			return nil, fmt.Errorf("%w: line %d has %d bytes (allowed: at most %d)", ErrText, n, len(line), maxLine)
		}
		n++
	}
	// Closing brackets are not subtracted: those in quotes close nothing.
	if n := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); n > maxBrackets {
		return nil, fmt.Errorf("%w: %d opening brackets (allowed: at most %d)", ErrText, n, maxBrackets)
	}
	return text, nil
}
