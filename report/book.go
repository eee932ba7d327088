package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// Number is one number of one model.
type Number struct {
	score.Number
	Printed string // of a published number: as it is printed
}

// given is a number without a row.
func given(v float64) Number { return Number{Number: score.Number{State: score.Given, Value: v}} }

// Subject is one model of one run, or one row of a paper's table.
type Subject struct {
	Name   string
	Model  string
	Origin results.Origin
	Source string // paper and table, or the run's name
	Color  int
	run    *Run
	of     string // RUN/MODEL: the place of its run among the report's, from 0, and its model; empty for published ones
	book   score.Book
	memo   map[results.Cell]Number
	notes  map[results.Cell]published.Entry
	// recorded is the model in the run's records and draws says how intervals are made of them; nil without records.
	recorded *score.Recorded
	draws    *draws
	trained  map[tested]string // what trainedOn has said
	several  bool              // other subjects were measured on other data under the same name
	// members are the runs that the subject is the mean of, by training seed; nil for one run.
	members []*Subject
}

func newSubject(name, model string, origin results.Origin, source string) *Subject {
	return &Subject{
		Name: name, Model: model, Origin: origin, Source: source, memo: map[results.Cell]Number{}, trained: map[tested]string{},
		notes: map[results.Cell]published.Entry{},
	}
}

// Get returns the number of a cell: given, computed or missing, with its interval.
func (s *Subject) Get(c results.Cell) Number {
	c = score.Place(c)
	if n, ok := s.memo[c]; ok {
		return n
	}
	n := s.get(c)
	if s.hasRecords() && n.Has() && n.Level == 0 && s.ordered(c) && (c.Corruption == "" || c.Severity == 0) {
		s.draws.interval(s, c, &n)
	}
	s.memo[c] = n
	return n
}

func (s *Subject) get(c results.Cell) Number {
	switch {
	case len(s.members) > 0:
		return s.overMembers(c)
	case s.Origin != results.Published:
		return Number{Number: s.book.Get(c)}
	}
	n := Number{Number: s.book.Given(c)}
	if a := c; !n.Has() && c.Metric == results.Top1Error {
		if a.Metric = results.Accuracy; s.notes[a].Printed != "" {
			n.Number = s.book.Get(c) // the error of a printed accuracy
		}
	}
	if e, ok := s.notes[c]; ok {
		n.Printed, n.Note = e.Printed, e.Note
	}
	if !n.Has() && n.Note == "" {
		n = Number{Number: score.Number{Value: math.NaN(), Note: "not among the published numbers here"}}
	}
	return n
}

// drawn says that the interval of a number was drawn from the records.
func (n *Number) drawn() {
	n.Note = strings.TrimPrefix(fmt.Sprintf("%s; interval from the records", n.Note), "; ")
}
