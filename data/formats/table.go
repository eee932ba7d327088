package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/annotated"
	"github.com/augmix-go/augmix/data/cifar"
	"github.com/augmix-go/augmix/data/folder"
	"github.com/augmix-go/augmix/data/lmdb"
	"github.com/augmix-go/augmix/data/npyset"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/data/svhn"
	"github.com/augmix-go/augmix/data/wds"
	"github.com/augmix-go/augmix/internal/scenes"
	"github.com/augmix-go/augmix/internal/single"
)

// table is in the order in which formats are tried: those with a magic number or file names of their own first, the
// folder of image files, which any folder could be, last.
var table = []Format{
	{
		Name: "scenes", Read: true,
		Doc:    "ten shapes drawn on the spot, from no file: scenes:n=2000,size=32,seed=1,split=train",
		Detect: func(p Probe) bool { return strings.HasPrefix(p.Path, scenes.Scheme) },
		open:   openScenes,
	},
	{
		Name: npyset.NameNPY, Read: true, Write: true,
		Doc:    "NumPy array of images, uint8 [N,H,W,3], labels in labels.npy beside it",
		Detect: func(p Probe) bool { return bytes.HasPrefix(p.Head, []byte("\x93NUMPY")) },
		Named:  hasExt(".npy"), OneFile: true, Beside: []string{"labels.npy", "classes.txt"}, Ordered: true, labels: true, arrays: true,
		open: openNPY, stream: streamNPY,
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			return npyset.CreateNPY(path, o.Classes, npyset.SinkOptions{Overwrite: o.Overwrite, Views: o.ViewAxis}, state)
		},
	},
	{
		Name: npyset.NameMedMNIST, Read: true, Write: true,
		Doc:     "MedMNIST's .npz files: train_images, train_labels, val_images and so on, of which the other parts are kept",
		Detect:  func(p Probe) bool { return bytes.HasPrefix(p.Head, []byte("PK\x03\x04")) && npyset.IsMedMNIST(p.Path) },
		OneFile: true, Beside: []string{"classes.txt"}, Ordered: true, Labeled: true, arrays: true,
		open: func(path string, o Options) (data.Source, error) {
			no, err := npyOptions(o)
			if err != nil {
				return nil, err
			}
			return npyset.OpenMedMNIST(path, o.Split, no)
		},
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			so := npyset.SinkOptions{Overwrite: o.Overwrite, Deflate: o.Deflate, Split: cmp.Or(o.Split, "train"), Like: o.Like}
			return npyset.CreateMedMNIST(path, o.Classes, so, state)
		},
	},
	{
		Name: npyset.NameNPZ, Read: true, Write: true,
		Doc:    "NumPy archive with the arrays images and labels",
		Detect: func(p Probe) bool { return bytes.HasPrefix(p.Head, []byte("PK\x03\x04")) },
		Named:  hasExt(".npz"), OneFile: true, Beside: []string{"classes.txt"}, Ordered: true, labels: true, arrays: true,
		open: openNPY,
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			so := npyset.SinkOptions{Overwrite: o.Overwrite, Deflate: o.Deflate, Views: o.ViewAxis}
			return npyset.CreateNPZ(path, o.Classes, so, state)
		},
	},
	{
		Name: single.Name, Read: true, Write: true,
		Doc:    "one image file: JPEG, PNG, WebP, BMP, GIF (first frame) or TIFF; PNG or JPEG is written",
		Detect: func(p Probe) bool { return data.SniffImage(p.Head) != "" },
		Named:  func(path string) bool { return path == Standard || hasExt(".png", ".jpg", ".jpeg")(path) }, OneFile: true,
		open:   func(path string, _ Options) (data.Source, error) { return single.Open(path) },
		stream: func(r io.Reader, _ Options) (data.Source, error) { return single.Read(r, "standard input") },
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			so := single.SinkOptions{Encoding: o.Encoding, Overwrite: o.Overwrite, Stdout: o.Stdout}
			return single.Create(path, so, state)
		},
	},
	cifarRow(cifar.CIFAR10, "CIFAR-10, binary or Python version, folder, file or published archive; binary is written",
		"data_batch_1", "test_batch"),
	cifarRow(cifar.CIFAR100,
		"CIFAR-100, binary or Python version, folder, file or published archive; binary is written",
		"train", "test"),
	{
		Name: svhn.Name, Read: true,
		Doc:    "SVHN's cropped digits, MATLAB files of level 5 with X and y: train_32x32.mat, or a folder of such",
		Detect: looksSVHN,
		open:   func(path string, o Options) (data.Source, error) { return svhn.Open(path, o.Split) },
	},
	{
		Name: lmdb.Name, Read: true,
		Doc:    "LMDB file of image files, such as LSUN's: data.mdb or the folder that it lies in; no labels",
		Detect: looksLMDB,
		open:   func(path string, _ Options) (data.Source, error) { return lmdb.Open(path) },
	},
	{
		Name: wds.Name, Read: true, Write: true, Ordered: true,
		Doc:    "WebDataset: tar files, plain or gzip, one, a folder or a pattern; a folder of plain ones is written",
		Detect: looksShards,
		open: func(path string, o Options) (data.Source, error) {
			return wds.Open(path, wds.Options{ShardKeys: o.ShardKeys, Stream: o.Stream})
		},
		stream: func(r io.Reader, o Options) (data.Source, error) {
			return wds.NewStream(r, "standard input", wds.Options{ShardKeys: o.ShardKeys}), nil
		},
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			return wds.Create(path, o.Classes, wds.SinkOptions{
				Encoding: o.Encoding, PerShard: o.PerShard, Prefix: o.Prefix, Overwrite: o.Overwrite,
			}, state)
		},
	},
	{
		Name: annotated.Name, Read: true,
		Doc:    "images with boxes, polygons or masks beside them, laid out as COCO, YOLO, Pascal VOC or Cityscapes; see augmix corrupt",
		Detect: func(p Probe) bool { return p.Dir && annotated.Detect(p.Path) != "" },
		open: func(path string, o Options) (data.Source, error) {
			t, err := annotated.Open(path, o.Images)
			if err != nil {
				return nil, err
			}
			return t.Source(), nil
		},
	},
	{
		Name: folder.Name, Read: true, Write: true,
		Doc:    "image files in folders, one folder for each class, or flat, without labels or with a list of them",
		Detect: func(p Probe) bool { return p.Dir },
		Named:  func(path string) bool { return path != Standard && filepath.Ext(path) == "" },
		labels: true,
		open: func(path string, o Options) (data.Source, error) {
			if o.Labels != "" {
				return folder.OpenLabeled(path, o.Labels)
			}
			if o.Unlabeled { // no folder makes a class
				return folder.OpenUnlabeled(path)
			}
			if err := checkSingle(path); err != nil {
				return nil, err
			}
			return folder.Open(path)
		},
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			return folder.Create(path, o.Classes, folder.SinkOptions{Encoding: o.Encoding, Overwrite: o.Overwrite},
				state)
		},
	},
}

