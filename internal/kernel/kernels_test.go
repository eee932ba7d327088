package kernel

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

// withoutTwin says why a kernel is there for one instruction set only.
var withoutTwin = map[string]string{
	"shearRowAVX2":     "20 instructions for eight pixels: AVX-512 waits for memory as AVX2 does",
	"shearColumnsAVX2": "as shearRow; a strip of sixteen columns would move by two rows",
	"inverseBlockAVX2": "one block is eight registers of eight lanes",

	"colorsToBytesAVX2": "eleven instructions for four pixels: AVX-512 waits for memory as AVX2 does",
	"moveColorsAVX2":    "a color is four lanes of float32",
	"displaceAVX2":      "a color is four lanes of float64",
	"impulsesAVX2":      "ten instructions for eight bytes: making the words takes longer",
	"addImpulsesAVX2":   "eight instructions for four pixels: AVX-512 waits for memory as AVX2 does",
}

// withoutNEON says why a kernel of amd64 is not there for arm64.
var withoutNEON = map[string]string{
	"escape": "not written yet: only escape-time fractals call it",
}

// TestEveryKernelHasItsTwin keeps AVX2, which most servers have, from falling behind AVX-512, and NEON behind both.
func TestEveryKernelHasItsTwin(t *testing.T) {
	stubs, err := os.ReadFile("kernel_amd64.go")
	if err != nil {
		t.Fatal(err)
	}
	twin := map[string]string{"AVX2": "AVX512", "AVX512": "AVX2"}
	found := map[string]bool{}
	kernels := regexp.MustCompile(`(?m)^func (\w+?)(AVX\d+)\(`).FindAllStringSubmatch(string(stubs), -1)
	for _, k := range kernels {
		found[k[1]+k[2]] = true
	}
	if len(kernels) < 50 {
		t.Fatalf("%d kernels found in kernel_amd64.go", len(kernels))
	}
	for _, k := range kernels {
		name, other := k[1]+k[2], k[1]+twin[k[2]]
		switch why := withoutTwin[name]; {
		case !found[other] && why == "":
			t.Errorf("%s has no twin %s and no reason in withoutTwin", name, other)
		case found[other] && why != "":
			t.Errorf("%s has a twin %s, so that withoutTwin need not tell why not", name, other)
		}
	}
	neon, err := os.ReadFile("kernel_arm64.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels {
		written := bytes.Contains(neon, []byte("func "+k[1]+"NEON("))
		switch why := withoutNEON[k[1]]; {
		case !written && why == "":
			t.Errorf("%s has no twin %sNEON and no reason in withoutNEON", k[0], k[1])
		case written && why != "":
			t.Errorf("%sNEON is there, so that withoutNEON need not tell why not", k[1])
		}
	}
	for name := range withoutTwin {
		if !found[name] {
			t.Errorf("withoutTwin names %s, which is no kernel", name)
		}
	}
}
