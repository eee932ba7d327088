package studio

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/transform"
)

// corruptView is the screen Corrupt. Large is of the corruption that is open.
type corruptView struct {
	Zoom    string
	Name    string
	Large   []*framed
	Command string // that makes the large image
	Groups  []tileGroup
}

type tileGroup struct {
	Title string
	Tiles []*framed
}

// corruptGroups are the groups of corruptions as the page has them.
var corruptGroups = [][2]string{
	{"noise", "Noise"}, {"blur", "Blur"}, {"weather", "Weather"}, {"digital", "Digital"}, {"validation", "For validation"}, {"cbar", "C-bar"},
}

func (f *freezer) corrupt() (any, error) {
	if err := f.image(); err != nil {
		return nil, err
	}
	f.about = append(f.about, "severity "+f.st["severity"])
	if f.st["profile"] != "auto" {
		f.about = append(f.about, "parameters of "+f.st["profile"]+"×"+f.st["profile"])
	}
	request := func(more ...string) (*request, error) {
		return f.st.request(append(append([]string{"profile", "severity"}, geometry...), more...)...)
	}
	if _, err := request("name"); err != nil {
		return nil, err
	}
	if zoom, err := strconv.ParseFloat(f.st["zoom"], 64); err != nil || zoom < 1 || zoom > 8 {
		return nil, fmt.Errorf("%w: zoom %.40q: allowed: 1 to 8", ErrRequest, f.st["zoom"])
	}
	v := &corruptView{Zoom: f.st["zoom"], Name: f.st["name"]}
	if v.Name != "" {
		if err := f.large(v, request); err != nil {
			return nil, err
		}
	}
	table, err := transform.CorruptionTable()
	if err != nil {
		return nil, err
	}
	for _, g := range corruptGroups {
		group := tileGroup{Title: g[1]}
		for _, c := range table {
			if c.Set == g[0] || c.Set == "common" && c.Group == g[0] {
				q, err := request("name=" + c.Name)
				group.Tiles = append(group.Tiles, f.tile(c.Name, f.s.corrupted, q, err))
			}
		}
		v.Groups = append(v.Groups, group)
	}
	return v, nil
}

// large adds the open corruption: before and after, or what the page shows of it else.
func (f *freezer) large(v *corruptView, request func(...string) (*request, error)) error {
	q, err := request("name")
	if err != nil {
		return err
	}
	if f.st["look"] == "wipe" {
		clean := *q
		clean.Severity = 0
		v.Large = append(v.Large, f.tile("before", f.s.corrupted, &clean, nil), f.tile("after", f.s.corrupted, q, nil))
	} else {
		look, err := request("name", "look")
		if err != nil {
			return err
		}
		v.Large = append(v.Large, f.tile(f.st["look"], f.s.corrupted, look, nil))
	}
	v.Command, err = f.copied(q)
	return err
}

