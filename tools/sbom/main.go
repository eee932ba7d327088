// Command sbom prints the software bill of materials of a released program, whichever system that is for: what the
// program itself prints with "augmix version --sbom". GoReleaser calls it for every program that it has built.
package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"

	"github.com/augmix-go/augmix/internal/sbom"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM > PROGRAM.spdx.json")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := sbom.Write(&b, info); err != nil {
		return err
	}
	_, err = os.Stdout.Write(b.Bytes())
	return err
}
