// Command figures writes docs/robustness.html, from which the README's first figure is made: corruptions of the built-in
// image above the errors of eight networks, from docs/results.md. Render it with a browser at twice the size:
//
//	go run ./tools/figures > robustness.html
//	chromium --headless --hide-scrollbars --force-device-scale-factor=2 --window-size=880,490 --screenshot=docs/robustness.png robustness.html
//
// With a folder it writes sheet.png and corruptions.png there, contact sheets of images of 224 pixels, shown at half of that:
//
//	go run ./tools/figures docs
package main

import (
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/draw"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/raster"
	"github.com/augmix-go/augmix/rng"
	"github.com/augmix-go/augmix/sheet"
)

// tile is the side of an image in pixels, of which the page shows half.
const tile = 168

// method is one row of docs/results.md: errors on CIFAR-10 and CIFAR-10-C in percent, with the interval of the latter.
type method struct {
	name                 string
	clean, error, lo, hi float64
}

var methods = []method{
	{"standard", 18.3, 37.3, 35.6, 39.1},
	{"Cutout", 22.0, 35.3, 33.4, 37.2},
	{"Mixup", 32.8, 42.5, 40.4, 44.5},
	{"CutMix", 20.8, 40.7, 39.1, 42.5},
	{"AutoAugment*", 19.4, 38.5, 37.0, 40.3},
	{"AugMix, no JSD", 19.2, 30.6, 28.8, 32.6},
	{"AugMix", 21.1, 27.0, 24.9, 29.2},
	{"PixMix", 23.6, 31.8, 29.8, 33.9},
}

// corruptions are those of the strip, at severity 3.
var corruptions = []string{
	"gaussian_noise", "defocus_blur", "zoom_blur", "snow", "frost", "fog", "contrast", "pixelate", "jpeg_compression",
}

func main() {
	log.SetFlags(0)
	if len(os.Args) > 1 {
		if err := sheets(os.Args[1]); err != nil {
			log.Fatal("figures: ", err)
		}
		return
	}
	tiles, err := strip()
	if err != nil {
		log.Fatal("figures: ", err)
	}
	fmt.Printf(page, tiles, bars())
}

// sheets writes the contact sheets of the documentation.
func sheets(dir string) error {
	const side = 224
	pics := []sheet.Image{{Name: "the built-in image", Image: sheet.Scene(2*side, 2*side)}}
	for name, s := range map[string]sheet.Sheet{
		"sheet.png": {Images: pics, Side: side}, "corruptions.png": {Images: pics, Side: side, Corruptions: true},
	} {
		m, err := s.Draw()
		if err != nil {
			return err
		}
		small := image.NewRGBA(image.Rect(0, 0, m.Rect.Dx()/2, m.Rect.Dy()/2))
		draw.CatmullRom.Scale(small, small.Rect, m, m.Rect, draw.Src, nil)
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		e := png.Encoder{CompressionLevel: png.BestCompression}
		if err := e.Encode(f, small); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// strip returns the tiles as HTML.
func strip() (string, error) {
	src := sheet.Scene(tile, tile)
	var b strings.Builder
	if err := figure(&b, src, "clean"); err != nil {
		return "", err
	}
	var dst raster.Image
	var s corrupt.Scratch
	for i, name := range corruptions {
		c, err := corrupt.ByName(name)
		if err != nil {
			return "", err
		}
		if err := c.Apply(&dst, src, 3, rng.New(uint64(i)), &s); err != nil {
			return "", err
		}
		if err := figure(&b, &dst, strings.ReplaceAll(name, "_", " ")); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func figure(b *strings.Builder, m *raster.Image, caption string) error {
	b.WriteString(`<figure><img src="data:image/png;base64,`)
	w := base64.NewEncoder(base64.StdEncoding, b)
	if err := png.Encode(w, m.RGBA()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(b, `"><figcaption>%s</figcaption></figure>`, caption)
	return err
}

// bars returns the chart as SVG: ten pixels for each percent.
func bars() string {
	const left, row, scale, top = 128, 30, 14.0, 26
	var b strings.Builder
	for v := 0; v <= 40; v += 10 {
		x := left + scale*float64(v)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%d" y2="%d" class="grid"/><text x="%g" y="%d" class="tick">%d %%</text>`,
			x, x, top-6, top+row*len(methods), x, top-12, v)
	}
	for i, m := range methods {
		y := float64(top + row*i + 4)
		class := "bar"
		if strings.HasSuffix(m.name, "Mix") && m.name != "CutMix" {
			class = "bar strong"
		}
		fmt.Fprintf(&b, `<text x="%d" y="%g" class="name">%s</text>`, left-10, y+16, m.name)
		fmt.Fprintf(&b, `<rect x="%d" y="%g" width="%g" height="22" class="%s"/>`, left, y, scale*m.error, class)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%g" y2="%g" class="whisker"/>`, left+scale*m.lo, left+scale*m.hi, y+11, y+11)
		fmt.Fprintf(&b, `<line x1="%g" x2="%g" y1="%g" y2="%g" class="clean"/>`, left+scale*m.clean, left+scale*m.clean, y-3, y+25)
		fmt.Fprintf(&b, `<text x="%g" y="%g" class="value">%.1f</text>`, left+scale*m.hi+8, y+16, m.error)
	}
	return b.String()
}

// page has places for the tiles and for the chart.
const page = `<!doctype html><meta charset="utf-8"><title>Robustness</title><style>
body { margin: 0; width: 880px; height: 490px; background: #fff; color: #1a1d23; font: 13px "DejaVu Sans", sans-serif; }
h2 { font-size: 15px; margin: 14px 16px 8px; }
h2 small { font-weight: normal; color: #5b6270; font-size: 13px; }
.strip { display: flex; gap: 4px; margin: 0 16px; }
figure { margin: 0; width: 81px; } img { width: 81px; height: 81px; border-radius: 4px; display: block; }
figcaption { font-size: 10px; color: #3c4250; text-align: center; margin-top: 3px; line-height: 1.15; }
svg { display: block; margin: 0 16px; }
.grid { stroke: #e4e7ec; } .tick { fill: #5b6270; font-size: 11px; text-anchor: middle; }
.name { text-anchor: end; font-size: 13px; } .value { font-size: 13px; font-weight: bold; }
.bar { fill: #a9b4c4; } .strong { fill: #1f6fb8; } .whisker { stroke: #20242c; stroke-width: 1.5; }
.clean { stroke: #d1495b; stroke-width: 3; }
.key { margin: 0 16px; color: #3c4250; } .key i { display: inline-block; vertical-align: middle; margin: 0 5px 0 14px; }
</style>
<h2>Severity 3 <small>of nine of the 19 corruptions</small></h2><div class="strip">%s</div>
<h2>Error on CIFAR-10-C <small>one ResNet-20, eight ways to train it, eight epochs each</small></h2>
<svg width="848" height="272" viewBox="0 0 848 272">%s</svg>
<p class="key"><i style="width:12px;height:12px;background:#a9b4c4;margin:0 0 0 112px"></i><i style="width:12px;height:12px;background:#1f6fb8;margin-left:2px"></i>corrupted images, with the 95 %% interval
<i style="width:3px;height:16px;background:#d1495b"></i>clean images</p>
`
