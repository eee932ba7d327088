// Command neon writes the NEON assembly of this module and the Go declarations of its functions. Run it in the module's root; it
// needs nothing but Go.
//
//	go run ./tools/neon
package main

import (
	"fmt"
	"os"

	"github.com/augmix-go/augmix/tools/neon/arm64"
	"github.com/augmix-go/augmix/tools/neon/conv"
	"github.com/augmix-go/augmix/tools/neon/kernel"
	"github.com/augmix-go/augmix/tools/neon/softmax"
	"github.com/augmix-go/augmix/tools/neon/vec"
)

// outputs are the files, less the ends .s and .go.
var outputs = map[string]func() *arm64.File{
	"internal/kernel/kernel_arm64":           kernel.Generate,
	"nn/internal/conv/kernels_arm64":         conv.Generate,
	"nn/internal/vec/stubs_arm64":            vec.Generate,
	"metrics/internal/softmax/softmax_arm64": softmax.Generate,
}

func main() {
	for name, make := range outputs {
		f := make()
		for end, content := range map[string][]byte{".s": f.Assembly(), ".go": f.Stubs()} {
			if err := os.WriteFile(name+end, content, 0o666); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}
