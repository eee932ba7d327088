#!/usr/bin/python3
"""Makes goldens.zip, which the tests of package jpeg read: images drawn here, files that Pillow writes of them, files
that synth.py writes, and what Pillow decodes of all of them.

    src/NAME.png   an image
    enc/NAME_qQ_SUB[_opt][_prog].jpg   the image saved by Pillow; SUB is 420, 422, 444 or grey
    syn/NAME.jpg   a file that synth.py wrote
    bad/N.jpg      damaged files that Pillow still reads
    dec/...png     what Pillow decodes of enc/...jpg, syn/...jpg and bad/...jpg

Needs Debian 12's python3-pil (Pillow 9.4, libjpeg-turbo 2.1.5). Run it in this folder.
"""
import io
import random
import warnings
import zipfile

import numpy as np
from PIL import Image, ImageDraw, features

import synth

warnings.simplefilter("ignore")
SIZES = [(1, 1), (7, 5), (17, 33), (64, 48)]
QUALITIES = [1, 10, 25, 50, 75, 85, 95, 100]
SUBSAMPLING = {"444": 0, "422": 1, "420": 2}


def image(w, h, rnd):
    """Smooth shading, sharp shapes and some noise; extreme colours, so that clamping is met."""
    y, x = np.mgrid[0:h, 0:w]
    a = np.stack([255 * x / max(w - 1, 1), 255 * y / max(h - 1, 1), 127 + 127 * np.sin((x + 2 * y) / 5)], 2)
    im = Image.fromarray(a.astype(np.uint8))
    d = ImageDraw.Draw(im)
    for colour in ["red", "lime", "blue", "white", "black", "yellow"]:
        p = rnd.randrange(w), rnd.randrange(h)
        d.ellipse((p[0], p[1], p[0] + w // 4, p[1] + h // 4), fill=colour)
    a = np.asarray(im).astype(int) + np.array([rnd.randint(-12, 12) for _ in range(3 * w * h)]).reshape(h, w, 3)
    return Image.fromarray(a.clip(0, 255).astype(np.uint8))


def data(im, form, **options):
    b = io.BytesIO()
    im.save(b, form, **options)
    return b.getvalue()


def damaged(jpg, rnd):
    """The file with bytes of its scans changed, lost or added, or cut off by an end-of-image marker."""
    d = bytearray(jpg)
    at = rnd.randrange(jpg.find(b"\xff\xda") + 14, len(d) - 2)
    how = rnd.randrange(5)
    if how == 0:
        d[at] = rnd.randrange(256)
    elif how == 1:
        del d[at:at + rnd.randint(1, 3)]
    elif how == 2:
        d[at:at] = bytes([255, rnd.choice([0, 255, 0xD0, 0xD1, 0xD2, 0xD5, 0xD7, 0xD9])])
    elif how == 3:
        d[at:] = b"\xff\xd9"
    else:
        p = jpg.find(b"\xff\xd1")  # a restart marker
        d[p:p + 2] = rnd.choice([b"", b"\xff\xd2", b"\xff\xd3", b"\xff\xd5", b"\xff\xd7", b"\xff\xd0"])
    return bytes(d)


def main():
    if (features.version("pil"), features.version("libjpeg_turbo")) != ("9.4.0", "2.1.5"):
        raise SystemExit("needs Pillow 9.4.0 with libjpeg-turbo 2.1.5")
    rnd = random.Random(20)
    files = {}

    def add(name, jpg):
        png = data(Image.open(io.BytesIO(jpg)).convert("RGB"), "PNG", optimize=True)
        files[name + ".jpg"], files["dec/" + name + ".png"] = jpg, png

    for w, h in SIZES:
        im = image(w, h, rnd)
        name = f"{w}x{h}"
        files[f"src/{name}.png"] = data(im, "PNG", optimize=True)
        kinds = [(q, sub, False, False) for q in QUALITIES for sub in ("420", "444")]
        kinds += [(q, sub, True, False) for q in (10, 85) for sub in ("420", "444")]
        kinds += [(q, "422", False, False) for q in (25, 85)]
        kinds += [(q, sub, False, True) for q in (50, 95) for sub in ("420", "444")]
        for q, sub, opt, prog in kinds:
            jpg = data(im, "JPEG", quality=q, subsampling=SUBSAMPLING[sub], optimize=opt, progressive=prog)
            add(f"enc/{name}_q{q}_{sub}" + "_opt" * opt + "_prog" * prog, jpg)
        for q in (25, 85):
            add(f"enc/{name}_q{q}_grey", data(im.convert("L"), "JPEG", quality=q))
    for name, jpg in synth.kinds(rnd, 24):
        add("syn/" + name, jpg)
    n = 0
    while n < 40:
        factors = rnd.choice([[(2, 2), (1, 1), (1, 1)], [(1, 1)]])
        if n % 4 == 3:  # progressive: one bit of the last AC scan of luma changed, without making or breaking a marker
            k = len(factors)
            d = bytearray(synth.File(20, 20, factors, rnd, progressive=True, scans=synth.progression(k)).data)
            scans = [i for i in range(len(d)) if d[i:i + 2] == b"\xff\xda"]
            at = rnd.randrange(scans[-2 * k] + 12, scans[1 - 2 * k] - 1)
            if 0xFF in d[at - 1:at + 1] or d[at] ^ 16 == 0xFF:
                continue
            d[at] ^= 16
            add(f"bad/{n}", bytes(d))
            n += 1
            continue
        jpg = synth.File(rnd.randint(10, 30), rnd.randint(10, 30), factors, rnd, restart=rnd.randint(1, 3)).data
        try:
            add(f"bad/{n}", damaged(jpg, rnd))
        except OSError:
            continue  # Pillow refuses it
        n += 1
    with zipfile.ZipFile("goldens.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, content in files.items():
            z.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
