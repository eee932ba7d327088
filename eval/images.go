package eval

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/corrupt/cbar"
	"github.com/augmix-go/augmix/corrupt/styletransfer"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/results"
)

// ofImages says in a row how its images were made, in words. An error that wraps [ErrOption] says that results of an earlier
// run, which would be taken for those of the row, are of images that were made in another way.
func (s *Store) ofImages(row *results.Row, how string) error {
	for i := range s.Known {
		was := s.Known[i].Versions[results.VersionImages]
		if was != "" && !madeAlike(was, how) && sameMeasurement(&s.Known[i], row) {
			return fmt.Errorf("%w: the results kept here are of %s, now %s; measure into another folder", ErrOption,
				cmp.Or(place(row), "clean images")+" made otherwise ("+was+")", how)
		}
	}
	versions := map[string]string{results.VersionImages: how}
	maps.Copy(versions, row.Versions)
	row.Versions = versions
	return nil
}

// photographs is how rows say that frost is laid of photographs; a hash of these follows.
const photographs = "photographs of frost"

var hashOfPhotographs = regexp.MustCompile(photographs + ` [0-9a-f]{12}`)

// madeAlike reports whether two rows say the same of their images. Older versions did not say which photographs frost was laid of.
func madeAlike(was, now string) bool {
	if hashOfPhotographs.MatchString(was) != hashOfPhotographs.MatchString(now) {
		was, now = hashOfPhotographs.ReplaceAllString(was, photographs), hashOfPhotographs.ReplaceAllString(now, photographs)
	}
	return was == now
}

// read adds to how images are made how they were read.
func (s *Store) read(how string) string {
	if s.Reading == "" {
		return how
	}
	return how + ", " + s.Reading
}

// place names what a row is of.
func place(row *results.Row) string {
	return strings.TrimSpace(row.Corruption + " " + cmp.Or(row.Attack, row.OOD))
}

// text says what is done, in words that are kept in rows.
func (p Prepare) text() string {
	var parts []string
	if p.Size > 0 {
		parts = append(parts, fmt.Sprintf("size %d %v", p.Size, p.Filter))
	}
	if p.Crop > 0 {
		parts = append(parts, fmt.Sprintf("crop %d", p.Crop))
	}
	return cmp.Or(strings.Join(parts, ", "), "as they are")
}

// text says how images of one corruption are made.
func (c *CorruptionSuite) text(name string) string {
	if c.Dir != "" {
		return c.Prepare.text()
	}
	plan := Prepare{Size: c.Plan.Size, Filter: c.Plan.Filter, Crop: c.Plan.Crop}
	parts := []string{plan.text()}
	if op, err := cbar.ByName(name); err == nil && op.In(c.Plan.Bar) {
		parts = append(parts, "profile "+c.Plan.Bar.String())
	} else {
		parts = append(parts, "profile "+c.Plan.Profile.String())
	}
	if c.Plan.Tables.Has(name) || metrics.OfMedMNISTC(name) {
		parts = append(parts, "parameters "+c.parameters())
	}
	if name == "frost" && c.GeneratedFrost {
		parts = append(parts, "generated ice")
	} else if name == "frost" {
		parts = append(parts, strings.TrimSpace(photographs+" "+c.Plan.Frost.Sum()))
	}
	if name == styletransfer.Name {
		parts = append(parts, c.Styles)
	}
	if c.JPEG.JPEG {
		parts = append(parts, fmt.Sprintf("JPEG %d", c.JPEG.Quality))
	}
	return strings.Join(parts, ", ")
}

// text says how the images of a sequence are made.
func (p *PerturbationSuite) text() string {
	if p.Dir != "" {
		return p.Prepare.text()
	}
	plan := Prepare{Size: p.Plan.Size, Filter: p.Plan.Filter, Crop: p.Plan.Crop}
	return plan.text() + ", profile " + p.Plan.Profile.String()
}

// text says how the test images are made, and those of OOD set i where another filter than the usual one resizes these alone.
func (a *OODSuite) text(i int) string {
	how := a.Prepare.text()
	if p := a.PrepareFolders; i >= len(a.Generated) && a.Prepare.Size == 0 && p.Size > 0 && p.Filter != augment.Bilinear {
		how += fmt.Sprintf(", the others by %v", p.Filter)
	}
	return how
}
