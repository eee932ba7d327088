package arm64

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// encodings are words that GNU as 2.40, or llvm-mc 14, made of the text beside them.
var encodings = []struct {
	word uint32
	text string
	emit func(f *Func)
}{
	{0x4e3e8621, "add v1.16b, v17.16b, v30.16b", func(f *Func) { f.ADD(Vec(1).B16(), Vec(17).B16(), Vec(30).B16()) }},
	{0x0e7d8622, "add v2.4h, v17.4h, v29.4h", func(f *Func) { f.ADD(Vec(2).H4(), Vec(17).H4(), Vec(29).H4()) }},
	{0x4ebc8623, "add v3.4s, v17.4s, v28.4s", func(f *Func) { f.ADD(Vec(3).S4(), Vec(17).S4(), Vec(28).S4()) }},
	{0x4efb8624, "add v4.2d, v17.2d, v27.2d", func(f *Func) { f.ADD(Vec(4).D2(), Vec(17).D2(), Vec(27).D2()) }},
	{0x6e7e8621, "sub v1.8h, v17.8h, v30.8h", func(f *Func) { f.SUB(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x6e7e8e21, "cmeq v1.8h, v17.8h, v30.8h", func(f *Func) { f.CMEQ(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e7e3e21, "cmge v1.8h, v17.8h, v30.8h", func(f *Func) { f.CMGE(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x6e7e3621, "cmhi v1.8h, v17.8h, v30.8h", func(f *Func) { f.CMHI(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x6e7e3e21, "cmhs v1.8h, v17.8h, v30.8h", func(f *Func) { f.CMHS(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e7e4621, "sshl v1.8h, v17.8h, v30.8h", func(f *Func) { f.SSHL(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x6efe4621, "ushl v1.2d, v17.2d, v30.2d", func(f *Func) { f.USHL(Vec(1).D2(), Vec(17).D2(), Vec(30).D2()) }},
	{0x4e7ebe21, "addp v1.8h, v17.8h, v30.8h", func(f *Func) { f.ADDP(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e3a21, "zip1 v1.8h, v17.8h, v30.8h", func(f *Func) { f.ZIP1(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e7a21, "zip2 v1.8h, v17.8h, v30.8h", func(f *Func) { f.ZIP2(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e1a21, "uzp1 v1.8h, v17.8h, v30.8h", func(f *Func) { f.UZP1(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e5a21, "uzp2 v1.8h, v17.8h, v30.8h", func(f *Func) { f.UZP2(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e2a21, "trn1 v1.8h, v17.8h, v30.8h", func(f *Func) { f.TRN1(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4e5e6a21, "trn2 v1.8h, v17.8h, v30.8h", func(f *Func) { f.TRN2(Vec(1).H8(), Vec(17).H8(), Vec(30).H8()) }},
	{0x4eb995c3, "mla v3.4s, v14.4s, v25.4s", func(f *Func) { f.MLA(Vec(3).S4(), Vec(14).S4(), Vec(25).S4()) }},
	{0x4e799dc3, "mul v3.8h, v14.8h, v25.8h", func(f *Func) { f.MUL(Vec(3).H8(), Vec(14).H8(), Vec(25).H8()) }},
	{0x4e79b5c3, "sqdmulh v3.8h, v14.8h, v25.8h", func(f *Func) { f.SQDMULH(Vec(3).H8(), Vec(14).H8(), Vec(25).H8()) }},
	{0x6e3965c3, "umax v3.16b, v14.16b, v25.16b", func(f *Func) { f.UMAX(Vec(3).B16(), Vec(14).B16(), Vec(25).B16()) }},
	{0x6e3975c3, "uabd v3.16b, v14.16b, v25.16b", func(f *Func) { f.UABD(Vec(3).B16(), Vec(14).B16(), Vec(25).B16()) }},
	{0x2e396dc3, "umin v3.8b, v14.8b, v25.8b", func(f *Func) { f.UMIN(Vec(3).B8(), Vec(14).B8(), Vec(25).B8()) }},
	{0x4e7965c3, "smax v3.8h, v14.8h, v25.8h", func(f *Func) { f.SMAX(Vec(3).H8(), Vec(14).H8(), Vec(25).H8()) }},
	{0x4eb96dc3, "smin v3.4s, v14.4s, v25.4s", func(f *Func) { f.SMIN(Vec(3).S4(), Vec(14).S4(), Vec(25).S4()) }},
	{0x4e3f1e42, "and v2.16b, v18.16b, v31.16b", func(f *Func) { f.AND(Vec(2), Vec(18), Vec(31)) }},
	{0x4e7f1e42, "bic v2.16b, v18.16b, v31.16b", func(f *Func) { f.BIC(Vec(2), Vec(18), Vec(31)) }},
	{0x4ebf1e42, "orr v2.16b, v18.16b, v31.16b", func(f *Func) { f.ORR(Vec(2), Vec(18), Vec(31)) }},
	{0x6e3f1e42, "eor v2.16b, v18.16b, v31.16b", func(f *Func) { f.EOR(Vec(2), Vec(18), Vec(31)) }},
	{0x6e7f1e42, "bsl v2.16b, v18.16b, v31.16b", func(f *Func) { f.BSL(Vec(2), Vec(18), Vec(31)) }},
	{0x6ebf1e42, "bit v2.16b, v18.16b, v31.16b", func(f *Func) { f.BIT(Vec(2), Vec(18), Vec(31)) }},
	{0x4e3cd667, "fadd v7.4s, v19.4s, v28.4s", func(f *Func) { f.FADD(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4e7cd667, "fadd v7.2d, v19.2d, v28.2d", func(f *Func) { f.FADD(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4ebcd667, "fsub v7.4s, v19.4s, v28.4s", func(f *Func) { f.FSUB(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4efcd667, "fsub v7.2d, v19.2d, v28.2d", func(f *Func) { f.FSUB(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x6e3cde67, "fmul v7.4s, v19.4s, v28.4s", func(f *Func) { f.FMUL(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x6e7cde67, "fmul v7.2d, v19.2d, v28.2d", func(f *Func) { f.FMUL(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x6e3cfe67, "fdiv v7.4s, v19.4s, v28.4s", func(f *Func) { f.FDIV(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x6e7cfe67, "fdiv v7.2d, v19.2d, v28.2d", func(f *Func) { f.FDIV(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4e3cce67, "fmla v7.4s, v19.4s, v28.4s", func(f *Func) { f.FMLA(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4e7cce67, "fmla v7.2d, v19.2d, v28.2d", func(f *Func) { f.FMLA(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4ebcce67, "fmls v7.4s, v19.4s, v28.4s", func(f *Func) { f.FMLS(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4efcce67, "fmls v7.2d, v19.2d, v28.2d", func(f *Func) { f.FMLS(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4e3cf667, "fmax v7.4s, v19.4s, v28.4s", func(f *Func) { f.FMAX(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4e7cf667, "fmax v7.2d, v19.2d, v28.2d", func(f *Func) { f.FMAX(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4ebcf667, "fmin v7.4s, v19.4s, v28.4s", func(f *Func) { f.FMIN(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4efcf667, "fmin v7.2d, v19.2d, v28.2d", func(f *Func) { f.FMIN(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x4e3ce667, "fcmeq v7.4s, v19.4s, v28.4s", func(f *Func) { f.FCMEQ(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x4e7ce667, "fcmeq v7.2d, v19.2d, v28.2d", func(f *Func) { f.FCMEQ(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x6e3ce667, "fcmge v7.4s, v19.4s, v28.4s", func(f *Func) { f.FCMGE(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x6e7ce667, "fcmge v7.2d, v19.2d, v28.2d", func(f *Func) { f.FCMGE(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x6ebce667, "fcmgt v7.4s, v19.4s, v28.4s", func(f *Func) { f.FCMGT(Vec(7).S4(), Vec(19).S4(), Vec(28).S4()) }},
	{0x6efce667, "fcmgt v7.2d, v19.2d, v28.2d", func(f *Func) { f.FCMGT(Vec(7).D2(), Vec(19).D2(), Vec(28).D2()) }},
	{0x0e3cd667, "fadd v7.2s, v19.2s, v28.2s", func(f *Func) { f.FADD(Vec(7).S2(), Vec(19).S2(), Vec(28).S2()) }},
	{0x2e3dc205, "umull v5.8h, v16.8b, v29.8b", func(f *Func) { f.UMULL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x6e7dc205, "umull2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.UMULL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x0e3dc205, "smull v5.8h, v16.8b, v29.8b", func(f *Func) { f.SMULL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x4e7dc205, "smull2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.SMULL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x2e3d8205, "umlal v5.8h, v16.8b, v29.8b", func(f *Func) { f.UMLAL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x6e7d8205, "umlal2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.UMLAL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x0e3d8205, "smlal v5.8h, v16.8b, v29.8b", func(f *Func) { f.SMLAL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x4e7d8205, "smlal2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.SMLAL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x2e3da205, "umlsl v5.8h, v16.8b, v29.8b", func(f *Func) { f.UMLSL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x6e7da205, "umlsl2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.UMLSL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x2e3d2205, "usubl v5.8h, v16.8b, v29.8b", func(f *Func) { f.USUBL(Vec(5).H8(), Vec(16).B8(), Vec(29).B8()) }},
	{0x6e7d2205, "usubl2 v5.4s, v16.8h, v29.8h", func(f *Func) { f.USUBL(Vec(5).S4(), Vec(16).H8(), Vec(29).H8()) }},
	{0x6ebdc205, "umull2 v5.2d, v16.4s, v29.4s", func(f *Func) { f.UMULL(Vec(5).D2(), Vec(16).S4(), Vec(29).S4()) }},
	{0x2e7d1205, "uaddw v5.4s, v16.4s, v29.4h", func(f *Func) { f.UADDW(Vec(5).S4(), Vec(16).S4(), Vec(29).H4()) }},
	{0x6e3d1205, "uaddw2 v5.8h, v16.8h, v29.16b", func(f *Func) { f.UADDW(Vec(5).H8(), Vec(16).H8(), Vec(29).B16()) }},
	{0x6f5d0a05, "mla v5.8h, v16.8h, v13.h[5]", func(f *Func) { f.MLAE(Vec(5).H8(), Vec(16).H8(), Vec(13).At(H, 5)) }},
	{0x6fbd0a05, "mla v5.4s, v16.4s, v29.s[3]", func(f *Func) { f.MLAE(Vec(5).S4(), Vec(16).S4(), Vec(29).At(S, 3)) }},
	{0x0f6faa05, "smull v5.4s, v16.4h, v15.h[6]", func(f *Func) { f.SMULLE(Vec(5).S4(), Vec(16).H4(), Vec(15).At(H, 6)) }},
	{0x4fbfa205, "smull2 v5.2d, v16.4s, v31.s[1]", func(f *Func) { f.SMULLE(Vec(5).D2(), Vec(16).S4(), Vec(31).At(S, 1)) }},
	{0x0f6f2a05, "smlal v5.4s, v16.4h, v15.h[6]", func(f *Func) { f.SMLALE(Vec(5).S4(), Vec(16).H4(), Vec(15).At(H, 6)) }},
	{0x4fbf2205, "smlal2 v5.2d, v16.4s, v31.s[1]", func(f *Func) { f.SMLALE(Vec(5).D2(), Vec(16).S4(), Vec(31).At(S, 1)) }},
	{0x4f9f9a05, "fmul v5.4s, v16.4s, v31.s[2]", func(f *Func) { f.FMULE(Vec(5).S4(), Vec(16).S4(), Vec(31).At(S, 2)) }},
	{0x4fd19a05, "fmul v5.2d, v16.2d, v17.d[1]", func(f *Func) { f.FMULE(Vec(5).D2(), Vec(16).D2(), Vec(17).At(D, 1)) }},
	{0x4f9f1a05, "fmla v5.4s, v16.4s, v31.s[2]", func(f *Func) { f.FMLAE(Vec(5).S4(), Vec(16).S4(), Vec(31).At(S, 2)) }},
	{0x4fd11a05, "fmla v5.2d, v16.2d, v17.d[1]", func(f *Func) { f.FMLAE(Vec(5).D2(), Vec(16).D2(), Vec(17).At(D, 1)) }},
	{0x4ea0faa6, "fabs v6.4s, v21.4s", func(f *Func) { f.FABS(Vec(6).S4(), Vec(21).S4()) }},
	{0x4ee0faa6, "fabs v6.2d, v21.2d", func(f *Func) { f.FABS(Vec(6).D2(), Vec(21).D2()) }},
	{0x6ea0faa6, "fneg v6.4s, v21.4s", func(f *Func) { f.FNEG(Vec(6).S4(), Vec(21).S4()) }},
	{0x6ee0faa6, "fneg v6.2d, v21.2d", func(f *Func) { f.FNEG(Vec(6).D2(), Vec(21).D2()) }},
	{0x4ea1baa6, "fcvtzs v6.4s, v21.4s", func(f *Func) { f.FCVTZS(Vec(6).S4(), Vec(21).S4()) }},
	{0x4ee1baa6, "fcvtzs v6.2d, v21.2d", func(f *Func) { f.FCVTZS(Vec(6).D2(), Vec(21).D2()) }},
	{0x4e21daa6, "scvtf v6.4s, v21.4s", func(f *Func) { f.SCVTF(Vec(6).S4(), Vec(21).S4()) }},
	{0x4e61daa6, "scvtf v6.2d, v21.2d", func(f *Func) { f.SCVTF(Vec(6).D2(), Vec(21).D2()) }},
	{0x6e21daa6, "ucvtf v6.4s, v21.4s", func(f *Func) { f.UCVTF(Vec(6).S4(), Vec(21).S4()) }},
	{0x6e61daa6, "ucvtf v6.2d, v21.2d", func(f *Func) { f.UCVTF(Vec(6).D2(), Vec(21).D2()) }},
	{0x6ea1faa6, "fsqrt v6.4s, v21.4s", func(f *Func) { f.FSQRT(Vec(6).S4(), Vec(21).S4()) }},
	{0x6ee1faa6, "fsqrt v6.2d, v21.2d", func(f *Func) { f.FSQRT(Vec(6).D2(), Vec(21).D2()) }},
	{0x4e219aa6, "frintm v6.4s, v21.4s", func(f *Func) { f.FRINTM(Vec(6).S4(), Vec(21).S4()) }},
	{0x4e619aa6, "frintm v6.2d, v21.2d", func(f *Func) { f.FRINTM(Vec(6).D2(), Vec(21).D2()) }},
	{0x4e218aa6, "frintn v6.4s, v21.4s", func(f *Func) { f.FRINTN(Vec(6).S4(), Vec(21).S4()) }},
	{0x4e618aa6, "frintn v6.2d, v21.2d", func(f *Func) { f.FRINTN(Vec(6).D2(), Vec(21).D2()) }},
	{0x6e205aa6, "mvn v6.16b, v21.16b", func(f *Func) { f.NOT(Vec(6), Vec(21)) }},
	{0x4e609aa6, "cmeq v6.8h, v21.8h, #0", func(f *Func) { f.CMEQ0(Vec(6).H8(), Vec(21).H8()) }},
	{0x4ea0daa6, "fcmeq v6.4s, v21.4s, #0.0", func(f *Func) { f.FCMEQ0(Vec(6).S4(), Vec(21).S4()) }},
	{0x4ee0daa6, "fcmeq v6.2d, v21.2d, #0.0", func(f *Func) { f.FCMEQ0(Vec(6).D2(), Vec(21).D2()) }},
	{0x4ea0eaa6, "fcmlt v6.4s, v21.4s, #0.0", func(f *Func) { f.FCMLT0(Vec(6).S4(), Vec(21).S4()) }},
	{0x4ee0eaa6, "fcmlt v6.2d, v21.2d, #0.0", func(f *Func) { f.FCMLT0(Vec(6).D2(), Vec(21).D2()) }},
	{0x0e212aa6, "xtn v6.8b, v21.8h", func(f *Func) { f.XTN(Vec(6).B8(), Vec(21).H8()) }},
	{0x4ea12aa6, "xtn2 v6.4s, v21.2d", func(f *Func) { f.XTN(Vec(6).S4(), Vec(21).D2()) }},
	{0x0e214aa6, "sqxtn v6.8b, v21.8h", func(f *Func) { f.SQXTN(Vec(6).B8(), Vec(21).H8()) }},
	{0x4ea14aa6, "sqxtn2 v6.4s, v21.2d", func(f *Func) { f.SQXTN(Vec(6).S4(), Vec(21).D2()) }},
	{0x2e212aa6, "sqxtun v6.8b, v21.8h", func(f *Func) { f.SQXTUN(Vec(6).B8(), Vec(21).H8()) }},
	{0x6ea12aa6, "sqxtun2 v6.4s, v21.2d", func(f *Func) { f.SQXTUN(Vec(6).S4(), Vec(21).D2()) }},
	{0x0e616aa6, "fcvtn v6.2s, v21.2d", func(f *Func) { f.FCVTN(Vec(6).S2(), Vec(21).D2()) }},
	{0x4e616aa6, "fcvtn2 v6.4s, v21.2d", func(f *Func) { f.FCVTN(Vec(6).S4(), Vec(21).D2()) }},
	{0x0e617aa6, "fcvtl v6.2d, v21.2s", func(f *Func) { f.FCVTL(Vec(6).D2(), Vec(21).S2()) }},
	{0x4e617aa6, "fcvtl2 v6.2d, v21.4s", func(f *Func) { f.FCVTL(Vec(6).D2(), Vec(21).S4()) }},
	{0x6e202aa6, "uaddlp v6.8h, v21.16b", func(f *Func) { f.UADDLP(Vec(6).H8(), Vec(21).B16()) }},
	{0x6e206aa6, "uadalp v6.8h, v21.16b", func(f *Func) { f.UADALP(Vec(6).H8(), Vec(21).B16()) }},
	{0x4e31baa6, "addv b6, v21.16b", func(f *Func) { f.ADDV(Vec(6), Vec(21).B16()) }},
	{0x4eb1baa6, "addv s6, v21.4s", func(f *Func) { f.ADDV(Vec(6), Vec(21).S4()) }},
	{0x6e30aaa6, "umaxv b6, v21.16b", func(f *Func) { f.UMAXV(Vec(6), Vec(21).B16()) }},
	{0x6eb0aaa6, "umaxv s6, v21.4s", func(f *Func) { f.UMAXV(Vec(6), Vec(21).S4()) }},
	{0x4e0b63c6, "tbl v6.16b, {v30.16b, v31.16b, v0.16b, v1.16b}, v11.16b", func(f *Func) { f.TBL(Vec(6), []Vec{30, 31, 0, 1}, Vec(11)) }},
	{0x4e0b0126, "tbl v6.16b, {v9.16b}, v11.16b", func(f *Func) { f.TBL(Vec(6), []Vec{9}, Vec(11)) }},
	{0x4e0b73c6, "tbx v6.16b, {v30.16b, v31.16b, v0.16b, v1.16b}, v11.16b", func(f *Func) { f.TBX(Vec(6), []Vec{30, 31, 0, 1}, Vec(11)) }},
	{0x4e0b1126, "tbx v6.16b, {v9.16b}, v11.16b", func(f *Func) { f.TBX(Vec(6), []Vec{9}, Vec(11)) }},
	{0x4e1706a6, "dup v6.16b, v21.b[11]", func(f *Func) { f.DUP(Vec(6).B16(), Vec(21).At(B, 11)) }},
	{0x4e010da6, "dup v6.16b, w13", func(f *Func) { f.DUPR(Vec(6).B16(), Reg(13)) }},
	{0x0e173ccd, "umov w13, v6.b[11]", func(f *Func) { f.UMOV(Reg(13), Vec(6).At(B, 11)) }},
	{0x4e1606a6, "dup v6.8h, v21.h[5]", func(f *Func) { f.DUP(Vec(6).H8(), Vec(21).At(H, 5)) }},
	{0x4e020da6, "dup v6.8h, w13", func(f *Func) { f.DUPR(Vec(6).H8(), Reg(13)) }},
	{0x0e163ccd, "umov w13, v6.h[5]", func(f *Func) { f.UMOV(Reg(13), Vec(6).At(H, 5)) }},
	{0x4e1c06a6, "dup v6.4s, v21.s[3]", func(f *Func) { f.DUP(Vec(6).S4(), Vec(21).At(S, 3)) }},
	{0x4e040da6, "dup v6.4s, w13", func(f *Func) { f.DUPR(Vec(6).S4(), Reg(13)) }},
	{0x0e1c3ccd, "mov w13, v6.s[3]", func(f *Func) { f.UMOV(Reg(13), Vec(6).At(S, 3)) }},
	{0x4e1806a6, "dup v6.2d, v21.d[1]", func(f *Func) { f.DUP(Vec(6).D2(), Vec(21).At(D, 1)) }},
	{0x4e080da6, "dup v6.2d, x13", func(f *Func) { f.DUPR(Vec(6).D2(), Reg(13)) }},
	{0x4e183ccd, "mov x13, v6.d[1]", func(f *Func) { f.UMOV(Reg(13), Vec(6).At(D, 1)) }},
	{0x0e0c06a6, "dup v6.2s, v21.s[1]", func(f *Func) { f.DUP(Vec(6).S2(), Vec(21).At(S, 1)) }},
	{0x4f0f56a6, "shl v6.16b, v21.16b, #7", func(f *Func) { f.SHL(Vec(6).B16(), Vec(21).B16(), 7) }},
	{0x4f2156a6, "shl v6.4s, v21.4s, #1", func(f *Func) { f.SHL(Vec(6).S4(), Vec(21).S4(), 1) }},
	{0x4f7f56a6, "shl v6.2d, v21.2d, #63", func(f *Func) { f.SHL(Vec(6).D2(), Vec(21).D2(), 63) }},
	{0x6f0f56a6, "sli v6.16b, v21.16b, #7", func(f *Func) { f.SLI(Vec(6).B16(), Vec(21).B16(), 7) }},
	{0x6f2156a6, "sli v6.4s, v21.4s, #1", func(f *Func) { f.SLI(Vec(6).S4(), Vec(21).S4(), 1) }},
	{0x6f7f56a6, "sli v6.2d, v21.2d, #63", func(f *Func) { f.SLI(Vec(6).D2(), Vec(21).D2(), 63) }},
	{0x4f0906a6, "sshr v6.16b, v21.16b, #7", func(f *Func) { f.SSHR(Vec(6).B16(), Vec(21).B16(), 7) }},
	{0x4f3f06a6, "sshr v6.4s, v21.4s, #1", func(f *Func) { f.SSHR(Vec(6).S4(), Vec(21).S4(), 1) }},
	{0x4f4106a6, "sshr v6.2d, v21.2d, #63", func(f *Func) { f.SSHR(Vec(6).D2(), Vec(21).D2(), 63) }},
	{0x6f0906a6, "ushr v6.16b, v21.16b, #7", func(f *Func) { f.USHR(Vec(6).B16(), Vec(21).B16(), 7) }},
	{0x6f3f06a6, "ushr v6.4s, v21.4s, #1", func(f *Func) { f.USHR(Vec(6).S4(), Vec(21).S4(), 1) }},
	{0x6f4106a6, "ushr v6.2d, v21.2d, #63", func(f *Func) { f.USHR(Vec(6).D2(), Vec(21).D2(), 63) }},
	{0x6f1826a6, "urshr v6.8h, v21.8h, #8", func(f *Func) { f.URSHR(Vec(6).H8(), Vec(21).H8(), 8) }},
	{0x6f0916a6, "usra v6.16b, v21.16b, #7", func(f *Func) { f.USRA(Vec(6).B16(), Vec(21).B16(), 7) }},
	{0x6f3f16a6, "usra v6.4s, v21.4s, #1", func(f *Func) { f.USRA(Vec(6).S4(), Vec(21).S4(), 1) }},
	{0x6f4116a6, "usra v6.2d, v21.2d, #63", func(f *Func) { f.USRA(Vec(6).D2(), Vec(21).D2(), 63) }},
	{0x0f0d86a6, "shrn v6.8b, v21.8h, #3", func(f *Func) { f.SHRN(Vec(6).B8(), Vec(21).H8(), 3) }},
	{0x4f1086a6, "shrn2 v6.8h, v21.4s, #16", func(f *Func) { f.SHRN(Vec(6).H8(), Vec(21).S4(), 16) }},
	{0x0f2086a6, "shrn v6.2s, v21.2d, #32", func(f *Func) { f.SHRN(Vec(6).S2(), Vec(21).D2(), 32) }},
	{0x0f0d8ea6, "rshrn v6.8b, v21.8h, #3", func(f *Func) { f.RSHRN(Vec(6).B8(), Vec(21).H8(), 3) }},
	{0x4f108ea6, "rshrn2 v6.8h, v21.4s, #16", func(f *Func) { f.RSHRN(Vec(6).H8(), Vec(21).S4(), 16) }},
	{0x0f208ea6, "rshrn v6.2s, v21.2d, #32", func(f *Func) { f.RSHRN(Vec(6).S2(), Vec(21).D2(), 32) }},
	{0x0f0d9ea6, "sqrshrn v6.8b, v21.8h, #3", func(f *Func) { f.SQRSHRN(Vec(6).B8(), Vec(21).H8(), 3) }},
	{0x4f109ea6, "sqrshrn2 v6.8h, v21.4s, #16", func(f *Func) { f.SQRSHRN(Vec(6).H8(), Vec(21).S4(), 16) }},
	{0x0f209ea6, "sqrshrn v6.2s, v21.2d, #32", func(f *Func) { f.SQRSHRN(Vec(6).S2(), Vec(21).D2(), 32) }},
	{0x2f0d86a6, "sqshrun v6.8b, v21.8h, #3", func(f *Func) { f.SQSHRUN(Vec(6).B8(), Vec(21).H8(), 3) }},
	{0x6f1086a6, "sqshrun2 v6.8h, v21.4s, #16", func(f *Func) { f.SQSHRUN(Vec(6).H8(), Vec(21).S4(), 16) }},
	{0x2f2086a6, "sqshrun v6.2s, v21.2d, #32", func(f *Func) { f.SQSHRUN(Vec(6).S2(), Vec(21).D2(), 32) }},
	{0x2f0d96a6, "uqshrn v6.8b, v21.8h, #3", func(f *Func) { f.UQSHRN(Vec(6).B8(), Vec(21).H8(), 3) }},
	{0x6f1096a6, "uqshrn2 v6.8h, v21.4s, #16", func(f *Func) { f.UQSHRN(Vec(6).H8(), Vec(21).S4(), 16) }},
	{0x2f2096a6, "uqshrn v6.2s, v21.2d, #32", func(f *Func) { f.UQSHRN(Vec(6).S2(), Vec(21).D2(), 32) }},
	{0x2f0ba6a6, "ushll v6.8h, v21.8b, #3", func(f *Func) { f.USHLL(Vec(6).H8(), Vec(21).B8(), 3) }},
	{0x6f1fa6a6, "ushll2 v6.4s, v21.8h, #15", func(f *Func) { f.USHLL(Vec(6).S4(), Vec(21).H8(), 15) }},
	{0x2f20a6a6, "ushll v6.2d, v21.2s, #0", func(f *Func) { f.USHLL(Vec(6).D2(), Vec(21).S2(), 0) }},
	{0x0f0ba6a6, "sshll v6.8h, v21.8b, #3", func(f *Func) { f.SSHLL(Vec(6).H8(), Vec(21).B8(), 3) }},
	{0x4f1fa6a6, "sshll2 v6.4s, v21.8h, #15", func(f *Func) { f.SSHLL(Vec(6).S4(), Vec(21).H8(), 15) }},
	{0x0f20a6a6, "sshll v6.2d, v21.2s, #0", func(f *Func) { f.SSHLL(Vec(6).D2(), Vec(21).S2(), 0) }},
	{0x3d4102a6, "ldr b6, [x21, #64]", func(f *Func) { f.LDR(B, Vec(6), Ptr(21, 64)) }},
	{0x7d4082a6, "ldr h6, [x21, #64]", func(f *Func) { f.LDR(H, Vec(6), Ptr(21, 64)) }},
	{0xbd4042a6, "ldr s6, [x21, #64]", func(f *Func) { f.LDR(S, Vec(6), Ptr(21, 64)) }},
	{0xfd4022a6, "ldr d6, [x21, #64]", func(f *Func) { f.LDR(D, Vec(6), Ptr(21, 64)) }},
	{0x3dc012a6, "ldr q6, [x21, #64]", func(f *Func) { f.LDR(Q, Vec(6), Ptr(21, 64)) }},
	{0xbc5f82a6, "ldur s6, [x21, #-8]", func(f *Func) { f.LDR(S, Vec(6), Ptr(21, -8)) }},
	{0xbc4106a6, "ldr s6, [x21], #16", func(f *Func) { f.LDR(S, Vec(6), Post(21, 16)) }},
	{0xbc636aa6, "ldr s6, [x21, x3]", func(f *Func) { f.LDR(S, Vec(6), Indexed(21, 3)) }},
	{0x3cdf82a6, "ldur q6, [x21, #-8]", func(f *Func) { f.LDR(Q, Vec(6), Ptr(21, -8)) }},
	{0x3cc106a6, "ldr q6, [x21], #16", func(f *Func) { f.LDR(Q, Vec(6), Post(21, 16)) }},
	{0x3ce36aa6, "ldr q6, [x21, x3]", func(f *Func) { f.LDR(Q, Vec(6), Indexed(21, 3)) }},
	{0x3d0102a6, "str b6, [x21, #64]", func(f *Func) { f.STR(B, Vec(6), Ptr(21, 64)) }},
	{0x7d0082a6, "str h6, [x21, #64]", func(f *Func) { f.STR(H, Vec(6), Ptr(21, 64)) }},
	{0xbd0042a6, "str s6, [x21, #64]", func(f *Func) { f.STR(S, Vec(6), Ptr(21, 64)) }},
	{0xfd0022a6, "str d6, [x21, #64]", func(f *Func) { f.STR(D, Vec(6), Ptr(21, 64)) }},
	{0x3d8012a6, "str q6, [x21, #64]", func(f *Func) { f.STR(Q, Vec(6), Ptr(21, 64)) }},
	{0xbc1f82a6, "stur s6, [x21, #-8]", func(f *Func) { f.STR(S, Vec(6), Ptr(21, -8)) }},
	{0xbc0106a6, "str s6, [x21], #16", func(f *Func) { f.STR(S, Vec(6), Post(21, 16)) }},
	{0xbc236aa6, "str s6, [x21, x3]", func(f *Func) { f.STR(S, Vec(6), Indexed(21, 3)) }},
	{0x3c9f82a6, "stur q6, [x21, #-8]", func(f *Func) { f.STR(Q, Vec(6), Ptr(21, -8)) }},
	{0x3c8106a6, "str q6, [x21], #16", func(f *Func) { f.STR(Q, Vec(6), Post(21, 16)) }},
	{0x3ca36aa6, "str q6, [x21, x3]", func(f *Func) { f.STR(Q, Vec(6), Indexed(21, 3)) }},
	{0xad7f26a6, "ldp q6, q9, [x21, #-32]", func(f *Func) { f.LDP(Vec(6), Vec(9), Ptr(21, -32)) }},
	{0xacc226a6, "ldp q6, q9, [x21], #64", func(f *Func) { f.LDP(Vec(6), Vec(9), Post(21, 64)) }},
	{0x4c4072a6, "ld1 {v6.16b}, [x21]", func(f *Func) { f.LD1([]Lanes{Vec(6).B16()}, Ptr(21, 0)) }},
	{0x4cdfa2be, "ld1 {v30.16b, v31.16b}, [x21], #32", func(f *Func) { f.LD1(B16s([]Vec{30, 31}), Post(21, 32)) }},
	{0x4cdf66a3, "ld1 {v3.8h, v4.8h, v5.8h}, [x21], #48", func(f *Func) { f.LD1(H8s([]Vec{3, 4, 5}), Post(21, 48)) }},
	{0x4c402aa3, "ld1 {v3.4s, v4.4s, v5.4s, v6.4s}, [x21]", func(f *Func) { f.LD1(S4s([]Vec{3, 4, 5, 6}), Ptr(21, 0)) }},
	{0x4c0072a6, "st1 {v6.16b}, [x21]", func(f *Func) { f.ST1([]Lanes{Vec(6).B16()}, Ptr(21, 0)) }},
	{0x4c9fa2be, "st1 {v30.16b, v31.16b}, [x21], #32", func(f *Func) { f.ST1(B16s([]Vec{30, 31}), Post(21, 32)) }},
	{0x4c9f66a3, "st1 {v3.8h, v4.8h, v5.8h}, [x21], #48", func(f *Func) { f.ST1(H8s([]Vec{3, 4, 5}), Post(21, 48)) }},
	{0x4c002aa3, "st1 {v3.4s, v4.4s, v5.4s, v6.4s}, [x21]", func(f *Func) { f.ST1(S4s([]Vec{3, 4, 5, 6}), Ptr(21, 0)) }},
	{0x4cdf42a3, "ld3 {v3.16b, v4.16b, v5.16b}, [x21], #48", func(f *Func) { f.LD3(B16s([]Vec{3, 4, 5}), Post(21, 48)) }},
	{0x4c404ea3, "ld3 {v3.2d, v4.2d, v5.2d}, [x21]", func(f *Func) { f.LD3(D2s([]Vec{3, 4, 5}), Ptr(21, 0)) }},
	{0x4cdf02a3, "ld4 {v3.16b, v4.16b, v5.16b, v6.16b}, [x21], #64", func(f *Func) { f.LD4(B16s([]Vec{3, 4, 5, 6}), Post(21, 64)) }},
	{0x4c400ea3, "ld4 {v3.2d, v4.2d, v5.2d, v6.2d}, [x21]", func(f *Func) { f.LD4(D2s([]Vec{3, 4, 5, 6}), Ptr(21, 0)) }},
	{0x4c9f02a3, "st4 {v3.16b, v4.16b, v5.16b, v6.16b}, [x21], #64", func(f *Func) { f.ST4(B16s([]Vec{3, 4, 5, 6}), Post(21, 64)) }},
	{0x4c000ea3, "st4 {v3.2d, v4.2d, v5.2d, v6.2d}, [x21]", func(f *Func) { f.ST4(D2s([]Vec{3, 4, 5, 6}), Ptr(21, 0)) }},
	{0x4d40caa6, "ld1r {v6.4s}, [x21]", func(f *Func) { f.LD1R(Vec(6).S4(), Ptr(21, 0)) }},
	{0x4ddfcea6, "ld1r {v6.2d}, [x21], #8", func(f *Func) { f.LD1R(Vec(6).D2(), Post(21, 8)) }},
	{0x4d400ea6, "ld1 {v6.b}[11], [x21]", func(f *Func) { f.LD1E(Vec(6).At(B, 11), Ptr(21, 0)) }},
	{0x4ddf0ea6, "ld1 {v6.b}[11], [x21], #1", func(f *Func) { f.LD1E(Vec(6).At(B, 11), Post(21, 1)) }},
	{0x4d404aa6, "ld1 {v6.h}[5], [x21]", func(f *Func) { f.LD1E(Vec(6).At(H, 5), Ptr(21, 0)) }},
	{0x4ddf4aa6, "ld1 {v6.h}[5], [x21], #2", func(f *Func) { f.LD1E(Vec(6).At(H, 5), Post(21, 2)) }},
	{0x4d4092a6, "ld1 {v6.s}[3], [x21]", func(f *Func) { f.LD1E(Vec(6).At(S, 3), Ptr(21, 0)) }},
	{0x4ddf92a6, "ld1 {v6.s}[3], [x21], #4", func(f *Func) { f.LD1E(Vec(6).At(S, 3), Post(21, 4)) }},
	{0x4d4086a6, "ld1 {v6.d}[1], [x21]", func(f *Func) { f.LD1E(Vec(6).At(D, 1), Ptr(21, 0)) }},
	{0x4ddf86a6, "ld1 {v6.d}[1], [x21], #8", func(f *Func) { f.LD1E(Vec(6).At(D, 1), Post(21, 8)) }},
	{0x4d000ea6, "st1 {v6.b}[11], [x21]", func(f *Func) { f.ST1E(Vec(6).At(B, 11), Ptr(21, 0)) }},
	{0x4d9f0ea6, "st1 {v6.b}[11], [x21], #1", func(f *Func) { f.ST1E(Vec(6).At(B, 11), Post(21, 1)) }},
	{0x4d004aa6, "st1 {v6.h}[5], [x21]", func(f *Func) { f.ST1E(Vec(6).At(H, 5), Ptr(21, 0)) }},
	{0x4d9f4aa6, "st1 {v6.h}[5], [x21], #2", func(f *Func) { f.ST1E(Vec(6).At(H, 5), Post(21, 2)) }},
	{0x4d0092a6, "st1 {v6.s}[3], [x21]", func(f *Func) { f.ST1E(Vec(6).At(S, 3), Ptr(21, 0)) }},
	{0x4d9f92a6, "st1 {v6.s}[3], [x21], #4", func(f *Func) { f.ST1E(Vec(6).At(S, 3), Post(21, 4)) }},
	{0x4d0086a6, "st1 {v6.d}[1], [x21]", func(f *Func) { f.ST1E(Vec(6).At(D, 1), Ptr(21, 0)) }},
	{0x4d9f86a6, "st1 {v6.d}[1], [x21], #8", func(f *Func) { f.ST1E(Vec(6).At(D, 1), Post(21, 8)) }},
	{0x4eb51ea6, "orr v6.16b, v21.16b, v21.16b", func(f *Func) { f.MOV(Vec(6), Vec(21)) }},
	{0x6e261cc6, "eor v6.16b, v6.16b, v6.16b", func(f *Func) { f.ZERO(Vec(6)) }},
}

func TestEncodings(t *testing.T) {
	for _, e := range encodings {
		f := NewFile("p").Func("f", "()", "")
		e.emit(f)
		if got, want := strings.TrimSpace(f.body.String()), fmt.Sprintf("WORD $0x%08x // %s", e.word, e.text); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestEveryInstructionIsHeld: the methods in capitals are instructions.
func TestEveryInstructionIsHeld(t *testing.T) {
	source, err := os.ReadFile("arm64_test.go")
	if err != nil {
		t.Fatal(err)
	}
	of := reflect.TypeFor[*Func]()
	for i := range of.NumMethod() {
		name := of.Method(i).Name
		if name == strings.ToUpper(name) && !bytes.Contains(source, []byte("f."+name+"(")) {
			t.Errorf("no encoding of %s is held against GNU as", name)
		}
	}
}

func TestFunction(t *testing.T) {
	file := NewFile("p")
	f := file.Func("sumNEON", "(src *float32, k uint8, n int, w float32) (sum uint64)", "sumNEON sums.")
	n, w, sum := f.Load("n"), f.Fill("w"), f.Reg()
	table := f.Constant("ramp", []byte{0, 1, 2, 3, 4, 5, 6, 255})
	f.Loop(n, 4, func() { f.FADD(w.S4(), w.S4(), w.S4()) })
	f.Return("sum", sum)
	f.Free(table)
	want := header + `#include "textflag.h"

DATA ramp<>+0(SB)/8, $0xff06050403020100
GLOBL ramp<>(SB), RODATA|NOPTR, $8

// func sumNEON(src *float32, k uint8, n int, w float32) (sum uint64)
TEXT ·sumNEON(SB), NOSPLIT, $0-40
	MOVD n+16(FP), R0
	MOVWU w+24(FP), R1
	WORD $0x4e040c20 // dup v0.4s, w1
	MOVD $ramp<>(SB), R2
l1:
	WORD $0x4e20d400 // fadd v0.4s, v0.4s, v0.4s
	SUBS $4, R0, R0
	BGT l1
	MOVD R1, sum+32(FP)
	RET
`
	if got := string(file.Assembly()); got != want {
		t.Errorf("assembly:\n%s\nwant:\n%s", got, want)
	}
	want = header + `package p

// sumNEON sums.
//
//go:noescape
func sumNEON(src *float32, k uint8, n int, w float32) (sum uint64)
`
	if got := string(file.Stubs()); got != want {
		t.Errorf("declarations:\n%s\nwant:\n%s", got, want)
	}
}

func TestMistakesPanic(t *testing.T) {
	for name, emit := range map[string]func(f *Func){
		"lanes that differ":       func(f *Func) { f.ADD(Vec(0).B16(), Vec(0).H8(), Vec(0).B16()) },
		"whole numbers for float": func(f *Func) { f.FADD(Vec(0).H8(), Vec(0).H8(), Vec(0).H8()) },
		"too far a shift":         func(f *Func) { f.SHL(Vec(0).B16(), Vec(0).B16(), 8) },
		"no row":                  func(f *Func) { f.LD4(B16s([]Vec{1, 2, 3, 5}), Ptr(0, 0)) },
		"another step":            func(f *Func) { f.LD4(B16s([]Vec{1, 2, 3, 4}), Post(0, 16)) },
		"an element of V16":       func(f *Func) { f.MLAE(Vec(0).H8(), Vec(0).H8(), Vec(16).At(H, 0)) },
		"beyond the register":     func(f *Func) { Vec(0).At(S, 4) },
		"an offset too large":     func(f *Func) { f.LDP(0, 1, Ptr(0, 1024)) },
		"no such parameter":       func(f *Func) { f.Load("n") },
		"too many registers":      func(f *Func) { f.Vecs(30); f.Vecs(3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			emit(NewFile("p").Func("f", "()", ""))
		})
	}
}
