package jpeg

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestOptimalHuff checks what every Huffman table of a JPEG file must be, for any counts: a prefix code without a
// code of all ones, of at most 16 bits, for exactly the symbols that occur, and as short as a Huffman code unless the
// limit of 16 bits is hit.
func TestOptimalHuff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var count [257]int
		fibonacci := rapid.Bool().Draw(t, "fibonacci") // the counts that make the longest codes
		a, b := 1, 1
		n := rapid.IntRange(1, 200).Draw(t, "symbols")
		for i := range n {
			if fibonacci {
				count[i] = a
				a, b = b, a+b
				if i > 35 {
					a, b = 1, 1
				}
			} else {
				count[i] = rapid.IntRange(0, 50).Draw(t, "count")
			}
		}
		want := count
		h := optimalHuff(&count)
		length := [256]int{}
		kraft := 0
		if err := h.codes(func(sym uint8, code, n int) {
			if length[sym] != 0 || n > 16 || code == 1<<n-1 {
				t.Fatalf("symbol %d: code %b of %d bits", sym, code, n)
			}
			length[sym] = n
			kraft += 1 << (16 - n)
		}); err != nil {
			t.Fatal(err)
		}
		if kraft >= 1<<16 {
			t.Fatalf("codes fill %d of 65536", kraft)
		}
		cost, longest := 0, 0
		for i := range length {
			if (length[i] > 0) != (want[i] > 0) {
				t.Fatalf("symbol %d: count %d, %d bits", i, want[i], length[i])
			}
			cost += length[i] * want[i]
			longest = max(longest, length[i])
		}
		// the reserved code was one of the two or more longest
		if best := huffmanCost(want); longest < 16 && cost+longest != best {
			t.Fatalf("%d bits for the image, %d with the reserved code, best is %d", cost, cost+longest, best)
		}
	})
}

// huffmanCost is the length of all symbols in a Huffman code with one more symbol that occurs once: the sum of all
// inner nodes.
func huffmanCost(count [257]int) (cost int) {
	nodes := []int{1}
	for _, c := range count[:256] {
		if c > 0 {
			nodes = append(nodes, c)
		}
	}
	for len(nodes) > 1 {
		slices.SortFunc(nodes, func(a, b int) int { return b - a })
		n := len(nodes)
		nodes[n-2] += nodes[n-1]
		cost += nodes[n-2]
		nodes = nodes[:n-1]
	}
	return cost
}

// TestHuffmanRoundTrip writes symbols with values through the encoder's tables and reads them back.
func TestHuffmanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.IntRange(0, 1).Draw(t, "class")
		spec := &exampleHuff[class][rapid.IntRange(0, 1).Draw(t, "table")]
		var enc encTable
		enc.build(spec)
		var dec huffTable
		if err := dec.build(spec, class == 1, rapid.IntRange(1, 15).Draw(t, "maxSize")); err != nil {
			t.Fatal(err)
		}
		values := rapid.SliceOfN(rapid.IntRange(-1023, 1023), 1, 60).Draw(t, "values")
		var w bitWriter
		for _, v := range values {
			if v == 0 && class == 1 {
				v = 1
			}
			w.value(&enc, 0, v)
		}
		w.flush()
		var d Decoder
		d.data = append(w.buf, 0xFF, mEOI)
		d.segmentData()
		if d.marker != mEOI || d.pos != len(d.data) {
			t.Fatalf("marker %#x at %d of %d", d.marker, d.pos, len(d.data))
		}
		for i, v := range values {
			if v == 0 && class == 1 {
				v = 1
			}
			var got int64
			if i%2 == 0 {
				got = d.bits.difference(&dec) // by way of look
			} else {
				n := uint(d.bits.symbol(&dec) & 15) // by way of plain
				got = extend(d.bits.take(n), n)
			}
			if got != int64(v) {
				t.Fatalf("value %d: got %d, want %d", i, got, v)
			}
		}
		if d.bits.overrun() {
			t.Fatal("overrun")
		}
		for range 8 {
			d.bits.refill()
			d.bits.take(1)
		}
		if !d.bits.overrun() {
			t.Fatal("no overrun after eight bits more than there are")
		}
	})
}

