package data

import (
	"fmt"
	"math"
	"strings"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// Reading says how samples become images where there is a choice. The zero value is the default.
type Reading struct {
	// Gray keeps gray images gray: what is made of a sample of one channel is written as one channel. Between, it is an image
	// of three equal channels; what has colored it is turned into luma (raster.Image.SetLuma), as MedMNIST-C was made.
	Gray bool
	// Window makes gray levels of images of more than 8 bits: PNG and TIFF files of 16 bits a channel, arrays of other types than uint8.
	// Images of 8 bits are taken as they are. Without it 16-bit gray and such arrays are an ErrWindow; 16-bit color keeps its high bytes.
	Window *Window
	// Opaque refuses image files with a pixel that is not opaque, in PNG, WebP and TIFF. Otherwise transparency is dropped: the stored
	// colors stay.
	Opaque bool
	// KeepAlpha keeps alpha channels: what is made of a sample that has one is written with it, resized, cropped and flipped as the
	// image and otherwise as it was, by outputs of PNG files; others refuse the sample. Operations, mixes and corruptions see the colors alone.
	KeepAlpha bool
}

// String says in words what differs from the default: "gray, window 0:4095".
func (r Reading) String() string {
	var parts []string
	if r.Gray {
		parts = append(parts, "gray")
	}
	if r.Window != nil {
		parts = append(parts, "window "+r.Window.String())
	}
	if r.Opaque {
		parts = append(parts, "opaque")
	}
	if r.KeepAlpha {
		parts = append(parts, "with alpha")
	}
	return strings.Join(parts, ", ")
}

// Window says which values are black and white.
type Window = imagefile.Window

// ParseWindow reads "LO:HI", such as 0:4095.
func ParseWindow(s string) (Window, error) { return imagefile.ParseWindow(s) }

// Of returns src with samples that are read so. It keeps what src is, [Indexed] and [Describer]. Closing it closes src.
func (r Reading) Of(src Source) Source {
	if r == (Reading{}) {
		return src
	}
	n := math.MaxInt
	if all, ok := src.(Indexed); ok {
		n = all.Len()
	}
	return subsetOf(src, subset{n: n, known: src.Info().Len, at: func(i int) int { return i }, reading: &r})
}

// KeepsGray reports whether what is made of the sample is to be written as one channel: it has one, and its Reading says so.
func (s *Sample) KeepsGray() bool {
	if s.Reading == nil || !s.Reading.Gray {
		return false
	}
	if s.Form == Encoded {
		info, err := imagefile.Inspect(s.Data)
		return err == nil && info.Gray
	}
	return s.Form == GrayForm
}

// grayReading is how channels are read.
var grayReading = &Reading{Gray: true}

// Channel makes dst channel i, from 0, of a sample of the form Channels: a gray image that stays gray, under the same key.
func (s *Sample) Channel(i int, dst *Sample) {
	pixels := dst.Data
	*dst = *s
	n := s.W * s.H
	dst.Form, dst.C, dst.Reading, dst.Data = GrayForm, 0, grayReading, append(pixels[:0], s.Data[i*n:][:n]...)
}

// KeepsAlpha reports whether what is made of the sample is to be written with its alpha channel: it has one, and its Reading says so.
func (s *Sample) KeepsAlpha() bool { return s.Reading != nil && s.Reading.KeepAlpha && s.HasAlpha() }

// CheckOpaque returns an error for an image with an alpha channel, for the kinds of output that cannot hold one; kind names them.
func CheckOpaque(m *raster.Image, kind string) error {
	if err := imagefile.CheckOpaque(m, kind); err != nil {
		return decodeError(err)
	}
	return nil
}

// CheckJPEG returns an error for an image that a JPEG file cannot hold: with a side above 65500, or with an alpha channel.
func CheckJPEG(m *raster.Image) error {
	if err := imagefile.CheckJPEG(m); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return nil
}

// HasAlpha reports whether the sample is a PNG, WebP or TIFF file with an alpha channel or a transparent color, which decoding drops.
func (s *Sample) HasAlpha() bool {
	if s.Form != Encoded || imagefile.Sniff(s.Data) == "jpeg" {
		return false
	}
	info, err := imagefile.Inspect(s.Data)
	return err == nil && info.Alpha
}
