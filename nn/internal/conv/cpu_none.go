//go:build (!amd64 && !arm64) || noasm

package conv

import "github.com/augmix-go/augmix/internal/cpu"

// level is plain Go: there is no assembly in this build.
var level = cpu.Select("convolution")

var isas = [...]*isa{&plainISA}

func runTile(_ *isa, t *tile) { tilePlain(t) }

func runOuter(_ *isa, o *outer) { outerPlain(o) }

// runStrip is not called here: no instruction set has strips.
func runStrip(*isa, *strip) {}
