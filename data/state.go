package data

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// envelope is what every checkpoint state looks like: JSON, so that it can be kept in a manifest and read by people.
type envelope struct {
	Format string          `json:"format"`
	State  json.RawMessage `json:"state"`
}

// EncodeState makes the state that a Sink's Checkpoint returns, from the name of its format and a struct of JSON
// fields.
func EncodeState(format string, v any) ([]byte, error) {
	inner, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("cannot make a checkpoint of %s: %w", format, err)
	}
	return json.Marshal(envelope{Format: format, State: inner})
}

// DecodeState reads what [EncodeState] made into v. The error wraps [ErrFormat] when the state is damaged, of another
// format, or has fields that v lacks.
func DecodeState(state []byte, format string, v any) error {
	var e envelope
	if err := strictJSON(state, &e); err != nil {
		return fmt.Errorf("%w: not a checkpoint: %w", ErrFormat, err)
	}
	if e.Format != format {
		return fmt.Errorf("%w: a checkpoint of format %q, want %q", ErrFormat, e.Format, format)
	}
	if err := strictJSON(e.State, v); err != nil {
		return fmt.Errorf("%w: checkpoint of %s: %w", ErrFormat, format, err)
	}
	return nil
}

func strictJSON(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
