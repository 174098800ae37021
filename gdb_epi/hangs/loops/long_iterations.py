# SPDX-License-Identifier: Apache-2.0
"""Loops over more members than anybody can wait for: all permutations of 19 houses.

How many are left is in the iterator. Where `break`, `return` or `raise` may end the loop, or the
consumer of a generator may stop, that is told and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from math import comb, perm, prod

from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.dry_run.loop_states import read_range_iterator
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.types import (
    GIL,
    HANG,
    RUNNING,
    SECONDS_OF_YEAR,
    UNSEEN_END,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.types import INFO
from gdb_epi.typing_lite import NamedTuple

TOO_MANY = 10**16  # of empty turns CPython does some 10**8 a second: years
PER_SECOND = 10**8
MAX_FRAMES = 16
MAX_MEMBERS = 4096
_BUILTIN = "builtin_function_or_method"
# They take all that a generator gives, and keep none of it.
_ALL = ("sum", "min", "max", "fsum", "prod")
_STRUCTS = {  # Modules/itertoolsmodule.c
    "itertools.permutations": "permutationsobject", "itertools.combinations": "combinationsobject",
    "itertools.combinations_with_replacement": "cwrobject", "itertools.product": "productobject",
}  # fmt: skip


class _LongIteration(NamedTuple):
    """What a loop goes over, how much of it is left, and whether it may be left before its end."""

    of: str
    left: int
    may_stop: bool


@process_rule_from_thread_rule
def diagnose_too_long_iteration(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread goes over what it cannot come to the end of within years."""
    if activity.kind not in (*RUNNING, GIL) or not activity.frames:
        return None
    frames = context.view.frames(activity.tid)[:MAX_FRAMES]
    with suppress(UnreadableMemory, LayoutError):  # met while it handed over a value
        generator = _consumed_generator(context, frames[0])
        rests = context.view.slots.frame_of_suspended_generator(generator) if generator else None
        frames = frames if rests is None else (rests, *frames)
    for number, frame in enumerate(frames):
        try:
            iteration = _iteration_too_long(context, frame, frames[number + 1 :])
        except (UnreadableMemory, LayoutError):
            continue
        if iteration is None:
            continue
        years = f"{iteration.left / PER_SECOND / SECONDS_OF_YEAR:.2g}"
        why = (
            f"at least {iteration.left:.1e} turns of {iteration.of} are still to come, which "
            f"take {years} years at 100 million a second"
        )
        member = activity._replace(key_frames=context.frames_from_outermost_loop(activity.frames))
        if iteration.may_stop:
            sentence = f"{activity.who()} was computing at {activity.where()}; {why}"
            return wait_diagnosis(
                HANG, UNSEEN_END, sentence, member, INFO, evidence=(why,),
                doubts=("a way out of the loop before its last turn",),
            )  # fmt: skip
        return wait_diagnosis(
            HANG, "endless iteration", f"{activity.who()} is in a loop that will not end in a "
            f"lifetime at {function_and_line(frame)}: {why}", member, evidence=(why,),
            ruled_out=("a way out of the loop before its last turn",),
            doubts=("an exception in it",),
        )  # fmt: skip
    return None


def _iteration_too_long(
    context: HangContext, frame: PyFrame, callers: Sequence[PyFrame]
) -> _LongIteration | None:
    code = list(context.call_sites.instructions(frame.code))
    heads = {each.at for each in code if each.operation == "next"}
    loops = [loop for loop in context.loop_bodies(frame) if loop.start in heads]
    for word in context.view.slots.words_of_frame(frame).stack[: len(loops)]:
        kind = context.view.type_name(word)
        left = count_members_left(context.view.reader, word, kind)
        if left < TOO_MANY:
            continue
        may_stop = any(context.call_sites.can_leave_loop(frame.code, loop) for loop in loops)
        if _may_generator_be_dropped(context, frame):
            may_stop = may_stop or not any(
                _consumed_generator(context, each) for each in callers[:1]
            )
        if kind not in _STRUCTS:  # `for turn in range(sys.maxsize)` may be meant to go on
            calls = (each.at for each in code if each.operation in ("call", "method"))
            may_stop = may_stop or any(at in loop for at in calls for loop in loops)
        return _LongIteration(f"{kind}()" if kind in _STRUCTS else "a range", left, may_stop)
    return None


def _may_generator_be_dropped(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether code is a generator, whose consumer may stop, or may be cancelled."""
    layout = context.view.reader.layout
    flags = context.view.reader.field32(frame.code, "PyCodeObject", "co_flags")
    kinds = ("CO_GENERATOR", "CO_COROUTINE", "CO_ASYNC_GENERATOR")
    return any(flags & (layout.constant(kind) or 0) for kind in kinds)


def _consumed_generator(context: HangContext, frame: PyFrame) -> int:
    """Return the generator that a frame gave to a function that asks for all of its values."""
    words = [word for word in context.view.slots.words_of_frame(frame).stack if word]
    kinds = [context.view.type_name(word) for word in words]
    if "generator" not in kinds[1:] or kinds[(at := kinds.index("generator")) - 1] != _BUILTIN:
        return 0
    reader = context.view.reader
    return words[at] if reader.method_def_name(words[at - 1]) in _ALL else 0


def count_members_left(reader: MemoryReader, iterator: int, kind: str) -> int:
    """Return how many members an iterator has yet to give, at least.

    Only those count that begin with another first member. Raises UnreadableMemory, LayoutError.
    """
    if kind == "range_iterator":
        index, _, _, count = read_range_iterator(reader, iterator)
        return count - index
    if kind not in _STRUCTS:
        return 0
    struct, containers, layout = _STRUCTS[kind], ContainerReader(reader), reader.layout
    pool_at = iterator + layout.require(struct, "pool", "pools")
    pool = list(containers.tuple_items(reader.u64(pool_at)))
    indices = reader.field(iterator, struct, "indices")
    at_places = layout.offset(struct, "r")  # product() has as many as pools
    places = len(pool) if at_places is None else reader.i64(iterator + at_places)
    if not 0 < places <= len(pool) <= MAX_MEMBERS and kind != "itertools.product":
        return 0
    if not places or reader.field32(iterator, struct, "stopped"):
        return 0
    first = reader.i64(indices)
    if kind == "itertools.product":
        sizes = [len(list(containers.tuple_items(each))) for each in pool[:MAX_MEMBERS]]
        return max(0, sizes[0] - 1 - first) * prod(sizes[1:])
    after = max(0, len(pool) - 1 - first)
    if kind == "itertools.permutations":
        return after * perm(len(pool) - 1, places - 1)
    return comb(after + (places - 1 if "replacement" in kind and after else 0), places)
