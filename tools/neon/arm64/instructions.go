package arm64

import "fmt"

// Encodings are those of the Arm Architecture Reference Manual, section C4.1: a constant for what the instruction is, with the
// bits of the size and of the length 0.

// same: three operands of the same lanes.
func (f *Func) same(name string, op uint32, d, n, m Lanes) {
	must(d.size == n.size && n.size == m.size && d.full == n.full && n.full == m.full, "%s %v, %v, %v", name, d, n, m)
	f.word(op|d.bits()|uint32(m.v)<<16|uint32(n.v)<<5|uint32(d.v), name, d, n, m)
}

// logic: the size of lanes does not matter; a bit of op may stand in its place.
func (f *Func) logic(name string, op uint32, d, n, m Vec) {
	f.word(op|1<<30|uint32(m)<<16|uint32(n)<<5|uint32(d), name, d.B16(), n.B16(), m.B16())
}

// float: as same, for lanes of float32 and float64.
func (f *Func) float(name string, op uint32, d, n, m Lanes) {
	must(oneOf(d.size, S, D) && d.size == n.size && n.size == m.size && d.full == n.full && n.full == m.full,
		"%s %v, %v, %v", name, d, n, m)
	f.word(op|d.floatBits()|uint32(m.v)<<16|uint32(n.v)<<5|uint32(d.v), name, d, n, m)
}

func (l Lanes) floatBits() uint32 { return l.q() | uint32(l.size-S)<<22 }

func (f *Func) ADD(d, n, m Lanes)  { f.same("add", 0x0e208400, d, n, m) }
func (f *Func) SUB(d, n, m Lanes)  { f.same("sub", 0x2e208400, d, n, m) }
func (f *Func) MUL(d, n, m Lanes)  { f.same("mul", 0x0e209c00, d, n, m) }
func (f *Func) MLA(d, n, m Lanes)  { f.same("mla", 0x0e209400, d, n, m) }
func (f *Func) ADDP(d, n, m Lanes) { f.same("addp", 0x0e20bc00, d, n, m) }
func (f *Func) UMAX(d, n, m Lanes) { f.same("umax", 0x2e206400, d, n, m) }
func (f *Func) UMIN(d, n, m Lanes) { f.same("umin", 0x2e206c00, d, n, m) }
func (f *Func) SMAX(d, n, m Lanes) { f.same("smax", 0x0e206400, d, n, m) }
func (f *Func) SMIN(d, n, m Lanes) { f.same("smin", 0x0e206c00, d, n, m) }
func (f *Func) UABD(d, n, m Lanes) { f.same("uabd", 0x2e207400, d, n, m) }
func (f *Func) CMEQ(d, n, m Lanes) { f.same("cmeq", 0x2e208c00, d, n, m) }
func (f *Func) CMGE(d, n, m Lanes) { f.same("cmge", 0x0e203c00, d, n, m) }
func (f *Func) CMHI(d, n, m Lanes) { f.same("cmhi", 0x2e203400, d, n, m) }
func (f *Func) CMHS(d, n, m Lanes) { f.same("cmhs", 0x2e203c00, d, n, m) }
func (f *Func) SSHL(d, n, m Lanes) { f.same("sshl", 0x0e204400, d, n, m) }
func (f *Func) USHL(d, n, m Lanes) { f.same("ushl", 0x2e204400, d, n, m) }

// SQDMULH is the upper half of twice the product.
func (f *Func) SQDMULH(d, n, m Lanes) { f.same("sqdmulh", 0x0e20b400, d, n, m) }

func (f *Func) AND(d, n, m Vec) { f.logic("and", 0x0e201c00, d, n, m) }
func (f *Func) BIC(d, n, m Vec) { f.logic("bic", 0x0e601c00, d, n, m) }
func (f *Func) ORR(d, n, m Vec) { f.logic("orr", 0x0ea01c00, d, n, m) }
func (f *Func) EOR(d, n, m Vec) { f.logic("eor", 0x2e201c00, d, n, m) }

// BSL takes bits of n where d has ones, of m where it has zeros.
func (f *Func) BSL(d, n, m Vec) { f.logic("bsl", 0x2e601c00, d, n, m) }

// BIT takes bits of n where m has ones, and keeps d's elsewhere.
func (f *Func) BIT(d, n, m Vec) { f.logic("bit", 0x2ea01c00, d, n, m) }

