"""The transport of systems without memory files, and of other machines: slots that follow their messages in the pipe."""

from __future__ import annotations

import mmap
import os
import weakref
from typing import List

import numpy as np

from ._child import Child
from ._errors import FeedError
from ._protocol import Header, Hello, check_slot

__all__ = ["Pipe"]


class Pipe:
    """Reads slots into buffers, which are used again when no array over them is left."""

    leased = 0
    fd = -1

    def __init__(self) -> None:
        self._size = self._keep = 0
        self._free: List[mmap.mmap] = []

    def open(self, hello: Hello) -> None:
        """Takes the sizes from the hello."""
        self._size, self._keep = hello.slot_bytes, hello.slots

    def close(self) -> None:
        """Nothing is open here."""

    def take(self, child: Child, head: Header, copy: bool) -> np.ndarray:
        """The slot that follows a message (uint8, [slot_bytes]). It is always this process's own.

        Raises:
            FeedError: the slot is not what the message says.
        """
        if head.payload != self._size:
            raise FeedError(f"{child.who} announced a slot of {head.payload} bytes instead of {self._size}")
        memory = self._free.pop() if self._free else _private(self._size)
        child.read_into(memoryview(memory))
        slot = np.frombuffer(memory, np.uint8)
        differs = check_slot(slot, head)
        if differs:
            raise FeedError(f"a slot is damaged: {differs}")
        if not copy:
            weakref.finalize(slot, self._release, memory).atexit = False
        return slot

    def _release(self, memory: mmap.mmap) -> None:
        if len(self._free) < self._keep:
            self._free.append(memory)

    def check(self) -> None:
        """Nobody else writes to these buffers."""


def _private(size: int) -> mmap.mmap:
    """Memory that begins at a page: JAX takes arrays without a copy where they begin at multiples of 64."""
    if os.name == "posix":
        return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return mmap.mmap(-1, size)
