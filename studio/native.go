//go:build !js

package studio

// native are the routes of what the WebAssembly module leaves out: models, runs and whole data sets, which would triple its size.
func (s *Server) native() {
	s.mux.HandleFunc("GET /api/train", s.answer(&s.gate, s.train))
	s.mux.HandleFunc("GET /api/predict", s.answer(&s.gate, s.predictions))
	s.mux.HandleFunc("GET /api/records", s.answer(&s.gate, s.recorded))
	s.mux.HandleFunc("GET /api/batch", s.answer(&s.writing, s.batch))
	s.mux.HandleFunc("GET /api/lost", s.answer(&s.writing, s.lost))
	s.mux.HandleFunc("GET /api/flips", s.streamed(s.flips))
	s.mux.HandleFunc("GET /api/search", s.streamed(s.search))
	s.mux.HandleFunc("GET /api/data", s.streamed(s.measure))
	s.mux.HandleFunc("GET /image/model", s.render(s.attacked))
	s.mux.HandleFunc("GET /image/occlusion", s.render(s.occlusion))
	s.mux.HandleFunc("GET /report", s.guarded(&s.writing, s.report))
}
