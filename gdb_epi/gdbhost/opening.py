# SPDX-License-Identifier: Apache-2.0
"""Open the right Target for what GDB has loaded."""

from __future__ import annotations

import gdb

from gdb_epi.errors import UNREADABLE, Absent, InputError, SoftError
from gdb_epi.gdbhost.corepath import core_path
from gdb_epi.gdbhost.live import GdbProcessTarget, on_this_machine
from gdb_epi.gdbhost.target import GdbTarget
from gdb_epi.target.api import Target


def open_process(inferior: gdb.Inferior, lwp: int) -> Target:
    """Return a target for a live process; `lwp` is the thread that stopped it."""
    return GdbProcessTarget(inferior, kind="live", pid=on_this_machine(inferior), lwp=lwp)


def open_core(inferior: gdb.Inferior) -> Target:
    """Return a target for the loaded core.

    When its file cannot be found or read, GDB's memory has to do; it proves nothing.
    """
    path = core_path(inferior)
    if not isinstance(path, Absent):
        try:
            return GdbTarget.open(path, exe=inferior.progspace.filename, sysroot=local_sysroot())
        except InputError as error:
            path = Absent(UNREADABLE, str(error))
    thread = gdb.selected_thread()
    lwp = thread.ptid[1] if thread is not None else inferior.pid
    target = GdbProcessTarget(inferior, kind="core", pid=None, lwp=lwp)
    target.soft_errors.append(
        SoftError("core", "file", f"{path.detail}: memory comes from GDB and proves nothing")
    )
    return target


def local_sysroot() -> str | None:
    """Return the folder that `set sysroot` names, without GDB's "target:" prefixes."""
    sysroot = str(gdb.parameter("sysroot") or "")
    for prefix in ("target:", "remote:"):
        sysroot = sysroot.removeprefix(prefix)
    return sysroot if sysroot not in ("", "/") else None
