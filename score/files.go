package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/metrics"
	"github.com/augmix-go/augmix/predictions"
	"github.com/augmix-go/augmix/results"
)

// What files do not say and nobody else did, for errors to be told apart.
var (
	// ErrNoLabels: the true classes of images.
	ErrNoLabels = errors.New("no labels")
	// ErrNoFrames: how many frames a video has.
	ErrNoFrames = errors.New("the number of frames is not known")
	// ErrNoDataset: which data set images are of.
	ErrNoDataset = errors.New("the data set is not known")
	// ErrForm: the data set is called as a -C or -P form is, and there are no corruptions.
	ErrForm = errors.New("name of a form")
	// ErrNoSeverity: of which severity the images of a corruption are.
	ErrNoSeverity = errors.New("the severity is not known")
)

// Files say where saved predictions lie and how they are read. The zero value but for Path reads files that say
// everything themselves.
type Files struct {
	Path   string             // a file, or a folder of a benchmark
	Layout predictions.Layout // empty is predictions.Auto
	Kind   predictions.Kind
	Labels *predictions.Labels // true classes; nil: those in the files, beside them or in the folder
	// OOD are the files of out-of-distribution images, to be told from those of Path, which is one file. Sets are called
	// after their files; labels in them are not looked at.
	OOD    []string
	Frames int // of a video, where arrays do not say it
	// Ensemble are the files or folders of other models for the same images, in the layout of Path: what is scored is the
	// mean of the probabilities of all.
	Ensemble []string
	// Clean is a file of the clean images of a folder of corruptions that has none in it.
	Clean string
	// Severity, from 1, is that of files and arrays with as many rows as there are labels: one severity of a corruption in
	// place of all five. 0: there are none.
	Severity int
	Workers  int // goroutines; 0: all cores. No number depends on it.
}

// Score reads the predictions of one model and scores them. Options.Model is by default the name of the file or folder,
// and Options.Dataset what [Saved] says, or that of the published data set with so many classes or with the names of the files; a note says
// so. The error wraps [ErrNoLabels], [ErrNoFrames], [ErrNoSeverity], [ErrNoDataset] or [ErrForm] where these have to be said, metrics.ErrNotComputable for
// a question without a meaning, or one of packages predictions and metrics; it names the file. It is a [*LayoutError] for a field
// that the files have no use for.
func (f Files) Score(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if f.Layout == "" {
		f.Layout = predictions.Auto
	}
	if f.Workers <= 0 {
		f.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Metrics.Workers == 0 {
		o.Metrics.Workers = f.Workers
	}
	set, err := find(f.Path, f.Layout, &o)
	if err == nil && f.Clean != "" {
		err = set.AddClean(f.Clean)
	}
	if err != nil {
		return nil, err
	}
	if err := f.fits(set.Layout, &o); err != nil {
		return nil, err
	}
	if len(f.OOD)*len(f.Ensemble) > 0 {
		return nil, fmt.Errorf("%w: out-of-distribution sets of an ensemble (allowed: of one model)", ErrOption)
	}
	others, err := f.others(set, &o)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Frames < 0:
		return nil, fmt.Errorf("%w: %d frames (allowed: 2 and up, 0 for what the files say)", ErrOption, f.Frames)
	case f.Severity < 0 || f.Severity > severities:
		return nil, fmt.Errorf("%w: severity %d (allowed: 1 to %d, 0 for what the files say)", ErrOption, f.Severity, severities)
	}
	f.name(&o)
	if form := formOf(f.Path); form != "" && set.Layout == predictions.Single {
		return nil, fmt.Errorf("%w: %s is of one corruption or perturbation, and rows of one file are of clean images (allowed: the folder %s)",
			ErrOption, f.Path, form)
	}
	r := &Result{Model: o.Model, Dataset: o.Dataset, Path: strings.Join(append([]string{f.Path}, f.Ensemble...), ", "), Layout: set.Layout, options: o}
	read := &reading{ctx: ctx, files: &f, result: r, others: others}
	if set.Layout == predictions.Single {
		return r, read.single(&set.Parts[0])
	}
	return r, read.benchmark(set)
}

// name names the model, and what an evaluation saved by what its folder says. That are logits, whatever they look like.
func (f *Files) name(o *Options) {
	if s, _ := savedAt(f.Path); s != nil {
		o.Dataset = cmp.Or(o.Dataset, s.Dataset)
		if f.Kind == predictions.Unknown {
			f.Kind = predictions.Logits
		}
	}
	if o.Model != "" {
		return
	}
	o.Model = modelOf(f.Path)
	for _, path := range f.Ensemble {
		o.Model += " + " + modelOf(path)
	}
}

