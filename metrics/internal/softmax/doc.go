// Package softmax holds the inner loops of package metrics: one pass over a row for its extremes and sums, one for the
// exponentials, and two that compare. A million rows of a thousand classes are a thousand million exponentials, so the
// loops exist in plain Go, which is the specification, and as AVX-512, AVX2 and NEON assembly.
//
// All of them give the same bits: sums are kept in eight lanes, element i of a row in lane i modulo 8, and added up in
// one fixed order; a product is fused with the addition after it where the code says math.FMA, everywhere, and else
// nowhere. So a metric does not depend on the processor, the architecture, or the build tag noasm, which leaves the
// assembly out. The environment variable AUGMIX_CPU (plain, avx2, avx512, neon) selects less than the processor has. The
// plain loops are quick where the compiler knows the fused multiply-add of the processor (arm64 and most others); on
// 386 and WebAssembly the standard library computes it in software, and on amd64 without assembly a check goes before
// each, which makes the exponentials about fifteen times as slow as with AVX-512.
//
// The assembly is written by the module in _generate, whose main.go says how.
package softmax
