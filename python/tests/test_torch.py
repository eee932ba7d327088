"""PyTorch: the loss, the DataLoader, tensors over slots."""

import contextlib
import gc
import os
import pickle
import types
import unittest
import warnings
from unittest import mock

import numpy as np

from common import FAKE, consistency_loss, digest, digests, fake, oracle

try:
    import torch
    from torch.utils.data import DataLoader, IterableDataset
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")

from augmix import Batch, FeedError, FeedWarning, evaluate
from augmix import torch as at


class Loss(unittest.TestCase):
    def test_formula(self):
        g = torch.Generator().manual_seed(1)
        for views in (1, 2, 3, 5):
            for soft in (False, True):
                logits = torch.randn(views * 6, 7, generator=g) * 3
                labels = torch.softmax(torch.randn(6, 7, generator=g), 1) if soft else torch.randint(0, 7, (6,), generator=g)
                got = at.jsd_loss(logits, labels, views).item()
                self.assertAlmostEqual(got, consistency_loss(logits, labels.numpy(), views, 12), places=4)

    def test_three_views_are_the_papers_code(self):
        """kl_div(log mean, p, batchmean) of three views, divided by three."""
        import torch.nn.functional as F

        logits, labels = torch.randn(12, 5), torch.randint(0, 5, (4,))
        p = [F.softmax(x, 1) for x in logits.chunk(3)]
        mean = torch.clamp(sum(p) / 3, 1e-7, 1).log()
        want = F.cross_entropy(logits[:4], labels) + 12 * sum(F.kl_div(mean, q, reduction="batchmean") for q in p) / 3
        torch.testing.assert_close(at.jsd_loss(logits, labels, 3), want)

    def test_unlabeled_count_for_nothing(self):
        logits, labels = torch.randn(4, 5), torch.tensor([1, -1, 2, -1])
        torch.testing.assert_close(at.jsd_loss(logits, labels, 1), torch.nn.functional.cross_entropy(logits[::2], labels[::2]))
        self.assertEqual(at.jsd_loss(logits, torch.full((4,), -1), 1).item(), 0)

    def test_gradient_is_finite_for_sure_predictions(self):
        logits = torch.tensor([[200.0, -200.0], [-200.0, 200.0], [0.0, 0.0]], requires_grad=True)
        at.jsd_loss(logits, torch.tensor([0]), 3).backward()
        self.assertTrue(torch.isfinite(logits.grad).all())

    def test_half_precision(self):
        logits = torch.randn(6, 5)
        loss = at.jsd_loss(logits.bfloat16(), torch.tensor([1, 2]), 3)
        self.assertEqual(loss.dtype, torch.float32)
        self.assertLess(abs(loss.item() - at.jsd_loss(logits, torch.tensor([1, 2]), 3).item()), 0.2)

    def test_wrong_shapes(self):
        for logits, labels, views in ((torch.zeros(5, 3), torch.zeros(2).long(), 2), (torch.zeros(6, 3), torch.zeros(6).long(), 3),
                                      (torch.zeros(6), torch.zeros(6).long(), 1), (torch.zeros(6, 3), torch.zeros(6).long(), 0)):
            with self.assertRaises(ValueError):
                at.jsd_loss(logits, labels, views)


class Twice(IterableDataset):
    """Asks a feed for its iterator, and that once more."""

    def __init__(self, feed):
        self.feed = feed

    def __iter__(self):
        yield from iter(iter(self.feed))


