"""Writes JPEG files that Pillow cannot write, from random coefficients: any sampling factors, number of components and
markers, restart intervals, scans of one component, progressive scans with successive approximation, 16-bit quantisation
tables."""
import random
import struct

ZIGZAG_LEN = 64


class Bits:
    def __init__(self):
        self.out, self.acc, self.n = bytearray(), 0, 0

    def put(self, v, n):
        self.acc = self.acc << n | v
        self.n += n
        while self.n >= 8:
            self.n -= 8
            b = self.acc >> self.n & 0xFF
            self.out.append(b)
            if b == 0xFF:
                self.out.append(0)
        self.acc &= (1 << self.n) - 1

    def flush(self):
        if self.n:
            k = 8 - self.n
            self.put((1 << k) - 1, k)


def table(symbols, lengths):
    """Counts and codes of a Huffman table: lengths is a list of (bits, how many codes)."""
    counts, codes, code, at, last = [0] * 16, {}, 0, 0, 0
    for n, m in lengths:
        code <<= n - last
        last = n
        counts[n - 1] = m
        for s in symbols[at:at + m]:
            codes[s] = (code, n)
            code += 1
        at += m
    return bytes(counts) + bytes(symbols[:at]), codes


DC = table(list(range(16)), [(2, 1), (5, 8), (11, 7)])
_first = [0x00, 0x01, 0x11, 0x02, 0xF0]
AC = table(_first + [s for s in range(256) if s not in _first], [(2, 1), (4, 3), (8, 60), (9, 100), (12, 60), (16, 32)])


def value(b, v, n):
    if n:
        b.put(v if v > 0 else v + (1 << n) - 1, n)


def marker(m, data=b""):
    return struct.pack(">BBH", 0xFF, m, len(data) + 2) + data


