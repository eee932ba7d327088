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
		text, err := encoded(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
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
		x, y := reflect.ValueOf(p).Elem(), other.Field(i)
		if i++; slices.Contains(machineKeys, key) || written(x) == written(y) {
			continue
		}
		was, now := fmt.Sprint(x), fmt.Sprint(y)
		if was == now { // lists whose items have spaces
			was, now = written(x), written(y)
		}
		list = append(list, fmt.Sprintf("%s was %s, now %s", key, quoteEmpty(was), quoteEmpty(now)))
	}
	return list
}

// written is a value as checkpoints hold it, in which no two values are alike but an empty list and none.
func written(v reflect.Value) string {
	text, err := encoded(v.Interface())
	if err != nil { // a number that is none, which Check refuses
		return fmt.Sprint(v)
	}
	return string(text)
}

// encoded is a value in JSON. A list read from args.yaml is empty where that of a new run is nil.
func encoded(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if string(text) == "[]" {
		text = []byte("null")
	}
	return text, err
}

func quoteEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}
