package storagetest

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
)

// The client sleeps for up to this time, by default 200 ms, after the only try of each request that it is allowed here: tests that
// break requests would mostly wait for it.
func init() { minio.DefaultRetryUnit = time.Millisecond }

// Fault is what happens to a request.
type Fault int

const (
	None    Fault = iota
	Error         // answered 500
	Busy          // answered 503 SlowDown
	Denied        // answered 403 AccessDenied
	Skewed        // answered 403 RequestTimeTooSkewed, as where the clocks differ
	Full          // answered 507 InsufficientStorage, as versitygw does where the disk is full
	Reset         // the connection is reset and the server sees nothing
	Lost          // the server does it, and the connection is reset before the answer
	Half          // the answer ends after half its body
	Stalled       // the answer stops after half its body and the connection stays
)

// Proxy stands before a server and breaks what its function says.
type Proxy struct {
	URL string

	mu    sync.Mutex
	fault func(n int, r *http.Request) Fault
	n     int
	done  chan struct{}
	next  *httputil.ReverseProxy
}

// NewProxy starts a proxy before the server at endpoint, until the test ends.
func NewProxy(t testing.TB, endpoint string) *Proxy {
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{done: make(chan struct{})}
	p.next = &httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // which is signed
	}}
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		close(p.done)
		s.CloseClientConnections()
		s.Close()
	})
	p.URL = s.URL
	return p
}

// Break sets what happens to each request from now on: n counts them from 0. nil breaks nothing.
func (p *Proxy) Break(fault func(n int, r *http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.n = fault, 0
}

// Requests returns how many came since Break.
func (p *Proxy) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// ServeHTTP passes a request on, or breaks it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	fault := None
	if p.fault != nil {
		fault = p.fault(p.n, r)
	}
	p.n++
	p.mu.Unlock()
	switch fault {
	case None:
		p.next.ServeHTTP(w, r)
		return
	case Error:
		refuse(w, r, http.StatusInternalServerError, "InternalError")
		return
	case Busy:
		refuse(w, r, http.StatusServiceUnavailable, "SlowDown")
		return
	case Denied:
		refuse(w, r, http.StatusForbidden, "AccessDenied")
		return
	case Skewed:
		refuse(w, r, http.StatusForbidden, "RequestTimeTooSkewed")
		return
	case Full:
		refuse(w, r, http.StatusInsufficientStorage, "InsufficientStorage")
		return
	case Reset:
		reset(w)
		return
	}
	answer := httptest.NewRecorder()
	p.next.ServeHTTP(answer, r)
	if fault == Lost {
		reset(w)
		return
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	body := answer.Body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body[:len(body)/2])
	_ = http.NewResponseController(w).Flush()
	if fault == Stalled {
		select {
		case <-p.done:
		case <-r.Context().Done():
		}
	}
	panic(http.ErrAbortHandler) // closes the connection
}

func refuse(w http.ResponseWriter, r *http.Request, status int, code string) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>as the test wants it</Message></Error>", code)
}

// reset closes a connection so that the client gets a reset.
func reset(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}
