//go:build !js

package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// errStalled is the cause of an answer that was given up, errSilent that of a request which nobody began to answer.
var (
	errStalled = errors.New("no byte came in time")
	errSilent  = errors.New("no answer came in time")
)

// patient gives up answers whose next byte does not come within stall.
type patient struct {
	next     http.RoundTripper
	stall    time.Duration
	answered *atomic.Bool // set with the first answer of any kind: somebody is at the address
}

// RoundTrip does a request.
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	if !p.answered.Load() && (r.Body == nil || r.Body == http.NoBody) { // what is sent takes its time
		t := time.AfterFunc(p.stall/4, func() { cancel(errSilent) })
		defer t.Stop()
	}
	answer, err := p.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if errors.Is(context.Cause(ctx), errSilent) {
			err = errSilent
		}
		cancel(nil)
		return nil, err
	}
	p.answered.Store(true)
	answer.Body = &body{answer.Body, ctx, cancel, p.stall}
	return answer, nil
}

type body struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	stall  time.Duration
}

// Read reads with a limit of time.
func (b *body) Read(p []byte) (int, error) {
	t := time.AfterFunc(b.stall, func() { b.cancel(errStalled) })
	n, err := b.ReadCloser.Read(p)
	t.Stop()
	if err != nil && err != io.EOF && errors.Is(context.Cause(b.ctx), errStalled) {
		err = errStalled
	}
	return n, err
}

// Close ends the request.
func (b *body) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}