// copied is the command that makes an image. Where none can, for its key, the file says so in words and shows all else.
func (f *freezer) copied(q *request) (string, error) {
	c, err := f.s.copies(f.ctx, q)
	if errors.Is(err, errNoPattern) {
		f.about = append(f.about, "no command makes this image alone: others are like every pattern of --only that its key is like")
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return c.(*copied).Command, nil
}

// mixView is the screen Mix: an AugMix drawn open, or rows of images.
type mixView struct {
	Spec, Doc string
	Original  *framed
	Chains    []chainView
	M         float64
	Mixture   *framed
	Result    *framed
	Rows      [][]flow
	Label     string
	Views     []*framed
	Draws     []*framed
	Command   string // "" where no command makes the image
}

type chainView struct {
	Weight float64
	Tiles  []*framed
}

// flow is an image of a row, after a sign and words.
type flow struct {
	Sign, Words string
	*framed
}

func (f *freezer) mix() (any, error) {
	if err := f.image(); err != nil {
		return nil, err
	}
	q, err := f.st.request(mixture...)
	if err != nil {
		return nil, err
	}
	answer, err := f.s.drawn(f.ctx, q)
	if err != nil {
		return nil, err
	}
	d := answer.(drawnMix)
	f.about = append(f.about, "draw (epoch) "+f.st["epoch"])
	if f.st["pins"] != "" {
		f.about = append(f.about, "pinned "+f.st["pins"])
	}
	tile := func(part, caption string, more ...string) *framed {
		q, err := f.st.request(append(append([]string{"part=" + part}, mixture...), more...)...)
		return f.tile(caption, f.s.mixed, q, err)
	}
	v := &mixView{Spec: d.Spec, Original: tile("clean", "original")}
	var docs []string
	for _, stage := range d.Stages {
		name, _, _ := strings.Cut(stage, "-")
		for _, e := range mix.Table() {
			if e.Name == name {
				docs = append(docs, e.Name+": "+e.Doc+". "+e.Paper)
			}
		}
	}
	v.Doc = strings.Join(docs, " · ")
	v.anatomy(&d, f.st["pins"] != "", tile)
	if d.Views {
		v.Views = append(v.Views, tile("clean", "view 0: clean"), tile("result", "view 1", "pins="), tile("result", "view 2", "pins=", "view=2"))
	}
	if f.st["draws"] == "1" {
		for i := range 64 {
			v.Draws = append(v.Draws, tile("result", strconv.Itoa(q.Epoch+i), "pins=", "epoch="+strconv.Itoa(q.Epoch+i)))
		}
	}
	if len(q.Pins) == 0 && !q.Spec.NeedsPartner() {
		v.Command, err = f.copied(q)
	}
	return v, err
}

// anatomy lays out what was drawn, as mix.js does.
func (v *mixView) anatomy(d *drawnMix, pinned bool, tile func(part, caption string, more ...string) *framed) {
	named := func(s drawnStep) string { return strings.TrimSpace(s.Op + " " + s.Value) }
	start := flow{framed: v.Original}
	var row []flow
	switch {
	case d.Chains != nil:
		for i, c := range d.Chains {
			chain := chainView{Weight: c.Weight}
			for k, s := range c.Steps {
				chain.Tiles = append(chain.Tiles, tile(fmt.Sprintf("chain.%d.%d", i, k), named(s)))
			}
			v.Chains = append(v.Chains, chain)
		}
		result := "result"
		if !pinned && len(d.Stages) > 1 {
			result = "stage.0"
		}
		v.M, v.Mixture = d.M, tile("mixture", "mixture: Σ wᵢ · chainᵢ")
		v.Result = tile(result, fmt.Sprintf("%.2f · mixture + %.2f · original", d.M, 1-d.M))
	case d.PixMix:
		row = append(row, start)
		if d.Start != nil {
			row = append(row, flow{"→", "", tile("round.0", "start: "+named(*d.Start))})
		}
		for i, r := range d.Rounds {
			sign, other := "+", "of "+d.Set
			if r.Multiply {
				sign = "×"
			}
			if r.Step != nil {
				other = "original, " + named(*r.Step)
			}
			row = append(row, flow{sign, fmt.Sprintf("a = %.2f, b = %.2f", r.A, r.B), tile(fmt.Sprintf("other.%d", i), other)},
				flow{"→", "", tile(fmt.Sprintf("round.%d", i+1), fmt.Sprintf("round %d", i+1))})
		}
	case d.Steps != nil:
		row = append(row, start)
		for i, s := range d.Steps {
			row = append(row, flow{"→", "", tile(fmt.Sprintf("step.%d", i), named(s))})
		}
	}
	if row != nil {
		v.Rows = append(v.Rows, row)
	}
	if len(d.Stages) > 1 || v.Chains == nil && row == nil {
		row = []flow{start}
		for i, s := range d.Stages {
			row = append(row, flow{"→", "", tile(fmt.Sprintf("stage.%d", i), s)})
		}
		v.Rows = append(v.Rows, row)
	}
	var shares []string
	for _, l := range d.Label {
		shares = append(shares, fmt.Sprintf("%.1f %% %s", 100*l.Weight, l.Class))
	}
	v.Label = strings.Join(shares, " + ")
}
