// Package procedural generates images from a seed alone. Package mixset makes mixing sets of them.
//
// An image is a function of kind, seed, number and side. All random choices come from a stream named by kind, seed and
// number. Arithmetic that reaches a byte is never fused, and elementary functions are those of package internal/detmath
// or polynomials. In iterated maps the last bit of the first step decides everything, so every product there is rounded
// explicitly. The bytes are the same on every architecture and for any number of workers; TestPinnedImages holds
// hashes.
//
// Subjects are drawn and judged at a fixed resolution and then painted at the requested size, so that a number is the
// same subject at every size. Images are painted larger, four times for CIFAR's size and twice for ImageNet's, and
// averaged down; the number of points of a fractal is in proportion to its area.
//
// # Rejected images
//
// Most randomly drawn systems show nothing. An image of the kinds fractals and escape is drawn again until a probe of
// 64 by 64 pixels passes: at least 30 % of it differs from its most common gray level of 32, the levels hold at least
// 2.2 bits, and differences at 4 or more of the 5 scales from 2 to 32 pixels have a root mean square of 0.024 of the
// range from black to white. Points of a chaos game make grain that could be taken for detail; two probes of different
// points are drawn, and differences are measured by the product of the two, in which grain cancels. Escape-time windows
// must also show the edge of the set: 10 to 50 % of the pixels differ from their neighbors, in 9 of 16 blocks, and in
// at most one block three quarters or more do; their colors are looked at only where that holds. Measured
// (TestRejectionRate): 5 systems for each fractal, so four of five are rejected, and 3.4 windows for each escape-time
// image, most of the others by a sixteenth or a quarter of the probe. Where 48 systems or 80 windows all fail, in fewer
// than one of a hundred images, the best of them is taken.
//
// # Speed
//
// BenchmarkFractal: a 256 by 256 color fractal takes 43 to 50 ms of one core on average (37 without folds, 49 with).
// That includes the search, 1.5 million points, a second fractal behind it in one of four images, tone mapping and
// antialiasing of 512 by 512 cells. A point takes 6 to 7 ns without folds and 15 to 20 ns with. The other kinds, in ms
// at sides 36 and 256 (BenchmarkGenerate, on a busy machine): escape 3.2 and 18 (4.2 and 26 with AVX2, 15 and 82 without
// assembly), fractaldb 52 to 63 and 58, deadleaves 1.5 and 7, spectrum 30 and 126, stylegan 8 and 22, mixed 6.5 and 35.
// What was tried:
//
//   - four orbits at once in registers, in image coordinates, their maps chosen from one random word by a table of
//     4096 entries: 6.8 ns a point, where one orbit takes 11.2 and, searching cumulative probabilities, 17.8;
//   - orbits sorted by map where maps have folds: a third less time than one after the other;
//   - counts and colors as four 32-bit fields of two words: two additions for four, and sums that do not depend on
//     the order of points;
//   - brightness by a table that is filled when needed, which saves half of the tone mapping;
//   - testing for the frame without branches, by clamping to a border of cells: no faster, not kept;
//   - escape-time images begun with every fourth point of every fourth row, or every second: of what lies between points
//     whose counts differ by less than a tenth and whose colors by less than 20 of 255, nothing is iterated, which leaves
//     44 % of the points of 512 by 512 and of their steps, and 70 % of those of 144 by 144; a root mean square of 1 of 255
//     away from images of which every point is iterated (TestSurvey);
//   - tests for escape every second or fourth step and for cycles every eighth, cycles within 1e-6 and not 1e-10: 16
//     instructions a step and not 20;
//   - products fused with the sums after them: 8 % less time with AVX-512 and 13 % with AVX2, but 15 % more in plain Go
//     and 15 times as much on processors that have no such instruction, not kept;
//   - cycles within 1e-4: 6 % less time, and colors inside that differ, not kept;
//   - the probe of a window without the trap, or with points left out: no faster, not kept.
package procedural

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/augment"
	"github.com/augmix-go/augmix/internal/suggest"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
)

// ErrKind is returned for a kind that does not exist.
var ErrKind = errors.New("unknown kind of images")

// Version is raised whenever an image of any kind changes. Cache files of another version are made again.
const Version = 2

// Sides of images that [Generator.Generate] makes.
const (
	MinSide = 8
	MaxSide = 4096
)

// Kind is a row of the table of generators.
type Kind struct {
	Name  string
	Doc   string // one line
	Paper string // where it was published

	// stream is the name in the key of the random stream, where that is not Name.
	stream string

	// make returns a painter, which keeps scratch memory from one image to the next.
	make func() painter
	// work returns the side at which an image of a side is painted, before it is made smaller.
	work func(side int) int
	// mix, instead of the two, are the kinds that images are drawn from.
	mix []share
}

// share is a kind and how often it is drawn.
type share struct {
	name string
	n    int
}

// draw returns the kind of an image of k: k itself, or one of those it mixes.
func (k *Kind) draw(r *rng.Rand) *Kind {
	if k.mix == nil {
		return k
	}
	total := 0
	for _, s := range k.mix {
		total += s.n
	}
	at := r.IntN(total)
	for _, s := range k.mix {
		if at -= s.n; at < 0 {
			k, err := ByName(s.name)
			if err != nil {
				panic("procedural: " + err.Error())
			}
			return k
		}
	}
	panic("procedural: shares do not add up")
}

// painter paints one image: all of dst, which is square.
type painter interface {
	paint(dst *raster.Image, r *rng.Rand)
}

// Kinds returns the table.
func Kinds() []Kind { return slices.Clone(table) }

// Names returns the names of the table.
func Names() []string {
	var names []string
	for i := range table {
		names = append(names, table[i].Name)
	}
	return names
}

// ByName returns the row of that name, or an error that wraps [ErrKind] and lists the names there are.
func ByName(name string) (*Kind, error) {
	for i := range table {
		if table[i].Name == name {
			return &table[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %q%s (allowed: %s)", ErrKind, name, suggest.Hint(name, Names()), strings.Join(Names(), ", "))
}

// Generator makes images. It keeps memory from one to the next and serves one goroutine. The zero value is ready.
type Generator struct {
	painters map[string]painter
	work     raster.Image
	resizer  augment.Resizer
}

// Generate makes dst the image of that number: side by side pixels, a function of kind, seed, index and side alone. The
// same number is the same subject at every side. It panics unless side is from [MinSide] to [MaxSide].
func (g *Generator) Generate(dst *raster.Image, kind *Kind, seed uint64, index, side int) {
	if side < MinSide || side > MaxSide {
		panic(fmt.Sprintf("procedural: side %d (allowed: %d to %d)", side, MinSide, MaxSide))
	}
	r := rng.NewKey(seed).Str("mixset").Str(cmp.Or(kind.stream, kind.Name)).Uint(uint64(index)).Rand()
	kind = kind.draw(&r)
	p := g.painters[kind.Name]
	if p == nil {
		if g.painters == nil {
			g.painters = map[string]painter{}
		}
		p = kind.make()
		g.painters[kind.Name] = p
	}
	work := kind.work(side)
	if work == side {
		dst.Reset(side, side)
		p.paint(dst, &r)
		return
	}
	g.work.Reset(work, work)
	p.paint(&g.work, &r)
	filter := augment.Bilinear
	if work%side == 0 {
		filter = augment.Box
	}
	g.resizer.Resize(dst, &g.work, side, side, filter)
}
