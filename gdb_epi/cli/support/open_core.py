# SPDX-License-Identifier: Apache-2.0
"""Open one core, unpacked if need be. What makes records of cores is not imported for that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gdb_epi.cli.support.core_files import Core, core_at
from gdb_epi.errors import InputError, SoftError
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.target.corefile import CoreFileTarget

TEMPORARY = "gdb-epi-"  # prefix of our temporary folders
MAX_SIZE = 64 << 30  # of an unpacked core


class Scratch:
    """A folder for the temporary files of one core, made when it is first asked for.

    `tempfile` costs 8 ms to import and most cores need no temporary file.
    """

    def __init__(self) -> None:
        self._path: str | None = None

    def path(self) -> str:
        """Return the folder."""
        if self._path is None:
            import tempfile

            self._path = tempfile.mkdtemp(prefix=TEMPORARY)
        return self._path

    def remove(self) -> None:
        """Remove the folder and all in it."""
        if self._path is not None:
            import shutil

            shutil.rmtree(self._path, ignore_errors=True)


@contextmanager
def unpacked(
    core: Core, scratch: Scratch, max_size: int = MAX_SIZE
) -> Iterator[tuple[str, SoftError | None]]:
    """Yield the path of a core as it is, or unpacked, and what was wrong with its packing.

    `scratch` takes the unpacked file; the caller removes it. An InputError inside names the file
    that the user gave.
    """
    path, damaged = core.path, None
    if core.compression is not None:
        from gdb_epi.cli.support.unpack import unpack

        path, damaged = unpack(core.path, core.compression, scratch.path(), max_size)
    try:
        yield path, damaged
    except InputError as unusable:
        message = str(unusable).replace(path, core.path)
        raise InputError(message, hint=unusable.hint) from None


@contextmanager
def opened_core(path: str, exe: str | None, sysroot: str | None) -> Iterator[CoreFileTarget]:
    """Yield the target of a core, packed or not; that its packing is damaged is a soft error.

    Raises InputError when it is no core.
    """
    from gdb_epi.target.corefile import CoreFileTarget

    scratch = Scratch()
    try:
        with unpacked(core_at(path), scratch) as (file, damaged):
            target = CoreFileTarget.open(file, exe=exe, sysroot=sysroot)
            target.soft_errors += [damaged] if damaged is not None else []
            yield target
    finally:
        scratch.remove()
