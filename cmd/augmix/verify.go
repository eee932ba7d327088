package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/progress"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/robustbench"
)

// errDamaged: verification found damage, which was listed.
var errDamaged = errors.New("damaged")

// errUnfinished: a run that began the output has not come to its end.
var errUnfinished = errors.New("unfinished")

// verifyCmd checks a data set.
type verifyCmd struct {
	Path   string `arg:"" name:"PATH" help:"Output of this program, or any data set."`
	Decode bool   `help:"Decode every sample even where a manifest is."`

	MaskLabels string `placeholder:"LIST" help:"Of annotated images: the values that masks of classes may hold, such as 0-20,255; without, any."`
	input
	workers
}

// Help is the end of "augmix verify --help".
func (verifyCmd) Help() string {
	return `WHAT IT CHECKS
  Where there is a manifest (PATH/manifest.json, PATH.manifest.json, PATH/epoch-*/manifest.json), every
  file is hashed again: missing, changed and additional files are listed. Where all parts of a run by
  shards are there (augmix corrupt --shard), in PATH or in one of its epochs, they are put together
  first. Without a manifest, or with --decode, every sample is read and decoded, of an output of
  corruptions or epochs in each of its data sets; flags of what is read need this. Samples without a
  label among others that have one are damage too. Damage is exit status 1, and so is an output that a
  run has begun and not completed.
  Annotations in the layouts of COCO, YOLO, Pascal VOC and Cityscapes are then compared with their
  images: images that are missing, also from lists of them, other sizes, boxes outside of the image,
  unknown categories and classes, masks of another size, and values of masks that --mask-labels does
  not list.
  A folder with model_info, such as a checkout of RobustBench, is no data set: its files of common
  corruptions are checked, their keys, types and ranges, and the means of their accuracies.

EXAMPLES
  augmix verify CIFAR-10-C
  augmix verify photos --decode --json
  augmix verify leaderboard
  augmix verify VOCdevkit --mask-labels 0-20,255`
}

// verifyResult is the JSON form.
type verifyResult struct {
	Path    string           `json:"path"`
	How     string           `json:"how"` // "manifest", "decode", "robustbench", or "journal" of an unfinished output
	OK      bool             `json:"ok"`
	Files   int              `json:"files,omitempty"`
	Bytes   int64            `json:"bytes,omitempty"`
	Samples int              `json:"samples,omitempty"`
	Damage  *generate.Damage `json:"damage,omitempty"`
	Bad     []data.Rejected  `json:"bad,omitempty"`
	Models  int              `json:"models,omitempty"` // of a leaderboard

	Annotations []*annotated.Problem `json:"annotations,omitempty"`
}

// Run checks.
func (c *verifyCmd) Run(ctx *kong.Context, a *app) error {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	results, err := c.check(ctx, a)
	if err != nil {
		return err
	}
	var v any = results
	if len(results) == 1 {
		v = results[0]
	}
	if err := a.print(v, func(w io.Writer) { printVerify(w, results) }); err != nil {
		return err
	}
	for _, r := range results {
		if !r.OK {
			return r.err()
		}
	}
	return nil
}

// err is the error of what is not as it is to be.
func (r *verifyResult) err() error {
	if r.How != journalCheck {
		return fmt.Errorf("%s is %w", r.Path, errDamaged)
	}
	return fmt.Errorf("%s is %w: it has no %s (the command that began it goes on when it is given again, and starts over with --force)",
		r.Path, errUnfinished, generate.ManifestName)
}

// journalCheck is how an unfinished output is found.
const journalCheck = "journal"

// check checks whatever lies at the path.
func (c *verifyCmd) check(ctx *kong.Context, a *app) (results []verifyResult, err error) {
	decodes := append(inputFlags(ctx), "mask-labels")
	if st, err := os.Stat(filepath.Join(c.Path, "model_info")); err == nil && st.IsDir() {
		if err := checkIdle(ctx, effect{append(decodes, "decode"), false, "a data set"}); err != nil {
			return nil, err
		}
		r, err := c.leaderboard()
		return []verifyResult{r}, err
	}
	if err := c.join(a); err != nil {
		return nil, err
	}
	for _, p := range generate.Unfinished(c.Path) {
		results = append(results, verifyResult{Path: p.Path, How: journalCheck})
	}
	outputs := generate.Outputs(c.Path)
	if (len(outputs) == 0 || c.Decode) && len(results) > 0 {
		return results, nil
	}
	if len(outputs) == 0 || c.Decode {
		return c.decodeAll(ctx, a)
	}
	if err := checkIdle(ctx, effect{decodes, false, "--decode where a manifest is"}); err != nil {
		return nil, err
	}
	for _, p := range outputs {
		d, err := generate.Verify(a.ctx, p, c.Workers)
		if err != nil {
			return nil, err
		}
		results = append(results, verifyResult{
			Path: p.Path, How: "manifest", OK: d.OK(), Files: d.Files, Bytes: d.Bytes, Damage: d,
		})
	}
	return results, nil
}

