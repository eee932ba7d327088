#!/usr/bin/env python3
"""PixMix in Python, as the published recipe computes it: operations by Pillow, mixing on float32 tensors.

Prints images a second: pixmix_peer.py SIZE SECONDS. Images and mixing set lie in memory. It is a peer for speed, with
k 4, beta 3, severity 3 and nine operations; distributions are those of the paper.
"""
import sys
import time

import numpy as np
import torch
from PIL import Image, ImageOps

K, BETA, SEVERITY = 4, 3, 3
LEVELS = 10


def level(largest):
    return np.random.uniform(0.1, SEVERITY) * largest / LEVELS


def signed(value):
    return -value if np.random.random() > 0.5 else value


def affine(image, *matrix):
    return image.transform(image.size, Image.AFFINE, matrix, resample=Image.BILINEAR)


OPERATIONS = [
    lambda p: ImageOps.autocontrast(p),
    lambda p: ImageOps.equalize(p),
    lambda p: ImageOps.posterize(p, 4 - int(level(4))),
    lambda p: p.rotate(signed(int(level(30))), resample=Image.BILINEAR),
    lambda p: ImageOps.solarize(p, 256 - int(level(256))),
    lambda p: affine(p, 1, signed(level(0.3)), 0, 0, 1, 0),
    lambda p: affine(p, 1, 0, 0, signed(level(0.3)), 1, 0),
    lambda p: affine(p, 1, 0, signed(int(level(p.size[0] / 3))), 0, 1, 0),
    lambda p: affine(p, 1, 0, 0, 0, 1, signed(int(level(p.size[0] / 3)))),
]


def tensor(image):
    pixels = torch.from_numpy(np.array(image, copy=True))
    return pixels.permute(2, 0, 1).contiguous().to(torch.float32).div(255)


def operated(image):
    return OPERATIONS[np.random.randint(len(OPERATIONS))](image)


def coefficients():
    if np.random.random() < 0.5:
        return np.float32(np.random.beta(BETA, 1)), np.float32(np.random.beta(1, BETA))
    return 1 + np.float32(np.random.beta(1, BETA)), -np.float32(np.random.beta(1, BETA))


def added(x, y):
    a, b = coefficients()
    return (a * (x * 2 - 1) + b * (y * 2 - 1) + 1) / 2


def multiplied(x, y):
    a, b = coefficients()
    return (x * 2) ** a * (y * 2).clip(1e-37) ** b / 2


def pixmix(image, other):
    mixed = tensor(operated(image) if np.random.random() < 0.5 else image)
    for _ in range(np.random.randint(K + 1)):
        source = operated(image) if np.random.random() < 0.5 else other
        way = added if np.random.random() < 0.5 else multiplied
        mixed = torch.clip(way(mixed, tensor(source)), 0, 1)
    return (mixed - 0.5) / 0.5


def cropped(image, size):
    x = np.random.randint(image.size[0] - size + 1)
    y = np.random.randint(image.size[1] - size + 1)
    return image.crop((x, y, x + size, y + size))


def smooth(size):
    """An image with areas, edges and texture: an enlarged small one, with noise."""
    small = Image.fromarray(np.random.randint(0, 256, (6, 6, 3), dtype=np.uint8))
    big = np.asarray(small.resize((size, size), Image.BICUBIC), dtype=np.int16)
    return Image.fromarray(np.clip(big + np.random.randint(-12, 12, big.shape), 0, 255).astype(np.uint8))


def main():
    size, seconds = int(sys.argv[1]), float(sys.argv[2])
    torch.set_num_threads(1)
    np.random.seed(1)
    images = [smooth(size) for _ in range(64)]
    mixing = [smooth(size * 9 // 8) for _ in range(16)]
    for image in images[:8]:
        pixmix(image, cropped(mixing[0], size))
    done, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        pixmix(images[done % 64], cropped(mixing[np.random.randint(16)], size))
        done += 1
    print(done / (time.process_time() - begun))


main()
