"""What a feed promises, with the fake child."""

import gc
import json
import os
import pickle
import unittest
from unittest import mock

import numpy as np

from common import SCRATCH, digest, digests, fake
from augmix import Feed, FeedError, FeedWarning


class Batches(unittest.TestCase):
    def test_contents(self):
        with fake(views=3) as feed:
            batch = next(feed)
            images, labels = batch
            self.assertEqual(images.shape, (3, 8, 3, 4, 4))
            self.assertEqual(images.dtype, np.uint8)
            self.assertEqual((labels.shape, labels.dtype), ((8,), np.int64))
            self.assertTrue((labels == batch.index % 10).all())
            for view in range(3):
                want = (batch.index * 7 + view * 3) % 256
                self.assertTrue((images[view].reshape(8, -1) == want[:, None]).all())
            self.assertIsNone(batch.targets)
            self.assertEqual((batch.n, batch.views, batch.epoch, batch.number), (8, 3, 0, 0))
            self.assertEqual(images.ctypes.data % 64, 0)
            self.assertEqual(sorted(batch.asdict({"images": "pixel_values"})), ["index", "labels", "pixel_values"])

    def test_soft_labels(self):
        with fake(soft=True) as feed:
            _, targets = next(feed)
            self.assertEqual(targets.shape, (8, 10))
            self.assertTrue((targets.sum(1) == 1).all())

    def test_fields(self):
        with fake(fields=("index", "images")) as feed:
            index, images = next(feed)
            self.assertEqual(index.dtype, np.int64)
        with fake(fields=("pixels",)) as feed, self.assertRaisesRegex(FeedError, "fields names 'pixels'; the batches have images, labels, index"):
            next(feed)

    def test_length_and_classes(self):
        with fake() as feed:
            self.assertEqual(len(feed), 8)
            self.assertEqual(feed.samples, 64)
            self.assertEqual(feed.classes[3], "c3")
            self.assertEqual(feed.info["version"], "0.0.fake")

    def test_epochs(self):
        with fake() as feed:
            first, second = digests(feed), digests(feed)
            self.assertEqual((len(first), len(second)), (8, 8))
            self.assertFalse(set(first) & set(second))
        with fake(epochs=2) as feed:
            self.assertEqual(digests(feed) + digests(feed), first + second)
            for _ in range(2):
                with self.assertWarnsRegex(FeedWarning, r"all epochs were handed out.*set_epoch\(0\) begins again"):
                    self.assertEqual(digests(feed), [])
            self.assertEqual(feed.state_dict()["epoch"], 2)
            feed.set_epoch(0)
            self.assertEqual(digests(feed), first)

    def test_set_epoch(self):
        with fake() as feed:
            epochs = [digests(feed) for _ in range(3)]
            feed.set_epoch(1)
            self.assertEqual(digests(feed), epochs[1])
            feed.set_epoch(2)  # already there: the child is not started again
            pid = feed._session.child.pid
            self.assertEqual(digests(feed), epochs[2])
            self.assertEqual(feed._session.child.pid, pid)
            feed.set_epoch(np.int64(1))
            self.assertEqual(digests(feed), epochs[1])
            self.assertIs(type(feed.state_dict()["epoch"]), int)
            for wrong in (-1, True, 1.0):
                with self.assertRaisesRegex(FeedError, f"epoch is {wrong}"):
                    feed.set_epoch(wrong)

    def test_transports_agree(self):
        with fake(transport="ring") as ring, fake(transport="pipe") as pipe, fake(copy=True, checksum=True) as copy:
            want = digests(ring)
            self.assertEqual(digests(pipe), want)
            self.assertEqual(digests(copy), want)

    def test_two_and_ten_feeds(self):
        feeds = [fake(seed=i) for i in range(10)]
        rows = [[digest(b) for b in batches] for batches in zip(*feeds)]
        self.assertEqual(len(rows), 8)
        self.assertTrue(all(len(set(row)) == 10 for row in rows))
        for feed in feeds:
            feed.close()


