// Package data holds what every data set format agrees on: a [Sample] is one image as it lies in the data set, a [Source]
// yields samples, a [Sink] takes finished images. Formats are packages below this one; they do not know each other and are
// opened by name, or by detection, with package data/formats:
//
//	src, err := formats.Open("cifar-10-batches-bin", formats.Options{Split: "test"})
//	...
//	defer src.Close()
//	var s data.Sample
//	var m raster.Image
//	for src.Next(&s) == nil {
//		err := s.Decode(&m) // and so on
//	}
//
// [Subset], [Slice], [Select] and [Limit] make a Source of a part of another, [Filter] picks by key and class, [Shuffle] changes
// the order, [ClassMap] joins classes; [Scan] and [Check] read all of one on several
// goroutines. Package generate runs samples through a transform into a Sink, durably; packages train and eval read Sources.
package data

import (
	"errors"
	"fmt"

	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// Sentinel errors. Every error a format returns wraps one of these or a file-system error, and names the file and,
// where there is one, the record, row or entry.
var (
	// ErrFormat: the bytes are not what the format says (truncated, corrupt, foreign).
	ErrFormat = errors.New("bad data")
	// ErrUnsupported: a valid file that uses something this project does not read.
	ErrUnsupported = errors.New("unsupported data")
	// ErrSplit: a data set of several parts, train and test, of which none was chosen. It is also an ErrUnsupported.
	ErrSplit = fmt.Errorf("%w: several parts", ErrUnsupported)
	// ErrChannels: an array with another number of channels than three or one, of which none were chosen. It is also an ErrFormat.
	ErrChannels = fmt.Errorf("%w: channels", ErrFormat)
	// ErrSharedKeys: two samples of one key, which may be of different shards. It is also an ErrFormat.
	ErrSharedKeys = fmt.Errorf("%w: the key was used before", ErrFormat)
	// ErrLabel: a label outside the declared classes, or missing where one is needed.
	ErrLabel = errors.New("bad label")
	// ErrFilter: a pattern or a list of classes that is like nothing in the data, or leaves nothing.
	ErrFilter = errors.New("bad choice of samples")
	// ErrWindow: numbers that only a [Window] makes gray levels of, without one or with one that none of them lies in.
	ErrWindow = imagefile.ErrWindow
	// ErrUnsafe: an archive entry or a pickle that tries to reach outside its folder.
	ErrUnsafe = errors.New("unsafe data")
)

// Form says how Sample.Data encodes the image.
type Form uint8

const (
	Encoded  Form = iota // a whole image file: JPEG, PNG, WebP, BMP, GIF, TIFF
	RGB                  // W*H*3 bytes, interleaved (NumPy's HWC)
	Planar               // 3*W*H bytes, the red, green, blue planes (CIFAR's)
	GrayForm             // W*H bytes
	Channels             // C*W*H bytes, planes, each a gray image of its own: see [Sample.Channel]
)

// NoLabel is the Label of a sample without one.
const NoLabel = -1

// Sample is one image of a data set as it lies in the source: not decoded yet, so that reading stays cheap and
// decoding can run in parallel.
type Sample struct {
	Key   string // names the sample in its source, see CheckKey: no file extension, the same wherever the data set lies
	Index int    // position in the source's order, from 0
	Label int    // class number, or NoLabel
	Name  string // for messages: the file and, where there is one, the record or entry
	Ext   string // of an image file in the source, with its dot and as it is written there (".JPEG"); "" for none
	Form  Form
	W, H  int // size in pixels when Form is not Encoded
	C     int // channels when Form is Channels
	// AsStored is set by a source whose annotations are of the pixels as they lie in the file: an EXIF orientation is left alone.
	AsStored bool
	Reading  *Reading // how it becomes an image; nil is the default
	// Multi is a 0 or 1 for each of several labels, of data sets that have such and no Label. It is the source's and not to be changed.
	Multi []uint8
	Data  []byte // owned by the sample: a Source reuses it only when the same Sample is passed again
}

// Info describes a source.
type Info struct {
	Format  string   // table name of the format: "cifar10", "folder", ...
	Classes []string // class names by label; nil when the source has none
	Len     int      // number of samples, or -1 where only reading to the end would say
	Ignored int      // image files that lie there and are no samples: those beside class folders
	Part    string   // of MedMNIST and CIFAR: the part that was opened; "" for all of them
	Note    string   // what whoever uses the labels should know, "" for nothing
	Packed  bool     // it is compressed, and so can only be read from front to end
}

// FrontToEnd says in a message that a source is not [Indexed], and why where that is known.
func (i *Info) FrontToEnd() string {
	why := ""
	if i.Packed {
		why = ", which is compressed,"
	}
	return fmt.Sprintf("data of format %s%s can only be read from front to end", i.Format, why)
}

// Remarks are lines on what a user should know of the data: images that are left out, and what is odd about labels.
func (i *Info) Remarks() []string {
	var lines []string
	if i.Note != "" {
		lines = append(lines, "note: "+i.Note)
	}
	switch {
	case i.Ignored == 1:
		lines = append(lines, "left out: 1 image beside the class folders")
	case i.Ignored > 1:
		lines = append(lines, fmt.Sprintf("left out: %d images beside the class folders", i.Ignored))
	}
	return lines
}

// Source yields the samples of a data set in a fixed order that depends on nothing but the data set. It is not safe for
// concurrent use.
type Source interface {
	Info() Info
	// Next reads the next sample into s, reusing the memory of s.Data. At the end it returns io.EOF. An error that
	// wraps *SampleError concerns that sample alone: the caller may continue with the next. After any other error the
	// source is finished.
	Next(s *Sample) error
	Close() error
}

// Indexed is a Source whose samples can be read in any order. Read is safe for concurrent use with distinct Samples and
// gives byte for byte what Next gives. i is 0 to Len()-1; at another the sources of this module panic.
type Indexed interface {
	Source
	Len() int
	Read(i int, s *Sample) error
}

// SampleError is an error of one sample that leaves the rest of the source readable.
type SampleError struct {
	Name string // as Sample.Name
	Key  string
	Err  error
}

func (e *SampleError) Error() string { return fmt.Sprintf("%s: %v", e.Name, e.Err) }
func (e *SampleError) Unwrap() error { return e.Err }

// Item is one finished image on its way to a Sink.
type Item struct {
	Key   string // as Sample.Key, with a suffix for views where there are several
	Label int
	Image *raster.Image // valid during Put only
	// File is Image as the sink's own Encoding makes it, when a worker has encoded it already (see FileSink); nil
	// leaves that to Put. Valid during Put only.
	File []byte
	// Channels is how many channels File has for a [ChannelSink]: it holds the pixels then, row by row, H*W*Channels bytes, and Image
	// says no more than W and H. 0: Image is the image.
	Channels int
	// Target is the soft label, a weight for each class, for the formats that keep it with the image; nil for none. Valid
	// during Put only.
	Target []float32
	Multi  []uint8 // as Sample.Multi, for the formats that keep it. Valid during Put only
}

// Reject returns the error with which a sink's Put rejects the item for the reason err, which becomes part of records and
// so does not name the output.
func (it *Item) Reject(err error) error { return &SampleError{Name: it.Key, Key: it.Key, Err: err} }

// Sink takes finished images in order and makes a data set of them.
//
// Nothing appears under a final name before it is complete: single files are written under a temporary name beside it,
// synced and renamed. Checkpoint makes everything Put so far durable and returns a state with which the same sink,
// opened again after a crash, resumes. Sinks are not safe for concurrent use.
type Sink interface {
	// Put takes an item. An error that is a *SampleError, see [Item.Reject], rejects it alone: the sink is as it was
	// before, and the caller may go on with the next. Other errors are the sink's end.
	Put(it *Item) error
	Checkpoint() (state []byte, err error)
	Close() error // completes the data set: final names, labels, class lists
	Abort() error // stops without completing and keeps what a Checkpoint promised
}

// ViewSink is a Sink that keeps the views of a sample together.
type ViewSink interface {
	Sink
	// PutViews takes all views of one sample, which share its key and its label, as Put takes one image. An error that is a
	// *SampleError rejects all of them.
	PutViews(views []Item) error
}

// ChannelSink is a Sink that keeps as many channels as there are: it takes items with Channels.
type ChannelSink interface {
	Sink
	KeepsChannels()
}

// FileSink is a Sink that keeps every image as an encoded file. Encoding is most of its work, so a caller with
// workers lets them do it, by Encoding().Append, and passes the result as Item.File.
type FileSink interface {
	Sink
	Encoding() Encoding
}
