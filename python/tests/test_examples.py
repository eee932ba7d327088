"""The programs under examples/, at small size, with the real program."""

import contextlib
import importlib.util
import io
import multiprocessing
import os
import runpy
import shutil
import socket
import subprocess
import sys
import unittest
import zlib
from unittest import mock

from common import HERE, REAL, SCRATCH
from augmix import Feed

ROOT = os.path.dirname(os.path.dirname(HERE))
TRAIN, TEST = "scenes:n=64,size=32,split=train", "scenes:n=40,size=32,split=test"


def setUpModule():
    if not REAL:
        raise unittest.SkipTest("AUGMIX_TEST_BINARY names no program")


def run(*command):
    """Runs a program and returns what it prints."""
    env = dict(os.environ, AUGMIX_BIN=REAL, PYTHONPATH=os.path.join(ROOT, "python"), OMP_NUM_THREADS="1")
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=SCRATCH, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def example(name):
    return os.path.join(ROOT, "examples", name)


def content(path):
    with open(path) as f:
        return f.read()


def has(module):
    return importlib.util.find_spec(module) is not None


class Examples(unittest.TestCase):
    def test_numpy_reader(self):
        out = run(sys.executable, example("numpy_reader.py"), TRAIN, "--mix", "augmix", "--batch", "24").split()
        self.assertEqual(out[0], "64")
        self.assertTrue(all(0.05 < float(v) < 0.95 for v in out[out.index("mean") + 1 :] if v != "std"), out)

    def test_feed_client(self):
        """A client in another language sees the bytes that this one sees."""
        if not shutil.which("node"):
            self.skipTest("Node.js is not installed")
        options = dict(mix="augmix", views=2, batch=24, seed=5, dtype="float32")
        flags = [f"--{name}={value}" for name, value in options.items()]
        lines = run("node", example("feed_client.js"), TRAIN, *flags, "--epochs=2", "--checksum").splitlines()
        with Feed(TRAIN, binary=REAL, **options) as feed:
            want = [f"{b.epoch} {b.number} {','.join(map(str, b.labels[:4]))} {zlib.crc32(b.images.tobytes()):08x}" for _ in range(2) for b in feed]
        self.assertEqual(lines, want)
        failed = subprocess.run(["node", example("feed_client.js"), "nowhere"], env=dict(os.environ, AUGMIX_BIN=REAL), capture_output=True, text=True)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("feed_client: ", failed.stderr)

    def main(self, name, *arguments):
        """Runs the main function of an example in this process, which has PyTorch loaded already, and returns what it prints."""
        spec = importlib.util.spec_from_file_location("example", example(name))
        module = importlib.util.module_from_spec(spec)
        out = io.StringIO()
        with mock.patch.dict(os.environ, AUGMIX_BIN=REAL), mock.patch.object(sys, "argv", [name, *arguments]), contextlib.redirect_stdout(out):
            spec.loader.exec_module(module)
            module.main()
        return out.getvalue().splitlines()

    def test_pytorch_cifar(self):
        """Two epochs at once and one after the other end with the same weights."""
        if not has("torch"):
            self.skipTest("PyTorch is not installed")
        arguments = [TRAIN, "--test", TEST, "--depth", "10", "--batch", "32", "--views", "2", "--epochs", "2", "--out"]
        whole = self.main("pytorch_cifar.py", *arguments, os.path.join(SCRATCH, "whole"))
        self.assertRegex(whole[1], r"^epoch 1  loss \d+\.\d+  test error \d+\.\d+ %$")
        parts = [*arguments, os.path.join(SCRATCH, "parts")]
        first, second = self.main("pytorch_cifar.py", *parts, "--stop", "1"), self.main("pytorch_cifar.py", *parts)
        self.assertEqual(first + second, [whole[0], "resumes at epoch 1", whole[1]])

    def test_pytorch_imagenet_ddp(self):
        if not has("torchvision"):
            self.skipTest("torchvision is not installed")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        import torchvision  # noqa: F401  # loaded once, before the processes are forked

        env = dict(AUGMIX_BIN=REAL, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), WORLD_SIZE="2", CUDA_VISIBLE_DEVICES="")
        arguments = [TRAIN, TEST, "--out", os.path.join(SCRATCH, "ddp"), "--model", "shufflenet_v2_x0_5", "--size", "32", "--batch", "32", "--views", "2", "--epochs", "1"]
        said = [os.path.join(SCRATCH, f"rank{r}") for r in range(2)]
        context = multiprocessing.get_context("fork")
        ranks = [context.Process(target=self.rank, args=(said[r], dict(env, RANK=str(r), LOCAL_RANK=str(r)), arguments)) for r in range(2)]
        try:
            for process in ranks:
                process.start()
            for process in ranks:
                process.join(timeout=300)
        finally:
            for process in ranks:  # One that hangs would take a core for ever.
                process.kill()
        self.assertEqual([process.exitcode for process in ranks], [0, 0])
        first, second = (content(path) for path in said)
        self.assertRegex(first, r"^epoch 0  loss \d+\.\d+  error \d+\.\d+ % of 40\n$")
        self.assertEqual(second, "")

    def rank(self, said, env, arguments):
        """One process of several, forked from this one: it is the program itself, and what it prints goes to a file."""
        path = example("pytorch_imagenet_ddp.py")
        with open(said, "w") as f, mock.patch.dict(os.environ, env), mock.patch.object(sys, "argv", [path, *arguments]), contextlib.redirect_stdout(f):
            runpy.run_path(path, run_name="__main__")

    def test_evaluate_torchvision(self):
        if not has("torchvision"):
            self.skipTest("torchvision is not installed")
        import torch

        def measure():
            torch.manual_seed(0)
            return self.main("evaluate_torchvision.py", TEST, "--model", "resnet18", "--classes", "10", "--suite", "clean,c", "--subset", "fog,brightness",
                             "--severity", "1,3", "--size", "32", "--crop", "32", "--out", os.path.join(SCRATCH, "torchvision"))

        first, again = measure(), measure()
        self.assertEqual(first[:3], ["clean", "c fog", "c brightness"])
        self.assertEqual(sum("scenes-c" in line for line in first[3:]), 4, first)
        self.assertEqual(sorted(again), sorted(first[3:]))


if __name__ == "__main__":
    unittest.main()
