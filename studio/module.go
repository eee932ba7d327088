//go:build !js

package studio

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is the studio as WebAssembly.
type module struct {
	packed []byte // the module, by gzip
	exec   []byte // wasm_exec.js of the Go that built it
}

// modulePackage is the program that is built as the module, moduleName its file.
const (
	modulePackage = "github.com/augmix-go/augmix/studio/wasm"
	moduleName    = "studio.wasm"
	execName      = "wasm_exec.js"
)

// howToBuild are the commands for a checkout of augmix.
const howToBuild = "GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o studio.wasm ./studio/wasm && " +
	"cp \"$(go env GOROOT)/lib/wasm/wasm_exec.js\" ."

// openModule finds the module as WriteStatic says.
func openModule(ctx context.Context, path string) (*module, error) {
	if path == "" {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(filepath.Dir(program), moduleName)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return buildModule(ctx)
		}
	}
	return readModule(path, filepath.Join(filepath.Dir(path), execName))
}

func readModule(path, starter string) (*module, error) {
	m := new(module)
	var err error
	if m.packed, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	if m.exec, err = os.ReadFile(starter); err != nil {
		return nil, fmt.Errorf("%w (it is in lib/wasm of the Go that built %s)", err, path)
	}
	if bytes.HasPrefix(m.packed, []byte("\x00asm")) {
		var b bytes.Buffer
		w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = w.Write(m.packed)
		_ = w.Close() // memory takes all
		m.packed = b.Bytes()
	} else if !bytes.HasPrefix(m.packed, []byte("\x1f\x8b")) {
		return nil, fmt.Errorf("%s: %w: it is no WebAssembly (a release has it; in a checkout of augmix: %s)", path, ErrSite, howToBuild)
	}
	return m, nil
}

// buildModule takes a minute where the Go command has built nothing of it before.
func buildModule(ctx context.Context) (*module, error) {
	dir, err := os.MkdirTemp("", "augmix-wasm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, moduleName)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file, modulePackage)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		first := ""
		for line := range strings.Lines(string(said)) {
			if first = strings.TrimSpace(line); !strings.HasPrefix(first, "#") { // which names a package
				break
			}
		}
		return nil, fmt.Errorf("%w: there is no %s beside the program, and go build does not make it here: %w %s (a release has it; in a checkout of augmix: %s)",
			ErrSite, moduleName, err, first, howToBuild)
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	return readModule(file, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", execName))
}
