# SPDX-License-Identifier: Apache-2.0
"""Loops that look at memory which several processes share, without a pause, until it changes.

So wait spin locks, and the readers of a page whose number is odd while its writer changes it
(sequence locks). Such a wait is meant to last for microseconds: whoever meets a thread in it has
met, nearly always, one whose other side died in the middle. A loop that spins for its next work, as
the fastest consumers do, stands in a loop that goes on for ever, and is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.idleness import is_in_serving_loop
from gdb_epi.hangs.types import GIL, HANG, RUNNING, HangDiagnosis, ThreadActivity, wait_diagnosis
from gdb_epi.locks.python.call_sites import Instruction
from gdb_epi.locks.types import INFO, PROBABLE

_READS = frozenset(("unpack_from", "unpack", "from_bytes", "tobytes", "int", "struct", "Struct"))
_MAP, _VIEW = "mmap.mmap", "memoryview"
_NAMES = frozenset(("global", "name", "attr", "method", "fast"))
_CHANGES = frozenset(("next", "await"))
_KEEPS = ("YIELD", "STORE_ATTR", "STORE_GLOBAL", "STORE_NAME", "STORE_SUBSCR", "STORE_DEREF")
_DECIDES = ("POP_JUMP", "JUMP_IF")  # names of conditional jumps, 3.8 to 3.15
_PLAIN = frozenset(("int", "str", "bytes", "float", "_struct.Struct", "Struct", "module"))
_CALLABLE = frozenset(("function", "method", "builtin_function_or_method", "functools.partial"))
_WRITES = "w"


@process_rule_from_thread_rule
def diagnose_spin_on_shared_memory(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread reads shared memory again and again, and does nothing else."""
    if activity.kind not in (*RUNNING, GIL) or not activity.frames:
        return None
    frame = activity.frames[0]
    read = next(_shared_memory_read_by(context, frame), None)
    if read is None:
        return None
    for_work = is_in_serving_loop(context, activity.frames[1:])
    alone = context.is_only_thread_awake(activity)
    sentence = (
        f"{activity.who()} spins at {activity.where()}: it reads `{read}`, memory that "
        "processes share, again and again without a pause, until another one changes it"
    )
    return wait_diagnosis(
        HANG, "polls", sentence, activity._replace(key_frames=activity.frames),
        PROBABLE if alone and not for_work else INFO,
        evidence=("the loop only reads that memory and compares",),
        ruled_out=("a pause in the loop", "another thread of this process"),
        doubts=("whether the process that should change it lives is not in this core",),
    )  # fmt: skip


def _shared_memory_read_by(context: HangContext, frame: PyFrame) -> Iterator[str]:
    """Yield the names of the shared memory that a frame's loop reads; none where it does more.

    Raises UnreadableMemory, LayoutError, IndexError.
    """
    sites, view, body = context.call_sites, context.view, context.innermost_loop_code(frame)
    if not body:
        return
    inside = {each.at for each in body}
    if any(each.operation in _CHANGES or each.name.startswith(_KEEPS) for each in body):
        return
    if not any(each.name.startswith(_DECIDES) for each in body):
        return  # it never looks at what it reads: nothing that another one writes ends it
    if _uses_variables_of_earlier_turns(body, sites.name_tables(frame.code)[1]):
        return
    scope, own = context.live_code.calls.globals_of(frame), view.variable(frame, "self")
    shared = list[str]()
    for at, does, name in sites.names_used_by_instructions(frame.code):
        if at not in inside or does not in _NAMES or not name:
            continue
        if does in ("global", "name"):
            value = view.objects.dict_get(scope, name)
            word = value if isinstance(value, int) else None
        elif does == "fast":
            word = view.variable(frame, name)
        else:
            word = view.attribute(own, name)
        if word and _is_memory_shared_by_file(context, word):
            shared.append(f"self.{name}" if does in ("attr", "method") else name)
        elif does == "fast":
            if word and view.type_name(word) in _CALLABLE:
                return
        elif name not in _READS and (not word or view.type_name(word) not in _PLAIN):
            return
    yield from shared


def _uses_variables_of_earlier_turns(body: Sequence[Instruction], slots: Sequence[str]) -> bool:
    """Tell whether a turn of a loop uses what an earlier one left in a variable: a place, a count.

    Code that goes through a mapped file does.
    """
    stored, loaded_first = set[str](), set[str]()
    for each in body:
        number = each.argument
        if each.operation == "fast2":
            loaded = [slots[number >> 4], slots[number & 15]]
        else:
            loaded = [slots[number]] if each.operation == "fast" else []
        loaded_first.update(name for name in loaded if name not in stored)
        if each.operation == "store":
            stored.add(slots[number])
        elif each.name == "STORE_FAST_STORE_FAST":
            stored |= {slots[number >> 4], slots[number & 15]}
        elif each.operation == "store_load":
            stored.add(slots[number >> 4])
            loaded_first |= {slots[number & 15]} - stored
    return not stored.isdisjoint(loaded_first)


def _is_memory_shared_by_file(context: HangContext, word: int) -> bool:
    """Tell whether a mmap or memoryview lies in a mapping of a file, which others may have too."""
    kind, head = context.view.type_name(word), context.view.reader.layout.size("PyObject") or 16
    if kind == _MAP:
        start = context.view.reader.u64(word + head)
    elif kind == _VIEW:
        start = context.view.reader.field(word, "PyMemoryViewObject", "view.buf")
    else:
        return False
    region = context.target.region_at(start)
    return region is not None and region.path is not None and _WRITES in region.perms
