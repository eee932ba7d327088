package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// maxArchive limits what is downloaded; the published archives have about 170 MB.
const maxArchive = 1 << 28

// maxRedirects limits the redirects of one request.
const maxRedirects = 5

// finalError marks an error that another attempt would meet again.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func final(format string, args ...any) error { return finalError{fmt.Errorf(format, args...)} }

// url returns where the archive is.
func (a archive) url(o Options) (string, error) {
	u, err := url.Parse(o.Mirror)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return "", fmt.Errorf("%w: mirror %q is no http or https URL", ErrDownload, o.Mirror)
	}
	return u.JoinPath(a.file).String(), nil
}

// download makes part the whole archive, with the right sum.
func (a archive) download(ctx context.Context, part string, o Options) error {
	from, err := a.url(o)
	if err != nil {
		return err
	}
	d := &download{url: from, part: part, o: o, client: limitRedirects(o.Client)}
	resumed := false
	if st, err := os.Stat(part); err == nil && st.Size() > 0 {
		resumed = true
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Total, fmt.Errorf("%w: not done after %v", ErrDownload, o.Total))
	defer cancel()
	if err := d.run(ctx); err != nil {
		return err
	}
	for {
		sum, size, err := sumFile(part)
		if err != nil {
			return err
		}
		if sum == a.md5 {
			return nil
		}
		if err := os.Remove(part); err != nil {
			return err
		}
		if !resumed && !d.joined {
			return fmt.Errorf("%w: %s sent %d bytes with MD5 sum %s, want %s", ErrContent, from, size, sum, a.md5)
		}
		// What lay there may have been of another file; once from the start must do.
		resumed, d.joined, d.noRange = false, false, true
		if err := d.run(ctx); err != nil {
			return err
		}
	}
}

// download is one file on its way.
type download struct {
	url, part string
	o         Options
	client    *http.Client
	joined    bool // the file was put together from several answers
	noRange   bool // the server does not serve parts properly
}

// run makes attempts until the file has the length that the server says.
func (d *download) run(ctx context.Context) error {
	wait := d.o.Backoff
	for n := 0; ; n++ {
		err := d.attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", d.url, context.Cause(ctx))
		}
		if f := (finalError{}); errors.As(err, &f) {
			return f.error
		}
		if n >= d.o.Retries {
			return fmt.Errorf("%w (attempt %d, the last)", err, n+1)
		}
		d.o.Waiting(err, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", d.url, context.Cause(ctx))
		}
		wait = min(2*wait, maxBackoff)
	}
}

var errStall = errors.New("stalled")

// least is how many bytes must come in the time of a stall.
func (d *download) least() int {
	return max(1, int(float64(d.o.LeastRate)*d.o.Stall.Seconds()))
}

// attempt makes one request and appends what it brings.
func (d *download) attempt(ctx context.Context) error {
	f, err := os.OpenFile(d.part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return final("cannot keep the download: %w", err)
	}
	defer f.Close()
	have, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return finalError{err}
	}
	if d.noRange && have > 0 {
		if have, err = 0, f.Truncate(0); err != nil {
			return finalError{err}
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(d.o.Stall, func() { cancel(errStall) })
	defer watch.Stop()
	err = d.transfer(ctx, f, have, watch)
	if err != nil && d.noRange { // the next attempt, or the next call, begins anew
		err = errors.Join(err, f.Truncate(0))
	}
	if err != nil && errors.Is(context.Cause(ctx), errStall) {
		return fmt.Errorf("%w: %s sent less than %d bytes in %v", ErrDownload, d.url, d.least(), d.o.Stall)
	}
	if err == nil {
		if err = errors.Join(f.Sync(), f.Close()); err != nil {
			err = finalError{err}
		}
	}
	return err
}

// transfer asks for the bytes from have on and writes them to f.
func (d *download) transfer(ctx context.Context, f *os.File, have int64, watch *time.Timer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url, nil)
	if err != nil {
		return final("%w: %w", ErrDownload, err)
	}
	// Some servers call a .tar.gz a tar file in gzip transfer, which the client would undo unless it is asked not to.
	req.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	resp, err := d.client.Do(req)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDownload, err) // names the URL
		if errors.Is(err, errRedirect) {
			return finalError{err}
		}
		return err
	}
	defer resp.Body.Close()
	start, total, err := d.answer(resp, have)
	if err != nil || start == have && total == have {
		return err
	}
	if start < have {
		if err := f.Truncate(start); err != nil {
			return finalError{err}
		}
	}
	d.joined = d.joined || start > 0
	if _, err := f.Seek(start, io.SeekStart); err != nil {
		return finalError{err}
	}
	return d.copy(f, resp, start, total, watch)
}

