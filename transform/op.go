package transform

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/augment"
)

// OpSpec is one operation that a Pipeline applies to every mixed view: at a fixed parameter, or at an AugMix level, where
// the sign of a signed operation is drawn for each image. Its text form is NAME, NAME:PARAM or NAME@LEVEL: "equalize",
// "rotate:-15", "solarize@3".
type OpSpec struct {
	Op      *augment.Op
	Value   float64 // the parameter
	Level   float64 // used instead of Value when ByLevel
	ByLevel bool
}

// ParseOp reads the text form of an operation.
func ParseOp(s string) (OpSpec, error) {
	cut := strings.IndexAny(s, ":@")
	name, text := s, ""
	if cut >= 0 {
		name, text = s[:cut], s[cut+1:]
	}
	op, err := augment.ByName(name)
	if err != nil {
		return OpSpec{}, err
	}
	o := OpSpec{Op: op}
	if cut < 0 {
		if op.Param != "" {
			return OpSpec{}, fmt.Errorf("%w: operation %q wants its %s: %s:PARAM, from %v to %v, or %s@LEVEL, from 0 to 10",
				ErrOption, s, op.Param, name, op.Min, op.Max, name)
		}
		return o, nil
	}
	if op.Param == "" {
		return OpSpec{}, fmt.Errorf("%w: operation %q: %s has no parameter", ErrOption, s, name)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return OpSpec{}, fmt.Errorf("%w: operation %q: %q is not a number", ErrOption, s, text)
	}
	if s[cut] == ':' {
		o.Value = v
		return o, op.Check(v)
	}
	o.Level, o.ByLevel = v, true
	switch {
	case !op.HasLevel():
		return OpSpec{}, fmt.Errorf("%w: operation %q: AugMix defines no levels for %s; give its %s as %s:PARAM",
			ErrOption, s, name, op.Param, name)
	case !(v >= 0 && v <= 10):
		return OpSpec{}, fmt.Errorf("%w: operation %q: level %v (allowed: 0 to 10)", ErrOption, s, v)
	}
	return o, nil
}

// String returns the text form.
func (o OpSpec) String() string {
	switch {
	case o.ByLevel:
		return o.Op.Name + "@" + strconv.FormatFloat(o.Level, 'g', -1, 64)
	case o.Op.Param != "":
		return o.Op.Name + ":" + strconv.FormatFloat(o.Value, 'g', -1, 64)
	}
	return o.Op.Name
}
