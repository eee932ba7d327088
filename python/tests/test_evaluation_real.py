"""Evaluations with the real program: the rows are those of augmix eval, or of the outputs scored."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

import numpy as np

from common import REAL, SCRATCH
from augmix import Evaluation, FeedError, evaluate

DATA = os.path.join(SCRATCH, "evaluated", "test.npy")
OPTIONS = dict(suite="clean,c,p,calibration", subset="fog,contrast", severity="1-5", perturbation="tilt", name="linear", batch=16, binary=REAL)


def setUpModule():
    if not REAL:
        raise unittest.SkipTest("AUGMIX_TEST_BINARY names no program")
    rng = np.random.default_rng(1)
    labels = np.arange(60) % 4
    images = rng.integers(0, 90, (60, 32, 32, 3)) + labels[:, None, None, None] * 40
    os.mkdir(os.path.dirname(DATA))
    np.save(DATA, images.astype(np.uint8))
    np.save(os.path.join(os.path.dirname(DATA), "labels.npy"), labels)


def linear(images):
    """Four classes by how bright an image is: a linear model of its mean and of one pixel."""
    bright = images.mean((1, 2, 3)) + 0.1 * images[:, 0, 3, 4]
    center = -0.7 + 0.33 * np.arange(4)
    return 30 * (2 * bright[:, None] * center - center**2)


def lines(out):
    """The rows of a folder, without their times."""
    with open(os.path.join(out, "results.jsonl")) as f:
        return [{k: v for k, v in json.loads(line).items() if k != "time"} for line in f]


class Linear(unittest.TestCase):
    def test_numbers(self):
        """The errors are those that the outputs of all batches have, and augmix score finds the same in the saved outputs."""
        for transport in ("ring", "pipe"):
            out = os.path.join(SCRATCH, "linear-" + transport)
            wrong, count, frames = {}, {}, set()

            def progress(batch):
                key = batch.suite, batch.corruption, batch.severity
                wrong[key] = wrong.get(key, 0) + int((linear(batch.images).argmax(1) != batch.labels).sum())
                count[key] = count.get(key, 0) + batch.n
                frames.update(batch.frames)
                self.assertEqual([int(k) for k in batch.keys], batch.index.tolist())

            result = evaluate(linear, DATA, out=out, transport=transport, classes_count=4, logits=True, progress=progress, **OPTIONS)
            self.assertEqual(count[("c", "fog", 5)], 60)
            self.assertEqual(frames, set(range(max(frames) + 1)))
            for (suite, corruption, severity), n in wrong.items():
                if suite != "p":
                    where = dict(corruption=corruption, severity=severity) if corruption else dict(dataset="test")
                    self.assertEqual(result.value("error", **where), n / 60)
            self.assertGreater(wrong[("c", "fog", 5)], wrong[("clean", "", 0)])
            self.assertGreaterEqual(result.value("flip_probability", corruption="tilt"), 0)
            self.assertTrue(os.path.exists(os.path.join(out, "records.npz")))
            scored = os.path.join(out, "scored.jsonl")
            subprocess.run([REAL, "score", os.path.join(out, "logits", "linear", "test-c"), "--model", "linear", "--out", scored, "-q"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with open(scored) as f:
                rows = [json.loads(line) for line in f]
            same = [r for r in rows if r["metric"] == "error" and r.get("severity") and "corruption" in r]
            self.assertEqual(len(same), 10)
            for r in same:
                self.assertEqual(result.value("error", corruption=r["corruption"], severity=r["severity"]), r["value"])
        self.assertEqual(lines(os.path.join(SCRATCH, "linear-ring")), lines(os.path.join(SCRATCH, "linear-pipe")))

    def test_killed_and_resumed(self):
        whole, parts = os.path.join(SCRATCH, "whole"), os.path.join(SCRATCH, "parts")
        evaluate(linear, DATA, out=whole, classes_count=4, **OPTIONS)
        for after in (2, 9, 20):
            with Evaluation(DATA, out=parts, classes_count=4, **OPTIONS) as test:
                with self.assertRaisesRegex(FeedError, "killed by signal 9"):
                    for i, batch in enumerate(test):
                        if i == after:
                            os.kill(test._session.child.pid, signal.SIGKILL)
                        batch.submit(linear(batch.images))
        evaluate(linear, DATA, out=parts, classes_count=4, **OPTIONS)
        self.assertEqual(lines(parts), lines(whole))
        with open(os.path.join(whole, "records.npz"), "rb") as a, open(os.path.join(parts, "records.npz"), "rb") as b:
            self.assertEqual(a.read(), b.read())
        batches = []
        result = evaluate(linear, DATA, out=parts, classes_count=4, progress=batches.append, **OPTIONS)
        self.assertEqual(batches, [])
        self.assertGreater(len(result.rows), 20)

    def test_refused(self):
        out = os.path.join(SCRATCH, "refused")
        with self.assertRaisesRegex(FeedError, "--classes-count"):
            evaluate(linear, DATA, out=out, **OPTIONS)
        with self.assertRaisesRegex(FeedError, "the model gives 4 outputs; 5 are expected"):
            evaluate(linear, DATA, out=out, classes_count=5, **OPTIONS)
        evaluate(linear, DATA, out=out, classes_count=4, **OPTIONS)
        with self.assertRaisesRegex(FeedError, r"another model called linear \(outputs:4, now outputs:5\)"):
            evaluate(lambda x: np.pad(linear(x), ((0, 0), (0, 1))), DATA, out=out, classes_count=5, **OPTIONS)

    def test_class_names(self):
        """Names of a model's outputs are a list or a file, and a list with out resumes; the data has some of them."""
        scenes = "scenes:n=20,size=32,split=test"
        with Evaluation(scenes, suite="clean", binary=REAL) as test:
            names = list(test.classes)
        wanted = ["none of these", *names]
        path = os.path.join(SCRATCH, "names.txt")
        with open(path, "w") as f:
            f.write("\n".join(wanted))

        def model(images):
            return np.eye(11)[[3] * len(images)]

        def error(given, **options):
            return evaluate(model, scenes, suite="clean", binary=REAL, class_names=given, **options).value("error")

        out = os.path.join(SCRATCH, "named")
        self.assertEqual(error(wanted), error(path))
        self.assertEqual(error(tuple(wanted), out=out), error(path))
        batches = []
        evaluate(model, scenes, suite="clean", binary=REAL, class_names=wanted, out=out, progress=batches.append)
        self.assertEqual(batches, [])
        (kept,) = [name for name in os.listdir(out) if name.startswith("class_names-")]
        with open(os.path.join(out, kept)) as f:
            self.assertEqual(f.read().splitlines(), wanted)
        for given, text in ((["a", ""], "has ''"), ([1], "has 1"), ([], "a list of the names"), (7, "a list of the names"), (["a\nb"], "one line")):
            with self.assertRaisesRegex(FeedError, text):
                error(given)
        gone = os.path.join(SCRATCH, "not begun")
        with self.assertRaisesRegex(FeedError, "nowhere"):
            evaluate(model, "nowhere", suite="clean", binary=REAL, class_names=wanted, out=gone)
        self.assertFalse(os.path.exists(gone))
        with self.assertRaisesRegex(FeedError, "another machine"):
            evaluate(model, scenes, suite="clean", binary=["ssh", "host", "augmix"], class_names=wanted)

    def test_labels_and_outputs(self):
        """Labels are places in the classes: those of the data, or with among="model" all of the model's."""
        scenes = "scenes:n=20,size=32,split=test"
        with Evaluation(scenes, suite="clean", binary=REAL) as test:
            names = list(test.classes)
            labels = next(test).labels
        wanted = ["none of these", *reversed(names)]
        truth = 10 - labels  # columns of the outputs
        for options in ({}, {"among": "model"}):
            with Evaluation(scenes, suite="clean", binary=REAL, class_names=wanted, **options) as test:
                batch = next(test)
                self.assertEqual(list(test.classes), wanted if options else names)
                self.assertEqual([wanted.index(test.classes[k]) for k in batch.labels], truth.tolist())
                outputs = np.eye(11)[truth]
                columns = [wanted.index(name) for name in test.classes]
                self.assertEqual(outputs[:, columns].argmax(1).tolist(), batch.labels.tolist())

    def test_wrong_outputs_reach_the_child(self):
        """What this side would refuse is refused by the other side too."""
        with Evaluation(DATA, classes_count=4, **OPTIONS) as test:
            batch = next(test)
            bad = np.full((16, 4), np.nan, "<f4")
            test._session.child.send("L", bad.reshape(-1).view(np.uint8).data, 16, test._open)
            test._open = None
            with self.assertRaisesRegex(FeedError, "output of class 0 for image 0 of the batch is nan|NaN"):
                while True:
                    test._open = None
                    next(test)
            del batch


