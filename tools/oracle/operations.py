"""The operations, each a call of Pillow's, and the cases of the groups ops and geometry."""

from PIL import Image, ImageEnhance, ImageOps

FILTERS = {
    "bilinear": Image.Resampling.BILINEAR,
    "box": Image.Resampling.BOX,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}


def transform(im, matrix, fill=None):
    """Affine sampling; the matrix maps output pixel centers to the source. Without fill the outside is black."""
    fill = tuple(fill) if fill else None
    return im.transform(im.size, Image.Transform.AFFINE, matrix, resample=Image.Resampling.BILINEAR, fillcolor=fill)


def affine(im, p):
    return transform(im, p["matrix"], p.get("fill"))


def rotate(im, p):
    fill = tuple(p["fill"]) if "fill" in p else None
    return im.rotate(p["degrees"], resample=Image.Resampling.BILINEAR, fillcolor=fill)


OPERATIONS = {
    "autocontrast": lambda im, p: ImageOps.autocontrast(im),
    "equalize": lambda im, p: ImageOps.equalize(im),
    "grayscale": lambda im, p: ImageOps.grayscale(im),
    "invert": lambda im, p: ImageOps.invert(im),
    "posterize": lambda im, p: ImageOps.posterize(im, p["bits"]),
    "solarize": lambda im, p: ImageOps.solarize(im, p["threshold"]),
    "rotate": rotate,
    "shear_x": affine,
    "shear_y": affine,
    "translate_x": affine,
    "translate_y": affine,
    "affine": affine,
    "color": lambda im, p: ImageEnhance.Color(im).enhance(p["factor"]),
    "contrast": lambda im, p: ImageEnhance.Contrast(im).enhance(p["factor"]),
    "brightness": lambda im, p: ImageEnhance.Brightness(im).enhance(p["factor"]),
    "sharpness": lambda im, p: ImageEnhance.Sharpness(im).enhance(p["factor"]),
    "resize": lambda im, p: im.resize((p["width"], p["height"]), FILTERS[p["filter"]]),
}

ALL = [
    "gradient_37x23", "noise_32x32", "dark_32x32", "shapes_64x40", "skewed_24x32", "flat_16x16", "two_24x18",
    "noise_1x1", "noise_2x3", "noise_3x2", "noise_1x29", "noise_31x1",
]
POINT = ["noise_32x32", "gradient_37x23", "skewed_24x32"]
WARP = ["gradient_37x23", "noise_2x3", "noise_31x1"]
BLEND = ["noise_32x32", "gradient_37x23", "skewed_24x32", "flat_16x16", "noise_1x1", "noise_3x2"]


def shear_x(s, **more):
    return "shear_x", {"s": s, "matrix": [1, s, 0, 0, 1, 0], **more}


def shear_y(s, **more):
    return "shear_y", {"s": s, "matrix": [1, 0, 0, s, 1, 0], **more}


def translate_x(t, **more):
    return "translate_x", {"t": t, "matrix": [1, 0, t, 0, 1, 0], **more}


def translate_y(t, **more):
    return "translate_y", {"t": t, "matrix": [1, 0, 0, 0, 1, t], **more}


def rotation(degrees, **more):
    return "rotate", {"degrees": degrees, "resample": "bilinear", **more}


def general(matrix, **more):
    return "affine", {"matrix": matrix, "resample": "bilinear", **more}


# Coefficients with few binary digits put source coordinates exactly on pixel centers and borders.
MATRICES = [
    [1, 0, 0, 0, 1, 0],
    [1, 0, 0.5, 0, 1, 0.5],
    [1, 0, -0.5, 0, 1, -0.5],
    [0.5, 0, 0.25, 0, 0.5, 0.25],
    [2.5, 0, -4, 0, 2.5, 3.125],
    [-1, 0, 37, 0, -1, 23],
    [0.8, 0.6, -3.1, -0.6, 0.8, 9.7],
    [1.05, -0.31, 2.2, 0.17, 0.93, -1.6],
    [0.01, 0, 11.3, 0, 0.01, 7.9],
    [0, 1, 0, 1, 0, 0],
    [1, 0, 500, 0, 1, 0],
]