// MOV copies a register.
func (f *Func) MOV(d, n Vec) { f.ORR(d, n, n) }

// ZERO clears a register.
func (f *Func) ZERO(d Vec) { f.EOR(d, d, d) }

func (f *Func) FADD(d, n, m Lanes)  { f.float("fadd", 0x0e20d400, d, n, m) }
func (f *Func) FSUB(d, n, m Lanes)  { f.float("fsub", 0x0ea0d400, d, n, m) }
func (f *Func) FMUL(d, n, m Lanes)  { f.float("fmul", 0x2e20dc00, d, n, m) }
func (f *Func) FDIV(d, n, m Lanes)  { f.float("fdiv", 0x2e20fc00, d, n, m) }
func (f *Func) FMLA(d, n, m Lanes)  { f.float("fmla", 0x0e20cc00, d, n, m) }
func (f *Func) FMLS(d, n, m Lanes)  { f.float("fmls", 0x0ea0cc00, d, n, m) }
func (f *Func) FMAX(d, n, m Lanes)  { f.float("fmax", 0x0e20f400, d, n, m) }
func (f *Func) FMIN(d, n, m Lanes)  { f.float("fmin", 0x0ea0f400, d, n, m) }
func (f *Func) FCMEQ(d, n, m Lanes) { f.float("fcmeq", 0x0e20e400, d, n, m) }
func (f *Func) FCMGE(d, n, m Lanes) { f.float("fcmge", 0x2e20e400, d, n, m) }
func (f *Func) FCMGT(d, n, m Lanes) { f.float("fcmgt", 0x2ea0e400, d, n, m) }

// long: lanes of d are twice as wide as those of n and m, of which full ones mean their upper halves.
func (f *Func) long(name string, op uint32, d, n, m Lanes) {
	must(d.full && d.size == n.size+1 && n.size == m.size && n.full == m.full, "%s %v, %v, %v", name, d, n, m)
	f.word(op|n.bits()|uint32(m.v)<<16|uint32(n.v)<<5|uint32(d.v), name+upper(n), d, n, m)
}

// upper is the end of the name of an instruction that takes or makes the upper half.
func upper(l Lanes) string {
	if l.full {
		return "2"
	}
	return ""
}

func (f *Func) UMULL(d, n, m Lanes) { f.long("umull", 0x2e20c000, d, n, m) }
func (f *Func) SMULL(d, n, m Lanes) { f.long("smull", 0x0e20c000, d, n, m) }
func (f *Func) UMLAL(d, n, m Lanes) { f.long("umlal", 0x2e208000, d, n, m) }
func (f *Func) SMLAL(d, n, m Lanes) { f.long("smlal", 0x0e208000, d, n, m) }
func (f *Func) UMLSL(d, n, m Lanes) { f.long("umlsl", 0x2e20a000, d, n, m) }
func (f *Func) USUBL(d, n, m Lanes) { f.long("usubl", 0x2e202000, d, n, m) }

// wide: only m is half as wide.
func (f *Func) wide(name string, op uint32, d, n, m Lanes) {
	must(d.full && n.full && d.size == n.size && d.size == m.size+1, "%s %v, %v, %v", name, d, n, m)
	f.word(op|m.bits()|uint32(m.v)<<16|uint32(n.v)<<5|uint32(d.v), name+upper(m), d, n, m)
}

func (f *Func) UADDW(d, n, m Lanes) { f.wide("uaddw", 0x2e201000, d, n, m) }

// byElement: the last operand is one element for all lanes.
func (f *Func) byElement(name string, op uint32, d, n Lanes, m Element) {
	must(m.size == n.size && oneOf(n.size, H, S, D), "%s %v, %v, %v", name, d, n, m)
	var index uint32 // of three bits, H, L and M, of which those are used that the size asks for
	switch i := uint32(m.i); m.size {
	case H:
		must(m.v < 16, "%s: element of %v", name, m)
		index = i
	case S:
		index = i << 1
	case D:
		index = i << 2
	}
	w := op | n.bits() | index>>2<<11 | index>>1&1<<21 | index&1<<20 | uint32(m.v)<<16 | uint32(n.v)<<5 | uint32(d.v)
	f.word(w, name, d, n, m)
}