// modelOf returns the name of the model whose predictions lie at a path.
func modelOf(path string) string {
	if _, model := savedAt(path); model != "" {
		return model
	}
	return results.ModelName(path)
}

// find finds the files of a model, of sequences those of the difficulty.
func find(path string, layout predictions.Layout, o *Options) (*predictions.Set, error) {
	set, err := predictions.Find(path, layout)
	if err == nil && set.Layout == predictions.P {
		err = set.Choose(o.difficulty())
	}
	return set, err
}

// reading reads the files of one model.
type reading struct {
	ctx    context.Context
	files  *Files
	result *Result
	others []*predictions.Set // of Files.Ensemble
}

// labelsOf returns the labels of a part: those that were given, beside the file, or of the folder, in this order.
func (r *reading) labelsOf(p *predictions.Part, folder *predictions.Labels) (*predictions.Labels, error) {
	switch {
	case r.files.Labels != nil:
		return r.files.Labels, nil
	case p.Labels != "":
		return predictions.ReadLabels(p.Labels)
	}
	return folder, nil
}

// single scores one file, and the out-of-distribution ones beside it.
func (r *reading) single(p *predictions.Part) error {
	labels, err := r.labelsOf(p, nil)
	if err != nil {
		return err
	}
	m := r.result
	if m.options.Baseline.required() {
		return fmt.Errorf("%w: a baseline with one file (it divides errors of corruptions; a folder of them is needed)",
			metrics.ErrNotComputable)
	}
	if results.IsForm(m.Dataset) {
		return fmt.Errorf("%w: %s, and %s has no corruptions (allowed: the name of what its images are of, such as %s; of a form, a folder or "+
			"an archive with the corruptions by name)", ErrForm, m.Dataset, p, results.Base(m.Dataset))
	}
	cell, err := r.cell("", 0)
	if err != nil {
		return err
	}
	m.cells = []*Cell{cell}
	j := &fileJob{
		part: p, options: predictions.Options{
			Kind: r.files.Kind, Labels: labels, Predicted: len(r.files.OOD) == 0, With: r.with(p),
		}, cells: m.cells, ood: len(r.files.OOD) > 0,
	}
	about, err := r.read(j)
	if err != nil {
		return err
	}
	m.Kind, m.Classes = about.kind, about.classes
	if m.Dataset == "" {
		if m.Dataset = results.ByClasses(about.atLeast); m.Dataset == "" {
			m.Dataset = "own" // beside which nothing published is set
		} else {
			m.guessed("its " + classesOf(m.Kind, about.atLeast))
		}
	} else {
		m.otherClasses(about.classes)
	}
	sets, err := r.oodSets()
	if err != nil {
		return err
	}
	m.sets = sets
	return m.take(sets)
}

// cell returns an empty cell of the options.
func (r *reading) cell(corruption string, severity float64) (*Cell, error) {
	o := &r.result.options
	c, err := NewCell(corruption, severity, o.bins())
	if err == nil {
		c.Keep = o.keep()
		if o.PerClass && corruption == "" {
			c.ByClass = &Classes{}
		}
	}
	return c, err
}

// oodSets reads the out-of-distribution files.
func (r *reading) oodSets() ([]oodSet, error) {
	m := r.result
	var sets []oodSet
	for _, path := range r.files.OOD {
		cell, err := r.cell("", 0)
		if err != nil {
			return nil, err
		}
		set := oodSet{results.ModelName(path), cell}
		if slices.ContainsFunc(sets, func(s oodSet) bool { return s.name == set.name }) {
			return nil, fmt.Errorf("%w: two out-of-distribution sets called %s", ErrOption, set.name)
		}
		about, err := r.read(&fileJob{
			part: &predictions.Part{Path: path}, options: predictions.Options{Kind: m.Kind, Unlabeled: true}, cells: []*Cell{cell}, ood: true,
		})
		if err != nil {
			return nil, err
		}
		if err := m.sameForm(path, about, m.Path); err != nil {
			return nil, err
		}
		was, is := m.cells[0].origin.view, cell.origin.view
		if is.Part, is.Limit = was.Part, was.Limit; is != was { // how many there are of a set is its own
			return nil, otherViews(path, is, m.Path, was)
		}
		sets = append(sets, set)
	}
	if len(sets) > 0 && m.Kind == predictions.Probs {
		m.Notes = addNote(m.Notes, "max_logit, energy and xent_uniform need logits; these are probabilities")
	}
	return sets, nil
}

