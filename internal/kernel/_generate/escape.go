package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants of package kernel's EscapeMap.
const (
	escapeRadius2 = 1 << 14
	orbitClose    = 1e-10
)

// logic is a bitwise operation on float64.
func (s isa) logic(op func(...Op), a Op, b reg.VecVirtual) reg.VecVirtual {
	v := s.vec()
	op(a, b, v)
	return v
}

// into moves v to dst in the lanes that run.
func (s isa) into(dst, v, running reg.VecVirtual, lanes reg.OpmaskVirtual) {
	if s.lanes == 8 {
		VMOVAPD(v, lanes, dst)
	} else {
		VBLENDVPD(running, v, dst, dst)
	}
}

// escape: the lanes of a register run in step, and those that are at their end stay there until all are.
func (s isa) escape() {
	TEXT("escape"+s.suffix, NOSPLIT, "func(m *EscapeMap, o *Orbits)")
	Pragma("noescape")
	Doc("escape" + s.suffix + " is EscapeMap.Iterate.")
	m, o := Dereference(Param("m")), load64("o")
	// all is a field in all lanes: in memory where there are sixteen registers only.
	all := func(name string) Op {
		v := s.vec()
		addr, err := m.Field(name).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSD(addr.Addr, v)
		if s.lanes == 8 {
			return v
		}
		local := AllocLocal(32)
		VMOVUPD(v, local)
		return local
	}
	andX, andY, flipY, andU := all("AndX"), all("AndY"), all("FlipY"), all("AndU")
	trapX, trapY, trapR2, sin, cos := all("X"), all("Y"), all("R2"), all("Sin"), all("Cos")
	degree, limit := Load(m.Field("Degree"), GP64()), Load(m.Field("Limit"), GP64())
	cross := Load(m.Field("Cross"), GP64())
	and := func(a Op, b reg.VecVirtual) reg.VecVirtual { return s.logic(VANDPD, a, b) }
	absolute := double(math.Float64frombits(1<<63 - 1))
	for part := range 8 / s.lanes {
		label := func(name string) string { return fmt.Sprintf("escape_%s%d", name, part) }
		field := func(k int) Mem { return Mem{Base: o, Disp: 64*k + 8*s.lanes*part} }
		x, y, near, steps, running := s.vec(), s.vec(), s.vec(), s.vec(), s.vec()
		lanes := K()
		VMOVUPD(field(0), x)
		VMOVUPD(field(1), y)
		c := [2]Op{field(2), field(3)}
		back := [2]Op{AllocLocal(8 * s.lanes), AllocLocal(8 * s.lanes)}
		if s.lanes == 8 {
			c, back = [2]Op{s.vec(), s.vec()}, [2]Op{s.vec(), s.vec()}
			VMOVUPD(field(2), c[0])
			VMOVUPD(field(3), c[1])
			KXNORB(lanes, lanes, lanes)
		} else {
			VPCMPEQQ(running, running, running)
		}
		VMOVUPD(x, back[0])
		VMOVUPD(y, back[1])
		VMOVUPD(double(math.MaxFloat64), near)
		s.zero(steps)
		n, check, k := GP64(), GP64(), GP64()
		MOVQ(U32(1), n)
		MOVQ(U32(8), check)

		Label(label("step"))
		px, py := and(andX, x), s.logic(VXORPD, flipY, and(andY, y))
		u, v := s.minus(s.mul(px, px), s.mul(py, py)), s.mul(py, s.plus(px, px))
		VANDPD(andU, u, u)
		MOVQ(degree, k)
		SUBQ(U8(2), k)
		JZ(LabelRef(label("raised")))
		CMPQ(k, U8(2))
		JNE(LabelRef(label("power")))
		t := s.minus(s.mul(u, u), s.mul(v, v))
		VADDPD(u, u, u)
		VMULPD(u, v, v)
		VMOVAPD(t, u)
		JMP(LabelRef(label("raised")))
		Label(label("power"))
		t = s.minus(s.mul(u, px), s.mul(v, py))
		w := s.plus(s.mul(v, px), s.mul(u, py))
		VMOVAPD(t, u)
		VMOVAPD(w, v)
		DECQ(k)
		JNZ(LabelRef(label("power")))
		Label(label("raised"))
		VADDPD(c[0], u, u)
		VADDPD(c[1], v, v)

		dx, dy, d := s.minus(u, trapX), s.minus(v, trapY), s.vec()
		TESTQ(cross, cross)
		JNZ(LabelRef(label("cross")))
		VMULPD(dx, dx, dx)
		VMULPD(dy, dy, dy)
		VADDPD(dy, dx, d)
		VSUBPD(trapR2, d, d)
		VANDPD(absolute, d, d)
		JMP(LabelRef(label("near")))
		Label(label("cross"))
		a, b := s.plus(s.mul(sin, dy), s.mul(cos, dx)), s.minus(s.mul(cos, dy), s.mul(sin, dx))
		VMULPD(a, a, a)
		VMULPD(b, b, b)
		VMINPD(a, b, d)
		Label(label("near"))
		VMINPD(near, d, d)
		s.into(x, u, running, lanes)
		s.into(y, v, running, lanes)
		s.into(near, d, running, lanes)
		s.into(steps, s.plus(double(1), steps), running, lanes)

		CMPQ(n, limit)
		JE(LabelRef(label("done")))
		r2 := s.plus(s.mul(v, v), s.mul(u, u))
		gap := s.plus(and(absolute, s.minus(v, back[1])), and(absolute, s.minus(u, back[0])))
		if s.lanes == 8 {
			VCMPPD(U8(2), double(escapeRadius2), r2, lanes, lanes) // at most
			VCMPPD(U8(13), double(orbitClose), gap, lanes, lanes)  // at least
			KTESTB(lanes, lanes)
			JZ(LabelRef(label("done")))
		} else {
			VCMPPD(U8(2), double(escapeRadius2), r2, r2)
			VCMPPD(U8(13), double(orbitClose), gap, gap)
			VANDPD(r2, running, running)
			VANDPD(gap, running, running)
			mask := GP32()
			VMOVMSKPD(running, mask)
			TESTL(mask, mask)
			JZ(LabelRef(label("done")))
		}
		CMPQ(n, check)
		JNE(LabelRef(label("next")))
		VMOVUPD(x, back[0])
		VMOVUPD(y, back[1])
		SHLQ(U8(1), check)
		Label(label("next"))
		INCQ(n)
		JMP(LabelRef(label("step")))
		Label(label("done"))
		VMOVUPD(x, field(0))
		VMOVUPD(y, field(1))
		VMOVUPD(near, field(4))
		VMOVUPD(steps, field(5))
	}
	VZEROUPPER()
	RET()
}