class Network(unittest.TestCase):
    def test_torch(self):
        """A network of PyTorch on a set without names, uint8 and float32."""
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * 15 * 15, 10))
        floats = evaluate(net, "scenes:n=40,size=32,split=test", suite="clean,cbar", severity="3", binary=REAL, batch=20)
        bytes_ = evaluate(lambda x: net((torch.from_numpy(x.astype(np.float32)) / 255 - 0.5) / 0.5), "scenes:n=40,size=32,split=test", suite="clean,cbar", severity="3",
                          binary=REAL, batch=7, dtype="uint8")
        errors = [[(r["corruption"], r["value"]) for r in result.rows if r["metric"] == "error" and r.get("severity") and "corruption" in r] for result in (floats, bytes_)]
        self.assertEqual(len(errors[0]), 10)
        self.assertEqual(errors[0], errors[1])
        with tempfile.TemporaryDirectory() as out:
            given = dict(suite="clean", binary=REAL, batch=20, name="net", out=out)
            evaluate(net, "scenes:n=40,size=32,split=test", **given)
            torch.nn.init.zeros_(net[3].weight)
            with self.assertRaisesRegex(FeedError, "another model called net"):
                evaluate(net, "scenes:n=40,size=32,split=test", **given)


if __name__ == "__main__":
    unittest.main()
