// Package arm64 writes assembly functions for 64-bit ARM in the syntax of Go's assembler, which lacks most vector instructions:
// those are written as the words that they encode to, with their text beside them. It covers what kernels of the module use, and
// its registers are named by the one who writes a kernel: nothing is spilled.
//
// Mistakes in a kernel, such as operands that do not fit, panic: they are the programmer's.
package arm64

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"strings"
)

// File is one .s file and the Go declarations of its functions.
type File struct {
	pkg   string
	funcs []*Func
	data  bytes.Buffer
}

// NewFile starts a file of the package with this name.
func NewFile(pkg string) *File { return &File{pkg: pkg} }

// Func is a function in the making. Its methods append instructions, the destination being the first operand.
type Func struct {
	file            *File
	name, sig, doc  string
	params          map[string]param
	argSize, labels int
	body            bytes.Buffer
	r, v            []bool // registers in use
}

type param struct{ offset, size int }

// Func starts a function, such as Func("addNEON", "(dst *byte, n int)", "addNEON adds."). Parameters are numbers and pointers.
func (f *File) Func(name, sig, doc string) *Func {
	fn := &Func{file: f, name: name, sig: sig, doc: doc, params: map[string]param{}, r: make([]bool, 32), v: make([]bool, 32)}
	// R16 and R17 are the linker's, R18 the system's, R26 and up Go's.
	for _, n := range []int{16, 17, 18, 26, 27, 28, 29, 30, 31} {
		fn.r[n] = true
	}
	fn.layOut()
	f.funcs = append(f.funcs, fn)
	return fn
}

// layOut places parameters and results as ABI0 does.
func (f *Func) layOut() {
	e, err := parser.ParseExpr("func" + f.sig)
	if err != nil {
		panic(fmt.Sprintf("arm64: signature of %s: %v", f.name, err))
	}
	t, at := e.(*ast.FuncType), 0
	lists := []*ast.FieldList{t.Params}
	if t.Results != nil {
		lists = append(lists, t.Results)
	}
	for _, list := range lists {
		at = (at + 7) &^ 7
		for _, field := range list.List {
			size := sizeOf(field.Type)
			for _, name := range field.Names {
				at = (at + size - 1) &^ (size - 1)
				f.params[name.Name] = param{at, size}
				at += size
			}
		}
	}
	f.argSize = (at + 7) &^ 7
	if t.Results == nil {
		f.argSize = at
	}
}

func sizeOf(t ast.Expr) int {
	if id, ok := t.(*ast.Ident); ok {
		switch id.Name {
		case "uint8", "int8", "bool":
			return 1
		case "uint16", "int16":
			return 2
		case "uint32", "int32", "float32":
			return 4
		}
	}
	return 8
}

// Load reads a parameter into a general register of its own; what is shorter than 64 bits is extended with zeros.
func (f *Func) Load(name string) Reg {
	p, r := f.param(name), f.Reg()
	move := map[int]string{1: "MOVBU", 2: "MOVHU", 4: "MOVWU", 8: "MOVD"}[p.size]
	f.Go("%s %s+%d(FP), %v", move, name, p.offset, r)
	return r
}

// Loads reads several parameters.
func (f *Func) Loads(names ...string) []Reg {
	var all []Reg
	for _, name := range names {
		all = append(all, f.Load(name))
	}
	return all
}

// Fill reads a parameter into every lane of a vector register of its own. Its size is that of a lane.
func (f *Func) Fill(name string) Vec {
	r := f.Load(name)
	v := f.fill(Size(sizeIndex(f.param(name).size)), r)
	f.Free(r)
	return v
}

// FillWith puts a constant of the given size into every lane of a vector register of its own.
func (f *Func) FillWith(s Size, value uint64) Vec {
	r := f.Reg()
	f.Go("MOVD $0x%x, %v", value, r)
	v := f.fill(s, r)
	f.Free(r)
	return v
}

func (f *Func) fill(s Size, r Reg) Vec {
	v := f.Vec()
	f.DUPR(v.whole(s), r)
	return v
}

func sizeIndex(bytes int) int { return map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[bytes] }

// Return writes a result.
func (f *Func) Return(name string, r Reg) {
	p := f.param(name)
	f.Go("%s %v, %s+%d(FP)", map[int]string{1: "MOVB", 2: "MOVH", 4: "MOVW", 8: "MOVD"}[p.size], r, name, p.offset)
}

