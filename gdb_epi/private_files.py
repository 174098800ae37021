# SPDX-License-Identifier: Apache-2.0
"""New files and folders that only their owner may read: they hold what a process had in memory.

What is there already keeps its mode. Standard library only: GDB's Python uses it too.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def private_opener(path: str, flags: int) -> int:
    """Open a file, with FILE_MODE where it is made: `open(name, "w", opener=private_opener)`."""
    return os.open(path, flags, FILE_MODE)


def replace_file(path: Path, content: bytes, new_mode: int = FILE_MODE) -> None:
    """Replace a file in one step, so that no reader sees half of it; fill a pipe or a device.

    A file that is replaced keeps its mode, a new one gets `new_mode`.
    """
    import tempfile

    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = path.resolve()
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else new_mode
    descriptor, draft = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(draft, mode)
        os.replace(draft, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft)


def make_private_file(path: Path) -> None:
    """Make an empty file where there is none, for a writer that would take the umask's mode."""
    if not path.exists():
        os.close(private_opener(str(path), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC))


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing."""
    missing = [folder]
    while not missing[-1].parent.exists() and missing[-1] != missing[-1].parent:
        missing.append(missing[-1].parent)
    for place in reversed(missing):
        place.mkdir(mode=FOLDER_MODE, exist_ok=True)


def check_own_folder(folder: Path) -> None:
    """Raise OSError unless `folder` is a folder, no link, that only this user can write to."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{folder} is no folder")
    if status.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"others may write to {folder}")
