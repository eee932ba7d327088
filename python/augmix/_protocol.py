"""Protocol 1 of ``augmix feed``: headers, their checks, and the hello. docs/feed.md describes it.

Everything that comes from the child is checked here before it is used: lengths before memory is taken, shapes against
the size of a slot.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

import numpy as np

from ._errors import FeedError, printable

__all__ = ["VERSION", "HEADER", "GUARD", "Field", "Header", "Hello", "header", "check_body", "object_of", "reply", "check_slot"]

VERSION = 1
HEADER = 64
"""Bytes of the header of a message, and of a slot."""
GUARD = 8
"""Bytes of the guard at the end of a slot."""

_MESSAGE = struct.Struct("<4sHBBIIQQQQQII")
_SLOT = struct.Struct("<4sHHIIQQQ")
_REPLY = struct.Struct("<4sHBBIIQQ")
_U64 = struct.Struct("<Q")

_MAX_BODY = 16 << 20
_MAX_SLOTS = 1 << 16
_MAX_RING = 1 << 42  # 4 TiB: far above any machine's memory, far below what overflows
_DTYPES = {"uint8": "<u1", "int64": "<i8", "float32": "<f4", "float16": "<f2", "bfloat16": "<u2"}


@dataclass(frozen=True)
class Header:
    """The header of a message of the child."""

    kind: str
    slot: int
    n: int
    epoch: int
    batch: int
    sequence: int
    body: int
    payload: int
    checksum: int


@dataclass(frozen=True)
class Field:
    """One array of a slot.

    Attributes:
        name: ``images``, ``labels``, ``targets`` or ``index``, or another that a later version has.
        dtype: the name in the protocol; ``bfloat16`` is read as the 16 bits that it is, as ``uint16``.
        shape: of a full batch.
        axis: the axis whose length is the number of samples.
        offset: in the slot, in bytes.
    """

    name: str
    dtype: str
    shape: Tuple[int, ...]
    axis: int
    offset: int
    _numpy: np.dtype

    def array(self, slot: np.ndarray, n: int) -> np.ndarray:
        """The array of a batch of n samples, as a view of the slot's bytes (uint8, [slot_bytes])."""
        shape = self.shape[: self.axis] + (n,) + self.shape[self.axis + 1 :]
        count = 1
        for length in shape:
            count *= length
        return slot[self.offset : self.offset + count * self._numpy.itemsize].view(self._numpy).reshape(shape)


@dataclass(frozen=True)
class Hello:
    """What the child says first; ``raw`` is all of it. Samples and batches are -1 where the data is read front to end."""

    transport: str
    slots: int
    slot_bytes: int
    fields: Tuple[Field, ...]
    samples: int
    batches: int
    batch: int
    rank: int
    world_size: int
    views: int
    epoch: int
    position: int
    classes: Optional[Tuple[str, ...]]
    fingerprint: str
    version: str
    raw: Mapping[str, Any]

    @classmethod
    def parse(cls, body: bytes) -> "Hello":
        """Reads the hello and refuses one that does not hold together."""
        raw = object_of(body)
        try:
            classes = raw.get("classes")
            hello = cls(
                transport=_text(raw, "transport"), slots=_whole(raw, "slots", 1, _MAX_SLOTS),
                slot_bytes=_whole(raw, "slot_bytes", HEADER + GUARD, _MAX_RING),
                fields=tuple(_field(f) for f in raw["fields"]),
                samples=_whole(raw, "samples", -1), batches=_whole(raw, "batches", -1), batch=_whole(raw, "batch", 1),
                rank=_whole(raw, "rank"), world_size=_whole(raw, "world_size", 1),
                views=_whole(raw, "views", 1), epoch=_whole(raw, "epoch"), position=_whole(raw, "position"),
                classes=tuple(str(c) for c in classes) if classes is not None else None,
                fingerprint=_text(raw, "fingerprint"), version=str(raw.get("version", "")), raw=raw)
            hello._check()
            return hello
        except (KeyError, TypeError, ValueError, AttributeError) as err:
            raise FeedError(f"the child's hello is not valid: {printable(str(err))}") from err

    def _check(self) -> None:
        if self.transport not in ("ring", "pipe"):
            raise ValueError(f"transport {self.transport!r}")
        if self.slot_bytes % 4096 != 0 or self.slots * self.slot_bytes > _MAX_RING:
            raise ValueError(f"{self.slots} slots of {self.slot_bytes} bytes")
        if len({f.name for f in self.fields}) != len(self.fields) or not any(f.name == "images" for f in self.fields):
            raise ValueError("fields without images, or two of one name")
        for f in self.fields:
            count = 1
            for length in f.shape:
                count *= length
            end = f.offset + count * f._numpy.itemsize
            if f.offset < HEADER or f.offset % 64 != 0 or end > self.slot_bytes - GUARD:
                raise ValueError(f"field {f.name} from {f.offset} to {end} in a slot of {self.slot_bytes} bytes")
            if f.shape[f.axis] != self.batch:
                raise ValueError(f"field {f.name} of shape {list(f.shape)} for batches of {self.batch}")


