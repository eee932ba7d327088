package main

import (
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/terminal"
	"github.com/augmix-go/augmix/report"
)

// reportCmd makes a report of runs.
type reportCmd struct {
	Runs []string `arg:"" name:"RUN" help:"Directories of runs (with results.jsonl), or files of rows. Models are compared with the first." yaml:"in"`
	Out  string   `short:"o" placeholder:"OUT" help:"File to write, in place of an earlier one, or - for standard output; for figures a directory, or the file of one." yaml:"-"`

	Format     string `enum:"auto,html,md,latex,csv,pdf,svg,png,robustbench" default:"auto" help:"html, md, latex, csv, figures as pdf, svg or png, robustbench, or auto: by the name of OUT (${default})." yaml:"format"`
	Title      string `placeholder:"TEXT" help:"Title of the report." yaml:"title"`
	Replicates int    `default:"1000" placeholder:"N" help:"Bootstrap replicates of paired differences, 100 to 100000 (${default})." yaml:"replicates"`

	AverageSeeds bool   `help:"Show runs whose training differs in its seed alone as one model, with the means of their numbers." yaml:"average-seeds"`
	Sweep        string `placeholder:"KEY" help:"Draw errors over this option of the trainings, such as lr or augmix-w; by default over every number in which three or more differ that are equal otherwise." yaml:"sweep"`

	Table     []string `placeholder:"NAME" help:"Write this table alone, as md, latex or csv; repeat for more. help lists the names." yaml:"table"`
	Intervals string   `enum:"auto,none,pm,brackets" default:"auto" help:"Intervals of LaTeX tables: none, pm, brackets, or auto: of differences alone (${default})." yaml:"intervals"`
	Published string   `enum:"none,matching,all" default:"matching" help:"Published rows of LaTeX tables: none, matching (at least half of the columns), all (${default})." yaml:"published"`
	Digits    int      `default:"0" placeholder:"N" help:"Digits of percentages in LaTeX tables, 1 to 4; 0: as on the page (${default})." yaml:"digits"`

	Figure   []string `placeholder:"NAME" help:"Write this figure alone; repeat for more. help lists the names." yaml:"figure"`
	Width    float64  `default:"0" placeholder:"PT" help:"Width of figures in points, such as 240 for a column of a paper, 100 to 2000; 0: as on the page (${default})." yaml:"width"`
	Untitled bool     `help:"Leave titles out of figures." yaml:"untitled"`

	ModelInfo string `placeholder:"FILE" help:"For --format robustbench: JSON file of what no measurement knows of the model, see ROBUSTBENCH." yaml:"model-info"`
}

// Help is the end of "augmix report --help".
func (reportCmd) Help() string {
	return `FORMATS
  html   one file: tables that sort and copy (CSV, Markdown, LaTeX), figures, examples. It needs no
         network and no other file, follows the system's light or dark colors, and prints
  md     every table, for GitHub and the like
  latex  every table, for \usepackage{booktabs,graphicx}: of a column's width or of the page's
  csv    every number, one a line: measured, computed from rows, and published; fractions
  pdf, svg, png
         every figure, a file each in the directory OUT: NAME.pdf. png has 192 pixels an inch
  robustbench
         files of RobustBench's leaderboard, see below
  By name: .html .htm .md .tex .csv; .pdf .svg .png with one --figure.

TABLES AND FIGURES
  Each has a name, which is the same in every report of such data: cifar10-c-error, cifar10-safety.
  --table help and --figure help list those of the runs. With --table, md, latex and csv have these
  tables alone. With --width a figure is laid out for that width, with text of 8 points.

A RUN
  A directory with results.jsonl, as augmix score --out, augmix eval and others write it, and
  perhaps args.yaml (shown), records.npz (each prediction: for intervals and paired
  differences), fourier.npy (drawn as a map) and examples/ (images that flipped). Or a file of rows
  alone.

WHAT IS SAID
  Rows of the papers' tables are marked "published", yours "measured". Means that no row carries are
  computed where all of their parts are there, and marked. What is missing is said, and never shown
  as zero. The same runs give the same bytes. Bold is the best measured number of a column and what
  prints the same.
  Differences are against the first model: paired where both runs have records of the same samples,
  else from the rows' intervals as if the samples were different, and marked as such. With records
  of large data sets the bootstrap takes a minute or so; --replicates 200 is faster and rougher.

ROBUSTBENCH
  --format robustbench writes what the leaderboard of common corruptions asks of one model into the
  directory OUT, which may be a checkout of its repository: model_info/DATASET/corruptions/MODEL.json
  and a line of 75 accuracies in unaggregated_results.csv beside it. RUN must have the clean error and
  that of the 15 corruptions at 5 severities, of cifar10, cifar100 or imagenet, one number of each and
  mCE by AlexNet. --model-info has the keys link, name, authors (of the paper), additional_data,
  number_forward_passes, venue, architecture, reported (percent, or null) and perhaps footnote. augmix
  verify OUT checks such files.

EXAMPLES
  augmix report runs/augmix -o report.html
  augmix report runs/standard runs/augmix runs/pixmix -o report.html
  augmix report seed1/standard/eval seed*/*/eval --average-seeds -o report.html
  augmix report results.jsonl -o tables.tex
  augmix report runs/standard runs/augmix --table help
  augmix report runs/standard runs/augmix -o error.tex --table cifar10-c-error --published none
  augmix report runs/standard runs/augmix -o difference.tex --table cifar10-difference-augmix --digits 1
  augmix report runs/augmix --format pdf -o figures --width 240 --untitled
  augmix report runs/augmix -o error.pdf --figure cifar10-c-error --width 490
  augmix report runs/lr-0.05 runs/lr-0.1 --sweep lr -o report.html
  augmix report runs/augmix --format robustbench --model-info info.json -o leaderboard`
}

