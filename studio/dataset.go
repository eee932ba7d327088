package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/stats"
	"github.com/augmix-go/augmix/raster"
)

// Bounds of what is sent of a data set.
const (
	listed      = 60     // samples of one answer
	describeMax = 200000 // samples that are looked at for one answer, where that is cheap
	readMax     = 2000   // and where each must be read
	maxRejected = 100
)

// sampleList is a part of the samples that a filter takes.
type sampleList struct {
	Samples []listedSample `json:"samples"`
	Next    int            `json:"next"` // where the next begins; -1 at the end
}

type listedSample struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Label string `json:"label"`
}

// list returns samples of the first part, from q.From, whose keys hold q.Query and whose class is q.Class.
func (s *Server) list(ctx context.Context, q *request) (any, error) {
	source := s.parts[0].source
	describer, cheap := source.(data.Describer)
	most := readMax
	if cheap {
		most = describeMax
	}
	out := sampleList{Samples: []listedSample{}, Next: -1}
	var one data.Sample
	for i := q.From; i < source.Len(); i++ {
		if len(out.Samples) == listed || i-q.From == most || ctx.Err() != nil {
			out.Next = i
			break
		}
		if cheap {
			describer.Describe(i, &one)
		} else if source.Read(i, &one) != nil {
			continue // the whole data set's look names it
		}
		if strings.Contains(one.Key, q.Query) && (q.Class < 0 || one.Label == q.Class) {
			out.Samples = append(out.Samples, listedSample{imageID{index: i}.String(), one.Key, s.className(one.Label)})
		}
	}
	return out, nil
}

// partSummary is what is in a part of the data set.
type partSummary struct {
	Part string `json:"part"`
	*stats.Summary
	Unreadable int `json:"unreadableCount"` // of which the Summary lists some
	Large      int `json:"large"`           // with more pixels than are shown: not decoded, nor compared
}

// dataSummary is the last event of measure.
type dataSummary struct {
	Parts      []partSummary     `json:"parts"`
	Duplicates *duplicateSummary `json:"duplicates"`
}

// measure reads all parts of the data set and streams how far it is, then what is in them and which images nearly repeat.
func (s *Server) measure(ctx context.Context, _ *request, out *stream) error {
	sum, err := s.summarize(ctx, out)
	if err == nil {
		s.summary.Store(sum)
		out.send("summary", sum)
	}
	return err
}

func (s *Server) summarize(ctx context.Context, stream *stream) (*dataSummary, error) {
	var out dataSummary
	var seen []hashed
	for i, p := range s.parts {
		// A view of its own, as a Source has a place and Scan moves it.
		view, hashes, large := data.Slice(p.source, 0, p.source.Len()), s.hasher(i), new(atomic.Int64)
		sum, err := stats.Measure(ctx, view, stats.Options{
			Workers: s.opt.Renders, Report: stream.progress("reading "+p.name, p.source.Len()), Image: hashes.add,
			Large: func(one *data.Sample) bool {
				tooLarge := errors.Is(checkImage(one), data.ErrLimit)
				if tooLarge {
					large.Add(1)
				}
				return tooLarge
			},
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.opt.Data, err)
		}
		one := partSummary{Part: p.name, Summary: sum, Unreadable: len(sum.Rejected), Large: int(large.Load())}
		sum.Rejected = sum.Rejected[:min(len(sum.Rejected), maxRejected)]
		out.Parts = append(out.Parts, one)
		seen = append(seen, hashes.all...)
	}
	var err error
	out.Duplicates, err = duplicates(ctx, seen)
	return &out, err
}

// Read is how many images could be read.
func (p *partSummary) Read() int { return p.Samples - p.Unreadable }

// hasher hashes the images of a part.
type hasher struct {
	server *Server
	part   int
	all    []hashed // in their order
	each   []hashScratch
}

// hashScratch is the working memory of one goroutine.
type hashScratch struct {
	small   raster.Image
	resizer augment.Resizer
}

func (s *Server) hasher(part int) *hasher {
	return &hasher{s, part, make([]hashed, s.parts[part].source.Len()), make([]hashScratch, s.opt.Renders)}
}

// add hashes an image.
func (h *hasher) add(worker, i int, one *data.Sample, m *raster.Image) {
	my, to := &h.each[worker], &h.all[i]
	my.resizer.Resize(&my.small, m, hashSide+1, hashSide, augment.Box)
	*to = hashed{
		listedSample: listedSample{imageID{part: h.part, index: i}.String(), one.Key, h.server.className(one.Label)},
		part:         h.part, hash: hashOf(&my.small), ok: true,
	}
	my.resizer.Resize(&my.small, m, hashSide, hashSide, augment.Box)
	copy(to.look[:], my.small.AppendPlanar(nil))
}

// stream sends server-sent events.
type stream struct {
	mu   sync.Mutex
	w    http.ResponseWriter
	last time.Time
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	return &stream{w: w}
}

// send sends one event. Whether anybody listens the request's context says.
func (s *stream) send(event string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("studio: " + err.Error()) // only our own types are sent
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := http.NewResponseController(s.w)
	_ = c.SetWriteDeadline(time.Now().Add(writeTime))
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, text)
	_ = c.Flush()
}

// progress returns what tells the page how far the work is, a few times a second. No stream is told nothing.
func (s *stream) progress(what string, of int) func(done, rejected int) {
	if s == nil {
		return func(int, int) {}
	}
	return func(done, _ int) {
		s.mu.Lock()
		due := done == of || time.Since(s.last) > 200*time.Millisecond
		if due {
			s.last = time.Now()
		}
		s.mu.Unlock()
		if due {
			s.send("progress", map[string]any{"what": what, "done": done, "of": of})
		}
	}
}
