"""The child process: its pipes, its silence and its death."""

from __future__ import annotations

import collections
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from typing import IO, Any, Deque, List, Optional, Sequence

from ._errors import FeedError, FeedTimeout, printable
from ._protocol import HEADER, Header, check_body, header, reply

__all__ = ["Child"]

_TICK = 0.25
"""Seconds between looks at a child that says nothing: its death shows at once where it alone holds the pipe, and after
this time where a program that it has started holds it too."""


class Child:
    """A running ``augmix feed``.

    Args:
        command: the whole command line.
        fd: a file descriptor that the child inherits under the same number, or None.
        timeout: seconds without a message after which the child is taken for stuck; None waits forever.
        detach: run it in a session of its own, so that Ctrl-C reaches the parent alone. Not for ssh, which may ask for
            a password on the terminal.
    """

    def __init__(self, command: Sequence[str], fd: Optional[int] = None, timeout: Optional[float] = 60.0,
                 detach: bool = True) -> None:
        self.command = list(command)
        self.who = printable(self.command[0])
        self._timeout = None if timeout is None else float(timeout)  # float32 has no room for a clock
        self._sequence = 0
        self._pid = os.getpid()
        # Standard error goes to a file without a name: a pipe would need a thread that empties it.
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        posix = os.name == "posix"
        try:
            self._process: "subprocess.Popen[bytes]" = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0,
                pass_fds=() if fd is None else (fd,), start_new_session=posix and detach)
        except OSError as err:
            self._errors.close()
            raise FeedError(f"{self.who} does not start: {err}") from err
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._waiter: Any = _Poll(self._out) if posix else _Watchdog(self._process)
        if posix:
            os.set_blocking(self._in.fileno(), False)
            self._room = _Poll(self._in, select.POLLOUT)
        self._lock = threading.Lock()
        self._replies: Deque[bytes] = collections.deque()
        _enlarge(self._out)
        _running.add(self)

    @property
    def closed(self) -> bool:
        """Whether nothing more comes from it here: it was closed, or is the child of the process that forked this one."""
        return self._in.closed or self._pid != os.getpid()

    @property
    def pid(self) -> int:
        """The child's process ID."""
        return self._process.pid

    # Reading

    def message(self) -> "tuple[Header, bytes]":
        """The next message: its header and its JSON. What follows with a pipe is read by ``read_into``.

        Raises:
            FeedError: the child ended, or what it wrote is no message.
            FeedTimeout: it said nothing for too long.
        """
        raw = bytes(self._exactly(HEADER))
        head = header(raw, self._sequence, self.who)
        body = bytes(self._exactly(head.body))
        check_body(raw, body, self.who)
        self._sequence += 1
        return head, body

    def _exactly(self, n: int) -> bytearray:
        data = bytearray(n)
        self.read_into(memoryview(data))
        return data

    def read_into(self, view: memoryview) -> None:
        """Fills view (bytes, writable) from the child's standard output."""
        done = 0
        last = time.monotonic()
        while done < len(view):
            if not self._waiter.wait(last, self._timeout):
                self._silent(last)
                continue
            try:
                got = self._out.readinto(view[done:])  # type: ignore[attr-defined]
            except ValueError:
                raise FeedError(f"{self.who} was closed by another thread while a batch was waited for") from None
            if not got:
                self._ended(done)
            done += got
            last = time.monotonic()
        self._waiter.rest()

    def _silent(self, last: float) -> None:
        """Nothing came for a tick: is the child dead, or silent for too long?"""
        if self._process.poll() is not None and not self._waiter.ready():
            self._ended(0)
        if self._timeout is not None and time.monotonic() - last >= self._timeout:
            self.kill()
            raise FeedTimeout(
                f"{self.who} said nothing for {self._timeout:g} s, not even that it is alive; it was killed" + self.lines())

    def _ended(self, partial: int) -> None:
        if getattr(self._waiter, "fired", False):
            self.kill()
            raise FeedTimeout(f"{self.who} said nothing for {self._timeout:g} s; it was killed" + self.lines())
        status = self._status()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        where = " in the middle of a message" if partial else ""
        hint = ""
        text = self.lines()
        if "unexpected argument feed" in text:
            hint = "; it is older than this Python package and has no feed: install the program of the same release"
        raise FeedError(f"{self.who} {how}{where}{hint}{text}")

    def _status(self) -> int:
        """The exit status of a child that closed its standard output."""
        try:
            return self._process.wait(timeout=0.7)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()

    def lines(self, count: int = 12) -> str:
        """The child's last lines on standard error, indented, to end an error with; empty if there are none."""
        said = self.notes()[-count:]
        return "\n  " + "\n  ".join(said) if said else ""

    def notes(self) -> List[str]:
        """The lines on standard error so far, the last 4,000 bytes of them."""
        try:
            size = self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(0, size - 4000))
            return printable(self._errors.read().decode("utf-8", "replace")).strip().splitlines()
        except (OSError, ValueError):
            return []

    # Writing

    def give_back(self, slot: int, sequence: int) -> None:
        """Tells the child that a slot may be written again. Safe in a finalizer and from any thread."""
        self._replies.append(reply("F", slot=slot, sequence=sequence))
        self._flush()

    def _flush(self) -> None:
        # A finalizer may run in the middle of this very function: it appends and goes, and whoever holds the lock writes.
        while self._replies and self._lock.acquire(False):
            try:
                while self._replies:
                    self._write(memoryview(self._replies.popleft()))
            except (OSError, ValueError, FeedError):
                self._replies.clear()  # the child's death is told where its messages are read
            finally:
                self._lock.release()

    def send(self, kind: str, payload: memoryview, n: int, sequence: int) -> None:
        """Sends a message with a payload (bytes): the outputs of a model."""
        with self._lock:
            try:
                self._write(memoryview(reply(kind, n=n, sequence=sequence, length=len(payload))))
                self._write(payload)
            except FeedError:  # of a child that reads nothing: a FeedTimeout is an OSError too
                raise
            except (OSError, ValueError):
                self._ended(0)
        self._flush()

    def _write(self, view: memoryview) -> None:
        last = time.monotonic()
        while view:
            done = self._in.write(view)
            if done:
                view, last = view[done:], time.monotonic()
                continue
            self._room.wait(last, self._timeout)  # only where writing does not block
            if self._process.poll() is not None:
                raise BrokenPipeError
            if self._timeout is not None and time.monotonic() - last >= self._timeout:
                self.kill()
                raise FeedTimeout(f"{self.who} read nothing for {self._timeout:g} s; it was killed" + self.lines())

    # The end

    def kill(self) -> None:
        """Ends the child now."""
        if self._process.poll() is None:
            self._process.kill()

    def close(self, patience: float = 2.0) -> None:
        """Orders the child to stop, by closing its standard input; kills it when it has not after ``patience`` seconds."""
        _running.discard(self)
        if self._pid != os.getpid():
            self.abandon()
            return
        for stream in (self._in, self._out):  # a child that waits for room in its standard output must not wait on
            try:
                stream.close()
            except OSError:
                pass
        try:
            self._process.wait(timeout=patience)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._waiter.close()
        self._errors.close()

    def abandon(self) -> None:
        """Closes the pipes that a forked process inherited: the child is its parent's, and must see the parent's death."""
        for stream in (self._in, self._out, self._errors):
            try:
                stream.close()
            except OSError:
                pass
        self._process.returncode = 0  # so that Popen's destructor does not wait for a process that is not ours


