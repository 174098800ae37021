# SPDX-License-Identifier: Apache-2.0
"""Endless loops: a walk along objects that form a ring, a search in numbers that only grow.

`while node is not None: node = node.parent` ends when it meets None. Where the loop does nothing
but such a step and sums, and each of its tests looks at that variable or at the next object, it
goes on for ever if the objects form a ring, and the core shows whether they do. Code that calls,
compares, stores into objects or tests anything else is left alone: it may end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import Absent
from gdb_epi.hangs.hang_context import HangContext, process_rule_from_thread_rule
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.types import (
    GIL,
    HANG,
    LATER_THREAD,
    PYTHON,
    RUNNING,
    HangDiagnosis,
    ThreadActivity,
    wait_diagnosis,
)
from gdb_epi.locks.python.call_sites import CallSites, Instruction
from gdb_epi.locks.types import PROBABLE
from gdb_epi.typing_lite import NamedTuple

MAX_OBJECTS = 2_000  # of one ring, with what leads into it
SUBSCRIPT = 26  # the argument of BINARY_OP that is not a sum (3.14, Include/opcode.h NB_SUBSCR)
IDENTITY = ("is", "is not")
COUNT = "itertools.count"
MAX_POSITION = (1 << 63) - 1
_QUIET = frozenset(("nothing", "extended"))
_JUMPS = frozenset(("test", "jump", "back"))


class AttributeStep(NamedTuple):
    """`variable = variable.attribute`."""

    variable: str
    attribute: str


class _LoopStackValue(NamedTuple):
    """What lies on the evaluation stack: a variable, an attribute of it, None, or something."""

    variable: str = ""
    attribute: str = ""
    is_none: bool = False


class _NotAWalk(Exception):
    """The loop does something other than walk."""


@process_rule_from_thread_rule
def diagnose_endless_walk(context: HangContext, activity: ThreadActivity) -> HangDiagnosis | None:
    """A thread runs a loop whose every test looks at objects of a ring."""
    frames = context.view.frames(activity.tid)
    if activity.kind not in (PYTHON, GIL) or not activity.frames or not frames:
        return None
    frame = frames[0]
    if frame.address != activity.frames[0].address:
        return None
    step = _attribute_step_of_loop(context, frame)
    start = context.view.variable(frame, step.variable) if step is not None else None
    length = measure_ring(context, start, step.attribute) if step and start else 0
    if step is None or not length:
        return None
    kind = context.view.type_name(start) or "object"
    shown = f"{step.variable} = {step.variable}.{step.attribute}"
    ring = (
        f"{length} objects of type {kind} whose `{step.attribute}` leads back to the first"
        if length > 1 else f"an object of type {kind} whose `{step.attribute}` is itself"
    )  # fmt: skip
    sentence = f"{activity.who()} is in a loop without end at {activity.where()}: `{shown}` walks "
    sentence += f"in a ring, {ring}"
    return HangDiagnosis(
        HANG, "endless walk", sentence, (activity._replace(key_frames=activity.frames),),
        PROBABLE,
        (f"the loop tests nothing but `{step.variable}` and what it leads to",
         f"the objects form a ring of {length}"),
        ("a call, a comparison or a store into an object in the loop",),
        ("another thread that breaks the ring, or code of __bool__, __len__ or a property",),
        outside=LATER_THREAD if UnblockedThreads(context).may_change_names(
            activity.tid, (step.attribute,)) else "",
    )  # fmt: skip


@process_rule_from_thread_rule
def diagnose_endless_search_in_count(
    context: HangContext, activity: ThreadActivity
) -> HangDiagnosis | None:
    """A thread runs `number in itertools.count(...)`, which has counted past that number."""
    if activity.kind not in RUNNING or not activity.frames:
        return None
    frame = activity.frames[0]
    if not context.runs_comparison(frame, ("in", "not in")):
        return None
    stack = context.view.slots.words_of_frame(frame).stack
    pairs = (two for two in pairwise(stack) if _is_itertools_count(context, two[1]))
    pair = next(pairs, None)
    sought, position, step = _read_search_in_count(context, *pair) if pair else (None, None, None)
    if sought is None or position is None or not step or (position - sought) * step <= 0:
        return None
    why = f"it is at {position} in steps of {step}"
    return wait_diagnosis(
        HANG, "endless search", f"{activity.who()} is in a loop without end at "
        f"{activity.where()}: it seeks {sought} in itertools.count(), and {why}",
        activity, evidence=(why,), ruled_out=("a number that is still ahead",),
    )  # fmt: skip


def _is_itertools_count(context: HangContext, word: int) -> bool:
    return bool(word) and context.view.type_name(word) == COUNT


def _read_search_in_count(
    context: HangContext, number: int, count: int
) -> tuple[int | None, int | None, int]:
    """Return what is sought, where itertools.count() is, and its step.

    After the head of a countobject come a number, used where the step is 1, and both as objects
    (Modules/itertoolsmodule.c, 3.8 to 3.13).
    """
    reader, objects = context.view.reader, context.view.objects
    head = reader.layout.size("PyObject") or 16
    position: int | Absent = reader.i64(count + head)
    step = objects.integer(reader.u64(count + head + 16))
    if position == MAX_POSITION:
        position = objects.integer(reader.u64(count + head + 8))
    kind = context.view.type_name(number)
    sought = objects.integer(number) if kind == "int" else None
    if isinstance(sought, Absent) or isinstance(position, Absent) or isinstance(step, Absent):
        return None, None, 0
    return sought, position, step


def measure_ring(context: HangContext, start: int, attribute: str) -> int:
    """Return how many objects the ring has that an attribute leads into; 0 when it ends."""
    places: dict[int, int] = {}
    word: int | None = start
    while word and len(places) < MAX_OBJECTS:
        if word in places:
            return len(places) - places[word]
        places[word] = len(places)
        word = context.view.attribute(word, attribute)
    return 0


def _attribute_step_of_loop(context: HangContext, frame: PyFrame) -> AttributeStep | None:
    """Return the step of a frame's innermost loop, when the loop does nothing else."""
    sites, code, body = context.call_sites, frame.code, context.innermost_loop_code(frame)
    if not body:
        return None
    names, slots, _ = sites.name_tables(code)
    try:
        return parse_attribute_step(
            body, slots, names, sites, lambda number: _is_none(context, code, number)
        )
    except (_NotAWalk, IndexError):
        return None


