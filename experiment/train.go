package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
	"github.com/augmix-go/augmix/mixset"
	"github.com/augmix-go/augmix/recipe"
	"github.com/augmix-go/augmix/train"
	"github.com/augmix-go/augmix/transform"
)

// Train trains one network: it opens what a configuration names and calls [train.Run].
type Train struct {
	Config train.Config
	Dir    string `json:"-"` // folder of the run
	Name   string // of the model in results; empty: as in train.Options
	Resume bool   `json:"-"` // resume from Dir's last checkpoint; without one the run begins
	Extend bool   `json:"-"` // with Resume: Config.Epochs may be more than the run had, see train.Extension
	MLflow string `json:"-"` // folder of an MLflow file store that records the run too; empty: none

	// Asked are keys that are refused where nothing looks at their values, see [train.Config.CheckEffect]; a run that is resumed has
	// the configuration that it had. Other keys may be those of a recipe for several methods.
	Asked []string `json:"-"`

	// Recipe and Method say where Config comes from, for messages.
	Recipe string `json:"-"`
	Method string `json:"-"`

	Versions map[string]string                `json:"-"` // of results
	Log      func(format string, args ...any) `json:"-"` // is told what was chosen by itself; nil: nobody listens
	Say      func(format string, args ...any) `json:"-"` // is told what people should know of the data; nil: nobody listens

	OnBegin     func(*train.Plan)          `json:"-"` // as those of train.Options
	OnStep      func(*train.Step)          `json:"-"`
	OnEpoch     func(*train.Epoch)         `json:"-"`
	OnVisualize func(*train.Visualization) `json:"-"`
}

// NoValidation is the Config.Val of a run that validates nothing.
const NoValidation = "none"

// Resolve returns the configuration with what Run chooses by itself: the parts of data sets, the validation data, the mixing
// set. Nothing is trained.
func (t *Train) Resolve(ctx context.Context) (train.Config, error) {
	s, err := t.open(ctx)
	if err != nil {
		return t.Config, err
	}
	s.close()
	return s.config, nil
}

// Run trains. The error is that of package train, wraps [ErrOption], or is what opening the data failed with. When ctx is
// canceled it is the cause of ctx, and Run with Resume continues.
func (t *Train) Run(ctx context.Context) (train.Result, error) {
	if err := t.checkArgs(); err != nil {
		return train.Result{}, err
	}
	s, err := t.open(ctx)
	if err != nil {
		return train.Result{}, err
	}
	defer s.close()
	text, err := recipe.Marshal(&s.config)
	if err != nil {
		return train.Result{}, err
	}
	record := &mlflowRun{store: t.MLflow, dir: t.Dir, resume: t.Resume, say: t.Say}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o := train.Options{
		Dir: t.Dir, Name: t.Name, Dataset: s.dataset(), Resume: t.Resume, Train: s.train, Val: s.val, Outliers: s.outliers,
		Extend: t.Extend, Versions: t.Versions, OnStep: t.OnStep, OnVisualize: t.OnVisualize,
		OnEpoch: func(e *train.Epoch) {
			record.epoch(e)
			if t.OnEpoch != nil {
				t.OnEpoch(e)
			}
		},
		Records: map[string][]byte{generate.ArgsName: trainArgs(text, nil)},
	}
	images := t.madeWith(&s.config)
	o.TrainedOn = images.marks
	var rewritten error
	o.OnBegin = func(p *train.Plan) {
		if p.StartEpoch+p.StartInEpoch == 0 { // a run that is resumed has the marks that it began with
			images.say(t.Say, s.config.Data)
			if file, err := train.WeightsOf(s.config.Weights); err == nil {
				sayOutdated(t.Say, file)
			}
			if name := generate.SoftLabels(s.config.Data); name != "" {
				logf(t.Say, "%s: soft labels (%s) are not read; the label of each image counts", s.config.Data, filepath.Base(name))
			}
		}
		if p.Extending {
			rewritten = data.WriteFileAtomic(filepath.Join(t.Dir, generate.ArgsName), trainArgs(text, p.Extended))
		}
		if err := record.begin(p.Name, t.Versions["augmix"], &s.config, p.StartEpoch); err != nil {
			stop(err) // before the first step
		}
		if t.OnBegin != nil {
			t.OnBegin(p)
		}
	}
	if s.mixset != nil {
		o.MixingSet = s.mixset
	}
	o.Styles, o.Network = s.mixing.Styles, s.mixing.Network
	res, err := train.Run(inner, s.config, o)
	if err1 := record.end(ctx, err); err == nil {
		err = errors.Join(err1, rewritten)
	}
	return res, err
}

