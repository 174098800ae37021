# SPDX-License-Identifier: Apache-2.0
"""What filled the memory of a process that could get no more."""

from __future__ import annotations

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import LayoutError, SoftError, UnreadableMemory
from gdb_epi.judgement.labels import OUT_OF_MEMORY
from gdb_epi.process_state import ProcessState
from gdb_epi.record.registry import Json, RecordNotes, RecordParts, group
from gdb_epi.typing_lite import Any

MAX_KINDS, MAX_HOLDERS = 8, 4
MAX_NAME = 200
_SHARED = ("/dev/shm/", "/SYSV", "/memfd:", "/dev/zero")


@group("memory_use", order=136)
def memory_use(parts: RecordParts, notes: RecordNotes) -> Json | None:
    """Return what filled the memory; None for all other deaths, as it takes a second or two."""
    if parts.verdict.label != OUT_OF_MEMORY:
        return None
    use, errors = read_memory_use(parts.state)
    notes.errors += errors
    return use


def read_memory_use(state: ProcessState) -> tuple[dict[str, Any], list[SoftError]]:
    """Return sums of the mappings, and of the objects of Python: names and types, no values."""
    from gdb_epi.corruption.heap.pool_census import sample_small_blocks
    from gdb_epi.cpython.heap.memory_use import measure_memory_use

    sizes = {"anonymous": 0, "largest_mapping": 0, "shared": 0, "of_files": 0}
    for region in state.target.regions():
        path = region.path or ""
        if path.startswith(_SHARED):
            sizes["shared"] += region.size
        elif region.is_file_mapped:
            sizes["of_files"] += region.size
        elif "w" in region.perms:
            sizes["anonymous"] += region.size
            sizes["largest_mapping"] = max(sizes["largest_mapping"], region.size)
    made: Json = {"mapped": sum(r.size for r in state.target.regions()), **sizes}
    python = state.python
    if not isinstance(python, PythonState):
        return made, []
    exceptions = [
        raised.root_exception.address
        for thread in state.exceptions
        for raised in thread.all_raised()
    ]
    try:
        use = measure_memory_use(state.target, python, exceptions)
        made["python"] = {
            "reached": use.bytes,
            "estimated": use.sampled,
            "whole": use.whole,
            "types": [kind._asdict() for kind in use.kinds[:MAX_KINDS]],
        }
        made["holders"] = [
            {**holder._asdict(), "where": holder.where[:MAX_NAME]}
            for holder in use.holders[:MAX_HOLDERS]
        ]
        made["unowned_blocks"] = use.unowned._asdict()
        small, kinds = sample_small_blocks(state.target, python)
        made["small_blocks"] = {
            "bytes": small,
            "types": [kind._asdict() for kind in kinds[:MAX_KINDS]],
        }
    except (LayoutError, UnreadableMemory) as error:
        return made, [SoftError("heap", "memory_use", str(error))]
    return made, []
