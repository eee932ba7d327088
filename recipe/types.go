package recipe

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// checkTypes returns an error for a value that is not of the type that its key has in t. The decoder would make one of it, 2 of 2.7 and
// 8 of 010, or refuse it in words of Go. Keys that t lacks are the decoder's error.
func checkTypes(n ast.Node, t reflect.Type, key string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if a, ok := n.(*ast.AnchorNode); ok {
		n = a.Value
	}
	if n == nil || n.Type() == ast.NullType || n.Type() == ast.AliasType || n.Type() == ast.TagType || decodesItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkKeys(n, t, key)
	case reflect.Slice:
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			return wrongType(n, key, "a list")
		}
		for _, v := range list.Values {
			if err := checkTypes(v, t.Elem(), key); err != nil {
				return err
			}
		}
	case reflect.Map:
		values, ok := mapping(n)
		if !ok {
			return wrongType(n, key, "keys with values")
		}
		for _, v := range values {
			if err := checkTypes(v.Value, t.Elem(), v.Key.String()); err != nil {
				return err
			}
		}
	default:
		if want := scalarOf(n, t.Kind()); want != "" {
			return wrongType(n, key, want)
		}
	}
	return nil
}

// decodesItself reports whether a type reads its own text, or is a node.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	for _, own := range []reflect.Type{
		reflect.TypeFor[ast.Node](), reflect.TypeFor[encoding.TextUnmarshaler](), reflect.TypeFor[yaml.InterfaceUnmarshaler](),
		reflect.TypeFor[yaml.BytesUnmarshaler](), reflect.TypeFor[yaml.NodeUnmarshaler](),
	} {
		if t.Implements(own) || p.Implements(own) {
			return true
		}
	}
	return false
}

// checkKeys is checkTypes of a struct.
func checkKeys(n ast.Node, t reflect.Type, key string) error {
	values, ok := mapping(n)
	if !ok {
		return wrongType(n, key, "keys with values")
	}
	for _, v := range values {
		name := v.Key.String()
		f, ok := fieldOf(t, name)
		if !ok {
			continue
		}
		if err := checkTypes(v.Value, f, name); err != nil {
			return err
		}
	}
	return nil
}

// mapping returns the keys and values of a node.
func mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// fieldOf returns the type of the field of a struct that a key stands for.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if strings.Contains(options, "inline") {
			if in, ok := fieldOf(f.Type, key); ok {
				return in, true
			}
		}
		if name == key {
			return f.Type, true
		}
	}
	return nil, false
}

// scalarOf returns what a value has to be where it is not of that kind, "" where it is.
func scalarOf(n ast.Node, k reflect.Kind) string {
	text := n.GetToken().Value
	switch k {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if v, err := strconv.ParseInt(text, 10, 64); n.Type() != ast.IntegerType || err != nil || strconv.FormatInt(v, 10) != text {
			return "a whole number"
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if v, err := strconv.ParseUint(text, 10, 64); n.Type() != ast.IntegerType || err != nil || strconv.FormatUint(v, 10) != text {
			return "a whole number, 0 and up"
		}
	case reflect.Float32, reflect.Float64:
		if _, err := strconv.ParseFloat(text, 64); err != nil { // 1e-06 is text to the parser, and a number to the decoder
			return "a number"
		}
	case reflect.Bool:
		if n.Type() != ast.BoolType {
			return "true or false"
		}
	case reflect.String:
		if n.Type() == ast.SequenceType || n.Type() == ast.MappingType || n.Type() == ast.MappingValueType {
			return "text"
		}
	}
	return ""
}

func wrongType(n ast.Node, key, want string) error {
	at := n.GetToken().Position
	return fmt.Errorf("[%d:%d] %s: %.60s (allowed: %s)", at.Line, at.Column, key, strings.Join(strings.Fields(n.String()), " "), want)
}
