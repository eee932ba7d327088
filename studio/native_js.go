package studio

// What the WebAssembly module has of models and runs: none.

func (s *Server) native() {}

func (f *freezer) runs() ([]byte, error)  { return nil, errGone }
func (f *freezer) train() (any, error)    { return nil, errGone }
func (f *freezer) data(bool) (any, error) { return nil, errGone }

type model struct{}

func openModel(*Options) (*model, error)  { return nil, errModel }
func (*model) info(string) *modelInfo     { return nil }
func (*model) close() error               { return nil }
func findRuns([]string) ([]string, error) { return nil, nil }
func runNames([]string) []string          { return nil }
