"""What can go wrong, as exceptions and warnings, and text that is safe to show."""

from __future__ import annotations

from typing import Optional

__all__ = ["FeedError", "FeedTimeout", "FeedWarning", "printable"]


class FeedError(RuntimeError):
    """The feed cannot go on.

    Attributes:
        code: what kind of error the child reported (``usage``, ``input``, ``io`` or ``internal``), or None where the
            error was found on this side.
    """

    def __init__(self, message: str, code: Optional[str] = None) -> None:
        super().__init__(message)
        self.code = code


class FeedTimeout(FeedError, TimeoutError):
    """The child said nothing, not even that it is alive, for longer than the option ``timeout`` allows."""


class FeedWarning(UserWarning):
    """Something that does not stop the feed, such as a sample that was refused."""


def printable(text: str, limit: int = 4000) -> str:
    """Text of the child with control characters escaped: file names may hold terminal escapes.

    Args:
        text: any text.
        limit: characters that are kept, of the end.
    """
    return "".join(c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode() for c in text[-limit:])