// leaderboard checks files of RobustBench.
func (c *verifyCmd) leaderboard() (verifyResult, error) {
	models, problems, err := robustbench.Check(c.Path)
	if err == nil && models == 0 {
		err = fmt.Errorf("%s has no models of common corruptions (model_info/DATASET/corruptions/*.json)", c.Path)
	}
	r := verifyResult{Path: c.Path, How: "robustbench", OK: len(problems) == 0, Models: models}
	for _, p := range problems {
		r.Bad = append(r.Bad, data.Rejected{Name: p.File, Reason: p.What})
	}
	return r, err
}

// join puts the parts together that runs by shards left at the path.
func (c *verifyCmd) join(a *app) error {
	if _, err := storage.Stat(c.Path); storage.Failed(err) {
		return err // once, and not for everything that could be there
	}
	return generate.JoinAll(a.ctx, c.Path, c.Workers, func(p generate.Output, m *generate.Manifest) {
		a.say("%s: put together %s", p.Path, amounts(m.Samples, m.Items))
	})
}

// decodeAll decodes the data set at the path, or each of those in an output that is none itself.
func (c *verifyCmd) decodeAll(ctx *kong.Context, a *app) (results []verifyResult, err error) {
	sets := formats.Sets(c.Path)
	if len(sets) == 0 || c.Labels != "" {
		sets = []string{c.Path}
	}
	for _, c.Path = range sets {
		r, err := c.decode(ctx, a)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// decode reads and decodes every sample.
func (c *verifyCmd) decode(ctx *kong.Context, a *app) (verifyResult, error) {
	r := verifyResult{Path: c.Path, How: "decode"}
	src, err := c.open(a, c.Path)
	if err != nil {
		return r, err
	}
	defer src.Close()
	if err := checkIdle(ctx, effect{[]string{"mask-labels"}, src.Info().Format == annotated.Name, "annotated images"}); err != nil {
		return r, err
	}
	tellIgnored(a, src.Info())
	bar := a.bar("verify", progress.Images, src.Info().Len, 0)
	defer bar.Stop()
	r.Samples, r.Bad, err = data.Check(a.ctx, src, c.Workers, bar.Set)
	if err == nil && r.Samples == 0 {
		err = fmt.Errorf("%s has no samples to verify", c.Path)
	}
	if err == nil && src.Info().Format == annotated.Name {
		bar.Stop()
		r.Annotations, err = c.annotations(a)
	}
	r.OK = len(r.Bad) == 0 && len(r.Annotations) == 0
	return r, err
}

// annotations compares the annotations of a tree with its images.
func (c *verifyCmd) annotations(a *app) ([]*annotated.Problem, error) {
	ids, err := parseLabels(c.MaskLabels)
	if err != nil {
		return nil, err
	}
	t, err := annotated.Open(c.Path, c.Images)
	if err != nil {
		return nil, err
	}
	list, err := t.Annotations(ids)
	if err != nil {
		return nil, err
	}
	bar := a.bar("annotations", progress.Images, len(t.Images), 0)
	defer bar.Stop()
	return list.Verify(a.ctx, c.Workers, bar.Set)
}

// parseLabels reads a list of numbers and ranges, nil for none.
func parseLabels(list string) (ids []int, err error) {
	if list == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(list, ",") {
		lo, hi, isRange := strings.Cut(item, "-")
		if !isRange {
			hi = lo
		}
		from, err1 := strconv.ParseUint(lo, 10, 16)
		to, err2 := strconv.ParseUint(hi, 10, 16)
		if err1 != nil || err2 != nil || from > to {
			return nil, usagef("--mask-labels %s (allowed: numbers from 0 to 65535 and ranges of them, such as 0-20,255)", list)
		}
		for id := from; id <= to; id++ {
			ids = append(ids, int(id))
		}
	}
	return ids, nil
}

func printVerify(w io.Writer, results []verifyResult) {
	for _, r := range results {
		if d := r.Damage; d != nil {
			for _, l := range []struct {
				what  string
				names []string
			}{{"missing", d.Missing}, {"changed", d.Changed}, {"not listed", d.Extra}} {
				for _, name := range l.names {
					fmt.Fprintf(w, "%s: %s\n", l.what, terminal.OneLine(name))
				}
			}
		}
		for _, p := range r.Annotations {
			fmt.Fprintf(w, "annotation: %s\n", terminal.OneLine(p.Error()))
		}
		for _, b := range r.Bad {
			fmt.Fprintf(w, "bad: %s: %s\n", terminal.OneLine(b.Name), terminal.OneLine(b.Reason))
		}
		verdict := "damaged"
		if r.OK {
			verdict = "good"
		}
		switch r.How {
		case journalCheck:
			fmt.Fprintf(w, "%s: unfinished\n", terminal.OneLine(r.Path))
		case "manifest":
			fmt.Fprintf(w, "%s: %s (%s, %s, by the manifest)\n", terminal.OneLine(r.Path), verdict, terminal.Count(r.Files, "file"),
				progress.Size(r.Bytes))
		case "robustbench":
			fmt.Fprintf(w, "%s: %s (%s)\n", terminal.OneLine(r.Path), verdict, terminal.Count(r.Models, "model"))
		default:
			fmt.Fprintf(w, "%s: %s (%s decoded)\n", terminal.OneLine(r.Path), verdict, terminal.Count(r.Samples, "sample"))
		}
	}
}
