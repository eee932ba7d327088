package studio

import (
	"context"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/sheet"
)

// drawnMix says what was drawn, for the page to draw it open.
type drawnMix struct {
	Spec   string       `json:"spec"` // canonical
	Stages []string     `json:"stages"`
	Views  bool         `json:"views"` // the consistency loss can take it: it mixes no labels
	Set    string       `json:"set,omitempty"`
	Label  []labelShare `json:"label,omitempty"` // where labels are mixed

	Chains []drawnChain `json:"chains,omitempty"` // of AugMix
	M      float64      `json:"m"`                // weight of their mixture
	Start  *drawnStep   `json:"start,omitempty"`  // of PixMix, before its rounds
	Rounds []drawnRound `json:"rounds,omitempty"`
	Steps  []drawnStep  `json:"steps,omitempty"` // of a policy
	PixMix bool         `json:"pixmix"`
}

type labelShare struct {
	Class  string  `json:"class"`
	Weight float64 `json:"weight"`
}

type drawnChain struct {
	Weight float64     `json:"weight"`
	Steps  []drawnStep `json:"steps"`
}

// drawnStep is an operation with its parameter in words.
type drawnStep struct {
	Op    string `json:"op"`
	Value string `json:"value"`
	Doc   string `json:"doc"`
}

type drawnRound struct {
	Step     *drawnStep `json:"step,omitempty"` // makes what is mixed in of the original; nil: the mixing image
	Multiply bool       `json:"multiply"`
	A        float64    `json:"a"`
	B        float64    `json:"b"`
}

// drawn describes the draw of a mix.
func (s *Server) drawn(ctx context.Context, q *request) (any, error) {
	clean, err := s.prepared(ctx, q)
	if err != nil {
		return nil, err
	}
	d, err := s.open(ctx, q, clean.image, clean.key)
	if err != nil {
		return nil, err
	}
	out := drawnMix{
		Spec: q.Spec.String(), Stages: strings.Split(q.Spec.String(), "+"), Views: !q.Spec.NeedsPartner(), PixMix: d.pixmix != nil,
	}
	if q.Spec.NeedsMixingSet() {
		out.Set = q.Set
	}
	if q.Spec.NeedsPartner() {
		_, target, err := s.apply(ctx, q, q.Spec.String())
		if err != nil {
			return nil, err
		}
		for _, t := range target {
			out.Label = append(out.Label, labelShare{s.className(t.Class), float64(t.Weight)})
		}
	}
	if d.augmix != nil {
		out.M = float64(d.draw.M)
		for i, weight := range d.draw.Weights {
			from, to := chainSpan(&d.draw, i)
			c := drawnChain{Weight: float64(weight)}
			for _, st := range d.draw.Steps[from:to] {
				c.Steps = append(c.Steps, stepOf(st))
			}
			out.Chains = append(out.Chains, c)
		}
	}
	if d.pixDraw.Start.Op != nil {
		start := stepOf(d.pixDraw.Start)
		out.Start = &start
	}
	for _, o := range d.pixDraw.Rounds {
		r := drawnRound{Multiply: o.Multiply, A: float64(o.A), B: float64(o.B)}
		if o.Step.Op != nil {
			step := stepOf(o.Step)
			r.Step = &step
		}
		out.Rounds = append(out.Rounds, r)
	}
	for _, st := range d.policyDraw.Steps {
		out.Steps = append(out.Steps, drawnStep{Op: st.Op, Value: strconv.FormatFloat(st.Value, 'g', 3, 64)})
	}
	return out, nil
}

func stepOf(st mix.Step) drawnStep {
	return drawnStep{Op: st.Op.Name, Value: sheet.Parameter(st.Op, st.Value), Doc: st.Op.Doc}
}