func (f *Func) sameByElement(name string, op uint32, d, n Lanes, m Element) {
	must(d.size == n.size && d.full == n.full, "%s %v, %v", name, d, n)
	f.byElement(name, op, d, n, m)
}

func (f *Func) longByElement(name string, op uint32, d, n Lanes, m Element) {
	must(d.full && d.size == n.size+1 && n.size < D, "%s %v, %v", name, d, n)
	f.byElement(name+upper(n), op, d, n, m)
}

func (f *Func) MLAE(d, n Lanes, m Element)   { f.sameByElement("mla", 0x2f000000, d, n, m) }
func (f *Func) SMULLE(d, n Lanes, m Element) { f.longByElement("smull", 0x0f00a000, d, n, m) }
func (f *Func) SMLALE(d, n Lanes, m Element) { f.longByElement("smlal", 0x0f002000, d, n, m) }
func (f *Func) FMULE(d, n Lanes, m Element)  { f.sameByElement("fmul", 0x0f009000, d, n, m) }
func (f *Func) FMLAE(d, n Lanes, m Element)  { f.sameByElement("fmla", 0x0f001000, d, n, m) }

// twoFloat: two operands of the same lanes of float32 or float64.
func (f *Func) twoFloat(name string, op uint32, d, n Lanes) {
	must(oneOf(d.size, S, D) && d.size == n.size && d.full == n.full, "%s %v, %v", name, d, n)
	f.word(op|n.floatBits()|uint32(n.v)<<5|uint32(d.v), name, d, n)
}

func (f *Func) FABS(d, n Lanes)   { f.twoFloat("fabs", 0x0ea0f800, d, n) }
func (f *Func) FNEG(d, n Lanes)   { f.twoFloat("fneg", 0x2ea0f800, d, n) }
func (f *Func) FCVTZS(d, n Lanes) { f.twoFloat("fcvtzs", 0x0ea1b800, d, n) }
func (f *Func) SCVTF(d, n Lanes)  { f.twoFloat("scvtf", 0x0e21d800, d, n) }
func (f *Func) UCVTF(d, n Lanes)  { f.twoFloat("ucvtf", 0x2e21d800, d, n) }
func (f *Func) FRINTM(d, n Lanes) { f.twoFloat("frintm", 0x0e219800, d, n) }
func (f *Func) FSQRT(d, n Lanes)  { f.twoFloat("fsqrt", 0x2ea1f800, d, n) }
func (f *Func) FRINTN(d, n Lanes) { f.twoFloat("frintn", 0x0e218800, d, n) }

// NOT inverts all bits.
func (f *Func) NOT(d, n Vec) {
	f.word(0x2e205800|1<<30|uint32(n)<<5|uint32(d), "mvn", d.B16(), n.B16())
}

// withZero: a comparison with 0.
func (f *Func) withZero(name string, op uint32, d, n Lanes) {
	must(d.size == n.size && d.full == n.full, "%s %v, %v", name, d, n)
	f.word(op|n.bits()|uint32(n.v)<<5|uint32(d.v), name, d, n, "#0")
}

func (f *Func) CMEQ0(d, n Lanes) { f.withZero("cmeq", 0x0e209800, d, n) }

// FCMEQ0 compares floats with 0.
func (f *Func) FCMEQ0(d, n Lanes) { f.floatWithZero("fcmeq", 0x0ea0d800, d, n) }

// FCMLT0 compares floats with 0.
func (f *Func) FCMLT0(d, n Lanes) { f.floatWithZero("fcmlt", 0x0ea0e800, d, n) }

func (f *Func) floatWithZero(name string, op uint32, d, n Lanes) {
	must(oneOf(d.size, S, D) && d.size == n.size && d.full == n.full, "%s %v, %v", name, d, n)
	f.word(op|n.floatBits()|uint32(n.v)<<5|uint32(d.v), name, d, n, "#0.0")
}

// narrow: lanes of d are half as wide as those of n; full ones mean the upper half of d, the lower half staying.
func (f *Func) narrow(name string, op uint32, d, n Lanes) {
	must(n.full && n.size == d.size+1, "%s %v, %v", name, d, n)
	f.word(op|d.bits()|uint32(n.v)<<5|uint32(d.v), name+upper(d), d, n)
}

