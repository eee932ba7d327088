package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/augmix-go/augmix/generate"
	"github.com/augmix-go/augmix/internal/cpu"
	"github.com/augmix-go/augmix/internal/sbom"
)

// versionCmd prints what this program is.
type versionCmd struct {
	SBOM bool `name:"sbom" help:"Print the software bill of materials instead: SPDX 2.3 as JSON."`
}

// Help is the end of "augmix version --help".
func (versionCmd) Help() string {
	return `EXAMPLES
  augmix version
  augmix version --json
  augmix version --sbom > augmix.spdx.json`
}

// versionInfo is the JSON form.
type versionInfo struct {
	generate.Build
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Features []string          `json:"cpu_features"` // that assembly can use
	Kernels  map[string]string `json:"kernels"`      // the level at which each package of inner loops runs
}

// Run prints the version.
func (c *versionCmd) Run(a *app) error {
	if c.SBOM {
		info, _ := debug.ReadBuildInfo()
		return sbom.Write(a.out, info)
	}
	v := versionInfo{
		Build: build(), OS: runtime.GOOS, Arch: runtime.GOARCH, Features: strings.Fields(cpu.Features()), Kernels: map[string]string{},
	}
	var kernels []string
	for _, s := range cpu.Selections() {
		v.Kernels[s.Kernels] = s.Level.String()
		kernels = append(kernels, fmt.Sprintf("%s %v", s.Kernels, s.Level))
	}
	return a.print(v, func(w io.Writer) {
		fmt.Fprintf(w, "augmix %s", v.Version)
		if v.Commit != "" {
			fmt.Fprintf(w, " (commit %s)", v.Commit)
		}
		fmt.Fprintf(w, "\n%s %s/%s\n", v.Go, v.OS, v.Arch)
		if len(v.Features) > 0 {
			fmt.Fprintf(w, "cpu features: %s\n", strings.Join(v.Features, " "))
		}
		fmt.Fprintf(w, "kernels: %s\n", strings.Join(kernels, ", "))
	})
}

// build reads what the Go tool recorded in the program.
func build() generate.Build {
	b := generate.Build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	if b.Commit != "" {
		b.Commit += dirty
	}
	return b
}
