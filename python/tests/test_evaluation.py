"""The evaluation loop, with the fake child."""

import os
import pickle
import unittest
from unittest import mock

import numpy as np

from common import FAKE, SCRATCH, digest, oracle
from augmix import Evaluation, FeedError, FeedTimeout, FeedWarning, evaluate

DATA = os.path.join(SCRATCH, "data")


class Evaluate(unittest.TestCase):
    def test_rows(self):
        for transport in ("ring", "pipe"):
            seen = []
            result = evaluate(oracle, DATA, suite=("clean", "c"), out="runs/x", batch=8, binary=FAKE, transport=transport, checksum=True,
                              progress=lambda b: seen.append((b.suite, b.corruption, b.severity, b.frames, b.keys[0])))
            self.assertEqual(result.out, "runs/x")
            self.assertEqual(result.value("error", corruption="fog", severity=3), 12.5)
            self.assertEqual(result.value("error", corruption=""), 12.5)
            self.assertEqual(len(seen), 16)
            self.assertEqual(seen[9], ("c", "fog", 3, (), "k8"))
            with self.assertRaisesRegex(KeyError, "2 rows have metric='error'"):
                result.value("error")

    def test_short_batch(self):
        result = evaluate(lambda x: np.eye(10)[[0] * len(x)], DATA, batch=24, binary=FAKE)
        self.assertAlmostEqual(result.value("error", severity=3), 100 * (1 - 7 / 64))

    def test_wrong_number_of_classes_before_anything_is_measured(self):
        calls = []

        def model(images):
            calls.append(len(images))
            return np.zeros((len(images), 1000))

        with self.assertRaisesRegex(FeedError, "the model gives 1000 outputs, the data has 10 classes; 10 are expected. class_names=.* classes_count=1000"):
            evaluate(model, DATA, batch=8, binary=FAKE)
        self.assertEqual(calls, [2])

    def test_wrong_outputs(self):
        for outputs, text in (
            (np.zeros((7, 10)), r"\[7, 10\] instead of \[8, 10\]"), (np.zeros(8), r"shape \[8\]"), (np.full((8, 10), np.nan), "not finite"),
            ("cat", "no array of numbers"),
        ):
            with Evaluation(DATA, batch=8, binary=FAKE) as test, self.assertRaisesRegex(FeedError, text):
                next(test).submit(outputs)

    def test_order(self):
        with Evaluation(DATA, batch=8, binary=FAKE) as test:
            batch = next(test)
            with self.assertRaisesRegex(FeedError, "not finished"):
                test.result
            batch.submit(oracle(batch.images))
            with self.assertRaisesRegex(FeedError, "were submitted before"):
                batch.submit(oracle(batch.images))
            next(test)
            with self.assertRaisesRegex(FeedError, "were not submitted"):
                next(test)

    def test_closed(self):
        with Evaluation(DATA, batch=8, binary=FAKE) as test:
            batch = next(test)
        for use in (lambda: next(test), lambda: batch.submit(oracle(batch.images))):
            with self.assertRaisesRegex(FeedError, "the evaluation is closed"):
                use()

    def test_copies_of_batches(self):
        """They are read anywhere; outputs are submitted to the batch itself."""
        with Evaluation(DATA, batch=8, binary=FAKE) as test:
            batch = next(test)
            again = pickle.loads(pickle.dumps(batch))
            self.assertEqual((digest(again), again.keys, again.severity), (digest(batch), batch.keys, batch.severity))
            with self.assertRaisesRegex(FeedError, "a copy of a batch"):
                again.submit(oracle(again.images))
            batch.submit(oracle(batch.images))
            next(test)

    def test_what_the_child_remarks(self):
        with self.assertWarnsRegex(FeedWarning, "data has 10 of the model's 12 classes") as caught:
            evaluate(oracle, DATA, batch=8, binary=FAKE, fault="note")
        self.assertEqual(len(caught.warnings), 1)
        with self.assertRaisesRegex(FeedError, "progress is for a terminal"):
            Evaluation(DATA, batch=8, binary=FAKE, progress=True)

    def test_a_child_that_reads_nothing(self):
        with Evaluation(DATA, batch=8, binary=FAKE) as test:
            batch = next(test)
            with mock.patch("augmix._child.Child._write", side_effect=FeedTimeout("read nothing for 2 s")):
                with self.assertRaisesRegex(FeedTimeout, "read nothing for 2 s"):
                    batch.submit(oracle(batch.images))

    def test_workers_are_shared(self):
        with mock.patch("augmix.evaluation.cores", return_value=3), mock.patch("augmix.evaluation.Session", side_effect=FeedError("seen")) as made:
            for given, want in ((None, "--workers=3"), (5, "--workers=5")):
                with self.assertRaisesRegex(FeedError, "seen"):
                    Evaluation(DATA, batch=8, binary=FAKE, workers=given)
                self.assertIn(want, made.call_args.args[1])

    def test_a_child_that_dies(self):
        with self.assertRaisesRegex(FeedError, "killed by signal 9"):
            evaluate(oracle, DATA, batch=8, binary=FAKE, fault="kill:3")


if __name__ == "__main__":
    unittest.main()