// reportFormats tells the format by the end of a name.
var reportFormats = map[string]string{
	".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".tex": "latex", ".csv": "csv",
	".pdf": "pdf", ".svg": "svg", ".png": "png",
}

// figureFormats are the formats of figures.
var figureFormats = []string{report.FigurePDF, report.FigureSVG, report.FigurePNG}

// reportResult is the JSON form of what was written.
type reportResult struct {
	Out     string   `json:"out"`
	Format  string   `json:"format"`
	Tables  int      `json:"tables"`
	Figures int      `json:"figures"`
	Numbers int      `json:"numbers,omitempty"` // of the long CSV
	Files   []string `json:"files,omitempty"`   // of figures
	Notes   []string `json:"notes,omitempty"`   // of files for a leaderboard: what the numbers are of; else texts that the format cannot show
}

// apart refuses to write over what is read. In the folder of a run, where reports lie well, that is some of the files.
func (c *reportCmd) apart() error {
	if c.Out == formats.Standard {
		return nil
	}
	reads := []string{c.ModelInfo}
	for _, run := range c.Runs {
		if st, err := storage.Stat(run); err != nil || !st.IsDir() {
			reads = append(reads, run)
			continue
		}
		for _, name := range report.RunFiles() {
			reads = append(reads, storage.Join(run, name))
		}
	}
	return generate.CheckApart(c.Out, reads...)
}

// count notes what a file of the format holds of a report: a page all, figures no tables, and text no figures.
func (r *reportResult) count(rep *report.Report, chosen bool) {
	tables, figures := rep.Count()
	switch {
	case slices.Contains(figureFormats, r.Format):
		r.Figures = figures
	case r.Format == "html":
		r.Tables, r.Figures = tables, figures
	case r.Format == "csv" && !chosen:
		r.Numbers = rep.Numbers()
	case r.Format == "latex":
		r.Tables = rep.CountLaTeX()
	default:
		r.Tables = tables
	}
}

// held says what the file holds.
func (r *reportResult) held() string {
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{r.Tables, "table"}, {r.Figures, "figure"}, {r.Numbers, "number"}} {
		if p.n > 0 {
			parts = append(parts, terminal.Count(p.n, p.unit))
		}
	}
	return strings.Join(parts, ", ")
}

