//go:build !js

package studio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/augmix-go/augmix/report"
)

// rowsName is the file that makes a directory a run.
const rowsName = "results.jsonl"

// findRuns returns the runs of the paths: each itself, or where it is a directory of runs, as augmix quickstart and augmix run write
// it, those below it. The error wraps report.ErrEmpty for a path without one.
func findRuns(paths []string) (runs []string, err error) {
	for _, path := range paths {
		st, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("%s is no run: %w", path, err)
		}
		found := []string{path}
		if _, err := os.Stat(filepath.Join(path, rowsName)); st.IsDir() && errors.Is(err, fs.ErrNotExist) {
			found = nil
			for _, below := range []string{"eval/" + rowsName, "*/eval/" + rowsName, "*/" + rowsName} {
				files, err := filepath.Glob(filepath.Join(escapeGlob(path), filepath.FromSlash(below)))
				if err == nil && len(files) > 0 {
					for _, f := range files {
						found = append(found, filepath.Dir(f))
					}
					break
				}
			}
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: %w: no %s in it or in a folder of it", path, report.ErrEmpty, rowsName)
		}
		for _, f := range found {
			if !slices.Contains(runs, f) {
				runs = append(runs, f)
			}
		}
	}
	if len(runs) > maxRuns {
		return nil, fmt.Errorf("%d runs: %w (allowed: up to %d)", len(runs), report.ErrOption, maxRuns)
	}
	return runs, nil
}

// escapeGlob makes a path a pattern that is like it alone.
func escapeGlob(path string) string {
	if os.PathSeparator == '\\' {
		return path // where patterns have no escapes
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(path)
}

// runNames are the runs as the page names them: what they do not share of their paths.
func runNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, p := range paths {
		p = filepath.Clean(p)
		if filepath.Base(p) == "eval" {
			p = filepath.Dir(p)
		}
		names[i] = filepath.Base(p)
		for j, other := range names[:i] {
			if other == names[i] {
				names[i], names[j] = p, filepath.Clean(paths[j])
			}
		}
	}
	return names
}

// build makes the report of the runs that q names; all of them without any.
func (s *Server) build(ctx context.Context, q *request) (*report.Report, error) {
	chosen := q.Runs
	if len(chosen) == 0 {
		for i := range s.runs {
			chosen = append(chosen, i)
		}
	}
	if len(s.runs) == 0 {
		return nil, fmt.Errorf("%w: no runs were named (start it with --runs DIR)", errGone)
	}
	var runs []*report.Run
	for _, i := range chosen {
		if i >= len(s.runs) {
			return nil, fmt.Errorf("%w: run %d (there are %d, from 0)", errGone, i, len(s.runs))
		}
		run, err := report.Load(s.runs[i])
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return report.Build(ctx, runs, report.Options{Title: "Runs", Version: s.opt.Version})
}

// report sends the report as the page that augmix report writes, for a frame. What it may do its own policy says: its one script, by
// its hash, and its images.
func (s *Server) report(w http.ResponseWriter, r *http.Request, q *request) error {
	rep, err := s.build(r.Context(), q)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := rep.WriteHTML(&b); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", report.Policy()+"; frame-ancestors 'self'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes())
	return nil
}
