package studio

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/raster"
)

// exportPolicy lets a saved screen show what is in it, and nothing else: no script, no network.
const exportPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

// export.css is added to studio.css.
var (
	//go:embed export.html
	exportHTML string
	//go:embed export.css
	exportCSS string

	exported = template.Must(template.New("export").Funcs(template.FuncMap{
		"words":     func(name string) string { return strings.ReplaceAll(name, "_", " ") },
		"percent":   func(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) },
		"two":       func(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) },
		"next":      func(i int) int { return i + 1 },
		"ratio":     func(a, b int) float64 { return float64(a) / float64(b) },
		"megabytes": func(n int64) string { return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) },
		"seconds":   func(s float64) string { return (time.Duration(s*10) * time.Second / 10).String() },
	}).Parse(exportHTML))
)

// saved is a screen in a file.
type saved struct {
	Title, Version, Policy string
	Style                  template.CSS
	About                  []string // what is shown, in words
	Command                string   // that makes the file; "" where none can
	View                   map[string]any
}

// Export returns one HTML file that shows a screen of the page without a server, a network or a script: Corrupt, Mix, Data and Train. That of
// Runs is the report, with its own script. hash is what the address of the page has after the #, such as "screen=mix&image=d3"; "" is
// the page as it opens. The error wraps ErrRequest for anything else, the screen Break it among it, which is long in the making.
func (s *Server) Export(ctx context.Context, hash string) ([]byte, error) {
	st, err := s.parseState(hash)
	if err != nil {
		return nil, err
	}
	return s.save(ctx, st, true)
}

// mark begins the line by which pages of augmix are known, which export.html and the page of a report have above their styles.
const mark = `<meta name="generator" content="augmix `

// CheckExport returns an error that wraps ErrRequest where the file at path, which [Server.Export] is to be written to, is there and is
// neither an earlier export nor a report: nothing of the user's is replaced. It reads the first 4096 bytes.
func CheckExport(path string) error {
	f, err := data.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return err
	}
	if !bytes.Contains(head, []byte(mark)) {
		return fmt.Errorf("%w: %s: it is there and no page that augmix wrote (allowed: another name, or this one once the file is removed)",
			ErrRequest, path)
	}
	return nil
}

// export sends the screen that the request's parameters are the state of.
func (s *Server) export(w http.ResponseWriter, r *http.Request) {
	st, err := s.newState(r.URL.Query())
	var file []byte
	if err == nil {
		if err = s.writing.enter(r.Context()); err == nil {
			defer s.writing.leave()
			file, err = s.save(r.Context(), st, false)
		}
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", exportPolicy)
	w.Header().Set("Content-Disposition", "attachment; filename=augmix-"+st["screen"]+".html")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(file)
}

// save makes the file. Unless read says so, a data set that nobody has had read is not.
func (s *Server) save(ctx context.Context, st state, read bool) ([]byte, error) {
	f := &freezer{s: s, ctx: ctx, st: st}
	var view any
	var err error
	switch st["screen"] {
	case "corrupt":
		view, err = f.corrupt()
	case "mix":
		view, err = f.mix()
	case "runs":
		return f.runs()
	case "data":
		view, err = f.data(read)
	case "train":
		view, err = f.train()
	default:
		err = fmt.Errorf("%w: the screen %.40q cannot be saved (allowed: corrupt, mix, runs, train, data)", ErrRequest, st["screen"])
	}
	f.tiles.Wait()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	style, err := page.ReadFile("page/studio.css")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = exported.Execute(&b, saved{
		Title:  map[string]string{"corrupt": "Corruptions", "mix": "Mix", "data": "Data set", "train": "Trainings"}[st["screen"]],
		Policy: exportPolicy, Version: s.opt.Version, Style: template.CSS(chart.CSS + string(style) + exportCSS), About: f.about,
		Command: f.command(), View: map[string]any{st["screen"]: view},
	})
	return b.Bytes(), err
}

// freezer collects a screen.
type freezer struct {
	s     *Server
	ctx   context.Context // of the one call of save
	st    state
	tiles sync.WaitGroup // images in the making
	about []string
}

// framed is an image as a data URL, or what is wrong with it.
type framed struct {
	Src           template.URL
	Caption, Note string
}

// geometry and mixture are the fields of requests, as in lib.js and mix.js.
var (
	geometry = []string{"image", "size", "crop", "seed"}
	mixture  = append([]string{"spec", "set", "epoch", "pins"}, geometry...)
)

// tile makes an image meanwhile.
func (f *freezer) tile(caption string, render func(context.Context, *request) (*raster.Image, error), q *request, err error) *framed {
	t := &framed{Caption: caption}
	if err != nil {
		t.Note = err.Error()
		return t
	}
	f.tiles.Go(func() {
		var file []byte
		err := f.s.gate.enter(f.ctx)
		if err == nil {
			defer f.s.gate.leave()
			var m *raster.Image
			if m, err = render(f.ctx, q); err == nil {
				file, err = pngOf(m)
			}
		}
		if err != nil {
			t.Note = f.s.opt.Message(err)
			return
		}
		t.Src = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(file))
	})
	return t
}

// image says which image is shown, and checks that it can be.
func (f *freezer) image() error {
	q, err := f.st.request(geometry...)
	if err != nil {
		return err
	}
	one, err := f.s.original(f.ctx, q.Image)
	if err != nil {
		return err
	}
	what := one.key
	if name := f.s.className(one.label); name != "" {
		what += ", " + name
	}
	f.about = append(f.about, fmt.Sprintf("%s, %d×%d", what, one.image.W, one.image.H))
	if q.Size > 0 {
		f.about = append(f.about, fmt.Sprintf("shorter side resized to %d", q.Size))
	}
	if q.Crop > 0 {
		f.about = append(f.about, fmt.Sprintf("the middle %d×%d", q.Crop, q.Crop))
	}
	f.about = append(f.about, fmt.Sprintf("seed %d", q.Seed))
	return nil
}

// command is the one that makes the file. Of a dropped image there is none.
func (f *freezer) command() string {
	if !strings.HasPrefix(f.st["image"], "d") {
		return ""
	}
	words := []string{"augmix", "studio"}
	o := f.s.opt
	if o.Data != DefaultData {
		words = append(words, quote(o.Data))
	}
	in := o.Input
	for _, flag := range [][2]string{
		{"--input-format", in.Format},
		{"--split", in.Split},
		{"--labels", in.Labels},
		{"--layout", in.Layout},
		{"--channels", channelList(in.Channels)},
		{"--classes", in.Classes},
		{"--mixset", o.Mixset},
		{"--frost-dir", o.FrostDir},
	} {
		if flag[1] != "" {
			words = append(words, flag[0], quote(flag[1]))
		}
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--only", in.Only}, {"--without", in.Without}, {"--images", in.Images}} {
		for _, v := range flag.values {
			words = append(words, flag.name, quote(listItem(v)))
		}
	}
	if in.Reading.Window != nil {
		words = append(words, "--window="+in.Reading.Window.String()) // one word, as it may begin with a minus sign
	}
	if in.Coarse {
		words = append(words, "--coarse")
	}
	if in.ShardKeys {
		words = append(words, "--shard-keys")
	}
	if f.st["screen"] == "train" {
		for _, run := range o.Runs {
			words = append(words, "--runs", quote(run))
		}
	}
	words = append(words, "--export", f.st["screen"]+".html")
	if hash := f.st.hash(f.s.stateDefaults()); hash != "" {
		words = append(words, "--screen", quote(hash))
	}
	return strings.Join(words, " ")
}
