"""Everything that can go wrong between the two sides: an exception that says what it was, within a second."""

import os
import signal
import sys
import threading
import time
import unittest
import warnings

from common import FAKE, SCRATCH, alive, digests, fake
from augmix import Feed, FeedError, FeedTimeout, FeedWarning


class Faults(unittest.TestCase):
    def fails(self, fault, text, error=FeedError, seconds=5, consume=digests, **options):
        """The feed raises, soon, and its child is gone."""
        pid = os.path.join(SCRATCH, f"pid-{self.id()}")
        with fake(fault=fault, pid=pid, **options) as feed:
            start = time.monotonic()
            with self.assertRaisesRegex(error, text) as caught:
                consume(feed)
            self.assertLess(time.monotonic() - start, seconds)
            self.assertIsNone(feed._session)
        with open(pid) as f:
            self.assertFalse(alive(int(f.read())))
        os.remove(pid)
        return caught.exception

    def test_another_version(self):
        self.fails("version", "speaks version 2 of the feed's protocol, this Python package version 1: install")

    def test_older_program(self):
        self.fails("old", "is older than this Python package")

    def test_usage(self):
        error = self.fails("usage", "^--mix nonsense: no such method$")
        self.assertEqual(error.code, "usage")

    def test_killed_child(self):
        error = self.fails("kill:3", "was killed by signal 9")
        self.assertIn("\n  out of luck\n  the last line\\x1b[31m", str(error))

    def test_killed_child_whose_pipe_another_holds(self):
        self.fails("orphan:3", "was killed by signal 9")

    def test_child_that_ends(self):
        self.fails("exit:3", "ended with status 1\n  augmix: error: something else")

    def test_closed_output(self):
        self.fails("closed:3", "was killed by signal 9")

    def test_error(self):
        error = self.fails("error:3", r"^photos/a.jpg: not an image\\x1b\[2J$")
        self.assertEqual(error.code, "input")

    def test_garbage(self):
        self.fails("garbage:3", "does not speak the protocol of the feed: it wrote b'Welcome")

    def test_truncated(self):
        self.fails("half:3", "ended with status 0 in the middle of a message")

    def test_silence(self):
        def consume(feed):
            next(feed)
            feed._session.child._timeout = 0.5  # not from the start on: a busy machine starts the child late
            digests(feed)

        self.fails("silent:3", "said nothing for 0.5 s, not even that it is alive", FeedTimeout, consume=consume)
        self.assertTrue(issubclass(FeedTimeout, TimeoutError))

    def test_watchdog(self):
        """What takes the place of polling on Windows: it kills a child that is silent, and none whose reader pauses."""
        from augmix._child import _Watchdog

        with fake(fault="silent:3") as feed:
            next(feed)
            child = feed._session.child
            child._waiter, child._timeout = _Watchdog(child._process), 0.5
            next(feed)
            time.sleep(1)
            next(feed)
            with self.assertRaisesRegex(FeedTimeout, "said nothing for 0.5 s"):
                digests(feed)

    def test_slow_is_not_silent(self):
        with fake(fault="heartbeats:3") as feed:
            for _ in range(3):
                next(feed)
            feed._session.child._timeout = 0.5
            signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
            signal.setitimer(signal.ITIMER_REAL, 1)
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):  # Ctrl-C ends the wait at once
                next(feed)
            self.assertLess(time.monotonic() - start, 5)
            self.assertIsNone(feed._session)
            self.assertEqual(feed.position, 24)

    def test_closed_by_another_thread(self):
        with fake(fault="heartbeats:3") as feed:
            for _ in range(3):
                next(feed)
            timer = threading.Timer(0.2, feed.close)
            timer.start()
            with self.assertRaisesRegex(FeedError, "closed by another thread|ended with status"):
                next(feed)
            timer.join()

    def test_long_message(self):
        self.fails("long:2", "announces 1099511627776 bytes of JSON")

    def test_json(self):
        self.fails("json:2", "is not JSON")

    def test_unknown_kind(self):
        self.fails("kind:2", "sent a message of kind 'Q'")

    def test_damaged_header(self):
        self.fails("check", "is damaged: its checksum differs")

    def test_lost_message(self):
        self.fails("gap:2", "messages were lost")

    def test_lost_batch(self):
        self.fails("skip:2", "batch 3 of epoch 0 came in place of batch 2")

    def test_hello(self):
        for given, text in (
            ('{"slots":0}', "slots is 0"), ('{"slots":65536,"slot_bytes":1099511627776}', "65536 slots of"), ('{"slot_bytes":4100}', "of 4100 bytes"),
            ('{"fields":[]}', "without images"), ('{"fields":null}', "not valid"), ('{"batch":9}', r"of shape \[8, 3, 4, 4\] for batches of 9"),
            ('{"fields":[{"name":"images","dtype":"uint8","shape":[8,99999],"axis":0,"offset":64}]}', "field images from 64 to 800056"),
            ('{"fields":[{"name":"images","dtype":"float128","shape":[8],"axis":0,"offset":64}]}', "dtype 'float128'"),
            ('{"fields":[{"name":"images","dtype":"uint8","shape":[8],"axis":1,"offset":64}]}', "axis is 1"),
            ('{"fields":[{"name":"images","dtype":"uint8","shape":[8],"axis":0,"offset":0}]}', "field images from 0"),
            ('{"transport":"mail"}', "transport 'mail'"), ('{"samples":"all"}', "samples is 'all'"), ('{"views":[]}', r"views is \[\]"), ('{"rank":3}', "is rank 3 of 1, not 0 of 1"),
            ('{"epoch":7}', "starts at epoch 7"),
        ):
            with self.subTest(given):
                self.fails("hello", text, **{"with": given})

    def test_small_ring(self):
        self.fails("small", r"the ring has 4096 bytes, 4 slots of 4096 need 16384")

    def test_ring_cannot_be_cut_off(self):
        """Without a sealed size, a batch that is in use would become a bus error."""
        with fake(fault="shrink:2") as feed:
            batch = next(feed)
            with self.assertRaisesRegex(FeedError, "sealed: .*not permitted"):
                digests(feed)
            self.assertEqual(int(batch.images[0, 0, 0, 0]), int(batch.index[0]) * 7 % 256)

    def test_slot_that_does_not_exist(self):
        self.fails("slot:2", "announced slot 77 of 4")

    def test_too_many_samples(self):
        self.fails("many:2", "announced 9 samples in batches of 8")

    def test_overwritten_before_it_was_read(self):
        self.fails("header:2", "was overwritten before it was read: batch is 3 instead of 2")
        self.fails("guard:2", "was overwritten before it was read: guard is")
        self.fails("header:2", "a slot is damaged: batch is 3 instead of 2", transport="pipe")

    def test_overwritten_while_in_use(self):
        def consume(feed):
            for batch in feed:
                if batch.number == 2:
                    time.sleep(0.4)
                del batch

        self.fails("overwrite:2", "was overwritten while arrays over it were in use", consume=consume)

    def test_announced_twice(self):
        self.fails("again:0", "which it was not given back", consume=list)

    def test_checksum(self):
        with fake(fault="pixels:2") as feed:
            self.assertEqual(len(digests(feed)), 8)  # not asked for, not found
        for transport in ("ring", "pipe"):
            self.fails("pixels:2", "batch 2 of epoch 0 is damaged: its checksum differs", checksum=True, transport=transport)

    def test_short_payload(self):
        self.fails("size", "announced a slot of 4095 bytes instead of 4096", transport="pipe")

    def test_refused_samples_are_warnings(self):
        with fake(fault="refused:1") as feed, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(len(digests(feed)), 8)
        self.assertEqual(feed.refused, 20)
        texts = [str(w.message) for w in seen if w.category is FeedWarning]
        self.assertEqual(len(texts), 11)
        self.assertEqual(texts[0], "bad0\\x1b[2J.jpg: not an image")
        self.assertIn("more samples were refused", texts[-1])

    def test_warning_before_the_hello(self):
        with fake(fault="early") as feed, self.assertWarns(FeedWarning):
            len(feed)


