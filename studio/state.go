package studio

import (
	"fmt"
	"maps"
	"net/url"
	"strings"

	"github.com/augmix-go/augmix/data"
)

// state is what the page shows: the fields of its address after the #, by name.
type state map[string]string

// stateFields are the fields with what they are without a word of them, as in lib.js.
var stateFields = state{
	"screen": "corrupt", "image": "d0", "size": "", "crop": "", "seed": "0", "profile": "auto", "severity": "3", "name": "", "look": "wipe",
	"wipe": "50", "zoom": "1", "spec": "augmix-m3-w3-d-1", "set": "fractals", "epoch": "1", "pins": "", "draws": "", "runs": "", "q": "",
	"class": "-1", "from": "0", "under": "fog", "eps": "0", "map": "", "of": "", "lost": "", "kept": "", "train": "",
	"step": "",
}

// parseState reads what the page's address has after the #, such as "screen=mix&image=d3"; "mix?image=d3" is the same. The error wraps
// ErrRequest.
func (s *Server) parseState(hash string) (state, error) {
	hash = strings.TrimPrefix(hash, "#")
	if name, rest, _ := strings.Cut(hash, "?"); name != "" && !strings.ContainsAny(name, "=&") {
		hash = "screen=" + name + "&" + rest
	}
	values, err := url.ParseQuery(hash)
	if err != nil {
		return nil, fmt.Errorf("%w: %.80q: %w", ErrRequest, hash, err)
	}
	return s.newState(values)
}

func (s *Server) newState(values url.Values) (state, error) {
	st := s.stateDefaults()
	for name, list := range values {
		if _, known := st[name]; !known || len(list) != 1 {
			return nil, fmt.Errorf("%w: %.40q %d times in what the page shows (allowed: what its address has after the #, each once)", ErrRequest, name, len(list))
		}
		st[name] = list[0]
	}
	return st, nil
}

// stateDefaults is the state of the page as it opens.
func (s *Server) stateDefaults() state {
	st := maps.Clone(stateFields)
	if s.side() > 299 { // as ImageNet's; smaller images are shown as they are
		st["size"], st["crop"] = "256", "224"
	} else {
		st["size"], st["crop"] = "0", "0"
	}
	if s.opt.Mixset != "" {
		st["set"] = ownSet
	}
	return st
}

// side is the shorter side of the first image; 0 if it cannot be read.
func (s *Server) side() int {
	w, h, err := data.FirstSize(data.Subset(s.parts[0].source, 1, func(int) int { return 0 }))
	if err != nil {
		return 0
	}
	return min(w, h)
}

// request is that of an image of the state: the fields that are named, or "name=value".
func (st state) request(fields ...string) (*request, error) {
	values := url.Values{}
	for _, field := range fields {
		name, value, given := strings.Cut(field, "=")
		if !given {
			value = st[name]
		}
		if value != "" {
			values.Set(name, value)
		}
	}
	return parseRequest(values)
}

// hash is the state without what is as in defaults.
func (st state) hash(defaults state) string {
	values := url.Values{}
	for name, value := range st {
		if value != defaults[name] {
			values.Set(name, value)
		}
	}
	return values.Encode()
}
