package eval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/records"
	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/results"
)

// ExampleStore keeps images that a model classifies rightly when clean and wrongly when corrupted: a few of each
// corruption, in the folder examples of a run directory, for looking at. A nil ExampleStore keeps none.
//
// The images of a corruption are those of the middle one of its severities (3 of 1 to 5), where people still see what
// is shown. The most confident mistakes are looked at, eight for each image to keep, of those whose clean image is
// classified rightly; where the clean set was not measured that is found out by looking, so that fewer may be left. Of
// these the ones are kept whose image, and then whose class, the store shows least so far, the more confident ones
// first; ties go by the order of the data set. So they are confident mistakes over many classes and not a random
// sample, and the same run chooses the same.
//
// They are found by what a [Recorder] kept of each prediction, after the corruption has been measured, and made again
// then: no image is kept in memory for it. Images of a form on disk are paired with the clean set's by their order;
// a form in another order gives none. Images are as they are before the model's own preprocessing, PNG up to 64
// pixels and JPEG above, and made to fit 320 pixels.
type ExampleStore struct {
	dir  string // of the run
	each int    // images of a corruption
	list []results.Example
}

const (
	// candidatesEach is how many mistakes are looked at for each one that is kept.
	candidatesEach = 8
	// exampleLossless is the longest side of images that are kept as PNG; larger ones are JPEG, about a fifth of it.
	exampleLossless = 64
	// exampleSide is the longest side of a kept image; larger ones, of which ten crops can be cut, are made smaller.
	exampleSide = 320
	// exampleQuality is the quality of JPEG.
	exampleQuality = 90
)

// OpenExamples reads the examples of an earlier run in dir, if there are any, to resume them. each is how many
// images of a corruption are kept. Errors are those of results.ReadExamples.
func OpenExamples(dir string, each int) (*ExampleStore, error) {
	list, err := results.ReadExamples(dir)
	if err != nil {
		return nil, err
	}
	return &ExampleStore{dir: dir, each: each, list: list}, nil
}

// examples keeps images of one corruption, given its row. After a measurement (fresh) they replace those of an
// earlier one. Otherwise only what is missing is made, and only where the records say for certain that there is
// something to keep, so that a run that has everything reads nothing.
func (e *Evaluator) examples(ctx context.Context, c *CorruptionSuite, base results.Row, fresh bool) error {
	g := e.Examples
	if g == nil || g.each < 1 || e.Records == nil || c.Open == nil || c.disk != nil && c.disk.part {
		return nil
	}
	severities := c.severities()
	base.Severity = severities[(len(severities)-1)/2]
	said := e.Records.samples[cellOf(base, base.Severity)]
	clean := e.Records.samples[cellOf(e.base(e.Dataset, nil), 0)]
	if said == nil || clean != nil && clean.N() != said.N() { // of another set: nothing to pair
		return nil
	}
	rows := mistakes(said, clean, g.each*candidatesEach)
	if !fresh && (clean == nil || g.count(base) >= min(g.each, len(rows))) {
		return nil
	}
	var flips []flip
	if len(rows) > 0 {
		var err error
		flips, err = e.flips(ctx, c, base, rows)
		if !fresh && errors.Is(err, fs.ErrNotExist) { // measured once, not there any more
			return nil
		}
		if err != nil {
			return fmt.Errorf("example images: %w", err)
		}
	}
	return g.put(base, flips)
}

// mistakes returns the rows of the most confident mistakes, at most n, in order of confidence; only of images that
// are classified rightly when clean, where that is known.
func mistakes(said, clean *records.Samples, n int) []int {
	var rows []int
	for i, rank := range said.Rank {
		if rank != 1 && (clean == nil || clean.Rank[i] == 1) {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(said.Confidence[b], said.Confidence[a]) })
	return rows[:min(n, len(rows))]
}

// flip is an image, clean and corrupted, on which the prediction changed.
type flip struct{ clean, corrupted *look }

// look is what the model says of one image.
type look struct {
	key         string
	label, pred int
	name, said  string // of the classes label and pred
	conf        float64
	image       raster.Image
}

