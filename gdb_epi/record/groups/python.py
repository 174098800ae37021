# SPDX-License-Identifier: Apache-2.0
"""The interpreter: its version and state, the packages it imported, how it was built and started.

Source of sys.flags: Python/sysmodule.c; flags_fields[] only grew from 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.target.api import Target, module_at
from gdb_epi.typing_lite import NamedTuple

MAX_PACKAGES = 512
MAX_BUILD = 256
# sys.flags by position; the members up to utf8_mode have kept their places since 3.7.
FLAGS = (
    "debug", "inspect", "interactive", "optimize", "dont_write_bytecode", "no_user_site",
    "no_site", "ignore_environment", "verbose", "bytes_warning", "quiet", "hash_randomization",
    "isolated", "dev_mode", "utf8_mode",
)  # fmt: skip
DEFAULTS = {"hash_randomization": 1}


@group("python", order=50)
def python(parts: RecordParts, _notes: RecordNotes) -> Json | None:
    """Return the interpreter's version and state; None without CPython (soft_errors say why)."""
    from gdb_epi.cpython.runtime.package_versions import read_package_versions

    state = parts.state.python
    if isinstance(state, Absent):
        return None
    fields = {
        "version": state.version,
        "free_threaded": bool(getattr(state.layout, "free_threaded", False)),
        "found_by": state.found_by,
        "finalizing": state.finalizing,
        "gil_holder": state.gil_holder,
        "interpreters": len(state.interpreters),
        "threads": len(state.threads()),
    }
    # Of packages outside the standard library.
    versions = read_package_versions(parts.state.target, state)
    if isinstance(versions, Absent):
        return {**fields, "packages": None}
    listed = [package._asdict() for package in versions.packages[:MAX_PACKAGES]]
    left_out = len(versions.packages) - len(listed)
    counts = {"packages_lost": versions.lost, "packages_left_out": left_out}
    return {**fields, "packages": listed, **{key: n for key, n in counts.items() if n}}


@group("python", order=250)
def python_build_group(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return sys.version, the flags that are on, and the build-id of the interpreter's code."""
    state, target = parts.state.python, parts.state.target
    if not isinstance(state, PythonState):
        return None
    fields: Json = {}
    holder = module_at(target, state.runtime)
    if holder is not None and holder.build_id:
        fields["build_id"] = holder.build_id
    build = read_python_build(target, state)
    if isinstance(build, Absent):
        notes.errors.append(SoftError("facts", "python build", build.detail))
        return fields
    if build.text:
        fields["build"] = " ".join(build.text.split())
    if build.abiflags:
        fields["abiflags"] = build.abiflags
    if build.abiflags is not None:
        fields["debug"] = "d" in build.abiflags
    if build.flags is not None:
        fields["flags"] = build.flags
    return fields


class PythonBuild(NamedTuple):
    """`text` is sys.version; `flags` are those that differ from the default.

    None where it was not readable.
    """

    text: str | None
    abiflags: str | None
    flags: dict[str, int] | None


def read_python_build(target: Target, python: PythonState) -> PythonBuild | Absent:
    """Return what sys of the main interpreter says. Absent when its dict cannot be read."""
    if not python.interpreters:
        return Absent(NOT_AVAILABLE, "no interpreter")
    reader = MemoryReader(target, python.layout)
    objects = NamespaceReader(reader)
    contents = objects.module_dict(python.interpreters[0].address, "sys")
    if isinstance(contents, Absent):
        return contents
    try:
        return PythonBuild(
            text=_sys_text(reader, objects, contents, "version"),
            abiflags=_sys_text(reader, objects, contents, "abiflags"),
            flags=_sys_flags(reader, objects, contents),
        )
    except UnreadableMemory as error:
        return Absent(UNREADABLE, str(error))


def _sys_text(
    reader: MemoryReader, objects: NamespaceReader, contents: int, name: str
) -> str | None:
    address = objects.dict_get(contents, name)
    if isinstance(address, Absent):
        return None
    text = reader.string(address, MAX_BUILD)
    return None if isinstance(text, Absent) else text


def _sys_flags(
    reader: MemoryReader, objects: NamespaceReader, contents: int
) -> dict[str, int] | None:
    address = objects.dict_get(contents, "flags")
    first = reader.layout.offset("PyTupleObject", "ob_item")
    if isinstance(address, Absent) or first is None:
        return None
    flags = {}
    for number, name in enumerate(FLAGS):
        value = objects.integer(reader.u64(address + first + 8 * number))
        if isinstance(value, Absent):
            return None
        if value != DEFAULTS.get(name, 0):
            flags[name] = value
    return flags
