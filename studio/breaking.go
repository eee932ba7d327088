//go:build !js

package studio

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/augmix-go/augmix/attack"
	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/corrupt/all"
	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/transform"
)

// Settings of the looks at a model.
const (
	attackSteps   = 10
	occlusionGrid = 12   // places of the square a side
	topClasses    = 5    // that are told
	maxHits       = 60   // images that a search finds
	mostSearched  = 5000 // images that a search looks at
)

// classShare is a class and its probability.
type classShare struct {
	Class string  `json:"class"`
	P     float64 `json:"p"`
}

// predicted is what the model says of the clean image and of the one that is shown.
type predicted struct {
	Clean []classShare `json:"clean"`
	Now   []classShare `json:"now"`
	Label string       `json:"label"`
	Flips bool         `json:"flips"`
}

// shown returns the image of q as the model gets it: under the corruption, then attacked. clean is the one before.
func (s *Server) shown(ctx context.Context, q *request) (clean *sample, m *raster.Image, err error) {
	if clean, err = s.forModel(ctx, q); err != nil {
		return nil, nil, err
	}
	if m, err = s.corrupt(clean, q); err != nil || q.Eps == 0 {
		return clean, m, err
	}
	m, err = s.model.attack(ctx, m, q, clean.key)
	return clean, m, err
}

// attacked is the handler of the image that the model gets.
func (s *Server) attacked(ctx context.Context, q *request) (*raster.Image, error) {
	_, m, err := s.shown(ctx, q)
	return m, err
}

// predictions says what the model sees.
func (s *Server) predictions(ctx context.Context, q *request) (any, error) {
	clean, now, err := s.shown(ctx, q)
	if err != nil {
		return nil, err
	}
	p, err := s.model.predict(ctx, []*raster.Image{clean.image, now})
	if err != nil {
		return nil, err
	}
	return predicted{s.model.top(p[0]), s.model.top(p[1]), s.labelSeen(clean.label), best(p[0]) != best(p[1])}, nil
}

// labelSeen names the label of an image beside what the model sees: with its number, where the model has as many classes as the data and
// only numbers for them.
func (s *Server) labelSeen(label int) string {
	name := s.className(label)
	if number := strconv.Itoa(label); label >= 0 && name != number && s.model.names == nil &&
		s.model.predictor.Classes() == len(s.parts[0].source.Info().Classes) {
		return name + " (" + number + ")"
	}
	return name
}

func (m *model) top(p []float64) (list []classShare) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	for _, c := range order[:min(len(order), topClasses)] {
		list = append(list, classShare{m.className(c), p[c]})
	}
	return list
}

// attack returns an adversarial form of an image, in 8 bits: projected gradient descent in the l-infinity ball of q.Eps gray levels away from
// what the model sees, ten steps of a quarter of the radius.
func (m *model) attack(ctx context.Context, from *raster.Image, q *request, key string) (*raster.Image, error) {
	d, ok := m.predictor.(eval.Differentiable)
	if !ok || m.preprocess != nil {
		return nil, fmt.Errorf("%w: adversarial examples need a network that this program runs, without preprocessing", errCannot)
	}
	p, err := m.predict(ctx, []*raster.Image{from})
	if err != nil {
		return nil, err
	}
	x := make([]float32, 3*m.w*m.h)
	mix.None{}.ApplyPlanes(x, from, &mix.Unit, nil, new(mix.Scratch))
	eps := float64(q.Eps) / 255
	pgd := attack.PGD{Norm: attack.LInf, Eps: eps, Step: eps / 4, Steps: attackSteps, Start: true}
	adversarial := make([]float32, len(x))
	stream := transform.SampleKey(rng.NewKey(q.Seed), key).Str("attack")
	if err := m.gate.enter(ctx); err != nil {
		return nil, err
	}
	defer m.gate.leave()
	err = pgd.Attack(adversarial, x, []int{best(p[0])}, []rng.Key{stream}, func(dst, x []float32, labels []int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return d.Gradient(dst, x, labels)
	}, new(attack.Scratch))
	if err != nil {
		return nil, err
	}
	planes := make([]uint8, len(adversarial))
	for i, v := range adversarial {
		planes[i] = uint8(min(max(255*v+0.5, 0), 255))
	}
	out := new(raster.Image)
	out.SetPlanar(m.w, m.h, planes)
	return out, nil
}