// answer reads the head of a response: where in the file its body starts, and the file's size, -1 if unknown.
func (d *download) answer(resp *http.Response, have int64) (start, total int64, err error) {
	switch code := resp.StatusCode; code {
	case http.StatusOK:
		start, total = 0, resp.ContentLength
	case http.StatusPartialContent:
		if start, total, err = contentRange(resp.Header.Get("Content-Range")); err != nil || start != have {
			return 0, 0, d.badRange(have, fmt.Errorf("%w: %s answered a request for bytes %d on with the range %q",
				ErrDownload, d.url, have, resp.Header.Get("Content-Range")))
		}
	case http.StatusRequestedRangeNotSatisfiable:
		text, _ := strings.CutPrefix(resp.Header.Get("Content-Range"), "bytes */")
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n == have {
			return have, have, nil // nothing is missing
		}
		return 0, 0, d.badRange(have, fmt.Errorf("%w: %s has no bytes from %d on", ErrDownload, d.url, have))
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return 0, 0, fmt.Errorf("%w: %s answered %s", ErrDownload, d.url, resp.Status)
	default:
		err := fmt.Errorf("%w: %s answered %s, want 200 OK", ErrDownload, d.url, resp.Status)
		if code < 500 {
			err = finalError{err}
		}
		return 0, 0, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/html" || kind == "application/xhtml+xml" {
		return 0, 0, final("%w: %s sent a web page (%s), want a .tar.gz", ErrContent, d.url, kind)
	}
	if total > maxArchive {
		return 0, 0, final("%w: %s has %d bytes (allowed: at most %d)", ErrContent, d.url, total, int64(maxArchive))
	}
	return start, total, nil
}

// badRange is for a server that does not serve parts properly: the whole is asked for next, unless it just was.
func (d *download) badRange(have int64, err error) error {
	d.noRange = true
	if have == 0 {
		return finalError{err}
	}
	return err
}

// contentRange reads a header "bytes FIRST-LAST/TOTAL".
func contentRange(h string) (start, total int64, err error) {
	spec, ok := strings.CutPrefix(h, "bytes ")
	span, size, ok2 := strings.Cut(spec, "/")
	first, _, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, fmt.Errorf("%w: Content-Range %q", ErrDownload, h)
	}
	if start, err = strconv.ParseInt(first, 10, 64); err != nil || start < 0 {
		return 0, 0, fmt.Errorf("%w: Content-Range %q", ErrDownload, h)
	}
	if size == "*" {
		return start, -1, nil
	}
	total, err = strconv.ParseInt(size, 10, 64)
	if err != nil || total < start {
		return 0, 0, fmt.Errorf("%w: Content-Range %q", ErrDownload, h)
	}
	return start, total, nil
}

// copy writes the body to f, which stands at done.
func (d *download) copy(f *os.File, resp *http.Response, done, total int64, watch *time.Timer) error {
	d.o.Progress(done, total)
	buf := make([]byte, 1<<17)
	recent, least := 0, d.least()
	for first := done == 0; ; {
		n, err := resp.Body.Read(buf)
		if n > 0 {
			if recent += n; recent >= least {
				watch.Reset(d.o.Stall)
				recent = 0
			}
			if first && !bytes.HasPrefix(buf[:n], []byte("\x1f\x8b")[:min(n, 2)]) {
				return final("%w: %s sent something that begins with %.60q, want a gzip file",
					ErrContent, d.url, buf[:min(n, 60)])
			}
			first = false
			if done+int64(n) > maxArchive {
				return final("%w: %s sends more than %d bytes", ErrContent, d.url, int64(maxArchive))
			}
			if _, err := f.Write(buf[:n]); err != nil {
				return final("cannot keep the download: %w", err)
			}
			done += int64(n)
			d.o.Progress(done, total)
		}
		if errors.Is(err, io.EOF) && (total < 0 || done == total) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %s broke off after %d of %d bytes: %w", ErrDownload, d.url, done, total, err)
		}
	}
}

var errRedirect = errors.New("redirect not allowed")

// limitRedirects returns the client with our limits on redirects in front of its own.
func limitRedirects(c *http.Client) *http.Client {
	limited := *c
	limited.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("%w: more than %d in a row, the last to %s", errRedirect, maxRedirects, req.URL)
		}
		if req.URL.Scheme != "https" && req.URL.Scheme != "http" {
			return fmt.Errorf("%w: from %s to %s", errRedirect, via[0].URL, req.URL)
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return fmt.Errorf("%w: from HTTPS to %s", errRedirect, req.URL)
		}
		if c.CheckRedirect != nil {
			return c.CheckRedirect(req, via)
		}
		return nil
	}
	return &limited
}

// sumFile returns the MD5 sum of a file in hexadecimal, and its size.
func sumFile(name string) (sum string, size int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := md5.New()
	if size, err = io.Copy(h, f); err != nil {
		return "", 0, fmt.Errorf("cannot read %s: %w", name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}