class Loader(unittest.TestCase):
    def epochs(self, loader, n=2, each=None):
        got = []
        for epoch in range(n):
            if each:
                each(epoch)
            for images, labels in loader:
                self.assertIsInstance(images, torch.Tensor)
                got.append((images.numpy().tobytes(), labels.tolist()))
        return got

    def setUp(self):
        with fake(views=2) as feed:
            self.want = [(b.images.tobytes(), b.labels.tolist()) for _ in range(2) for b in feed]

    def test_as_it_is(self):
        with fake(views=2) as feed:
            self.assertIsInstance(feed, IterableDataset)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                loader = DataLoader(feed, batch_size=None)
                self.assertEqual(len(loader), 8)
                self.assertEqual(self.epochs(loader), self.want)
            self.assertEqual(feed.state_dict()["epoch"], 2)

    def test_one_worker(self):
        """A worker for each epoch, forked: the second goes on where the first ended."""
        feed = fake(views=2)
        loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork")
        self.assertEqual(self.epochs(loader), self.want)
        with self.assertRaisesRegex(FeedError, "read in a DataLoader worker"):
            feed.state_dict()
        feed.set_epoch(0)
        self.assertEqual(self.epochs(loader), self.want)

    def test_a_loop_that_is_left(self):
        """The next worker would make the first batches again: an error, unless the epoch was set or the last batch was handed out."""
        feed = fake(views=2)
        loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork")
        for batch in loader:
            break
        with self.assertRaisesRegex(FeedError, "was left within its epoch"):
            next(iter(loader))
        feed.set_epoch(0)
        got = []
        for _ in range(2):
            for n, (images, labels) in enumerate(loader, 1):
                got.append((images.numpy().tobytes(), labels.tolist()))
                if n == len(loader):
                    break
        self.assertEqual(got, self.want)

    def test_a_loop_that_is_left_of_a_worker_that_persists(self):
        """PyTorch throws away what the worker has made ahead: an error each time, until the epoch is set."""
        feed = fake(views=2)
        loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork", persistent_workers=True)
        for epoch in range(2):
            feed.set_epoch(0)
            for _, (images, labels) in zip(range(3), loader):
                pass
            for _ in range(2):
                with self.assertRaisesRegex(FeedError, "was left within its epoch, and what its DataLoader worker had made ahead is lost"):
                    next(iter(loader))
        feed.set_epoch(0)
        self.assertEqual(self.epochs(loader), self.want)

    def test_iterators_of_iterators_in_a_worker(self):
        """A loop that has had no batch was not left within its epoch, wherever that begins."""
        feed = fake(views=2)
        for _ in range(3):
            next(feed)
        feed.set_epoch(0)
        loader = DataLoader(Twice(feed), batch_size=None, num_workers=1, multiprocessing_context="fork", persistent_workers=True)
        self.assertEqual(self.epochs(loader), self.want[3:])

    def test_the_main_process_does_not_know_where_a_worker_is(self):
        """From its first batch on, in the middle of an epoch too."""
        for persists in (False, True):
            feed = fake()
            loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork", persistent_workers=persists)
            self.assertEqual(feed.state_dict()["epoch"], 0)
            for epoch in (None, 3):
                if epoch is not None:
                    feed.set_epoch(epoch)
                    self.assertEqual(feed.state_dict()["epoch"], 3)
                next(iter(loader))
                with self.assertRaisesRegex(FeedError, "read in a DataLoader worker"):
                    feed.state_dict()

    def test_a_loop_here_behind_one_of_a_worker(self):
        """It would make the worker's epoch again; the other way round the worker goes on."""
        feed = fake(views=2)
        loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork")
        got = self.epochs(loader, 1)
        for read in (list, next):
            with self.assertRaisesRegex(FeedError, r"read in a DataLoader worker.*, or feed.set_epoch\(epoch\) to begin an epoch here"):
                read(feed)
        feed.set_epoch(0)
        self.assertEqual([(b.images.tobytes(), b.labels.tolist()) for b in feed], got)
        self.assertEqual(got + self.epochs(loader, 1), self.want)

    def test_one_worker_that_persists(self):
        loader = DataLoader(fake(views=2), batch_size=None, num_workers=1, multiprocessing_context="fork", persistent_workers=True)
        self.assertEqual(self.epochs(loader), self.want)

    def test_workers_behind_the_last_epoch(self):
        """Each loop has no batch, and none was left."""
        feed = fake(views=2, epochs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FeedWarning)
            for persists, want in ((False, self.want[:8]), (True, []), (False, [])):
                loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="fork", persistent_workers=persists)
                self.assertEqual(self.epochs(loader, 3), want)

    def test_a_worker_that_is_spawned_again(self):
        """It would make the first epoch again: an error, unless the epoch was set."""
        feed = fake()
        with mock.patch("augmix.feed._spawning", return_value=True):
            first, second = pickle.loads(pickle.dumps(feed)), pickle.loads(pickle.dumps(feed))
            with self.assertRaisesRegex(FeedError, "read in a DataLoader worker"):
                feed.state_dict()
            feed.set_epoch(1)
            third = pickle.loads(pickle.dumps(feed))
        with mock.patch("augmix.feed._worker", return_value=types.SimpleNamespace(num_workers=1)):
            self.assertEqual(next(first).epoch, 0)
            with self.assertRaisesRegex(FeedError, "would make the first one again"):
                next(second)
            self.assertEqual(next(third).epoch, 1)
        first.close()
        third.close()

    @unittest.skipUnless(os.environ.get("AUGMIX_TEST_ALL"), "each spawned worker imports PyTorch: set AUGMIX_TEST_ALL=1")
    def test_spawned_workers(self):
        loader = DataLoader(fake(views=2), batch_size=None, num_workers=1, multiprocessing_context="spawn", persistent_workers=True)
        self.assertEqual(self.epochs(loader), self.want)
        feed = fake(views=2)
        loader = DataLoader(feed, batch_size=None, num_workers=1, multiprocessing_context="spawn")
        with self.assertRaisesRegex(FeedError, "would make the first one again"):
            self.epochs(loader)
        self.assertEqual(self.epochs(loader, each=feed.set_epoch), self.want)

    def test_two_workers(self):
        loader = DataLoader(fake(), batch_size=None, num_workers=2)
        with self.assertRaisesRegex(FeedError, "every worker would make all batches; a feed works in parallel itself, so use num_workers=0"):
            list(loader)

    def test_pin_memory_and_batches_as_they_are(self):
        with fake() as feed:
            batch = next(iter(DataLoader(feed, batch_size=None, collate_fn=lambda b: b)))
            self.assertIs(type(batch), Batch)
            self.assertEqual(batch.index.shape, (8,))


