package annotated

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/augmix-go/augmix/data"
)

// A file of COCO's may be half a gigabyte: it is read an element at a time and never held as a whole.

// field is called with the name of a field of the outermost object. Fields that it does not read it must skip.
type field func(name string, dec *json.Decoder) error

// eachField reads a json file whose outermost value is an object.
func eachField(file string, do field) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	dec := json.NewDecoder(f)
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return fmt.Errorf("%w: %s: it does not begin with an object", data.ErrFormat, file)
	}
	for dec.More() {
		tok, err := dec.Token()
		name, ok := tok.(string)
		if err == nil && ok {
			err = do(name, dec)
		}
		if err == io.ErrUnexpectedEOF || err == io.EOF {
			err = fmt.Errorf("%w: it ends early", data.ErrFormat)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachElement reads an array. Another value is skipped, and no array.
func eachElement(dec *json.Decoder, do func(i int, element json.RawMessage) error) (array bool, err error) {
	tok, err := dec.Token()
	if err != nil {
		return false, err
	}
	if tok != json.Delim('[') {
		return false, skipRest(dec, tok)
	}
	for i := 0; dec.More(); i++ {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return true, err
		}
		if err := do(i, element); err != nil {
			return true, err
		}
	}
	_, err = dec.Token()
	return true, err
}

// skipRest reads to the end of the value that began with tok.
func skipRest(dec *json.Decoder, tok json.Token) error {
	for depth := 0; ; {
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		var err error
		if tok, err = dec.Token(); err != nil {
			return err
		}
	}
}

// cocoImage is an element of images.
type cocoImage struct {
	ID       *int64  `json:"id"`
	FileName string  `json:"file_name"`
	Width    float64 `json:"width"`
	Height   float64 `json:"height"`
}

// isCOCO reports whether the file has images with names, up to the first of which it reads.
func isCOCO(file string) bool {
	err := eachField(file, func(name string, dec *json.Decoder) error {
		_, err := eachElement(dec, func(_ int, element json.RawMessage) error {
			var m cocoImage
			switch {
			case name != "images":
				return nil
			case json.Unmarshal(element, &m) == nil && m.FileName != "":
				return errFound
			}
			return errNone
		})
		return err
	})
	return err == errFound
}

// errFound and errNone end the search for images.
var (
	errFound = errors.New("found")
	errNone  = errors.New("not found")
)
