package studio

import (
	"context"
	"slices"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/transform"
)

// pageInfo is what the page knows when it opens: the tables of the program, and what is shown.
type pageInfo struct {
	Version     string                     `json:"version"`
	Data        string                     `json:"data"`
	Format      string                     `json:"format"`
	Part        string                     `json:"part"`
	Choice      string                     `json:"choice"` // which samples of it, in words; "": all
	Samples     int                        `json:"samples"`
	Classes     []string                   `json:"classes"`
	Side        int                        `json:"side"` // shorter side of the first image; 0 if it cannot be read
	Runs        []string                   `json:"runs"`
	Model       *modelInfo                 `json:"model"`
	Corruptions []transform.CorruptionInfo `json:"corruptions"`
	Mixes       []mix.Entry                `json:"mixes"`
	Ops         []opInfo                   `json:"ops"`
	Sets        []setInfo                  `json:"sets"`
}

// modelInfo is what the page says of the model; nil without one.
type modelInfo struct {
	Name     string `json:"name"`
	Classes  int    `json:"classes"`
	W        int    `json:"w"`
	H        int    `json:"h"`
	Gradient bool   `json:"gradient"` // adversarial examples can be made
}

type opInfo struct {
	Name    string `json:"name"`
	Doc     string `json:"doc"`
	AugMix  bool   `json:"augmix"`
	Overlap bool   `json:"overlap"`
}

type setInfo struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// needsFiles reports whether a method runs a network, whose file the studio has not.
func needsFiles(e mix.Entry) bool {
	spec, err := mix.ParseSpec(e.Spec)
	return err != nil || spec.NeedsStyles() || spec.NeedsNetwork()
}

func (s *Server) info(context.Context, *request) (any, error) {
	source := s.parts[0].source
	about := source.Info()
	out := pageInfo{
		Version: s.opt.Version, Data: s.opt.Data, Format: about.Format, Part: s.parts[0].name,
		Choice: data.Filter{Only: s.opt.Input.Only, Without: s.opt.Input.Without}.String(), Samples: source.Len(), Classes: about.Classes,
		Side: s.side(), Runs: runNames(s.runs), Mixes: slices.DeleteFunc(mix.Table(), needsFiles),
	}
	if m := s.model; m != nil {
		out.Model = m.info(s.opt.Model)
	}
	var err error
	if out.Corruptions, err = transform.CorruptionTable(); err != nil {
		return nil, err
	}
	for _, o := range augment.Ops() {
		out.Ops = append(out.Ops, opInfo{o.Name, o.Doc, o.AugMix, o.Overlap})
	}
	if s.opt.Mixset != "" {
		out.Sets = append(out.Sets, setInfo{ownSet, s.opt.Mixset})
	}
	for _, k := range mixset.Kinds() {
		out.Sets = append(out.Sets, setInfo{k.Name, k.Doc})
	}
	return out, nil
}
