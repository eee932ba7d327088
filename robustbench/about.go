package robustbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ErrAbout: what is said of a model does not have the leaderboard's form.
var ErrAbout = errors.New("bad model info")

// About is what no measurement knows of a model, by the leaderboard's names.
type About struct {
	Link           string  `json:"link"`    // of the paper
	Name           string  `json:"name"`    // the paper's title
	Authors        string  `json:"authors"` // separated by commas
	AdditionalData bool    `json:"additional_data"`
	ForwardPasses  int     `json:"number_forward_passes"` // for one prediction, 1 or more
	Venue          string  `json:"venue"`
	Architecture   string  `json:"architecture"`
	Reported       *string `json:"reported"`           // accuracy under corruptions that the paper reports, in percent; null for none
	Footnote       string  `json:"footnote,omitempty"` // such as "Uses 5,000 images of its own"
}

// required are the keys that a file of [ReadAbout] must have.
var required = []string{"link", "name", "authors", "additional_data", "number_forward_passes", "venue", "architecture", "reported"}

// ReadAbout reads a JSON object with the keys of [About]; reported may be a number. Errors name the key.
func ReadAbout(r io.Reader) (About, error) {
	var a About
	text, err := io.ReadAll(io.LimitReader(r, 1<<20))
	if err != nil {
		return a, err
	}
	keys := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &keys); err != nil {
		return a, fmt.Errorf("%w: %w", ErrAbout, err)
	}
	for _, k := range required {
		if keys[k] == nil {
			return a, fmt.Errorf("%w: %s is missing (needed: %s)", ErrAbout, k, strings.Join(required, ", "))
		}
		if k != "reported" && string(keys[k]) == "null" { // which the decoder would take for false, 0 and no text
			return a, fmt.Errorf("%w: %s is null (allowed: of reported alone)", ErrAbout, k)
		}
	}
	keys["reported"] = quoteNumber(keys["reported"])
	if text, err = json.Marshal(keys); err != nil {
		return a, fmt.Errorf("%w: %w", ErrAbout, err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return a, fmt.Errorf("%w: %w", ErrAbout, sayType(err))
	}
	return a, a.check()
}

func (a *About) check() error {
	for _, f := range []struct{ key, text string }{{"name", a.Name}, {"authors", a.Authors}, {"architecture", a.Architecture}} {
		if strings.TrimSpace(f.text) == "" {
			return fmt.Errorf("%w: %s is empty", ErrAbout, f.key)
		}
	}
	if a.ForwardPasses < 1 {
		return fmt.Errorf("%w: number_forward_passes is %d (allowed: 1 or more)", ErrAbout, a.ForwardPasses)
	}
	if a.Reported != nil {
		if _, err := readPercent(*a.Reported, 100); err != nil {
			return fmt.Errorf("%w: reported is %w", ErrAbout, err)
		}
	}
	return nil
}

// file is the JSON of a model, its keys in the leaderboard's order.
type file struct {
	Link           string  `json:"link"`
	Name           string  `json:"name"`
	Authors        string  `json:"authors"`
	AdditionalData bool    `json:"additional_data"`
	ForwardPasses  int     `json:"number_forward_passes"`
	Dataset        string  `json:"dataset"`
	Venue          string  `json:"venue"`
	Architecture   string  `json:"architecture"`
	Eps            *string `json:"eps"` // null: there is no attack
	Clean          string  `json:"clean_acc"`
	Reported       *string `json:"reported"`
	Footnote       *string `json:"footnote,omitempty"`
	Corruptions    string  `json:"corruptions_acc"`
	MCE            string  `json:"corruptions_mce,omitempty"`
	// Of the three-dimensional corruptions, which this program does not have.
	Corruptions3D string `json:"corruptions_acc_3d,omitempty"`
	MCE3D         string `json:"corruptions_mce_3d,omitempty"`
}

func (e *Entry) file() file {
	a := &e.About
	f := file{
		Link: a.Link, Name: a.Name, Authors: a.Authors, AdditionalData: a.AdditionalData, ForwardPasses: a.ForwardPasses,
		Dataset: e.Dataset, Venue: a.Venue, Architecture: a.Architecture, Clean: percent(e.Clean), Reported: a.Reported,
		Corruptions: percent(e.Cells.mean()),
	}
	if a.Footnote != "" {
		f.Footnote = &a.Footnote
	}
	if e.Dataset == "imagenet" {
		f.MCE = percent(e.MCE)
	}
	return f
}

// encode is a file of two spaces' indent, as the leaderboard's are.
func (f *file) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(f)
	return b.Bytes(), err
}

// isID reports whether a name can be that of a file.
func isID(id string) bool {
	return id != "" && id[0] != '.' && !strings.ContainsAny(id, `/\:*?"<>|,`) && !slices.ContainsFunc([]byte(id), func(c byte) bool { return c < ' ' })
}
