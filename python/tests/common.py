"""What the tests share."""

import atexit
import hashlib
import os
import shutil
import stat
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np  # noqa: E402

from augmix import Feed  # noqa: E402

SCRATCH = tempfile.mkdtemp(prefix="augmix-test-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)

# A program, not a command of two words: only a program gets the ring.
FAKE = os.path.join(SCRATCH, "fake")
with open(FAKE, "w") as f:
    f.write(f"#!/bin/sh\nexec {sys.executable} -S -E {os.path.join(HERE, 'fake_child.py')} \"$@\"\n")
os.chmod(FAKE, os.stat(FAKE).st_mode | stat.S_IXUSR)

REAL = os.environ.get("AUGMIX_TEST_BINARY", "")
"""The program that the Go test has built."""


def fake(**options):
    """A feed of the fake child: 64 samples, batches of 8."""
    options.setdefault("rank", 0)
    options.setdefault("world_size", 1)
    options.setdefault("timeout", 10)
    return Feed(os.path.join(SCRATCH, "data"), binary=FAKE, **options)


def digest(batch):
    """A hash of what a batch holds."""
    h = hashlib.sha256()
    for array in (batch.images, batch.labels, batch.index):
        h.update(array.tobytes())
    return h.hexdigest()[:16]


def digests(feed):
    """The hashes of one epoch."""
    return [digest(batch) for batch in feed]


def alive(pid):
    """Whether a process runs; one that waits to be collected does not."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def consistency_loss(logits, labels, views, weight):
    """The loss by its formula, a sample at a time, in float64."""
    z = np.asarray(logits, np.float64).reshape(views, -1, logits.shape[1])
    p = np.exp(z - z.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    total = 0.0
    known = (labels >= 0).sum() if labels.ndim == 1 else len(labels)
    for i in range(z.shape[1]):
        target = (np.arange(z.shape[2]) == labels[i]) if labels.ndim == 1 else labels[i]
        total -= (target * np.log(p[0, i])).sum() / known
        mean = p[:, i].mean(0)
        total += weight * np.mean([(p[v, i] * np.log(p[v, i] / mean)).sum() for v in range(views)]) / z.shape[1]
    return total


def oracle(images):
    """The class that the fake's pixels say, wrong for the first image of each batch: outputs [n, 10]."""
    value = images.reshape(len(images), -1)[:, 0].astype(np.int64)
    sample = (value * pow(7, -1, 256)) % 256
    out = np.eye(10)[sample % 10]
    out[0] = np.roll(out[0], 1)
    return out