// occlusion shows where the model looks: for each place of a gray square a sixth of the image wide, how much less probable it makes the
// class that the model sees. The colors are those of heat maps, over the image in gray.
func (s *Server) occlusion(ctx context.Context, q *request) (*raster.Image, error) {
	_, m, err := s.shown(ctx, q)
	if err != nil {
		return nil, err
	}
	images := []*raster.Image{m}
	corner := func(i, side int) int { return i * side / occlusionGrid }
	for y := range occlusionGrid {
		for x := range occlusionGrid {
			one := m.Clone()
			fillBox(one, corner(x, m.W)-m.W/24, corner(y, m.H)-m.H/24, max(m.W/6, 1), max(m.H/6, 1))
			images = append(images, one)
		}
	}
	p, err := s.model.predict(ctx, images)
	if err != nil {
		return nil, err
	}
	class := best(p[0])
	most := 0.02 // less is no difference
	for _, one := range p[1:] {
		most = max(most, p[0][class]-one[class])
	}
	out := raster.New(m.W, m.H)
	for y := range m.H {
		for x := range m.W {
			cell := p[1+y*occlusionGrid/m.H*occlusionGrid+x*occlusionGrid/m.W]
			r, g, b := chart.Ramp(max(0, p[0][class]-cell[class]) / most)
			c := m.At(x, y)
			gray := (299*int(c.R) + 587*int(c.G) + 114*int(c.B)) / 1000
			mixed := func(v uint8) uint8 { return uint8((2*int(v) + gray) / 3) }
			out.Set(x, y, raster.RGB{R: mixed(r), G: mixed(g), B: mixed(b)})
		}
	}
	return out, nil
}

func fillBox(m *raster.Image, x0, y0, w, h int) {
	for y := max(y0, 0); y < min(y0+h, m.H); y++ {
		for x := max(x0, 0); x < min(x0+w, m.W); x++ {
			m.Set(x, y, raster.RGB{R: 128, G: 128, B: 128})
		}
	}
}

// flipCurve is how a corruption changes what the model sees of an image.
type flipCurve struct {
	Name    string    `json:"name"`
	P       []float64 `json:"p"`                 // of the class of the clean image, at severities 0 to 5
	Flip    int       `json:"flip"`              // least severity with another class; 0: none
	From    string    `json:"from,omitempty"`    // the class of the clean image, as the model sees it
	To      string    `json:"to,omitempty"`      // the other one
	Problem string    `json:"problem,omitempty"` // why there is no curve
}

// flips streams a curve for every corruption.
func (s *Server) flips(ctx context.Context, q *request, out *stream) error {
	clean, err := s.forModel(ctx, q)
	if err != nil {
		return err
	}
	for _, name := range all.Names() {
		c, err := s.curve(ctx, clean, q, name, corrupt.Severities)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c = flipCurve{Name: name, Problem: s.opt.Message(err)}
		}
		out.send("curve", c)
	}
	return nil
}

// curve looks at one corruption up to a severity.
func (s *Server) curve(ctx context.Context, clean *sample, q *request, name string, most int) (flipCurve, error) {
	c, images := flipCurve{Name: name}, []*raster.Image{clean.image}
	for severity := 1; severity <= most; severity++ {
		at := *q
		at.Name, at.Severity = name, float64(severity)
		m, err := s.corrupt(clean, &at)
		if err != nil {
			return c, err
		}
		images = append(images, m)
	}
	p, err := s.model.predict(ctx, images)
	if err != nil {
		return c, err
	}
	class := best(p[0])
	c.From = s.model.className(class)
	for severity, one := range p {
		c.P = append(c.P, one[class])
		if c.Flip == 0 && best(one) != class {
			c.Flip, c.To = severity, s.model.className(best(one))
		}
	}
	return c, nil
}

// hit is an image whose class flips.
type hit struct {
	listedSample
	Severity int    `json:"severity"`
	From     string `json:"from"`
	To       string `json:"to"`
}

// searched is how far a search came.
type searched struct {
	Hits   int  `json:"hits"`
	Looked int  `json:"looked"` // at the images before this one
	Images int  `json:"images"` // of the data set
	Full   bool `json:"full"`   // it ended as it had maxHits
}

// search streams the images of the data set, from q.From, that q.Name makes the model see otherwise up to severity q.Severity, and at the
// end how far it came.
func (s *Server) search(ctx context.Context, q *request, out *stream) error {
	if s.model == nil || q.Name == "" || q.Severity < 1 {
		return fmt.Errorf("%w: a search needs a model, a corruption and a severity from 1", ErrRequest)
	}
	source := s.parts[0].source
	end := min(source.Len(), q.From+mostSearched)
	came := searched{Looked: q.From, Images: source.Len()}
	told := out.progress("looked at", end)
	for i := q.From; i < end && !came.Full; i++ {
		one := *q
		one.Image = imageID{index: i}
		clean, err := s.forModel(ctx, &one)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		told(i+1, 0)
		came.Looked = i + 1
		if err != nil {
			continue // an image that cannot be read; the look at all of the data names it
		}
		if c, err := s.curve(ctx, clean, &one, q.Name, int(q.Severity)); err == nil && c.Flip > 0 {
			came.Hits++
			came.Full = came.Hits == maxHits
			out.send("hit", hit{listedSample{one.Image.String(), clean.key, s.labelSeen(clean.label)}, c.Flip, c.From, c.To})
		}
	}
	out.send("searched", came)
	return nil
}

// streamed makes a handler of a function that sends events, one such at a time, and ends with its request.
func (s *Server) streamed(f func(ctx context.Context, q *request, out *stream) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out := newStream(w)
		q, err := parseRequest(r.URL.Query())
		if err == nil {
			if err = s.long.enter(r.Context()); err == nil {
				defer s.long.leave()
				err = f(r.Context(), q, out)
			}
		}
		if err != nil {
			out.send("failed", s.opt.Message(err))
			return
		}
		out.send("result", nil)
	}
}