def parse_attribute_step(
    body: Iterable[Instruction],
    slots: Sequence[str],
    names: Sequence[str],
    sites: CallSites,
    is_none: Callable[[int], bool],
) -> AttributeStep:
    """Return the one step of a loop's instructions, as a stack machine reads them.

    Raises _NotAWalk, and IndexError where the stack or a table is too short.
    """
    stack: list[_LoopStackValue] = []
    steps: set[AttributeStep] = set()
    stored: list[str] = []
    tested: list[_LoopStackValue] = []
    for each in body:
        operation, argument = each.operation, each.argument
        if operation in _QUIET:
            continue
        if operation in ("store", "store_load"):
            name = slots[argument if operation == "store" else argument >> 4]
            value = stack.pop()
            stored.append(name)
            if value.attribute and value.variable == name:
                steps.add(AttributeStep(name, value.attribute))
            if operation == "store_load":
                stack.append(_LoopStackValue(slots[argument & 15]))
        elif operation in ("fast", "fast2"):
            variables = (argument,) if operation == "fast" else (argument >> 4, argument & 15)
            stack += [_LoopStackValue(slots[slot]) for slot in variables]
        elif operation == "attr":
            number, value = sites.loaded_attribute_index(each), stack.pop()
            if number is None or not value.variable or value.attribute:
                raise _NotAWalk
            stack.append(_LoopStackValue(value.variable, names[number]))
        elif operation in ("const", "number"):
            stack.append(_LoopStackValue(is_none=operation == "const" and is_none(argument)))
        elif operation == "sum" and argument != SUBSCRIPT:
            stack[-2:] = [_LoopStackValue()] if len(stack) > 1 else []
        elif sites.comparison_operator(each) in IDENTITY:
            right, left = stack.pop(), stack.pop()
            stack.append(left if right.is_none else _LoopStackValue())
        elif operation in _JUMPS:
            tested += [stack.pop()] if stack else []
            if stack:
                raise _NotAWalk
        elif operation != "truth":
            raise _NotAWalk
    if len(steps) != 1:
        raise _NotAWalk
    (step,) = steps
    looks_at = {_LoopStackValue(step.variable), _LoopStackValue(step.variable, step.attribute)}
    if stored.count(step.variable) != 1 or not set(tested) <= looks_at:
        raise _NotAWalk
    return step


def _is_none(context: HangContext, code: int, number: int) -> bool:
    reader = context.view.reader
    constants = reader.field(code, "PyCodeObject", "co_consts")
    at = constants + reader.layout.require("PyTupleObject", "ob_item") + 8 * number
    return context.view.type_name(reader.u64(at)) == "NoneType"
