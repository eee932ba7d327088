#!/usr/bin/python3
"""Compares package jpeg with Pillow on real images: every file of a folder, re-encoded at ten qualities.

Usage, in the root of the project: internal/jpeg/testdata/check.py FOLDER
Needs Debian 12's python3-pil (Pillow 9.4, libjpeg-turbo 2.1.5) and Go. Prints what was compared and exits 1 on a
difference.
"""
import io
import os
import random
import struct
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

QUALITIES = [1, 5, 10, 25, 50, 65, 75, 85, 95, 100]


class Package:
    """The Go program beside this file, as a server."""

    def __init__(self):
        self.dir = tempfile.TemporaryDirectory()
        exe = os.path.join(self.dir.name, "check")
        subprocess.run(["go", "build", "-o", exe, "./internal/jpeg/testdata/check"], check=True)
        self.p = subprocess.Popen([exe], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, op, *params):
        for x in (op.encode(), *params):
            self.p.stdin.write(struct.pack("<I", x) if isinstance(x, int) else x)
        self.p.stdin.flush()
        if self.p.stdout.read(1) == b"\1":
            raise ValueError(self.read(self.number()).decode())

    def read(self, n):
        return self.p.stdout.read(n)

    def number(self):
        return struct.unpack("<I", self.read(4))[0]

    def pixels(self):
        w, h = self.number(), self.number()
        return np.frombuffer(self.read(3 * w * h), np.uint8).reshape(h, w, 3)

    def decode(self, data):
        self.ask("d", len(data), data)
        return self.pixels()

    def crop(self, data, box):
        self.ask("c", *box, len(data), data)
        return self.pixels()

    def encode(self, a, q, sub, optimize):
        self.ask("e", q, sub, optimize, a.shape[1], a.shape[0], a.tobytes())
        return self.read(self.number())

    def round_trip(self, a, q):
        self.ask("r", q, a.shape[1], a.shape[0], a.tobytes())
        return self.pixels()


def save(im, **options):
    b = io.BytesIO()
    im.save(b, "JPEG", **options)
    return b.getvalue()


def pillow(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


class Tally:
    def __init__(self):
        self.n, self.bad = {}, 0

    def add(self, what, same, detail):
        self.n[what] = self.n.get(what, 0) + 1
        if not same:
            self.bad += 1
            if self.bad < 30:
                print("DIFFERENT:", what, detail)


def compare(go, tally, im, name, q):
    a = np.asarray(im)
    for sub in (0, 1, 2):  # Pillow's numbers: 4:4:4, 4:2:2, 4:2:0
        for optimize in (False, True):
            for progressive in (False, True):
                want = save(im, quality=q, subsampling=sub, optimize=optimize, progressive=progressive)
                detail = (name, im.size, q, sub, optimize, progressive)
                px = pillow(want)
                tally.add("decoded", np.array_equal(px, go.decode(want)), detail)
                if not progressive and sub != 1:
                    tally.add("encoded", want == go.encode(a, q, int(sub == 0), optimize), detail)
                if (sub, optimize, progressive) == (2, False, False):
                    tally.add("round trip", np.array_equal(px, go.round_trip(a, q)), detail)
                w, h = im.size
                x0, y0 = random.randrange(w), random.randrange(h)
                box = x0, y0, random.randrange(x0, w) + 1, random.randrange(y0, h) + 1
                got = go.crop(want, box)
                tally.add("cropped", np.array_equal(px[box[1]:box[3], box[0]:box[2]], got), detail + box)
    grey = save(im.convert("L"), quality=q)
    tally.add("decoded grey", np.array_equal(pillow(grey), go.decode(grey)), (name, q))


def main():
    go, tally = Package(), Tally()
    files = sorted(f for f in os.listdir(sys.argv[1]) if f.lower().endswith((".png", ".jpg", ".jpeg")))
    random.seed(1)
    for i, f in enumerate(files):
        with Image.open(os.path.join(sys.argv[1], f)) as im:
            im = im.convert("RGB")
        for j, q in enumerate(QUALITIES):
            if j == i % 10:
                size = im.size
            else:  # other sizes too, odd ones among them
                size = random.randint(1, 120), random.randint(1, 120)
            compare(go, tally, im.resize(size), f, q)
    print(len(files), "images:", ", ".join(f"{n} {what}" for what, n in tally.n.items()), "-", tally.bad, "different")
    return tally.bad > 0


if __name__ == "__main__":
    sys.exit(main())
