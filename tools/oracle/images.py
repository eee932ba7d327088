"""The images that the goldens are made from: integer formulas only, so that they are the same everywhere."""

import numpy as np


class Lcg:
    """Linear congruential generator modulo 2**32 with the multiplier and increment of Numerical Recipes (section 7.1).

    Its low bits are poor; only the high ones are used. It stands here written out so that the goldens depend on no
    library's generator.
    """

    def __init__(self, seed):
        self.state = seed & 0xFFFFFFFF

    def word(self):
        self.state = (self.state * 1664525 + 1013904223) & 0xFFFFFFFF
        return self.state

    def byte(self):
        return self.word() >> 24

    def below(self, n):
        """An integer in [0, n), slightly uneven for n that is no power of two."""
        return (self.word() >> 8) * n >> 24

    def unit(self):
        """A multiple of 2**-24 in [0, 1)."""
        return (self.word() >> 8) / (1 << 24)


def gradient(w, h):
    """Three ramps: left to right, top to bottom, corner to corner."""
    y, x = np.mgrid[0:h, 0:w]
    planes = [255 * x // max(w - 1, 1), 255 * y // max(h - 1, 1), 255 * (x + y) // max(w + h - 2, 1)]
    return np.stack(planes, axis=2).astype(np.uint8)


def noise(w, h, seed, low=0, high=255):
    """Independent values from low to high."""
    g = Lcg(seed)
    values = [low + (g.byte() * (high - low + 1) >> 8) for _ in range(w * h * 3)]
    return np.array(values, dtype=np.uint8).reshape(h, w, 3)


def shapes(w, h):
    """A disc, a frame and diagonal stripes on a dim ground: flat areas and hard edges."""
    y, x = np.mgrid[0:h, 0:w]
    m = np.full((h, w, 3), (40, 44, 60), dtype=np.uint8)
    m[(x + 2 * y) % 11 < 3] = (90, 20, 130)
    m[(5 * x > w) & (5 * x < 4 * w) & (2 * y > h)] = (250, 240, 10)
    m[(4 * x > w) & (4 * x < 3 * w) & (3 * y > 2 * h)] = (0, 160, 80)
    m[9 * ((3 * x - w) ** 2 + (3 * y - h) ** 2) < 4 * min(w, h) ** 2] = (255, 255, 255)
    return m


def flat(w, h, color):
    return np.full((h, w, 3), color, dtype=np.uint8)


def two_values(w, h):
    """Two values a channel: neighbors, the extremes, and (for blue) a single one."""
    y, x = np.mgrid[0:h, 0:w]
    on = (x // 2 + y // 3) % 2 == 1
    return np.stack([90 + on, 255 * on, np.full_like(x, 200)], axis=2).astype(np.uint8)


def skewed(w, h):
    """Mostly 0 and 255 with few values between: histograms with gaps and heavy ends."""
    g = Lcg(77)
    values = [(0, 0, 0, 255, 255, g.byte(), g.byte() >> 4, 3)[g.below(8)] for _ in range(w * h * 3)]
    return np.array(values, dtype=np.uint8).reshape(h, w, 3)


# Names say the size: width x height.
IMAGES = {
    "gradient_37x23": gradient(37, 23),
    "noise_32x32": noise(32, 32, 1),
    "dark_32x32": noise(32, 32, 2, 40, 70),
    "shapes_64x40": shapes(64, 40),
    "skewed_24x32": skewed(24, 32),
    "flat_16x16": flat(16, 16, (120, 7, 255)),
    "two_24x18": two_values(24, 18),
    "noise_1x1": noise(1, 1, 3),
    "noise_2x3": noise(2, 3, 4),
    "noise_3x2": noise(3, 2, 5),
    "noise_1x29": noise(1, 29, 6),
    "noise_31x1": noise(31, 1, 7),
}

# Six images of one size for the AugMix goldens.
BATCH = np.stack([
    noise(32, 32, 8), gradient(32, 32), shapes(32, 32), noise(32, 32, 9, 100, 180), skewed(32, 32),
    shapes(32, 32)[:, ::-1],
])