// checkArgs refuses a folder whose args.yaml is not that of a training. A run that is there has its own.
func (t *Train) checkArgs() error {
	if _, err := os.Stat(filepath.Join(t.Dir, train.LastName)); err == nil {
		return nil
	}
	return checkArgs(t.Dir, t.Dir, "train")
}

// trainArgs is the args.yaml of a training. It says when the run was extended: its recipe alone may train other weights.
func trainArgs(recipe []byte, extended []train.Extension) []byte {
	head := generate.ArgsHead("train", "the recipe as it was resolved")
	for _, e := range extended {
		head += fmt.Sprintf("# extended after %d steps, before which it had %d epochs\n", e.At, e.From)
	}
	return append([]byte(head), recipe...)
}

// sources are what a run reads.
type sources struct {
	config               train.Config // resolved
	train, val, outliers data.Source
	mixset               *mixset.Set // nil: none
	mixing               mix.Options // the networks of the augmentation
}

func (s *sources) close() {
	for _, src := range []data.Source{s.train, s.val, s.outliers} {
		if src != nil {
			_ = src.Close()
		}
	}
	if s.mixset != nil {
		_ = s.mixset.Close()
	}
}

// open opens everything that the configuration names.
func (t *Train) open(ctx context.Context) (s *sources, err error) {
	s = &sources{config: t.Config}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	c := &s.config
	if err := c.Missing(); err != nil {
		return s, err
	}
	if err := errors.Join(c.CheckWeights(), storage.CheckLocal(t.Dir), storage.CheckLocal(t.MLflow)); err != nil {
		return s, err
	}
	if err := checkRereads(c); err != nil {
		return s, err
	}
	if err := t.openData(s); err != nil {
		return s, err
	}
	t.sayRemarks(s)
	if err := c.Check(); err != nil {
		return s, err
	}
	s.train = data.Limit(s.train, c.Limit)
	if err := t.checkAsked(s); err != nil {
		return s, err
	}
	if c.Outliers != "" {
		if s.outliers, _, err = formats.OpenSplit(c.Outliers, formats.Options{Unlabeled: true}, "train"); err != nil {
			return s, err
		}
	}
	if err := s.openNetworks(ctx); err != nil {
		return s, err
	}
	return s, s.openMixset(ctx)
}

// checkRereads refuses data that can be read once only.
func checkRereads(c *train.Config) error {
	if slices.Contains([]string{c.Data, c.Val, c.Outliers}, formats.Standard) {
		return fmt.Errorf("%w: training reads its data more than once: standard input will not do", ErrOption)
	}
	return nil
}

// sayRemarks says what there is to know of the training and of the validation data.
func (t *Train) sayRemarks(s *sources) {
	info := s.train.Info()
	sayRemarks(t.Say, s.config.Data, &info)
	if s.val != nil && s.config.Val != s.config.Data {
		info = s.val.Info()
		sayRemarks(t.Say, s.config.Val, &info)
	}
}

// checkAsked refuses what was asked for and has no effect.
func (t *Train) checkAsked(s *sources) error {
	if t.Resume {
		return nil
	}
	c := s.config
	if s.val == nil && c.ValFraction == 0 {
		c.Val = NoValidation
	}
	if err := c.CheckEffect(t.Asked...); err != nil {
		return err
	}
	return t.checkParts(&c)
}

