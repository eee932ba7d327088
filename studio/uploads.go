package studio

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/imagefile"
	"github.com/augmix-go/augmix/raster"
)

// Limits of the images that are dropped on the page. They are kept as files, in memory alone.
const (
	maxUpload  = 32 << 20  // bytes of one
	keepUpload = 128 << 20 // bytes of all; the oldest are forgotten
	maxUploads = 32
)

// uploads are the images that were dropped on the page, the oldest first.
type uploads struct {
	mu   sync.Mutex
	list []upload
}

type upload struct {
	id   string
	name string
	file []byte
}

// add keeps a file and returns its id, which the name and the bytes decide.
func (u *uploads) add(name string, file []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\x00"), file...))
	id := "u" + hex.EncodeToString(sum[:16])
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = slices.DeleteFunc(u.list, func(o upload) bool { return o.id == id })
	u.list = append(u.list, upload{id, name, file})
	total := 0
	for i := len(u.list) - 1; i >= 0; i-- {
		if total += len(u.list[i].file); total > keepUpload || len(u.list)-i > maxUploads {
			u.list = slices.Delete(u.list, 0, i+1)
			break
		}
	}
	return id
}

// read returns an uploaded image under the key that a file of its name has.
func (u *uploads) read(id imageID) (*data.Sample, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, o := range u.list {
		if o.id == id.upload {
			return &data.Sample{
				Key: data.UniqueKeys([]string{o.name})[0], Label: data.NoLabel, Name: o.name, Ext: path.Ext(o.name),
				Form: data.Encoded, Data: o.file,
			}, nil
		}
	}
	return nil, fmt.Errorf("%w: the image that was dropped here is forgotten; drop it again", errGone)
}

// upload keeps the image that is the body of the request. Its name is the parameter "name"; nothing is written to disk.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	info, err := s.take(w, r)
	if err == nil {
		err = sendJSON(w, info)
	}
	if err != nil {
		s.fail(w, err)
	}
}

func (s *Server) take(w http.ResponseWriter, r *http.Request) (any, error) {
	if r.ContentLength > maxUpload {
		return nil, &http.MaxBytesError{Limit: maxUpload}
	}
	if err := s.reading.enter(r.Context()); err != nil {
		return nil, err
	}
	defer s.reading.leave()
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxUpload))
	if err != nil {
		return nil, err
	}
	name, err := uploadName(r.URL.Query())
	if err != nil {
		return nil, err
	}
	m := new(raster.Image)
	if err := checkFile(file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch err := (imagefile.Options{MaxPixels: maxPixels}).Decode(m, file); {
	case errors.Is(err, imagefile.ErrWindow):
		return nil, fmt.Errorf("%s: %w; images that are dropped have none: start the studio with the file as DATA and --window LO:HI", name, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	id := s.uploads.add(name, file)
	return imageInfo{ID: id, Key: data.UniqueKeys([]string{name})[0], W: m.W, H: m.H}, nil
}

// uploadName returns the file's name, or another where it cannot be that of a file.
func uploadName(q url.Values) (string, error) {
	name := q.Get("name")
	if len(q) > 1 || len(name) > 255 {
		return "", fmt.Errorf("%w: an upload has a name of up to 255 bytes and nothing else", ErrRequest)
	}
	if name == "" || name[0] == '.' || name[0] == '-' || strings.ContainsAny(name, "/\\\x00\n\r") || data.CheckFileName(name) != nil {
		return "pasted.png", nil
	}
	return name, nil
}

// checkFile refuses a file whose header declares more pixels than are shown, before anything is allocated.
func checkFile(file []byte) error {
	info, err := imagefile.Inspect(file)
	switch {
	case err != nil && errors.Is(err, imagefile.ErrUnsupported):
		return fmt.Errorf("%w: %w", data.ErrUnsupported, err)
	case err != nil:
		return fmt.Errorf("%w (allowed: JPEG, PNG, WebP, BMP, GIF, TIFF): %w", data.ErrFormat, err)
	}
	return checkPixels(info.W, info.H)
}

// checkImage is checkFile for an image in any form.
func checkImage(one *data.Sample) error {
	if one.Form == data.Encoded {
		return checkFile(one.Data)
	}
	return checkPixels(one.W, one.H)
}

func checkPixels(w, h int) error {
	if w > maxPixels || h > maxPixels || w*h > maxPixels {
		return fmt.Errorf("%w: an image of %dx%d (allowed: %d pixels)", data.ErrLimit, w, h, maxPixels)
	}
	return nil
}
