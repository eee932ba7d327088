package studio

import "net/http"

// Local returns what answers requests of this process itself: without the token, the host and the origin that [Server.Handler] wants.
func (s *Server) Local() http.Handler { return s.mux }
