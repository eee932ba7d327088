package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/results"
)

// dataGroup is what was measured on data of one fingerprint under each name: numbers of a group may stand side by side.
type dataGroup struct {
	runs     []*Run
	subjects []*Subject
	used     map[results.Cell]bool // as builder.used
	byFiles  map[string]bool       // fingerprints that several groups have, whose files differ
}

// sameContent reports whether two hashes of samples' bytes may be of the same ones: older rows have none.
func sameContent(a, b string) bool { return a == "" || b == "" || a == b }

// onData is what a data set was measured on: a fingerprint and a hash of bytes, "" where rows do not say it, and among how many classes.
type onData struct {
	data, content string
	among         int
}

// may reports whether two measurements may be of the same samples.
func (m onData) may(o onData) bool {
	return m.among == o.among && (m.data == "" || o.data == "" || m.data == o.data) && sameContent(m.content, o.content)
}

// groupByData divides runs into groups. A row belongs to the first group unless its data set was measured, under its name and
// with its part and limit, on data of another fingerprint, or of other bytes, before: rows of the second fingerprint belong to the second group, and so
// on. So does a form on disk that has not all images, beside the clean ones of the same run, and so do predictions among another
// number of classes.
// Rows without a fingerprint go with the first of their run, model and data set. A run whose rows belong to several groups
// becomes several, of which the first keeps what lies beside the rows.
func groupByData(runs []*Run) []*dataGroup {
	type name struct {
		base, part string
		limit      int
	}
	type part struct {
		run                        *Run
		model, base, data, content string // data "": rows without a fingerprint
	}
	prints := map[name][]onData{}
	byFiles := map[string]bool{}
	rank := map[part]int{}
	partOf := func(run *Run, r *results.Row) part {
		return part{run, r.Model, results.SampleSet(r.Dataset), r.Data, r.Versions[results.VersionContent]}
	}
	for _, run := range runs {
		for i := range run.Rows {
			r := &run.Rows[i].Row
			p := partOf(run, r)
			if _, known := rank[p]; known || r.Origin != results.Measured || r.Data == "" && p.content == "" && run.Among == 0 {
				continue
			}
			n := name{p.base, r.Part, max(run.Limit, r.Limit)}
			on := onData{r.Data, p.content, run.Among}
			at := slices.IndexFunc(prints[n], on.may)
			if at < 0 {
				at = len(prints[n])
				byFiles[r.Data] = byFiles[r.Data] || slices.ContainsFunc(prints[n], func(m onData) bool {
					return m.data == on.data && !sameContent(m.content, on.content)
				})
				prints[n] = append(prints[n], on)
			}
			seen := &prints[n][at]
			seen.data, seen.content = cmp.Or(seen.data, on.data), cmp.Or(seen.content, on.content)
			rank[p] = at
			p.data, p.content = "", "" // rows without one go with the first
			if _, known := rank[p]; !known {
				rank[p] = at
			}
		}
	}
	rankOf := func(run *Run, r *results.Row) int {
		p := partOf(run, r)
		if at, known := rank[p]; known {
			return at
		}
		p.data, p.content = "", ""
		return rank[p]
	}
	var groups []*dataGroup
	for _, run := range runs {
		rows := map[int][]results.Located{}
		for i := range run.Rows {
			r := &run.Rows[i]
			at := rankOf(run, &r.Row)
			rows[at] = append(rows[at], *r)
		}
		whole := run // until its first part is given away
		for at := 0; len(rows) > 0 || whole != nil; at++ {
			for len(groups) <= at {
				groups = append(groups, &dataGroup{used: map[results.Cell]bool{}, byFiles: byFiles})
			}
			some, any := rows[at]
			delete(rows, at)
			switch {
			case any && len(rows) == 0 && whole != nil:
				groups[at].runs, whole = append(groups[at].runs, run), nil
			case any:
				piece := Run{Name: run.Name, Path: run.Path, Records: run.Records, Limit: run.Limit, Among: run.Among, Args: run.Args}
				if whole != nil {
					piece, whole = *run, nil
				}
				piece.Rows = some
				groups[at].runs = append(groups[at].runs, &piece)
			case len(rows) == 0: // a run without rows
				groups[at].runs, whole = append(groups[at].runs, run), nil
			}
		}
	}
	return slices.DeleteFunc(groups, func(g *dataGroup) bool { return len(g.runs) == 0 })
}