// checkParts refuses parts that were asked for of data sets that have none.
func (t *Train) checkParts(c *train.Config) error {
	o, err := c.Input()
	for _, p := range []struct{ key, path, split string }{{"split", c.Data, c.Split}, {"val-split", c.Val, c.ValSplit}} {
		if err == nil && slices.Contains(t.Asked, p.key) {
			o.Split = p.split
			err = formats.CheckPart(p.path, o, p.key)
		}
	}
	return err
}

// openData opens the training and the validation data and writes into the configuration which parts they are.
func (t *Train) openData(s *sources) (err error) {
	c := &s.config
	o, err := c.Input()
	asked := c.ValSplit
	if err != nil {
		return err
	}
	if s.train, c.Split, err = formats.OpenSplit(c.Data, o, "train"); err != nil {
		return err
	}
	if c.Split != o.Split && c.Split != "train" { // the only part there is
		logf(t.Say, "%s: taking %s", c.Data, formats.PartName(c.Data, c.Split))
	}
	o.Only, o.Without, o.Labels = c.ValOnly, c.ValWithout, c.ValLabels
	if err := t.openValidation(s, o); err != nil {
		return err
	}
	if err := t.checkApart(s); err != nil {
		return err
	}
	t.sayTrainedOn(s)
	switch {
	case s.val == nil:
	case c.ValSplit == "test":
		logf(t.Say, "%s: validating on the test part: best.safetensors is chosen by it, and better on it than on other images", c.Val)
	case c.ValSplit != asked:
		logf(t.Say, "%s: validating on the %s part", c.Val, c.ValSplit)
	}
	t.sayCrop(s)
	return nil
}

// checkApart refuses a folder of the run in the data, which would have it for a class the next time.
func (t *Train) checkApart(s *sources) error {
	err := generate.CheckFolderApart(t.Dir, s.config.Data, s.train.Info().Format)
	if err == nil && s.val != nil {
		err = generate.CheckFolderApart(t.Dir, s.config.Val, s.val.Info().Format)
	}
	return err
}

// sayTrainedOn says where what validates is what is trained on, of which every network gets better with every epoch.
func (t *Train) sayTrainedOn(s *sources) {
	c := &s.config
	if s.val == nil || c.Split != c.ValSplit || len(c.Only)+len(c.Without)+len(c.ValOnly)+len(c.ValWithout) > 0 {
		return
	}
	same := c.Val == c.Data
	if trained, err := data.Glance(s.train); err == nil && !same && trained != "" { // else the training tells of the files
		val, err := data.Glance(s.val)
		same = err == nil && val == trained
	}
	if same {
		logf(t.Say, "note: %s: validating on the training data itself, which tells nothing of other images", c.Val)
	}
}

// sayCrop says where validation sees the middle of larger images alone, which training on random parts of them does not.
func (t *Train) sayCrop(s *sources) {
	c := &s.config
	src, path := s.val, c.Val
	if c.ValFraction > 0 {
		src, path = s.train, c.Data
	}
	crop, err := transform.ParseCrop(c.Crop)
	if err != nil || crop.Kind == transform.NoCrop || c.Size > 0 || c.ValSize > 0 {
		return
	}
	if _, ok := src.(data.Indexed); !ok { // nothing validates, or looking at the first image would take it away
		return
	}
	if w, h, err := data.FirstSize(src); err == nil && min(w, h) > crop.N { // training tells of a first image that cannot be read
		logf(t.Say, "%s: validation takes the middle %dx%[2]d pixels of images of %dx%d; with %v they are resized first", path,
			crop.N, w, h, option.Key("val-size"))
	}
}

// openValidation opens what validates: Val, or the part of Data that is there for it, its test part where there is no other.
func (t *Train) openValidation(s *sources, o formats.Options) (err error) {
	c := &s.config
	switch o.Split = c.ValSplit; {
	case c.Val == NoValidation || c.ValFraction > 0: // Check refuses a Val beside the fraction
	case c.Val != "":
		s.val, c.ValSplit, err = formats.OpenSplit(c.Val, o, formats.Validation()...)
	case c.Split == "train" && c.ValSplit != "":
		if s.val, err = formats.Open(c.Data, o); err == nil {
			c.Val = c.Data
		}
	case c.Split == "train":
		src, part, err := formats.OpenPart(c.Data, o, formats.Validation()...)
		if err != nil {
			logf(t.Log, "no validation: %v", err)
			return nil
		}
		s.val, c.Val, c.ValSplit = src, c.Data, part
	}
	return err
}

