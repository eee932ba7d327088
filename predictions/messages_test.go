package predictions

import (
	"strings"
	"testing"

	"github.com/augmix-go/augmix/internal/npy"
)

// TestBOM: the mark of UTF-8 that some programs begin a text with is none of it.
func TestBOM(t *testing.T) {
	const bom = "\ufeff"
	for name, text := range map[string]string{
		"p.csv": "logit_0,logit_1,label\n1,2,1\n", "p.tsv": "logit_0\tlogit_1\tlabel\n1\t2\t1\n", "p.jsonl": `{"logits":[1,2],"label":1}`,
	} {
		_, labels, _, _, err := read(file(t, name, []byte(bom+text)), Options{})
		if err != nil || len(labels) != 1 || labels[0] != 1 {
			t.Errorf("%s: %v, error %v", name, labels, err)
		}
	}
	for name, text := range map[string]string{"l.txt": "1\n0\n", "l.jsonl": "1\n0\n", "l.csv": "label\n1\n0\n"} {
		l, err := ReadLabels(file(t, name, []byte(bom+text)))
		if err != nil || len(l.Values) != 2 || l.Values[0] != 1 {
			t.Errorf("%s: %v, error %v", name, l, err)
		}
	}
}

// TestMessages: errors say what is wrong in words, where, and what is allowed.
func TestMessages(t *testing.T) {
	type doubles struct {
		Label  float64  `parquet:"label"`
		Logits []string `parquet:"logits,list"`
		ID     bool     `parquet:"id"`
	}
	type text struct {
		Logits []float32 `parquet:"logits,list"`
		Label  string    `parquet:"label"`
	}
	scores := &npy.Array{Shape: []int{2, 2}, Data: []float32{1, 0, 0, 1}}
	two := func(data any) *npy.Array { return &npy.Array{Shape: []int{2}, Data: data} }
	for path, want := range map[string]string{
		archive(t, map[string]*npy.Array{"logits": scores, "labels": two([]float32{1, 0})}): `array "labels": bad content: floats ` +
			`where class numbers are wanted (allowed: integers)`,
		archive(t, map[string]*npy.Array{"logits": scores, "y": two([]bool{true, false})}): "truth values where class numbers are wanted",
		file(t, "a.jsonl", []byte("[1,2]\n[3,\"x\"]")):                                     `line 2, row 1: bad file: element 1 is "x" (allowed: numbers`,
		file(t, "b.jsonl", []byte(`{"logits":[1,{"a":2}]}`)):                               `line 1: field "logits": bad file: element 1 is {"a":2} (allowed: numbers`,
		file(t, "c.jsonl", []byte(`{"logits":[1,2],"label":"cat"}`)):                       `field "label"`,
		file(t, "d.jsonl", []byte("{\"pred\":1}\n{\"pred\":1.5}")):                         `line 2, row 1: field "pred"`,
		file(t, "e.jsonl", []byte(`{"logits":[1,2],"id":null}`)):                           `line 1: field "id": bad content: id null (allowed: text or a number)`,
		file(t, "f.jsonl", []byte("{\"pred\":1,\"key\":7}\n{\"pred\":1,\"key\":[1]}")):     `line 2, row 1: field "key": bad content: id [1] (allowed`,
		file(t, "g.jsonl", []byte(`{"logits":[1,2],"id":{"a":1}}`)):                        `field "id": bad content: id {"a":1} (allowed`,
		file(t, "h.jsonl", []byte(`{"logits":[1,2],"id":true}`)):                           `field "id": bad content: id true (allowed`,
		parquetFile(t, []doubles{{Logits: []string{"a"}}}):                                 `column "logits" has lists of text (allowed: lists of 32-bit floats or 64-bit floats)`,
		parquetFile(t, []text{{Logits: []float32{1, 2}}}):                                  `column "label" has text (allowed: 32-bit integers or 64-bit integers)`,
	} {
		_, _, _, _, err := read(path, Options{Predicted: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		for _, leak := range []string{"float32", "float64", "[]bool", "Go value", "required", "DOUBLE"} {
			if err != nil && strings.Contains(err.Error(), leak) {
				t.Errorf("error %v says %q", err, leak)
			}
		}
	}
	_, err := ReadLabels(file(t, "l.jsonl", []byte(`{"label":1,"id":null}`)))
	if err == nil || !strings.Contains(err.Error(), `line 1: field "id": bad content: id null`) {
		t.Errorf("error %v", err)
	}
	_, err = ReadLabels(parquetFile(t, []doubles{{Logits: []string{"a"}}}))
	if err == nil || !strings.Contains(err.Error(), `column "label" has 64-bit floats (allowed: 32-bit integers or 64-bit integers)`) {
		t.Errorf("error %v", err)
	}
}
