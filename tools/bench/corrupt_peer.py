#!/usr/bin/env python3
"""The 19 corruptions of ImageNet-C and the ten of ImageNet-C-bar in Python, from their published definitions.

    corrupt_peer.py c|cbar SECONDS

prints a line "name milliseconds" for each: processor time of one image of 224x224 on one thread, mean over the five
severities; and a line "sum" of all. It is a peer for speed: OpenCV, Pillow and NumPy in float32 wherever they have a function for the work, so
that values differ from the published ones in the last places. OpenCV knows no random numbers of these distributions
that are faster than NumPy's. Frost takes random textures, which cost as much as photographs.
"""
import io
import sys
import time

import cv2
import numpy as np
from PIL import Image

S = 224
RNG = np.random.default_rng(1)
Y, X = np.mgrid[0:S, 0:S].astype(np.float32)


def clipped(x):
    """Values in 0..1 to bytes."""
    return (np.clip(x, 0, 1) * 255).astype(np.uint8)


def cut(x):
    """Values in 0..255 to bytes."""
    return np.clip(x, 0, 255).astype(np.uint8)


def unit(img):
    return img.astype(np.float32) / 255


def normal(shape, loc=0.0, scale=1.0):
    return RNG.standard_normal(shape, dtype=np.float32) * scale + loc


def gauss(x, sigma, border=cv2.BORDER_REPLICATE, truncate=4):
    side = 2 * int(truncate * sigma + 0.5) + 1
    return cv2.GaussianBlur(x, (side, side), sigma, borderType=border) if side > 1 else x


# ImageNet-C


def gaussian_noise(img, s):
    return clipped(unit(img) + normal(img.shape, 0, (0.08, 0.12, 0.18, 0.26, 0.38)[s]))


def shot_noise(img, s):
    rate = (60, 25, 12, 5, 3)[s]
    return clipped(RNG.poisson(unit(img) * rate) / np.float32(rate))


def impulse_noise(img, s):
    out = img.copy()
    flipped = RNG.random(img.shape, dtype=np.float32) < (0.03, 0.06, 0.09, 0.17, 0.27)[s]
    out[flipped] = RNG.integers(0, 2, np.count_nonzero(flipped), dtype=np.uint8) * np.uint8(255)
    return out


def speckle_noise(img, s):
    x = unit(img)
    return clipped(x + x * normal(img.shape, 0, (0.15, 0.2, 0.35, 0.45, 0.6)[s]))


def gaussian_blur(img, s):
    return clipped(gauss(unit(img), (1, 2, 3, 4, 6)[s]))


def glass_blur(img, s):
    sigma, reach, rounds = ((0.7, 1, 2), (0.9, 2, 1), (1, 2, 3), (1.1, 3, 2), (1.5, 4, 2))[s]
    x = clipped(gauss(unit(img), sigma))
    rows = np.arange(S - reach, reach, -1)
    places = (rows[:, None] * S + rows).ravel()
    index = list(range(S * S))  # each move reads what earlier ones wrote: a loop
    for _ in range(rounds):
        moves = RNG.integers(-reach, reach, (2, places.size))
        for to, of in zip(places.tolist(), (places + moves[0] + S * moves[1]).tolist()):
            index[to] = index[of]
    return clipped(gauss(unit(x.reshape(-1, 3)[index].reshape(x.shape)), sigma))


def defocus_blur(img, s):
    radius, alias = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))[s]
    line = np.arange(-max(radius, 8), max(radius, 8) + 1)
    disc = (line[:, None] ** 2 + line**2 <= radius**2).astype(np.float32)
    side = 3 if radius <= 8 else 5
    disc = cv2.GaussianBlur(disc / disc.sum(), (side, side), alias)
    return clipped(cv2.filter2D(unit(img), -1, disc))


def motion(x, radius, sigma, angle):
    n = 2 * radius + 1
    i = np.arange(n)
    w = np.exp(-(i**2) / (2.0 * sigma**2)).astype(np.float32)
    ox = np.ceil(i * np.cos(np.deg2rad(angle)) - 0.5).astype(int)
    oy = np.ceil(i * np.sin(np.deg2rad(angle)) - 0.5).astype(int)
    left, top = -ox.min(), -oy.min()
    kernel = np.zeros((oy.max() + top + 1, ox.max() + left + 1), np.float32)
    np.add.at(kernel, (oy + top, ox + left), w / w.sum())
    return cv2.filter2D(x, -1, kernel, anchor=(int(left), int(top)), borderType=cv2.BORDER_REPLICATE)


