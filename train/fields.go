package train

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// Fields yields the key of every field and a pointer to its value, in the order of the struct.
func (c *Config) Fields() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		v := reflect.ValueOf(c).Elem()
		for i := range v.NumField() {
			key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			if !yield(key, v.Field(i).Addr().Interface()) {
				return
			}
		}
	}
}

// machineKeys are the keys that say how a machine trains and not what: a resumed run may change them, and checkpoints do
// not hold them.
var machineKeys = []string{"cache-mb", "workers"}

// MarshalJSON writes the keys that the trained weights depend on, as checkpoints hold them.
func (c Config) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for key, value := range c.Fields() {
		if slices.Contains(machineKeys, key) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if string(text) == "[]" {
			text = []byte("null") // a list read from args.yaml is empty where that of a new run is nil
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(fmt.Appendf(b, "%q:", key), text...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A key that is missing keeps its value, one that does not exist is an error
// that wraps [ErrConfig].
func (c *Config) UnmarshalJSON(text []byte) error {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &values); err != nil {
		return err
	}
	for key, p := range c.Fields() {
		if value, ok := values[key]; ok && !slices.Contains(machineKeys, key) {
			if err := json.Unmarshal(value, p); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			delete(values, key)
		}
	}
	for key := range values {
		return fmt.Errorf("%w: there is no key %q", ErrConfig, key)
	}
	return nil
}

// Differences lists the keys in which two configurations would train differently, with both values.
func Differences(a, b *Config) []string {
	var list []string
	other := reflect.ValueOf(b).Elem()
	i := 0
	for key, p := range a.Fields() {
		x, y := fmt.Sprint(reflect.ValueOf(p).Elem()), fmt.Sprint(other.Field(i))
		if i++; x != y && !slices.Contains(machineKeys, key) {
			list = append(list, fmt.Sprintf("%s was %s, now %s", key, quoteEmpty(x), quoteEmpty(y)))
		}
	}
	return list
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}
