package experiment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/sheet"
	"github.com/augmix-go/augmix/transform"
)

// grid gives the page the first images of the first classes of a data set, by the group of their keys.
func (s *Sheet) grid(ctx context.Context, page *sheet.Sheet) error {
	if len(s.In) != 1 || !s.alone() {
		return option.Errorf(ErrOption, "{group-by}: it shows one data set, as it is (allowed: one input and nothing else to show)")
	}
	if _, err := s.mixing(nil); err != nil {
		return err
	}
	groups, err := transform.ParseGroups(s.GroupBy, s.Seed)
	if err != nil {
		return option.Errorf(ErrOption, "{group-by}: %w", err)
	}
	src, err := s.open(s.In[0])
	if err != nil {
		return err
	}
	g, err := s.classesByGroup(ctx, src, groups)
	if err = errors.Join(err, src.Close()); err != nil {
		return err
	}
	g.Title = "Classes by group"
	g.Doc = fmt.Sprintf("The first images of each class, of each group of keys that %s finds.", s.GroupBy)
	page.Grid = g
	return nil
}

// classesByGroup reads the images of a grid: Samples rows for each of the first Count classes.
func (s *Sheet) classesByGroup(ctx context.Context, src data.Source, groups *transform.Groups) (*sheet.Grid, error) {
	rows := max(s.Samples, 1)
	names := src.Info().Classes
	var classes []int
	images := map[string][][]*raster.Image{} // by group and class, in the order of their samples
	var sample data.Sample
	for {
		switch err := src.Next(&sample); {
		case err == io.EOF:
			return s.asGrid(names, classes, images), nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		}
		group, err := groups.Of(sample.Key)
		if err != nil {
			return nil, option.Errorf(ErrOption, "{group-by}: %w", err)
		}
		class := slices.Index(classes, sample.Label)
		if class < 0 {
			if len(classes) == s.Count {
				continue
			}
			class = len(classes)
			classes = append(classes, sample.Label)
		}
		for len(images[group]) <= class {
			images[group] = append(images[group], nil)
		}
		if of := &images[group][class]; len(*of) < rows {
			m := new(raster.Image)
			if err := sample.Decode(m); err != nil {
				return nil, err
			}
			*of = append(*of, m)
		}
	}
}

// asGrid puts the images into rows, a class after the other, and columns, the groups in the order of the alphabet.
func (s *Sheet) asGrid(names []string, classes []int, images map[string][][]*raster.Image) *sheet.Grid {
	g := &sheet.Grid{Columns: slices.Sorted(maps.Keys(images))}
	for c, label := range classes {
		for k := range max(s.Samples, 1) {
			row := sheet.GridRow{Images: make([]*raster.Image, len(g.Columns))}
			if k == 0 && label >= 0 && label < len(names) {
				row.Name = strings.ReplaceAll(names[label], "_", " ")
			}
			filled := false
			for j, group := range g.Columns {
				if of := images[group]; c < len(of) && k < len(of[c]) {
					row.Images[j], filled = of[c][k], true
				}
			}
			if filled {
				g.Rows = append(g.Rows, row)
			}
		}
	}
	return g
}
