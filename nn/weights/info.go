package weights

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/nn/graph"
)

// Keys of the metadata that say what the tensors belong to. Other keys are the caller's.
const (
	KeyModel   = "augmix.model"   // the spec that package models builds the network from
	KeyInput   = "augmix.input"   // height, width, channels: "32x32x3"
	KeyClasses = "augmix.classes" // "10"
	KeyNames   = "augmix.names"   // of the classes, a JSON list: ["airplane","automobile"]; missing where they are not known
	KeyMean    = "augmix.mean"    // of each channel, subtracted from pixels on [0, 1]: "0.485 0.456 0.406"
	KeyStd     = "augmix.std"     // of each channel, divided by after
	KeyVersion = "augmix.version" // of the program that wrote the file
)

// Info says what the tensors of a file belong to: enough to build the network and to feed it.
type Info struct {
	Model     string
	Input     graph.Shape
	Classes   int
	Names     []string  // of the classes by number; nil if they are not known
	Mean, Std []float64 // one a channel, for pixels on [0, 1]: x' = (x-Mean)/Std
	Version   string
	// Preparation is what images go through before the network; nil if it is not known.
	Preparation *Preparation
	// Other holds the keys that Info does not know.
	Other map[string]string
}

// Metadata writes i as the metadata of a file. Floats read back as they were.
func (i *Info) Metadata() map[string]string {
	m := map[string]string{}
	maps.Copy(m, i.Other)
	m["format"] = "pt" // the transformers library asks for it
	m[KeyModel] = i.Model
	m[KeyInput] = i.Input.String()
	m[KeyClasses] = strconv.Itoa(i.Classes)
	if len(i.Names) > 0 {
		list, err := json.Marshal(i.Names)
		if err != nil {
			panic("weights: " + err.Error()) // strings
		}
		m[KeyNames] = string(list)
	}
	m[KeyMean] = floats(i.Mean)
	m[KeyStd] = floats(i.Std)
	m[KeyVersion] = i.Version
	if i.Preparation != nil {
		m[KeyPreparation] = i.Preparation.String()
	}
	return m
}

func floats(v []float64) string {
	s := make([]string, len(v))
	for i, f := range v {
		s[i] = strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strings.Join(s, " ")
}

// ParseInfo reads what [Info.Metadata] writes. The error wraps [ErrFormat] and names the key: files of other programs
// have none of them, and then the caller has to be told the model.
func ParseInfo(meta map[string]string) (*Info, error) {
	i := &Info{Model: meta[KeyModel], Version: meta[KeyVersion], Other: map[string]string{}}
	if i.Model == "" {
		return nil, fmt.Errorf("%w: the metadata has no %s", ErrFormat, KeyModel)
	}
	var err error
	if i.Classes, err = strconv.Atoi(meta[KeyClasses]); err != nil || i.Classes < 1 {
		return nil, fmt.Errorf("%w: the metadata's %s is %.40q, not a number of classes",
			ErrFormat, KeyClasses, meta[KeyClasses])
	}
	if list, ok := meta[KeyNames]; ok {
		if err := json.Unmarshal([]byte(list), &i.Names); err != nil || len(i.Names) != i.Classes {
			return nil, fmt.Errorf("%w: the metadata's %s is %.40q, not a list of %d names", ErrFormat, KeyNames, list, i.Classes)
		}
	}
	if i.Input, err = parseShape(meta[KeyInput]); err != nil {
		return nil, err
	}
	if i.Mean, err = parseFloats(meta, KeyMean, i.Input.C); err != nil {
		return nil, err
	}
	if i.Std, err = parseFloats(meta, KeyStd, i.Input.C); err != nil {
		return nil, err
	}
	for _, s := range i.Std {
		if s <= 0 {
			return nil, fmt.Errorf("%w: the metadata's %s holds %v", ErrFormat, KeyStd, s)
		}
	}
	if text, ok := meta[KeyPreparation]; ok {
		if i.Preparation, err = ParsePreparation(text); err != nil {
			return nil, err
		}
	}
	for k, v := range meta {
		switch k {
		case "format", KeyModel, KeyInput, KeyClasses, KeyNames, KeyMean, KeyStd, KeyVersion, KeyPreparation:
		default:
			i.Other[k] = v
		}
	}
	return i, nil
}

func parseShape(s string) (graph.Shape, error) {
	parts := strings.Split(s, "x")
	var v [3]int
	if len(parts) != len(v) {
		return graph.Shape{}, shapeError(s)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 1<<16 {
			return graph.Shape{}, shapeError(s)
		}
		v[i] = n
	}
	return graph.Shape{H: v[0], W: v[1], C: v[2]}, nil
}

func shapeError(s string) error {
	return fmt.Errorf("%w: the metadata's %s is %.40q, not HEIGHTxWIDTHxCHANNELS", ErrFormat, KeyInput, s)
}

func parseFloats(meta map[string]string, key string, n int) ([]float64, error) {
	words := strings.Fields(meta[key])
	if len(words) != n {
		return nil, fmt.Errorf("%w: the metadata's %s has %d numbers, not %d", ErrFormat, key, len(words), n)
	}
	v := make([]float64, n)
	for i, w := range words {
		f, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%w: the metadata's %s holds %.40q", ErrFormat, key, w)
		}
		v[i] = f
	}
	return v, nil
}
