"""AugMix with every choice listed, after section 3 of the paper (arXiv 1912.02781) and its reference parameters."""

import numpy as np
from PIL import Image

from operations import OPERATIONS
from images import Lcg

OPS = [
    "autocontrast", "equalize", "posterize", "rotate", "solarize", "shear_x", "shear_y", "translate_x", "translate_y",
]
ALL_OPS = OPS + ["color", "contrast", "brightness", "sharpness"]
SIGNED = {"rotate", "shear_x", "shear_y", "translate_x", "translate_y"}
PLAIN = {"autocontrast", "equalize"}


def level_to_value(op, level, size, negative=False):
    """The final parameter of an operation at a level in [0, 10], for images of the given side."""
    if op == "posterize":
        return 4 - int(level * 4 / 10)
    if op == "solarize":
        return 256 - int(level * 256 / 10)
    if op == "rotate":
        v = int(level * 30 / 10)
    elif op in ("shear_x", "shear_y"):
        v = level * 0.3 / 10
    elif op in ("translate_x", "translate_y"):
        v = int(level * (size / 3) / 10)
    else:
        return level * 1.8 / 10 + 0.1
    return -v if negative else v


def apply(step, im):
    """Applies one listed step of a chain."""
    op, v = step["op"], step.get("value")
    params = {
        "posterize": {"bits": v},
        "solarize": {"threshold": v},
        "rotate": {"degrees": v},
        "shear_x": {"matrix": (1, v, 0, 0, 1, 0)},
        "shear_y": {"matrix": (1, 0, 0, v, 1, 0)},
        "translate_x": {"matrix": (1, 0, v, 0, 1, 0)},
        "translate_y": {"matrix": (1, 0, 0, 0, 1, v)},
    }.get(op, {"factor": v})
    return OPERATIONS[op](im, params)


def choose_step(g, names, severity, size):
    op = names[g.below(len(names))]
    if op in PLAIN:
        return {"op": op}
    level = 0.1 + g.unit() * (severity - 0.1)
    step = {"op": op, "level": level}
    negative = op in SIGNED and g.below(2) == 1
    if op in SIGNED:
        step["sign"] = -1 if negative else 1
    step["value"] = level_to_value(op, level, size, negative)
    return step


def choose(g, severity, width, depth, all_ops, size):
    """Every choice of one sample. The weights need not follow the paper's distributions, only fill their range."""
    raw = np.array([g.unit() + 2.0**-10 for _ in range(width)])
    chains = []
    for _ in range(width):
        d = depth if depth > 0 else 1 + g.below(3)
        chains.append([choose_step(g, ALL_OPS if all_ops else OPS, severity, size) for _ in range(d)])
    w = (raw / raw.sum()).astype(np.float32)
    return {"severity": severity, "w": [float(v) for v in w], "m": float(np.float32(g.unit())), "chains": chains}


def run_chains(choice, image):
    """The uint8 ends of the chains, [chain, H, W, C]."""
    ends = []
    for chain in choice["chains"]:
        im = Image.fromarray(image)
        for step in chain:
            im = apply(step, im)
        ends.append(np.asarray(im))
    return np.stack(ends)


def tensor(image, mean, std):
    """uint8 HWC to float32 CHW in [0, 1], then normalized."""
    x = image.astype(np.float32).transpose(2, 0, 1) / np.float32(255)
    shape = (3, 1, 1)
    mean = np.broadcast_to(np.float32(mean), 3).reshape(shape)
    std = np.broadcast_to(np.float32(std), 3).reshape(shape)
    return (x - mean) / std


def mix(choice, image, ends, mean=0.0, std=1.0):
    """(1-m)*P(x) + m*sum(w_i*P(chain_i(x))) in float32, where P is tensor."""
    total = np.zeros_like(tensor(image, mean, std))
    for w, end in zip(choice["w"], ends):
        total += np.float32(w) * tensor(end, mean, std)
    m = np.float32(choice["m"])
    return (np.float32(1) - m) * tensor(image, mean, std) + m * total


def mix_numpy(choice, image, ends, mean, std):
    """The same in float64, HWC, as the paper's stand-alone NumPy code has it."""
    def normalize(p):
        return (p / 255.0 - np.array(mean)) / np.array(std)

    total = np.zeros(image.shape)
    for w, end in zip(choice["w"], ends):
        total += w * normalize(end)
    return (1 - choice["m"]) * normalize(image) + choice["m"] * total


def level_table():
    """Rows {size, op, level, negative, value}: levels from a generator, and levels whose product is an integer."""
    g = Lcg(4242)
    rows = []
    for size in 32, 64, 224:
        for op in ALL_OPS:
            if op in PLAIN:
                continue
            levels = [0.1 + g.unit() * (severity - 0.1) for severity in (1, 3, 10)] + [0.1, 1.0, 2.5, 5.0, 10.0]
            for level in levels:
                for negative in (False, True) if op in SIGNED else (False,):
                    value = level_to_value(op, level, size, negative)
                    rows.append({"size": size, "op": op, "level": level, "negative": negative, "value": value})
    return rows


SAMPLES = [
    # name, images (indices into the batch, or an image's name), severity, width, depth, all_ops, mean, std
    ("augmix_default", [0, 1, 2, 3], 3, 3, -1, False, 0.5, 0.5),
    ("augmix_all_ops", [3, 4, 5], 3, 3, -1, True, 0.5, 0.5),
    ("augmix_wide", [0, 2], 10, 5, 4, True, 0.5, 0.5),
    ("augmix_single", [1, 4], 3, 1, 1, False, 0.5, 0.5),
    ("augmix_oblong", "gradient_37x23", 6, 3, 2, True, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ("augmix_tiny", "noise_3x2", 10, 2, 3, True, 0.5, 0.5),
]