// dataset is what results call the data: as an evaluation of the validation data does.
func (s *sources) dataset() string {
	src, path := s.val, s.config.Val
	if src == nil {
		src, path = s.train, s.config.Data
	}
	side, _ := s.largerSide() // training tells of a first image that cannot be read
	return datasetName(src.Info(), path, side)
}

// openNetworks opens the networks that the augmentation runs. What was chosen is written into the configuration.
func (s *sources) openNetworks(ctx context.Context) error {
	c := &s.config
	m, err := mix.ParseSpec(c.Mix)
	if err != nil {
		return err
	}
	n := Networks{StyleFiles: StyleFiles{c.Styles, c.StyleWeights}, Network: c.Network}
	err = n.Open(ctx, &s.mixing, c.Workers, m)
	c.Styles = n.Styles
	return err
}

// openMixset opens the mixing set where the augmentation needs one that training does not make itself. What was chosen is
// written into the configuration.
func (s *sources) openMixset(ctx context.Context) error {
	c := &s.config
	m, err := mix.ParseSpec(c.Mix)
	if err != nil || !m.NeedsMixingSet() {
		return err
	}
	n, iterative, err := train.ParseIterative(c.Mixset)
	if err != nil {
		return err
	}
	if iterative {
		c.Mixset = fmt.Sprintf("%s-n%d", train.IterativeFVis, n)
		return nil
	}
	size, err := s.mixsetSize()
	if err != nil {
		return err
	}
	s.mixset, err = OpenMixset(ctx, c.Mixset, mixset.Options{Size: size, Workers: c.Workers})
	if err == nil {
		c.Mixset = s.mixset.String()
	}
	return err
}

// mixsetSize returns the size that the mixing set is made for. It goes on by reflection where images without a crop are larger.
func (s *sources) mixsetSize() (int, error) {
	size, err := s.largerSide()
	if s.config.Crop == "" && s.config.Size == 0 {
		size = min(size, mixset.MaxSize)
	}
	return size, err
}

// largerSide returns that of the training images: of all with a crop, else of what is made of the first.
func (s *sources) largerSide() (int, error) {
	c := &s.config
	if crop, err := transform.ParseCrop(c.Crop); err != nil || crop.Kind != transform.NoCrop {
		return crop.N, err
	}
	o, err := c.Input()
	if err != nil {
		return 0, err
	}
	again, err := formats.Open(c.Data, o)
	if err != nil {
		return 0, err
	}
	defer again.Close()
	w, h, err := data.FirstSize(again)
	if err != nil {
		return 0, err
	}
	return max(c.ImageSize(w, h)), nil
}

// OpenMixset opens a mixing set, the default one for "", for images that may be smaller than any that sets are made for. The error wraps
// [ErrOption] for a wrong spec, or is that of package mixset.
func OpenMixset(ctx context.Context, spec string, o mixset.Options) (*mixset.Set, error) {
	if spec == "" {
		spec = mixset.Default
	}
	o.Size = max(o.Size, mixset.MinSize)
	set, err := mixset.Open(ctx, spec, o)
	if errors.Is(err, mixset.ErrSpec) {
		err = option.Errorf(ErrOption, "{mixset}: %s: %w", spec, err)
	}
	return set, err
}

// sayRemarks says what there is to know of the data at path.
func sayRemarks(say func(string, ...any), path string, info *data.Info) {
	for _, remark := range info.Remarks() {
		logf(say, "%s: %s", path, remark)
	}
}

// sayOutdated says where a file of weights is not what its run has come to.
func sayOutdated(say func(string, ...any), file string) {
	if why := train.Outdated(file); why != "" {
		logf(say, "note: %s: %s", file, why)
	}
}

func logf(log func(string, ...any), format string, args ...any) {
	if log != nil {
		log(format, args...)
	}
}