// sameForm refuses a file of other classes, or of another kind, than the one before.
func (r *Result) sameForm(path string, about about, before string) error {
	if about.classes == r.Classes && (about.kind == r.Kind || about.kind == predictions.Classes) {
		return nil
	}
	return fmt.Errorf("%w: %s has %s of %d classes, %s has %s of %d", metrics.ErrLength, path, about.kind, about.classes,
		before, r.Kind, r.Classes)
}

// benchmark scores a folder.
func (r *reading) benchmark(set *predictions.Set) error {
	m := r.result
	kind := metrics.CorruptionKind
	if set.Layout == predictions.P {
		kind = metrics.PerturbationKind
	}
	names, err := r.names(set, kind)
	if err != nil {
		return err
	}
	var folder *predictions.Labels
	if set.Labels != "" && set.Layout != predictions.P {
		if folder, err = predictions.ReadLabels(set.Labels); err != nil {
			return err
		}
	}
	atLeast, used := 0, r.files.Severity == 0
	for i := range set.Parts {
		p := &set.Parts[i]
		cells, about, err := r.part(set.Layout, p, folder)
		if err != nil {
			return err
		}
		if i == 0 {
			m.Kind, m.Classes = about.kind, about.classes
		}
		atLeast = max(atLeast, about.atLeast)
		if err := m.sameForm(p.String(), about, set.Parts[0].String()); err != nil {
			return err
		}
		m.cells = append(m.cells, cells...)
		used = used || p.Name != "" && len(cells) == 1
	}
	if !used {
		return fmt.Errorf("%w: severity %d, and all files of %s have %d severities (allowed: files of one)", ErrOption, r.files.Severity,
			m.Path, severities)
	}
	if m.Dataset == "" {
		if m.Dataset = GuessBenchmark(names, atLeast, kind); m.Dataset == "" {
			m.Dataset = "own" + map[metrics.Kind]string{
				metrics.CorruptionKind: results.SuffixC, metrics.PerturbationKind: results.SuffixP,
			}[kind]
		}
		m.guessed("its names and " + classesOf(m.Kind, atLeast))
	} else {
		m.Dataset = benchmarkName(m.Dataset, kind, names)
		m.otherClasses(m.Classes)
	}
	if m.Benchmark, err = BenchmarkOf(m.Dataset, kind, names); err != nil {
		return fmt.Errorf("%w (layout %s)", err, m.Layout)
	}
	if err := m.take(nil); err != nil {
		return fmt.Errorf("%s: %w", m.Path, err)
	}
	return nil
}

// NameDataset ends the note of a data set that was guessed; whoever shows it says how one is named.
const NameDataset = "; if it is another one, name the data set"

// guessed notes by what the data set was guessed.
func (r *Result) guessed(by string) {
	r.Notes = addNote(r.Notes, fmt.Sprintf("taken for %s, by %s%s", r.Dataset, by, NameDataset))
}

// otherClasses notes where the data set is not the published one whose name it has, and says in the rows among how many classes
// predictions are where its makers choose among fewer. Of class numbers, 0 classes, none can tell.
func (r *Result) otherClasses(classes int) {
	if own := results.OwnClasses(r.Dataset); own > 0 && classes > own && r.options.View.Among == 0 {
		r.options.View.Among = classes
		r.Notes = addNote(r.Notes, fmt.Sprintf("predictions are among %d classes; published ones of %s are among its own %d", classes, r.Dataset, own))
	}
	if why := results.OtherClasses(r.Dataset, classes); classes > 0 && why != "" {
		r.Notes = addNote(r.Notes, why)
	}
}

// classesOf says how many classes there are: class numbers show only which occur.
func classesOf(kind predictions.Kind, n int) string {
	if kind == predictions.Classes {
		return fmt.Sprintf("class numbers up to %d", n-1)
	}
	return fmt.Sprintf("%d classes", n)
}

// names returns the names of the parts of a folder. Names of which none is published need the name of a data set: a
// folder of something else is not to be taken for corruptions.
func (r *reading) names(set *predictions.Set, kind metrics.Kind) ([]string, error) {
	var names []string
	seen := map[string]bool{"": true}
	for _, p := range set.Parts {
		if !seen[p.Name] {
			seen[p.Name] = true
			names = append(names, p.Name)
		}
	}
	published := func(p *metrics.Profile) bool { return p.Kind == kind && knownIn(p, names) }
	if r.result.Dataset == "" && !slices.ContainsFunc(metrics.Profiles(), published) {
		return nil, fmt.Errorf("%w: none of %s in %s is a published name of this layout; if they are corruptions of your own, "+
			"name their data set", ErrNoDataset, firstOf(names), r.files.Path)
	}
	return names, nil
}