// flips looks at the images of the given rows and returns those that flipped, in the same order.
func (e *Evaluator) flips(ctx context.Context, c *CorruptionSuite, base results.Row, rows []int) ([]flip, error) {
	src, err := c.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	prepare := c.Prepare
	prepare.Whole = image.Point{} // of the form alone
	if c.Dir == "" {
		prepare = Prepare{Size: c.Plan.Size, Filter: c.Plan.Filter, Crop: c.Plan.Crop}
	}
	clean, err := e.looks(ctx, job{source: data.Limit(src, e.Limit), expander: prepare.expander}, Form{Suite: suiteExamples}, rows)
	if err != nil {
		return nil, err
	}
	j, err := e.jobAt(c, base.Corruption, base.Severity)
	if err != nil {
		return nil, err
	}
	defer j.source.Close()
	corrupted, err := e.looks(ctx, j, Form{suiteExamples, base.Corruption, base.Severity}, rows)
	if err != nil {
		return nil, err
	}
	names := src.Info().Classes
	var out []flip
	for _, row := range rows {
		a, b := clean[row], corrupted[row]
		if a.label != b.label || !sameImage(a.key, b.key, c) {
			return nil, nil // the form has an order of its own
		}
		if a.pred != a.label || b.pred == b.label {
			continue
		}
		a.name, a.said, b.said = className(names, a.label), className(names, a.pred), className(names, b.pred)
		out = append(out, flip{a, b})
	}
	return out, nil
}

// sameImage reports whether keys do not contradict that two images of the same row are forms of one. Published
// arrays have numbers instead of keys; folders and shards may have a class's folder more.
func sameImage(clean, corrupted string, c *CorruptionSuite) bool {
	if _, err := strconv.Atoi(corrupted); err == nil && c.Dir != "" {
		return true
	}
	return clean == corrupted || strings.HasSuffix(clean, "/"+corrupted) || strings.HasSuffix(corrupted, "/"+clean)
}

// jobAt is the pass over what is looked at of a corrupted form at one severity. Its source is to be closed.
func (e *Evaluator) jobAt(c *CorruptionSuite, name string, severity float64) (j job, err error) {
	if c.Dir != "" {
		j.expander = c.Prepare.expander
		src, err := c.open(name, severity)
		if err == nil {
			j.source = c.disk.limit(c.place(name, severity), src, e.Limit)
		}
		return j, err
	}
	plan := c.Plan
	plan.Names, plan.Severities = []string{name}, []float64{severity}
	j.expander, j.jpeg, j.seed = plan.Transform, c.JPEG, c.Seed
	src, err := c.Open()
	if err == nil {
		j.source = data.Limit(src, e.Limit)
	}
	return j, err
}

// looks sends the given rows of the job's source to the model and returns what it says of each, by row.
func (e *Evaluator) looks(ctx context.Context, j job, form Form, rows []int) (map[int]*look, error) {
	sorted := slices.Sorted(slices.Values(rows))
	out := map[int]*look{}
	s := e.streamOf(len(rows), func(t *part, logits []float32) error {
		o, err := metrics.Score(t.row, logits, metrics.NoLabel)
		if err != nil {
			return fmt.Errorf("%s: %w", t.key, err)
		}
		l := out[sorted[t.row]]
		l.key, l.label, l.pred, l.conf = t.key, t.label, o.Pred, o.Conf
		return nil
	})
	s.shown(form, nil)
	s.seen = func(t *part, m *raster.Image) {
		l := new(look)
		shrink(&l.image, m)
		out[sorted[t.row]] = l
	}
	j.source, j.workers = data.Select(j.source, sorted), e.Workers
	if _, err := j.run(ctx, s); err != nil {
		return nil, err
	}
	if len(out) != len(rows) {
		return nil, fmt.Errorf("%w: %d of %d images are there", data.ErrFormat, len(out), len(rows))
	}
	return out, nil
}

// shrink copies an image, made to fit exampleSide.
func shrink(dst, src *raster.Image) {
	if long := max(src.W, src.H); long > exampleSide {
		var z augment.Resizer
		z.Resize(dst, src, max(src.W*exampleSide/long, 1), max(src.H*exampleSide/long, 1), augment.Bilinear)
		return
	}
	dst.CopyFrom(src)
}

// count is how many examples there are of the corruption of a row.
func (g *ExampleStore) count(base results.Row) int {
	n := 0
	for i := range g.list {
		if sameCorruption(&g.list[i], &base) {
			n++
		}
	}
	return n
}

