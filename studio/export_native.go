//go:build !js

package studio

import (
	"bytes"
	"fmt"
	"html/template"
)

// runs is the report of the runs.
func (f *freezer) runs() ([]byte, error) {
	q, err := f.st.request("runs")
	if err != nil {
		return nil, err
	}
	rep, err := f.s.build(f.ctx, q)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = rep.WriteHTML(&b)
	return b.Bytes(), err
}

// trainView is the screen Train.
type trainView struct {
	Runs   []*training
	Charts [][2]template.HTML // for wide windows and for narrow ones
}

func (f *freezer) train() (any, error) {
	answer, err := f.s.train(f.ctx, nil)
	if err != nil {
		return nil, err
	}
	t := answer.(trainings)
	if len(t.Runs) == 0 {
		return nil, fmt.Errorf("%w: no run here has rows of a training", errGone)
	}
	v := &trainView{Runs: t.Runs}
	for _, svg := range t.Charts { // of package chart, which escapes names
		v.Charts = append(v.Charts, [2]template.HTML{template.HTML(svg[0]), template.HTML(svg[1])})
	}
	return v, nil
}

// dataView is the screen Data.
type dataView struct {
	Name    string
	Samples int
	Summary *dataSummary // nil: nobody had the data set read
	Most    []int        // images of the largest class, by part
	Twins   []twins
	Images  []*framed
	More    bool
}

// twins are two images that nearly repeat.
type twins struct {
	A, B *framed
	duplicate
}

func (f *freezer) data(read bool) (any, error) {
	s := f.s
	about := s.parts[0].source.Info()
	v := &dataView{Name: s.opt.Data, Samples: s.parts[0].source.Len(), Summary: s.summary.Load()}
	f.about = append(f.about, about.Format)
	if s.parts[0].name != "" {
		f.about = append(f.about, "part "+s.parts[0].name)
	}
	f.about = append(f.about, fmt.Sprintf("%d images", v.Samples))
	if v.Summary == nil && read {
		var err error
		if v.Summary, err = s.summarize(f.ctx, nil); err != nil {
			return nil, err
		}
	}
	thumbnail := func(one listedSample) *framed {
		caption := one.Key
		if one.Label != "" {
			caption = one.Label + ": " + one.Key
		}
		q, err := f.st.request("image="+one.ID, "size=96", "crop=96")
		return f.tile(caption, s.corrupted, q, err)
	}
	if v.Summary != nil {
		for _, p := range v.Summary.Parts {
			most := 1
			for _, c := range p.Classes {
				most = max(most, c.Count)
			}
			v.Most = append(v.Most, most)
		}
		for _, d := range v.Summary.Duplicates.Pairs {
			v.Twins = append(v.Twins, twins{thumbnail(d.A), thumbnail(d.B), d})
		}
	}
	q, err := f.st.request("q", "class", "from")
	if err != nil {
		return nil, err
	}
	answer, err := s.list(f.ctx, q)
	if err != nil {
		return nil, err
	}
	list := answer.(sampleList)
	for _, one := range list.Samples {
		v.Images = append(v.Images, thumbnail(one))
	}
	v.More = list.Next >= 0
	return v, nil
}
