# SPDX-License-Identifier: Apache-2.0
"""Open one core, unpacking it if need be, without importing what makes records of cores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gdb_epi.cli.support.core_files import CoreInput, core_at
from gdb_epi.cli.support.supervisor import TEMPORARY
from gdb_epi.errors import InputError, SoftError
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.target.corefile import CoreFileTarget

MAX_SIZE = 64 << 30  # of an unpacked core
REMOVALS, REMOVAL_SECONDS = 50, 0.02  # of a temporary folder: how often, how far apart


class ScratchFolder:
    """A folder for the temporary files of one core, made when it is first asked for.

    `tempfile` costs 8 ms to import and most cores need no temporary file.
    """

    def __init__(self, path: str | None = None) -> None:
        self._path = path  # one that another process has made, and removes

    def path(self) -> str:
        """Return the folder."""
        if self._path is None:
            import os
            import tempfile

            self._path = tempfile.mkdtemp(prefix=f"{TEMPORARY}{os.getpid()}-")
        return self._path

    def remove(self) -> None:
        """Remove the folder and all in it.

        A GDB that was killed a moment ago may write into it until it has ended: again then.
        """
        if self._path is None:
            return
        import os
        import shutil
        import time

        for _ in range(REMOVALS):
            shutil.rmtree(self._path, ignore_errors=True)
            if not os.path.lexists(self._path):
                return
            time.sleep(REMOVAL_SECONDS)


def _file_size(path: str) -> int:
    import os

    try:
        return os.path.getsize(path)
    except OSError:
        return 0  # what opens it says why


@contextmanager
def unpacked_core_path(
    core: CoreInput, scratch: ScratchFolder, max_size: int = MAX_SIZE, prefix: int | None = None
) -> Iterator[tuple[str, SoftError | None]]:
    """Yield the path of a core as it is, or unpacked, and what was wrong with its packing.

    `scratch` takes the unpacked file; the caller removes it. An InputError inside names the file
    that the user gave. `prefix`: no more than so many bytes of the core are to be read; of one that
    is larger they are copied, so that GDB too sees nothing else.
    """
    path, damaged = core.path, None
    if core.remote is not None:
        from gdb_epi.cli.support.remote import file_name_of_url, open_remote
        from gdb_epi.cli.support.unpack import PackedFile, unpack_stream

        name, size = file_name_of_url(core.remote.url), core.remote.size
        with open_remote(core.remote) as stream:
            packed = PackedFile(stream, core.path, name, core.compression, size)
            path, damaged = unpack_stream(packed, scratch.path(), max_size, prefix)
    elif core.compression is not None or (prefix is not None and _file_size(path) > prefix):
        from gdb_epi.cli.support.unpack import unpack

        path, damaged = unpack(path, core.compression, scratch.path(), max_size, prefix)
    try:
        yield path, damaged
    except InputError as unusable:
        message = str(unusable).replace(path, core.path)
        raise InputError(message, hint=unusable.hint) from None


@contextmanager
def open_core(path: str, exe: str | None, sysroot: str | None) -> Iterator[CoreFileTarget]:
    """Yield the target of a core, packed or not; that its packing is damaged is a soft error.

    Raises InputError when it is no core.
    """
    from gdb_epi.target.corefile import CoreFileTarget

    scratch = ScratchFolder()
    try:
        with unpacked_core_path(core_at(path), scratch) as (file, damaged):
            target = CoreFileTarget.open(file, exe=exe, sysroot=sysroot)
            target.soft_errors += [damaged] if damaged is not None else []
            yield target
    finally:
        scratch.remove()
