# SPDX-License-Identifier: Apache-2.0
"""How the interpreter and the libraries were built.

The package that an ELF object was built into, from its .note.package.

Format: https://systemd.io/ELF_PACKAGE_METADATA (owner "FDO", type 0xcafe1a7e, a JSON object);
Fedora since 36, `ld --package-metadata` since binutils 2.39.

How the interpreter was built and started: sys.version, sys.abiflags, sys.flags.

Source: Python/sysmodule.c; flags_fields[] only grew from 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.objects.attributes import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.record.registry import Notes, group
from gdb_epi.sizes import PAGE
from gdb_epi.target import elf
from gdb_epi.target.api import Module, Target
from gdb_epi.target.elf import parse_image
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.record import Parts


NT_PACKAGE = 0xCAFE1A7E
MAX_NOTES = 8192
MAX_JSON = 2048
MAX_TEXT = 128
KEPT = ("type", "name", "version", "architecture", "os", "osVersion")


def package_note(target: Target, module: Module) -> dict[str, str] | None:
    """Return name, version and so on of a mapped object's package; None without a note."""
    try:
        image = parse_image(target.read(module.start, PAGE), module.start)
        if image is None:
            return None
        base, segments = image
        for segment in segments:
            if segment.type == elf.PT_NOTE:
                found = _in_notes(target.read(base + segment.vaddr, min(segment.filesz, MAX_NOTES)))
                if found:
                    return found
    except UnreadableMemory:
        return None
    return None


def _in_notes(raw: bytes) -> dict[str, str] | None:
    for note in elf.notes(raw):
        if note.name == b"FDO" and note.type == NT_PACKAGE:
            return _decode(note.desc)
    return None


def _decode(desc: bytes) -> dict[str, str] | None:
    import json

    text = desc[:MAX_JSON].split(b"\0", 1)[0]
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    kept = {key: found[key] for key in KEPT if isinstance(found.get(key), str)}
    return {key: value[:MAX_TEXT] for key, value in kept.items()} or None


MAX_BUILD = 256
# sys.flags by position; the members up to utf8_mode have kept their places since 3.7.
FLAGS = (
    "debug", "inspect", "interactive", "optimize", "dont_write_bytecode", "no_user_site",
    "no_site", "ignore_environment", "verbose", "bytes_warning", "quiet", "hash_randomization",
    "isolated", "dev_mode", "utf8_mode",
)  # fmt: skip
DEFAULTS = {"hash_randomization": 1}


class PythonBuild(NamedTuple):
    """`text` is sys.version; `flags` are those that differ from the default.

    None where it was not readable.
    """

    text: str | None
    abiflags: str | None
    flags: dict[str, int] | None


def python_build(target: Target, python: PythonState) -> PythonBuild | Absent:
    """Return what sys of the main interpreter says. Absent when its dict cannot be read."""
    if not python.interpreters:
        return Absent(NOT_AVAILABLE, "no interpreter")
    reader = Reader(target, python.layout)
    objects = Objects(reader)
    contents = objects.module_dict(python.interpreters[0].address, "sys")
    if isinstance(contents, Absent):
        return contents
    try:
        return PythonBuild(
            _text(reader, objects, contents, "version"),
            _text(reader, objects, contents, "abiflags"),
            _flags(reader, objects, contents),
        )
    except UnreadableMemory as error:
        return Absent(UNREADABLE, str(error))


def _text(reader: Reader, objects: Objects, contents: int, name: str) -> str | None:
    address = objects.dict_get(contents, name)
    if isinstance(address, Absent):
        return None
    text = reader.string(address, MAX_BUILD)
    return None if isinstance(text, Absent) else text


def _flags(reader: Reader, objects: Objects, contents: int) -> dict[str, int] | None:
    address = objects.dict_get(contents, "flags")
    first = reader.layout.offset("PyTupleObject", "ob_item")
    if isinstance(address, Absent) or first is None:
        return None
    found = {}
    for number, name in enumerate(FLAGS):
        value = objects.integer(reader.u64(address + first + 8 * number))
        if isinstance(value, Absent):
            return None
        if value != DEFAULTS.get(name, 0):
            found[name] = value
    return found


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
