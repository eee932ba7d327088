// Package fetch downloads CIFAR-10 and CIFAR-100 from where they are published, checks them and unpacks them.
//
// Nothing is taken on trust: the archive must have the published MD5 sum, so must its files where sums are published
// for them, and entries that point outside their folder are rejected. MD5 guards against accidents, not against an
// attacker who can choose the data; against that stand HTTPS, which a redirect may not leave, and readers that treat
// what was unpacked as hostile all the same.
//
// A download that breaks off is taken up where it stopped, by this call or a later one. The folder appears under its
// name only when it is complete. Two processes must not fetch into one folder at the same time: the sum would be wrong,
// and both would say so.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
)

// Sentinel errors; the URL, what was expected and what came are in the message.
var (
	// ErrDownload: the server or the way to it failed: a status other than success, a connection that broke or stalled,
	// a redirect that leads nowhere.
	ErrDownload = errors.New("download failed")
	// ErrContent: something came, but not the archive: a web page, another length, another MD5 sum.
	ErrContent = errors.New("not the published archive")
)

// Home is where the archives are published.
const Home = "https://www.cs.toronto.edu/~kriz/"

// archive is one published file.
type archive struct {
	file   string // name below Home
	md5    string // of the file
	folder string // that it unpacks to
	files  []file // that the folder must have
}

// file is one member of an archive. Size and sum are checked where they are not zero.
type file struct {
	name string
	size int64
	md5  string
}

// archives holds the published names and MD5 sums (https://www.cs.toronto.edu/~kriz/cifar.html), and for the binary
// CIFAR-10 those of the files inside. Sizes follow from the binary form: 10,000 records a file of 3,073 bytes, and
// 50,000 and 10,000 of 3,074.
var archives = map[string]archive{
	"cifar-10-binary": {
		file: "cifar-10-binary.tar.gz", md5: "c32a1d4ab5d03f1284b67883e8d87530", folder: "cifar-10-batches-bin",
		files: []file{
			{"data_batch_1.bin", 30730000, "5dd7e06a14cb22eb9f671a540d1b7c25"},
			{"data_batch_2.bin", 30730000, "5ea93a67294ea407fff1d09f752e9692"},
			{"data_batch_3.bin", 30730000, "942cd6a4bcdd0dd3c604fbe906cb4421"},
			{"data_batch_4.bin", 30730000, "ae636b3ba5c66a11e91e8cb52e771fcb"},
			{"data_batch_5.bin", 30730000, "53f37980c15c3d472c316c40844f3f0d"},
			{"test_batch.bin", 30730000, "803d5f7f4d78ea53de84dbe85f74fb6d"},
			{"batches.meta.txt", 0, ""},
		},
	},
	"cifar-10-python": {
		file: "cifar-10-python.tar.gz", md5: "c58f30108f718f92721af3b95e74349a", folder: "cifar-10-batches-py",
		files: []file{
			{"data_batch_1", 0, ""},
			{"data_batch_2", 0, ""},
			{"data_batch_3", 0, ""},
			{"data_batch_4", 0, ""},
			{"data_batch_5", 0, ""},
			{"test_batch", 0, ""},
			{"batches.meta", 0, ""},
		},
	},
	"cifar-100-binary": {
		file: "cifar-100-binary.tar.gz", md5: "03b5dce01913d631647c71ecec9e9cb8", folder: "cifar-100-binary",
		files: []file{
			{"train.bin", 153700000, ""},
			{"test.bin", 30740000, ""},
			{"fine_label_names.txt", 0, ""},
			{"coarse_label_names.txt", 0, ""},
		},
	},
	"cifar-100-python": {
		file: "cifar-100-python.tar.gz", md5: "eb9058c3a382ffc7106e4002c42a8d85", folder: "cifar-100-python",
		files: []file{{"train", 0, ""}, {"test", 0, ""}, {"meta", 0, ""}},
	},
}

// Names returns the names that [Fetch] knows, sorted.
func Names() []string { return slices.Sorted(maps.Keys(archives)) }

