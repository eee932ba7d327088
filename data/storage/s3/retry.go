//go:build !js

package s3

import (
	"context"
	"crypto/x509"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/augmix-go/augmix/data/storage"
)

// maxWait is the longest wait between two tries.
const maxWait = 10 * time.Second

// retry does a request until it succeeds, fails for good, or has been tried often enough. Every request of the package goes
// through it.
func (s *Store) retry(ctx context.Context, do func(ctx context.Context) error) error {
	wait, left, begun := s.config.Wait, s.config.Tries, time.Now()
	if s.given.Load() && !s.answered.Load() {
		left = 1 // a command that asks for something else next has waited once
	}
	ctx, done := s.untilAnswered(ctx)
	defer done()
	for try := 1; ; try++ {
		err := do(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil || !temporary(err) {
			return err
		}
		left--
		if unreachable(err) && !s.answered.Load() {
			left-- // a wrong address is not worth as much patience as a store that is being restarted
		}
		if left <= 0 {
			s.given.Store(unreachable(err))
			took := time.Since(begun).Round(100 * time.Millisecond)
			return fmt.Errorf("%w after %s in %v: %w", storage.ErrStore, tries(try), took, err)
		}
		s.say(err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait/2 + rand.N(wait/2+1)): // some of it by chance, so that many clients do not come back together
		}
		wait = min(2*wait, maxWait)
	}
}

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

// untilAnswered returns a context that storage.Until ends too where the store has never answered. done does not end it: what a request
// has opened is read on.
func (s *Store) untilAnswered(ctx context.Context) (_ context.Context, done func() bool) {
	until := storage.Until
	if until == nil || s.answered.Load() {
		return ctx, func() bool { return true }
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, context.AfterFunc(until, func() {
		if !s.answered.Load() {
			cancel(context.Cause(until))
		}
	})
}

// say tells once that a request got no answer and is repeated. Answers, such as that the store is busy, come at once and need no line.
func (s *Store) say(err error) {
	if r := (minio.ErrorResponse{}); storage.Waiting == nil || errors.As(err, &r) {
		return
	}
	if address := (*url.Error)(nil); errors.As(err, &address) {
		err = address.Err // the request's URL says little to who waits
	}
	s.said.Do(func() {
		storage.Waiting(fmt.Errorf("the object store at %s: %w", s.core.EndpointURL(), err))
	})
}

// temporary reports whether the same request may succeed later.
func temporary(err error) bool {
	if err == nil || errors.Is(err, errProgress) || errors.Is(err, errCircle) || errors.Is(err, errRanges) || errors.Is(err, storage.ErrChanged) ||
		errors.Is(err, fs.ErrClosed) {
		return false
	}
	if r := (minio.ErrorResponse{}); errors.As(err, &r) {
		if slices.Contains([]string{"RequestTimeout", "SlowDown", "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody"}, r.Code) {
			return true
		}
		return r.StatusCode >= 500 && r.StatusCode != http.StatusNotImplemented ||
			r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout
	}
	if said := (*xml.SyntaxError)(nil); errors.As(err, &said) { // cut off or not what stores answer
		return said.Msg == "unexpected EOF"
	}
	var certificate *x509.UnknownAuthorityError
	var host *x509.HostnameError
	return !errors.As(err, &certificate) && !errors.As(err, &host) && !strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

// unreachable reports whether nobody is at the address, or somebody who does not answer.
func unreachable(err error) bool {
	var dns *net.DNSError
	var slow net.Error
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dns) || errors.Is(err, errSilent) || errors.As(err, &slow) && slow.Timeout()
}

// noKeys says where keys are looked for, see [EnvironmentConfig].
const noKeys = "access denied, and there are no keys to sign requests with (looked for: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
	"the profile AWS_PROFILE of ~/.aws/credentials, the machine's role)"

// reasons say in words what codes of the protocol mean to somebody who gave the name.
var reasons = map[string]string{
	"NoSuchBucket":          "there is no such bucket",
	"AccessDenied":          "access denied: these keys may not do that",
	"InvalidAccessKeyId":    "access denied: the store does not know the access key",
	"XAdminUserNotFound":    "access denied: the store does not know the access key", // versitygw's word for it
	"SignatureDoesNotMatch": "access denied: the secret key is not that of the access key",
	"ExpiredToken":          "access denied: the session token has expired",
	"InsufficientStorage":   "the store is full",
	"RequestTimeTooSkewed":  "the clock of this machine differs too much from that of the store",
}

// ofAll are codes of what is wrong with the store or the keys, whichever object was asked for.
var ofAll = []string{"NoSuchBucket", "InvalidAccessKeyId", "XAdminUserNotFound", "SignatureDoesNotMatch", "ExpiredToken", "RequestTimeTooSkewed"}

// storeError is an ErrStore besides what it wraps.
type storeError struct{ error }

// Is implements what [errors.Is] asks for.
func (e storeError) Is(target error) bool { return target == storage.ErrStore }

// Unwrap returns what it is besides.
func (e storeError) Unwrap() error { return e.error }

// explain makes one line of an error about a name: what is wrong, and which of the errors of package fs it is.
func (s *Store) explain(name string, err error) error { return explain(name, err, s.signed) }

// signed reports whether there are keys to sign requests with.
func (s *Store) signed() bool {
	keys, err := s.config.Keys.GetWithContext(nil)
	return err != nil || keys.AccessKeyID != "" && !keys.SignerType.IsAnonymous()
}

// explain is that of a store whose requests were signed or not, which is asked only of one that was refused.
func explain(name string, err error, signed func() bool) error {
	r := minio.ErrorResponse{}
	if err == nil || !errors.As(err, &r) {
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	}
	said, ok := reasons[r.Code]
	if !ok {
		if said = strings.Join(strings.Fields(r.Message), " "); said == "" {
			said = "no reason given"
		}
	}
	if (r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusUnauthorized) && !signed() {
		said = noKeys
	}
	said = fmt.Sprintf("%s (%d %s)", said, r.StatusCode, r.Code)
	switch {
	case strings.HasPrefix(said, "access denied") || r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusUnauthorized:
		err = fmt.Errorf("%s: %s: %w", name, said, fs.ErrPermission)
	case r.Code == "NoSuchBucket" || r.StatusCode == http.StatusNotFound:
		err = fmt.Errorf("%s: %s: %w", name, said, fs.ErrNotExist)
	default:
		return fmt.Errorf("%s: %w: %s", name, storage.ErrStore, said)
	}
	if slices.Contains(ofAll, r.Code) {
		err = storeError{err}
	}
	return err
}