func openScenes(path string, o Options) (data.Source, error) {
	so, err := scenes.Parse(path)
	if err != nil {
		return nil, err
	}
	if o.Split != "" {
		so.Split = o.Split
	}
	return scenes.New(so)
}

func openNPY(path string, o Options) (data.Source, error) {
	no, err := npyOptions(o)
	if err != nil {
		return nil, err
	}
	return npyset.Open(path, no)
}

func streamNPY(r io.Reader, o Options) (data.Source, error) {
	no, err := npyOptions(o)
	if err != nil {
		return nil, err
	}
	return npyset.NewStream(r, "standard input", no)
}

func npyOptions(o Options) (npyset.Options, error) {
	no := npyset.Options{
		Labels: o.Labels, ImagesName: o.ImagesName, LabelsName: o.LabelsName, Window: o.Reading.Window,
		Channels: o.Channels, EveryChannel: o.EveryChannel, Unlabeled: o.Unlabeled,
	}
	switch strings.ToLower(o.Layout) {
	case "":
	case "nhwc":
		no.Layout = npyset.LayoutNHWC
	case "nchw":
		no.Layout = npyset.LayoutNCHW
	default:
		return no, fmt.Errorf("%w: layout %q (allowed: nhwc, nchw)", data.ErrUnsupported, o.Layout)
	}
	return no, nil
}

