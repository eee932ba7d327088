"""Keyword arguments as flags of the command line."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any, List, Mapping

from ._errors import FeedError

__all__ = ["count", "data_argument", "flags"]


def flags(options: Mapping[str, Any]) -> List[str]:
    """``{"on_error": "skip", "flip": True, "epochs": None}`` as ``["--on-error=skip", "--flip"]``.

    None leaves an option out; True and False switch; lists are joined by commas. Arrays are lists, or the one value that they
    hold. Values stand behind an equals sign, so that none is taken for a flag.

    Raises:
        FeedError: a value of another kind.
    """
    return [_flag(name, value) for name, value in options.items() if value is not None]


def _flag(name: str, value: Any) -> str:
    flag = "--" + name.strip("_").replace("_", "-")
    if flag == "--help":
        raise FeedError("help is for a terminal: augmix feed --help lists the options")
    value = _plain(value)
    if value is True:
        return flag
    if value is False:
        return flag + "=false"
    if isinstance(value, (list, tuple)):
        return flag + "=" + ",".join(_text(name, _plain(v)) for v in value)
    return flag + "=" + _text(name, value)


def _plain(value: Any) -> Any:
    """Arrays of numpy, PyTorch or JAX as lists, or as their one value. Numbers stay, as float32 has fewer digits than float."""
    if isinstance(value, (numbers.Real, type)) or not hasattr(value, "tolist"):
        return value
    return value.tolist()


def _text(name: str, value: Any) -> str:
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
    elif isinstance(value, numbers.Real):
        text = str(value)
    elif hasattr(value, "__index__") and not isinstance(value, type):
        text = str(operator.index(value))
    else:
        raise FeedError(f"{name} is of {type(value).__name__}; it can be text, a number, True, False, None, or a list of these")
    if not isinstance(text, str) or "\0" in text:
        raise FeedError(f"{name} is {value!r}, which cannot be on a command line")
    return text


def count(value: Any, error: str, least: int = 0) -> int:
    """A whole number from least on, of any type that is one: numpy's too.

    Raises:
        FeedError: it is none; with this text.
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise FeedError(error)
    return number


def data_argument(data: Any) -> str:
    """The data set's path as text."""
    text = os.fspath(data)
    if not isinstance(text, str) or "\0" in text or text in ("", "-"):
        raise FeedError(f"data is {data!r}; it must be the path of a data set (standard input is taken by the feed itself)")
    return text
