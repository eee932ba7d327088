"""Preprocessing as OpenCV and scikit-image do it."""

import cv2
import numpy as np
from skimage.restoration import denoise_nl_means, estimate_sigma

CLAHE = [(2, 8), (0, 3), (4.5, 5)]
NLM = [(0.8, 5, 6), (1.5, 7, 3)]


def clahe_grey(image, clip, tiles):
    """Equalises each channel by itself."""
    filter_ = cv2.createCLAHE(float(clip), (tiles, tiles))
    return np.stack([filter_.apply(np.ascontiguousarray(image[..., c])) for c in range(3)], axis=2)


def clahe(image, clip, tiles):
    """Equalises the lightness of CIELAB."""
    lab = cv2.cvtColor(image, cv2.COLOR_RGB2LAB)
    filter_ = cv2.createCLAHE(float(clip), (tiles, tiles))
    lab[..., 0] = filter_.apply(np.ascontiguousarray(lab[..., 0]))
    return cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)


def nlm(image, strength, patch, distance):
    """Returns the image and the estimated deviation, in units of the pixel range."""
    values = image / 255
    sigma = float(np.mean(estimate_sigma(values, channel_axis=-1)))
    out = denoise_nl_means(values, patch_size=patch, patch_distance=distance, h=strength * sigma, fast_mode=True,
                           channel_axis=-1)
    return np.floor(out * 255 + 0.5).clip(0, 255).astype(np.uint8), sigma