func (f *Func) XTN(d, n Lanes)    { f.narrow("xtn", 0x0e212800, d, n) }
func (f *Func) SQXTN(d, n Lanes)  { f.narrow("sqxtn", 0x0e214800, d, n) }
func (f *Func) SQXTUN(d, n Lanes) { f.narrow("sqxtun", 0x2e212800, d, n) }

// FCVTN rounds float64 of n to float32, into the half of d that it names.
func (f *Func) FCVTN(d, n Lanes) {
	must(n.full && n.size == D && d.size == S, "fcvtn %v, %v", d, n)
	f.word(0x0e616800|d.q()|uint32(n.v)<<5|uint32(d.v), "fcvtn"+upper(d), d, n)
}

// FCVTL widens the float32 of the half of n that it names to float64.
func (f *Func) FCVTL(d, n Lanes) {
	must(d.full && d.size == D && n.size == S, "fcvtl %v, %v", d, n)
	f.word(0x0e617800|n.q()|uint32(n.v)<<5|uint32(d.v), "fcvtl"+upper(n), d, n)
}

// UADDLP adds neighbors into lanes twice as wide.
func (f *Func) UADDLP(d, n Lanes) { f.pairs("uaddlp", 0x2e202800, d, n) }

// UADALP adds neighbors to lanes twice as wide.
func (f *Func) UADALP(d, n Lanes) { f.pairs("uadalp", 0x2e206800, d, n) }

func (f *Func) pairs(name string, op uint32, d, n Lanes) {
	must(d.full == n.full && d.size == n.size+1, "%s %v, %v", name, d, n)
	f.word(op|n.bits()|uint32(n.v)<<5|uint32(d.v), name, d, n)
}

// across: one number of all lanes, in the lowest element of d.
func (f *Func) across(name string, op uint32, d Vec, n Lanes) {
	must(n.size < D && (n.full || n.size < S), "%s %v", name, n)
	f.word(op|n.bits()|uint32(n.v)<<5|uint32(d), name, fmt.Sprintf("%v%d", n.size, uint8(d)), n)
}

func (f *Func) ADDV(d Vec, n Lanes)  { f.across("addv", 0x0e31b800, d, n) }
func (f *Func) UMAXV(d Vec, n Lanes) { f.across("umaxv", 0x2e30a800, d, n) }

func (f *Func) ZIP1(d, n, m Lanes) { f.same("zip1", 0x0e003800, d, n, m) }
func (f *Func) ZIP2(d, n, m Lanes) { f.same("zip2", 0x0e007800, d, n, m) }
func (f *Func) UZP1(d, n, m Lanes) { f.same("uzp1", 0x0e001800, d, n, m) }
func (f *Func) UZP2(d, n, m Lanes) { f.same("uzp2", 0x0e005800, d, n, m) }
func (f *Func) TRN1(d, n, m Lanes) { f.same("trn1", 0x0e002800, d, n, m) }
func (f *Func) TRN2(d, n, m Lanes) { f.same("trn2", 0x0e006800, d, n, m) }

// TBL looks bytes of m up in the 16 to 64 bytes of one to four registers in a row; bytes beyond give 0.
func (f *Func) TBL(d Vec, table []Vec, m Vec) { f.table("tbl", 0x4e000000, d, table, m) }

// TBX is TBL that keeps the bytes of d where those of m are beyond the table.
func (f *Func) TBX(d Vec, table []Vec, m Vec) { f.table("tbx", 0x4e001000, d, table, m) }

func (f *Func) table(name string, op uint32, d Vec, table []Vec, m Vec) {
	must(len(table) >= 1 && len(table) <= 4, "%s with %d registers", name, len(table))
	f.word(op|uint32(m)<<16|uint32(len(table)-1)<<13|uint32(table[0])<<5|uint32(d), name, d.B16(), inRow(B16s(table)), m.B16())
}

// DUP fills all lanes with an element.
func (f *Func) DUP(d Lanes, n Element) {
	must(d.size == n.size, "dup %v, %v", d, n)
	f.word(0x0e000400|d.q()|n.imm5()<<16|uint32(n.v)<<5|uint32(d.v), "dup", d, n)
}

