package report

import (
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/published"
	"github.com/augmix-go/augmix/results"
	"github.com/augmix-go/augmix/score"
)

// architectures draws mCE and relative mCE over the clean error (ImageNet-C, figures 2 and 4): the models of the runs, and the
// paper's architectures as hollow points where the data set is the paper's.
func (b *builder) architectures(s *Section, set string) {
	panels := &chart.Panels{Title: "mCE and relative mCE on " + results.DisplayName(set) + " over the clean error", Heads: true}
	clean := results.Cell{Dataset: results.Base(set), Metric: results.Top1Error}
	hollow := ""
	for _, c := range []results.Cell{{Dataset: set, Metric: results.MeanCE}, {Dataset: set, Metric: results.RelativeMeanCE}} {
		p := &chart.Plot{
			Title: label(c), Kind: chart.Points, Width: halfWidth, Height: 360, NoLegend: true,
			X: chart.Axis{Label: "Clean error", Percent: true}, Y: chart.Axis{Label: label(c), Percent: true},
		}
		for i, q := range b.few(chart.Colors) {
			if x, y := q.Get(clean), q.Get(c); x.Has() && y.Has() {
				one := series(q, i, 1, func(int) results.Cell { return c })
				one.X = []float64{x.Value}
				p.Series = append(p.Series, one)
			}
		}
		if len(p.Series) == 0 {
			continue
		}
		paper := chart.Series{Name: "ImageNet-C paper", Published: true, Color: len(b.few(chart.Colors))}
		for _, q := range b.paper {
			x, y := q.Get(clean), q.Get(c)
			e := q.notes[score.Place(c)]
			if e.Paper == published.ImageNetC && (e.Method == "Standard" || e.Method == e.Architecture) && x.Has() && y.Has() {
				paper.X, paper.Y = append(paper.X, x.Value), append(paper.Y, y.Value)
				paper.Labels = append(paper.Labels, e.Architecture)
			}
		}
		if len(paper.Y) > 0 {
			p.Series, hollow = append(p.Series, paper), " Hollow: the architectures of the paper, under its own training."
		}
		if len(p.Series) == 1 {
			continue // a point alone compares nothing
		}
		p.Desc = p.Title + " over the clean error, in percent."
		panels.Charts = append(panels.Charts, p)
	}
	if len(panels.Charts) == 0 {
		return
	}
	panels.Desc = "Each point is a model: further left it errs less on clean images, further down it loses less to corruption, " +
		"beside AlexNet. After figures 2 and 4 of the ImageNet-C paper." + hollow + b.left(chart.Colors) +
		scalesOf(b.few(chart.Colors), results.Cell{Dataset: set, Metric: results.MeanCE}, results.Cell{Dataset: set, Metric: results.RelativeMeanCE})
	s.Blocks = append(s.Blocks, Block{Figure: &Figure{ID: b.figure(set, "architectures"), Caption: panels.Desc, Chart: panels}})
}
