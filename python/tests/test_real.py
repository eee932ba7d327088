"""The whole way, with the real program: AUGMIX_TEST_BINARY names it, or nothing here runs."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

import numpy as np

from common import HERE, REAL, SCRATCH, alive, digest, digests
from augmix import Feed, FeedError, FeedWarning

DATA = os.path.join(SCRATCH, "train.npy")


def setUpModule():
    if not REAL:
        raise unittest.SkipTest("AUGMIX_TEST_BINARY names no program")
    rng = np.random.default_rng(1)
    np.save(DATA, rng.integers(0, 256, (100, 32, 32, 3), dtype=np.uint8))
    np.save(os.path.join(SCRATCH, "train_labels.npy"), rng.integers(0, 10, 100))


def real(data=DATA, **options):
    """A feed of random images with AugMix, three views."""
    for name, value in dict(mix="augmix-m3-w3-d-1", crop="pad4:32", flip=True, views=3, batch=16, seed=3, rank=0, world_size=1).items():
        options.setdefault(name, value)
    return Feed(data, binary=REAL, **options)


def take(feed, count):
    """The hashes of the next batches, across the ends of epochs."""
    got = []
    while len(got) < count:
        try:
            got.append(digest(next(feed)))
        except StopIteration:
            pass
    return got


class Bytes(unittest.TestCase):
    def test_what_augment_writes(self):
        """Epoch 2, not shuffled, is the file that augmix augment --epoch 2 writes."""
        out = os.path.join(SCRATCH, "out.npy")
        subprocess.run([REAL, "augment", DATA, "-o", out, "-q", "--mix", "augmix-m3-w3-d-1", "--crop", "pad4:32", "--flip", "--views", "3",
                        "--seed", "3", "--epoch", "2"], check=True)
        want = np.load(out).reshape(100, 3, 32, 32, 3).swapaxes(0, 1)
        with real(shuffle=False, output_layout="nhwc") as feed:
            feed.set_epoch(2)
            for batch in feed:
                self.assertEqual(batch.images.shape, (3, 16, 32, 32, 3))
                self.assertTrue((batch.images == want[:, batch.index]).all())
                self.assertTrue((batch.labels == np.load(os.path.join(SCRATCH, "train_labels.npy"))[batch.index]).all())

    def test_workers_transports_and_places(self):
        """The same bytes for 1, 2 and 7 workers, ring and pipe, and from any place on."""
        with real(workers=1) as feed:
            want = digests(feed) + digests(feed)
        self.assertEqual(len(set(want)), 12)
        for options in ({"workers": 2}, {"workers": 7, "checksum": True}, {"transport": "pipe", "checksum": True}, {"slots": 1}):
            with real(**options) as feed:
                self.assertEqual(digests(feed) + digests(feed), want, options)
        for stop in (1, 5, 6, 7):
            with real() as feed:
                self.assertEqual(take(feed, stop), want[:stop])
                state = feed.state_dict()
            with real(workers=7) as feed:
                feed.load_state_dict(state)
                self.assertEqual(take(feed, 3), want[stop : stop + 3], state)

    def test_world_sizes(self):
        def rows(world):
            feeds = [real(batch=16 // world, rank=r, world_size=world) for r in range(world)]
            got = [(np.concatenate([p.index for p in parts]).tolist(), np.concatenate([p.images for p in parts], 1).tobytes())
                   for parts in zip(*feeds)]
            for feed in feeds:
                feed.close()
            return got

        one = rows(1)
        self.assertEqual(len(one), 6)
        for world in (2, 4):
            self.assertEqual(rows(world), one)

    def test_dtypes(self):
        with real(mix=None, views=1) as feed:
            bytes_ = next(feed).images
        want = (bytes_.astype(np.float64) / 255 - 0.5) / 0.5
        for dtype, close in (("float32", 1e-6), ("float16", 1e-3), ("bfloat16", 8e-3)):
            with real(mix=None, views=1, dtype=dtype) as feed:
                images = next(feed).images
                if dtype == "bfloat16":
                    images = (images.astype(np.uint32) << 16).view(np.float32)
                self.assertLess(np.abs(images - want).max(), close)

    def test_soft_labels(self):
        with real(mix="cutmix", views=1) as feed:
            images, targets = next(feed)
            self.assertEqual(targets.shape, (16, 10))
            np.testing.assert_allclose(targets.sum(1), 1, rtol=1e-6)
            self.assertTrue(((targets > 0).sum(1) == 2).any())

    def test_corruptions(self):
        with Feed(DATA, corrupt="fog,gaussian_noise", severity="1,5", batch=4, shuffle=False, tail="short", binary=REAL) as feed:
            self.assertEqual([(f["name"], f["severity"]) for f in feed.forms],
                             [("gaussian_noise", 1), ("gaussian_noise", 5), ("fog", 1), ("fog", 5)])
            self.assertEqual(next(feed).images.shape, (4, 4, 3, 32, 32))


class Reading(unittest.TestCase):
    def test_window_channels_gray(self):
        """Options of how arrays are read go by their names: what data convert writes with them."""
        folder = tempfile.mkdtemp(dir=SCRATCH)  # of its own: a labels.npy beside an array is of it
        deep, out = os.path.join(folder, "deep.npy"), os.path.join(folder, "rgb.npy")
        np.save(deep, np.random.default_rng(2).integers(0, 3000, (8, 16, 16, 5), dtype=np.uint16))
        subprocess.run([REAL, "data", "convert", deep, "-o", out, "-q", "--channels", "4,3,2", "--window", "0:3000"], check=True)
        with Feed(deep, channels=[4, 3, 2], window="0:3000", shuffle=False, batch=8, output_layout="nhwc", binary=REAL) as feed:
            self.assertTrue((next(feed).images == np.load(out)).all())
            state = feed.state_dict()
        with Feed(deep, channels=[4, 3, 2], window="0:2999", shuffle=False, batch=8, output_layout="nhwc", binary=REAL) as feed:
            feed.load_state_dict(state)
            with self.assertRaisesRegex(FeedError, "other data or other options"):
                next(feed)
        with Feed(deep, channels=[1], window="0:3000", gray=True, mix="gaussian", batch=8, binary=REAL) as feed:
            images = next(feed).images
            self.assertTrue((images[:, 0] == images[:, 1]).all() and (images[:, 0] == images[:, 2]).all())
        for name, value in (("window", "9:1"), ("channels", [9]), ("alpha", "keep")):
            options = dict(dict(window="0:9", channels=[1]), **{name: value})
            with self.assertRaisesRegex(FeedError, name[:5]):
                next(Feed(deep, batch=8, binary=REAL, **options))


class Faults(unittest.TestCase):
    def test_missing_data(self):
        with self.assertRaisesRegex(FeedError, "nowhere") as caught:
            next(real(os.path.join(SCRATCH, "nowhere")))
        self.assertIn(caught.exception.code, ("input", "usage", "io"))

    def test_unknown_mix_and_option(self):
        with self.assertRaisesRegex(FeedError, "nonsense"):
            next(real(mix="nonsense"))
        with self.assertRaisesRegex(FeedError, "unknown flag --color"):
            next(real(color="red"))

    def test_state_of_another_recipe(self):
        with real() as feed:
            next(feed)
            state = feed.state_dict()
        with real(mix="augmix-m5-w3-d-1") as feed:
            feed.load_state_dict(state)
            with self.assertRaisesRegex(FeedError, "other data or other options"):
                next(feed)

    def test_no_labels(self):
        images = os.path.join(SCRATCH, "unlabeled", "images.npy")
        os.mkdir(os.path.dirname(images))
        np.save(images, np.zeros((8, 8, 8, 3), np.uint8))
        with Feed(images, batch=4, binary=REAL) as feed:
            self.assertTrue((next(feed).labels == -1).all())

    def test_broken_image(self):
        folder = os.path.join(SCRATCH, "folder")
        subprocess.run([REAL, "data", "convert", DATA, "-o", folder, "-q", "--output-format", "folder"], check=True)
        first = sorted(os.path.join(d, f) for d, _, names in os.walk(folder) for f in names if f.endswith(".png"))[0]
        with open(first, "wb") as f:
            f.write(b"no image")
        with real(folder) as feed, self.assertRaisesRegex(FeedError, os.path.basename(first)):
            digests(feed)
        with real(folder, on_error="skip") as feed, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(len(digests(feed)), 6)
        self.assertTrue(any(w.category is FeedWarning and os.path.basename(first) in str(w.message) for w in seen))

    def test_killed_children(self):
        with real() as feed:
            want = take(feed, 30)
        for i in range(6):
            feed = real(transport="pipe" if i % 2 else "ring", workers=2)
            got = take(feed, i)
            pid = feed._start().child.pid
            os.kill(pid, signal.SIGKILL)
            with self.assertRaisesRegex(FeedError, "was killed by signal 9"):
                while True:  # what is in the pipe and in slots already still comes
                    got += take(feed, 1)
            self.assertFalse(alive(pid))
            got += take(feed, 4)  # another child goes on where the first was
            self.assertEqual(got, want[: len(got)])
            feed.close()

    def test_killed_parents(self):
        parent = ("import sys, time; sys.path.insert(0, %r); from augmix import Feed; feed = Feed(%r, mix='augmix', batch=16, binary=%r, transport=%r); "
                  "next(feed); print(feed._session.child.pid, flush=True); time.sleep(30)")
        for transport in ("ring", "pipe"):
            process = subprocess.Popen([sys.executable, "-c", parent % (os.path.dirname(HERE), DATA, REAL, transport)], stdout=subprocess.PIPE)
            child = int(process.stdout.readline())
            process.kill()
            process.wait()
            process.stdout.close()
            end = time.monotonic() + 5
            while alive(child) and time.monotonic() < end:
                time.sleep(0.01)
            self.assertFalse(alive(child))

    def test_full_dev_shm(self):
        """A ring far larger than /dev/shm: it does not lie there."""
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no mount namespaces here")
        code = f"import sys; sys.path.insert(0, {os.path.dirname(HERE)!r}); from augmix import Feed; print(sum(b.n for b in Feed({DATA!r}, batch=50, size=256, dtype='float32', binary={REAL!r})))"
        mount = "mount -t tmpfs -o size=64k none /dev/shm && head -c 65536 /dev/zero > /dev/shm/full && exec \"$@\""
        got = subprocess.run(["unshare", "-m", "sh", "-c", mount, "sh", sys.executable, "-c", code], capture_output=True, text=True)
        if "mount:" in got.stderr:
            self.skipTest("no mounts here")
        self.assertEqual(got.stdout, "100\n", got.stderr)


if __name__ == "__main__":
    unittest.main()
