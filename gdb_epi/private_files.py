# SPDX-License-Identifier: Apache-2.0
"""New files and folders that only their owner may read: they hold what a process had in memory.

What is there already keeps its mode. Standard library only: GDB's Python uses it too.
"""

from __future__ import annotations

import os
import stat

from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700


def private_opener(path: str, flags: int) -> int:
    """Open a file, with FILE_MODE where it is made: `open(name, "w", opener=private_opener)`."""
    return os.open(path, flags, FILE_MODE)


def mode_for(path: Path) -> int:
    """Return the mode for a file that takes the place of `path`: what that one has."""
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else FILE_MODE


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