class File:
    """factors is a list of (h, v). scans is a list of (components, ss, se, ah, al)."""

    def __init__(self, w, h, factors, rnd, scans=None, restart=0, progressive=False, quant=None, wide=False, adobe=None,
                 jfif=True, ids=None, amplitude=30, density=0.15, tables=True, sof=None):
        self.w, self.h, self.f, self.r = w, h, factors, rnd
        n = len(factors)
        if n == 1:
            factors = self.f = [(1, 1)]
        self.hm, self.vm = max(f[0] for f in factors), max(f[1] for f in factors)
        self.mw, self.mh = -(-w // (8 * self.hm)), -(-h // (8 * self.vm))
        self.restart, self.progressive = restart, progressive
        self.coef = []
        for fh, fv in factors:
            self.coef.append([[self.block(amplitude, density) for _ in range(self.mw * fh)]
                              for _ in range(self.mh * fv)])
        ids = ids or list(range(1, n + 1))
        out = bytearray(b"\xff\xd8")
        if jfif:
            out += marker(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
        if adobe is not None:
            out += marker(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([adobe]))
        for t in range(2):
            q = quant or [1 + (k * (2 + t)) // 3 for k in range(64)]
            out += marker(0xDB, bytes([t | 16]) + struct.pack(">64H", *q) if wide else bytes([t]) + bytes(q))
        sof = sof or (0xC2 if progressive else 0xC0)
        out += marker(sof, struct.pack(">BHHB", 8, h, w, n) + b"".join(
            bytes([ids[i], factors[i][0] << 4 | factors[i][1], min(i, 1)]) for i in range(n)))
        if tables:
            out += marker(0xC4, b"\0" + DC[0] + b"\x10" + AC[0])
            out += marker(0xC4, b"\1" + DC[0] + b"\x11" + AC[0])
        if restart:
            out += marker(0xDD, struct.pack(">H", restart))
        for comps, ss, se, ah, al in scans or [(list(range(n)), 0, 63, 0, 0)]:
            out += marker(0xDA, bytes([len(comps)]) + b"".join(bytes([ids[c], min(c, 1) * 17]) for c in comps) +
                          bytes([ss, se, ah << 4 | al]))
            out += self.scan(comps, ss, se, ah, al)
        self.data = bytes(out) + b"\xff\xd9"

    def block(self, amplitude, density):
        r = self.r
        b = [0] * 64
        b[0] = r.randint(-200, 200)
        for k in range(1, 64):
            if r.random() < density:
                b[k] = r.randint(-amplitude, amplitude) // (1 + k // 8)
        return b

    def scan(self, comps, ss, se, ah, al):
        if len(comps) == 1:
            c = comps[0]
            fh, fv = self.f[c]
            bw = -(-(-(-self.w * fh // self.hm)) // 8)
            bh = -(-(-(-self.h * fv // self.vm)) // 8)
            mcus = [[(c, self.coef[c][y][x])] for y in range(bh) for x in range(bw)]
        else:
            mcus = [[(c, self.coef[c][y * self.f[c][1] + v][x * self.f[c][0] + h]) for c in comps
                     for v in range(self.f[c][1]) for h in range(self.f[c][0])]
                    for y in range(self.mh) for x in range(self.mw)]
        b, pred = Bits(), {}
        for i, m in enumerate(mcus):
            if self.restart and i and i % self.restart == 0:
                b.flush()
                b.out += bytes([0xFF, 0xD0 + (i // self.restart - 1) % 8])
                pred = {}
            for c, blk in m:
                if ss == 0:
                    if ah:
                        b.put(blk[0] >> al & 1, 1)
                    else:
                        v = blk[0] >> al
                        d = v - pred.get(c, 0)
                        pred[c] = v
                        n = abs(d).bit_length()
                        b.put(*DC[1][n])
                        value(b, d, n)
                if se > 0:
                    (self.refine if ah else self.first)(b, blk, max(ss, 1), se, al)
        b.flush()
        return b.out

    @staticmethod
    def first(b, blk, ss, se, al):
        run = 0
        for k in range(ss, se + 1):
            v = blk[k]
            v = v >> al if v >= 0 else -(-v >> al)
            if v == 0:
                run += 1
                continue
            while run > 15:
                b.put(*AC[1][0xF0])
                run -= 16
            n = abs(v).bit_length()
            b.put(*AC[1][run << 4 | n])
            value(b, v, n)
            run = 0
        if run:
            b.put(*AC[1][0])

    @staticmethod
    def refine(b, blk, ss, se, al):
        mag = [abs(v) >> al for v in blk]
        last = max([k for k in range(ss, se + 1) if mag[k] == 1], default=ss - 1)
        run, bits = 0, []
        for k in range(ss, se + 1):
            if mag[k] == 0:
                run += 1
                continue
            while run > 15 and k <= last:
                b.put(*AC[1][0xF0])
                for x in bits:
                    b.put(x, 1)
                run, bits = run - 16, []
            if mag[k] > 1:
                bits.append(mag[k] & 1)
                continue
            b.put(*AC[1][run << 4 | 1])
            b.put(int(blk[k] > 0), 1)
            for x in bits:
                b.put(x, 1)
            run, bits = 0, []
        if run or bits:
            b.put(*AC[1][0])
            for x in bits:
                b.put(x, 1)


def progression(n):
    """A script with spectral selection and successive approximation for n components."""
    s = [(list(range(n)), 0, 0, 0, 2)]
    s += [([c], 1, 5, 0, 1) for c in range(n)]
    s += [([c], 6, 63, 0, 2) for c in range(n)]
    s += [(list(range(n)), 0, 0, 2, 1)]
    s += [([c], 6, 63, 2, 1) for c in range(n)]
    s += [([c], 1, 63, 1, 0) for c in range(n)]
    s += [([c], 0, 0, 1, 0) for c in range(n)]
    return s


def kinds(rnd, side=70):
    """Yields (name, bytes) of files of up to side by side pixels, of every kind that the decoder covers beyond what
    Pillow writes."""
    def size():
        return rnd.randint(1, side), rnd.randint(1, side)

    for hv in [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4), (3, 1), (1, 3), (3, 2)]:
        f = [hv, (1, 1), (1, 1)]
        yield f"luma{hv[0]}x{hv[1]}", File(*size(), f, rnd).data
        yield f"luma{hv[0]}x{hv[1]}-restart", File(*size(), f, rnd, restart=rnd.randint(1, 5)).data
        yield f"luma{hv[0]}x{hv[1]}-progressive", File(*size(), f, rnd, progressive=True, scans=progression(3)).data
    for i, f in enumerate([[(2, 2), (2, 1), (1, 2)], [(1, 1), (2, 2), (1, 1)], [(4, 1), (2, 1), (1, 1)],
                           [(1, 4), (1, 2), (1, 1)], [(1, 2), (2, 2), (2, 1)], [(2, 2), (1, 1), (2, 2)],
                           [(4, 1), (2, 1), (4, 1)]]):
        yield f"mixed{i}", File(*size(), f, rnd).data
        yield f"mixed{i}-progressive", File(*size(), f, rnd, progressive=True, scans=progression(3), restart=3).data
    for w in range(1, 8):
        for hv in [(2, 2), (2, 1), (1, 2)]:
            yield f"narrow{w}-{hv[0]}x{hv[1]}", File(w, rnd.randint(1, 20), [hv, (1, 1), (1, 1)], rnd).data
    sep = [([c], 0, 63, 0, 0) for c in range(3)]
    yield "separate", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, scans=sep).data
    yield "separate-restart", File(*size(), [(2, 1), (1, 1), (1, 1)], rnd, scans=sep, restart=4).data
    yield "partly-separate", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd,
                                  scans=[([0], 0, 63, 0, 0), ([1, 2], 0, 63, 0, 0)]).data
    yield "grey-2x2", File(*size(), [(2, 2)], rnd).data
    yield "grey-progressive", File(*size(), [(1, 1)], rnd, progressive=True, scans=progression(1)).data
    yield "dc-unrefined", File(*size(), [(2, 1), (1, 1), (1, 1)], rnd, progressive=True, scans=progression(3)[:-3]).data
    yield "refined-twice", File(*size(), [(1, 1)], rnd, progressive=True,
                                scans=progression(1) + [([0], 1, 63, 1, 0)]).data
    yield "rgb-adobe", File(*size(), [(1, 1)] * 3, rnd, jfif=False, adobe=0).data
    yield "rgb-names", File(*size(), [(1, 1)] * 3, rnd, jfif=False, ids=[82, 71, 66]).data
    yield "ycc-adobe", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, jfif=False, adobe=1).data
    yield "ycc-names", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, jfif=False, ids=[7, 8, 9]).data
    yield "jfif-and-adobe0", File(*size(), [(1, 1)] * 3, rnd, adobe=0).data
    yield "cmyk", File(*size(), [(1, 1)] * 4, rnd, jfif=False).data
    yield "cmyk-adobe", File(*size(), [(1, 1)] * 4, rnd, jfif=False, adobe=0).data
    yield "ycck", File(*size(), [(2, 2), (1, 1), (1, 1), (2, 2)], rnd, jfif=False, adobe=2).data
    yield "ycck-444", File(*size(), [(1, 1)] * 4, rnd, adobe=2).data
    yield "ycck-progressive", File(*size(), [(2, 1), (1, 1), (1, 1), (2, 1)], rnd, adobe=2, progressive=True,
                                   scans=progression(4)).data
    yield "extended", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, sof=0xC1).data
    yield "quant16", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, sof=0xC1, wide=True,
                          quant=[8 + k for k in range(63)] + [300]).data
    wild = [(100, 0.5), (1000, 0.3), (5000, 0.3), (30000, 0.4), (30000, 0.02), (3000, 1), (1023, 1)]
    for i, (a, d) in enumerate(wild):
        yield f"wild{i}", File(*size(), [(1, 1)] * 3, rnd, amplitude=a, density=d).data
        yield f"wild{i}-big-quant", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, amplitude=a, density=d,
                                               quant=[255] * 64).data
        yield f"wild{i}-quant16", File(*size(), [(1, 1)], rnd, amplitude=a, density=d, wide=True, sof=0xC1,
                                       quant=[rnd.randint(1, 65535) for _ in range(64)]).data
    yield "wild-progressive", File(*size(), [(2, 2), (1, 1), (1, 1)], rnd, amplitude=8000, density=0.3,
                                   progressive=True, scans=progression(3)).data
