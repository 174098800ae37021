# SPDX-License-Identifier: Apache-2.0
"""Layout tables for another machine: what moves where pthread_mutex_t is larger.

The shipped tables are for x86-64, where glibc's pthread_mutex_t has 40 bytes. On aarch64 it has 48;
everything else in CPython's structs has the same size (both are LP64). The GIL contains two mutexes
and is itself part of the runtime (up to 3.11) or of the interpreter state (3.12 on), so whatever
follows it lies 16 bytes further on. Checked against the debug information of Debian's arm64
python3.11 and python3.13 (tests/unit/test_aarch64.py).
"""

from __future__ import annotations

from gdb_epi.typing_lite import Any

X86_SIZE = 40
_GIL = "_gil_runtime_state"
_MUTEXES = ("mutex", "switch_mutex")


def adapt_layout_to_mutex_size(document: dict[str, Any], size: int) -> dict[str, Any]:
    """Return a layout document for a machine whose pthread_mutex_t has `size` bytes."""
    extra = size - X86_SIZE
    structs = document["structs"]
    gil = structs.get(_GIL)
    if not extra or gil is None:
        return document
    ends = [gil[1][name][0] + X86_SIZE for name in _MUTEXES if name in gil[1]]
    moved = {name: _shift_gil_struct(entry, gil[0], ends, extra) for name, entry in structs.items()}
    moved[_GIL] = _insert_bytes(gil, ends, extra)
    header = {**document["header"], "source": f"{document['header']['source']}, for aarch64"}
    return {**document, "header": header, "structs": moved}


def _shift_gil_struct(entry: list[Any], gil_size: int, ends: list[int], extra: int) -> list[Any]:
    """Return a struct, shifted when it contains the GIL itself (not a pointer to it)."""
    for path, (offset, size, *_) in entry[1].items():
        if path.rpartition(".")[2] in ("gil", "_gil") and size == gil_size:
            return _insert_bytes(entry, [offset + end for end in ends], extra)
    return entry


def _insert_bytes(entry: list[Any], ends: list[int], extra: int) -> list[Any]:
    """Return a struct with `extra` bytes inserted at each of `ends`."""

    def shift(offset: int) -> int:
        return offset + extra * sum(offset >= end for end in ends)

    members = {}
    for path, (offset, size, *rest) in entry[1].items():
        inside = sum(offset < end <= offset + size for end in ends)
        members[path] = [shift(offset), size + extra * inside, *rest]
    return [entry[0] + extra * len(ends), members, *entry[2:]]