def motion_blur(img, s):
    radius, sigma = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))[s]
    return motion(img, radius, sigma, RNG.uniform(-45, 45))


def zoomed(x, z):
    c = int(np.ceil(S / z))
    t = (S - c) // 2
    o = round(c * z)
    step = (c - 1) / (o - 1)
    matrix = np.array([[step, 0, t], [0, step, t]])
    return cv2.warpAffine(x, matrix, (S, S), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)


def zoom_blur(img, s):
    end, step = ((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03))[s]
    x = unit(img)
    factors = np.arange(1, end, step)
    total = x.copy()
    for z in factors:
        total += zoomed(x, z)
    return clipped(total / (len(factors) + 1))


def snow(img, s):
    loc, scale, zoom, least, radius, sigma, mix = (
        (0.1, 0.3, 3, 0.5, 10, 4, 0.8), (0.2, 0.3, 2, 0.5, 12, 4, 0.7), (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
        (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65), (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55))[s]
    layer = zoomed(normal((S, S), loc, scale), zoom)
    layer[layer < least] = 0
    layer = unit(motion(clipped(layer), radius, sigma, RNG.uniform(-135, -45)))
    x = unit(img)
    gray = cv2.cvtColor(x, cv2.COLOR_RGB2GRAY)[..., None]
    x = mix * x + (1 - mix) * np.maximum(x, gray * 1.5 + 0.5)
    return clipped(x + (layer + layer[::-1, ::-1])[..., None])


TEXTURES = [RNG.integers(0, 256, (h, w, 3), dtype=np.uint8) for w, h in ((900, 600), (560, 315), (527, 350), (660, 495))]


def frost(img, s):
    a, b = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))[s]
    texture = TEXTURES[RNG.integers(len(TEXTURES))]
    y, x = RNG.integers(texture.shape[0] - S), RNG.integers(texture.shape[1] - S)
    return cv2.addWeighted(img, a, np.ascontiguousarray(texture[y : y + S, x : x + S]), b, 0)


def plasma(n, decay):
    a = np.zeros((n, n), np.float32)
    step, wib = n, 100.0
    while step >= 2:
        half = step // 2
        noise = lambda v: v / 4 + wib * RNG.uniform(-wib, wib, v.shape).astype(np.float32)
        grid = a[::step, ::step]
        below, right = np.roll(grid, -1, 0), np.roll(grid, -1, 1)
        centers = noise(grid + below + right + np.roll(below, -1, 1))
        a[half::step, half::step] = centers
        a[::step, half::step] = noise(centers + np.roll(centers, 1, 0) + grid + right)
        a[half::step, ::step] = noise(centers + np.roll(centers, 1, 1) + grid + below)
        step, wib = half, wib / decay
    a -= a.min()
    return a / a.max()


def fog(img, s):
    amount, decay = ((1.5, 2), (2, 2), (2.5, 1.7), (2.5, 1.5), (3, 1.4))[s]
    x = unit(img)
    top = x.max()
    return clipped((x + amount * plasma(256, decay)[:S, :S, None]) * (top / (top + amount)))


def in_hsv(img, change):
    hsv = cv2.cvtColor(unit(img), cv2.COLOR_RGB2HSV)
    change(hsv)
    return clipped(cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB))


def brightness(img, s):
    def change(hsv):
        hsv[..., 2] = np.clip(hsv[..., 2] + (0.1, 0.2, 0.3, 0.4, 0.5)[s], 0, 1)

    return in_hsv(img, change)


def saturate(img, s):
    times, plus = ((0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2))[s]

    def change(hsv):
        hsv[..., 1] = np.clip(hsv[..., 1] * times + plus, 0, 1)

    return in_hsv(img, change)


