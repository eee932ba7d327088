package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/figure"
)

// Formats of figures.
const (
	FigurePDF = string(figure.PDF) // vectors, with its letters embedded: for LaTeX
	FigureSVG = string(figure.SVG)
	FigurePNG = string(figure.PNG) // 192 pixels an inch
)

// FigureOptions says how figures are written.
type FigureOptions struct {
	Format   string  // pdf, svg or png
	Untitled bool    // leave the title to the caption of the paper
	Width    float64 // of each figure in points, 100 to 2000, such as 240 for a column of a paper; 0: as on the page
}

func (o *FigureOptions) check() error {
	switch o.Format {
	case FigurePDF, FigureSVG, FigurePNG:
	default:
		return fmt.Errorf("%w: figures as %q (allowed: pdf, svg, png)", ErrOption, o.Format)
	}
	if o.Width != 0 && !(o.Width >= 100 && o.Width <= 2000) {
		return fmt.Errorf("%w: figures of %g points (allowed: 100 to 2000)", ErrOption, o.Width)
	}
	return nil
}

// figures calls f with every figure.
func (r *Report) figures(f func(*Figure)) {
	for _, s := range r.Sections {
		for _, b := range s.Blocks {
			if b.Figure != nil {
				f(b.Figure)
			}
		}
	}
}

// WriteFigure writes one figure by its name. The error wraps [ErrName] or [ErrOption], or is that of w.
func (r *Report) WriteFigure(w io.Writer, name string, opt FigureOptions) error {
	if err := opt.check(); err != nil {
		return err
	}
	found := r.find(name, r.Figures())
	if found != nil {
		return found
	}
	var err error
	r.figures(func(f *Figure) {
		if f.ID == name {
			err = f.write(w, &opt)
		}
	})
	return err
}

func (f *Figure) write(w io.Writer, opt *FigureOptions) error {
	return figure.Write(w, f.Chart, figure.Format(opt.Format), figure.Options{Title: !opt.Untitled, Width: opt.Width})
}

// WriteFigures writes every figure, or those of some names, into a directory, which it makes if it is not there, and returns
// the names of the files: NAME.pdf and so on, in the order of the report. The error wraps [ErrName], [ErrOption] or [ErrEmpty].
func (r *Report) WriteFigures(dir string, opt FigureOptions, names ...string) ([]string, error) {
	if err := storage.CheckLocal(dir); err != nil {
		return nil, err
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, name := range names {
		if err := r.find(name, r.Figures()); err != nil {
			return nil, err
		}
		wanted[name] = true
	}
	var files []string
	var err error
	r.figures(func(f *Figure) {
		if err != nil || len(names) > 0 && !wanted[f.ID] {
			return
		}
		if len(files) == 0 {
			if err = os.MkdirAll(dir, 0o755); err != nil {
				return
			}
		}
		name := f.ID + "." + opt.Format
		if err = storage.WriteAtomic(filepath.Join(dir, name), func(w io.Writer) error { return f.write(w, &opt) }); err == nil {
			files = append(files, name)
		}
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%w: no figure: the rows have single numbers only", ErrEmpty)
	}
	return files, err
}