def ops_cases():
    """Yields (operation, parameters, image names)."""
    for op in "autocontrast", "equalize", "grayscale", "invert":
        yield op, {}, ALL
    for bits in range(1, 9):
        yield "posterize", {"bits": bits}, POINT[:1] if bits not in (1, 4) else POINT
    for threshold in 0, 1, 128, 181, 255, 256:
        yield "solarize", {"threshold": threshold}, POINT[:1] if threshold != 128 else POINT
    for degrees in 0, 1, -1, 9, -30, 45, 90, -90, 180, 270, 360, 137:
        yield *rotation(degrees), WARP[:1]
    for degrees in 17, 90, 180:
        yield *rotation(degrees), ["shapes_64x40", "noise_32x32", "noise_1x1", "noise_2x3", "noise_1x29"]
    for fill in [128, 128, 128], [255, 0, 7]:
        yield *rotation(-21, fill=fill), WARP
        yield *shear_x(0.29, fill=fill), WARP[:2]
        yield *shear_y(-0.29, fill=fill), WARP[:2]
        yield *translate_x(-4, fill=fill), WARP
        yield *translate_y(2, fill=fill), WARP
        for matrix in MATRICES[1], MATRICES[6], MATRICES[10]:
            yield *general(matrix, fill=fill), WARP[:1]
    for s in 0.0, 0.003, -0.09, 0.3, -0.3, 0.25:
        yield *shear_x(s), WARP
        yield *shear_y(s), WARP
    for t in 0, 1, -1, 7, -7, 100:
        yield *translate_x(t), WARP[:2]
        yield *translate_y(t), WARP[:2]
    for matrix in MATRICES:
        yield *general(matrix), ["gradient_37x23", "noise_3x2"]
    yield *general(MATRICES[7]), ["shapes_64x40", "noise_1x1", "noise_1x29", "noise_31x1"]
    for op in "color", "contrast", "brightness", "sharpness":
        for factor in 0.0, 0.118, 0.5, 1.0, 1.37, 1.9:
            yield op, {"factor": factor}, BLEND if factor in (0.118, 1.9) else BLEND[:2]
        yield op, {"factor": 0.7}, ["noise_2x3", "noise_1x29", "noise_31x1", "two_24x18", "dark_32x32"]
    sizes = [
        ("gradient_37x23", 10, 50), ("gradient_37x23", 37, 10), ("gradient_37x23", 11, 23), ("noise_32x32", 20, 20),
        ("noise_32x32", 32, 32), ("noise_32x32", 1, 48), ("shapes_64x40", 90, 2), ("shapes_64x40", 7, 5),
        ("shapes_64x40", 1, 1), ("noise_1x1", 9, 5), ("noise_2x3", 13, 11), ("noise_31x1", 7, 4),
        ("noise_1x29", 3, 60), ("skewed_24x32", 25, 31),
    ]
    for filter in FILTERS:
        for image, w, h in sizes:
            yield "resize", {"filter": filter, "width": w, "height": h}, [image]


def shorter_side(w, h, size):
    """torchvision's Resize(size): the shorter side becomes size, the longer one is scaled and truncated."""
    return (size, int(size * h / w)) if w <= h else (int(size * w / h), size)


def resize_shorter(im, p):
    size = shorter_side(*im.size, p["size"])
    return im if size == im.size else im.resize(size, FILTERS[p["filter"]])


def pad(im, p):
    return ImageOps.expand(im, (p["left"], p["top"], p["right"], p["bottom"]), tuple(p["fill"]))


def center_crop(im, p):
    """torchvision's CenterCrop: a smaller image is padded with black first; half pixels round to even."""
    w, h = im.size
    cw, ch = p["width"], p["height"]
    if cw > w or ch > h:
        dx, dy = max(cw - w, 0), max(ch - h, 0)
        im = ImageOps.expand(im, (dx // 2, dy // 2, (dx + 1) // 2, (dy + 1) // 2), 0)
        w, h = im.size
    left, top = int(round((w - cw) / 2.0)), int(round((h - ch) / 2.0))
    return im.crop((left, top, left + cw, top + ch))


def crop(im, p):
    """Pillow's crop; outside the image is black."""
    return im.crop((p["left"], p["top"], p["left"] + p["width"], p["top"] + p["height"]))


GEOMETRY = {
    "flip": lambda im, p: ImageOps.mirror(im),
    "crop": crop,
    "center_crop": center_crop,
    "pad": pad,
    "resize_shorter": resize_shorter,
}


def geometry_cases():
    yield "flip", {}, ["gradient_37x23", "noise_32x32", "noise_1x1", "noise_2x3", "noise_31x1"]
    for left, top, w, h in (3, 5, 12, 9), (0, 0, 37, 23), (36, 22, 1, 1), (-4, -3, 16, 16), (30, 10, 20, 20):
        yield "crop", {"left": left, "top": top, "width": w, "height": h}, ["gradient_37x23"]
    for w, h in (10, 10), (11, 12), (36, 22), (37, 23), (50, 23), (40, 5), (48, 31):
        yield "center_crop", {"width": w, "height": h}, ["gradient_37x23"]
    yield "center_crop", {"width": 5, "height": 5}, ["noise_2x3", "noise_32x32"]
    for sides, fill in ((4, 4, 4, 4), [0, 0, 0]), ((1, 2, 3, 0), [9, 128, 255]):
        p = dict(zip(("left", "top", "right", "bottom"), sides))
        yield "pad", {**p, "fill": fill}, ["gradient_37x23", "noise_1x1"]
    for size in 8, 23, 30:
        yield "resize_shorter", {"size": size, "filter": "bilinear"}, ["gradient_37x23", "shapes_64x40", "noise_2x3"]
    yield "resize_shorter", {"size": 17, "filter": "bicubic"}, ["gradient_37x23", "skewed_24x32"]