class Binary(unittest.TestCase):
    def test_all_places_are_told(self):
        from augmix import _binary

        old = {name: os.environ.pop(name, None) for name in ("AUGMIX_BIN", "PATH")}
        os.environ["PATH"] = SCRATCH
        try:
            with self.assertRaisesRegex(FeedError, "not given as binary=, not in the variable AUGMIX_BIN, not in this package .*not in PATH"):
                _binary.find()
            with self.assertRaisesRegex(FeedError, "binary is 'nowhere', which is no program"):
                _binary.find("nowhere")
            with self.assertRaisesRegex(FeedError, "several words is a list"):
                _binary.find("ssh host augmix")
            with self.assertRaisesRegex(FeedError, "binary is 'nowhere'"):
                _binary.find(["nowhere", "host"])
            with self.assertRaisesRegex(FeedError, "empty command"):
                _binary.find([])
            os.environ["AUGMIX_BIN"] = "gone"
            with self.assertRaisesRegex(FeedError, "AUGMIX_BIN is 'gone'"):
                _binary.find()
            os.environ["AUGMIX_BIN"] = FAKE
            self.assertEqual(_binary.find(), [FAKE])
        finally:
            for name, value in old.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value

    def test_command_of_several_words(self):
        command = [sys.executable, "-S", "-E", os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_child.py")]
        with Feed("data", binary=command, rank=0, world_size=1) as feed:
            self.assertEqual(feed.info["transport"], "pipe")
            self.assertEqual(len(digests(feed)), 8)
        with self.assertRaisesRegex(FeedError, "through a pipe"):
            next(Feed("data", binary=command, transport="ring"))

    def test_ssh_quotes(self):
        """ssh gives its arguments to a shell: a path with a space and a semicolon stays one argument."""
        ssh = os.path.join(SCRATCH, "ssh")
        with open(ssh, "w") as f:
            f.write(f'#!/bin/sh\nshift\nexec sh -c "$*"\n')
        os.chmod(ssh, 0o755)
        with Feed("my data; exit 3", binary=[ssh, "host", FAKE], rank=0, world_size=1, mix="a b") as feed:
            self.assertEqual(len(digests(feed)), 8)
            self.assertEqual(feed.info["fingerprint"], "fake-a b-0")


if __name__ == "__main__":
    unittest.main()
