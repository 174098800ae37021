# SPDX-License-Identifier: Apache-2.0
"""Loops that make the same objects again and again: a parser that comes back to where it was.

What such a loop has appended to a list says what its turns did: thousands of objects, each made
anew, that are equal in all their attributes. A loop that gets on has something that counts its
turns: a position, a number that is left, a limit. Where no number that its code reaches is as
large as the list is long, and it takes nothing from a container, queue or peer, nothing does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from gdb_epi.cpython.objects.containers import ContainerReader
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent, LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.types import (
    HANG,
    RUNNING,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
    wait_diagnosis,
)
from gdb_epi.locks.types import PROBABLE
from gdb_epi.sizes import split_into_words

ENOUGH = 10_000  # objects: whoever makes so many equal ones on purpose knows how many
LAST, SPREAD = 96, 64  # of these that are compared: the last ones, and some of the half before
PERIOD = 4  # of objects that differ and come in turns
MIN_ATTRIBUTES = 3  # of an object: a flag, a reading or a line may well be equal to all others
_HEAP_TYPE, _OF_BUILT_IN = 1 << 9, 0xFF << 24  # of tp_flags (Include/object.h)
_NAMESPACES = ("type", "module", "function")
_KEPT = ("int", "bool", "NoneType", "list")
MAX_FRAMES, MAX_ATTRIBUTES, MAX_TEXT = 8, 64, 128
_TAKES = frozenset((
    "pop", "popleft", "popitem", "remove", "discard", "get", "get_nowait", "recv", "recv_into",
    "readline", "accept", "input", "send", "random", "choice", "randint", "time",
    "__next__", "monotonic", "perf_counter", "sleep", "select", "poll", "wait", "heappop",
))  # fmt: skip


@process_rule_from_thread_rule
def diagnose_endless_repetition(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread's loop has made the same object thousands of times, and nothing counts its turns."""
    if activity.kind not in RUNNING or not activity.frames:
        return None
    frames = context.view.frames(activity.tid)[:MAX_FRAMES]
    for number, frame in enumerate(frames):
        try:
            repeated = _repeated_objects(context, frames[: number + 1], frame)
        except (UnreadableMemory, LayoutError, IndexError):
            continue
        if repeated is not None:
            return _diagnose_repeated_objects(activity, frame, *repeated)
    return None


def _diagnose_repeated_objects(
    activity: ThreadActivity, frame: PyFrame, name: str, kind: str, count: int
) -> HangDiagnosis:
    return wait_diagnosis(
        HANG, "endless repetition",
        f"{activity.who()} is in a loop of {function_and_line(frame)} that does not get on, called "
        f"at {activity.where()}: the last of {count} {kind} objects in "
        f"`{name}`, which it made one after the other, are equal in all their attributes",
        activity._replace(key_frames=activity.frames), PROBABLE,
        evidence=(f"`{name}` grows by append(), and its objects repeat",
                  "no number that the loop reaches is as large as there are objects"),
        ruled_out=("a position that gets on", "a limit of their number", "a `for` loop"),
        doubts=("a state of the loop outside of Python's objects",),
    )  # fmt: skip


def _repeated_objects(
    context: HangContext, inner: Sequence[PyFrame], frame: PyFrame
) -> tuple[str, str, int] | None:
    """Return (variable, class, count) of the objects that a frame's loop makes again and again.

    Raises UnreadableMemory, LayoutError, IndexError.
    """
    loops, sites = context.loop_bodies(frame), context.call_sites
    heads = {
        instruction.at
        for instruction in sites.instructions(frame.code)
        if instruction.operation == "next"
    }
    if (
        not loops
        or any(loop.start in heads for loop in loops)
        or context.iterates_over_finite_container(frame)
    ):
        return None
    for name, at in _variables_and_attributes(context, frame):
        if context.view.type_name(at) != "list":
            continue
        kind, count = _class_and_count_if_all_equal(context, at)
        if count < ENOUGH:
            continue
        names = [
            names_used_by_instruction
            for own in inner
            for names_used_by_instruction in sites.names_used_by_instructions(own.code)
        ]
        if any(does == "global" and each == "next" for _, does, each in names):
            return None
        used = {each for _, _, each in names}
        appends = "append" in used and any(
            each == "append" and (own is not frame or any(at in loop for loop in loops))
            for own in inner for at, _, each in sites.names_used_by_instructions(own.code)
        )  # fmt: skip
        reads = "read" in used and "seek" not in used
        if reads or used & _TAKES or not appends or _counts_turns(context, inner, used, count):
            return None
        if _makes_progress(context, inner, frame, kind):
            return None
        return name, kind, count
    return None


def _variables_and_attributes(context: HangContext, frame: PyFrame) -> Iterator[tuple[str, int]]:
    """Yield (name, PyObject *) of a frame's variables and of their attributes."""
    for name, at in context.view.variable_addresses(frame):
        if at & 7 or context.view.type_name(at) in _NAMESPACES:
            continue
        yield name, at
        for key, value in islice(context.view.attributes(at), MAX_ATTRIBUTES):
            if value and not value & 7:
                yield f"{name}.{key}", value


