// Command notice writes NOTICE: the licenses of everything that is linked into a released augmix. It reads the license
// files beside the linked packages in the module cache, so that a module whose parts have licenses of their own is
// listed with the parts that are used. Run it from the root of the module: go run ./tools/notice.
package main

import (
	"flag"
	"fmt"
	"os"
)

// program is what is released.
const program = "github.com/augmix-go/augmix/cmd/augmix"

func main() {
	out := flag.String("o", "NOTICE", "file to write")
	flag.Parse()
	text, err := notice(program)
	if err == nil {
		err = os.WriteFile(*out, []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}
