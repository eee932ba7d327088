"""JAX: the loss and arrays. Without JAX, the loss runs on numpy, which has the functions that it calls."""

import sys
import types
import unittest

import numpy as np

from common import consistency_loss, digest, digests, fake

try:
    import jax

    stand_in = None
except ImportError:
    stand_in = types.ModuleType("jax")
    stand_in.numpy = np
    stand_in.device_put = lambda x, target=None: x
    sys.modules["jax"], sys.modules["jax.numpy"] = stand_in, np

from augmix import Batch
from augmix import jax as aj

if stand_in is not None:
    del sys.modules["jax"], sys.modules["jax.numpy"]


class Jax(unittest.TestCase):
    def test_loss(self):
        rng = np.random.default_rng(1)
        for views in (1, 2, 3):
            logits = (rng.standard_normal((views * 6, 7)) * 4).astype(np.float32)
            for labels in (np.array([0, 3, -1, 6, 2, 2]), rng.dirichlet(np.ones(7), 6).astype(np.float32)):
                self.assertAlmostEqual(float(aj.jsd_loss(logits, labels, views)), consistency_loss(logits, labels, views, 12), places=4)
        with self.assertRaises(ValueError):
            aj.jsd_loss(logits, labels, 4)

    def test_to_device(self):
        with fake() as feed:
            want = digests(feed)
        with fake() as feed:
            got = [digest(Batch.of({"images": np.asarray(i), "labels": np.asarray(l), "index": np.asarray(x)}))
                   for i, l, x in aj.to_device(feed, names=("images", "labels", "index"))]
        self.assertEqual(got, want)


if __name__ == "__main__":
    unittest.main()
