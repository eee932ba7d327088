//go:build !amd64 || noasm

package conv

var level = 0

var isas = [...]*isa{&plainISA}

// Features names the instruction set of the assembly in use; in this build there is none.
func Features() string { return "plain" }

var levelNames = [...]string{"plain"}

func runTile(_ *isa, t *tile) { tilePlain(t) }

func runOuter(_ *isa, o *outer) { outerPlain(o) }
