# SPDX-License-Identifier: Apache-2.0
"""Write a file of the cache so that who reads it finds all of it or the one before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

DRAFT = ".part"  # suffix of a file that is being written


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> bool:
    """Write a file under another name and rename it; a full disk leaves nothing behind.

    Return whether it is there. `write` puts its content into the stream.
    """
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(prefix=path.stem, suffix=DRAFT, dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            write(stream)
        Path(draft).rename(path)
    except OSError:
        if draft is not None:
            Path(draft).unlink(missing_ok=True)
        return False
    return True
