package mlflow

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/internal/regular"
)

// A meta.yaml is one mapping. MLflow writes its values without quotes where YAML allows it, and this package with them.

// readMeta reads a meta.yaml, which others may have written.
func readMeta(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(text), err
}

// yaml writes pairs of names and values.
func yaml(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "%s: %s\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

// quote writes a text of one line as YAML.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// field returns the text that the mapping has under a name, "" where it has none. A text that YAML breaks into lines is cut.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return scalar(strings.TrimSpace(value))
		}
	}
	return ""
}

// scalar reads a text of one line, in quotes of either kind or plain.
func scalar(s string) string {
	if single, ok := strings.CutPrefix(s, "'"); ok {
		return strings.ReplaceAll(strings.TrimSuffix(single, "'"), "''", "'")
	}
	if strings.HasPrefix(s, `"`) {
		if text, err := strconv.Unquote(s); err == nil {
			return text
		}
	}
	plain, _, _ := strings.Cut(s, " #") // a comment
	return strings.TrimSpace(plain)
}

// setField gives the mapping another value under a name.
func setField(text, name, value string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, name+":") {
			b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String() + yaml(name, value)
}