def _class_and_count_if_all_equal(context: HangContext, at: int) -> tuple[str, int]:
    """Return the class of a list's objects and their number; 0 where they are not all equal."""
    reader = context.view.reader
    size = reader.signed_field(at, "PyListObject", "ob_size")
    room = reader.signed_field(at, "PyListObject", "allocated")
    if size < ENOUGH or room <= size:  # [x] * n has no room left over
        return "", 0
    items = ContainerReader(reader).list_items(at)
    if len(items) < ENOUGH:
        return "", 0
    last = items[-LAST:]
    if len(set(last)) != len(last):
        return "", 0  # one object many times
    values = [_plain_attribute_values(context, item) for item in last]
    periods = (p for p in range(1, PERIOD + 1) if values[p:] == values[:-p])
    if None in values or next(periods, 0) == 0:
        return "", 0
    half = items[len(items) // 2 : -LAST]
    spread = {
        _plain_attribute_values(context, item) for item in half[:: max(1, len(half) // SPREAD)]
    }
    return context.view.type_name(last[-1]), len(items) if spread <= set(values) else 0


def _plain_attribute_values(context: HangContext, item: int) -> tuple[str, ...] | None:
    """Return the attributes of an object; None where it has few, or one that is not plain."""
    parts = []
    for name, at in _attributes_or_slot_words(context, item):
        kind = context.view.type_name(at)
        if kind == "str":
            text = context.view.reader.string(at, MAX_TEXT)
            if isinstance(text, Absent):
                return None
            parts.append(f"{name}={text}")
        elif kind == "int":
            parts.append(f"{name}={context.view.objects.integer(at)}")
        elif kind == "bytes":
            raw = context.view.reader.bytes_object(at, MAX_TEXT)
            parts.append(f"{name}={raw!r}" if isinstance(raw, bytes) else name)
        else:  # the same object, or one of the same class that holds nothing of its own
            parts.append(f"{name}={kind if kind in ('dict', 'list') else hex(at)}")
    return (context.view.type_name(item), *parts) if len(parts) >= MIN_ATTRIBUTES else None


def _attributes_or_slot_words(context: HangContext, item: int) -> list[tuple[str, int]]:
    """Return (name, PyObject *) of an object's attributes; of one with slots, its words.

    Raises UnreadableMemory, LayoutError.
    """
    attributes = list(islice(context.view.attributes(item), MAX_ATTRIBUTES))
    if attributes:
        return attributes
    reader = context.view.reader
    kind, head = reader.type_of(item), reader.layout.size("PyObject") or 16
    flags = reader.field(kind, "PyTypeObject", "tp_flags")
    if not flags & _HEAP_TYPE or flags & _OF_BUILT_IN:
        return []
    size = reader.signed_field(kind, "PyTypeObject", "tp_basicsize")
    size = max(0, min(size - head, 8 * MAX_ATTRIBUTES))
    words = split_into_words(reader.read(item + head, size & ~7))
    return [(str(place), word) for place, word in enumerate(words)]


def _makes_progress(
    context: HangContext, inner: Sequence[PyFrame], frame: PyFrame, kind: str
) -> bool:
    """Tell whether code stores something else than numbers and such objects: a next node."""
    kept, loops = (*_KEPT, kind), context.loop_bodies(frame)
    stored = {
        instruction.argument for instruction in context.call_sites.instructions(frame.code)
        if instruction.operation.startswith("store")
        and any(instruction.at in loop for loop in loops)
    }  # fmt: skip
    variables = context.view.slots.words_of_frame(frame).variables
    held = [variables[number] for number in stored if number < len(variables)]
    if any(at and not at & 7 and context.view.type_name(at) not in kept for at in held):
        return True
    return any(
        context.view.type_name(value) not in kept
        and context.offsets_that_change_names(own.code, {name.rpartition(".")[2]})
        for own in inner for name, value in _variables_and_attributes(context, own) if "." in name
    )  # fmt: skip


def _counts_turns(
    context: HangContext, inner: Sequence[PyFrame], used: set[str], count: int
) -> bool:
    """Tell whether code reaches a number that could count so many turns, or limit them."""
    view = context.view
    for frame in inner:
        words = [at for _, at in _variables_and_attributes(context, frame)]
        words += [
            at for name, at in view.frame_variables_reader.global_addresses(frame) if name in used
        ]
        constants = view.reader.field(frame.code, "PyCodeObject", "co_consts")
        words += ContainerReader(view.reader).tuple_items(constants)
        for word in words:
            kind = view.type_name(word)
            if kind == "float" or "iterator" in kind or kind == "generator":
                return True
            number = view.objects.integer(word) if kind == "int" else 0
            if isinstance(number, Absent) or abs(number) >= count // 2:
                return True
    return False
