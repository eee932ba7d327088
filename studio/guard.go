package studio

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// pagePolicy lets the page load its own files, show images that it holds in memory, and nothing else.
const (
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; frame-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	maxQuery = 4096 // bytes
)

// Handler returns what answers requests: those that have the token as the first element of their path, name the server's address as
// their Host and come from no other page. Bind comes first; until then every request is refused.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer") // the address holds the token
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // browsers write what they cache to disk
		rest, ok := s.admit(r)
		if !ok {
			http.Error(w, "Not allowed. Open the address that augmix studio printed.", http.StatusForbidden)
			return
		}
		if len(r.URL.RawQuery) > maxQuery {
			http.Error(w, "The address is too long.", http.StatusRequestURITooLong)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = rest, ""
		s.mux.ServeHTTP(w, inner)
	})
}

// Local returns what answers requests of this process itself: without the token, the host and the origin that [Server.Handler] wants.
func (s *Server) Local() http.Handler { return s.mux }

// admit returns the path below the token if the request may be answered.
func (s *Server) admit(r *http.Request) (rest string, ok bool) {
	s.mu.Lock()
	hosts := s.hosts
	s.mu.Unlock()
	token, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 || !found {
		return "", false
	}
	if hosts == nil || !hosts(r.Host) { // the Host of a name that was made to lead here would be that name
		return "", false
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return "", false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return "", false
	}
	return "/" + rest, true
}

// hostsOf returns which hosts requests may name: the address that is listened on, localhost for the loopback, and where that is all
// addresses of the machine, any address in numbers. No other name is one, as a name may lead anywhere.
func hostsOf(addr net.Addr) func(host string) bool {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return func(string) bool { return false }
	}
	return func(host string) bool {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = strings.Trim(host, "[]"), "80"
		}
		if port != portOf(at) {
			return false
		}
		if strings.EqualFold(name, "localhost") {
			return at.Addr().IsLoopback() || at.Addr().IsUnspecified()
		}
		ip, err := netip.ParseAddr(name)
		return err == nil && (at.Addr().IsUnspecified() || ip.Unmap() == at.Addr().Unmap())
	}
}

func portOf(at netip.AddrPort) string {
	_, port, _ := net.SplitHostPort(at.String())
	return port
}
