package experiment

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/augmix-go/augmix/eval"
	"github.com/augmix-go/augmix/transform"
)

// medicalProfiles is what the names of the built-in profiles of MedMNIST-C begin with.
const medicalProfiles = "medmnist-c/"

// tellMade tells the suite what the images of a form on disk were made with, where the form is an output of augmix corrupt, whose
// manifest says it: the severities of its arrays, generated ice crystals, parameters that are not the published ones. Those of a
// built-in profile of MedMNIST-C are the published ones of such a set.
func (r *evaluation) tellMade(c *eval.CorruptionSuite) {
	found, err := manifestsOf(c.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		logf(r.Say, "%s: what its images were made with is not known: %v", c.Dir, err)
	}
	for _, m := range found {
		o := m.Options
		if o["command"] != "corrupt" {
			continue
		}
		if held, err := transform.ParseSeverities(o["severity"]); err == nil {
			c.Held = held
		}
		c.GeneratedFrost = o["frost"] != "" && o["frost-dir"] == ""
		if !strings.HasPrefix(o["profile"], medicalProfiles) {
			c.Parameters = o["parameters"]
		}
	}
}