def contrast(img, s):
    c = (0.4, 0.3, 0.2, 0.1, 0.05)[s]
    tones = np.arange(256)[:, None]
    mean = np.array(cv2.mean(img)[:3])
    return cv2.LUT(img, cut((tones - mean) * c + mean)[:, None])


def elastic_transform(img, s):
    alpha, sigma, shift = (244 * v for v in ((2, 0.7, 0.1), (2, 0.08, 0.2), (0.05, 0.01, 0.02), (0.07, 0.01, 0.02), (0.12, 0.01, 0.02))[s])
    c, third = S // 2, S // 3
    points = np.float32([[c + third, c + third], [c + third, c - third], [c - third, c - third]])
    moved = points + RNG.uniform(-shift, shift, points.shape).astype(np.float32)
    x = cv2.warpAffine(unit(img), cv2.getAffineTransform(points, moved), (S, S), borderMode=cv2.BORDER_REFLECT_101)
    dx, dy = (gauss(RNG.random((S, S), dtype=np.float32) * 2 - 1, sigma, cv2.BORDER_REFLECT, 3) * alpha for _ in range(2))
    return clipped(cv2.remap(x, X + dx, Y + dy, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT))


def pixelate(img, s):
    small = int(S * (0.6, 0.5, 0.4, 0.3, 0.25)[s])
    image = Image.fromarray(img).resize((small, small), Image.BOX)
    return np.asarray(image.resize((S, S), Image.BOX))


def jpeg_compression(img, s):
    file = io.BytesIO()
    Image.fromarray(img).save(file, "JPEG", quality=(25, 18, 15, 10, 7)[s])
    return np.asarray(Image.open(file))


def spatter(img, s):
    loc, scale, sigma, least, strength, mud = (
        (0.65, 0.3, 4, 0.69, 0.6, 0), (0.65, 0.3, 3, 0.68, 0.6, 0), (0.65, 0.3, 2, 0.68, 0.5, 0),
        (0.65, 0.3, 1, 0.65, 1.5, 1), (0.67, 0.4, 1, 0.65, 1.5, 1))[s]
    x, layer = unit(img), gauss(normal((S, S), loc, scale), sigma)
    layer[layer < least] = 0
    if mud:
        m = gauss((layer > least).astype(np.float32), strength)
        m[m < 0.8] = 0
        m = m[..., None]
        return clipped(x * (1 - m) + m * (np.float32([63, 42, 20]) / 255))
    liquid = (layer * 255).astype(np.uint8)
    far = cv2.distanceTransform(255 - cv2.Canny(liquid, 50, 150), cv2.DIST_L2, 5)
    far = cv2.equalizeHist(cv2.blur(np.minimum(far, 20), (3, 3)).astype(np.uint8))
    far = cv2.blur(cv2.filter2D(far, cv2.CV_8U, np.float32([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])), (3, 3))
    m = liquid.astype(np.float32) * far
    m *= strength / max(m.max(), 1e-9)
    return clipped(x + m[..., None] * (np.float32([175, 238, 238]) / 255))


# ImageNet-C-bar


def spectral(power):
    noise = np.fft.ifft2(np.fft.ifftshift(power * np.exp(1j * half_turned()))).real
    return noise / noise.std()