// divide gives every group its subjects and leaves out groups without any.
func (b *builder) divide() {
	for _, g := range b.groups {
		for _, s := range b.subjects {
			if slices.Contains(g.runs, s.run) {
				g.subjects = append(g.subjects, s)
			}
		}
	}
	b.groups = slices.DeleteFunc(b.groups, func(g *dataGroup) bool { return len(g.subjects) == 0 })
	for _, s := range b.subjects {
		s.several = len(b.groups) > 1
	}
}

// apart calls f for each group, as if there were no other, and with a word about which it is where there are several.
func (b *builder) apart(f func(g *dataGroup, which string) error) error {
	runs, subjects := b.runs, b.subjects
	defer func() { b.runs, b.subjects, b.sets = runs, subjects, nil }()
	for i, g := range b.groups {
		b.runs, b.subjects, b.sets, b.used = g.runs, g.subjects, nil, g.used
		which := ""
		if len(b.groups) > 1 {
			which = fmt.Sprintf(" (data %d of %d)", i+1, len(b.groups))
		}
		if err := f(g, which); err != nil {
			return err
		}
	}
	return nil
}

// about says which runs a group has and what they were measured on.
func (g *dataGroup) about() string {
	var runs, data []string
	for _, r := range g.runs {
		runs = append(runs, r.Name)
		for i := range r.Rows {
			row := &r.Rows[i]
			text, content := results.DisplayName(results.SampleSet(row.Dataset))+" with ", row.Versions[results.VersionContent]
			switch {
			case row.Data == "":
				text += "the files " + content
			case content != "" && g.byFiles[row.Data]:
				text += "the fingerprint " + row.Data + " and the files " + content
			default:
				text += "the fingerprint " + row.Data
			}
			if r.Among > 0 {
				text += ", predictions among " + thousands(int64(r.Among)) + " classes"
			}
			if cmp.Or(row.Data, content) != "" && row.Origin == results.Measured && !slices.Contains(data, text) {
				data = append(data, text)
			}
		}
	}
	return fmt.Sprintf("%s: on %s. Numbers of the other parts have the same names and were measured on other samples or among other classes: they are not "+
		"comparable with these, and no difference is drawn between them.", strings.Join(runs, ", "), strings.Join(data, ", "))
}

// twoNames says which data sets are one under several names, as a folder and its test part are: their numbers stand apart.
func (b *builder) twoNames() []string {
	type set struct {
		data, content string
		names         []string
	}
	var sets []*set
	for _, run := range b.runs {
		for i := range run.Rows {
			r := &run.Rows[i]
			name, content := results.SampleSet(r.Dataset), r.Versions[results.VersionContent]
			if r.Data == "" || r.Origin != results.Measured || results.Base(r.Dataset) != name {
				continue
			}
			at := slices.IndexFunc(sets, func(s *set) bool { return s.data == r.Data && sameContent(s.content, content) })
			if at < 0 {
				at = len(sets)
				sets = append(sets, &set{data: r.Data, content: content})
			}
			if s := sets[at]; !slices.Contains(s.names, name) {
				s.names = append(s.names, name)
			}
		}
	}
	var out []string
	for _, s := range sets {
		if len(s.names) > 1 {
			out = append(out, fmt.Sprintf("%s are the same samples by their fingerprint, %s. Numbers of two names stand apart: give "+
				"both measurements one name of the data set.", strings.Join(s.names, " and "), s.data))
		}
	}
	return out
}
