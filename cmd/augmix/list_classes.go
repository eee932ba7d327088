package main

import (
	"fmt"
	"io"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/imagenet"
	"github.com/augmix-go/augmix/internal/terminal"
)

// listClasses prints a list for --classes.
type listClasses struct {
	Broad   string `arg:"" optional:"" name:"LIST" help:"Broad classes, a line WNID NAME each; without, the 25 of ImageNet-C's first version."`
	WordNet string `name:"wordnet" default:"/usr/share/wordnet/data.noun" placeholder:"FILE" help:"WordNet 3.0's file of nouns (${default}, Debian's package wordnet-base)."`
}

// Help is the end of "augmix list classes --help".
func (listClasses) Help() string {
	return `WHAT IT PRINTS
  A line WNID NAME for everything that WordNet counts to a broad class, as --classes reads it: each goes
  to the nearest above it. What is equally near to two is left out and counted on standard error. A
  data set need not have all of them.
  The 25 are as we remember appendix E of the paper; each is there in WordNet, but they were not
  compared with the paper's text.

EXAMPLES
  augmix list classes > broad.txt
  augmix list classes animals.txt --wordnet dict/data.noun > classes.txt
  augmix data info imagenet/val --classes broad.txt`
}

// classRow is the JSON form.
type classRow struct {
	Wnid string `json:"wnid"`
	Name string `json:"name"`
}

// Run prints.
func (c *listClasses) Run(a *app) error {
	broad := imagenet.Broad()
	if c.Broad != "" {
		f, err := data.OpenFile(c.Broad)
		if err != nil {
			return fmt.Errorf("cannot read the broad classes: %w", err)
		}
		defer f.Close()
		m, err := data.ReadClassMap(f, c.Broad)
		if err != nil {
			return err
		}
		broad = m.Pairs()
	}
	f, err := data.OpenFile(c.WordNet)
	if err != nil {
		return fmt.Errorf("cannot read WordNet: %w (--wordnet names its file data.noun)", err)
	}
	defer f.Close()
	w, err := imagenet.ReadWordNet(f)
	if err != nil {
		return fmt.Errorf("%s: %w", c.WordNet, err)
	}
	pairs, shared, err := w.Below(broad)
	if err != nil {
		return fmt.Errorf("%s: %w", c.WordNet, err)
	}
	if len(shared) > 0 {
		a.say("left out, equally near to two classes: %s", terminal.Count(len(shared), "noun"))
	}
	rows := make([]classRow, len(pairs))
	for i, p := range pairs {
		rows[i] = classRow{p[0], p[1]}
	}
	return a.print(rows, func(w io.Writer) {
		for _, r := range rows {
			fmt.Fprintln(w, r.Wnid, r.Name)
		}
	})
}
