package annotated

import (
	"bufio"
	"bytes"
	"os"
)

// byteOrderMark is what some programs begin text in UTF-8 with. It is read past, and stays where a file is written anew.
const byteOrderMark = "\xef\xbb\xbf"

// readMark reads past the mark and returns it, "" where there is none.
func readMark(r *bufio.Reader) string {
	head, _ := r.Peek(len(byteOrderMark)) // an error comes again with the next byte
	if string(head) != byteOrderMark {
		return ""
	}
	r.Discard(len(head))
	return byteOrderMark
}

// markOf returns the mark of a file, "" where there is none.
func markOf(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return readMark(bufio.NewReader(f)), nil
}

// cutMark returns the mark that the text begins with, which may be empty, and the rest.
func cutMark(text []byte) (mark, rest []byte) {
	if rest, ok := bytes.CutPrefix(text, []byte(byteOrderMark)); ok {
		return text[:len(byteOrderMark):len(byteOrderMark)], rest
	}
	return nil, text
}
