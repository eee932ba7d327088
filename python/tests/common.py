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