// Options are the choices of Fetch; the zero value is the default.
type Options struct {
	// Mirror is the URL of the folder that holds the archive, instead of [Home]. The sums stay the published ones.
	Mirror string
	// Client makes the requests; nil means [http.DefaultClient]. Its own limits on redirects apply besides ours: at
	// most five, and none from HTTPS to HTTP.
	Client *http.Client
	// Progress is called as bytes arrive, from the same goroutine: the bytes on disk so far, those of an earlier call
	// included, and the archive's size, or -1 while the server has not said.
	Progress func(done, total int64)
	// Waiting is called before the wait for another attempt with what went wrong, from the same goroutine.
	Waiting func(err error, wait time.Duration)
	// Stall is how long the server may send next to nothing, the connection and its first byte included, before the
	// attempt counts as failed; 0 means 30 seconds.
	Stall time.Duration
	// LeastRate is how many bytes a second must come on average over Stall; 0 means 4096.
	LeastRate int
	// Total is how long all attempts together may take; 0 means 12 hours.
	Total time.Duration
	// Retries is the number of attempts after the first, 0 for 5, negative for none. Each resumes where the one before
	// stopped. What another attempt cannot mend, such as status 404, is not tried again.
	Retries int
	// Backoff is the wait before the first retry, doubled before each further one up to a minute; 0 means a second.
	Backoff time.Duration
}

const (
	defaultStall   = 30 * time.Second
	defaultRate    = 4096
	defaultTotal   = 12 * time.Hour
	defaultRetries = 5
	defaultBackoff = time.Second
	maxBackoff     = time.Minute
)

func (o Options) withDefaults() Options {
	if o.Mirror == "" {
		o.Mirror = Home
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Stall <= 0 {
		o.Stall = defaultStall
	}
	if o.LeastRate <= 0 {
		o.LeastRate = defaultRate
	}
	if o.Total <= 0 {
		o.Total = defaultTotal
	}
	if o.Retries == 0 {
		o.Retries = defaultRetries
	}
	if o.Backoff <= 0 {
		o.Backoff = defaultBackoff
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Waiting == nil {
		o.Waiting = func(error, time.Duration) {}
	}
	return o
}

// Fetch makes the data set called name (one of [Names]) available below dir, which is made if it is not there, and
// returns the folder to open, such as dir/cifar-10-batches-bin. If that folder is there and complete, nothing is done.
// An archive under its published name in dir, put there by hand, is checked and used instead of a download, and left
// there.
//
// Errors wrap [ErrDownload], [ErrContent], the context's error, [data.ErrUnsafe] and [data.ErrFormat] for what is wrong
// inside an archive, [data.ErrUnsupported] for an unknown name, or a file-system error: [fs.ErrExist] where dir has a
// folder of that name that is not the complete data set. What was downloaded before an error that another call can mend
// stays in dir, with the suffix [storage.TempSuffix].
func Fetch(ctx context.Context, name, dir string, o Options) (folder string, err error) {
	a, ok := archives[name]
	if !ok {
		return "", fmt.Errorf("%w: data set %q (allowed: %q)", data.ErrUnsupported, name, Names())
	}
	if err := storage.CheckLocal(dir); err != nil {
		return "", err
	}
	return fetch(ctx, a, dir, o.withDefaults())
}

func fetch(ctx context.Context, a archive, dir string, o Options) (string, error) {
	folder := filepath.Join(dir, a.folder)
	done, err := a.complete(folder)
	if err != nil {
		return "", err
	}
	if done {
		return folder, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", fmt.Errorf("cannot make the folder to download to: %w", err)
	}
	given := filepath.Join(dir, a.file)
	_, err = os.Stat(given)
	switch {
	case err == nil:
		err = a.checkGiven(given)
		if err == nil {
			err = a.unpack(ctx, given, dir)
		}
	case errors.Is(err, fs.ErrNotExist):
		err = a.downloadAndUnpack(ctx, given+storage.TempSuffix, dir, o)
	}
	if err != nil {
		return "", err
	}
	return folder, nil
}

func (a archive) downloadAndUnpack(ctx context.Context, part, dir string, o Options) error {
	if err := a.download(ctx, part, o); err != nil {
		if st, serr := os.Stat(part); serr == nil && (st.Size() == 0 || errors.Is(err, ErrContent)) {
			err = errors.Join(err, os.Remove(part))
		}
		return err
	}
	if err := a.unpack(ctx, part, dir); err != nil {
		return err
	}
	if err := os.Remove(part); err != nil {
		return fmt.Errorf("the data set is complete, but the archive cannot be removed: %w", err)
	}
	return nil
}

// checkGiven checks an archive that was not downloaded here.
func (a archive) checkGiven(name string) error {
	sum, size, err := sumFile(name)
	if err != nil {
		return err
	}
	if sum != a.md5 {
		return fmt.Errorf("%w: %s has MD5 sum %s (%d bytes), want %s", ErrContent, name, sum, size, a.md5)
	}
	return nil
}
