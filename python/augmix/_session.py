"""One run of the child: it is started, says hello, and its messages become events."""

from __future__ import annotations

import numbers
import os
import warnings
import zlib
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._binary import Binary, find
from ._child import Child
from ._command import count
from ._errors import FeedError, FeedWarning, printable
from ._pipe import Pipe
from ._protocol import GUARD, HEADER, Header, Hello, object_of
from ._ring import Ring, available

__all__ = ["Event", "Session", "Settings"]

_WARNINGS = 10
"""Refused samples that are shown one by one; the end of the epoch tells their number."""


@dataclass(frozen=True)
class Settings:
    """How a child is run, whatever it is asked for."""

    binary: Optional[Binary]
    transport: str
    slots: Optional[int]
    checksum: bool
    copy: bool
    timeout: Optional[float]

    def check(self) -> None:
        """Raises FeedError for what cannot be."""
        if self.transport not in ("auto", "ring", "pipe"):
            raise FeedError(f"transport is {self.transport!r}; it can be auto, ring or pipe")
        if self.slots is not None:
            count(self.slots, f"slots is {self.slots!r}; it is a number from 1 on", 1)
        if self.timeout is not None and not (isinstance(self.timeout, numbers.Real) and self.timeout > 0):
            raise FeedError(f"timeout is {self.timeout!r}; it is a number of seconds, or None for no limit")


@dataclass
class Event:
    """A message that concerns the caller: kind B, E, R or Z. Arrays only for B."""

    kind: str
    head: Header
    body: Mapping[str, Any]
    slot: Optional[np.ndarray] = None


class Session:
    """A running child and its transport.

    Args:
        settings: how to run it.
        arguments: flags behind ``augmix feed``.
        data: the data set's path.
    """

    def __init__(self, settings: Settings, arguments: List[str], data: str) -> None:
        self._settings = settings
        self.refused = 0
        command = find(settings.binary)
        remote = len(command) > 1
        if remote and settings.transport == "ring":
            raise FeedError("a command of several words (such as ssh) is fed through a pipe: transport can be auto or pipe")
        self._memory: Union[Ring, Pipe] = self._transport(remote)
        line = [*command, "feed", *self._flags(), *arguments, "--", data]
        if remote and os.path.basename(command[0]) in ("ssh", "ssh.exe"):
            line = [*command, *_quoted(line[len(command):])]
        try:
            self.child = Child(line, self._memory.fd if self._memory.fd >= 0 else None, settings.timeout, detach=not remote)
            try:
                self.hello = self._greeting()
                self._memory.open(self.hello)
            except BaseException:
                self.child.kill()
                self.child.close()
                raise
        finally:
            self._memory.close()

    def _transport(self, remote: bool) -> Union[Ring, Pipe]:
        wanted = self._settings.transport
        if wanted == "pipe" or remote:
            return Pipe()
        if available():
            return Ring()
        if wanted == "ring":
            raise FeedError("this system has no memory files (memfd): transport can be auto or pipe")
        return Pipe()

    def _flags(self) -> List[str]:
        said = []
        if self._memory.fd >= 0:
            said.append(f"--ring-fd={self._memory.fd}")
        if self._settings.slots is not None:
            said.append(f"--slots={self._settings.slots}")
        if self._settings.checksum:
            said.append("--checksum")
        return said

    def _greeting(self) -> Hello:
        while True:
            head, body = self._message()
            if head.kind == "H":
                hello = Hello.parse(body)
                if (hello.transport == "ring") != isinstance(self._memory, Ring):
                    raise FeedError(f"{self.child.who} uses the transport {hello.transport}, which was not asked for")
                return hello
            if head.kind not in "SW":
                raise FeedError(f"{self.child.who} began with a message of kind {head.kind!r} instead of its hello")

    def _message(self) -> Tuple[Header, bytes]:
        """The next message that is not an error; refused samples become warnings on the way."""
        head, body = self.child.message()
        if head.payload and head.kind != "B":
            raise FeedError(f"a message of kind {head.kind!r} of {self.child.who} has a payload")
        if head.kind == "X":
            said = object_of(body)
            raise FeedError(printable(str(said.get("message", "the child failed without a word"))), str(said.get("code", "internal")))
        if head.kind == "W":
            self._warn(object_of(body))
        return head, body

    def _warn(self, said: Mapping[str, Any]) -> None:
        self.refused += 1
        if self.refused <= _WARNINGS:
            where = said.get("file") or said.get("key") or "a sample"
            warnings.warn(printable(f"{where}: {said.get('reason', 'refused')}"), FeedWarning, stacklevel=5)
        elif self.refused == _WARNINGS + 1:
            warnings.warn("more samples were refused; feed.refused counts them", FeedWarning, stacklevel=5)

    def event(self) -> Event:
        """Waits for the next message that concerns the caller.

        Raises:
            FeedError, FeedTimeout: the session is over; close it.
        """
        self._memory.check()
        while True:
            head, body = self._message()
            if head.kind == "B":
                return self._batch(head, body)
            if head.kind in "ERZ":
                return Event(head.kind, head, object_of(body))
            if head.kind not in "SW":
                raise FeedError(f"{self.child.who} sent a message of kind {head.kind!r}, which this version does not know")

    def _batch(self, head: Header, body: bytes) -> Event:
        if head.n > self.hello.batch:
            raise FeedError(f"{self.child.who} announced {head.n} samples in batches of {self.hello.batch}")
        slot = self._memory.take(self.child, head, self._settings.copy)
        if self._settings.checksum and zlib.crc32(slot[HEADER:-GUARD].data) != head.checksum:
            raise FeedError(f"batch {head.batch} of epoch {head.epoch} is damaged: its checksum differs")
        return Event("B", head, object_of(body), slot)

    def arrays(self, event: Event) -> "dict[str, np.ndarray]":
        """The arrays of a batch by name, as views of its slot."""
        assert event.slot is not None
        return {field.name: field.array(event.slot, event.head.n) for field in self.hello.fields}

    def close(self, now: bool = False) -> None:
        """Ends the child. Arrays stay valid."""
        if now:
            self.child.kill()
        self.child.close()


def _quoted(words: List[str]) -> List[str]:
    """ssh joins its arguments by spaces and gives them to a shell."""
    import shlex

    return [shlex.quote(word) for word in words]