// DUPR fills all lanes with a general register.
func (f *Func) DUPR(d Lanes, n Reg) {
	f.word(0x0e000c00|d.q()|1<<(16+d.size)|uint32(n)<<5|uint32(d.v), "dup", d, generalName(d.size, n))
}

func generalName(s Size, r Reg) string {
	if s == D {
		return fmt.Sprintf("x%d", uint8(r))
	}
	return fmt.Sprintf("w%d", uint8(r))
}

// UMOV copies an element into a general register, extended with zeros.
func (f *Func) UMOV(d Reg, n Element) {
	name, op := "umov", uint32(0x0e003c00)
	if n.size >= S {
		name = "mov"
	}
	if n.size == D {
		op |= 1 << 30
	}
	f.word(op|n.imm5()<<16|uint32(n.v)<<5|uint32(d), name, generalName(n.size, d), n)
}

// shift: immh:immb holds the size of lanes plus a shift to the left, or twice the size less one to the right.
func (f *Func) shift(name string, op, value uint32, d, n Lanes, half Lanes, by int) {
	f.word(op|half.q()|value<<16|uint32(n.v)<<5|uint32(d.v), name, d, n, fmt.Sprintf("#%d", by))
}

func (f *Func) left(name string, op uint32, d, n Lanes, by int) {
	must(d.size == n.size && d.full == n.full && by >= 0 && by < 8<<d.size, "%s %v, %v, %d", name, d, n, by)
	f.shift(name, op, uint32(8<<d.size+by), d, n, d, by)
}

func (f *Func) right(name string, op uint32, d, n Lanes, by int) {
	must(d.size == n.size && d.full == n.full && by > 0 && by <= 8<<d.size, "%s %v, %v, %d", name, d, n, by)
	f.shift(name, op, uint32(16<<d.size-by), d, n, d, by)
}

func (f *Func) SHL(d, n Lanes, by int)  { f.left("shl", 0x0f005400, d, n, by) }
func (f *Func) SLI(d, n Lanes, by int)  { f.left("sli", 0x2f005400, d, n, by) }
func (f *Func) SSHR(d, n Lanes, by int) { f.right("sshr", 0x0f000400, d, n, by) }
func (f *Func) USHR(d, n Lanes, by int) { f.right("ushr", 0x2f000400, d, n, by) }

// URSHR rounds.
func (f *Func) URSHR(d, n Lanes, by int) { f.right("urshr", 0x2f002400, d, n, by) }

// USRA shifts to the right and adds.
func (f *Func) USRA(d, n Lanes, by int) { f.right("usra", 0x2f001400, d, n, by) }

// rightNarrow: shifted to the right into lanes half as wide.
func (f *Func) rightNarrow(name string, op uint32, d, n Lanes, by int) {
	must(n.full && n.size == d.size+1 && by > 0 && by <= 8<<d.size, "%s %v, %v, %d", name, d, n, by)
	f.shift(name+upper(d), op, uint32(16<<d.size-by), d, n, d, by)
}

func (f *Func) SHRN(d, n Lanes, by int)    { f.rightNarrow("shrn", 0x0f008400, d, n, by) }
func (f *Func) RSHRN(d, n Lanes, by int)   { f.rightNarrow("rshrn", 0x0f008c00, d, n, by) }
func (f *Func) SQRSHRN(d, n Lanes, by int) { f.rightNarrow("sqrshrn", 0x0f009c00, d, n, by) }
func (f *Func) UQSHRN(d, n Lanes, by int)  { f.rightNarrow("uqshrn", 0x2f009400, d, n, by) }
func (f *Func) SQSHRUN(d, n Lanes, by int) { f.rightNarrow("sqshrun", 0x2f008400, d, n, by) }

// leftLong: shifted to the left into lanes twice as wide.
func (f *Func) leftLong(name string, op uint32, d, n Lanes, by int) {
	must(d.full && d.size == n.size+1 && by >= 0 && by < 8<<n.size, "%s %v, %v, %d", name, d, n, by)
	f.shift(name+upper(n), op, uint32(8<<n.size+by), d, n, n, by)
}

func (f *Func) USHLL(d, n Lanes, by int) { f.leftLong("ushll", 0x2f00a400, d, n, by) }
func (f *Func) SSHLL(d, n Lanes, by int) { f.leftLong("sshll", 0x0f00a400, d, n, by) }