// firstOf lists names for an error, the first of many.
func firstOf(names []string) string {
	const most = 20
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// part reads one file of a benchmark.
func (r *reading) part(layout predictions.Layout, p *predictions.Part, folder *predictions.Labels) ([]*Cell, about, error) {
	if layout == predictions.P {
		return r.videos(p)
	}
	labels, err := r.labelsOf(p, folder)
	if err != nil {
		return nil, about{}, err
	}
	opt := predictions.Options{Kind: r.files.Kind, Labels: labels, Array: p.Array, Predicted: true, With: r.with(p)}
	list := []int{p.Severity}
	if layout == predictions.CIFARC {
		if list, err = Blocks(p, &opt, r.files.Severity); err != nil {
			return nil, about{}, err
		}
	}
	if labels != nil && len(list) > 1 && len(labels.Values) > opt.Block && period(labels.Values[:opt.Block]) < opt.Block {
		r.result.Notes = addNote(r.result.Notes, fmt.Sprintf("%d rows a file are read as %d severities of %d images, as their labels "+
			"repeat, but they repeat more often than that; if they are of one severity, say which", len(labels.Values), severities, opt.Block))
	}
	var cells []*Cell
	for _, severity := range list {
		c, err := r.cell(p.Name, float64(severity))
		if err != nil {
			return nil, about{}, err
		}
		cells = append(cells, c)
	}
	t, err := r.read(&fileJob{part: p, options: opt, cells: cells})
	return cells, t, err
}

// Blocks returns the severities of a file of the layout cifar-c, one after the other in it, and says in the options how
// long each is and how the labels lie beside it. one is the severity of files with a row a label, 0 if they are not known.
func Blocks(p *predictions.Part, opt *predictions.Options, one int) ([]int, error) {
	labels := opt.Labels
	if p.Name == "" && labels == nil {
		return []int{0}, nil
	}
	rows, err := predictions.Count(p.Path, *opt)
	if err != nil {
		return nil, err
	}
	if p.Name == "" {
		// Clean images beside labels that are there five times.
		if n := len(labels.Values); n == severities*rows {
			opt.Labels = &predictions.Labels{Path: labels.Path, Values: labels.Values[:rows]}
			if labels.IDs != nil {
				opt.Labels.IDs = labels.IDs[:rows]
			}
		}
		return []int{0}, nil
	}
	if labels == nil && one > 0 { // in the file, one a row
		return []int{one}, nil
	}
	if labels != nil && len(labels.Values) == rows && (one > 0 || !repeats(labels.Values)) {
		if one == 0 {
			return nil, fmt.Errorf("%w: %s has a row for each of %d labels, which do not repeat: it is one severity, or "+
				"its severities are not of the same images in the same order", ErrNoSeverity, p, rows)
		}
		return []int{one}, nil
	}
	if rows%severities != 0 {
		return nil, fmt.Errorf("%w: %s has %d rows, not a multiple of %d severities", metrics.ErrLength, p, rows,
			severities)
	}
	opt.Block = rows / severities
	if labels != nil && len(labels.Values) == opt.Block {
		opt.Repeat = severities
	}
	return []int{1, 2, 3, 4, 5}, nil
}

// repeats reports whether labels are those of the same images at each severity.
func repeats(labels []int) bool {
	return len(labels)%severities == 0 && (len(labels)/severities)%period(labels) == 0
}

// period is the least number of labels, of which all are a whole number of times.
func period(labels []int) int {
	// fails[i] is how many labels the first i begin and end with, fewer than i (Knuth, Morris and Pratt 1977).
	fails := make([]int, len(labels)+1)
	for i, n := 1, 0; i < len(labels); i++ {
		for n > 0 && labels[i] != labels[n] {
			n = fails[n]
		}
		if labels[i] == labels[n] {
			n++
		}
		fails[i+1] = n
	}
	if n := len(labels) - fails[len(labels)]; n > 0 && len(labels)%n == 0 {
		return n
	}
	return max(len(labels), 1)
}

// videos reads one file of sequences.
func (r *reading) videos(p *predictions.Part) ([]*Cell, about, error) {
	if p.Name == "" {
		return nil, about{}, fmt.Errorf("%w: %s: clean images are not part of layout p", predictions.ErrLayout, p)
	}
	o := &r.result.options
	c, err := NewSequences(p.Name, o.difficulty(), o.Zipf)
	if err != nil {
		return nil, about{}, err
	}
	t, err := r.read(&fileJob{
		part: p, options: predictions.Options{
			Kind: r.files.Kind, Frames: r.files.Frames, Predicted: true, Array: p.Array, With: r.with(p), Unlabeled: true,
		},
		cells: []*Cell{c}, video: true,
	})
	return []*Cell{c}, t, err
}
