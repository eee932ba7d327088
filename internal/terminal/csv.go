package terminal

import (
	"strconv"
	"strings"
)

// CSV is a cell that no spreadsheet takes for a formula: an apostrophe stands before a text that begins as one. Numbers
// stay as they are, negative ones too.
func CSV(s string) string {
	if len(s) < 2 || !strings.ContainsRune("=+-@\t\r＝＋－＠", []rune(s)[0]) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
