#!/usr/bin/env python3
"""Reads one epoch with numpy alone and prints the mean and standard deviation of each channel.

    python3 examples/numpy_reader.py cifar-10-batches-bin --mix augmix-m3-w3-d-1
"""

import argparse
import time

import numpy as np

from augmix import Feed

p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
p.add_argument("data")
p.add_argument("--mix")
p.add_argument("--batch", type=int, default=256)
args = p.parse_args()

total, squares, count, start = np.zeros(3), np.zeros(3), 0, time.monotonic()
with Feed(args.data, mix=args.mix, batch=args.batch, tail="short", epochs=1, rank=0, world_size=1) as feed:
    for batch in feed:
        values = batch.images.astype(np.float64) / 255  # [n, 3, H, W]
        total += values.mean((2, 3)).sum(0)
        squares += (values**2).mean((2, 3)).sum(0)
        count += batch.n
mean = total / count
std = np.sqrt(squares / count - mean**2)
print(f"{count} images, {count / (time.monotonic() - start):.0f} a second")
print("mean", " ".join(f"{v:.4f}" for v in mean))
print("std ", " ".join(f"{v:.4f}" for v in std))