def _whole(raw: Mapping[str, Any], name: str, low: int = 0, high: int = 1 << 63) -> int:
    value = raw[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}")
    return value


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} is {value!r}")
    return value


def _field(raw: Mapping[str, Any]) -> Field:
    name, dtype = _text(raw, "name"), _text(raw, "dtype")
    if dtype not in _DTYPES:
        raise ValueError(f"field {name} has the dtype {dtype!r}")
    shape = tuple(_whole({"shape": s}, "shape", 0, 1 << 40) for s in raw["shape"])
    axis = _whole(raw, "axis", 0, len(shape) - 1)
    return Field(name, dtype, shape, axis, _whole(raw, "offset"), np.dtype(_DTYPES[dtype]))


def header(raw: bytes, sequence: int, who: str) -> Header:
    """Reads a header of 64 bytes.

    Args:
        raw: the bytes.
        sequence: the number that the message must have.
        who: the command, for the error.
    """
    magic, version, kind, flags, slot, n, epoch, batch, number, body, payload, checksum, _ = _MESSAGE.unpack(raw)
    if magic != b"AMXF":
        raise FeedError(
            f"{who} does not speak the protocol of the feed: it wrote {raw[:48]!r}; "
            "nothing else may write to its standard output (with ssh: a login script that prints)")
    if version != VERSION:
        raise FeedError(
            f"{who} speaks version {version} of the feed's protocol, this Python package version {VERSION}: "
            "install the package and the program of one release (pip install --upgrade augmix), or name another program "
            "with binary= or AUGMIX_BIN")
    if body > _MAX_BODY:
        raise FeedError(f"a message of {who} announces {body} bytes of JSON, more than {_MAX_BODY}")
    if number != sequence:
        raise FeedError(f"a message of {who} has the number {number} instead of {sequence}: messages were lost")
    if flags != 0:
        raise FeedError(f"a message of {who} has the flags {flags}, which version {VERSION} does not know")
    return Header(chr(kind), slot, n, epoch, batch, number, body, payload, checksum)


def check_body(raw: bytes, body: bytes, who: str) -> None:
    """Compares the check of a header with the bytes that it is of."""
    if zlib.crc32(body, zlib.crc32(raw[:60])) != int.from_bytes(raw[60:64], "little"):
        raise FeedError(f"a message of {who} is damaged: its checksum differs")


def object_of(body: bytes) -> Mapping[str, Any]:
    """The JSON object of a message; an empty body is an empty object."""
    if not body:
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise FeedError(f"a message of the child is not JSON: {printable(str(err))}") from None
    if not isinstance(value, dict):
        raise FeedError("a message of the child is not a JSON object")
    return value


def reply(kind: str, slot: int = 0, n: int = 0, sequence: int = 0, length: int = 0) -> bytes:
    """The header of a message of the parent: kinds F, L and T."""
    return _REPLY.pack(b"AMXP", VERSION, ord(kind), 0, slot, n, sequence, length)


def check_slot(slot: np.ndarray, head: Header) -> Optional[str]:
    """Compares header and guard of a slot (uint8, [slot_bytes]) with the message that announced it.

    Returns:
        What differs, or None.
    """
    magic, version, _, number, n, epoch, batch, sequence = _SLOT.unpack(slot[: _SLOT.size].tobytes())
    for what, found, wanted in (
        ("magic", magic, b"AMXS"), ("version", version, VERSION), ("slot", number, head.slot), ("n", n, head.n),
        ("epoch", epoch, head.epoch), ("batch", batch, head.batch), ("sequence", sequence, head.sequence),
        ("guard", guard(slot), head.sequence),
    ):
        if found != wanted:
            return f"{what} is {found!r} instead of {wanted!r}"
    return None


def check_release(slot: np.ndarray, sequence: int) -> bool:
    """Whether header and guard of a slot still have the sequence that it was taken with."""
    return _U64.unpack_from(slot[32:40].tobytes())[0] == sequence and guard(slot) == sequence


def guard(slot: np.ndarray) -> int:
    """The last 8 bytes of a slot."""
    return int(_U64.unpack(slot[-GUARD:].tobytes())[0])