class Tensors(unittest.TestCase):
    def test_as_options(self):
        with fake(seed=torch.tensor(3), mean=torch.tensor([0.5, 0.25, 0.5]), std=[torch.tensor(0.5)] * 3) as feed:
            self.assertEqual(feed._arguments(0, 1)[:3], ["--seed=3", "--mean=0.5,0.25,0.5", "--std=0.5,0.5,0.5"])

    def test_a_tensor_holds_its_slot(self):
        with fake(slots=4) as feed:
            batch = next(feed)
            t = at.tensor(batch.images)
            want, address = t.clone(), batch.images.ctypes.data
            self.assertEqual(t.data_ptr(), address)
            part = t[3:5]
            del batch, t
            for _ in range(3):
                digests(feed)
            self.assertTrue(torch.equal(part, want[3:5]))
            self.assertEqual(feed._session._memory.leased, 1)
            del part
            gc.collect()
            self.assertEqual(feed._session._memory.leased, 0)

    def test_bfloat16(self):
        bits = torch.tensor([1.5, -2.0]).bfloat16().view(torch.int16).numpy().view(np.uint16)
        self.assertEqual(at.tensor(bits, True).tolist(), [1.5, -2.0])

    def test_predictor_of_bfloat16(self):
        bits = torch.tensor([[1.5, -2.0]]).bfloat16().view(torch.int16).numpy().view(np.uint16)
        out = at.predictor(torch.nn.Identity())(bits)
        self.assertEqual((out.dtype, out.tolist()), (torch.bfloat16, [[1.5, -2.0]]))

    def test_to_device(self):
        with fake() as feed:
            want = digests(feed)
        with fake() as feed:
            got = []
            for images, labels, index in at.to_device(feed, "cpu", names=("images", "labels", "index")):
                got.append(digest(Batch.of({"images": images.numpy(), "labels": labels.numpy(), "index": index.numpy()})))
            self.assertEqual(got, want)

    @unittest.skipUnless(torch.cuda.is_available(), "no CUDA device")
    def test_to_cuda(self):
        with fake(slots=4) as feed:
            want = [b.images.tobytes() for b in feed]
            feed.set_epoch(0)
            self.assertEqual([images.cpu().numpy().tobytes() for images, _ in at.to_device(feed, "cuda")], want)


class Evaluation(unittest.TestCase):
    def test_module(self):
        """A module is put into evaluation mode and given tensors."""
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = torch.nn.Parameter(torch.ones(1))

            def forward(self, x):
                assert not self.training and not torch.is_grad_enabled()
                return torch.from_numpy(oracle(x.numpy())) * self.scale

        self.assertEqual(evaluate(Net(), "data", batch=8, binary=FAKE).value("error", severity=3), 12.5)

    def test_between_epochs(self):
        """The model goes on training: each module is in the mode that it was in, and what it keeps of a call can be differentiated."""
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.norm, self.last = torch.nn.BatchNorm2d(3).eval(), torch.nn.LazyLinear(10)
                self.merged = False

            def train(self, mode=True):
                self.merged = not mode
                return super().train(mode)

            def forward(self, x):
                if not hasattr(self, "places"):
                    self.places = torch.ones(48)
                return self.last(self.norm(x.float()).flatten(1) * self.places)

        for fault, error in (("none", None), ("kill:3", FeedError)):
            net = Net()
            with self.assertRaises(error) if error else contextlib.nullcontext():
                evaluate(net, "data", batch=8, binary=FAKE, fault=fault)
            self.assertEqual([m.training for m in (net, net.norm, net.last)], [True, False, True])
            self.assertFalse(net.merged)
            net(torch.zeros(2, 3, 4, 4)).sum().backward()
        net.eval()
        evaluate(net, "data", batch=8, binary=FAKE)
        self.assertFalse(net.training)

    def test_weights(self):
        """A hash of the weights goes with results that are kept; what the caller says of them comes first."""
        nets = [torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2)) for _ in range(2)]
        one, other = (at.weights_of(net) for net in nets)
        self.assertRegex(one, "^sha256:[0-9a-f]{16}$")
        self.assertNotEqual(one, other)
        nets[1].load_state_dict(nets[0].state_dict())
        self.assertEqual(at.weights_of(nets[1]), one)
        compiled = torch.nn.Module()  # as torch.compile makes it
        compiled._orig_mod = nets[1]
        for wrapped in (torch.nn.DataParallel(nets[1]), compiled, torch.nn.DataParallel(compiled)):
            self.assertEqual(at.weights_of(wrapped), one)
        self.assertNotEqual(at.weights_of(nets[1].half()), one)
        for given, want in (({"out": "o"}, one), ({"out": "o", "weights": "mine"}, "mine"), ({}, None)):
            with mock.patch("augmix.evaluation.Evaluation", side_effect=FeedError("enough")) as run, self.assertRaises(FeedError):
                evaluate(nets[0], "data", **given)
            self.assertEqual(run.call_args.kwargs.get("weights"), want)


if __name__ == "__main__":
    unittest.main()
