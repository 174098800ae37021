# SPDX-License-Identifier: Apache-2.0
"""How the interpreter was built and started: sys.version, sys.abiflags, sys.flags.

Source: Python/sysmodule.c; flags_fields[] only grew from 3.8 to 3.15.
"""

from __future__ import annotations

from gdb_epi.cpython.objects import Objects
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_AVAILABLE, UNREADABLE, Absent, UnreadableMemory
from gdb_epi.lean import NamedTuple
from gdb_epi.target.api import Target

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
