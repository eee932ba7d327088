"""Names of a model's outputs as the file that augmix reads."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import contextmanager
from typing import Any, Iterable, Iterator, List, Optional

from ._binary import Binary, find
from ._errors import FeedError

__all__ = ["ClassNames", "names_file"]

ClassNames = Any
"""None, the path of a file with a name a line, or the names themselves."""


@contextmanager
def names_file(names: ClassNames, out: Any, binary: Optional[Binary]) -> Iterator[Any]:
    """The path that stands for names as long as the child starts.

    A list becomes a file. With out it stays there, called after what is in it: args.yaml names it, and the same call resumes. What was
    newly made goes again where the child does not start.
    """
    if names is None or isinstance(names, (str, os.PathLike)):
        yield names
        return
    text = _text(names)
    if len(find(binary)) > 1 or "://" in str(out or ""):
        raise FeedError("class_names is a list, and the program or out is on another machine: write the names to a file there, a name a "
                        "line, and give its path")
    if out is None:
        with tempfile.TemporaryDirectory(prefix="augmix-") as folder:
            yield _write(folder, text)
        return
    made = not os.path.isdir(out)
    os.makedirs(out, exist_ok=True)
    known = set(os.listdir(out))
    path = _write(os.fspath(out), text)
    try:
        yield path
    except BaseException:
        if os.path.basename(path) not in known:
            os.remove(path)
        if made and not os.listdir(out):
            os.rmdir(out)
        raise


def _text(names: Iterable[Any]) -> bytes:
    try:
        lines: List[Any] = list(names)
    except TypeError:
        lines = []
    for name in lines:
        if not isinstance(name, str) or not name.strip() or len(name.splitlines()) > 1:
            raise FeedError(f"class_names has {name!r:.60}: each is a text of one line")
    if not lines:
        raise FeedError("class_names is the path of a file with a name a line, or a list of the names of the model's outputs, in their order")
    return "".join(name + "\n" for name in lines).encode()


def _write(folder: str, text: bytes) -> str:
    path = os.path.join(folder, f"class_names-{hashlib.sha256(text).hexdigest()[:8]}.txt")
    handle, name = tempfile.mkstemp(dir=folder, prefix=".augmix-")
    with os.fdopen(handle, "wb") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)
    return path