_running: "weakref.WeakSet[Child]" = weakref.WeakSet()


def _after_fork() -> None:
    # The fork holds the write end of each child's standard input too; while it does, the child cannot see its parent's death.
    for child in list(_running):
        child.abandon()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Poll:
    """Waits until a stream can be read, or written with ``select.POLLOUT``, in ticks. Unlike ``select.select`` it takes descriptors of 1024
    and more."""

    fired = False

    def __init__(self, stream: IO[bytes], event: Optional[int] = None) -> None:
        self._poll = select.poll()
        self._poll.register(stream.fileno(), select.POLLIN if event is None else event)

    def wait(self, last: float, timeout: Optional[float]) -> bool:
        tick = _TICK if timeout is None else max(0.0, min(_TICK, last + timeout - time.monotonic()))
        return bool(self._poll.poll(tick * 1000 + 1))

    def rest(self) -> None:
        pass

    def ready(self) -> bool:
        return bool(self._poll.poll(0))

    def close(self) -> None:
        pass


class _Watchdog:
    """For Windows, where a pipe cannot be polled: a read blocks, and this thread kills a child that stays silent."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._deadline: Optional[float] = None
        self.fired = False
        self._done = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def wait(self, last: float, timeout: Optional[float]) -> bool:
        self._deadline = None if timeout is None else last + timeout
        return True

    def rest(self) -> None:
        """Nobody waits: the loop may take as long as it likes between two batches."""
        self._deadline = None

    def ready(self) -> bool:
        return False

    def _watch(self) -> None:
        while not self._done.wait(_TICK):
            deadline = self._deadline
            if deadline is not None and time.monotonic() > deadline:
                self.fired = True
                self._process.kill()
                return

    def close(self) -> None:
        self._done.set()


def _enlarge(stream: IO[bytes]) -> None:
    """Asks for a pipe of 1 MiB in place of 64 KiB, for images in it."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(stream.fileno(), 1031, 1 << 20)  # F_SETPIPE_SZ, which Python 3.9 has no name for
        except OSError:
            pass
