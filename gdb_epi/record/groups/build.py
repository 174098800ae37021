# SPDX-License-Identifier: Apache-2.0
"""How the interpreter and the libraries were built."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, SoftError
from gdb_epi.facts.packagenote import package_note
from gdb_epi.facts.pythonbuild import python_build
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.record.registry import Notes, group

if TYPE_CHECKING:
    from gdb_epi.record import Parts

Json = dict[str, Any]
MAX_MODULES = 1024  # as many as the group libs lists


@group("python")
def build_of_python(parts: Parts, notes: Notes) -> Json | None:
    """Return sys.version, the flags that are on, and the build-id of the interpreter's code."""
    python, target = parts.state.python, parts.state.target
    if not isinstance(python, PythonState):
        return None
    told: Json = {}
    holder = next((m for m in target.modules() if m.start <= python.runtime < m.end), None)
    if holder is not None and holder.build_id:
        told["build_id"] = holder.build_id
    found = python_build(target, python)
    if isinstance(found, Absent):
        notes.errors.append(SoftError("facts", "python build", found.detail))
        return told
    if found.text:
        told["build"] = " ".join(found.text.split())
    if found.abiflags:
        told["abiflags"] = found.abiflags
    if found.abiflags is not None:
        told["debug"] = "d" in found.abiflags
    if found.flags is not None:
        told["flags"] = found.flags
    return told


@group("libs")
def packages_of_libraries(parts: Parts, _notes: Notes) -> Json | None:
    """Return the distribution packages that mapped objects name, by file name."""
    from gdb_epi.record.redact import base_name

    target = parts.state.target
    found: Json = {}
    for module in target.modules()[:MAX_MODULES]:
        note = package_note(target, module)
        if note is not None:
            found.setdefault(base_name(module.path), note)
    return {"packages": found} if found else None
