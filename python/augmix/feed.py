"""Batches for a training loop."""

from __future__ import annotations

import mmap
import os
import struct
import sys
import warnings
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ._binary import Binary
from ._command import count, data_argument, flags
from ._errors import FeedError, FeedWarning, printable
from ._protocol import Hello
from ._ranks import cores, place
from ._session import Event, Session, Settings
from .batch import Batch

__all__ = ["Feed"]

_STATE = 1

_MARKED = ("this feed is read in a DataLoader worker, whose position is not known here: use num_workers=0 (the child works in parallel "
           "itself)")


class Feed:
    """An endless sequence of epochs of augmented batches, made by ``augmix feed`` in a child process.

    A feed is an iterator: a ``for`` loop over it is one epoch, the next loop the next epoch. It is an iterable data set
    too: ``torch.utils.data.DataLoader(feed, batch_size=None)`` takes it as it is. A loop that was left by ``break`` resumes
    where it was; ``set_epoch`` begins another epoch. A DataLoader with a worker throws away what that has made ahead: there the
    loop behind one that was left within its epoch is an error, unless ``set_epoch`` was called.

    The child starts when the first batch, ``len`` or ``classes`` is asked for, in the process that asks. It ends with
    ``close``, with the process, or with the last of the feed's references.

    Args:
        data: path of a data set, whatever ``augmix list formats`` lists.
        mix: method, such as ``"augmix-m3-w3-d-1"`` (``augmix list mixes``).
        size: first resize the shorter side to so many pixels.
        crop: then crop: ``"224"``, ``"random:224"``, ``"pad4:32"``, ``"rrc:224"``.
        flip: then flip horizontally with probability one half.
        views: images of each sample; from 2 on the first is the clean one, the others are mixed.
        batch: samples of a batch.
        dtype: ``"uint8"``, or normalized ``"float32"``, ``"float16"``, ``"bfloat16"``.
        seed: of every random choice.
        epochs: end behind the last of so many, counted from epoch 0 (default: never).
        rank, world_size: which part of each epoch is this process's. Default: torch.distributed where it is initialized,
            else the variables of torchrun, SLURM's srun or Open MPI, else all of it. Do not shard a feed once more.
        workers: cores that the child uses. Default: all, divided by LOCAL_WORLD_SIZE.
        fields: the arrays that unpacking a batch gives; text is one of them. Default: images, and labels or targets.
        binary: the program's path, or a command such as ``["ssh", "host", "augmix"]``. Default: AUGMIX_BIN, the one in this
            package, or the one in PATH.
        transport: ``"ring"`` (shared memory, Linux), ``"pipe"``, or ``"auto"``.
        slots: batches that the child makes ahead.
        checksum: compute and compare a checksum of every batch.
        copy: give each batch memory of its own, for loops that keep many.
        timeout: seconds without a sign of life from the child before it is killed; None waits forever.
        options: every other flag of ``augmix feed``: ``on_error="skip"`` is ``--on-error=skip``.

    Raises:
        FeedError: the options cannot be. What the child refuses is raised when it starts.
    """

    def __init__(
        self, data: Any, *, mix: Optional[str] = None, size: Optional[int] = None, crop: Any = None,
        flip: Optional[bool] = None, views: Optional[int] = None, batch: Optional[int] = None, dtype: Optional[str] = None,
        seed: Optional[int] = None, epochs: Optional[int] = None, rank: Optional[int] = None,
        world_size: Optional[int] = None, workers: Optional[int] = None, fields: Optional[Sequence[str]] = None,
        binary: Optional[Binary] = None, transport: str = "auto", slots: Optional[int] = None, checksum: bool = False,
        copy: bool = False, timeout: Optional[float] = 60.0, **options: Any,
    ) -> None:
        given = dict(mix=mix, size=size, crop=crop, flip=flip, views=views, batch=batch, dtype=dtype, seed=seed,
                     epochs=epochs, **options)
        for name in ("ring_fd", "from", "from_"):
            if name in options:
                raise FeedError(f"{name} is the feed's own; use set_epoch or load_state_dict")
        if "progress" in options:
            raise FeedError("progress is for a terminal, which the child does not have; count the batches: len(feed) is their number")
        flags(given)  # what cannot be on a command line is found here, not in the first epoch
        if (rank is None) != (world_size is None):
            raise FeedError("rank and world_size go together")
        if rank is not None:
            rank = count(rank, f"rank is {rank!r}; it is an int from 0 on")
            world_size = count(world_size, f"world_size is {world_size!r}; it is an int from 1 on", 1)
            place(rank, world_size)
        settings = Settings(binary, transport, slots, checksum, copy, timeout)
        settings.check()
        self._config: Dict[str, Any] = dict(
            data=data_argument(data), given=given, rank=rank, world_size=world_size, workers=workers,
            fields=(fields,) if isinstance(fields, str) else tuple(fields) if fields is not None else None, settings=settings)
        self._reset(0, 0, None, True)

    def _reset(self, epoch: int, position: int, fingerprint: Optional[str], strict: bool) -> None:
        self._epoch, self._position = epoch, position
        self._fingerprint, self._strict = fingerprint, strict
        self._hello: Optional[Hello] = None
        self._session: Optional[Session] = None
        self._pid = os.getpid()
        self._refused = 0
        self._next = (0, 0)  # epoch and number of the batch that the child sends next
        self._end = False  # the last batch of an epoch was handed out, its end not yet read
        self._skip_end = False
        self._done = False  # all epochs are
        self._empty = False  # the loop has had no batch yet
        self._spawned = self._repeats = False
        self._elsewhere = False  # a spawned process got a copy, and no batch was handed out here since
        self._lost = False  # in a DataLoader worker: batches of the epoch were, with the loop before this one
        self._shared = _Page()

    # Iterating

    def __iter__(self) -> Iterator[Batch]:
        self._follow_shared()
        self._follow_place()
        # A loop that ended by break behind the last batch has not seen the end of its epoch: the next must not take it for its own.
        self._skip_end = self._end
        self._empty = True
        return self

    def __next__(self) -> Batch:
        if self._done and self._pid == os.getpid():
            self._over()
            raise StopIteration
        self._check_position()
        self._follow_place()
        session = self._start()
        try:
            while True:
                event = session.event()
                if event.kind == "B":
                    return self._batch(session, event)
                if event.kind == "E":
                    self._ended(session, event)
                    if self._skip_end:
                        self._skip_end = False
                        continue
                    raise StopIteration
                if event.kind == "Z":
                    self._done = True
                    self.close()
                    self._over()
                    raise StopIteration
                raise FeedError(f"a feed for training sent a message of kind {event.kind!r}")
        except StopIteration:
            raise
        except BaseException:
            # Also Ctrl-C: half a message may have been read, so the child is of no more use. The position stays.
            self._drop(now=True)
            raise

    def _over(self) -> None:
        """Says of a loop without a batch, once each, that the one before it has had the last."""
        self._tell()  # the worker behind this one finds no epoch that was left
        if self._empty:
            self._empty = False
            warnings.warn("all epochs were handed out: a loop over the feed has no batches (set_epoch(0) begins again)", FeedWarning,
                          stacklevel=3)

    def _batch(self, session: Session, event: Event) -> Batch:
        head, hello = event.head, session.hello
        if (head.epoch, head.batch) != self._next:
            raise FeedError(f"batch {head.batch} of epoch {head.epoch} came in place of batch {self._next[1]} of epoch {self._next[0]}")
        arrays = session.arrays(event)
        fields = self._config["fields"]
        unknown = [name for name in fields or () if name not in arrays]
        if unknown:
            raise FeedError(f"fields names {unknown[0]!r}; the batches have {', '.join(arrays)}")
        batch = Batch.of(arrays, fields, head.epoch, head.batch, hello.views)
        self._elsewhere = self._empty = False
        self._next = (head.epoch, head.batch + 1)
        self._epoch, self._position = head.epoch, (head.batch + 1) * hello.batch * hello.world_size
        if head.batch + 1 >= hello.batches >= 0:
            # From here on a state means the next epoch: one that is resumed must neither repeat nor skip one.
            self._epoch, self._position, self._end = head.epoch + 1, 0, True
            self._tell()  # now, as a worker may be ended before it reads on
        self._refused = session.refused
        return batch

    def _ended(self, session: Session, event: Event) -> None:
        self._end = False
        self._next = (event.head.epoch + 1, 0)
        self._epoch, self._position = self._next
        self._refused = session.refused
        self._tell()

    def _tell(self) -> None:
        """Tells the next DataLoader worker which epoch comes. What was forked otherwise has epochs of its own."""
        if _worker() is not None or self._shared.own():
            self._shared.write(self._epoch)

    # Position

    @property
    def epoch(self) -> int:
        """The epoch of the next batch, counted from 0."""
        return self._epoch

    @property
    def position(self) -> int:
        """Samples of the epoch that all ranks together have consumed."""
        return self._position

    def set_epoch(self, epoch: int) -> None:
        """Goes to the beginning of an epoch, unless the feed is in it already."""
        epoch = count(epoch, f"epoch is {epoch!r}; epochs are counted from 0")
        self._shared.write(epoch)
        self._spawned = self._elsewhere = False
        if epoch != self._epoch:
            self._drop()
            self._epoch, self._position = epoch, 0

    def state_dict(self) -> Dict[str, Any]:
        """Where the feed is, as plain numbers and text: JSON, ``torch.save`` and torchdata's StatefulDataLoader take it.

        A batch is counted when it is handed out. All ranks have the same state.
        """
        if self._shared.marked() or self._elsewhere:
            raise FeedError(f"{_MARKED}, or torchdata's StatefulDataLoader")
        fingerprint = self._hello.fingerprint if self._hello else self._fingerprint
        if fingerprint is None:  # nothing was read yet: the child knows it
            fingerprint = self._greeting().fingerprint
        return {"version": _STATE, "fingerprint": fingerprint, "epoch": self._epoch, "position": self._position}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Goes to where another feed was, of this world size or another.

        Args:
            state: what ``state_dict`` returned.
            strict: refuse a state of other data or options, when the child starts.

        Raises:
            FeedError: this is no state, or one of a later version.
        """
        try:
            version, epoch, position = state["version"], state["epoch"], state["position"]
            fingerprint = state["fingerprint"]
        except (KeyError, TypeError):
            raise FeedError("this is no state of a feed: it needs version, fingerprint, epoch and position") from None
        if version != _STATE:
            raise FeedError(f"this state has version {version!r}, this package knows {_STATE}")
        epoch, position = count(epoch, f"this state's epoch is {epoch!r}"), count(position, f"this state's position is {position!r}")
        self._drop()
        self._reset(epoch, position, fingerprint, strict)

    # What is known of the data

    @property
    def info(self) -> Mapping[str, Any]:
        """The child's hello, as docs/feed.md lists it; starts the child."""
        return self._greeting().raw

    def __len__(self) -> int:
        """Batches of an epoch, of this rank; starts the child.

        Raises:
            TypeError: the data can only be read from front to end, and nobody knows.
        """
        batches = self._greeting().batches
        if batches < 0:
            raise TypeError("this feed has no length: its data is read from front to end")
        return batches

    @property
    def classes(self) -> Optional[Tuple[str, ...]]:
        """Names of the classes, or None where the data has none; starts the child."""
        return self._greeting().classes

    @property
    def samples(self) -> int:
        """Samples of the data set, -1 where it can only be read from front to end; starts the child."""
        return self._greeting().samples

    @property
    def forms(self) -> List[Dict[str, Any]]:
        """With ``corrupt=`` or ``perturb=``: name, severity and frame of each image along the first axis; starts the child."""
        return list(self._greeting().raw.get("forms") or [])

    @property
    def refused(self) -> int:
        """Samples that were refused since the child started (``on_error="skip"``)."""
        return self._refused

    def _greeting(self) -> Hello:
        self._follow_place()
        if self._hello is None:
            self._start()
        assert self._hello is not None
        return self._hello

    # The child

    def _start(self) -> Session:
        """The running child, which is started where there is none in this process."""
        if self._pid != os.getpid():
            self._forget()
        if self._session is not None:
            return self._session
        self._check_worker()
        config = self._config
        rank, world_size = place(config["rank"], config["world_size"])
        session = Session(config["settings"], self._arguments(rank, world_size), config["data"])
        try:
            self._check(session.hello, rank, world_size)
        except BaseException:
            session.close(now=True)
            raise
        hello = session.hello
        self._epoch, self._position = hello.epoch, hello.position
        self._session, self._hello, self._end, self._skip_end = session, hello, False, False
        self._next = (hello.epoch, hello.position // (hello.batch * hello.world_size))
        return session

    def _arguments(self, rank: int, world_size: int) -> List[str]:
        config = self._config
        own: Dict[str, Any] = {"workers": config["workers"] if config["workers"] is not None else cores()}
        if world_size > 1:
            own.update(rank=rank, world_size=world_size)
        if self._epoch or self._position:
            own["from"] = f"{self._epoch}:{self._position}"
        return flags(config["given"]) + flags(own)

    def _check(self, hello: Hello, rank: int, world_size: int) -> None:
        if hello.raw.get("outputs"):  # it would send a few batches and wait for the outputs of a model
            raise FeedError("the options ask for an evaluation (suite): that is augmix.evaluate or augmix.Evaluation, not a Feed")
        if (hello.rank, hello.world_size) != (rank, world_size):
            raise FeedError(f"the child is rank {hello.rank} of {hello.world_size}, not {rank} of {world_size}")
        if self._strict and self._fingerprint is not None and hello.fingerprint != self._fingerprint:
            raise FeedError(
                f"the state is of other data or other options (fingerprint {printable(str(self._fingerprint))[:16]}, here "
                f"{printable(hello.fingerprint)[:16]}): use those it was saved with, or load_state_dict(state, strict=False)")
        # A position at the end of an epoch is the beginning of the next.
        if (hello.epoch, hello.position) not in ((self._epoch, self._position), (self._epoch + 1, 0)):
            raise FeedError(f"the child starts at epoch {hello.epoch}, position {hello.position}, not at {self._epoch}, {self._position}")
        step = hello.batch * hello.world_size
        if hello.position % step:
            raise FeedError(
                f"position {hello.position} is no multiple of batch times world size ({hello.batch} x {hello.world_size}): "
                "resume with numbers that divide it")

    def _check_worker(self) -> None:
        worker = _worker()
        if worker is not None and worker.num_workers > 1:
            raise FeedError(
                f"DataLoader(num_workers={worker.num_workers}): every worker would make all batches; a feed works in parallel "
                "itself, so use num_workers=0 (or 1)")
        if worker is not None and self._repeats:
            raise FeedError(
                "this DataLoader starts a new worker for each epoch, which would make the first one again: use num_workers=0, "
                "persistent_workers=True, or feed.set_epoch(epoch) before each epoch")

    def _check_position(self) -> None:
        """Raises FeedError where the next batch is not known. Not in __iter__, of which a DataLoader worker that persists would die."""
        if self._lost:
            self._check_worker()
            raise FeedError(
                "the loop before this one was left within its epoch, and what its DataLoader worker had made ahead is lost: "
                "use num_workers=0, or feed.set_epoch(epoch) before each loop")
        if self._shared.marked():
            raise FeedError(f"{_MARKED}, or feed.set_epoch(epoch) to begin an epoch here")

    def _follow_shared(self) -> None:
        """In a DataLoader worker: the epoch that the worker before this one, or set_epoch in the main process, has set."""
        if _worker() is None:
            return
        self._shared.mark()
        left = self._lost or (self._pid == os.getpid() and self._position > 0 and not self._empty)
        self._lost = not self._shared.begin(left)
        epoch = self._shared.read()
        if epoch is not None and (epoch != self._epoch or left):
            self._drop()
            self._epoch, self._position = epoch, 0

    def _follow_place(self) -> None:
        """Forgets a child that was started for another rank or world size, as before torch.distributed was initialized.

        A copy of the feed may know that child's hello without having one. The next child goes on where this one was.
        """
        if self._pid != os.getpid():
            self._forget()
        if self._hello is None or (self._hello.rank, self._hello.world_size) == place(self._config["rank"], self._config["world_size"]):
            return
        if self._fingerprint is None:  # which is the same for all ranks
            self._fingerprint = self._hello.fingerprint
        self._hello = None
        self.close()

    def _drop(self, now: bool = False) -> None:
        session, self._session = self._session, None
        self._end = self._skip_end = self._done = False
        if session is not None:
            session.close(now)

    def _forget(self) -> None:
        """In a forked process: the child is the parent's."""
        session, self._session = self._session, None
        self._pid = os.getpid()
        self._done = False
        if session is not None:
            session.child.abandon()

    def close(self) -> None:
        """Ends the child. Arrays that are in use stay valid, and the next batch starts another child."""
        done = self._done
        if self._pid == os.getpid():
            self._drop()
        self._done = done

    def __enter__(self) -> "Feed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_session", None) is not None:
            self.close()

    def __repr__(self) -> str:
        return f"Feed({self._config['data']!r}, epoch={self._epoch}, position={self._position})"

    # Other processes and PyTorch

    def __reduce__(self) -> Tuple[Any, ...]:
        """A feed is pickled as its options and its position; the copy starts a child of its own."""
        config = dict(self._config)
        if config["rank"] is None:
            from ._ranks import distributed

            found = distributed()
            if found is not None:  # the other process may be a DataLoader worker, which does not know
                config["rank"], config["world_size"] = found
        repeats = self._spawned
        if _spawning():
            self._spawned = self._elsewhere = True
        fingerprint = self._hello.fingerprint if self._hello else self._fingerprint
        return _restore, (type(self), config, self._epoch, self._position, fingerprint, self._strict, self._hello, repeats)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        # DataLoader asks isinstance(dataset, IterableDataset), which looks here after type(dataset). Inheriting from it
        # would need torch.
        data = sys.modules.get("torch.utils.data")
        return getattr(data, "IterableDataset", None) or type(self)


