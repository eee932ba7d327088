package robustbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// sayType names the key of a JSON value that is of another type than the leaderboard's, and what is allowed. Other errors stay as they are.
func sayType(err error) error {
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) || t.Field == "" {
		return err
	}
	allowed := t.Type.String()
	switch t.Type.Kind() {
	case reflect.String:
		allowed = "text in quotes"
	case reflect.Bool:
		allowed = "true or false"
	case reflect.Int:
		allowed = "a whole number"
	}
	return fmt.Errorf("%s has a value of type %s (allowed: %s)", t.Field, t.Value, allowed)
}

// quoteNumber makes text of a JSON number.
func quoteNumber(v json.RawMessage) json.RawMessage {
	var n json.Number
	if len(v) == 0 || v[0] == '"' || json.Unmarshal(v, &n) != nil || n == "" {
		return v
	}
	return json.RawMessage(`"` + n + `"`)
}
