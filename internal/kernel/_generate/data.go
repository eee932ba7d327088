package main

import (
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Constants in the read-only data of the assembly, by name.
var globals = map[string]Mem{}

func constant(name string, words func(i int) uint32) Mem {
	if m, ok := globals[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(words(i)))
	}
	globals[name] = m
	return m
}

// channelShuffles returns the byte shuffles that leave channel c of each pixel as a 32-bit number.
func channelShuffles() (ctl [3]reg.VecVirtual) {
	for c := range ctl {
		m := constant([]string{"shuffleR", "shuffleG", "shuffleB"}[c], func(j int) uint32 {
			return 0x80808000 | uint32(4*(j%4)+c)
		})
		ctl[c] = ZMM()
		VMOVDQU64(m, ctl[c])
	}
	return ctl
}

// channelShuffle8 is channelShuffles in memory: AVX2 has only sixteen registers.
func channelShuffle8(c int) Mem {
	return constant([]string{"shuffleR", "shuffleG", "shuffleB", "shuffleA"}[c], func(j int) uint32 {
		return 0x80808000 | uint32(4*(j%4)+c)
	})
}

// LogErr stops the generator.
func LogErr(err error) { log.Print(err) }