// cifarRow is the row of either CIFAR data set. stems are the names of the files by which its folder is known.
func cifarRow(kind cifar.Kind, doc string, stems ...string) Format {
	return Format{
		Name: kind.String(), Doc: doc, Read: true, Write: true, Ordered: true, Labeled: true,
		Detect: func(p Probe) bool { return looksCIFAR(p, kind, stems) },
		open: func(path string, o Options) (data.Source, error) {
			return cifar.Open(path, cifar.Options{Kind: kind, Split: cifar.Split(o.Split), Coarse: o.Coarse})
		},
		create: func(path string, o SinkOptions, state []byte) (data.Sink, error) {
			so := cifar.SinkOptions{Kind: kind, Split: cifar.Split(o.Split), Overwrite: o.Overwrite}
			return cifar.Create(path, o.Classes, so, state)
		},
	}
}

// looksCIFAR goes by the published names of folders, archives and files. A folder called train is a class folder or a
// split of one, so that only regular files count.
func looksCIFAR(p Probe, kind cifar.Kind, stems []string) bool {
	base := filepath.Base(p.Path)
	published := "cifar-10-"
	if kind == cifar.CIFAR100 {
		published = "cifar-100-"
	}
	if !p.Dir {
		if strings.HasPrefix(base, published) {
			return true
		}
		stem, bin := strings.CutSuffix(base, ".bin")
		pickled := bytes.HasPrefix(p.Head, []byte("\x80\x02"))
		if !bin && !pickled {
			return false
		}
		return strings.HasPrefix(stem, "data_batch_") && kind == cifar.CIFAR10 || slices.Contains(stems, stem)
	}
	for _, version := range []string{"batches-bin", "batches-py", "binary", "python"} {
		if p.hasFolder(published + version) {
			return true
		}
	}
	for _, stem := range stems {
		for _, name := range []string{stem, stem + ".bin"} {
			if p.hasFile(name) {
				return true
			}
		}
	}
	return false
}

// looksSVHN goes by the words that MATLAB's files begin with, and by the published names in a folder.
func looksSVHN(p Probe) bool {
	if !p.Dir {
		return bytes.HasPrefix(p.Head, []byte("MATLAB ")) && hasExt(".mat")(p.Path)
	}
	return slices.ContainsFunc(svhn.Splits(), func(split string) bool { return p.hasFile(svhn.FileOf(split)) })
}

// looksLMDB goes by the first page of a file, and by the name that LMDB gives it in a folder.
func looksLMDB(p Probe) bool {
	if !p.Dir {
		return lmdb.Detect(p.Head)
	}
	return p.hasFile(lmdb.File)
}

// looksShards goes by the first bytes of a file, and by the names in a folder: it holds shards and no folders, for an
// archive beside class folders is what they were unpacked from.
func looksShards(p Probe) bool {
	if !p.Dir {
		tarred := len(p.Head) >= 262 && string(p.Head[257:262]) == "ustar"
		return tarred || bytes.HasPrefix(p.Head, []byte{0x1f, 0x8b}) || p.Head == nil && isPattern(p.Path)
	}
	entries := p.entries
	if entries == nil {
		var err error
		if entries, err = storage.ReadDir(p.Path); err != nil {
			return false
		}
	}
	shards := false
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() {
			return false
		}
		shards = shards || strings.HasSuffix(name, ".tar") || strings.HasSuffix(name, ".tar.gz") ||
			strings.HasSuffix(name, ".tgz")
	}
	return shards
}
