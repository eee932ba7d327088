package data

import "github.com/augmix-go/augmix/internal/imagefile"

// ErrLimit: an image file is larger, or takes more memory to decode, than [SetDecodeLimits] allows. The error names both.
var ErrLimit = imagefile.ErrLimit

// DecodeLimits bound what the decoding of image files takes in the whole process, however many goroutines decode: a file
// of a few kilobytes can declare gigabytes. What is already decoded takes four bytes a pixel and is counted where a [Decoder]
// made it.
type DecodeLimits struct {
	// MaxPixels is the largest image accepted, of arrays too, 1 to [raster.MaxPixels]; 0 leaves the default, 2^27.
	MaxPixels int
	// MaxMemory is how many bytes all images in decoding may take together, by estimates from their headers that are
	// never too low, and those that Decoders hold, with what is said to work on them; 0 leaves the default, 6 GiB. An image waits for its share; one that can
	// never get it is refused. Where somebody who holds an image needs a second, the second may exceed the limit.
	MaxMemory int64
}

// SetDecodeLimits sets the limits of the process, for the start of a program. A limit out of its range is an error that
// wraps [ErrLimit] and changes nothing.
func SetDecodeLimits(l DecodeLimits) error {
	set := imagefile.DefaultLimits
	if l.MaxPixels != 0 {
		set.MaxPixels = l.MaxPixels
	}
	if l.MaxMemory != 0 {
		set.MaxMemory = l.MaxMemory
	}
	return imagefile.SetLimits(set)
}

// CurrentDecodeLimits returns the limits of the process.
func CurrentDecodeLimits() DecodeLimits {
	l := imagefile.CurrentLimits()
	return DecodeLimits{MaxPixels: l.MaxPixels, MaxMemory: l.MaxMemory}
}

// CheckSize returns an error that wraps [raster.ErrSize], and ErrLimit where [SetDecodeLimits] allows less, unless an image of w by h pixels
// can be read. A source of arrays calls it on the size that they declare, before it reads them.
func CheckSize(w, h int) error { return imagefile.CheckSize(w, h) }