def half_turned():
    phases = RNG.uniform(0, 2 * np.pi, (S, S // 2))
    return np.concatenate([phases, phases[::-1, ::-1]], 1)


DISTANCE = np.hypot(X - S / 2, Y - S / 2)


def blue_noise_sample(img, s):
    return img * (spectral(DISTANCE) > (0.8, 1.6, 2.4, 4.0, 5.6)[s] * 0.3 - 2.5)[..., None]


def brownish_noise(img, s):
    noise = np.stack([spectral(1 / (DISTANCE**2 + 1)) for _ in range(3)], -1)
    return cut(img + (1, 2, 3, 4, 5)[s] * 6.4 * noise)


def plasma_noise(img, s):
    amount = (4.75, 7.0, 8.5, 9.25, 10)[s] * 6.4
    t, n, sharp = RNG.uniform(0, 6 * np.pi), RNG.integers(4, 7), RNG.uniform(0.5, 1)
    scale = np.float32(RNG.uniform(0.075, 0.2) * S)
    x, y = X / scale, Y / scale
    i0, i1, i2 = 1.0, 1.0, 1.0
    for _ in range(n):
        a, b = np.cos(y * np.float32(i0) + np.float32(t / i1)), np.sin(x * np.float32(i0) + np.float32(t / i1))
        x = x + (a - 0.3 * b) / np.float32(i2)
        y = y + (b + 0.3 * a) / np.float32(i2)
        i0, i1, i2 = i0 * 1.93, i1 * 1.15, i2 * (2.25 - sharp)
    t = np.float32(t)
    noise = np.stack([np.sin(x - t), np.sin((x + y + np.sin(t)) / 2), np.sin(y + t)], -1)
    return cut((1 - amount / 255) * img + np.float32(amount) * noise)


def checkerboard_cutout(img, s):
    angle, cell = RNG.uniform(0, 2 * np.pi), max(RNG.uniform(0.1, 0.25) * S, 1)
    side = int(4 * S // cell)
    grid = RNG.random((side, side)) < (2, 3, 4, 5, 6)[s] / 10
    sin, cos = np.float32(np.sin(angle) / cell), np.float32(np.cos(angle) / cell)
    u, v = cos * Y + sin * X, cos * X - sin * Y
    keep = ((u % 2).astype(np.int32) != (v % 2).astype(np.int32)) | ~grid[u.astype(np.int32), v.astype(np.int32)]
    return np.where(keep[..., None], img, np.uint8(128))


def cocentric_sine_waves(img, s):
    o, freq = RNG.uniform(0, S, 2), RNG.uniform(0, 10)
    amp, ring = RNG.uniform(0, S / 10, 2)
    dx, dy = X - np.float32(o[0]), Y - np.float32(o[1])
    wave = np.hypot(dx, dy) + np.float32(amp) * np.sin(np.arctan2(dx, dy) * np.float32(freq))
    wave = wave % np.float32(ring) / np.float32(ring) - np.float32(0.5)
    return cut(img + (wave * np.float32((3, 5, 8, 9, 10)[s] * 12.8))[..., None])


def single_frequency_greyscale(img, s):
    a = RNG.uniform(-np.pi, np.pi)
    f = RNG.permutation([a, RNG.uniform(-abs(a), abs(a))]).astype(np.float32)
    wave = np.sin(X * f[0] + Y * f[1] + np.float32(RNG.uniform(0, 2 * np.pi)))
    return cut(img + (wave * np.float32((1, 1.5, 2, 4.5, 5)[s] * 19.6))[..., None])


def perlin_noise(img, s):
    alpha = (4.6, 5.2, 5.8, 7.6, 8.8)[s] * 0.05
    g = RNG.integers(-256, 256, (512, 2)).astype(np.float32) / 256 + np.float32(1e-9)
    g /= np.hypot(g[:, :1], g[:, 1:])
    p = np.tile(RNG.permutation(256), 3)
    f = 1.0
    total = np.zeros((S, S), np.float32)
    line = np.arange(S, dtype=np.float32) / 32
    while f <= 16:
        b = (line * f).astype(np.int32)
        r = line * np.float32(f) - b
        b &= 255
        smooth = r * r * (3 - 2 * r)

        def corner(dy, dx):
            at = p[p[b + dy][:, None] + (b + dx)]
            return g[at, 0] * (r - dy)[:, None] + g[at, 1] * (r - dx)

        upper = corner(0, 0) + smooth * (corner(0, 1) - corner(0, 0))
        lower = corner(1, 0) + smooth * (corner(1, 1) - corner(1, 0))
        total += np.abs(1.5 * (upper + smooth[:, None] * (lower - upper))) / np.float32(f)
        f *= 2
    cloud = np.clip(0.5 * total + 0.5, 0, 1)
    return cut((1 - alpha) * img + (255 * alpha * cloud)[..., None])


def glow(center, radius, exponent, least):
    n = RNG.integers(50, 200)
    rays = np.maximum(radius + 0.25 * radius * RNG.standard_normal(n), least).astype(np.float32)
    rays = np.append(rays, rays[:1])
    dy, dx = Y - np.float32(center[0]), X - np.float32(center[1])
    d = (np.arctan2(dx, dy) + np.float32(np.pi)) * np.float32(n / (2 * np.pi))
    i = np.minimum(d.astype(np.int32), n - 1)
    f = d - i
    length = rays[i] + f * (rays[i + 1] - rays[i])
    g = length * length / (dx * dx + dy * dy + np.float32(1e-4))
    if exponent != 1:
        g **= np.float32(exponent)
    return np.clip((1 - (f - 0.5) ** 2) * g, 0, 1)[..., None]


def sparkles(img, s):
    value = img.astype(np.float32)
    for center in RNG.uniform(0, S, (5, 2)):
        value += glow(center, (1, 2, 3, 5, 6)[s] * 0.01 * S, 1, 1) * (255 - value)
    return cut(value)


def inverse_sparkles(img, s):
    a = glow(RNG.uniform(0.25 * S, 0.75 * S, 2), 0.25 * S, (1, 2, 4, 9, 10)[s] * 6.5 / 50, -np.inf)
    return cut(255 + a * (img.astype(np.float32) - 255))


def caustic_refraction(img, s):
    severity = (2.35, 3.2, 4.9, 6.6, 9.15)[s]
    time_, size = RNG.uniform(0.5, 2), RNG.uniform(0.75, 1.25) * S
    lens, strength = severity * 0.05 * S, np.float32(severity * 0.2)
    p0, p1 = (np.modf(v / np.float32(size))[0] * np.float32(6.28318530718) - 250 for v in (Y, X))
    i0, i1 = p0, p1
    c = np.ones((S, S), np.float32)
    for n in range(5):
        t = np.float32(time_ * (1 - 3.5 / (n + 1)))
        i0, i1 = p0 + np.cos(t - i0) + np.sin(t + i1), p1 + np.sin(t - i1) + np.cos(t + i0)
        c += 1 / np.hypot(p0 * np.float32(0.005) / np.sin(i0 + t), p1 * np.float32(0.005) / np.cos(i1 + t))
    net = np.clip(np.abs(1.17 - (c / 5) ** np.float32(1.4)) ** 8, 0, 1)
    wide = cv2.copyMakeBorder(gauss(net, 1, cv2.BORDER_REFLECT), 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    down, across = wide[2:, 1:-1] - wide[:-2, 1:-1], wide[1:-1, 2:] - wide[1:-1, :-2]
    inverse = 1 / np.sqrt(down * down + across * across + 1)
    flat = np.maximum(np.hypot(down, across), np.float32(1e-9))
    angle = np.arccos(np.minimum(inverse, 1))
    bent = np.sin(angle - np.arcsin(np.sin(angle) / 4)) / flat * np.float32(lens)
    bent[inverse >= 1 - 1e-3] = 0
    moved = cv2.remap(unit(img), X - across * bent, Y - down * bent, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return clipped(moved - ((down + across) * strength)[..., None])


C = [gaussian_noise, shot_noise, impulse_noise, defocus_blur, glass_blur, motion_blur, zoom_blur, snow, frost, fog,
     brightness, contrast, elastic_transform, pixelate, jpeg_compression, speckle_noise, gaussian_blur, spatter, saturate]
CBAR = [blue_noise_sample, plasma_noise, checkerboard_cutout, cocentric_sine_waves, single_frequency_greyscale,
        brownish_noise, perlin_noise, sparkles, inverse_sparkles, caustic_refraction]


def main():
    cv2.setNumThreads(1)
    seconds = float(sys.argv[2])
    small = RNG.integers(0, 256, (9, 9, 3), dtype=np.uint8)
    img = cut(cv2.resize(small, (S, S), interpolation=cv2.INTER_CUBIC) + normal((S, S, 3), 0, 8))
    total = 0
    for f in {"c": C, "cbar": CBAR}[sys.argv[1]]:
        for s in range(5):
            out = f(img, s)
            assert out.shape == img.shape and out.dtype == np.uint8, f.__name__
        done, begun = 0, time.process_time()
        while done == 0 or time.process_time() - begun < seconds:
            for s in range(5):
                f(img, s)
            done += 5
        took = (time.process_time() - begun) / done * 1e3
        total += took
        print(f.__name__, took)
    print("sum", total)


main()
