# SPDX-License-Identifier: Apache-2.0
"""Whether what goes to GDB's output may have colours."""

from __future__ import annotations

import os

import gdb

from gdb_epi.gdbhost.parameters import AUTO, ON

_STYLES = ("filename", "function", "variable")  # of GDB; a user may have made some of them plain


def wanted() -> bool:
    """Tell whether to colour: `set epi color`, and for auto what GDB itself would do."""
    choice = gdb.parameter("epi color")
    if choice != AUTO:
        return bool(choice == ON)
    if not gdb.parameter("style enabled") or not os.isatty(1):
        return False
    from gdb_epi.render.color import environment_allows

    if not environment_allows():
        return False
    if hasattr(gdb, "Style"):  # GDB 18 knows where its output goes: under `pipe` to no terminal
        return any(gdb.Style(name).apply("x") != "x" for name in _STYLES)
    return not _piped()


def _piped() -> bool:
    """Tell whether a child reads from a pipe that this GDB writes into: then `pipe` is at work."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            children = file.read().split()
        inputs = {_link(f"/proc/{child}/fd/0") for child in children}
        ours = {_link(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    except OSError:
        return False
    return any(name.startswith("pipe:") for name in inputs & ours)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