class Resume(unittest.TestCase):
    def test_in_the_middle(self):
        with fake() as feed:
            want = digests(feed) + digests(feed)
        for stop in (1, 5, 7, 8, 9):
            with fake() as feed:
                got = []
                while len(got) < stop:
                    try:
                        got.append(digest(next(feed)))
                    except StopIteration:
                        pass
                state = json.loads(json.dumps(feed.state_dict()))
            with fake() as feed:
                feed.load_state_dict(state)
                while len(got) < 16:
                    got += digests(feed)
            self.assertEqual(got, want, stop)

    def test_state_counts_what_was_handed_out(self):
        with fake() as feed:
            self.assertEqual(feed.state_dict(), {"version": 1, "fingerprint": "fake--0", "epoch": 0, "position": 0})
            for i in range(7):
                next(feed)
                self.assertEqual((feed.epoch, feed.position), (0, 8 * (i + 1)))
            next(feed)  # the last: a state is never at the end of an epoch
            self.assertEqual((feed.epoch, feed.position), (1, 0))
            self.assertEqual(feed.state_dict()["fingerprint"], "fake--0")

    def test_state_before_the_first_batch(self):
        with fake() as feed:
            feed.set_epoch(2)
            state = feed.state_dict()
            self.assertEqual((state["epoch"], state["position"]), (2, 0))
            want = digests(feed)
        with fake() as feed:
            feed.load_state_dict(state)
            self.assertEqual(digests(feed), want)
        with fake(seed=7) as feed:
            feed.load_state_dict(state)
            with self.assertRaisesRegex(FeedError, "other data or other options"):
                next(feed)

    def test_break_goes_on(self):
        with fake() as feed:
            want = digests(feed) + digests(feed)
        with fake() as feed:
            got = [digest(b) for b, _ in zip(feed, range(3))]
            # zip has taken a fourth batch, as it does of every iterator
            self.assertEqual(got + digests(feed), want[:3] + want[4:8])

    def test_break_behind_the_last_batch(self):
        with fake() as feed:
            want = digests(feed) + digests(feed)
        with fake() as feed:
            for _ in range(8):
                next(feed)
            self.assertEqual(digests(feed), want[8:])

    def test_close_and_go_on(self):
        with fake() as feed:
            want = digests(feed)
        feed = fake()
        got = [digest(next(feed)) for _ in range(3)]
        feed.close()
        feed.close()
        self.assertEqual(got + digests(feed), want)
        feed.close()

    def test_other_recipe_is_refused(self):
        with fake(mix="a") as feed:
            next(feed)
            state = feed.state_dict()
        with fake(mix="b") as feed:
            feed.load_state_dict(state)
            with self.assertRaisesRegex(FeedError, "other data or other options"):
                next(feed)
            feed.load_state_dict(state, strict=False)
            self.assertEqual(next(feed).number, 1)

    def test_bad_states(self):
        with fake() as feed:
            for state, text in (
                ({}, "no state of a feed"), (None, "no state of a feed"),
                ({"version": 2, "epoch": 0, "position": 0, "fingerprint": ""}, "version 2"),
                ({"version": 1, "epoch": -1, "position": 0, "fingerprint": ""}, "epoch is -1"),
                ({"version": 1, "epoch": 0, "position": 1.5, "fingerprint": ""}, "position is 1.5"),
            ):
                with self.assertRaisesRegex(FeedError, text):
                    feed.load_state_dict(state)
            feed.load_state_dict({"version": 1, "epoch": 0, "position": 12, "fingerprint": None})
            with self.assertRaisesRegex(FeedError, r"position 12 is no multiple of batch times world size \(8 x 1\)"):
                next(feed)

    def test_elastic_world_size(self):
        """The global batches of 1, 2 and 4 processes are the same, also when the number changes in the middle."""
        def epoch(world, start=None):
            ranks = [fake(batch=16 // world, rank=r, world_size=world) for r in range(world)]
            for feed in ranks:
                if start:
                    feed.load_state_dict(start)
            rows = []
            for _ in range(2):
                parts = [next(feed) for feed in ranks]
                rows.append((np.concatenate([p.index for p in parts]).tolist(), np.concatenate([p.images for p in parts]).tolist()))
            states = [feed.state_dict() for feed in ranks]
            self.assertTrue(all(s == states[0] for s in states))
            for feed in ranks:
                feed.close()
            return rows, states[0]

        one, state = epoch(1)
        for world in (2, 4):
            self.assertEqual(epoch(world)[0], one)
        then = epoch(1, state)[0]
        for world in (2, 4):
            self.assertEqual(epoch(world, state)[0], then)


class Leases(unittest.TestCase):
    def test_slots_come_back(self):
        with fake(slots=4) as feed:
            memory = None
            for _ in range(5):
                for batch in feed:
                    memory = feed._session._memory
                    self.assertLessEqual(memory.leased, 2)
            del batch
            gc.collect()
            self.assertEqual(memory.leased, 0)

    def test_a_view_holds_its_slot(self):
        with fake(slots=4) as feed:
            batch = next(feed)
            want = batch.images[2, 1].copy()
            view = batch.images[2, 1][1:3]
            del batch
            for _ in range(3):
                digests(feed)
            self.assertTrue((view == want[1:3]).all())
            self.assertEqual(feed._session._memory.leased, 1)

    def test_holding_all_does_not_stall(self):
        for transport in ("ring", "pipe"):
            with fake(slots=3, transport=transport) as feed:
                held = list(feed) + list(feed)
                got = [digest(b) for b in held]
            with fake() as feed:
                self.assertEqual(got, digests(feed) + digests(feed))

    def test_arrays_outlive_the_feed(self):
        feed = fake()
        batch = next(feed)
        want = digest(batch)
        feed.close()
        del feed
        gc.collect()
        self.assertEqual(digest(batch), want)

    def test_one_slot(self):
        with fake(slots=1) as feed:
            self.assertEqual(len(digests(feed)), 8)


class Options(unittest.TestCase):
    def test_refused_at_once(self):
        for options, text in (
            ({"transport": "shm"}, "transport is 'shm'"), ({"slots": 0}, "slots is 0"), ({"timeout": 0}, "timeout is 0"), ({"timeout": "60"}, "timeout is '60'"),
            ({"rank": 1, "world_size": None}, "go together"), ({"mix": b"x"}, "mix is of bytes"), ({"ring_fd": 3}, "ring_fd is the feed's own"),
            ({"mix": "a\0"}, "cannot be on a command line"), ({"progress": True}, "progress is for a terminal"),
            ({"slots": 1.5}, "slots is 1.5"), ({"slots": np.int64(0)}, "slots is .*0"), ({"timeout": np.float32(0)}, "timeout is .*0"),
            ({"rank": "0", "world_size": "2"}, "rank is '0'; it is an int from 0 on"), ({"rank": -1, "world_size": 2}, "rank is -1"),
            ({"rank": 0, "world_size": 2.0}, "world_size is 2.0; it is an int from 1 on"), ({"rank": 5, "world_size": 4}, "rank 5 of 4"),
            ({"help": True}, "help is for a terminal"), ({"dtype": np.float32}, "dtype is of type"), ({"mean": [[0.5]]}, "mean is of list"),
        ):
            with self.assertRaisesRegex(FeedError, text):
                fake(**options)
        for data in ("-", ""):
            with self.assertRaisesRegex(FeedError, "path of a data set"):
                Feed(data)

    def test_an_evaluation_is_none(self):
        """It would send a few batches and wait for outputs that never come."""
        with fake(suite="clean") as feed, self.assertRaisesRegex(FeedError, "augmix.evaluate or augmix.Evaluation, not a Feed"):
            next(feed)

    def test_flags(self):
        from augmix._command import flags

        self.assertEqual(
            flags({"on_error": "skip", "flip": True, "coarse": False, "mix": None, "mean": (0.5, 0.25), "from_": 1, "crop": np.int64(3)}),
            ["--on-error=skip", "--flip", "--coarse=false", "--mean=0.5,0.25", "--from=1", "--crop=3"])

        self.assertEqual(
            flags({"mean": np.array([0.5, 0.25]), "std": tuple(np.float32([0.1, 0.2])), "seed": np.array(3), "flip": np.bool_(True)}),
            ["--mean=0.5,0.25", "--std=0.1,0.2", "--seed=3", "--flip"])

    def test_numbers_of_numpy(self):
        with fake(slots=np.int64(3), timeout=np.float32(20), rank=np.int64(1), world_size=np.int32(2), batch=np.int64(4), fields="index") as feed:
            index, = next(feed)
            self.assertEqual((index.shape, feed.info["slots"], feed.info["rank"]), ((4,), 3, 1))
            self.assertEqual(len(digests(feed)), 7)
            self.assertIs(type(feed._session.child._timeout), float)

    def test_places(self):
        from augmix._ranks import cores, place

        self.assertEqual(place(1, 2, {}), (1, 2))
        self.assertEqual(place(env={}), (0, 1))
        self.assertEqual(place(env={"RANK": "3", "WORLD_SIZE": "4"}), (3, 4))
        self.assertEqual(place(env={"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"}), (1, 2))
        # The shell of an allocation for eight tasks is one process.
        self.assertEqual(place(env={"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}), (0, 1))
        self.assertEqual(place(env={"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}), (1, 2))
        for env, text in (({"RANK": "4", "WORLD_SIZE": "4"}, "rank 4 of 4"), ({"RANK": "x", "WORLD_SIZE": "4"}, "are 'x' and '4'")):
            with self.assertRaisesRegex(FeedError, text):
                place(env=env)
        self.assertIsNone(cores({}))
        self.assertEqual(cores({"LOCAL_WORLD_SIZE": "100000"}), 1)

    def test_environment_is_read_when_the_feed_starts(self):
        feed = fake(rank=None, world_size=None)
        os.environ.update(RANK="1", WORLD_SIZE="2")
        try:
            self.assertEqual((feed.info["rank"], len(feed)), (1, 4))
        finally:
            del os.environ["RANK"], os.environ["WORLD_SIZE"]
            feed.close()


    def test_ranks_that_are_known_later(self):
        """torch.distributed is initialized once the feed was asked for its classes: the ranks share an epoch nevertheless."""
        seen = []
        for rank in range(2):
            feed = fake(rank=None, world_size=None)
            self.assertEqual(len(feed), 8)
            first = feed._session
            with mock.patch("augmix._ranks.distributed", return_value=(rank, 2)), feed:
                self.assertEqual((len(feed), feed.info["rank"]), (4, rank))
                self.assertIsNot(feed._session, first)
                seen += [i for batch in feed for i in batch.index.tolist()]
        self.assertEqual(sorted(seen), list(range(64)))

    def test_ranks_of_a_batch_alone(self):
        with fake(rank=None, world_size=None) as feed:
            self.assertEqual(len(feed), 8)
            with mock.patch("augmix._ranks.distributed", return_value=(1, 2)):
                self.assertEqual(next(feed).index.tolist(), next(fake(rank=1, world_size=2)).index.tolist())

    def test_ranks_that_a_copy_finds(self):
        with fake(rank=None, world_size=None) as feed:
            self.assertEqual(len(feed), 8)
            copy = pickle.loads(pickle.dumps(feed))
        with mock.patch("augmix._ranks.distributed", return_value=(1, 2)), copy:
            self.assertEqual(len(copy), 4)
            self.assertEqual(len(digests(copy)), 4)

    def test_ranks_that_change_within_an_epoch(self):
        with fake(rank=None, world_size=None) as feed:
            first = [i for _ in range(4) for i in next(feed).index.tolist()]
            with mock.patch("augmix._ranks.distributed", return_value=(0, 2)):
                self.assertEqual((feed.epoch, feed.position), (0, 32))
                rest = [i for batch in feed for i in batch.index.tolist()]
        self.assertEqual(len(rest), 16)
        self.assertFalse(set(first) & set(rest))


class Pickle(unittest.TestCase):
    def test_options_and_position(self):
        with fake() as feed:
            want = digests(feed)
        with fake() as feed:
            got = [digest(next(feed)) for _ in range(3)]
            copy = pickle.loads(pickle.dumps(feed))
            self.assertIsNone(copy._session)
            with copy:
                self.assertEqual(got + digests(copy), want)
            self.assertEqual(got + digests(feed), want)

    def test_batches(self):
        with fake() as feed:
            batch = next(feed)
            again = pickle.loads(pickle.dumps(batch))
            self.assertEqual(digest(again), digest(batch))
            self.assertEqual(len(again), 2)

    def test_repr(self):
        self.assertEqual(repr(fake()), f"Feed({os.path.join(SCRATCH, 'data')!r}, epoch=0, position=0)")


if __name__ == "__main__":
    unittest.main()
