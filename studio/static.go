//go:build !js

package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/storage"
	"github.com/augmix-go/augmix/internal/chart"
)

// ErrSite is wrapped by errors about a site that cannot be written.
var ErrSite = errors.New("no site can be written")

// staticPolicy lets a site compile its module, run its worker and load its files. (frame-ancestors means nothing in a page.)
const staticPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; img-src 'self' blob:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'"

// WriteStatic writes a site into the folder dir, which is made, or empty: the screens Corrupt and Mix, whose images are computed in the
// browser with the bytes of the commands. Any file server serves it, under any path. It shows the drawn scenes of s, and images that its
// visitors open.
//
// wasm is the file of package studio/wasm, built for js/wasm, perhaps packed by gzip, with wasm_exec.js of that Go beside it. "" is studio.wasm
// beside the program where there is one; else the Go command builds it, in a folder of a module that knows augmix. The error wraps ErrSite
// where dir holds something, s shows other data, or there is no module and none can be built.
func (s *Server) WriteStatic(ctx context.Context, dir, wasm string) error {
	if err := storage.CheckLocal(dir); err != nil {
		return err
	}
	if !strings.HasPrefix(s.opt.Data, "scenes:") {
		return fmt.Errorf("%s: %w: the site cannot read it (allowed: none, or drawn scenes such as %s; its visitors open images of their own)",
			s.opt.Data, ErrSite, DefaultData)
	}
	if held, err := os.ReadDir(dir); err == nil && len(held) > 0 {
		return fmt.Errorf("%s: %w: it holds %s (allowed: a folder that is empty or not there)", dir, ErrSite, held[0].Name())
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m, err := openModule(ctx, wasm)
	if err != nil {
		return err
	}
	files, err := s.staticFiles(ctx, m)
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)                      // it is not there any more where all went well
	if err := os.Chmod(temp, 0o755); err != nil { // a server may be another user
		return err
	}
	for name, file := range files {
		if err := data.WriteFileAtomic(filepath.Join(temp, name), file); err != nil {
			return err
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(temp, dir)
}

// staticFiles are the files of the site: those of the page, of which index.html says that there is no server, and what a server would answer.
func (s *Server) staticFiles(ctx context.Context, m *module) (map[string][]byte, error) {
	about, err := s.info(ctx, nil)
	if err != nil {
		return nil, err
	}
	same, err := s.sign(ctx, nil)
	if err != nil {
		return nil, err
	}
	known, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{
		"chart.css": []byte(chart.CSS), "info.json": known, "studio.wasm.gz": m.packed, "wasm_exec.js": m.exec,
	}
	for _, name := range append([]string{"index.html", "worker.js"}, pageFiles...) {
		if files[name], err = page.ReadFile("page/" + name); err != nil {
			return nil, err
		}
	}
	head := fmt.Sprintf("<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n<meta name=\"augmix-wasm\" data-file=\"studio.wasm.gz\" "+
		"data-bytes=\"%d\" data-data=\"%s\" data-split=\"%s\" data-sign=\"%s\">\n<title>", staticPolicy, len(m.packed),
		html.EscapeString(s.opt.Data), html.EscapeString(s.opt.Input.Split), same.(signature).Sign)
	index := bytes.Replace(files["index.html"], []byte("<title>"), []byte(head), 1)
	files["index.html"] = bytes.Replace(index, []byte("<main"), []byte("<p id=\"local\" role=\"status\"></p>\n<main"), 1)
	return files, nil
}