// sameImages reports whether an example shows an image of the clean set behind a row.
func sameImages(e *results.Example, r *results.Row) bool {
	return e.Model == r.Model && results.SampleSet(e.Dataset) == results.SampleSet(r.Dataset) && e.View == r.View
}

func sameCorruption(e *results.Example, r *results.Row) bool {
	return sameImages(e, r) && e.Dataset == r.Dataset && e.Corruption == r.Corruption
}

// put chooses among what flipped under a corruption, given its row, and keeps that in place of what was there.
func (g *ExampleStore) put(base results.Row, flips []flip) error {
	list := slices.DeleteFunc(slices.Clone(g.list), func(e results.Example) bool { return sameCorruption(&e, &base) })
	for n := 0; n < g.each && len(flips) > 0; n++ {
		best := leastShown(list, base, flips)
		example, err := g.keep(base, &flips[best])
		if err != nil {
			return err
		}
		list = append(list, example)
		flips = slices.Delete(flips, best, best+1)
	}
	if slices.Equal(list, g.list) {
		return nil
	}
	if err := results.WriteExamples(g.dir, list); err != nil {
		return err
	}
	g.list = list
	return g.sweep()
}

// leastShown returns the first of the flips whose image, and then whose class, the examples of the same images show
// least.
func leastShown(list []results.Example, base results.Row, flips []flip) int {
	images, classes := map[string]int{}, map[string]int{}
	for i := range list {
		if e := &list[i]; sameImages(e, &base) {
			images[e.Key]++
			classes[e.Label]++
		}
	}
	best := 0
	for i := range flips {
		a, b := flips[i].clean, flips[best].clean
		if cmp.Or(cmp.Compare(images[a.key], images[b.key]), cmp.Compare(classes[a.name], classes[b.name])) < 0 {
			best = i
		}
	}
	return best
}

// keep writes the images of an example.
func (g *ExampleStore) keep(base results.Row, f *flip) (results.Example, error) {
	e := results.Example{
		Model: base.Model, Dataset: base.Dataset, Corruption: base.Corruption, Severity: base.Severity, View: base.View,
		Key: f.clean.key, Label: f.clean.name, CleanPred: f.clean.said, CleanConf: f.clean.conf,
		Pred: f.corrupted.said, Conf: f.corrupted.conf,
	}
	var err error
	if e.Image, err = g.write(fmt.Sprintf("%s-%v", base.Corruption, base.Severity), &f.corrupted.image); err != nil {
		return e, err
	}
	e.Clean, err = g.write("clean", &f.clean.image)
	return e, err
}

// className returns the name of a class, or its number where it has none.
func className(names []string, class int) string {
	if class < len(names) {
		return names[class]
	}
	return strconv.Itoa(class)
}

// write writes an image unless it is there: names end in a hash of the file.
func (g *ExampleStore) write(stem string, m *raster.Image) (name string, err error) {
	stem = notInName.ReplaceAllString(stem, "_")
	code := data.Encoding{JPEG: max(m.W, m.H) > exampleLossless, Quality: exampleQuality, Level: data.LevelBest}
	file, err := code.Append(nil, m)
	if err != nil {
		return "", err
	}
	hash := sha256.Sum256(file)
	name = fmt.Sprintf("%s-%x%s", stem, hash[:6], code.Ext())
	path := filepath.Join(g.folder(), name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	if err := os.MkdirAll(g.folder(), 0o777); err != nil {
		return "", err
	}
	return name, data.WriteFileAtomic(path, file)
}

func (g *ExampleStore) folder() string {
	return filepath.Dir(filepath.Join(g.dir, filepath.FromSlash(results.ExamplesName)))
}

// ownName matches the names that write gives, notInName what they do not hold.
var (
	ownName   = regexp.MustCompile(`^[a-z0-9_-]+-[0-9a-f]{12}\.(png|jpg)$`)
	notInName = regexp.MustCompile(`[^a-z0-9_-]`)
)

// sweep removes images that no example shows any more.
func (g *ExampleStore) sweep() error {
	shown := map[string]bool{}
	for i := range g.list {
		shown[g.list[i].Image], shown[g.list[i].Clean] = true, true
	}
	files, err := os.ReadDir(g.folder())
	if err != nil {
		return err
	}
	for _, f := range files {
		if name := f.Name(); !shown[name] && ownName.MatchString(name) {
			if err := os.Remove(filepath.Join(g.folder(), name)); err != nil {
				return err
			}
		}
	}
	return nil
}
