// Package yamltext bounds YAML that somebody else wrote, before it is decoded, and writes YAML that is decoded to what it was.
package yamltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// ErrText: a YAML text beyond the limits.
var ErrText = errors.New("YAML that is too large or too nested")

// Limits of a text. The parser's time and memory grow with the square of the nesting, of the tokens in a line and of the keys; within
// these limits it takes seconds at most. MaxValues bounds what a decoder makes of a text, in which every alias stands for all
// that its anchor has.
const (
	MaxBytes    = 64 << 10
	maxLine     = 4 << 10 // bytes
	maxBrackets = 1000
	maxValues   = 100_000
)

// Check refuses a text of more than 64 KiB, with a line of more than 4 KiB, with more than 1000 opening brackets, whether they nest or
// not, or whose aliases stand for more than 100,000 values. The error wraps [ErrText].
func Check(text []byte) error {
	if len(text) > MaxBytes {
		return fmt.Errorf("%w (allowed: at most %d bytes)", ErrText, MaxBytes)
	}
	n := 1
	for line := range bytes.Lines(text) {
		if len(line) > maxLine {
			return fmt.Errorf("%w: line %d has %d bytes (allowed: at most %d)", ErrText, n, len(line), maxLine)
		}
		n++
	}
	// Closing brackets are not subtracted: those in quotes close nothing.
	if n := bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")); n > maxBrackets {
		return fmt.Errorf("%w: %d opening brackets (allowed: at most %d)", ErrText, n, maxBrackets)
	}
	return CheckAliases(text)
}

// CheckAliases is Check of the aliases alone, for texts that this program writes, which have none and may be long.
func CheckAliases(text []byte) error {
	if !bytes.Contains(text, []byte("&")) || !bytes.Contains(text, []byte("*")) {
		return nil
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil // the decoder says it
	}
	values := counter{}
	for _, d := range file.Docs {
		if values.of(d.Body) > maxValues {
			return fmt.Errorf("%w: its aliases stand for more than %d values (allowed: at most that)", ErrText, maxValues)
		}
	}
	return nil
}

// Marshal is [yaml.Marshal] with quotes around texts that would be read as something else, such as .inf or a file's name with a tab.
func Marshal(v any) ([]byte, error) { return yaml.MarshalWithOptions(v, yaml.CustomMarshaler(quoted)) }

func quoted(s string) ([]byte, error) {
	text, err := yaml.Marshal(s)
	var back any
	if err == nil && yaml.Unmarshal(text, &back) == nil && back == any(s) && !strings.Contains(s, "\n") { // whose lines would lose their indent
		return text, nil
	}
	return json.Marshal(s)
}

// counter knows how many values the anchors stand for that were met so far.
type counter map[string]int

// of counts the values of a node, with each alias as what it stands for; more than maxValues are all alike.
func (c counter) of(n ast.Node) int {
	sum := 1
	add := func(n ast.Node) { sum = min(sum+c.of(n), maxValues+1) }
	switch n := n.(type) {
	case *ast.AnchorNode:
		add(n.Value)
		c[n.Name.String()] = sum
	case *ast.AliasNode:
		sum = max(sum, c[n.Value.String()])
	case *ast.MappingNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.MappingValueNode:
		add(n.Value)
	case *ast.SequenceNode:
		for _, v := range n.Values {
			add(v)
		}
	case *ast.TagNode:
		add(n.Value)
	}
	return sum
}
