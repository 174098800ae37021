# SPDX-License-Identifier: Apache-2.0
"""The frame that is shown of what a frame structure holds."""

from __future__ import annotations

from gdb_epi.cpython.code import CodeReader
from gdb_epi.cpython.frames import RawFrame
from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent


def python_frame(
    raw: RawFrame, codes: CodeReader, objects: Objects, provenance: str, *, is_entry: bool = False
) -> PyFrame:
    """Return the PyFrame of a frame structure; a hole when that has a problem.

    `module` is None when the frame's globals have no readable `__name__`.
    """
    if raw.problem:
        return hole(raw.address, provenance, raw.problem, raw.code)
    info = codes.at(raw.code)
    module = objects.module_name(raw.globals)
    return PyFrame(
        raw.address,
        raw.code,
        info.name,
        info.qualname,
        info.filename,
        codes.line(info, raw.lasti),
        None if isinstance(module, Absent) else module,
        raw.owner,
        provenance,
        is_entry,
    )


def hole(address: int, provenance: str, why: str, code: int = 0) -> PyFrame:
    """Return a frame that could not be decoded, and why."""
    return PyFrame(address, code, "", None, "", None, None, "unknown", provenance, False, why)
