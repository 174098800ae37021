# SPDX-License-Identifier: Apache-2.0
"""Files that GDB misses, found below `set epi sysroot` by path or build-id (GDB 16 and later)."""

from __future__ import annotations

import gdb

from gdb_epi.gdbhost.opening import local_sysroot
from gdb_epi.target.files import ElfFile, FileFinder

NAME = "epi"


def install_handler() -> None:
    """Register the handler, once; a GDB that has no handlers looks by itself only."""
    try:
        from gdb.missing_objfile import MissingObjfileHandler, register_handler
    except ImportError:
        return

    class Handler(MissingObjfileHandler):  # type: ignore[misc]
        """Asked for each file of a core that is not here, or is another build."""

        def __call__(self, space: gdb.Progspace, buildid: str, filename: str) -> str | None:
            """Return the path of the file with this build-id; None when there is none."""
            if not gdb.parameter("epi sysroot"):
                return None
            file = FileFinder(None, local_sysroot()).match(filename, buildid, False)
            return file.path if isinstance(file, ElfFile) else None

    register_handler(None, Handler(NAME), replace=True)
