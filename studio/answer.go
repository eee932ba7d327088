package studio

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/raster"
)

// errGone: what the address names is not there (any more).
var errGone = errors.New("not there")

// errModel: there is no model.
var errModel = errors.New("no such model here")

// errCannot: the studio does not do what is asked.
var errCannot = errors.New("cannot be shown here")

// answer makes a handler, with a turn at g, of a function that returns what is sent as JSON.
func (s *Server) answer(g *gate, f func(ctx context.Context, q *request) (any, error)) http.HandlerFunc {
	return s.guarded(g, func(w http.ResponseWriter, r *http.Request, q *request) error {
		v, err := f(r.Context(), q)
		if err != nil {
			return err
		}
		return sendJSON(w, v)
	})
}

// sendJSON sends v, of which nothing is sent where it cannot be written.
func sendJSON(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
	return nil
}

// render makes a handler of a function that returns an image, which is sent as the PNG file that the commands write.
func (s *Server) render(f func(ctx context.Context, q *request) (*raster.Image, error)) http.HandlerFunc {
	return s.guarded(&s.gate, func(w http.ResponseWriter, r *http.Request, q *request) error {
		m, err := f(r.Context(), q)
		if err != nil {
			return err
		}
		file, err := pngOf(m)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(file) // nobody is left to be told of an error
		return nil
	})
}

// guarded parses the request, waits for a turn at g, and says an error of f to the page.
func (s *Server) guarded(g *gate, f func(w http.ResponseWriter, r *http.Request, q *request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := parseRequest(r.URL.Query())
		if err == nil {
			if err = g.enter(r.Context()); err == nil {
				defer g.leave()
				err = f(w, r, q)
			}
		}
		if err != nil {
			s.fail(w, err)
		}
	}
}

// fail sends an error as text.
func (s *Server) fail(w http.ResponseWriter, err error) {
	status := http.StatusUnprocessableEntity
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, ErrRequest):
		status = http.StatusBadRequest
	case errors.Is(err, errGone), errors.Is(err, errModel):
		status = http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, context.Canceled): // to nobody, or the server stops
		status = http.StatusServiceUnavailable
	case errors.As(err, &large):
		status = http.StatusRequestEntityTooLarge
	}
	http.Error(w, s.opt.Message(err), status)
}

// pngOf is the file of an image that the commands write.
func pngOf(m *raster.Image) ([]byte, error) { return data.Encoding{}.Append(nil, m) }
