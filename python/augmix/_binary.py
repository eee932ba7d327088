"""Finds the program ``augmix``."""

from __future__ import annotations

import os
import shutil
import sys
from typing import List, Optional, Sequence, Union

from ._errors import FeedError

__all__ = ["Binary", "find"]

Binary = Union[str, "os.PathLike[str]", Sequence[str]]
"""A path, a name in PATH, or a command with its first arguments such as ``["ssh", "host", "augmix"]``."""

_NAME = "augmix.exe" if sys.platform == "win32" else "augmix"


def packed() -> str:
    """Where a wheel carries the program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", _NAME)


def find(binary: Optional[Binary] = None) -> List[str]:
    """The beginning of the command line that runs augmix.

    Looked for in this order: the argument, the variable AUGMIX_BIN, the program in the wheel, the folders of PATH.
    What the argument or the variable names must exist: nothing else is run in its place.

    Raises:
        FeedError: it is nowhere; the error lists all places.
    """
    if binary is not None and not isinstance(binary, (str, os.PathLike)):
        command = [os.fspath(part) for part in binary]
        if not command:
            raise FeedError("binary is an empty command")
        return [_program(command[0], "binary"), *command[1:]]
    if binary is not None:
        return [_program(os.fspath(binary), "binary")]
    if os.environ.get("AUGMIX_BIN"):
        return [_program(os.environ["AUGMIX_BIN"], "AUGMIX_BIN")]
    if os.path.isfile(packed()):
        return [packed()]
    found = shutil.which("augmix")
    # The entry point of this very package lies in PATH too; without a program in the wheel it would call itself.
    if found and not _is_entry_point(found):
        return [found]
    raise FeedError(
        "the program augmix was not found: not given as binary=, not in the variable AUGMIX_BIN, "
        f"not in this package ({packed()}), not in PATH ({os.environ.get('PATH', '')}); "
        "install a wheel that carries it, or: go install github.com/augmix-go/augmix/cmd/augmix@latest")


def _program(name: str, source: str) -> str:
    found = shutil.which(name)
    if found is None:
        hint = "; a command of several words is a list, such as binary=['ssh', 'host', 'augmix']" if " " in name else ""
        raise FeedError(f"{source} is {name!r}, which is no program that can be run{hint}")
    return found


def _is_entry_point(path: str) -> bool:
    try:
        with open(path, "rb") as f:
            head = f.read(1 << 20)  # on Windows the script stands at the end of a launcher
    except OSError:
        return False
    return b"augmix.__main__" in head