// Run writes the report.
func (c *reportCmd) Run(ctx *kong.Context, a *app) error {
	if lists := slices.Contains(c.Table, "help") || slices.Contains(c.Figure, "help"); lists {
		return c.list(a)
	}
	if a.JSON && c.Out == formats.Standard {
		return usagef("--json with -o -: the report is on standard output (allowed: the name of a file)")
	}
	format, err := c.format(ctx)
	if err = cmp.Or(err, c.apart()); err != nil {
		return err
	}
	if format == formatRobustBench {
		return c.robustBench(a)
	}
	rep, err := c.build(a)
	if err == nil {
		recorded := slices.ContainsFunc(rep.Runs, func(r *report.Run) bool { return r.Records != "" })
		err = checkEffect(ctx, effect{[]string{"replicates"}, recorded, "a run with records.npz"})
	}
	if err != nil {
		return err
	}
	if len(c.Table) > 0 {
		if rep, err = rep.Select(c.Table...); err != nil {
			return usageError{err}
		}
	}
	result := reportResult{Out: c.Out, Format: format}
	result.count(rep, len(c.Table) > 0)
	if a.ctx.Err() != nil {
		return errInterrupted
	}
	isFigure := slices.Contains(figureFormats, format)
	switch {
	case isFigure && reportFormats[strings.ToLower(filepath.Ext(c.Out))] != format:
		result.Files, err = rep.WriteFigures(c.Out, c.figures(format), c.Figure...)
		result.Figures = len(result.Files) // --figure names some
	case isFigure:
		err = c.write(a, func(w io.Writer) error { return rep.WriteFigure(w, c.Figure[0], c.figures(format)) })
		result.Figures = 1
	default:
		err = c.write(a, c.writer(rep, format))
	}
	if errors.Is(err, report.ErrName) || errors.Is(err, report.ErrOption) {
		return usageError{err}
	}
	if err != nil || c.Out == formats.Standard {
		return err
	}
	a.say("%s: %s", c.Out, result.held())
	if texts := rep.Undrawn(format, c.Figure...); len(texts) > 0 {
		note := strings.Join(texts, ", ") + map[bool]string{
			true: ": no letters for this in the fonts of pdf and png (--format svg shows it)", false: ": needs XeLaTeX or LuaLaTeX with a font for it",
		}[isFigure]
		result.Notes = append(result.Notes, note)
		a.say("note: %s", terminal.OneLine(note))
	}
	if !a.JSON {
		return nil
	}
	return a.print(result, func(io.Writer) {})
}

// format returns the format that is asked for, or a usage error for flags that do not go together.
func (c *reportCmd) format(ctx *kong.Context) (string, error) {
	if c.Out == "" {
		return "", usagef("-o is missing: the name of the file to write, such as -o report.html")
	}
	byName := reportFormats[strings.ToLower(filepath.Ext(c.Out))]
	format := c.Format
	if format == "auto" {
		if format = byName; format == "" {
			return "", usagef("-o %s: no format has this name (allowed: .html, .md, .tex, .csv, .pdf, .svg, .png, or --format)", c.Out)
		}
	}
	if err := c.checkRobustBench(ctx, format, byName); err != nil {
		return "", err
	}
	isFigure := slices.Contains(figureFormats, format)
	if err := checkEffect(ctx,
		effect{[]string{"intervals", "published", "digits"}, format == "latex", "LaTeX tables, as in -o FILE.tex"},
		effect{[]string{"width", "untitled"}, isFigure, "figures: --format pdf, svg or png"},
	); err != nil {
		return "", err
	}
	one := isFigure && byName == format
	switch {
	case isFigure && byName != "" && byName != format:
		return "", usagef("-o %s: the name is that of %s (allowed for --format %s: a directory, or .%s with one --figure)", c.Out, byName,
			format, format)
	case isFigure && c.Out == formats.Standard:
		return "", usagef("-o -: %s writes a directory of figures (allowed: the name of a directory)", format)
	case one && len(c.Figure) != 1:
		return "", usagef("-o %s: a file holds one figure (allowed: one --figure NAME; --format %s and a directory for more)", c.Out,
			format)
	case len(c.Figure) > 0 && !isFigure:
		return "", usagef("--figure: %s has no single figures (allowed formats: pdf, svg, png)", format)
	case len(c.Table) > 0 && !slices.Contains([]string{"md", "latex", "csv"}, format):
		return "", usagef("--table: %s has no single tables (allowed formats: md, latex, csv)", format)
	case len(c.Table) > 1 && format == "csv":
		return "", usagef("--table: a CSV file holds one table (allowed: one --table)")
	}
	return format, nil
}

// figures are the options of figures.
func (c *reportCmd) figures(format string) report.FigureOptions {
	return report.FigureOptions{Format: format, Untitled: c.Untitled, Width: c.Width}
}
