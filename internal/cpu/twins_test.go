package cpu

import (
	"os"
	"regexp"
	"testing"
)

// stubs are the files that declare assembly, less _amd64.go and _arm64.go. Package kernel has a test like this of its own.
var stubs = []string{"nn/internal/conv/kernels", "nn/internal/vec/stubs", "metrics/internal/softmax/softmax"}

// notYet is said of loops that take a few hundredths of a training step.
const notYet = "not written yet: plain Go there"

// withoutTwin says why a kernel is not there for an instruction set.
var withoutTwin = map[string]string{
	"nn/internal/conv/kernels peak NEON":              "benchmarks compare with it, which run on amd64",
	"nn/internal/conv/kernels strip NEON":             "three channels fill three of four lanes: little would be won",
	"nn/internal/conv/kernels fours NEON":             "not written yet: groups of four are merged by twos, with twice the products",
	"nn/internal/vec/stubs transpose AVX512":          "eight columns are what the registers of AVX2 hold",
	"nn/internal/vec/stubs transpose NEON":            notYet,
	"nn/internal/vec/stubs maxIndex AVX512":           "rows of pixels are short",
	"nn/internal/vec/stubs maxIndex NEON":             notYet,
	"nn/internal/vec/stubs affineAdd NEON":            notYet,
	"nn/internal/vec/stubs winogradKernel NEON":       notYet,
	"nn/internal/vec/stubs winogradKernelGrad NEON":   notYet,
	"metrics/internal/softmax/softmax count32 AVX512": "comparisons of eight numbers: AVX-512 waits for memory as AVX2 does",
	"metrics/internal/softmax/softmax first32 AVX512": "as count32",
}

// TestEveryKernelHasItsTwin keeps each set of instructions from falling behind the others.
func TestEveryKernelHasItsTwin(t *testing.T) {
	// A digit tells how many vectors of channels a kernel takes, which differs between sets; two are the bits of a number.
	declared := regexp.MustCompile(`(?m)^func (\w*?[A-Za-z](?:32|64)?)\d?(AVX2|AVX512|NEON)\(`)
	unused := map[string]bool{}
	for what := range withoutTwin {
		unused[what] = true
	}
	for _, file := range stubs {
		kernels := map[string]map[string]bool{}
		for _, arch := range []string{"amd64", "arm64"} {
			source, err := os.ReadFile("../../" + file + "_" + arch + ".go")
			if err != nil {
				t.Fatal(err)
			}
			found := declared.FindAllStringSubmatch(string(source), -1)
			if all := regexp.MustCompile(`(?m)^func `).FindAllString(string(source), -1); len(found) < 2 || len(found) != len(all) {
				t.Errorf("%s on %s: %d functions, %d of them kernels", file, arch, len(all), len(found))
			}
			for _, k := range found {
				if kernels[k[1]] == nil {
					kernels[k[1]] = map[string]bool{}
				}
				kernels[k[1]][k[2]] = true
			}
		}
		for name, sets := range kernels {
			for _, set := range []string{"AVX2", "AVX512", "NEON"} {
				what := file + " " + name + " " + set
				if why := withoutTwin[what]; sets[set] != (why == "") {
					t.Errorf("%s: there is one: %v; the reason why not: %q", what, sets[set], why)
				}
				delete(unused, what)
			}
		}
	}
	for what := range unused {
		t.Errorf("withoutTwin names %s, which is no kernel", what)
	}
}