// TestBlockReaders feeds the same bits, valid or not, to the three ways of reading a block. They must take the same
// bits and find the same coefficients, also where a run leads past the end of the block.
func TestBlockReaders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var quant [64]uint16
		for k := range quant {
			quant[k] = uint16(rapid.SampledFrom([]int{1, 3, 17, 255}).Draw(t, "q"))
		}
		var dc, ac huffTable
		table := rapid.IntRange(0, 1).Draw(t, "table")
		if err := dc.build(&exampleHuff[0][table], false, 15); err != nil {
			t.Fatal(err)
		}
		if err := ac.build(&exampleHuff[1][table], true, tame(int(slices.Max(quant[:])))); err != nil {
			t.Fatal(err)
		}
		var enc [2]encTable
		enc[0].build(&exampleHuff[0][table])
		enc[1].build(&exampleHuff[1][table])
		var w bitWriter
		for i := range 60 { // runs and sizes from short to long, mostly short, and now and then the end of the block
			run, v := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 15}).Draw(t, "run"), 0
			if size := rapid.SampledFrom([]int{1, 1, 2, 3, 4, 5, 10}).Draw(t, "size"); i > 0 || run > 0 {
				v = rapid.IntRange(1<<(size-1), 1<<size-1).Draw(t, "value")
			}
			if rapid.Bool().Draw(t, "negative") {
				v = -v
			}
			switch {
			case i%20 == 0:
				w.value(&enc[0], 0, v)
			case rapid.IntRange(0, 30).Draw(t, "end") == 0:
				w.value(&enc[1], 0, 0)
			default:
				w.value(&enc[1], run<<4, v)
			}
		}
		w.flush()
		d := Decoder{data: append(w.buf, 0xFF, mEOI)}
		d.segmentData()
		d.tables[0][0], d.tables[1][0] = dc, ac
		fast, skipped := d.bits, d.bits
		c := component{quant: quant}
		c.scale.set(&quant)
		var fastPred, skipPred int32
		for !d.bits.overrun() {
			var coef [64]int16
			d.sequentialBlock(&c, coef[:])
			var got block
			last, wild := fast.block(&got, &c.scale, &dc, &ac, &fastPred)
			skipped.skip(&dc, &ac, &skipPred)
			var want block
			wantLast, wantWild := c.dequantize(&want, coef[:])
			if got != want || last+3 < wantLast || wantWild && !wild || fastPred != c.pred || skipPred != c.pred {
				t.Fatalf("got %v, last %d, wild %v; want %v, last %d, wild %v",
					got, last, wild, want, wantLast, wantWild)
			}
			at := 8*d.bits.pos - int(d.bits.cnt)
			if a, b := 8*fast.pos-int(fast.cnt), 8*skipped.pos-int(skipped.cnt); a != at || b != at {
				t.Fatalf("at bits %d and %d, want %d", a, b, at)
			}
		}
	})
}

func TestBadHuffmanTables(t *testing.T) {
	var d huffTable
	full := newHuffSpec([]uint8{2}, []uint8{0, 1}) // the second code is all ones
	if err := d.build(&full, true, 15); !errors.Is(err, ErrFormat) {
		t.Errorf("full table: %v", err)
	}
	over := newHuffSpec([]uint8{0, 7}, make([]uint8, 7))
	if err := d.build(&over, true, 15); !errors.Is(err, ErrFormat) {
		t.Errorf("table with seven codes of two bits: %v", err)
	}
	big := newHuffSpec([]uint8{1}, []uint8{16})
	if err := d.build(&big, false, 15); !errors.Is(err, ErrFormat) {
		t.Errorf("DC symbol 16: %v", err)
	}
	if err := d.build(&big, true, 15); err != nil {
		t.Errorf("AC symbol 16: %v", err)
	}
}

func TestTame(t *testing.T) {
	for q := range 70000 {
		if s := tame(q); q > 0 && s > 0 && (1<<s-1)*q > maxTame || q <= 255 && s < 5 {
			t.Fatalf("quantizer %d: %d bits", q, s)
		}
	}
}
