# SPDX-License-Identifier: Apache-2.0
"""Files that several test processes make once: in the cache, whose first use is by all at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, so that parallel test processes make one thing once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees all of it or nothing."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(text)
    partial.replace(path)
