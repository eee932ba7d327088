package studio

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/augmix-go/augmix/corrupt"
	"github.com/augmix-go/augmix/data"
	"github.com/augmix-go/augmix/data/formats"
	"github.com/augmix-go/augmix/internal/chart"
	"github.com/augmix-go/augmix/mix"
)

//go:embed page
var page embed.FS

// DefaultData is shown where no data set is named: scenes that are drawn when they are read.
const DefaultData = "scenes:n=500,size=224,seed=1,split=test"

// Options say what is shown. The zero value shows drawn scenes.
type Options struct {
	Data     string             // data set, as package data/formats opens it; "": [DefaultData]
	Input    formats.Options    // how; without a Split the part test where it has parts. Patterns that take nothing of another part leave that out
	Runs     []string           // run directories or files of rows, as report.Load reads them
	Model    string             // checkpoint, weights or ONNX file of a classifier; "": none
	Arch     string             // network of Model, a spec of package models; "": the file says it
	Norm     *mix.Normalization // of Model's input; nil: the file says it
	Mixset   string             // mixing set of your own, as mixset.Open opens it; "": the generated ones alone
	Frost    *corrupt.FrostSet  // textures of frost; nil: generated ice crystals
	FrostDir string             // where they are from, for the commands that are copied; "": generated
	Version  string             // of the program
	Renders  int                // images made at a time; 0: as many as there are cores
	// Message says an error to the reader of the page; nil: its text.
	Message func(error) string
}

// Server serves the page. Its methods are safe for concurrent use.
type Server struct {
	opt     Options
	token   string
	parts   []dataPart // of the data set; the first is shown
	runs    []string
	gate    gate // of images and answers
	long    gate // of what reads the whole data set
	reading gate // of uploads, which may come slowly
	writing gate // of reports and what else of runs may take long
	sums    sums
	images  images
	uploads uploads
	mixing  mixingSets
	summary atomic.Pointer[dataSummary] // what was last found in the data set
	model   *model                      // nil: there is none
	frost   func() (*corrupt.FrostSet, error)
	mux     *http.ServeMux

	mu    sync.Mutex
	hosts func(host string) bool // that requests may name; nil until Run
	url   string
}

// New opens the data set and gets ready to serve it. The error is that of formats.Open, or wraps data.ErrUnsupported for data
// that can only be read from front to end. A run is read when it is asked for, as it may still be written.
func New(o Options) (*Server, error) {
	if o.Data == "" {
		o.Data = DefaultData
	}
	if o.Renders <= 0 {
		o.Renders = runtime.GOMAXPROCS(0)
	}
	if o.Message == nil {
		o.Message = error.Error
	}
	runs, err := findRuns(o.Runs)
	if err != nil {
		return nil, err
	}
	parts, err := openParts(o.Data, o.Input)
	if err != nil {
		return nil, err
	}
	s := &Server{
		opt: o, token: newToken(), parts: parts, runs: runs,
		gate: newGate(o.Renders), long: newGate(1), reading: newGate(1), writing: newGate(1), sums: sums{},
	}
	s.frost = sync.OnceValues(func() (*corrupt.FrostSet, error) {
		if o.Frost != nil {
			return o.Frost, nil
		}
		return corrupt.GeneratedFrost(), nil
	})
	if o.Model != "" {
		if s.model, err = openModel(&o); err != nil {
			return nil, errors.Join(err, closeParts(parts))
		}
	}
	s.routes()
	return s, nil
}

// newToken returns 128 random bits as text.
func newToken() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// routes are all that the server answers, below its token.
func (s *Server) routes() {
	s.mux = http.NewServeMux()
	files, err := fs.Sub(page, "page")
	if err != nil {
		panic("studio: " + err.Error()) // the folder is embedded
	}
	s.mux.Handle("GET /{$}", http.FileServerFS(files))
	for _, name := range pageFiles {
		s.mux.Handle("GET /"+name, http.FileServerFS(files))
	}
	s.mux.HandleFunc("GET /chart.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write([]byte(chart.CSS))
	})
	s.mux.HandleFunc("GET /api/info", s.answer(&s.gate, s.info))
	s.mux.HandleFunc("GET /api/sign", s.answer(&s.gate, s.sign))
	s.mux.HandleFunc("GET /api/image", s.answer(&s.gate, s.about))
	s.mux.HandleFunc("GET /api/list", s.answer(&s.gate, s.list))
	s.mux.HandleFunc("GET /api/copy", s.answer(&s.gate, s.copies))
	s.mux.HandleFunc("GET /api/mix", s.answer(&s.gate, s.drawn))
	s.mux.HandleFunc("POST /api/upload", s.upload)
	s.mux.HandleFunc("GET /export", s.export)
	s.mux.HandleFunc("GET /image/corrupt", s.render(s.corrupted))
	s.mux.HandleFunc("GET /image/mix", s.render(s.mixed))
	s.native()
}

// pageFiles are the files of the page beside index.html.
var pageFiles = []string{"icon.svg", "studio.css", "studio.js", "corrupt.js", "mix.js", "break.js", "runs.js", "lost.js", "train.js", "batch.js", "data.js", "lib.js", "transport.js", "save.js"}

// URL returns the address of the page with its token, once Run has been called.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.url
}

// Bind says under which address the server is reached: that of the listener that Run is given, which calls it.
func (s *Server) Bind(addr net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts, s.url = hostsOf(addr), "http://"+addr.String()+"/"+s.token+"/"
}

// Files returns the files that the data set is read from, of all its parts.
func (s *Server) Files() (files []string) {
	for _, p := range s.parts {
		files = append(files, data.Files(p.whole)...)
	}
	return files
}

// Close gives the data set and the model back. Run must have returned.
func (s *Server) Close() error {
	err := closeParts(s.parts)
	if s.model != nil {
		err = errors.Join(err, s.model.close())
	}
	return err
}

// Times within which a request must be read and answered. What streams has its own.
const (
	readTime  = 30 * time.Second
	writeTime = 2 * time.Minute
	stopTime  = 3 * time.Second
)

// Run serves l until ctx ends, and waits a moment for the answers that are under way. It returns nil then, and closes l.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	s.Bind(l.Addr())
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: readTime / 6, ReadTimeout: readTime, WriteTimeout: writeTime,
		IdleTimeout: writeTime, MaxHeaderBytes: 1 << 14,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if server.Shutdown(last) != nil {
		_ = server.Close()
	}
	<-done
	return nil
}
