"""Forks, spawns and deaths: whose child it is, and that nothing stays behind."""

import contextlib
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from common import FAKE, HERE, SCRATCH, alive, digest, digests, fake
from augmix import Evaluation
from augmix._child import Child


def wait_for(condition, seconds=5.0):
    """Waits until something is so, and says whether it became so."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def in_fork(work):
    """Runs work in a forked process; its return value is the exit status."""
    pid = os.fork()
    if pid == 0:
        status = 99
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def epoch_of(feed, queue):
    """For a spawned process."""
    queue.put(digests(feed))


class Fork(unittest.TestCase):
    def test_a_fork_starts_its_own_child(self):
        with fake() as feed:
            want = digests(feed)
        with fake() as feed:
            batch = next(feed)
            got = [digest(batch)]
            child = feed._session.child.pid

            def work():
                rest = [digest(b) for b in feed]
                return int(got + rest != want or feed._session.child.pid == child)

            self.assertEqual(in_fork(work), 0)
            # The fork took the same batches, and neither ended the parent's child nor gave its slots back.
            self.assertEqual(got + digests(feed), want)

    def test_a_fork_has_epochs_of_its_own(self):
        with fake() as feed:
            def work():
                feed.set_epoch(3)
                return len(digests(feed)) - 8

            self.assertEqual(in_fork(work), 0)
            self.assertEqual((feed.state_dict()["epoch"], next(feed).epoch), (0, 0))

    def test_a_fork_that_ends_leaves_the_child_alone(self):
        with fake(slots=3) as feed:
            batch = next(feed)
            want = digest(batch)

            def work():
                nonlocal batch
                del batch
                feed.close()
                return 0

            self.assertEqual(in_fork(work), 0)
            for _ in range(3):
                digests(feed)
            self.assertEqual(digest(batch), want)

    def test_a_fork_does_not_keep_the_child_alive(self):
        """That of a feed, nor that of an evaluation."""
        for feed in (fake(), Evaluation("data", batch=8, binary=FAKE)):
            next(feed)
            child = feed._session.child.pid
            pid = os.fork()
            if pid == 0:
                time.sleep(20)
                os._exit(0)
            try:
                feed._session.child._in.close()
                self.assertTrue(wait_for(lambda: not alive(child)))
            finally:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                feed.close()

    def test_spawn(self):
        with fake() as feed:
            want = digests(feed)
        context = multiprocessing.get_context("spawn")
        queue = context.SimpleQueue()
        process = context.Process(target=epoch_of, args=(fake(), queue))
        process.start()
        self.assertEqual(queue.get(), want)
        process.join()


class Files(unittest.TestCase):
    def test_many_open_files(self):
        """Outputs that a child takes slowly go to descriptors of 1024 and more, which select.select does not take."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit[1] != resource.RLIM_INFINITY and limit[1] < 2048:
            self.skipTest("no more than 2,047 files may be open")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit[0], 2048), limit[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limit)
        with contextlib.ExitStack() as stack:
            for _ in range(1100):
                stack.enter_context(open(os.devnull))
            child = Child(["sh", "-c", "sleep 0.1; exec cat > /dev/null"])
            stack.callback(child.close)
            child.send("L", memoryview(bytes(1 << 20)), 1, 0)


class Death(unittest.TestCase):
    PARENT = "import sys; sys.path.insert(0, %r); from common import fake; feed = fake(); next(feed); print(feed._session.child.pid, flush=True); import time; time.sleep(20)"

    def parent(self):
        process = subprocess.Popen([sys.executable, "-c", self.PARENT % HERE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        return process, int(process.stdout.readline())

    def test_killed_parent(self):
        before = set(os.listdir("/dev/shm"))
        process, child = self.parent()
        self.assertTrue(alive(child))
        process.kill()
        process.wait()
        self.assertTrue(wait_for(lambda: not alive(child)))
        self.assertFalse([name for name in set(os.listdir("/dev/shm")) - before if "augmix" in name])

    def test_interrupted_parent(self):
        process, child = self.parent()
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(timeout=5), 0)
        self.assertTrue(wait_for(lambda: not alive(child)))

    def test_closed_feed(self):
        feed = fake()
        next(feed)
        child = feed._session.child.pid
        feed.close()
        self.assertFalse(alive(child))

    def test_forgotten_feed(self):
        feed = fake()
        next(feed)
        child = feed._session.child.pid
        del feed
        self.assertFalse(alive(child))

    def test_no_file_stays_open(self):
        def count():
            return len(os.listdir("/proc/self/fd"))

        with fake() as feed:
            digests(feed)
        before = count()
        for transport in ("ring", "pipe"):
            for fault in ("none", "kill:3", "version", "error:2"):
                with fake(fault=fault, transport=transport) as feed:
                    try:
                        digests(feed)
                    except RuntimeError:
                        pass
        self.assertEqual(count(), before)

    def test_stopped_reader(self):
        """Backpressure: a child whose reader does nothing makes no more than its slots."""
        with fake(slots=3) as feed:
            next(feed)
            time.sleep(0.3)
            pipe = feed._session.child._out
            import fcntl
            import struct
            import termios

            waiting = struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4))[0]
            self.assertLessEqual(waiting, 3 * 64 + 200)
            self.assertEqual(len(digests(feed)), 7)


if __name__ == "__main__":
    unittest.main()
