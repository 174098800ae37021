# SPDX-License-Identifier: Apache-2.0
"""How large records are: compact JSON of cached cores, what of it repeats, and what is stored.

python tests/bench/record_size.py [EVERY] [GDB]    every EVERY-th core of the cache (40); native
                                                   frames by that GDB
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2])]
from support.interpreters import by_id, cache_root

from gdb_epi.cli.support.core_files import core_at
from gdb_epi.cli.support.examine import ExaminedCore, ExamineOptions, examine_here
from gdb_epi.fleet.records.packing import RecordPacker

MAX_CORE = 400 << 20
MIN_REPEATED = 8  # characters of a text that counts as said again


def records(every: int, gdb: str | None) -> Iterator[dict[str, Any]]:
    """Yield the records of every n-th core that an interpreter here made."""
    for core in sorted((cache_root() / "cores").glob("*/*/core"))[::every]:
        interpreter = by_id(core.parts[-3])
        if core.stat().st_size > MAX_CORE or interpreter is None:
            continue
        sysroot = str(interpreter.root) if interpreter.root else None
        exe = str(interpreter.host_executable) if gdb else None
        native = "always" if gdb else "never"
        given = ExamineOptions(exe=exe, sysroot=sysroot, native=native, gdb=gdb)
        examined = examine_here(core_at(str(core)), given)
        if isinstance(examined, ExaminedCore):
            yield examined.record


def compact(value: object) -> int:
    """Return the length of a value as JSON without blanks."""
    return len(json.dumps(value, separators=(",", ":")))


def parts(value: object) -> Iterator[tuple[str, int]]:
    """Yield what a value's bytes are: names of keys, values, texts said before, empty values."""
    seen: set[str] = set()
    todo = [value]
    while todo:
        node = todo.pop()
        if isinstance(node, dict) and node:
            yield "names of keys", sum(len(name) + 4 for name in node)
            todo += node.values()
        elif isinstance(node, list) and node:
            todo += node
        elif node is None or node in ({}, []):
            yield "null or empty", compact(node)
        elif isinstance(node, str) and len(node) >= MIN_REPEATED and node in seen:
            yield "said before", compact(node)
        else:
            yield "values", compact(node)
            if isinstance(node, str):
                seen.add(node)


def main(every: int, gdb: str | None) -> None:
    """Print the sizes."""
    sizes, packed = [], []
    groups: dict[str, list[int]] = defaultdict(list)
    kinds: dict[str, list[int]] = defaultdict(list)
    packer = RecordPacker()
    for record in records(every, gdb):
        sizes.append(compact(record))
        packed.append(len(packer.pack_record(record)))
        size_by_kind: dict[str, int] = defaultdict(int)
        for kind, size in parts(record):
            size_by_kind[kind] += size
        for kind, size in size_by_kind.items():
            kinds[kind].append(size)
        for name, value in record.items():
            groups[name].append(compact(value) + len(name) + 4)
    print(f"{len(sizes)} cores: median {median(sizes):.0f} bytes, stored {median(packed):.0f}")
    for table in (kinds, groups):
        for name, some in sorted(table.items(), key=lambda item: -median(item[1])):
            print(f"{name:14} median {median(some):6.0f}  in {len(some)} records")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40, sys.argv[2] if len(sys.argv) > 2 else None)
