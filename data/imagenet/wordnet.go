package imagenet

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrWordNet is wrapped by errors about WordNet's files.
var ErrWordNet = errors.New("not WordNet's nouns")

// Bounds of WordNet's file of nouns. Version 3.0 has 82,115 lines, the longest of 13 KB.
const (
	maxNounLine = 1 << 16
	maxNouns    = 1 << 18
)

// WordNet is the part of WordNet that says which nouns are a kind of which.
type WordNet struct {
	below map[string][]string // by wnid, the wnids of what is a kind of it; every noun has an entry
}

// ReadWordNet reads WordNet's file of nouns, data.noun (its manual page wndb). ImageNet's numbers are those of version 3.0. The
// error wraps [ErrWordNet] and names the line.
func ReadWordNet(r io.Reader) (*WordNet, error) {
	w := &WordNet{below: map[string][]string{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxNounLine)
	number := 0
	for lines.Scan() {
		number++
		line := lines.Text()
		if strings.HasPrefix(line, "  ") { // the license
			continue
		}
		wnid, above, ok := parseNoun(line)
		if !ok {
			return nil, fmt.Errorf("%w: line %d is none of data.noun", ErrWordNet, number)
		}
		if _, ok := w.below[wnid]; !ok {
			w.below[wnid] = nil
		}
		for _, up := range above {
			w.below[up] = append(w.below[up], wnid)
		}
		if len(w.below) > maxNouns {
			return nil, fmt.Errorf("%w: more than %d nouns", ErrWordNet, maxNouns)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: after line %d: %w", ErrWordNet, number, err)
	}
	if len(w.below) == 0 {
		return nil, fmt.Errorf("%w: it is empty", ErrWordNet)
	}
	return w, nil
}

// parseNoun reads a line: its number, that of its file, n, how many words it has in base 16, the words each with a number, how many
// pointers, and these, of four fields each.
func parseNoun(line string) (wnid string, above []string, ok bool) {
	line, _, _ = strings.Cut(line, " | ") // what it means
	f := strings.Fields(line)
	if len(f) < 5 || len(f[0]) != 8 || f[2] != "n" {
		return "", nil, false
	}
	words, err := strconv.ParseUint(f[3], 16, 8)
	at := 4 + 2*int(words)
	if err != nil || at >= len(f) {
		return "", nil, false
	}
	pointers, err := strconv.ParseUint(f[at], 10, 16)
	if err != nil || at+1+4*int(pointers) != len(f) {
		return "", nil, false
	}
	for p := range slices.Chunk(f[at+1:], 4) {
		if p[0] == "@" || p[0] == "@i" { // a kind of, or an instance of
			above = append(above, "n"+p[1])
		}
	}
	return "n" + f[0], above, true
}

// Below returns what lies below the wnids that broad lists, and these, as pairs of a wnid and the name that broad gives the nearest
// above it, in broad's order and then by wnid. What is equally near to two of other names is left out; shared says what. An error is
// that WordNet has no such number.
func (w *WordNet) Below(broad [][2]string) (pairs [][2]string, shared []string, err error) {
	names, rank := map[string]string{}, map[string]int{}
	for i, b := range slices.Backward(broad) {
		if _, ok := w.below[b[0]]; !ok {
			return nil, nil, fmt.Errorf("%w: there is no %s, %s (ImageNet's numbers are those of version 3.0)", ErrWordNet, b[0], b[1])
		}
		names[b[0]], rank[b[1]] = b[1], i
	}
	for wnid, found := range w.nearest(names) {
		if len(found) == 1 {
			pairs = append(pairs, [2]string{wnid, found[0]})
		} else {
			shared = append(shared, wnid)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int {
		return cmp.Or(rank[a[1]]-rank[b[1]], strings.Compare(a[0], b[0]))
	})
	slices.Sort(shared)
	return pairs, shared, nil
}

// nearest returns for everything that lies below the named wnids, and these, the name of what is nearest above it, or two names. It
// goes down level by level, so that a file of many circles or of one long chain takes no longer than another of its size.
func (w *WordNet) nearest(names map[string]string) map[string][]string {
	found, level := map[string][]string{}, map[string][]string{}
	for wnid, name := range names {
		level[wnid] = []string{name}
	}
	for len(level) > 0 {
		maps.Copy(found, level)
		next := map[string][]string{}
		for wnid, above := range level {
			for _, down := range w.below[wnid] {
				if _, ok := found[down]; ok {
					continue // something is nearer
				}
				for _, name := range above {
					if at := next[down]; len(at) < 2 && !slices.Contains(at, name) {
						next[down] = append(at, name)
					}
				}
			}
		}
		level = next
	}
	return found
}

// Broad returns the 25 broad classes of ImageNet-C's first version (appendix E), as pairs of a wnid and a name. They are as we
// remember the paper, and were compared with WordNet 3.0, which has each under this name or as a word for it, not with its text.
func Broad() [][2]string {
	text, err := lists.ReadFile("broad.txt")
	if err != nil {
		panic("imagenet: " + err.Error()) // it is embedded
	}
	var all [][2]string
	for line := range strings.Lines(string(text)) {
		wnid, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, [2]string{wnid, name})
	}
	return all
}