def _restore(cls: Any, config: Dict[str, Any], epoch: int, position: int, fingerprint: Optional[str], strict: bool,
             hello: Optional[Hello], repeats: bool) -> Feed:
    feed: Feed = cls.__new__(cls)
    feed._config = config
    feed._reset(epoch, position, fingerprint, strict)
    feed._hello, feed._repeats = hello, repeats
    return feed


def _worker() -> Any:
    """What PyTorch says of the DataLoader worker that this process is, or None."""
    data = sys.modules.get("torch.utils.data")
    return data.get_worker_info() if data is not None and hasattr(data, "get_worker_info") else None


def _spawning() -> bool:
    context = sys.modules.get("multiprocessing.context")
    return context is not None and context.get_spawning_popen() is not None


class _Page:
    """The next epoch, in memory that a forked DataLoader worker shares with the main process.

    A DataLoader without persistent workers forks one for each epoch, from a main process whose feed has not moved. Beside the epoch, -1
    where none was set, stands whether a worker reads the feed, and which process has begun that epoch, 0 for none.
    """

    _pack = struct.Struct("<qqq")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self._pack.size)
        self._pid = os.getpid()
        self._memory[:] = self._pack.pack(-1, 0, 0)

    def own(self) -> bool:
        """Whether it is of this process."""
        return os.getpid() == self._pid

    def write(self, epoch: int) -> None:
        self._memory[:] = self._pack.pack(epoch, int(_worker() is not None and not self.own()), 0)

    def mark(self) -> None:
        """Says that a worker reads the feed: from now on the main process does not know where it is."""
        if not self.own():
            epoch, _, begun = self._pack.unpack(self._memory[:])
            self._memory[:] = self._pack.pack(epoch, 1, begun)

    def begin(self, left: bool) -> bool:
        """Begins the epoch; False where it was begun and has not come to its end: by another worker, or by this one, whose loop was
        left within it."""
        epoch, marked, begun = self._pack.unpack(self._memory[:])
        if begun and (left or begun != os.getpid()):
            return False
        self._memory[:] = self._pack.pack(epoch, marked, os.getpid())
        return True

    def read(self) -> Optional[int]:
        epoch = self._pack.unpack(self._memory[:])[0]
        return None if epoch < 0 else int(epoch)

    def marked(self) -> bool:
        return self.own() and bool(self._pack.unpack(self._memory[:])[1])
