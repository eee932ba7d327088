"""Slots and their leases: memory that the child writes again only when no array over it is left.

A lease is a numpy array over a slot's bytes that is never handed out itself. Every array that is, and every view, tensor
or DLPack capsule made of it, holds a reference to the lease; its finalizer gives the slot back.
"""

from __future__ import annotations

import mmap
import os
import sys
import weakref
from typing import List, Set

import numpy as np

from ._child import Child
from ._errors import FeedError
from ._protocol import Header, Hello, check_release, check_slot

__all__ = ["Ring", "available"]


def available() -> bool:
    """Whether this system has memory files that a child can inherit."""
    if not hasattr(os, "memfd_create"):
        return False
    try:
        os.close(os.memfd_create("augmix-feed", os.MFD_CLOEXEC))
    except OSError:
        return False
    return True


class Ring:
    """The slots of a memory file (memfd).

    The file has no name: nothing is left behind, and /dev/shm, often 64 MB in a container, is not used. The child makes
    it as large as it needs; then its size is sealed, so that no child can cut the memory off under an array.
    """

    def __init__(self) -> None:
        self.fd = os.memfd_create("augmix-feed", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        self._slots: List[memoryview] = []
        self._held: Set[int] = set()
        self._broken: List[str] = []

    def open(self, hello: Hello) -> None:
        """Maps what the child has sized."""
        size = hello.slots * hello.slot_bytes
        try:
            have = os.fstat(self.fd).st_size
            if have < size:
                raise FeedError(f"the ring has {have} bytes, {hello.slots} slots of {hello.slot_bytes} need {size}")
            self._seal()
            whole = memoryview(mmap.mmap(self.fd, size))
        except (OSError, ValueError) as err:
            raise FeedError(f"the ring of {size} bytes cannot be mapped: {err}") from err
        finally:
            self.close()
        self._slots = [whole[i * hello.slot_bytes : (i + 1) * hello.slot_bytes] for i in range(hello.slots)]

    def _seal(self) -> None:
        if sys.platform == "linux":
            import fcntl

            try:
                fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            except OSError:
                pass  # a kernel without seals: the child is trusted with the size

    def close(self) -> None:
        """Closes the file; what is mapped stays until the last array is gone."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    @property
    def leased(self) -> int:
        """Slots that arrays are left over."""
        return len(self._held)

    def take(self, child: Child, head: Header, copy: bool) -> np.ndarray:
        """The bytes of the slot that a message announced (uint8, [slot_bytes]), as a lease.

        With ``copy``, and when so many slots are held that the child could run out of them, they are copied and the
        slot is given back at once.

        Raises:
            FeedError: the slot is not what the message says, or one that was given back had been overwritten.
        """
        if head.slot >= len(self._slots):
            raise FeedError(f"{child.who} announced slot {head.slot} of {len(self._slots)}")
        if head.slot in self._held:
            raise FeedError(f"{child.who} announced slot {head.slot}, which it was not given back")
        slot = np.frombuffer(self._slots[head.slot], np.uint8)
        self.check()
        differs = check_slot(slot, head)
        if differs:
            raise FeedError(f"slot {head.slot} was overwritten before it was read: {differs}")
        if copy or len(self._held) >= len(self._slots) - 2:
            copied = slot.copy()
            if not check_release(slot, head.sequence):
                raise FeedError(f"slot {head.slot} was overwritten while it was copied")
            child.give_back(head.slot, head.sequence)
            return copied
        self._held.add(head.slot)
        end = weakref.finalize(slot, self._release, self._slots[head.slot], child, os.getpid(), head.slot, head.sequence)
        end.atexit = False
        return slot

    def _release(self, memory: memoryview, child: Child, pid: int, slot: int, sequence: int) -> None:
        if os.getpid() != pid:
            return  # a forked process drops its copy of the arrays; the slot is still its parent's
        self._held.discard(slot)
        # A finalizer cannot raise: what it finds is told at the next batch.
        if not check_release(np.frombuffer(memory, np.uint8), sequence):
            self._broken.append(f"slot {slot} was overwritten while arrays over it were in use (message {sequence})")
        child.give_back(slot, sequence)

    def check(self) -> None:
        """Raises FeedError if a slot that was given back had been overwritten while it was leased."""
        if self._broken:
            raise FeedError(self._broken.pop())
