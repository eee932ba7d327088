"""Runs the program: ``python -m augmix`` is ``augmix``."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import NoReturn

from ._binary import find
from ._errors import FeedError


def main() -> NoReturn:
    """Becomes the program, with this process's arguments."""
    try:
        command = find()
    except FeedError as err:
        sys.exit(f"augmix: {err}")
    if os.name == "posix":
        os.execv(command[0], [*command, *sys.argv[1:]])
    sys.exit(subprocess.call([*command, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