func (f *Func) param(name string) param {
	p, ok := f.params[name]
	if !ok {
		panic(fmt.Sprintf("arm64: %s has no parameter %s", f.name, name))
	}
	return p
}

// Constant puts bytes into the file's read-only data and returns a register with their address. A name stands for one content.
func (f *Func) Constant(name string, b []byte) Reg {
	symbol := name + "<>(SB)"
	if !strings.Contains(f.file.data.String(), "GLOBL "+symbol) {
		for i := 0; i < len(b); i += 8 {
			var v uint64
			for k, x := range b[i : i+8] {
				v |= uint64(x) << (8 * k)
			}
			fmt.Fprintf(&f.file.data, "DATA %s<>+%d(SB)/8, $0x%016x\n", name, i, v)
		}
		fmt.Fprintf(&f.file.data, "GLOBL %s, RODATA|NOPTR, $%d\n\n", symbol, len(b))
	}
	r := f.Reg()
	f.Go("MOVD $%s, %v", symbol, r)
	return r
}

// Go appends an instruction that Go's assembler knows, in its syntax: the source is the first operand.
func (f *Func) Go(text string, args ...any) { fmt.Fprintf(&f.body, "\t"+text+"\n", args...) }

// NewLabel returns a name for a place that [Func.Label] will mark.
func (f *Func) NewLabel() string {
	f.labels++
	return fmt.Sprintf("l%d", f.labels)
}

// Label marks this place.
func (f *Func) Label(name string) { fmt.Fprintf(&f.body, "%s:\n", name) }

// Loop repeats body, counting n down by step until it is 0 or below. It runs at least once.
func (f *Func) Loop(n Reg, step int, body func()) {
	top := f.NewLabel()
	f.Label(top)
	body()
	f.Go("SUBS $%d, %v, %v", step, n, n)
	f.Go("BGT %s", top)
}

// Reg returns a general register that is not in use.
func (f *Func) Reg() Reg { return Reg(f.take(f.r, "general")) }

// Vec returns a vector register that is not in use.
func (f *Func) Vec() Vec { return Vec(f.take(f.v, "vector")) }

func (f *Func) take(used []bool, kind string) int {
	for n := range used {
		if !used[n] {
			used[n] = true
			return n
		}
	}
	panic(fmt.Sprintf("arm64: %s needs more %s registers than there are", f.name, kind))
}

// Vecs returns n vector registers in a row, as LD3, LD4 and TBL want them.
func (f *Func) Vecs(n int) []Vec {
	for from := 0; from+n <= len(f.v); from++ {
		free := true
		for _, used := range f.v[from : from+n] {
			free = free && !used
		}
		if free {
			all := make([]Vec, n)
			for i := range all {
				f.v[from+i], all[i] = true, Vec(from+i)
			}
			return all
		}
	}
	panic(fmt.Sprintf("arm64: %s has no %d vector registers in a row", f.name, n))
}

// Free gives registers, of type Reg, Vec or []Vec, back.
func (f *Func) Free(registers ...any) {
	for _, r := range registers {
		switch r := r.(type) {
		case Reg:
			f.r[r] = false
		case Vec:
			f.v[r] = false
		case []Vec:
			for _, v := range r {
				f.v[v] = false
			}
		default:
			panic(fmt.Sprintf("arm64: %T is no register", r))
		}
	}
}

const header = "// Code generated by tools/neon. DO NOT EDIT.\n\n//go:build !noasm\n\n"

// Assembly returns the .s file.
func (f *File) Assembly() []byte {
	var b bytes.Buffer
	b.WriteString(header + "#include \"textflag.h\"\n\n")
	b.Write(f.data.Bytes())
	for i, fn := range f.funcs {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "// func %s%s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n%s\tRET\n", fn.name, fn.sig, fn.name, fn.argSize, fn.body.Bytes())
	}
	return b.Bytes()
}

// Stubs returns the Go file that declares the functions.
func (f *File) Stubs() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%spackage %s\n", header, f.pkg)
	for _, fn := range f.funcs {
		fmt.Fprintf(&b, "\n// %s\n//\n//go:noescape\nfunc %s%s\n", strings.ReplaceAll(fn.doc, "\n", "\n// "), fn.name, fn.sig)
	}
	out, err := format.Source(b.Bytes())
	if err != nil {
		panic(fmt.Sprintf("arm64: declarations of package %s: %v", f.pkg, err))
	}
	return out
}
