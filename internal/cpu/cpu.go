// Package cpu says which instruction sets the assembly of this program may use. It is the only place that looks at the
// processor and at the environment variable AUGMIX_CPU, so that all kernels follow one rule.
//
// A [Level] is a set of instructions that kernels are written for. [Best] is the highest one of this machine, [Use] the
// one in use: AUGMIX_CPU, one of the names of [Level.String] in any case, lowers it. An empty AUGMIX_CPU is an unset one.
//
// A value that names no level, or one that this machine does not have, is a mistake. A package cannot fail while it is
// initialized, so the program then runs at the best level and [Err] tells of the mistake. Command augmix asks Err first
// and refuses to run.
//
// Programs built with -tags noasm hold no assembly: for them [Plain] is all there is.
//
// A package of kernels asks once, when it is initialized:
//
//	var level = cpu.Select("pixels", cpu.AVX2, cpu.AVX512, cpu.NEON)
package cpu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// Variable is the name of the environment variable that lowers the level.
const Variable = "AUGMIX_CPU"

// ErrLevel is wrapped by what [Err] returns.
var ErrLevel = errors.New("bad CPU level")

// Level is a set of instructions. Of the levels of one architecture a higher one includes the lower ones.
type Level int

const (
	Plain  Level = iota // Go only
	AVX2                // AVX2 and FMA: Intel since Haswell, AMD since Zen
	AVX512              // AVX-512 F, BW, VL, DQ, VBMI and BMI2 too: Intel since Ice Lake, AMD since Zen 4
	NEON                // the vectors that every 64-bit ARM processor has
)

// levels holds what there is to know of every level: a new one is a constant and a row.
var levels = [...]struct {
	name, arch string // arch as in runtime.GOARCH, "" for all
	needs      []feature
}{
	Plain: {name: "plain"},
	AVX2: {"avx2", "amd64", []feature{
		{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA},
	}},
	AVX512: {"avx512", "amd64", []feature{
		{"avx512f", cpu.X86.HasAVX512F},
		{"avx512bw", cpu.X86.HasAVX512BW},
		{"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512dq", cpu.X86.HasAVX512DQ},
		{"avx512vbmi", cpu.X86.HasAVX512VBMI},
		{"bmi2", cpu.X86.HasBMI2},
	}},
	NEON: {"neon", "arm64", []feature{{"asimd", runtime.GOARCH == "arm64"}}},
}

type feature struct {
	name string
	has  bool
}

var (
	best      = detect()
	use, fail = choose(os.Getenv(Variable), best)
)

// String returns the name: "plain", "avx2", "avx512", "neon".
func (l Level) String() string { return levels[l].name }

// Best returns the highest level that this machine and this build have.
func Best() Level { return best }

// Use returns the level in use: the one that AUGMIX_CPU names, else [Best].
func Use() Level { return use }

// Err returns nil, or an error that wraps [ErrLevel] and names the variable, its value and what is allowed here.
func Err() error { return fail }

// Levels returns the levels up to [Use] that this machine has, from [Plain] on: what a test of kernels goes through.
func Levels() []Level { return upTo(use) }

// Features lists, apart by spaces, which of the instructions that the levels of this architecture ask for the processor
// has. It is for people, who can see from it what a level lacks.
func Features() string {
	var names []string
	for l := range levels {
		if levels[l].arch != runtime.GOARCH {
			continue
		}
		for _, f := range levels[l].needs {
			if f.has {
				names = append(names, f.name)
			}
		}
	}
	return strings.Join(names, " ")
}

// upTo returns the levels of this architecture that are no higher than top.
func upTo(top Level) []Level {
	var list []Level
	for l := Plain; l <= top; l++ {
		if arch := levels[l].arch; arch == "" || arch == runtime.GOARCH {
			list = append(list, l)
		}
	}
	return list
}

// detect returns the level up to which nothing is lacking.
func detect() Level {
	found := Plain
	if !assembly {
		return found
	}
	for _, l := range upTo(Level(len(levels) - 1)) {
		if slices.ContainsFunc(levels[l].needs, func(f feature) bool { return !f.has }) {
			break
		}
		found = l
	}
	return found
}

// choose returns the level that a value of AUGMIX_CPU asks for. After an error it is the best one.
func choose(value string, best Level) (Level, error) {
	if value == "" {
		return best, nil
	}
	allowed := upTo(best)
	lower := strings.ToLower(value)
	for _, l := range allowed {
		if l.String() == lower {
			return l, nil
		}
	}
	why := "no such level"
	for l := range levels {
		if levels[l].name == lower {
			why = "this processor lacks it"
			if !assembly {
				why = "this program was built without assembly"
			}
		}
	}
	var names []string
	for _, l := range allowed {
		names = append(names, l.String())
	}
	return best, fmt.Errorf("%w: %s=%q: %s (allowed here: %s)", ErrLevel, Variable, value, why, strings.Join(names, ", "))
}
